#include "graph/render.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/utf8.h"
#include "graph/finish_pdf.h"
#include "graph/finish_svg.h"
#include "graph/label.h"
#include "graph/layout.h"
#include "graph/model.h"
#include "graph/render_gv.h"
#include "graph/write_dot.h"
#include "graph/write_html.h"
#include "graph/write_table.h"
#include "onnx/decode.h"

#define MAX_OUTPUT ((uint64_t)64 << 20)
#define MAX_PIXELS ((uint64_t)64000000)
#define MAX_DRAWN 10000
#define MIN_DRAWN 16u       // what every model comes down to: itself, its inputs and outputs
#define MAX_CLUSTERS 20000  // of a view that our engine lays out
#define RAW_FACTOR 6        // libgvc's SVG against ours: 2 to 4 times as long

#define JSON_TYPE "application/json"
#define TEXT_TYPE "text/plain; charset=utf-8"

const struct graph_format_row graph_formats[GRAPH_FORMATS] = {
    [GRAPH_FORMAT_SVG] = {"svg", "image/svg+xml; charset=utf-8", true, true, false},
    [GRAPH_FORMAT_PNG] = {"png", "image/png", true, true, true},
    [GRAPH_FORMAT_PDF] = {"pdf", "application/pdf", true, true, true},
    [GRAPH_FORMAT_HTML] = {"html", "text/html; charset=utf-8", true, true, false},
    [GRAPH_FORMAT_DOT] = {"dot", "text/vnd.graphviz; charset=utf-8", true, true, false},
    [GRAPH_FORMAT_JSON] = {"json", JSON_TYPE, true, true, false},
    [GRAPH_FORMAT_LAYOUT] = {"layout", JSON_TYPE, false, true, false},
    [GRAPH_FORMAT_SUMMARY] = {"summary", JSON_TYPE, false, false, false},
    [GRAPH_FORMAT_NODES] = {"nodes", JSON_TYPE, false, false, false},
    [GRAPH_FORMAT_MODULES] = {"modules", JSON_TYPE, false, false, false},
    [GRAPH_FORMAT_SUMMARY_TABLE] = {"summary table", TEXT_TYPE, false, false, false},
    [GRAPH_FORMAT_NODES_TABLE] = {"nodes table", TEXT_TYPE, false, false, false},
    [GRAPH_FORMAT_MODULES_TABLE] = {"modules table", TEXT_TYPE, false, false, false},
};

const char *const graph_stage_names[GRAPH_STAGES] = {
    [GRAPH_STAGE_STRIP] = "strip",   [GRAPH_STAGE_DECODE] = "decode",
    [GRAPH_STAGE_SCOPE] = "scope",   [GRAPH_STAGE_SHAPES] = "shapes",
    [GRAPH_STAGE_COST] = "cost",     [GRAPH_STAGE_VIEW] = "view",
    [GRAPH_STAGE_LAYOUT] = "layout", [GRAPH_STAGE_LIBGVC] = "libgvc",
    [GRAPH_STAGE_FINISH] = "finish",
};

// One render on its way.
struct job {
    const struct graph_request *request;
    struct graph_result *result;
    struct graph_model model;
    struct graph_options defaults;  // when the request has none
    struct graph_options flat;      // a copy, for what must be drawn without parallel edges
    const struct graph_options *options;
    uint32_t max_drawn;  // of a view that is laid out
    bool is_coarser;     // than what was asked for
    struct graph_view view;
    double since;  // CPU time when the stage began
};

static void lap(struct job *job, enum graph_stage stage) {
    double now = clock_cpu_ms();

    job->result->cpu_ms[stage] += now - job->since;
    job->since = now;
}

void graph_render_limits_init(struct graph_render_limits *limits) {
    onnx_limits_init(&limits->onnx);
    limits->view.max_drawn = MAX_DRAWN;
    limits->max_output = MAX_OUTPUT;
    limits->max_pixels = MAX_PIXELS;
}

int graph_dpi_parse(uint32_t *dpi, struct str text, struct error *err) {
    struct str shown = str_sub(text, 0, 64);
    uint64_t n;

    if (!num_parse_u64(text, &n) || n < GRAPH_DPI_MIN || n > GRAPH_DPI_MAX) {
        return error_set(err, ERR_USAGE, "parameter dpi: '%.*s' is no number from %u to %u",
                         STR_ARG(shown), GRAPH_DPI_MIN, GRAPH_DPI_MAX);
    }
    *dpi = (uint32_t)n;
    return 0;
}

int graph_render_warm(struct error *err) {
    return graph_render_gv_warm(err);
}

void graph_result_release(struct graph_result *r) {
    if (!r) {
        return;
    }
    buf_release(&r->body);
    warnings_release(&r->list);
    *r = (struct graph_result){0};
}

// ---- the model

static int read_model(struct job *job, struct error *err) {
    const struct graph_request *request = job->request;
    struct graph_model_times times;
    struct onnx_model *onnx;
    int rc;

    job->model.net.cut = request->strip && !request->strip->complete;
    if (job->model.net.cut) {
        warnings_add_error(&job->model.warnings, "truncated", &request->strip->damage);
    }
    rc = onnx_decode(&onnx, request->skeleton, &request->limits->onnx, &job->model.warnings, err);
    lap(job, GRAPH_STAGE_DECODE);
    if (rc < 0) {
        return rc;
    }
    utf8_copy_shown(job->result->producer, sizeof(job->result->producer), onnx->producer);
    rc = graph_model_init(&job->model, onnx, &times, err);
    job->result->cpu_ms[GRAPH_STAGE_SCOPE] = times.scope;
    job->result->cpu_ms[GRAPH_STAGE_SHAPES] = times.shapes;
    job->result->cpu_ms[GRAPH_STAGE_COST] = times.cost;
    if (rc == 0) {
        job->result->nodes = job->model.onnx->graphs[0].n_nodes;
    }
    job->since = clock_cpu_ms();
    return rc;
}

// ---- views

// Halves the limit of a view that the layout engine cannot take. Parallel edges are the last that
// must go: without them few nodes have few edges.
static int coarser(struct job *job, struct error *err) {
    uint32_t half = job->max_drawn / 2;
    size_t shown =
        job->view.n_nodes > job->view.n_clusters ? job->view.n_nodes : job->view.n_clusters;
    int rc = 0;

    if (job->max_drawn > MIN_DRAWN) {
        job->max_drawn = shown / 2 < half ? (uint32_t)(shown / 2) : half;
        if (job->max_drawn < MIN_DRAWN) {
            job->max_drawn = MIN_DRAWN;
        }
    } else if (job->options->strict) {
        rc = error_set(err, ERR_LIMIT, "the model cannot be drawn even as one box");
    } else {
        rc = graph_options_copy(&job->flat, job->options, err);
        job->flat.strict = true;
        job->options = &job->flat;
    }
    job->is_coarser = true;
    graph_view_release(&job->view);
    return rc;
}

static bool uses_dot(const struct job *job) {
    return job->options->engine == GRAPH_ENGINE_DOT;
}

static int fits_engine(const struct job *job, bool *fits, struct error *err) {
    if (uses_dot(job)) {
        return graph_layout_dot_fits(&job->view, fits, err);
    }
    *fits = job->view.n_clusters <= MAX_CLUSTERS;
    return 0;
}

static int make_drawable_view(struct job *job, struct error *err) {
    struct graph_view_limits limits = {0};
    bool fits = false;
    int rc = 0;

    while (rc == 0 && !fits) {
        limits.max_drawn = job->max_drawn;
        rc = graph_view_init(&job->view, &job->model, job->options, &limits, err);
        if (rc == 0) {
            rc = fits_engine(job, &fits, err);
        }
        if (rc == 0 && !fits) {
            rc = coarser(job, err);
        }
    }
    lap(job, GRAPH_STAGE_VIEW);
    return rc;
}

// ---- the picture

struct picture {
    const struct graph_theme *theme;
    struct graph_labels labels;
    struct graph_layout layout;
    struct buf raw;
};

static void picture_release(struct picture *p) {
    graph_layout_release(&p->layout);
    graph_labels_release(&p->labels);
    buf_release(&p->raw);
}

static int place(struct job *job, struct picture *p, struct error *err) {
    int rc = make_drawable_view(job, err);

    if (rc == 0) {
        rc = graph_labels_init(&p->labels, &job->view, p->theme, err);
    }
    if (rc == 0) {
        rc = uses_dot(job) ? graph_layout_dot(&p->layout, &job->view, &p->labels, err)
                           : graph_layout_run(&p->layout, &job->view, &p->labels, err);
    }
    lap(job, GRAPH_STAGE_LAYOUT);
    return rc;
}

static void warn_of_cuts(struct job *job, const struct graph_layout_cuts *cuts) {
    struct warnings *list = &job->view.warnings;

    if (cuts->lanes) {
        warnings_add(list, "layout-lanes", NULL,
                     "%u edges lead past so many boxes that they run beside the picture",
                     cuts->lanes);
    }
    if (cuts->merged) {
        warnings_add(list, "layout-ports", NULL,
                     "%u edges share the last port of a box with more than %u", cuts->merged,
                     GRAPH_LAYOUT_PORTS_MAX);
    }
}

// Where an engine gives up on a view there is still a coarser one.
static int place_something(struct job *job, struct picture *p, struct error *err) {
    int rc = place(job, p, err);

    while ((rc == ERR_BUG || rc == ERR_LIMIT) && job->max_drawn > MIN_DRAWN) {
        graph_labels_release(&p->labels);
        rc = coarser(job, err);
        if (rc == 0) {
            rc = place(job, p, err);
        }
    }
    if (rc < 0) {
        return rc;
    }
    if (job->is_coarser) {
        warnings_add(&job->view.warnings, "view-coarser", "depth",
                     "the edges of the view are too many or too long to be laid out");
    }
    warn_of_cuts(job, &p->layout.cuts);
    return 0;
}

static void picture_init(struct job *job, struct picture *p) {
    uint64_t max = job->request->limits->max_output;

    *p = (struct picture){.theme = graph_theme_get(job->options->theme)};
    buf_init(&p->raw, max > SIZE_MAX / RAW_FACTOR ? SIZE_MAX : max * RAW_FACTOR);
    job->max_drawn = job->request->limits->view.max_drawn;
    if (uses_dot(job) && job->max_drawn > GRAPH_LAYOUT_DOT_MAX) {
        job->max_drawn = GRAPH_LAYOUT_DOT_MAX;
    }
}

static struct graph_drawing drawing_of(const struct job *job, const struct picture *p) {
    return (struct graph_drawing){
        .view = &job->view, .layout = &p->layout, .labels = &p->labels, .theme = p->theme};
}

static int draw_svg(struct job *job, struct picture *p, struct error *err) {
    const struct graph_drawing drawing = drawing_of(job, p);
    int rc = graph_render_gv_svg(&p->raw, &drawing, err);

    lap(job, GRAPH_STAGE_LIBGVC);
    if (rc == 0) {
        rc = graph_finish_svg(&job->result->body, buf_str(&p->raw), &job->view, p->theme, err);
    }
    return rc;
}

static int draw_html(struct job *job, struct picture *p, struct error *err) {
    struct buf svg;
    int rc;

    if (!job->request->page.n) {
        return error_set(err, ERR_UNSUPPORTED, "this program was built without its page");
    }
    rc = draw_svg(job, p, err);
    svg = job->result->body;
    buf_init(&job->result->body, job->request->limits->max_output);
    if (rc == 0) {
        rc = graph_write_html(&job->result->body, job->request->page, buf_str(&svg), err);
    }
    buf_release(&svg);
    return rc;
}

static void warn_of_text(struct job *job, const struct graph_cairo *cairo) {
    if (cairo->missing) {
        warnings_add(&job->view.warnings, "missing-glyphs", NULL,
                     "%zu characters are in no font of this machine and are drawn as boxes with "
                     "their numbers; an SVG shows them with the fonts of its reader",
                     cairo->missing);
    }
}

static int draw_png(struct job *job, struct picture *p, struct error *err) {
    const struct graph_drawing drawing = drawing_of(job, p);
    uint32_t dpi = job->request->dpi;
    struct graph_cairo cairo = {.dpi = dpi ? dpi : GRAPH_DPI_STANDARD,
                                .max_pixels = job->request->limits->max_pixels};
    int rc = graph_render_gv_png(&job->result->body, &drawing, &cairo, err);

    lap(job, GRAPH_STAGE_LIBGVC);
    if (rc == 0 && cairo.used_dpi < cairo.dpi) {
        warnings_add(&job->view.warnings, "png-coarser", "dpi",
                     "%u dpi would make the picture too large, so it has %.0f; SVG and PDF have no "
                     "such limit (max-pixels), and a smaller depth gives a smaller picture",
                     cairo.dpi, cairo.used_dpi);
    }
    warn_of_text(job, &cairo);
    return rc;
}

static int draw_pdf(struct job *job, struct picture *p, struct error *err) {
    const struct graph_drawing drawing = drawing_of(job, p);
    struct graph_cairo cairo = {0};
    int rc = graph_render_gv_pdf(&job->result->body, &drawing, &cairo, err);

    lap(job, GRAPH_STAGE_LIBGVC);
    graph_finish_pdf(&job->result->body);
    warn_of_text(job, &cairo);
    return rc;
}

static int put_layout(struct job *job, struct picture *p, struct error *err) {
    int rc = graph_layout_check(&p->layout, &job->view, err);

    return rc < 0 ? rc : graph_write_layout(&job->result->body, &job->view, &p->layout, err);
}

static int put_dot(struct job *job, struct picture *p, struct error *err) {
    (void)p;
    return graph_write_dot(&job->result->body, &job->view, err);
}

static int put_graph(struct job *job, struct picture *p, struct error *err) {
    (void)p;
    return graph_write_graph(&job->result->body, &job->view, err);
}

// Documents that take a view with places; and those that say what is drawn, which is coarser where
// that could not be placed.
static int write_placed(struct job *job, struct error *err) {
    static int (*const put[GRAPH_FORMATS])(struct job *, struct picture *, struct error *) = {
        [GRAPH_FORMAT_SVG] = draw_svg,      [GRAPH_FORMAT_PNG] = draw_png,
        [GRAPH_FORMAT_PDF] = draw_pdf,      [GRAPH_FORMAT_HTML] = draw_html,
        [GRAPH_FORMAT_LAYOUT] = put_layout, [GRAPH_FORMAT_DOT] = put_dot,
        [GRAPH_FORMAT_JSON] = put_graph,
    };
    struct picture p;
    int rc;

    picture_init(job, &p);
    rc = place_something(job, &p, err);
    if (rc == 0) {
        rc = put[job->request->format](job, &p, err);
    }
    lap(job, GRAPH_STAGE_FINISH);
    picture_release(&p);
    return rc;
}

// ---- other documents

static int write_summary(struct job *job, struct error *err) {
    struct buf *out = &job->result->body;
    bool table = job->request->format == GRAPH_FORMAT_SUMMARY_TABLE;
    int rc = table ? graph_write_summary_table(out, &job->model, &job->request->source, err)
                   : graph_write_summary(out, &job->model, &job->request->source, err);

    lap(job, GRAPH_STAGE_FINISH);
    return rc;
}

// Documents that take nothing but the model.
static int write_list(struct job *job, struct error *err) {
    static int (*const lists[GRAPH_FORMATS])(struct buf *, const struct graph_model *,
                                             struct error *) = {
        [GRAPH_FORMAT_NODES] = graph_write_nodes,
        [GRAPH_FORMAT_MODULES] = graph_write_modules,
        [GRAPH_FORMAT_NODES_TABLE] = graph_write_nodes_table,
        [GRAPH_FORMAT_MODULES_TABLE] = graph_write_modules_table,
    };
    int rc = lists[job->request->format](&job->result->body, &job->model, err);

    lap(job, GRAPH_STAGE_FINISH);
    return rc;
}

typedef int write_fn(struct job *job, struct error *err);

static write_fn *const writers[GRAPH_FORMATS] = {
    [GRAPH_FORMAT_SVG] = write_placed,
    [GRAPH_FORMAT_PNG] = write_placed,
    [GRAPH_FORMAT_PDF] = write_placed,
    [GRAPH_FORMAT_HTML] = write_placed,
    [GRAPH_FORMAT_DOT] = write_placed,
    [GRAPH_FORMAT_JSON] = write_placed,
    [GRAPH_FORMAT_LAYOUT] = write_placed,
    [GRAPH_FORMAT_SUMMARY] = write_summary,
    [GRAPH_FORMAT_NODES] = write_list,
    [GRAPH_FORMAT_MODULES] = write_list,
    [GRAPH_FORMAT_SUMMARY_TABLE] = write_summary,
    [GRAPH_FORMAT_NODES_TABLE] = write_list,
    [GRAPH_FORMAT_MODULES_TABLE] = write_list,
};

// ---- the facade

static void add_warnings(struct graph_result *out, const struct warnings *list) {
    for (size_t i = 0; i < list->n; i++) {
        warnings_add(&out->list, list->items[i].code, list->items[i].where, "%s",
                     list->items[i].message);
    }
    out->list.total += list->total - list->n;
    out->warnings = out->list.total;
}

static void job_release(struct job *job) {
    graph_view_release(&job->view);
    graph_model_release(&job->model);
    graph_options_release(&job->defaults);
    graph_options_release(&job->flat);
}

static int end_line(struct buf *body, struct error *err) {
    if (body->n && body->p[body->n - 1] != '\n') {
        buf_add_char(body, '\n');
    }
    return buf_check(body, "the document", "max-output", err);
}

int graph_render(struct graph_result *out, const struct graph_request *request, struct error *err) {
    struct job job = {.request = request, .result = out};
    int rc;

    *out = (struct graph_result){0};
    if ((unsigned)request->format >= GRAPH_FORMATS) {
        return error_set(err, ERR_BUG, "unknown format %d", (int)request->format);
    }
    buf_init(&out->body, request->limits->max_output);
    graph_options_init(&job.defaults);
    job.options = request->options ? request->options : &job.defaults;
    job.since = clock_cpu_ms();
    rc = read_model(&job, err);
    if (rc == 0) {
        rc = writers[request->format](&job, err);
    }
    if (rc == 0 && !graph_formats[request->format].is_packed) {
        rc = end_line(&out->body, err);
    }
    add_warnings(out, &job.model.warnings);
    add_warnings(out, &job.view.warnings);
    job_release(&job);
    return rc;
}
