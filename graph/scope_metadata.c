#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Dialect T (torch.onnx, dynamo=True) prints qualified names and ends with the step of the traced
// program; dialect S (onnxscript builders) prints the pieces that are to be joined, and ends with a
// module.
struct dialect {
    const char *names, *classes;
    bool relative;
};

static const struct dialect dialects[] = {
    {"pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy", false},
    {"pkg.onnxscript.name_scopes", "pkg.onnxscript.class_hierarchy", true},
};

// What the exporter writes as root for steps without a module stack.
#define PSEUDO_ROOT "_empty_nn_module_stack_from_metadata_hook"

void graph_scope_metadata_init(struct scope_metadata *m) {
    *m = (struct scope_metadata){.previous_site = ONNX_NONE};
    graph_pylist_init(&m->scopes);
    graph_pylist_init(&m->classes);
}

void graph_scope_metadata_release(struct scope_metadata *m) {
    graph_pylist_release(&m->scopes);
    graph_pylist_release(&m->classes);
}

// Adds one module to the path; the site of the parent comes back when the name is too long or the
// path too deep.
static int descend(struct scope_work *work, uint32_t *site, struct str name) {
    uint32_t text;

    if (name.n > SCOPE_MAX_NAME) {
        return 0;
    }
    text = graph_scope_text(work, name);
    if (text == ONNX_NONE) {
        return work->err->code;
    }
    *site = graph_scope_site(work, *site, text, true);
    return *site == ONNX_NONE ? work->err->code : 0;
}

static void set_class(struct scope_work *work, uint32_t site, struct str class_name) {
    struct scope_text *text = &work->texts[work->sites[site].text];

    if (text->class_name.n == 0) {
        text->class_name = class_name;
        text->class_source = GRAPH_CLASS_METADATA;
    }
}

// An item with escapes lives in the parser only until the next list.
static struct str keep(struct scope_work *work, const struct graph_pylist *l, struct str item) {
    const char *from = (const char *)l->text.p;

    if (l->text.n && item.p >= from && item.p < from + l->text.n) {
        return arena_str(work->arena, item);
    }
    return item;
}

static int walk_names(struct scope_work *work, struct scope_metadata *m, bool relative,
                      size_t n_path, uint32_t *site) {
    bool classes = m->classes.n == m->scopes.n;

    *site = 0;
    if (classes) {
        set_class(work, 0, keep(work, &m->classes, m->classes.items[0]));
    }
    for (size_t i = 1; i <= n_path; i++) {
        struct str name = keep(work, &m->scopes, m->scopes.items[i]);
        uint32_t parent = *site;

        if (name.n == 0) {
            continue;
        }
        if (graph_scope_names_full(work)) {
            break;
        }
        if (relative) {
            name = graph_qualname_append(work->arena, graph_scope_site_text(work, *site), name);
        }
        if (name.n == 0) {
            return arena_error(work->arena, "a module's name", work->err);
        }
        if (descend(work, site, name) < 0) {
            return work->err->code;
        }
        if (*site == parent) {
            break;
        }
        if (classes) {
            set_class(work, *site, keep(work, &m->classes, m->classes.items[i]));
        }
    }
    return 0;
}

// Part of a printed list from its last item on; enough to compare, no need to unescape it.
static struct str tail_item(struct str list) {
    for (size_t i = list.n; i > 1; i--) {
        if (list.p[i - 1] == ' ' && list.p[i - 2] == ',') {
            return str_skip(list, i);
        }
    }
    return list;
}

static int mark_lists(struct scope_work *work, struct scope_metadata *m, struct scope_mark *mark,
                      struct str names, struct str classes, bool relative) {
    struct str head;
    size_t n_path;
    bool ok;

    if (graph_pylist_parse(&m->scopes, names, &ok, work->err) < 0) {
        return work->err->code;
    }
    if (!ok || m->scopes.n < (relative ? 1 : 2) || str_eq(m->scopes.items[0], STR(PSEUDO_ROOT))) {
        return 0;
    }
    n_path = m->scopes.n - (relative ? 1 : 2);
    head = relative ? names : str_sub(names, 0, m->scopes.last);
    // Neighbours mostly sit in the same module: the same text again needs no look-up.
    if (m->previous_site == ONNX_NONE || !str_eq(head, m->previous)) {
        if (graph_pylist_parse(&m->classes, classes, &ok, work->err) < 0) {
            return work->err->code;
        }
        if (!ok) {
            m->classes.n = 0;
        }
        if (walk_names(work, m, relative, n_path, &m->previous_site) < 0) {
            return work->err->code;
        }
        m->previous = head;
    }
    *mark = (struct scope_mark){.site = m->previous_site,
                                .key = tail_item(classes),
                                .step = tail_item(names),
                                .source = GRAPH_SCOPE_METADATA};
    return 1;
}

// ": Net/layers: Sequential/layers.fc0: Linear/linear: aten.linear.default". Ambiguous when a name
// holds a slash, so only for nodes that lack the lists.
static int mark_namespace(struct scope_work *work, struct scope_mark *mark, struct str text) {
    struct str rest = text, part, next;
    uint32_t site = 0;
    size_t level = 0;
    bool more = str_next(&rest, '/', &part);

    if (!more || !str_starts(part, STR(": "))) {
        return 0;
    }
    while (str_next(&rest, '/', &next)) {
        size_t colon = str_find(part, ':');
        uint32_t parent = site;

        if (colon == STR_NPOS) {
            return 0;
        }
        if (level++ > 0 && colon > 0 && descend(work, &site, str_sub(part, 0, colon)) < 0) {
            return work->err->code;
        }
        if (level == 1 || site != parent) {
            set_class(work, site, str_trim(str_skip(part, colon + 1)));
        }
        part = next;
    }
    *mark = (struct scope_mark){.site = site,
                                .key = str_skip(part, str_find(part, ':')),
                                .step = part,
                                .source = GRAPH_SCOPE_METADATA};
    return level > 0;
}

int graph_scope_metadata_mark(struct scope_work *work, struct scope_metadata *m, uint32_t node) {
    struct onnx_props props = work->net->nodes[node].proto->metadata;
    struct str space;

    if (props.n == 0) {
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
        struct str names = onnx_props_get(props, dialects[i].names);

        if (names.n) {
            return mark_lists(work, m, &work->marks[node], names,
                              onnx_props_get(props, dialects[i].classes), dialects[i].relative);
        }
    }
    space = onnx_props_get(props, "namespace");
    return space.n ? mark_namespace(work, &work->marks[node], space) : 0;
}

// The site of module `owner` under the deepest known site around `site` that it lies in.
static uint32_t owner_site(struct scope_work *work, uint32_t site, struct str owner) {
    size_t from;

    do {
        site = work->sites[site].parent;
    } while (site != 0 && !graph_qualname_below(owner, graph_scope_site_text(work, site)));
    for (from = graph_scope_site_text(work, site).n + 1; from < owner.n; from++) {
        uint32_t text, child;

        if (owner.p[from] != '.') {
            continue;
        }
        text = map_get(&work->text_ids, str_sub(owner, 0, from));
        child = text == MAP_NONE ? ONNX_NONE : graph_scope_find_site(work, site, text, true);
        if (child != ONNX_NONE) {
            site = child;
        }
    }
    return descend(work, &site, owner) < 0 ? ONNX_NONE : site;
}

// The exporter fuses Conv + BatchNorm since 2.9 and gives what is left the BatchNorm's place. The
// weight tells whose it is.
static bool is_fused_norm(const struct scope_work *work, uint32_t node, struct str *owner) {
    const struct graph_net_node *n = &work->net->nodes[node];
    uint32_t site = work->marks[node].site;
    struct str op = n->proto->op;

    if (site == ONNX_NONE || site == 0 || work->marks[node].source != GRAPH_SCOPE_METADATA ||
        n->n_inputs < 2 || n->inputs[1] == ONNX_NONE) {
        return false;
    }
    if (!str_eq(op, STR("Conv")) && !str_eq(op, STR("ConvTranspose")) && !str_eq(op, STR("Gemm"))) {
        return false;
    }
    *owner = work->owners[n->inputs[1]];
    return str_contains(work->texts[work->sites[site].text].class_name, STR("BatchNorm")) &&
           owner->n && !str_eq(*owner, graph_scope_site_text(work, site));
}

int graph_scope_metadata_correct(struct scope_work *work) {
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        struct str owner;

        if (!is_fused_norm(work, i, &owner)) {
            continue;
        }
        work->marks[i].site = owner_site(work, work->marks[i].site, owner);
        if (work->marks[i].site == ONNX_NONE) {
            return work->err->code;
        }
    }
    return 0;
}
