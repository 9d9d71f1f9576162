#include "graph/hierarchy.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/scope_internal.h"

#define NODES_AHEAD 16  // whose names are fetched

const char *graph_scope_source_name(enum graph_scope_source source) {
    static const char *const names[GRAPH_SCOPE_SOURCES] = {
        [GRAPH_SCOPE_METADATA] = "metadata",
        [GRAPH_SCOPE_FUNCTION] = "function",
        [GRAPH_SCOPE_NAME] = "name",
        [GRAPH_SCOPE_OUTPUT] = "output",
        [GRAPH_SCOPE_INITIALIZER] = "initializer",
        [GRAPH_SCOPE_NEIGHBOUR] = "neighbour",
        [GRAPH_SCOPE_NONE] = "none",
    };

    return (unsigned)source < GRAPH_SCOPE_SOURCES ? names[source] : "none";
}

const char *graph_class_source_name(enum graph_class_source source) {
    static const char *const names[] = {
        [GRAPH_CLASS_METADATA] = "metadata",
        [GRAPH_CLASS_FUNCTION] = "function",
        [GRAPH_CLASS_INFERRED] = "inferred",
        [GRAPH_CLASS_NONE] = "none",
    };

    return (unsigned)source < ARRAY_LEN(names) ? names[source] : "none";
}

uint32_t graph_scope_text(struct scope_work *work, struct str s) {
    uint32_t id;

    if (array_grow(&work->texts, &work->cap_texts, work->n_texts + 1, sizeof(*work->texts),
                   UINT32_MAX - 1, "names of modules", work->err) < 0 ||
        map_put_new(&work->text_ids, s, (uint32_t)work->n_texts, &id, work->err) < 0) {
        return ONNX_NONE;
    }
    if (id == work->n_texts) {
        work->texts[work->n_texts++].s = s;
    }
    return id;
}

static void warn_once(struct scope_work *work, bool *warned, const char *what) {
    if (*warned) {
        return;
    }
    *warned = true;
    warnings_add(work->warnings, "hierarchy-cut", NULL, "%s; what is beyond is shown in its parent",
                 what);
}

bool graph_scope_names_full(struct scope_work *work) {
    if (work->arena->used < SCOPE_MAX_NAME_BYTES) {
        return false;
    }
    warn_once(work, &work->cut_names, "the names of modules are too long");
    return true;
}

uint32_t graph_scope_find_site(const struct scope_work *work, uint32_t parent, uint32_t text,
                               bool exact) {
    return graph_pairs_get(&work->site_ids, parent * 2 + exact, text);
}

uint32_t graph_scope_site(struct scope_work *work, uint32_t parent, uint32_t text, bool exact) {
    uint32_t found = graph_scope_find_site(work, parent, text, exact);
    uint32_t level = work->sites[parent].level + 1;

    if (found != GRAPH_PAIRS_NONE) {
        return found;
    }
    if (level > SCOPE_MAX_LEVELS || work->n_sites >= SCOPE_MAX_SITES) {
        warn_once(work, &work->cut_levels, "modules are nested too deeply");
        return parent;
    }
    if (array_grow(&work->sites, &work->cap_sites, work->n_sites + 1, sizeof(*work->sites),
                   SCOPE_MAX_SITES, "module places", work->err) < 0 ||
        graph_pairs_put(&work->site_ids, parent * 2 + exact, text, (uint32_t)work->n_sites,
                        work->err) < 0) {
        return ONNX_NONE;
    }
    work->sites[work->n_sites] =
        (struct scope_site){.parent = parent, .text = text, .level = level, .exact = exact};
    work->sites[parent].has_child = true;
    return (uint32_t)work->n_sites++;
}

struct str graph_scope_site_text(const struct scope_work *work, uint32_t site) {
    return work->texts[work->sites[site].text].s;
}

uint32_t graph_scope_call_new(struct scope_work *work, uint32_t site, uint32_t parent,
                              uint32_t start) {
    if (array_grow(&work->calls, &work->cap_calls, work->n_calls + 1, sizeof(*work->calls),
                   SCOPE_MAX_CALLS, "module calls", work->err) < 0) {
        return ONNX_NONE;
    }
    work->calls[work->n_calls] = (struct scope_call){
        .site = site,
        .parent = parent,
        .start = start,
        .first = ONNX_NONE,
        .last = ONNX_NONE,
        .path = work->sites[site].exact ? work->sites[site].text : ONNX_NONE,
    };
    return (uint32_t)work->n_calls++;
}

bool graph_scope_is_constant(const struct scope_work *work, uint32_t node) {
    // Whatever else is made of constants alone has inputs.
    return work->plumbing->nodes[node] == GRAPH_PLUMBING_CONSTANT &&
           work->net->nodes[node].n_inputs == 0;
}

static int make_root(struct scope_work *work) {
    uint32_t empty = graph_scope_text(work, STR(""));

    if (empty == ONNX_NONE || array_grow(&work->sites, &work->cap_sites, 1, sizeof(*work->sites),
                                         SCOPE_MAX_SITES, "module places", work->err) < 0) {
        return ERR_NOMEM;
    }
    work->sites[0] = (struct scope_site){.parent = ONNX_NONE, .text = empty, .exact = true};
    work->n_sites = 1;
    return graph_scope_call_new(work, 0, ONNX_NONE, 0) == ONNX_NONE ? ERR_NOMEM : 0;
}

static int work_init(struct scope_work *work) {
    size_t n = work->net->n_nodes;

    arena_init(&work->scratch, SCOPE_MAX_MEMORY);
    work->marks = arena_array(&work->scratch, n, sizeof(*work->marks));
    work->position = arena_array(&work->scratch, n, sizeof(*work->position));
    work->node_call = arena_array(&work->scratch, n, sizeof(*work->node_call));
    work->owners = arena_array(&work->scratch, work->net->n_values, sizeof(*work->owners));
    work->called = arena_array(&work->scratch, n, sizeof(*work->called));
    if (!work->marks || !work->position || !work->node_call || !work->owners || !work->called) {
        return arena_error(&work->scratch, "the hierarchy", work->err);
    }
    for (size_t i = 0; i < n; i++) {
        work->position[work->net->order[i]] = (uint32_t)i;
        work->marks[i] = (struct scope_mark){.site = ONNX_NONE, .source = GRAPH_SCOPE_NONE};
        work->node_call[i] = ONNX_NONE;
    }
    return make_root(work);
}

static int count_operators(struct scope_work *work) {
    for (size_t i = 0; i < work->net->graphs[0].n_nodes; i++) {
        work->n_operators +=
            !scope_is_inner(work, (uint32_t)i) && !scope_is_plumbing(work, (uint32_t)i);
    }
    return 0;
}

static void work_release(struct scope_work *work) {
    free(work->texts);
    map_release(&work->text_ids);
    free(work->sites);
    graph_pairs_release(&work->site_ids);
    free(work->calls);
    arena_release(&work->scratch);
}

// First evidence that applies, node by node: one file may mix styles.
static int mark_nodes(struct scope_work *work, struct scope_metadata *metadata,
                      struct scope_path *path) {
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        int done;

        // Names lie far apart in memory: waiting for them would be most of the work.
        if (i + NODES_AHEAD < work->net->n_nodes) {
            __builtin_prefetch(work->net->nodes[i + NODES_AHEAD].proto->name.p);
        }
        if (scope_is_inner(work, i)) {
            work->marks[i].source = GRAPH_SCOPE_FUNCTION;
            continue;
        }
        done = graph_scope_metadata_mark(work, metadata, i);
        if (done == 0) {
            done = graph_scope_function_mark(work, i);
        }
        if (done == 0) {
            done = graph_scope_path_mark(work, path, i);
        }
        if (done == 0) {
            done = graph_scope_tf_mark(work, i);
        }
        if (done < 0) {
            return done;
        }
    }
    if (graph_scope_metadata_correct(work) < 0) {
        return work->err->code;
    }
    return graph_scope_path_resolve(work, path);
}

static int mark_all(struct scope_work *work) {
    struct scope_metadata metadata;
    struct scope_path *path = NULL;
    int failed;

    graph_scope_metadata_init(&metadata);
    failed = graph_scope_path_new(&path, work);
    if (!failed) {
        failed = mark_nodes(work, &metadata, path);
    }
    graph_scope_path_free(path);
    graph_scope_metadata_release(&metadata);
    return failed;
}

// A file of one operator has nothing to say.
static void warn_without_evidence(const struct graph_hierarchy *h, const struct scope_work *work) {
    size_t told = 0;

    for (size_t i = 0; i < GRAPH_SCOPE_SOURCES; i++) {
        if (i != GRAPH_SCOPE_NEIGHBOUR && i != GRAPH_SCOPE_NONE) {
            told += h->sources[i];
        }
    }
    if (told == 0 && work->n_operators > 1) {
        warnings_add(work->warnings, "no-hierarchy", NULL,
                     "the file does not say which modules its operators belong to");
    }
}

static int build(struct graph_hierarchy *out, struct scope_work *work) {
    static int (*const steps[])(struct scope_work *) = {
        work_init,
        count_operators,
        graph_scope_owners_init,
        graph_scope_called,
        graph_scope_tf_init,
        mark_all,
        graph_scope_initializer_mark,
        graph_calls_by_suffix,
        graph_calls_by_order,
        graph_scope_name_calls,
        graph_scope_place,
        graph_scope_numbers,
        graph_scope_between,
        graph_scope_glue,
        graph_scope_bodies,
    };

    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        int failed = steps[i](work);

        if (failed) {
            return failed;
        }
    }
    if (graph_calls_finish(out, work) < 0) {
        return work->err->code;
    }
    warn_without_evidence(out, work);
    return 0;
}

int graph_hierarchy_init(struct graph_hierarchy *out, const struct graph_net *net,
                         const struct graph_plumbing_map *plumbing, struct warnings *warnings,
                         struct error *err) {
    struct error own;
    struct scope_work work = {
        .net = net,
        .plumbing = plumbing,
        .warnings = warnings,
        .err = err ? err : &own,
        .arena = &out->arena,
    };
    int failed;

    arena_init(&out->arena, SCOPE_MAX_MEMORY);
    failed = build(out, &work);
    work_release(&work);
    return failed;
}

void graph_hierarchy_release(struct graph_hierarchy *h) {
    if (!h) {
        return;
    }
    arena_release(&h->arena);
    *h = (struct graph_hierarchy){0};
}
