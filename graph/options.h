// View options: one table gives the HTTP query, the command line, the documents and the canonical
// form.
//
// Options are parsed once into struct graph_options; graph_options_canonical() gives the text that
// names a view (cache key, ETag, permalink): every option, fixed order, defaults written out,
// patterns sorted as they decide.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define GRAPH_DEPTH_INF UINT32_MAX
#define GRAPH_DEPTH_AUTO (UINT32_MAX - 1)
#define GRAPH_PATTERNS_MAX 256    // patterns in one list
#define GRAPH_PATTERN_BYTES 4096  // bytes of one list

enum graph_dir { GRAPH_DIR_TB, GRAPH_DIR_LR, GRAPH_DIR_BT, GRAPH_DIR_RL };
enum graph_names { GRAPH_NAMES_CLASS, GRAPH_NAMES_ATTR, GRAPH_NAMES_BOTH, GRAPH_NAMES_PATH };
enum graph_library { GRAPH_LIBRARY_OPEN, GRAPH_LIBRARY_CLOSED };
enum graph_roll { GRAPH_ROLL_NONE, GRAPH_ROLL_TORCHVIEW, GRAPH_ROLL_FULL };
enum graph_consts { GRAPH_CONSTS_HIDE, GRAPH_CONSTS_INLINE, GRAPH_CONSTS_NODE };
enum graph_params { GRAPH_PARAMS_HIDE, GRAPH_PARAMS_LIST, GRAPH_PARAMS_NODE };
enum graph_edge_labels {
    GRAPH_EDGE_LABELS_NONE,
    GRAPH_EDGE_LABELS_SHAPE,
    GRAPH_EDGE_LABELS_DTYPE,
    GRAPH_EDGE_LABELS_NAME
};
enum graph_cost_labels {
    GRAPH_COST_LABELS_NONE,
    GRAPH_COST_LABELS_PARAMS,
    GRAPH_COST_LABELS_MACS,
    GRAPH_COST_LABELS_ALL
};
enum graph_theme_name {
    GRAPH_THEME_LIGHT,
    GRAPH_THEME_DARK,
    GRAPH_THEME_TORCHVIEW,
    GRAPH_THEME_PRINT
};
enum graph_engine { GRAPH_ENGINE_ONNXSCOPE, GRAPH_ENGINE_DOT };

struct graph_options {
    uint32_t depth;      // GRAPH_DEPTH_INF, GRAPH_DEPTH_AUTO or a number
    uint32_t max_boxes;  // nodes that the automatic depth may show
    char *expand;        // pattern lists, sorted, none twice; NULL = empty; owned
    char *collapse;
    uint32_t library;  // enum graph_library
    uint32_t roll;     // enum graph_roll
    uint32_t fold;     // smallest run that folds, 1 is the same as 2; 0 = none
    char *unfold;      // pattern list as given, NULL = empty; owned
    bool expand_nested;
    bool hide_inner_tensors;
    bool hide_module_functions;
    bool hide_shape_ops;
    uint32_t consts;  // enum graph_consts
    uint32_t params;  // enum graph_params
    bool show_shapes;
    uint32_t edge_labels;  // enum graph_edge_labels
    uint32_t names;        // enum graph_names
    bool attrs;
    uint32_t costs;      // enum graph_cost_labels
    uint32_t graph_dir;  // enum graph_dir
    bool strict;
    uint32_t theme;   // enum graph_theme_name
    char *highlight;  // as lists are (graph/highlight.h), NULL = empty; owned
    bool legend;
    uint32_t engine;  // enum graph_engine
};

enum graph_option_type {
    GRAPH_OPTION_BOOL,
    GRAPH_OPTION_UINT,
    GRAPH_OPTION_DEPTH,
    GRAPH_OPTION_FOLD,  // a number; 1 is written 2
    GRAPH_OPTION_ENUM,
    GRAPH_OPTION_PATTERNS
};

struct graph_option {
    const char *name;  // "graph_dir"; on the command line "--graph-dir"
    enum graph_option_type type;
    size_t offset;             // of the field in struct graph_options
    const char *standard;      // default as text
    const char *const *words;  // of an enum, NULL-terminated, in the order of its values
    uint32_t digits;           // words that a digit names too: 2 = "0" and "1" are the first two
    uint64_t min, max;         // of a number
    int (*check)(struct str value, struct error *err);  // of a list of patterns: refuses bad ones
    const char *bare;  // value of a bare "--fold" on the command line, NULL when a value is needed
    const char *values;  // for documents: "0..n, inf, auto"
    const char *help;    // one line
};

extern const struct graph_option graph_option_table[];
extern const size_t graph_option_count;

void graph_options_init(struct graph_options *o);  // all defaults
void graph_options_release(struct graph_options *o);
int graph_options_copy(struct graph_options *out, const struct graph_options *from,
                       struct error *err) WARN_UNUSED;

// Row of an option by its name ('-' and '_' are the same), or NULL.
const struct graph_option *graph_option_find(struct str name);

// Sets one option from text. Errors: ERR_USAGE; the sentence names the option and lists what
// exists.
int graph_options_set(struct graph_options *o, struct str name, struct str value,
                      struct error *err) WARN_UNUSED;

// "depth=2&max_boxes=60&expand=..." in table order, percent-encoded where needed; can be fed back
// through graph_options_set.
void graph_options_canonical(struct buf *out, const struct graph_options *o);
