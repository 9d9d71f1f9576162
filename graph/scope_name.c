#include <stdlib.h>

#include "base/num.h"
#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Qualified names of calls that come from node names. A scope prints only the tail of a module's
// name and no container that is never called. The parameters that a module reads have its full
// name: it fits the module itself and, level by level, the modules around it.

struct evidence {
    struct str name;  // "" = none
    uint32_t votes;   // majority vote over everything read below the call
};

struct namer {
    struct scope_work *work;
    struct evidence *calls;  // per call
    struct str *foreign;     // per call: owner of a parameter it reads that does not fit, "" = none
    struct str *sites;       // per site: name that all its calls with evidence agree on
    bool *disagree;          // per site
    struct str *offset;  // per call: uncalled containers between parent and module, {NULL, 0} = not
                         // known
    uint32_t *weight;    // per call: first parameter tensor that is read in it, ONNX_NONE = none
    uint32_t *turn;      // per call: how many calls of its site its parent made before
    uint32_t *recent;    // per site: call seen last
    struct str *runs;    // of the children that are being named
    size_t n_runs;
    bool *differ;  // per site: calls by one parent read different weights, so they are different
                   // modules
    uint32_t *first_child;  // n_calls + 1 offsets into children
    uint32_t *children;     // calls, by start
};

static bool is_component(const struct scope_work *work, uint32_t call) {
    return call != 0 && !work->sites[work->calls[call].site].exact;
}

static void vote(struct evidence *e, struct str name) {
    if (e->votes == 0) {
        *e = (struct evidence){name, 1};
    } else if (str_eq(e->name, name)) {
        e->votes++;
    } else {
        e->votes--;
    }
}

// The module that is shown as `component`, from the owner of a parameter read there: the owner
// itself; for a bare number, which a scripted model prints for an element of a list with all that
// it calls, the element.
static struct str own_name(struct str owner, struct str component) {
    uint64_t number;

    if (str_eq(graph_qualname_tail(owner), component)) {
        return owner;
    }
    return num_parse_u64(component, &number) ? graph_qualname_prefix_with_tail(owner, component)
                                             : (struct str){NULL, 0};
}

// Names of a call and of everything around it, from the owner of a parameter it reads. All levels
// must fit, or the parameter is another module's (tied, or merged with one of equal content).
static void climb(struct namer *n, uint32_t call, struct str owner) {
    struct scope_work *work = n->work;
    struct str names[SCOPE_MAX_LEVELS + 1], name;
    size_t levels = 0;

    name = own_name(owner, graph_scope_site_text(work, work->calls[call].site));
    if (name.n == 0) {
        return;
    }
    for (uint32_t c = call; is_component(work, c) && levels < SCOPE_MAX_LEVELS;
         c = work->calls[c].parent) {
        if (levels > 0) {
            name =
                graph_qualname_prefix_with_tail(name,
                                                graph_scope_site_text(work, work->calls[c].site));
        }
        if (name.n == 0) {
            return;
        }
        names[levels++] = name;
    }
    for (size_t i = 0; i < levels; i++, call = work->calls[call].parent) {
        vote(&n->calls[call], names[i]);
    }
}

// Vectors of equal content (all ones, all zeros) are merged, mostly among modules of one kind; a
// matrix of another module is tied.
static void note_foreign(struct namer *n, uint32_t call, uint32_t value) {
    const struct scope_work *work = n->work;
    const struct graph_value *root = &work->net->values[work->plumbing->root[value]];
    struct str owner = work->owners[value];

    if (root->kind == GRAPH_VALUE_INITIALIZER && root->tensor && root->tensor->n_dims == 1 &&
        !str_eq(graph_qualname_tail(owner), graph_scope_site_text(work, work->calls[call].site))) {
        n->foreign[call] = owner;
    }
}

static void gather(struct namer *n) {
    const struct scope_work *work = n->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        const struct graph_net_node *node = &work->net->nodes[i];
        uint32_t call = work->node_call[i];

        if (call == ONNX_NONE || !is_component(work, call)) {
            continue;
        }
        for (uint32_t k = 0; k < node->n_inputs; k++) {
            uint32_t v = node->inputs[k];

            if (v == ONNX_NONE || work->owners[v].n == 0) {
                continue;
            }
            climb(n, call, work->owners[v]);
            note_foreign(n, call, v);
        }
    }
}

static void agree(struct namer *n) {
    const struct scope_work *work = n->work;

    for (uint32_t c = 1; c < work->n_calls; c++) {
        uint32_t site = work->calls[c].site;
        struct str name = n->calls[c].name;

        if (n->calls[c].votes == 0 || n->disagree[site]) {
            continue;
        }
        if (n->sites[site].n == 0) {
            n->sites[site] = name;
        }
        n->disagree[site] = !str_eq(n->sites[site], name);
    }
}

static int by_start(const void *a, const void *b, void *calls) {
    const struct scope_call *all = calls;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

    if (all[i].start != all[k].start) {
        return all[i].start < all[k].start ? -1 : 1;
    }
    return (i > k) - (i < k);
}

static void list_children(struct namer *n) {
    const struct scope_work *work = n->work;
    size_t n_calls = work->n_calls;

    for (size_t c = 1; c < n_calls; c++) {
        n->first_child[work->calls[c].parent + 1]++;
    }
    for (size_t c = 0; c < n_calls; c++) {
        n->first_child[c + 1] += n->first_child[c];
    }
    for (size_t c = n_calls; c-- > 1;) {
        n->children[--n->first_child[work->calls[c].parent + 1]] = (uint32_t)c;
    }
    // Filling moved every offset one list down.
    for (size_t c = 0; c < n_calls; c++) {
        n->first_child[c] = n->first_child[c + 1];
    }
    n->first_child[n_calls] = (uint32_t)n_calls - 1;
    for (size_t c = 0; c < n_calls; c++) {
        qsort_r(n->children + n->first_child[c], n->first_child[c + 1] - n->first_child[c],
                sizeof(*n->children), by_start, work->calls);
    }
}

// ---- modules in containers that leave no trace (a ModuleDict, a list of lists)

// Different weights prove different modules, even where the scope prints them as calls of one.
static void gather_weights(struct namer *n) {
    const struct scope_work *work = n->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i];
        const struct graph_net_node *net = &work->net->nodes[node];

        for (uint32_t k = 0; k < net->n_inputs; k++) {
            const struct graph_value *root;

            if (net->inputs[k] == ONNX_NONE || work->node_call[node] == ONNX_NONE) {
                continue;
            }
            root = &work->net->values[work->plumbing->root[net->inputs[k]]];
            if (root->kind != GRAPH_VALUE_INITIALIZER || root->tensor->n_dims < 2) {
                continue;
            }
            for (uint32_t c = work->node_call[node]; c != 0 && n->weight[c] == ONNX_NONE;
                 c = work->calls[c].parent) {
                n->weight[c] = work->plumbing->root[net->inputs[k]];
            }
        }
    }
}

static void compare_weights(struct namer *n, uint32_t parent) {
    const struct scope_work *work = n->work;

    for (uint32_t i = n->first_child[parent]; i < n->first_child[parent + 1]; i++) {
        uint32_t c = n->children[i], site = work->calls[c].site, before = n->recent[site];

        n->recent[site] = c;
        if (before == ONNX_NONE || work->calls[before].parent != parent) {
            continue;
        }
        n->turn[c] = n->turn[before] + 1;
        n->differ[site] = n->differ[site] || n->weight[before] != n->weight[c];
    }
}

// What lies between a parent's name and the name of its child, "" when nothing does.
static struct str offset_of(struct str parent, struct str name, struct str component,
                            struct str expected) {
    size_t from = parent.n ? parent.n + 1 : 0;

    if (str_eq(name, expected)) {
        return STR("");
    }
    if (!graph_qualname_below(name, parent) || name.n <= from + component.n + 1 ||
        !str_ends(name, component)) {
        return (struct str){NULL, 0};
    }
    return str_sub(name, from, name.n - from - component.n - 1);
}

// The offsets of a parent's children in order, each run of equal ones once.
static void list_runs(struct namer *n, uint32_t parent) {
    n->n_runs = 0;
    for (uint32_t i = n->first_child[parent]; i < n->first_child[parent + 1]; i++) {
        struct str offset = n->offset[n->children[i]];

        if (offset.n && (n->n_runs == 0 || !str_eq(offset, n->runs[n->n_runs - 1]))) {
            n->runs[n->n_runs++] = offset;
        }
    }
}

// The containers of the k-th call of a site are those of the k-th run, when there are as many runs
// as calls.
static struct str offset_by_turn(const struct namer *n, uint32_t call) {
    uint32_t last = n->recent[n->work->calls[call].site];

    return n->n_runs == n->turn[last] + 1 ? n->runs[n->turn[call]] : (struct str){NULL, 0};
}

// ---- names, from the root down

static int set_name(struct namer *n, uint32_t call, struct str name) {
    struct scope_work *work = n->work;

    if (!name.p) {
        return arena_error(work->arena, "the names of modules", work->err);
    }
    if (name.n > SCOPE_MAX_NAME) {
        work->calls[call].path = work->calls[work->calls[call].parent].path;
        return 0;
    }
    work->calls[call].path = graph_scope_text(work, name);
    return work->calls[call].path == ONNX_NONE ? work->err->code : 0;
}

static struct str path_of(const struct scope_work *work, uint32_t call) {
    return work->texts[work->calls[call].path].s;
}

static int name_with_evidence(struct namer *n, uint32_t parent) {
    struct scope_work *work = n->work;
    struct str around = path_of(work, parent);

    for (uint32_t i = n->first_child[parent]; i < n->first_child[parent + 1]; i++) {
        uint32_t c = n->children[i], site = work->calls[c].site;
        struct str name = n->calls[c].votes ? n->calls[c].name : n->sites[site], component;

        if (!is_component(work, c) || name.n == 0) {
            continue;
        }
        if (n->calls[c].votes == 0 && (n->disagree[site] || !graph_qualname_below(name, around))) {
            continue;
        }
        if (set_name(n, c, name) < 0) {
            return work->err->code;
        }
        component = graph_scope_site_text(work, site);
        n->offset[c] = offset_of(around, name, component,
                                 graph_qualname_join(&work->scratch, around, component));
    }
    return 0;
}

static uint32_t next_known(const struct namer *n, uint32_t i, uint32_t end) {
    while (i < end && !n->offset[n->children[i]].p) {
        i++;
    }
    return i;
}

// Whether `name` lies below container `offset` of module `around`.
static bool lies_in(struct str name, struct str around, struct str offset) {
    return graph_qualname_below(name, around) &&
           graph_qualname_below(str_skip(name, around.n ? around.n + 1 : 0), offset);
}

// The containers around a child that nothing names: those of the children before and behind it,
// when they agree. Behind the last one that is known, a parameter shared with the container's
// modules has to do.
static struct str guess_offset(const struct namer *n, uint32_t parent, uint32_t call,
                               struct str before, struct str behind) {
    const struct scope_work *work = n->work;
    bool agrees = behind.p ? str_eq(before, behind)
                           : lies_in(n->foreign[call], path_of(work, parent), before);

    if (n->differ[work->calls[call].site]) {
        return offset_by_turn(n, call);
    }
    return before.n && agrees ? before : (struct str){NULL, 0};
}

static int name_without_evidence(struct namer *n, uint32_t parent) {
    struct scope_work *work = n->work;
    struct str around = path_of(work, parent), before = {NULL, 0};
    uint32_t end = n->first_child[parent + 1], known = n->first_child[parent];

    list_runs(n, parent);
    for (uint32_t i = n->first_child[parent]; i < end; i++) {
        uint32_t c = n->children[i];
        struct str behind = {NULL, 0}, offset, name = around;

        if (n->offset[c].p) {
            before = n->offset[c];
        }
        if (work->calls[c].path != ONNX_NONE) {
            continue;
        }
        known = next_known(n, known > i ? known : i, end);
        if (known < end) {
            behind = n->offset[n->children[known]];
        }
        if (graph_scope_names_full(work)) {
            work->calls[c].path = work->calls[parent].path;
            continue;
        }
        offset = guess_offset(n, parent, c, before, behind);
        if (offset.n) {
            name = graph_qualname_append(work->arena, around, offset);
        }
        name = graph_qualname_join(work->arena, name,
                                   graph_scope_site_text(work, work->calls[c].site));
        if (set_name(n, c, name) < 0) {
            return work->err->code;
        }
    }
    return 0;
}

static int name_all(struct namer *n) {
    struct scope_work *work = n->work;
    uint32_t *queue = arena_array(&work->scratch, work->n_calls, sizeof(*queue));
    size_t n_queue = 1;

    if (!queue) {
        return arena_error(&work->scratch, "the names of modules", work->err);
    }
    work->calls[0].path = work->sites[0].text;
    queue[0] = 0;
    for (size_t i = 0; i < n_queue; i++) {
        uint32_t parent = queue[i];

        compare_weights(n, parent);
        if (name_with_evidence(n, parent) < 0 || name_without_evidence(n, parent) < 0) {
            return work->err->code;
        }
        for (uint32_t k = n->first_child[parent]; k < n->first_child[parent + 1]; k++) {
            queue[n_queue++] = n->children[k];
        }
    }
    return 0;
}

int graph_scope_name_calls(struct scope_work *work) {
    struct namer n = {.work = work};
    size_t calls = work->n_calls, sites = work->n_sites;
    struct arena *a = &work->scratch;

    n.calls = arena_array(a, calls, sizeof(*n.calls));
    n.foreign = arena_array(a, calls, sizeof(*n.foreign));
    n.offset = arena_array(a, calls, sizeof(*n.offset));
    n.runs = arena_array(a, calls, sizeof(*n.runs));
    n.weight = arena_array(a, calls, sizeof(*n.weight));
    n.turn = arena_array(a, calls, sizeof(*n.turn));
    n.children = arena_array(a, calls, sizeof(*n.children));
    n.first_child = arena_array(a, calls + 1, sizeof(*n.first_child));
    n.sites = arena_array(a, sites, sizeof(*n.sites));
    n.disagree = arena_array(a, sites, sizeof(*n.disagree));
    n.recent = arena_array(a, sites, sizeof(*n.recent));
    n.differ = arena_array(a, sites, sizeof(*n.differ));
    if (!n.calls || !n.foreign || !n.offset || !n.runs || !n.weight || !n.turn || !n.children ||
        !n.first_child || !n.sites || !n.disagree || !n.recent || !n.differ) {
        return arena_error(a, "the names of modules", work->err);
    }
    for (size_t i = 0; i < calls; i++) {
        n.weight[i] = ONNX_NONE;
    }
    for (size_t i = 0; i < sites; i++) {
        n.recent[i] = ONNX_NONE;
    }
    gather(&n);
    agree(&n);
    list_children(&n);
    gather_weights(&n);
    return name_all(&n);
}
