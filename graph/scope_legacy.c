#include <stdlib.h>

#include "graph/qualname.h"
#include "graph/scope_internal.h"

// Files by torch.onnx.dynamo_export (2.1 to 2.6) whose functions were inlined: what a module
// returns is still called after it, "block_norm_2" for the second call of block.norm,
// "getattr_l__self___layer1___0___conv1_1" for layer1.0.conv1. Which underscores are dots, the
// names of the parameters tell.

#define GETATTR "getattr_l__self___"

struct scope_legacy {
    struct map owners;  // name as it is printed -> text of the module, MAP_NONE - 1 = several
    struct arena arena;
};

#define SEVERAL (MAP_NONE - 1)

// Small letters, dots as underscores; {NULL, 0} without memory.
static struct str printed(struct scope_legacy *l, struct str name) {
    char *p = arena_alloc(&l->arena, name.n);

    for (size_t i = 0; p && i < name.n; i++) {
        char c = name.p[i] == '.' ? '_' : name.p[i];

        p[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return (struct str){p, p ? name.n : 0};
}

static int add_module(struct scope_work *work, struct scope_legacy *l, struct str name) {
    struct str key = printed(l, name);
    uint32_t text, found;

    // Past the room for names this evidence is missing, and no more.
    if (!key.p) {
        return 0;
    }
    text = graph_scope_text(work, name);
    if (text == ONNX_NONE) {
        return work->err->code;
    }
    if (map_put_new(&l->owners, key, text, &found, work->err) < 0) {
        return work->err->code;
    }
    return found == text ? 0 : map_put(&l->owners, key, SEVERAL, work->err);
}

// An owner and all modules around it.
static int add_owner(struct scope_work *work, struct scope_legacy *l, struct str owner) {
    for (; owner.n; owner = graph_qualname_owner(owner)) {
        bool known = map_get(&work->text_ids, owner) != MAP_NONE;

        if (add_module(work, l, owner) < 0) {
            return work->err->code;
        }
        if (known) {
            return 0;
        }
    }
    return 0;
}

int graph_scope_legacy_new(struct scope_legacy **out, struct scope_work *work) {
    struct scope_legacy *l = calloc(1, sizeof(*l));

    if (!l) {
        return error_set(work->err, ERR_NOMEM, "no memory left for names");
    }
    *out = l;
    arena_init(&l->arena, SCOPE_MAX_NAME_BYTES);
    for (size_t i = 0; i < work->net->n_values; i++) {
        if (work->owners[i].n && add_owner(work, l, work->owners[i]) < 0) {
            return work->err->code;
        }
    }
    return 0;
}

void graph_scope_legacy_free(struct scope_legacy *l) {
    if (!l) {
        return;
    }
    map_release(&l->owners);
    arena_release(&l->arena);
    free(l);
}

// "layer1___0___conv1" -> "layer1_0_conv1"; `out` has room for the name.
static struct str join_atoms(struct str name, char *out) {
    size_t n = 0;

    for (size_t i = 0; i < name.n; i++) {
        if (str_starts(str_skip(name, i), STR("___"))) {
            i += 2;
        }
        out[n++] = name.p[i];
    }
    return (struct str){out, n};
}

struct str graph_scope_legacy_module(const struct scope_work *work, const struct scope_legacy *l,
                                     uint32_t node) {
    const struct onnx_node *proto = work->net->nodes[node].proto;
    char joined[SCOPE_MAX_NAME];
    uint32_t number, text;
    struct str name;

    if (l->owners.n == 0 || proto->n_outputs == 0 || proto->outputs[0].n > sizeof(joined) ||
        !graph_qualname_split_number(proto->outputs[0], &name, &number)) {
        return (struct str){NULL, 0};
    }
    if (str_starts(name, STR(GETATTR))) {
        name = join_atoms(str_skip(name, sizeof(GETATTR) - 1), joined);
    }
    text = map_get(&l->owners, name);
    return text == MAP_NONE || text == SEVERAL ? (struct str){NULL, 0} : work->texts[text].s;
}
