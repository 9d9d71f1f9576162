// layout MODEL [RUNS]: CPU milliseconds of our layout engine on the expanded view of a model, with
// and without its memory of equal boxes; medians.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "graph/layout_engine.h"
#include "onnx/decode.h"
#include "onnx/strip.h"

#define RUNS_MAX 100
#define DRAWN_MAX 1000000u

static int fail(const struct error *err) {
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

static int read_skeleton(const char *path, const struct onnx_limits *limits, struct slice *skeleton,
                         struct error *err) {
    struct onnx_strip_facts facts;
    struct onnx_strip *strip;
    FILE *f = fopen(path, "rb");
    uint8_t bytes[65536];
    size_t n;
    int rc = f ? onnx_strip_new(&strip, limits, err) : error_set(err, ERR_IO, "no file %s", path);

    if (rc < 0) {
        return rc;
    }
    while (rc == 0 && (n = fread(bytes, 1, sizeof(bytes), f)) > 0) {
        rc = onnx_strip_feed(strip, (struct slice){bytes, n}, err);
    }
    fclose(f);
    if (rc == 0) {
        rc = onnx_strip_finish(strip, skeleton, &facts, err);
    }
    onnx_strip_free(strip);
    return rc;
}

static int read_model(const char *path, struct graph_model *model, struct error *err) {
    struct onnx_limits limits;
    struct onnx_model *onnx;
    struct slice skeleton;
    int rc;

    onnx_limits_init(&limits);
    rc = read_skeleton(path, &limits, &skeleton, err);
    if (rc < 0) {
        return rc;
    }
    rc = onnx_decode(&onnx, skeleton, &limits, &model->warnings, err);
    free((void *)(uintptr_t)skeleton.p);
    return rc < 0 ? rc : graph_model_init(model, onnx, NULL, err);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int measure(const struct graph_view *view, const struct graph_labels *labels, bool no_memo,
                   size_t runs, struct error *err) {
    struct layout_switches switches = {.no_memo = no_memo};
    struct layout_work work = {0};
    struct graph_layout layout;
    double ms[RUNS_MAX], w = 0, h = 0;

    for (size_t i = 0; i < runs; i++) {
        double since = clock_cpu_ms();
        int rc = graph_layout_engine(&layout, view, labels, &switches, &work, err);

        if (rc < 0) {
            return rc;
        }
        ms[i] = clock_cpu_ms() - since;
        w = layout.w;
        h = layout.h;
        graph_layout_release(&layout);
    }
    qsort(ms, runs, sizeof(*ms), compare);
    printf("%s %8.2f ms  %zu nodes %zu edges %u boxes, %u laid out, %.1f MiB, %llu crossings, "
           "%.0f x %.0f\n",
           no_memo ? "no memory  " : "with memory", ms[runs / 2], view->n_nodes, view->n_edges,
           work.containers, work.variants, (double)work.bytes / (1 << 20),
           (unsigned long long)work.crossings, w, h);
    return 0;
}

static int run(const struct graph_model *model, size_t runs, struct error *err) {
    struct graph_view_limits limits = {DRAWN_MAX};
    struct graph_options options;
    struct graph_labels labels;
    struct graph_view view;
    int rc;

    graph_options_init(&options);
    options.depth = GRAPH_DEPTH_INF;
    options.fold = 0;
    options.hide_module_functions = false;
    rc = graph_view_init(&view, model, &options, &limits, err);
    if (rc == 0) {
        rc = graph_labels_init(&labels, &view, graph_theme_get(GRAPH_THEME_LIGHT), err);
    }
    if (rc == 0) {
        rc = measure(&view, &labels, false, runs, err);
    }
    if (rc == 0) {
        rc = measure(&view, &labels, true, runs, err);
    }
    return rc;
}

int main(int argc, char **argv) {
    struct graph_model model = {0};
    struct error err = {0};
    uint64_t runs = 5;

    if (argc < 2 || argc > 3 ||
        (argc == 3 && (!num_parse_u64(str_from(argv[2]), &runs) || !runs || runs > RUNS_MAX))) {
        fputs("usage: layout MODEL [RUNS]\n", stderr);
        return 2;
    }
    if (read_model(argv[1], &model, &err) < 0 || run(&model, runs, &err) < 0) {
        return fail(&err);
    }
    return 0;
}
