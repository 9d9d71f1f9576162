#include "graph/render.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "graph/finish_svg.h"
#include "graph/label.h"
#include "graph/layout.h"
#include "graph/model.h"
#include "graph/render_gv.h"
#include "graph/write_dot.h"
#include "graph/write_table.h"
#include "onnx/decode.h"

#define MAX_OUTPUT ((uint64_t)64 << 20)
#define MAX_DRAWN 10000
#define MIN_DRAWN 16u       // what every model comes down to: itself, its inputs and outputs
#define MAX_CLUSTERS 20000  // of a view that our engine lays out
#define RAW_FACTOR 6        // libgvc's SVG against ours: 2 to 4 times as long

const struct graph_format_row graph_formats[GRAPH_FORMATS] = {
    [GRAPH_FORMAT_SVG] = {"svg", "image/svg+xml; charset=utf-8", true, true},
    [GRAPH_FORMAT_DOT] = {"dot", "text/vnd.graphviz; charset=utf-8", true, true},
    [GRAPH_FORMAT_JSON] = {"json", "application/json", true, true},
    [GRAPH_FORMAT_LAYOUT] = {"layout", "application/json", false, true},
    [GRAPH_FORMAT_SUMMARY] = {"summary", "application/json", false, false},
    [GRAPH_FORMAT_NODES] = {"nodes", "application/json", false, false},
    [GRAPH_FORMAT_MODULES] = {"modules", "application/json", false, false},
    [GRAPH_FORMAT_SUMMARY_TABLE] = {"summary table", "text/plain; charset=utf-8", false, false},
    [GRAPH_FORMAT_NODES_TABLE] = {"nodes table", "text/plain; charset=utf-8", false, false},
    [GRAPH_FORMAT_MODULES_TABLE] = {"modules table", "text/plain; charset=utf-8", false, false},
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
        job->result->nodes = job->model.net.graphs[0].n_nodes;
    }
    job->since = clock_cpu_ms();
    return rc;
}

// ---- views

static int make_view(struct job *job, struct error *err) {
    int rc =
        graph_view_init(&job->view, &job->model, job->options, &job->request->limits->view, err);

    lap(job, GRAPH_STAGE_VIEW);
    return rc;
}

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

static int draw(struct job *job, struct picture *p, struct error *err) {
    int rc = graph_render_gv_svg(&p->raw, &job->view, &p->layout, &p->labels, p->theme, err);

    lap(job, GRAPH_STAGE_LIBGVC);
    if (rc == 0) {
        rc = graph_finish_svg(&job->result->body, buf_str(&p->raw), &job->view, p->theme, err);
    }
    lap(job, GRAPH_STAGE_FINISH);
    return rc;
}

static int write_svg(struct job *job, struct error *err) {
    struct picture p;
    int rc;

    picture_init(job, &p);
    rc = place_something(job, &p, err);
    if (rc == 0) {
        rc = draw(job, &p, err);
    }
    picture_release(&p);
    return rc;
}

static int write_layout(struct job *job, struct error *err) {
    struct picture p;
    int rc;

    picture_init(job, &p);
    rc = place_something(job, &p, err);
    if (rc == 0) {
        rc = graph_layout_check(&p.layout, &job->view, err);
    }
    if (rc == 0) {
        rc = graph_write_layout(&job->result->body, &job->view, &p.layout, err);
    }
    lap(job, GRAPH_STAGE_FINISH);
    picture_release(&p);
    return rc;
}

// ---- other documents

static int write_dot(struct job *job, struct error *err) {
    int rc = make_view(job, err);

    if (rc == 0) {
        rc = graph_write_dot(&job->result->body, &job->view, err);
    }
    lap(job, GRAPH_STAGE_FINISH);
    return rc;
}

static int write_json(struct job *job, struct error *err) {
    int rc = make_view(job, err);

    if (rc == 0) {
        rc = graph_write_graph(&job->result->body, &job->view, err);
    }
    lap(job, GRAPH_STAGE_FINISH);
    return rc;
}

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
    [GRAPH_FORMAT_SVG] = write_svg,          [GRAPH_FORMAT_DOT] = write_dot,
    [GRAPH_FORMAT_JSON] = write_json,        [GRAPH_FORMAT_LAYOUT] = write_layout,
    [GRAPH_FORMAT_SUMMARY] = write_summary,  [GRAPH_FORMAT_NODES] = write_list,
    [GRAPH_FORMAT_MODULES] = write_list,     [GRAPH_FORMAT_SUMMARY_TABLE] = write_summary,
    [GRAPH_FORMAT_NODES_TABLE] = write_list, [GRAPH_FORMAT_MODULES_TABLE] = write_list,
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

// Every document is text.
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
    if (rc == 0) {
        rc = end_line(&out->body, err);
    }
    add_warnings(out, &job.model.warnings);
    add_warnings(out, &job.view.warnings);
    job_release(&job);
    return rc;
}
