#include "graph/options.h"

#include "base/nearest.h"
#include "base/num.h"
#include "graph/highlight.h"
#include "graph/pattern.h"

#include <assert.h>
#include <stdlib.h>

#define DEPTH_MAX 1000000u
#define BOXES_MAX 1000000u
#define FOLD_MAX 1000000u

static const char *const names_words[] = {"class", "attr", "both", "path", NULL};
static const char *const dir_words[] = {"TB", "LR", "BT", "RL", NULL};
static const char *const engine_words[] = {"onnxscope", "dot", NULL};
static const char *const theme_words[] = {"light", "dark", "torchview", "print", NULL};
static const char *const library_words[] = {"open", "closed", NULL};
static const char *const roll_words[] = {"none", "torchview", "full", NULL};
static const char *const consts_words[] = {"hide", "inline", "node", NULL};
static const char *const params_words[] = {"hide", "list", "node", NULL};
static const char *const edge_words[] = {"none", "shape", "dtype", "name", NULL};
static const char *const costs_words[] = {"none", "params", "macs", "all", NULL};

static int check_patterns(struct str value, struct error *err) {
    struct graph_pattern_list list;
    int rc = graph_patterns_init(&list, value, err);

    if (rc == 0) {
        graph_patterns_release(&list);
    }
    return rc;
}

static int check_highlight(struct str value, struct error *err) {
    struct graph_highlight list;
    int rc = graph_highlight_init(&list, value, err);

    if (rc == 0) {
        graph_highlight_release(&list);
    }
    return rc;
}

#define FIELD(field) offsetof(struct graph_options, field)
#define FLAG(field, on, text)                                                              \
    {                                                                                      \
        .name = #field, .type = GRAPH_OPTION_BOOL, .offset = FIELD(field), .standard = on, \
        .max = 1, .bare = "1", .values = "0, 1", .help = text                              \
    }
#define NUMBER(field, def, low, high, listed, text)                                         \
    {                                                                                       \
        .name = #field, .type = GRAPH_OPTION_UINT, .offset = FIELD(field), .standard = def, \
        .min = low, .max = high, .values = listed, .help = text                             \
    }
#define WORDS(field, def, list, listed, text)                                               \
    {                                                                                       \
        .name = #field, .type = GRAPH_OPTION_ENUM, .offset = FIELD(field), .standard = def, \
        .words = list, .values = listed, .help = text                                       \
    }
#define PATTERNS(field, text)                                                                  \
    {                                                                                          \
        .name = #field, .type = GRAPH_OPTION_PATTERNS, .offset = FIELD(field), .standard = "", \
        .check = check_patterns, .values = "comma list of patterns", .help = text              \
    }

const struct graph_option graph_option_table[] = {
    {.name = "depth",
     .type = GRAPH_OPTION_DEPTH,
     .offset = FIELD(depth),
     .standard = "auto",
     .max = DEPTH_MAX,
     .values = "0..n, inf, auto",
     .help = "deepest level of modules shown; 0: the whole model as one box; "
             "auto: the deepest that fits max_boxes"},
    NUMBER(max_boxes, "60", 1, BOXES_MAX, "1..n",
           "nodes that depth=auto may show, inputs and outputs counted, boxes around them not"),
    PATTERNS(expand, "modules to open whatever the depth says (layers.0, layers.*.attn, "
                     "class:Attention, relu@1)"),
    PATTERNS(collapse, "modules to close whatever the depth says; the more literal pattern wins, "
                       "then expand"),
    WORDS(library, "open", library_words, "open, closed",
          "closed: modules of a library (torch.nn, torchvision, ...) stay shut, containers "
          "excepted, where the file knows classes"),
    {.name = "roll",
     .type = GRAPH_OPTION_ENUM,
     .offset = FIELD(roll),
     .standard = "none",
     .words = roll_words,
     .digits = 2,
     .bare = "torchview",
     .values = "none, torchview, full, 0, 1",
     .help = "calls of one module are one box; torchview: by its rule; full: all calls of a path"},
    {.name = "fold",
     .type = GRAPH_OPTION_FOLD,
     .offset = FIELD(fold),
     .standard = "1",
     .max = FOLD_MAX,
     .bare = "2",
     .values = "0, 1, or a count of at least 2",
     .help = "equal layers one behind the other become one 'x N', from this many on; 0: each is "
             "drawn; 1 is the same as 2"},
    PATTERNS(unfold, "runs that are drawn out although they fold, by any of their modules"),
    FLAG(expand_nested, "1", "draw open modules as boxes around their content"),
    FLAG(hide_inner_tensors, "1", "0: every tensor between the boxes is a box of its own"),
    FLAG(hide_module_functions, "1",
         "1: a module without child modules is one node; 0: its operators are shown"),
    FLAG(hide_shape_ops, "1", "hide shape arithmetic"),
    WORDS(consts, "inline", consts_words, "hide, inline, node",
          "constants and small scalars of operators: left out, in the caption, or boxes"),
    WORDS(params, "hide", params_words, "hide, list, node",
          "weights: left out, listed in labels, or boxes"),
    FLAG(show_shapes, "1", "shapes in labels"),
    WORDS(edge_labels, "none", edge_words, "none, shape, dtype, name", "what edges say"),
    WORDS(names, "both", names_words, "class, attr, both, path", "caption of a module"),
    FLAG(attrs, "0", "attributes of operators in labels"),
    WORDS(costs, "params", costs_words, "none, params, macs, all",
          "numbers in the labels of modules: parameters, multiply-accumulates, both"),
    WORDS(graph_dir, "TB", dir_words, "TB, LR, BT, RL", "direction of the flow"),
    FLAG(strict, "1", "1: parallel edges are one edge with a count; 0: one edge for each value"),
    WORDS(theme, "light", theme_words, "light, dark, torchview, print",
          "colours and labels; torchview: its own tables; print: black on white"),
    {.name = "highlight",
     .type = GRAPH_OPTION_PATTERNS,
     .offset = FIELD(highlight),
     .standard = "",
     .check = check_highlight,
     .values = "comma list of op:Conv, path:layers.3.**, name:TEXT",
     .help = "boxes to stand out: by operator, by module, by a part of a name"},
    FLAG(legend, "0", "explain the kinds of boxes that are there"),
    WORDS(engine, "onnxscope", engine_words, "onnxscope, dot",
          "what places the boxes; dot: Graphviz's, for small views"),
};

const size_t graph_option_count = ARRAY_LEN(graph_option_table);

static void *field_of(struct graph_options *o, const struct graph_option *row) {
    return (char *)o + row->offset;
}

static const void *const_field_of(const struct graph_options *o, const struct graph_option *row) {
    return (const char *)o + row->offset;
}

// '-' and '_' are the same, so that the command line and HTTP share one name.
static char folded(char c) {
    return c == '-' ? '_' : c;
}

static bool same_name(struct str a, const char *b) {
    for (size_t i = 0; i < a.n; i++) {
        if (folded(a.p[i]) != b[i] || b[i] == '\0') {
            return false;
        }
    }
    return b[a.n] == '\0';
}

const struct graph_option *graph_option_find(struct str name) {
    for (size_t i = 0; i < graph_option_count; i++) {
        if (same_name(name, graph_option_table[i].name)) {
            return &graph_option_table[i];
        }
    }
    return NULL;
}

static const char *closest(struct str name) {
    const char *best = NULL;
    unsigned least = NEAREST_DISTANCE + 1;

    for (size_t i = 0; i < graph_option_count; i++) {
        unsigned d = nearest_distance(name, str_from(graph_option_table[i].name));

        if (d < least) {
            least = d;
            best = graph_option_table[i].name;
        }
    }
    return best;
}

static int unknown(struct str name, struct error *err) {
    struct str shown = str_sub(name, 0, 64);
    const char *guess = closest(name);
    struct buf list;
    int rc;

    buf_init(&list, sizeof(err->text));
    for (size_t i = 0; i < graph_option_count; i++) {
        buf_add_z(&list, i ? ", " : "");
        buf_add_z(&list, graph_option_table[i].name);
    }
    rc = error_set(err, ERR_USAGE, "unknown view option '%.*s'%s%s%s; there are %.*s",
                   STR_ARG(shown), guess ? " (did you mean '" : "", guess ? guess : "",
                   guess ? "'?)" : "", STR_ARG(buf_str(&list)));
    buf_release(&list);
    return rc;
}

static int bad_value(const struct graph_option *row, struct str value, struct error *err) {
    struct str shown = str_sub(value, 0, 64);

    return error_set(err, ERR_USAGE, "view option %s: '%.*s' is none of: %s", row->name,
                     STR_ARG(shown), row->values);
}

static int set_bool(struct graph_options *o, const struct graph_option *row, struct str value,
                    struct error *err) {
    if (!str_eq_z(value, "0") && !str_eq_z(value, "1")) {
        return bad_value(row, value, err);
    }
    *(bool *)field_of(o, row) = value.p[0] == '1';
    return 0;
}

static int set_number(struct graph_options *o, const struct graph_option *row, struct str value,
                      struct error *err) {
    uint64_t v;

    if (!num_parse_u64(value, &v) || v < row->min || v > row->max) {
        return bad_value(row, value, err);
    }
    *(uint32_t *)field_of(o, row) = (uint32_t)v;
    return 0;
}

static int set_depth(struct graph_options *o, const struct graph_option *row, struct str value,
                     struct error *err) {
    uint32_t *field = field_of(o, row);

    if (str_eq_z(value, "inf")) {
        *field = GRAPH_DEPTH_INF;
    } else if (str_eq_z(value, "auto")) {
        *field = GRAPH_DEPTH_AUTO;
    } else {
        return set_number(o, row, value, err);
    }
    return 0;
}

static int set_fold(struct graph_options *o, const struct graph_option *row, struct str value,
                    struct error *err) {
    int rc = set_number(o, row, value, err);

    if (rc == 0 && o->fold == 1) {
        o->fold = 2;
    }
    return rc;
}

static int set_word(struct graph_options *o, const struct graph_option *row, struct str value,
                    struct error *err) {
    uint64_t digit;

    for (uint32_t i = 0; row->words[i]; i++) {
        if (str_eq_z(value, row->words[i])) {
            *(uint32_t *)field_of(o, row) = i;
            return 0;
        }
    }
    if (row->digits && num_parse_u64(value, &digit) && digit < row->digits) {
        *(uint32_t *)field_of(o, row) = (uint32_t)digit;
        return 0;
    }
    return bad_value(row, value, err);
}

static int copy_text(char **out, struct str s, struct error *err) {
    char *copy = NULL;

    if (s.n) {
        copy = malloc(s.n + 1);
        if (!copy) {
            return error_set(err, ERR_NOMEM, "no memory for a list of patterns");
        }
        memcpy(copy, s.p, s.n);
        copy[s.n] = '\0';
    }
    free(*out);
    *out = copy;
    return 0;
}

static int by_text(const void *a, const void *b) {
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

// Neither the order of a list nor what it says twice decides anything. So it is kept in one form,
// and whatever names, shows or uses it has the same text before it.
static int set_list(char **out, struct str list, struct error *err) {
    struct str parts[GRAPH_PATTERNS_MAX], part;
    struct buf sorted;
    size_t n = 0;
    int rc;

    while (n < ARRAY_LEN(parts) && str_next(&list, ',', &part)) {
        parts[n++] = str_trim(part);
    }
    if (n) {
        qsort(parts, n, sizeof(parts[0]), by_text);
    }
    buf_init(&sorted, GRAPH_PATTERN_BYTES);
    for (size_t i = 0; i < n; i++) {
        if (i && str_eq(parts[i], parts[i - 1])) {
            continue;
        }
        buf_add_z(&sorted, i ? "," : "");
        buf_add_str(&sorted, parts[i]);
    }
    rc = buf_check(&sorted, "a list of patterns", NULL, err);
    if (rc == 0) {
        rc = copy_text(out, buf_str(&sorted), err);
    }
    buf_release(&sorted);
    return rc;
}

static int set_patterns(struct graph_options *o, const struct graph_option *row, struct str value,
                        struct error *err) {
    struct error inner;
    int rc;

    if (str_find(value, '\0') != STR_NPOS) {
        return bad_value(row, value, err);
    }
    rc = row->check(value, &inner);
    if (rc < 0) {
        return error_set(err, rc, "view option %s: %s", row->name, inner.text);
    }
    return set_list(field_of(o, row), value, err);
}

typedef int set_fn(struct graph_options *, const struct graph_option *, struct str, struct error *);

static set_fn *const setters[] = {
    [GRAPH_OPTION_BOOL] = set_bool,         [GRAPH_OPTION_UINT] = set_number,
    [GRAPH_OPTION_DEPTH] = set_depth,       [GRAPH_OPTION_ENUM] = set_word,
    [GRAPH_OPTION_PATTERNS] = set_patterns, [GRAPH_OPTION_FOLD] = set_fold,
};

int graph_options_set(struct graph_options *o, struct str name, struct str value,
                      struct error *err) {
    const struct graph_option *row = graph_option_find(name);

    if (!row) {
        return unknown(name, err);
    }
    return setters[row->type](o, row, value, err);
}

void graph_options_init(struct graph_options *o) {
    *o = (struct graph_options){0};
    for (size_t i = 0; i < graph_option_count; i++) {
        const struct graph_option *row = &graph_option_table[i];

        int rc = setters[row->type](o, row, str_from(row->standard), NULL);

        assert(rc == 0);
        (void)rc;
    }
}

void graph_options_release(struct graph_options *o) {
    if (!o) {
        return;
    }
    for (size_t i = 0; i < graph_option_count; i++) {
        if (graph_option_table[i].check) {
            free(*(char **)field_of(o, &graph_option_table[i]));
        }
    }
    *o = (struct graph_options){0};
}

int graph_options_copy(struct graph_options *out, const struct graph_options *from,
                       struct error *err) {
    struct graph_options copy = *from;
    int rc = 0;

    for (size_t i = 0; i < graph_option_count; i++) {
        if (graph_option_table[i].check) {
            *(char **)field_of(&copy, &graph_option_table[i]) = NULL;
        }
    }
    for (size_t i = 0; i < graph_option_count && rc == 0; i++) {
        const struct graph_option *row = &graph_option_table[i];

        if (row->check) {
            rc = copy_text(field_of(&copy, row),
                           str_from(*(char *const *)const_field_of(from, row)), err);
        }
    }
    if (rc < 0) {
        graph_options_release(&copy);
    } else {
        *out = copy;
    }
    return rc;
}

static bool stays_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~*,:@", c));
}

static void add_encoded(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (stays_plain(s.p[i])) {
            buf_add_char(out, s.p[i]);
        } else {
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)s.p[i]);
        }
    }
}

static void add_number(struct buf *out, uint32_t v, const struct graph_option *row) {
    if (row->type == GRAPH_OPTION_DEPTH && v == GRAPH_DEPTH_INF) {
        buf_add_z(out, "inf");
    } else if (row->type == GRAPH_OPTION_DEPTH && v == GRAPH_DEPTH_AUTO) {
        buf_add_z(out, "auto");
    } else if (row->type == GRAPH_OPTION_ENUM) {
        buf_add_z(out, row->words[v]);
    } else {
        buf_add_u64(out, v);
    }
}

void graph_options_canonical(struct buf *out, const struct graph_options *o) {
    for (size_t i = 0; i < graph_option_count; i++) {
        const struct graph_option *row = &graph_option_table[i];
        const void *field = const_field_of(o, row);

        if (i) {
            buf_add_char(out, '&');
        }
        buf_add_z(out, row->name);
        buf_add_char(out, '=');
        if (row->check) {
            add_encoded(out, str_from(*(char *const *)field));
        } else if (row->type == GRAPH_OPTION_BOOL) {
            buf_add_u64(out, *(const bool *)field);
        } else {
            add_number(out, *(const uint32_t *)field, row);
        }
    }
}
