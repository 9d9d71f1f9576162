#include "graph/view.h"

#include "graph/view_internal.h"

#define VIEW_MEMORY ((size_t)512 << 20)  // of a view, and of what is needed to make it
#define MIN_DRAWN 16u                    // a smaller limit could not even show the model as one box

static const char *const kind_names[GRAPH_VIEW_KINDS] = {
    [GRAPH_VIEW_INPUT] = "input",         [GRAPH_VIEW_OUTPUT] = "output",
    [GRAPH_VIEW_TENSOR] = "tensor",       [GRAPH_VIEW_MODULE] = "module",
    [GRAPH_VIEW_OPERATOR] = "operator",   [GRAPH_VIEW_CONSTANT] = "constant",
    [GRAPH_VIEW_PARAMETER] = "parameter", [GRAPH_VIEW_FOLD] = "fold",
    [GRAPH_VIEW_SECTION] = "section",     [GRAPH_VIEW_MISSING] = "missing",
};

static const char *const cluster_names[GRAPH_CLUSTER_KINDS] = {
    [GRAPH_CLUSTER_MODULE] = "module",   [GRAPH_CLUSTER_FOLD] = "fold",
    [GRAPH_CLUSTER_BRANCH] = "branch",   [GRAPH_CLUSTER_FUNCTION] = "function",
    [GRAPH_CLUSTER_SECTION] = "section",
};

const char *graph_view_kind_name(enum graph_view_kind kind) {
    return kind_names[kind];
}

const char *graph_cluster_kind_name(enum graph_cluster_kind kind) {
    return cluster_names[kind];
}

static int read_patterns(struct view_build *b, struct error *err) {
    int rc = graph_patterns_init(&b->expand, str_from(b->options->expand), err);

    if (rc == 0) {
        rc = graph_patterns_init(&b->collapse, str_from(b->options->collapse), err);
    }
    return rc;
}

static int prepare(struct view_build *b, struct error *err) {
    int rc = read_patterns(b, err);

    if (rc == 0) {
        rc = view_regions(b, err);
    }
    if (rc == 0) {
        rc = view_reads(b, err);
    }
    if (rc == 0) {
        rc = view_library(b, err);
    }
    if (rc == 0) {
        rc = view_fold(b, err);
    }
    b->depth = b->options->depth;
    if (rc == 0 && b->depth == GRAPH_DEPTH_AUTO) {
        rc = view_depth_auto(b, &b->depth, err);
    }
    return rc == 0 ? view_overrides(b, err) : rc;
}

static int attempt(struct view_build *b, bool *fits, struct error *err) {
    view_open(b);
    return view_nodes(b, fits, err);
}

static void warn_coarser(struct view_build *b) {
    warnings_add(&b->view->warnings, "view-coarser", "depth",
                 "the view would have more than %u nodes or boxes, or boxes nested deeper than %d: "
                 "it is drawn at depth %u%s",
                 b->max_nodes, GRAPH_VIEW_NESTING_MAX, b->depth,
                 b->use_overrides ? ", expand and collapse left out" : "");
}

// Each step shows less than the one before; the last always fits.
static int choose_nodes(struct view_build *b, struct error *err) {
    bool fits;
    int rc = attempt(b, &fits, err);

    if (rc < 0) {
        return rc;
    }
    if (fits) {
        view_warn_patterns(b);
        return 0;
    }
    rc = view_depth_coarser(b, &b->depth, err);
    if (rc < 0) {
        return rc;
    }
    warn_coarser(b);
    b->use_overrides = false;
    rc = attempt(b, &fits, err);
    if (rc < 0 || fits) {
        return rc;
    }
    b->depth = 0;
    b->end_budget = b->max_nodes;
    return attempt(b, &fits, err);
}

static int build(struct view_build *b, struct error *err) {
    int rc = prepare(b, err);

    if (rc == 0) {
        rc = choose_nodes(b, err);
    }
    if (rc == 0) {
        rc = view_roll(b, err);
    }
    if (rc == 0) {
        rc = view_clusters(b, err);
    }
    if (rc == 0) {
        rc = view_edges(b, err);
    }
    if (rc == 0) {
        rc = view_own(b, err);
    }
    if (rc == 0) {
        rc = view_highlight(b, err);
    }
    if (rc == 0) {
        rc = view_repeats(b, err);
    }
    if (rc == 0) {
        view_conflicts(b);
    }
    b->view->depth = b->depth;
    b->view->nodes = b->nodes;
    b->view->n_nodes = b->n_nodes;
    return rc;
}

int graph_view_init(struct graph_view *out, const struct graph_model *model,
                    const struct graph_options *options, const struct graph_view_limits *limits,
                    struct error *err) {
    struct view_build b = {.model = model, .options = options, .view = out, .open_leaf = ONNX_NONE};
    int rc;

    *out = (struct graph_view){.model = model, .options = options};
    arena_init(&out->arena, VIEW_MEMORY);
    arena_init(&b.work, VIEW_MEMORY);
    b.max_nodes = limits->max_drawn < MIN_DRAWN ? MIN_DRAWN : limits->max_drawn;
    rc = build(&b, err);
    arena_release(&b.work);
    graph_patterns_release(&b.expand);
    graph_patterns_release(&b.collapse);
    if (rc < 0) {
        graph_view_release(out);
    }
    return rc;
}

void graph_view_release(struct graph_view *view) {
    if (!view) {
        return;
    }
    arena_release(&view->arena);
    warnings_release(&view->warnings);
    *view = (struct graph_view){0};
}
