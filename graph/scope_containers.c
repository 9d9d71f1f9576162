#include "base/num.h"
#include "graph/scope_internal.h"

// Which prefixes of parameter names are modules that are called. "layers.0.norm.weight" tells of a
// norm; whether `layers` is a Sequential or a ModuleList, and `layers.0` a block or a ModuleDict,
// nothing in the file tells for certain. A container that is left out is no wrong module, one that
// is made up would be.

struct prefix {
    uint32_t n_children, n_numbers;  // numbers: children that are called 0, 1, 2, ...
    uint32_t largest;
    uint32_t n_composite;  // children that have composite children with a name
    uint32_t n_named;      // children that have children with a name
    uint32_t n_modules;    // children, those of uncalled children in their place
    bool owner;            // has parameters itself
    bool named_child;
    bool named_composite;  // has a child with a name that has children
    bool gemm;             // a Gemm below it has kept the name of its weight
};

// Names that lists of blocks go by, and dicts of modules that stand beside each other.
static const char *const list_names[] = {"blocks", "cells", "decoders", "encoders", "experts",
                                         "h",      "heads", "layer",    "layers",   "stages"};
static const char *const dict_names[] = {"branches", "experts", "heads"};

static bool number_of(struct str atom, uint32_t *number) {
    uint64_t value;

    if (!num_parse_u64(atom, &value) || value > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

static struct str atom_of(const struct scope_work *work, uint32_t site) {
    struct str around;

    if (site == 0) {
        return STR("");
    }
    around = graph_scope_site_text(work, work->sites[site].parent);
    return str_skip(graph_scope_site_text(work, site), around.n ? around.n + 1 : 0);
}

static bool is_one_of(struct str atom, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (str_eq_z(atom, names[i])) {
            return true;
        }
    }
    return false;
}

// Lists hold whole blocks, numbered without gaps, while the layers of a Sequential are simple or
// have parameterless ones between them.
static bool is_list(const struct scope_work *work, const struct prefix *p, uint32_t site) {
    if (p->owner || p->n_children < 2) {
        return false;
    }
    if (p->n_numbers == 0) {
        return p->n_named == 0 && is_one_of(atom_of(work, site), dict_names, ARRAY_LEN(dict_names));
    }
    if (p->n_numbers != p->n_children || p->largest != p->n_children - 1) {
        return false;
    }
    return p->n_composite == p->n_children ||
           (p->n_named == p->n_children &&
            is_one_of(atom_of(work, site), list_names, ARRAY_LEN(list_names)));
}

// minGPT and nanoGPT keep what they are made of in a ModuleDict. GPT2Model of transformers has the
// same names, but its layers multiply with a matrix that keeps its name.
static bool is_gpt_dict(const struct scope_work *work, const struct prefix *p, uint32_t site) {
    static const char *const children[] = {"wte", "h", "ln_f"};
    struct str path = graph_scope_site_text(work, site);

    if (p->owner || p->gemm || !str_eq(atom_of(work, site), STR("transformer"))) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(children); i++) {
        char name[SCOPE_MAX_NAME + 8];
        uint32_t text;

        memcpy(name, path.p, path.n);
        name[path.n] = '.';
        memcpy(name + path.n + 1, children[i], strlen(children[i]));
        text = map_get(&work->text_ids, (struct str){name, path.n + 1 + strlen(children[i])});
        if (text == MAP_NONE || graph_scope_find_site(work, site, text, true) == GRAPH_PAIRS_NONE) {
            return false;
        }
    }
    return true;
}

// An element of a list may be a dict; with one layer known in it, that is as likely as a block.
static bool is_lonely(const struct scope_work *work, const struct prefix *p, uint32_t site) {
    struct str around = atom_of(work, work->sites[site].parent);
    uint32_t number;

    return p->n_modules == 1 && p->named_child && !p->named_composite &&
           number_of(atom_of(work, site), &number) &&
           is_one_of(around, list_names, ARRAY_LEN(list_names));
}

static bool is_called(const struct scope_work *work, const struct prefix *p, uint32_t site) {
    return p->owner ||
           (!is_list(work, p, site) && !is_gpt_dict(work, p, site) && !is_lonely(work, p, site));
}

static void describe(const struct scope_work *work, struct prefix *prefixes, uint32_t site) {
    struct prefix *own = &prefixes[site], *around = &prefixes[work->sites[site].parent];
    uint32_t number;

    around->n_children++;
    around->n_composite += own->named_composite;
    around->n_named += own->named_child;
    around->gemm = around->gemm || own->gemm;
    around->n_modules += is_called(work, own, site) ? 1 : own->n_modules;
    if (number_of(atom_of(work, site), &number)) {
        around->n_numbers++;
        around->largest = number > around->largest ? number : around->largest;
        return;
    }
    around->named_child = true;
    around->named_composite = around->named_composite || work->sites[site].has_child;
}

static bool is_gemm(const struct scope_work *work, uint32_t node) {
    const struct graph_net_node *n = &work->net->nodes[node];

    return str_eq(n->proto->op, STR("Gemm")) && n->n_inputs > 1 && n->inputs[1] != ONNX_NONE &&
           work->owners[n->inputs[1]].n > 0;
}

int graph_scope_containers(struct scope_work *work, const struct scope_owned *owned,
                           uint32_t *called) {
    size_t n_sites = work->n_sites;
    struct prefix *prefixes = arena_array(&work->scratch, n_sites, sizeof(*prefixes));

    if (!prefixes) {
        return arena_error(&work->scratch, "owners of parameters", work->err);
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t site = owned[i].site;

        if (site == ONNX_NONE) {
            continue;
        }
        prefixes[site].owner = true;
        prefixes[site].gemm = prefixes[site].gemm || is_gemm(work, i);
    }
    // Children come after their parents in the table of sites.
    for (size_t s = n_sites; s-- > 1;) {
        describe(work, prefixes, (uint32_t)s);
    }
    for (uint32_t s = 1; s < n_sites; s++) {
        uint32_t around = called[work->sites[s].parent];

        called[s] = around;
        if (!is_called(work, &prefixes[s], s)) {
            continue;
        }
        called[s] = graph_scope_site(work, around, work->sites[s].text, true);
        if (called[s] == ONNX_NONE) {
            return work->err->code;
        }
    }
    return 0;
}
