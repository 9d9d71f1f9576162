// The facade: skeleton bytes and options in, one document out. What a job of the daemon runs, and
// what the command line calls.
//
// Stages: decode, scope, shapes, cost, view, layout, libgvc, finish. Everything is bounded by
// struct graph_render_limits; a view that is too large comes back coarser with a warning, never as
// an error.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/options.h"
#include "graph/view.h"
#include "graph/write_json.h"
#include "onnx/limits.h"
#include "onnx/strip.h"

enum graph_format {
    GRAPH_FORMAT_SVG,
    GRAPH_FORMAT_PNG,
    GRAPH_FORMAT_PDF,
    GRAPH_FORMAT_HTML,  // the SVG in a page with a small viewer
    GRAPH_FORMAT_DOT,
    GRAPH_FORMAT_JSON,           // graph.json
    GRAPH_FORMAT_LAYOUT,         // layout.json: not a picture, but of a view
    GRAPH_FORMAT_SUMMARY,        // not a picture: takes no view options
    GRAPH_FORMAT_NODES,          // not a picture
    GRAPH_FORMAT_MODULES,        // not a picture
    GRAPH_FORMAT_SUMMARY_TABLE,  // the same three for people
    GRAPH_FORMAT_NODES_TABLE,
    GRAPH_FORMAT_MODULES_TABLE,
    GRAPH_FORMATS,
};

struct graph_format_row {
    const char *name;  // "svg": ending of files and URLs, value of --format
    const char *content_type;
    bool is_picture;  // offered by /v1/render and graph.*
    bool takes_view;  // takes view options
    bool is_packed;   // compressed already: no text
};

extern const struct graph_format_row graph_formats[GRAPH_FORMATS];

enum graph_stage {
    GRAPH_STAGE_STRIP,  // measured by the caller
    GRAPH_STAGE_DECODE,
    GRAPH_STAGE_SCOPE,
    GRAPH_STAGE_SHAPES,
    GRAPH_STAGE_COST,
    GRAPH_STAGE_VIEW,
    GRAPH_STAGE_LAYOUT,
    GRAPH_STAGE_LIBGVC,
    GRAPH_STAGE_FINISH,
    GRAPH_STAGES,
};

extern const char *const graph_stage_names[GRAPH_STAGES];

struct graph_render_limits {
    struct onnx_limits onnx;
    struct graph_view_limits view;
    uint64_t max_output;  // bytes of the document
    uint64_t max_pixels;  // of a PNG; a larger one comes with fewer dots an inch and a warning
};

#define GRAPH_DPI_STANDARD 96u
#define GRAPH_DPI_MIN 8u
#define GRAPH_DPI_MAX 1200u

struct graph_request {
    struct slice skeleton;
    const struct onnx_strip_facts *strip;  // damage becomes a warning
    struct graph_source source;
    enum graph_format format;
    const struct graph_options *options;  // NULL = defaults
    uint32_t dpi;                         // of a PNG; 0 = GRAPH_DPI_STANDARD
    struct str page;                      // of HTML: see graph/write_html.h; empty = there is none
    const struct graph_render_limits *limits;
};

#define GRAPH_PRODUCER_BYTES 128

struct graph_result {
    struct buf body;
    uint64_t nodes;                       // of the main graph
    char producer[GRAPH_PRODUCER_BYTES];  // of the file, fit for display
    size_t warnings;                      // total number
    struct warnings list;                 // of the model and the view
    double cpu_ms[GRAPH_STAGES];
};

// A resolution as text. Errors: ERR_USAGE.
int graph_dpi_parse(uint32_t *dpi, struct str text, struct error *err) WARN_UNUSED;

// Fills *out (graph_result_release), also on failure as far as it got. Errors: ERR_FORMAT,
// ERR_LIMIT, ERR_NOMEM, ERR_USAGE (patterns), ERR_UNSUPPORTED (no font for PNG or PDF,
// no page for HTML), ERR_BUG.
int graph_render(struct graph_result *out, const struct graph_request *request,
                 struct error *err) WARN_UNUSED;
void graph_result_release(struct graph_result *r);

// Does once what every later render needs (Graphviz context, tables, fonts), so that a forked child
// starts warm and may be kept from opening files.
int graph_render_warm(struct error *err) WARN_UNUSED;

void graph_render_limits_init(struct graph_render_limits *limits);
