// Names of values in bodies that are written out: none may meet another one's.
#include <stdlib.h>

#include "base/array.h"
#include "graph/expand_internal.h"

#define NAME_PART_MAX 200u  // bytes of a prefix, and of a name behind it
#define NAMES_MAX ((size_t)1 << 24)

void expand_names_init(struct expand_names *names, struct arena *arena, struct error *err) {
    *names = (struct expand_names){.arena = arena, .err = err};
    map_init(&names->taken);
    buf_init(&names->text, (size_t)4 * NAME_PART_MAX);
}

void expand_names_release(struct expand_names *names) {
    for (struct expand_scope *s = names->all; s; s = s->next) {
        map_release(&s->names);
        free(s->entries);
    }
    map_release(&names->taken);
    buf_release(&names->text);
}

static int take(struct expand_names *names, struct str name) {
    uint32_t found;
    return name.n ? map_put_new(&names->taken, name, 1, &found, names->err) : 0;
}

static int take_all(struct expand_names *names, const struct str *items, size_t n) {
    int result = 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        result = take(names, items[i]);
    }
    return result;
}

static int take_graph(struct expand_names *names, const struct onnx_model *model,
                      const struct onnx_graph *graph) {
    int result = 0;
    for (size_t i = 0; i < graph->n_inputs && result == 0; i++) {
        result = take(names, graph->inputs[i].name);
    }
    for (size_t i = 0; i < graph->n_initializers && result == 0; i++) {
        result = take(names, graph->initializers[i].name);
    }
    for (size_t i = 0; i < graph->n_nodes && result == 0; i++) {
        const struct onnx_node *node = &model->nodes[graph->first_node + i];
        result = take_all(names, node->inputs, node->n_inputs);
        if (result == 0) {
            result = take_all(names, node->outputs, node->n_outputs);
        }
    }
    return result;
}

int expand_names_take(struct expand_names *names, const struct onnx_model *model) {
    int result = 0;
    for (size_t g = 0; g < model->n_graphs && result == 0; g++) {
        if (model->graphs[g].function == ONNX_NONE) {
            result = take_graph(names, model, &model->graphs[g]);
        }
    }
    return result;
}

// The start of a text, cut at a character.
static struct str start_of(struct str text) {
    size_t n = text.n < NAME_PART_MAX ? text.n : NAME_PART_MAX;
    while (n < text.n && n > 0 && ((unsigned char)text.p[n] & 0xC0) == 0x80) {
        n--;
    }
    return str_sub(text, 0, n);
}

struct expand_scope *expand_scope_new(struct expand_names *names, struct expand_scope *up,
                                      struct str prefix) {
    struct expand_scope *scope = arena_alloc(names->arena, sizeof(*scope));
    if (!scope) {
        (void)arena_error(names->arena, "functions", names->err);
        return NULL;
    }
    map_init(&scope->names);
    scope->up = up;
    scope->prefix = start_of(prefix);
    scope->next = names->all;
    names->all = scope;
    return scope;
}

int expand_define(struct expand_names *names, struct expand_scope *scope, struct str inner,
                  const struct str *outer) {
    uint32_t index;
    if (inner.n == 0) {
        return 0;
    }
    if (array_grow(&scope->entries, &scope->cap, scope->n + 1, sizeof(*scope->entries), NAMES_MAX,
                   "names in functions", names->err) < 0 ||
        map_put_new(&scope->names, inner, (uint32_t)scope->n, &index, names->err) < 0) {
        return names->err->code;
    }
    if (index == scope->n) {
        scope->entries[scope->n++] =
            (struct expand_name){inner, outer ? *outer : (struct str){NULL, 0}, outer != NULL};
    }
    return 0;
}

bool expand_is_free(const struct expand_scope *scope, struct str inner) {
    uint32_t index = map_get(&scope->names, inner);
    return index != MAP_NONE && !scope->entries[index].known;
}

void expand_set(struct expand_scope *scope, struct str inner, struct str outer) {
    struct expand_name *entry = &scope->entries[map_get(&scope->names, inner)];
    entry->outer = outer;
    entry->known = true;
}

// "PREFIX/NAME", with "#2" and so on behind it when that is taken.
static int make_up(struct expand_names *names, const struct expand_scope *scope, struct str inner,
                   struct str *out) {
    struct buf *text = &names->text;
    struct str base = {NULL, 0};
    uint32_t count = 0;
    buf_reset(text);
    buf_add_str(text, scope->prefix);
    buf_add_char(text, '/');
    buf_add_str(text, start_of(inner));
    size_t n = text->n;
    for (;; count++) {
        if (count) {
            buf_truncate(text, n);
            buf_add_char(text, '#');
            buf_add_u64(text, count);
        }
        uint32_t found = map_get(&names->taken, buf_str(text));
        if (found == MAP_NONE) {
            break;
        }
        // A thousand equal names do not try each number again.
        count = count == 0 ? found : count;
        base = count == found && base.n == 0 ? arena_str(names->arena, buf_str(text)) : base;
    }
    *out = arena_str(names->arena, buf_str(text));
    if (!out->p) {
        return arena_error(names->arena, "functions", names->err);
    }
    int result = map_put(&names->taken, *out, 1, names->err);
    return result == 0 && base.n ? map_put(&names->taken, base, count, names->err) : result;
}

int expand_resolve(struct expand_names *names, struct expand_scope *scope, struct str inner,
                   struct str *outer) {
    struct expand_scope *s = scope;
    uint32_t index = MAP_NONE;
    *outer = STR("");
    if (inner.n == 0) {
        return 0;
    }
    for (;; s = s->up) {
        index = map_get(&s->names, inner);
        if (index != MAP_NONE || !s->up) {
            break;
        }
    }
    if (index == MAP_NONE) {
        if (expand_define(names, s, inner, NULL) < 0) {
            return names->err->code;
        }
        index = map_get(&s->names, inner);
    }
    struct expand_name *entry = &s->entries[index];
    if (!entry->known) {
        if (make_up(names, s, inner, &entry->outer) < 0) {
            return names->err->code;
        }
        entry->known = true;
    }
    *outer = entry->outer;
    return 0;
}
