#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Nodes without metadata and scope, in files without any: whoever reads parameters of a module
// mostly belongs to it. The weakest of the styles, and the only one for exports by torch before
// 1.13.

static uint32_t site_of_owner(struct scope_work *work, struct str owner) {
    uint32_t site = 0;

    for (size_t from = 0; from < owner.n;) {
        size_t dot = str_find(str_skip(owner, from), '.');
        size_t end = dot == STR_NPOS ? owner.n : from + dot;
        uint32_t text = graph_scope_text(work, str_sub(owner, 0, end)), parent = site;

        site = text == ONNX_NONE ? ONNX_NONE : graph_scope_site(work, parent, text, true);
        if (site == ONNX_NONE || site == parent) {
            break;
        }
        from = end + 1;
    }
    return site;
}

// MultiheadAttention hands the parameters of its out_proj to a function instead of calling it.
static int find_attentions(const struct scope_work *work, struct map *attentions) {
    for (size_t i = 0; i < work->net->n_values; i++) {
        struct str name = work->net->values[i].name;

        if (work->owners[i].n &&
            (str_ends(name, STR(".in_proj_bias")) || str_ends(name, STR(".in_proj_weight"))) &&
            map_put(attentions, work->owners[i], 1, work->err) < 0) {
            return work->err->code;
        }
    }
    return 0;
}

static struct str caller_of(const struct map *attentions, struct str owner) {
    struct str around = graph_qualname_owner(owner);

    if (!str_ends(owner, STR(".out_proj")) || map_get(attentions, around) == MAP_NONE) {
        return owner;
    }
    return around;
}

// What a file of this kind tells modules by.
struct evidence {
    struct map attentions;  // attentions that hand their parameters to a function
    struct scope_legacy *legacy;
};

// A module that only its result is called after: the last operator of a composite.
static int find_result(struct scope_work *work, const struct evidence *e, struct scope_owned *owned,
                       uint32_t node) {
    struct str module = graph_scope_legacy_module(work, e->legacy, node);

    if (module.n == 0) {
        return 0;
    }
    *owned = (struct scope_owned){.site = site_of_owner(work, module),
                                  .key = module,
                                  .composite = true,
                                  .source = GRAPH_SCOPE_OUTPUT};
    return owned->site == ONNX_NONE ? work->err->code : 0;
}

static int find_owners(struct scope_work *work, struct scope_owned *owned,
                       const struct evidence *e) {
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        struct str owner = {NULL, 0};
        uint32_t parameter = 0;

        owned[i] = (struct scope_owned){.site = ONNX_NONE, .source = GRAPH_SCOPE_INITIALIZER};
        if (!graph_scope_is_open(work, i)) {
            continue;
        }
        owner = graph_scope_owner_of_node(work, i, &parameter);
        if (owner.n == 0) {
            if (find_result(work, e, &owned[i], i) < 0) {
                return work->err->code;
            }
            continue;
        }
        owner = caller_of(&e->attentions, owner);
        owned[i].composite = map_get(&e->attentions, owner) != MAP_NONE;
        owned[i].site = site_of_owner(work, owner);
        if (owned[i].site == ONNX_NONE) {
            return work->err->code;
        }
        owned[i].key = work->net->values[parameter].name;
    }
    return 0;
}

static void mark(struct scope_work *work, const struct scope_owned *owned, const uint32_t *called,
                 uint32_t node) {
    const struct onnx_node *proto = work->net->nodes[node].proto;

    if (owned[node].site == ONNX_NONE) {
        return;
    }
    // A parameter that is read again means that its module is called again.
    work->marks[node] = (struct scope_mark){
        .site = called[owned[node].site],
        .key = owned[node].key,
        .step = proto->n_outputs ? proto->outputs[0] : proto->name,
        .layer = owned[node].layer && !owned[node].composite,
        .closes = owned[node].closes,
        .owned = true,
        .source = owned[node].source,
    };
    work->unscoped = true;
}

static int mark_owners(struct scope_work *work, const struct evidence *e) {
    size_t n = work->net->n_nodes;
    struct scope_owned *owned = arena_array(&work->scratch, n, sizeof(*owned));
    uint32_t *called;

    if (!owned) {
        return arena_error(&work->scratch, "owners of parameters", work->err);
    }
    if (find_owners(work, owned, e) < 0) {
        return work->err->code;
    }
    called = arena_array(&work->scratch, work->n_sites, sizeof(*called));
    if (!called) {
        return arena_error(&work->scratch, "owners of parameters", work->err);
    }
    if (graph_scope_containers(work, owned, called) < 0) {
        return work->err->code;
    }
    graph_scope_layers(work, owned);
    for (uint32_t i = 0; i < n; i++) {
        mark(work, owned, called, i);
    }
    return 0;
}

int graph_scope_initializer_mark(struct scope_work *work) {
    struct evidence e = {.legacy = NULL};
    int failed;

    for (size_t i = 0; i < work->net->n_nodes; i++) {
        if (work->marks[i].site != ONNX_NONE) {
            return 0;
        }
    }
    failed = find_attentions(work, &e.attentions);
    if (!failed) {
        failed = graph_scope_legacy_new(&e.legacy, work);
    }
    if (!failed) {
        failed = mark_owners(work, &e);
    }
    graph_scope_legacy_free(e.legacy);
    map_release(&e.attentions);
    return failed;
}
