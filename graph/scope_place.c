#include <stdlib.h>

#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Nodes that tell no place of their own beside calls that other nodes named: calls of functions,
// and readers of parameters. They join the call of their module that began last.

struct placer {
    struct scope_work *work;
    uint32_t *current;   // per text: call with that path that began last, or the first one,
                         // ONNX_NONE = none
    uint32_t *by_start;  // calls in the order they begin
    size_t n_texts, n_begun, n_calls;
    struct graph_pairs made;  // (parent call, text) -> call made here
};

static uint32_t call_of(const struct placer *p, uint32_t text) {
    return text < p->n_texts ? p->current[text] : ONNX_NONE;
}

static uint32_t around(const struct placer *p, struct str owner) {
    size_t end = owner.n;

    for (;;) {
        size_t dot = str_rfind(str_sub(owner, 0, end), '.');
        uint32_t text, call;

        if (dot == STR_NPOS) {
            return 0;
        }
        end = dot;
        text = map_get(&p->work->text_ids, str_sub(owner, 0, end));
        call = text == MAP_NONE ? ONNX_NONE : call_of(p, text);
        if (call != ONNX_NONE) {
            return call;
        }
    }
}

static uint32_t make_call(struct placer *p, struct str path, uint32_t position) {
    struct scope_work *work = p->work;
    uint32_t text = graph_scope_text(work, path), parent = around(p, path), site;

    if (text == ONNX_NONE) {
        return ONNX_NONE;
    }
    site = graph_scope_site(work, work->calls[parent].site, text, true);
    if (site == ONNX_NONE || site == work->calls[parent].site) {
        return site == ONNX_NONE ? ONNX_NONE : parent;
    }
    return graph_scope_call_new(work, site, parent, position);
}

// The one call of the module that is made here below its parent, or a new one.
static uint32_t owner_call(struct placer *p, struct str owner, uint32_t position) {
    uint32_t text = map_get(&p->work->text_ids, owner), parent = around(p, owner), call;

    call = text == MAP_NONE ? ONNX_NONE : call_of(p, text);
    if (call == ONNX_NONE && text != MAP_NONE) {
        call = graph_pairs_get(&p->made, parent, text);
    }
    if (call != ONNX_NONE) {
        return call;
    }
    call = make_call(p, owner, position);
    text = map_get(&p->work->text_ids, owner);
    if (call == ONNX_NONE || graph_pairs_put(&p->made, parent, text, call, p->work->err) < 0) {
        return ONNX_NONE;
    }
    return call;
}

static int place(struct placer *p, uint32_t node) {
    struct scope_work *work = p->work;
    uint32_t parameter, position = work->position[node], call = ONNX_NONE;
    struct str path = {NULL, 0};

    if (scope_is_inner(work, node)) {
        return 0;
    }
    if (work->marks[node].source == GRAPH_SCOPE_FUNCTION) {
        // Each node that calls a module's function is one call of the module.
        path = work->called[node];
        call = path.n ? make_call(p, path, position) : 0;
    } else if (graph_scope_is_open(work, node)) {
        path = graph_scope_owner_of_node(work, node, &parameter);
        if (path.n == 0) {
            return 0;
        }
        call = owner_call(p, path, position);
        work->marks[node].source = GRAPH_SCOPE_INITIALIZER;
    } else {
        return 0;
    }
    work->node_call[node] = call;
    return call == ONNX_NONE ? work->err->code : 0;
}

static int by_start(const void *a, const void *b, void *calls) {
    const struct scope_call *all = calls;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

    if (all[i].start != all[k].start) {
        return all[i].start < all[k].start ? -1 : 1;
    }
    return (i > k) - (i < k);
}

static int list_calls(struct placer *p) {
    struct scope_work *work = p->work;

    p->n_texts = work->n_texts;
    p->n_calls = work->n_calls;
    p->current = arena_array(&work->scratch, work->n_texts, sizeof(*p->current));
    p->by_start = arena_array(&work->scratch, work->n_calls, sizeof(*p->by_start));
    if (!p->current || !p->by_start) {
        return arena_error(&work->scratch, "owners of parameters", work->err);
    }
    for (size_t i = 0; i < work->n_texts; i++) {
        p->current[i] = ONNX_NONE;
    }
    for (uint32_t c = 0; c < work->n_calls; c++) {
        p->by_start[c] = c;
    }
    qsort_r(p->by_start, work->n_calls, sizeof(*p->by_start), by_start, work->calls);
    for (size_t i = work->n_calls; i-- > 0;) {
        p->current[work->calls[p->by_start[i]].path] = p->by_start[i];
    }
    return 0;
}

static int place_all(struct placer *p) {
    const struct scope_work *work = p->work;

    if (list_calls(p) < 0) {
        return work->err->code;
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        for (; p->n_begun < p->n_calls && work->calls[p->by_start[p->n_begun]].start <= i;
             p->n_begun++) {
            p->current[work->calls[p->by_start[p->n_begun]].path] = p->by_start[p->n_begun];
        }
        if (place(p, work->net->order[i]) < 0) {
            return work->err->code;
        }
    }
    return 0;
}

int graph_scope_place(struct scope_work *work) {
    struct placer p = {.work = work};
    int failed = place_all(&p);

    graph_pairs_release(&p.made);
    return failed;
}
