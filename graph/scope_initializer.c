#include <stdlib.h>

#include "base/num.h"
#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Nodes without metadata and scope: whoever reads parameters of a module mostly belongs to it. The
// weakest of the styles, and the only one for exports by torch before 1.13.

// Owner of most parameters that a node reads, and the first of these parameters.
static struct str owner_of_node(const struct scope_work *work, uint32_t node, uint32_t *parameter)
{
    const struct graph_net_node *n = &work->net->nodes[node];
    struct str best = {NULL, 0};
    unsigned votes = 0;

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        uint32_t v = n->inputs[i];

        // An input of the model may have a dotted name, too: it is no parameter.
        if (v == ONNX_NONE || work->owners[v].n == 0 ||
            work->net->values[work->plumbing->root[v]].kind != GRAPH_VALUE_INITIALIZER)
            continue;
        if (votes == 0) {
            best = work->owners[v];
            *parameter = v;
        }
        votes = votes == 0 || str_eq(best, work->owners[v]) ? votes + 1 : votes - 1;
    }
    return best;
}

static bool is_open(const struct scope_work *work, uint32_t node)
{
    return work->marks[node].site == ONNX_NONE &&
           work->marks[node].source != GRAPH_SCOPE_FUNCTION &&
           work->plumbing->nodes[node] == GRAPH_PLUMBING_NONE;
}

// ---- files without any other evidence

struct prefix {
    uint32_t n_children, n_numbers;  // numbers: children that are called 0, 1, 2, ...
    uint32_t largest;
    uint32_t n_composite;  // children that have composite children with a name
    bool owner;            // has parameters itself
    bool named_composite;  // has a child with a name that has children
    uint32_t called;       // site without the containers in between
};

struct initializer {
    struct scope_work *work;
    struct prefix *prefixes;  // per site, containers included
    uint32_t *site_of_node;
    size_t n_sites;
};

static uint32_t site_of_owner(struct scope_work *work, struct str owner)
{
    uint32_t site = 0;

    for (size_t from = 0; from < owner.n;) {
        size_t dot = str_find(str_skip(owner, from), '.');
        size_t end = dot == STR_NPOS ? owner.n : from + dot;
        uint32_t text = graph_scope_text(work, str_sub(owner, 0, end)), parent = site;

        site = text == ONNX_NONE ? ONNX_NONE : graph_scope_site(work, parent, text, true);
        if (site == ONNX_NONE || site == parent)
            break;
        from = end + 1;
    }
    return site;
}

static bool number_of(struct str atom, uint32_t *number)
{
    uint64_t value;

    if (!num_parse_u64(atom, &value) || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static void describe(struct initializer *in)
{
    const struct scope_work *work = in->work;

    for (size_t s = in->n_sites; s-- > 1;) {
        uint32_t parent = work->sites[s].parent, number;
        struct prefix *around = &in->prefixes[parent];
        struct str parent_text = graph_scope_site_text(work, parent);
        struct str atom = str_skip(graph_scope_site_text(work, (uint32_t)s),
                                   parent_text.n ? parent_text.n + 1 : 0);

        around->n_children++;
        around->n_composite += in->prefixes[s].named_composite;
        if (number_of(atom, &number)) {
            around->n_numbers++;
            around->largest = number > around->largest ? number : around->largest;
        } else if (work->sites[s].has_child) {
            around->named_composite = true;
        }
    }
}

// Whether it is a ModuleList, which nobody calls, and not a Sequential. Nothing in the file tells
// for certain; lists hold whole blocks, numbered without gaps, while the layers of a Sequential are
// simple or have parameterless ones between them.
static bool is_list(const struct prefix *p)
{
    return !p->owner && p->n_children >= 2 && p->n_numbers == p->n_children &&
           p->largest == p->n_children - 1 && p->n_composite == p->n_children;
}

static int leave_out_lists(struct initializer *in)
{
    struct scope_work *work = in->work;

    for (size_t s = 1; s < in->n_sites; s++) {
        uint32_t around = in->prefixes[work->sites[s].parent].called;

        in->prefixes[s].called = around;
        if (is_list(&in->prefixes[s]))
            continue;
        in->prefixes[s].called = graph_scope_site(work, around, work->sites[s].text, true);
        if (in->prefixes[s].called == ONNX_NONE)
            return work->err->code;
    }
    return 0;
}

static void mark(struct initializer *in, uint32_t node, uint32_t site, uint32_t parameter)
{
    const struct graph_net *net = in->work->net;
    const struct onnx_node *proto = net->nodes[node].proto;

    // A parameter that is read again means that its module is called again.
    in->work->marks[node] = (struct scope_mark){
        .site = in->prefixes[site].called,
        .key = net->values[parameter].name,
        .step = proto->n_outputs ? proto->outputs[0] : proto->name,
        .source = GRAPH_SCOPE_INITIALIZER,
    };
}

static int find_owners(struct initializer *in, uint32_t *parameters)
{
    struct scope_work *work = in->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        struct str owner = {NULL, 0};

        in->site_of_node[i] = ONNX_NONE;
        if (is_open(work, i))
            owner = owner_of_node(work, i, &parameters[i]);
        if (owner.n == 0)
            continue;
        in->site_of_node[i] = site_of_owner(work, owner);
        if (in->site_of_node[i] == ONNX_NONE)
            return work->err->code;
    }
    return 0;
}

// y = x W + b: folding renames W, and b still tells. The product goes with the sum.
static uint32_t sum_behind(const struct initializer *in, uint32_t node)
{
    const struct graph_net *net = in->work->net;
    const struct graph_net_node *n = &net->nodes[node];
    uint32_t v, reader;

    if (!str_eq(n->proto->op, STR("MatMul")) || n->n_outputs != 1 || n->outputs[0] == ONNX_NONE)
        return ONNX_NONE;
    v = n->outputs[0];
    if (net->first_use[v + 1] - net->first_use[v] != 1)
        return ONNX_NONE;
    reader = net->uses[net->first_use[v]].node;
    return str_eq(net->nodes[reader].proto->op, STR("Add")) ? reader : ONNX_NONE;
}

static bool reads_weight(const struct scope_work *work, uint32_t node, uint32_t *weight)
{
    const struct graph_net_node *n = &work->net->nodes[node];

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        const struct graph_value *root;

        if (n->inputs[i] == ONNX_NONE)
            continue;
        root = &work->net->values[work->plumbing->root[n->inputs[i]]];
        if (root->kind == GRAPH_VALUE_INITIALIZER && root->tensor && root->tensor->n_dims == 2) {
            *weight = n->inputs[i];
            return true;
        }
    }
    return false;
}

static int mark_nodes(struct initializer *in)
{
    struct scope_work *work = in->work;
    size_t n = work->net->n_nodes;
    uint32_t *parameters = arena_array(&work->scratch, n, sizeof(*parameters));

    in->site_of_node = arena_array(&work->scratch, n, sizeof(*in->site_of_node));
    if (!parameters || !in->site_of_node)
        return arena_error(&work->scratch, "owners of parameters", work->err);
    if (find_owners(in, parameters) < 0)
        return work->err->code;
    in->n_sites = work->n_sites;
    in->prefixes = arena_array(&work->scratch, in->n_sites, sizeof(*in->prefixes));
    if (!in->prefixes)
        return arena_error(&work->scratch, "owners of parameters", work->err);
    for (size_t i = 0; i < n; i++) {
        if (in->site_of_node[i] != ONNX_NONE)
            in->prefixes[in->site_of_node[i]].owner = true;
    }
    describe(in);
    if (leave_out_lists(in) < 0)
        return work->err->code;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t site = in->site_of_node[i], sum;

        if (site == ONNX_NONE && is_open(work, i) && reads_weight(work, i, &parameters[i])) {
            sum = sum_behind(in, i);
            site = sum == ONNX_NONE ? ONNX_NONE : in->site_of_node[sum];
        }
        if (site != ONNX_NONE)
            mark(in, i, site, parameters[i]);
    }
    return 0;
}

int graph_scope_initializer_mark(struct scope_work *work)
{
    struct initializer in = {.work = work};

    for (size_t i = 0; i < work->net->n_nodes; i++) {
        if (work->marks[i].site != ONNX_NONE)
            return 0;
    }
    return mark_nodes(&in);
}

// ---- beside calls that other nodes named

struct placer {
    struct scope_work *work;
    uint32_t *current;   // per text: call with that path that began last, or the first one,
                         // ONNX_NONE = none
    uint32_t *by_start;  // calls in the order they begin
    size_t n_texts, n_begun, n_calls;
    struct graph_pairs made;  // (parent call, text) -> call made here
};

static uint32_t call_of(const struct placer *p, uint32_t text)
{
    return text < p->n_texts ? p->current[text] : ONNX_NONE;
}

static uint32_t around(const struct placer *p, struct str owner)
{
    size_t end = owner.n;

    for (;;) {
        size_t dot = str_rfind(str_sub(owner, 0, end), '.');
        uint32_t text, call;

        if (dot == STR_NPOS)
            return 0;
        end = dot;
        text = map_get(&p->work->text_ids, str_sub(owner, 0, end));
        call = text == MAP_NONE ? ONNX_NONE : call_of(p, text);
        if (call != ONNX_NONE)
            return call;
    }
}

static uint32_t make_call(struct placer *p, struct str path, uint32_t position)
{
    struct scope_work *work = p->work;
    uint32_t text = graph_scope_text(work, path), parent = around(p, path), site;

    if (text == ONNX_NONE)
        return ONNX_NONE;
    site = graph_scope_site(work, work->calls[parent].site, text, true);
    if (site == ONNX_NONE || site == work->calls[parent].site)
        return site == ONNX_NONE ? ONNX_NONE : parent;
    return graph_scope_call_new(work, site, parent, position);
}

// The one call of the module that is made here below its parent, or a new one.
static uint32_t owner_call(struct placer *p, struct str owner, uint32_t position)
{
    uint32_t text = map_get(&p->work->text_ids, owner), parent = around(p, owner), call;

    call = text == MAP_NONE ? ONNX_NONE : call_of(p, text);
    if (call == ONNX_NONE && text != MAP_NONE)
        call = graph_pairs_get(&p->made, parent, text);
    if (call != ONNX_NONE)
        return call;
    call = make_call(p, owner, position);
    text = map_get(&p->work->text_ids, owner);
    if (call == ONNX_NONE || graph_pairs_put(&p->made, parent, text, call, p->work->err) < 0)
        return ONNX_NONE;
    return call;
}

static int place(struct placer *p, uint32_t node)
{
    struct scope_work *work = p->work;
    uint32_t parameter, position = work->position[node], call = ONNX_NONE;
    struct str path = {NULL, 0};

    if (work->marks[node].source == GRAPH_SCOPE_FUNCTION) {
        // Each node that calls a module's function is one call of the module.
        path = graph_scope_function_path(work, node);
        call = path.n ? make_call(p, path, position) : 0;
    } else if (is_open(work, node)) {
        path = owner_of_node(work, node, &parameter);
        if (path.n == 0)
            return 0;
        call = owner_call(p, path, position);
        work->marks[node].source = GRAPH_SCOPE_INITIALIZER;
    } else {
        return 0;
    }
    work->node_call[node] = call;
    return call == ONNX_NONE ? work->err->code : 0;
}

static int by_start(const void *a, const void *b, void *calls)
{
    const struct scope_call *all = calls;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

    if (all[i].start != all[k].start)
        return all[i].start < all[k].start ? -1 : 1;
    return (i > k) - (i < k);
}

static int list_calls(struct placer *p)
{
    struct scope_work *work = p->work;

    p->n_texts = work->n_texts;
    p->n_calls = work->n_calls;
    p->current = arena_array(&work->scratch, work->n_texts, sizeof(*p->current));
    p->by_start = arena_array(&work->scratch, work->n_calls, sizeof(*p->by_start));
    if (!p->current || !p->by_start)
        return arena_error(&work->scratch, "owners of parameters", work->err);
    for (size_t i = 0; i < work->n_texts; i++)
        p->current[i] = ONNX_NONE;
    for (uint32_t c = 0; c < work->n_calls; c++)
        p->by_start[c] = c;
    qsort_r(p->by_start, work->n_calls, sizeof(*p->by_start), by_start, work->calls);
    for (size_t i = work->n_calls; i-- > 0;)
        p->current[work->calls[p->by_start[i]].path] = p->by_start[i];
    return 0;
}

static int place_all(struct placer *p)
{
    const struct scope_work *work = p->work;

    if (list_calls(p) < 0)
        return work->err->code;
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        for (; p->n_begun < p->n_calls && work->calls[p->by_start[p->n_begun]].start <= i;
             p->n_begun++)
            p->current[work->calls[p->by_start[p->n_begun]].path] = p->by_start[p->n_begun];
        if (place(p, work->net->order[i]) < 0)
            return work->err->code;
    }
    return 0;
}

int graph_scope_initializer_place(struct scope_work *work)
{
    struct placer p = {.work = work};
    int failed = place_all(&p);

    graph_pairs_release(&p.made);
    return failed;
}
