#include "graph/qualname.h"
#include "graph/scope_internal.h"

#include <stdlib.h>

#include "base/array.h"

// Names of TorchScript exports since 1.13: "/layer1/layer1.0/relu_1/Relu_2" is scope and operator.
// The last component of the scope carries the number of the call, unless that is the module's real
// name; whose parameters its nodes read decides.

struct path_site {
    bool owns;      // nodes are named directly after it
    bool literal;   // one of them reads a parameter of the module called like the last component,
                    // number included
    bool called;    // one of them reads a parameter of the module called like it without the number
    uint32_t base;  // site without the number, when `called` or nothing speaks against it; else
                    // itself
    uint32_t suffix;  // the number, 0 when base is itself
    uint32_t recent;  // while splitting: base of the node seen last
};

struct scope_path {
    struct map scopes;        // scope as printed -> site
    struct map slashed;       // atoms of module names that hold a slash themselves
    size_t longest_slashed;   // bytes
    struct str previous;      // scope of the last node that had one
    uint32_t previous_site;   // its site, ONNX_NONE = none yet
    struct path_site *sites;  // by site
    size_t cap_sites;
};

static int add_slashed(struct scope_work *work, struct scope_path *p, struct str owner) {
    struct str rest = owner, atom;

    while (str_next(&rest, '.', &atom)) {
        if (str_find(atom, '/') == STR_NPOS) {
            continue;
        }
        if (map_put(&p->slashed, atom, 1, work->err) < 0) {
            return work->err->code;
        }
        if (atom.n > p->longest_slashed) {
            p->longest_slashed = atom.n;
        }
    }
    return 0;
}

int graph_scope_path_new(struct scope_path **out, struct scope_work *work) {
    struct scope_path *p = calloc(1, sizeof(*p));

    if (!p) {
        return error_set(work->err, ERR_NOMEM, "no memory left for scopes");
    }
    *out = p;
    p->previous_site = ONNX_NONE;
    for (size_t i = 0; i < work->net->n_values; i++) {
        if (work->owners[i].n && str_find(work->owners[i], '/') != STR_NPOS &&
            add_slashed(work, p, work->owners[i]) < 0) {
            return work->err->code;
        }
    }
    return 0;
}

void graph_scope_path_free(struct scope_path *p) {
    if (!p) {
        return;
    }
    map_release(&p->scopes);
    map_release(&p->slashed);
    free(p->sites);
    free(p);
}

// ---- the scope in a name

// Optimizers hang the name of what they did behind the name of what they replaced:
// ".../MatMul/MatMulAddFusion/".
static bool is_fusion(struct str last, struct str before) {
    static const char *const words[] = {"Fused", "ConstantFolding", "TransposeOptimizer",
                                        "InsertedPrecisionFreeCast", "_new_reshape"};

    if (str_ends(last, STR("Fusion"))) {
        return true;
    }
    if (before.n == 0 || before.p[0] < 'A' || before.p[0] > 'Z') {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (str_contains(last, str_from(words[i]))) {
            return true;
        }
    }
    return false;
}

static struct str last_part(struct str path) {
    size_t slash = str_rfind(path, '/');

    return str_skip(path, slash == STR_NPOS ? 0 : slash + 1);
}

static struct str without_last_part(struct str path) {
    size_t slash = str_rfind(path, '/');

    return str_sub(path, 0, slash == STR_NPOS ? 0 : slash);
}

static bool scope_of_name(struct str name, struct str *scope) {
    while (name.n > 1 && name.p[name.n - 1] == '/') {
        name.n--;
    }
    if (name.n < 2 || name.p[0] != '/') {
        return false;
    }
    *scope = without_last_part(name);
    while (scope->n && is_fusion(last_part(name), last_part(*scope))) {
        name = *scope;
        *scope = without_last_part(name);
    }
    return true;
}

// "/h.0/attn/Softmax_output_0" and what quantizers and optimizers append to it.
static bool scope_of_value(struct str value, struct str *scope) {
    static const struct str mark = {"_output_", 8};
    size_t end = value.n;

    if (value.n < 2 || value.p[0] != '/') {
        return false;
    }
    while (end >= mark.n && memcmp(value.p + end - mark.n, mark.p, mark.n) != 0) {
        end--;
    }
    if (end < mark.n || end == value.n || value.p[end] < '0' || value.p[end] > '9') {
        return false;
    }
    *scope = without_last_part(str_sub(value, 0, end - mark.n));
    return true;
}

static bool carries_its_input(struct str op) {
    return str_eq(op, STR("QuantizeLinear")) || str_eq(op, STR("DequantizeLinear")) ||
           str_eq(op, STR("Cast"));
}

static bool scope_of_node(const struct onnx_node *node, struct str *scope, uint8_t *source) {
    *source = GRAPH_SCOPE_NAME;
    if (scope_of_name(node->name, scope)) {
        return true;
    }
    *source = GRAPH_SCOPE_OUTPUT;
    for (size_t i = 0; i < node->n_outputs; i++) {
        if (scope_of_value(node->outputs[i], scope)) {
            return true;
        }
    }
    if (!carries_its_input(node->op)) {
        return false;
    }
    for (size_t i = 0; i < node->n_inputs; i++) {
        if (scope_of_value(node->inputs[i], scope)) {
            return true;
        }
    }
    return false;
}

// ---- sites

// Takes the next component off *rest. A module's name may hold a slash: then it is longer than up
// to the next one.
static struct str take_component(const struct scope_path *p, struct str *rest) {
    struct str whole = *rest, part;

    if (!str_next(rest, '/', &part) || p->slashed.n == 0) {
        return part;
    }
    for (size_t end = part.n; end < whole.n && end < p->longest_slashed;) {
        size_t next = str_find(str_skip(whole, end + 1), '/');

        end = next == STR_NPOS ? whole.n : end + 1 + next;
        if (map_get(&p->slashed, str_sub(whole, 0, end)) != MAP_NONE) {
            *rest = str_skip(whole, end + 1);
            return str_sub(whole, 0, end);
        }
    }
    return part;
}

static int walk_scope(struct scope_work *work, struct scope_path *p, struct str scope,
                      uint32_t *site) {
    struct str rest = scope;

    *site = 0;
    while (rest.n) {
        struct str component = take_component(p, &rest);
        uint32_t parent = *site, text;

        if (component.n == 0) {
            continue;
        }
        text = component.n > SCOPE_MAX_NAME ? ONNX_NONE : graph_scope_text(work, component);
        if (text == ONNX_NONE) {
            return component.n > SCOPE_MAX_NAME ? 0 : work->err->code;
        }
        *site = graph_scope_site(work, parent, text, false);
        if (*site == ONNX_NONE) {
            return work->err->code;
        }
        if (*site == parent) {
            break;
        }
    }
    return 0;
}

int graph_scope_path_mark(struct scope_work *work, struct scope_path *p, uint32_t node) {
    struct str scope = {NULL, 0};
    uint32_t site;
    uint8_t source;

    if (!scope_of_node(work->net->nodes[node].proto, &scope, &source)) {
        return 0;
    }
    // Neighbours mostly have the same scope.
    if (p->previous_site == ONNX_NONE || !str_eq(scope, p->previous)) {
        site = map_get(&p->scopes, scope);
        if (site == MAP_NONE) {
            if (walk_scope(work, p, scope, &site) < 0 ||
                map_put(&p->scopes, scope, site, work->err) < 0) {
                return work->err->code;
            }
        }
        p->previous = scope;
        p->previous_site = site;
    }
    site = p->previous_site;
    work->marks[node] = (struct scope_mark){.site = site, .source = source};
    return 1;
}

// ---- what the number at the end of a component is

static bool is_path_mark(const struct scope_mark *mark) {
    return scope_mark_is_printed(mark) && !mark->literal;
}

// Whether the node reads a parameter of a module whose scope is printed as `component`.
static bool reads_owner(const struct scope_work *work, uint32_t node, struct str component) {
    const struct graph_net_node *n = &work->net->nodes[node];

    for (uint32_t i = 0; i < n->n_inputs; i++) {
        struct str owner;

        if (n->inputs[i] == ONNX_NONE) {
            continue;
        }
        owner = work->owners[n->inputs[i]];
        if (owner.n && str_eq(graph_qualname_tail(owner), component)) {
            return true;
        }
    }
    return false;
}

static void note_owners(const struct scope_work *work, struct scope_path *p, uint32_t node) {
    uint32_t site = work->marks[node].site;
    struct path_site *info = &p->sites[site];
    struct str component = graph_scope_site_text(work, site), base;
    uint32_t number;

    info->owns = true;
    if (site == 0 || !graph_qualname_split_number(component, &base, &number)) {
        return;
    }
    info->literal = info->literal || reads_owner(work, node, component);
    info->called = info->called || reads_owner(work, node, base);
}

// Sets base and suffix of a site with nodes of its own. Scopes inside a path are printed without
// number, so a site with children is literal; "X_2" without any "X" is, too.
static int settle(struct scope_work *work, struct scope_path *p, uint32_t site) {
    struct str component = graph_scope_site_text(work, site), base;
    uint32_t parent = work->sites[site].parent, number, text, other;

    p->sites[site].base = site;
    if (!graph_qualname_split_number(component, &base, &number)) {
        return 0;
    }
    text = map_get(&work->text_ids, base);
    other = text == MAP_NONE ? ONNX_NONE : graph_scope_find_site(work, parent, text, false);
    if (!p->sites[site].called &&
        (p->sites[site].literal || work->sites[site].has_child || other == ONNX_NONE)) {
        return 0;
    }
    if (other == ONNX_NONE) {
        text = graph_scope_text(work, base);
        other = text == ONNX_NONE ? ONNX_NONE : graph_scope_site(work, parent, text, false);
        if (other == ONNX_NONE) {
            return work->err->code;
        }
    }
    p->sites[site].base = other;
    p->sites[site].suffix = number;
    return 0;
}

// Two modules printed alike: "lin_1" and the second call of "lin". Their nodes part by the
// parameters they read; a node that reads none goes with the next one of its scope that does, which
// it feeds.
static void split(struct scope_work *work, struct scope_path *p, uint32_t node) {
    struct scope_mark *mark = &work->marks[node];
    struct path_site *info = &p->sites[mark->site];
    struct str component = graph_scope_site_text(work, mark->site);

    if (reads_owner(work, node, component)) {
        info->recent = mark->site;
    } else if (reads_owner(work, node, graph_scope_site_text(work, info->base))) {
        info->recent = info->base;
    }
    mark->suffix = info->recent == mark->site ? 0 : info->suffix;
    mark->site = info->recent;
}

static void apply(struct scope_work *work, struct scope_path *p, uint32_t node) {
    struct scope_mark *mark = &work->marks[node];
    const struct path_site *info = &p->sites[mark->site];

    if (info->called && info->literal) {
        split(work, p, node);
        return;
    }
    mark->suffix = info->suffix;
    mark->site = info->base;
}

int graph_scope_path_resolve(struct scope_work *work, struct scope_path *p) {
    size_t n_sites = work->n_sites, n_nodes = work->net->n_nodes;

    if (array_grow(&p->sites, &p->cap_sites, n_sites, sizeof(*p->sites), SCOPE_MAX_SITES, "scopes",
                   work->err) < 0) {
        return work->err->code;
    }
    for (uint32_t i = 0; i < n_nodes; i++) {
        if (is_path_mark(&work->marks[i])) {
            note_owners(work, p, i);
        }
    }
    for (uint32_t s = 0; s < n_sites; s++) {
        if (p->sites[s].owns && settle(work, p, s) < 0) {
            return work->err->code;
        }
        p->sites[s].recent = p->sites[s].base;
    }
    for (size_t i = n_nodes; i-- > 0;) {
        uint32_t node = work->net->order[i];

        if (is_path_mark(&work->marks[node])) {
            apply(work, p, node);
        }
    }
    return 0;
}
