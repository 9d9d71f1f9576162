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
enum graph_theme_name { GRAPH_THEME_LIGHT, GRAPH_THEME_DARK };

struct graph_options {
    uint32_t depth;      // GRAPH_DEPTH_INF, GRAPH_DEPTH_AUTO or a number
    uint32_t max_boxes;  // nodes that the automatic depth may show
    char *expand;        // pattern lists as given, NULL = empty; owned
    char *collapse;
    uint32_t fold;  // smallest run that folds; 0 = none
    bool expand_nested;
    bool hide_module_functions;
    bool hide_shape_ops;
    bool show_shapes;
    bool strict;
    uint32_t names;      // enum graph_names
    uint32_t graph_dir;  // enum graph_dir
    uint32_t theme;      // enum graph_theme_name
};

enum graph_option_type {
    GRAPH_OPTION_BOOL,
    GRAPH_OPTION_UINT,
    GRAPH_OPTION_DEPTH,
    GRAPH_OPTION_ENUM,
    GRAPH_OPTION_PATTERNS
};

struct graph_option {
    const char *name;  // "graph_dir"; on the command line "--graph-dir"
    enum graph_option_type type;
    size_t offset;             // of the field in struct graph_options
    const char *standard;      // default as text
    const char *const *words;  // of an enum, NULL-terminated, in the order of its values
    uint64_t min, max;         // of a number
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
