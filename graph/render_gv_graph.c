#include <stdio.h>
#include <stdlib.h>

#include <gvc.h>

#include "graph/render_gv_internal.h"

#define NAME_MAX_BYTES 32
#define NUMBER_MAX_BYTES 64

static const struct graph_gv_default defaults[] = {
    {AGRAPH, "id", ""},
    {AGRAPH, "label", ""},
    {AGRAPH, "fontname", "Helvetica"},
    {AGRAPH, "fontsize", "10"},
    {AGNODE, "id", ""},
    {AGNODE, "label", ""},
    {AGNODE, "shape", "box"},
    {AGNODE, "width", "1"},
    {AGNODE, "height", "1"},
    {AGNODE, "fixedsize", "true"},
    {AGNODE, "margin", "0"},
    {AGNODE, "fontname", "Helvetica"},
    {AGNODE, "fontsize", "10"},
    {AGEDGE, "id", ""},
    {AGEDGE, "label", ""},
    {AGEDGE, "fontname", "Helvetica"},
    {AGEDGE, "fontsize", "8"},
    {0, NULL, NULL},
};

// cgraph takes char * and copies.
static char *plain(const char *text) {
    union {
        const char *in;
        char *out;
    } cast = {.in = text};

    return cast.out;
}

void graph_gv_defaults(struct graph_gv_graph *g, const struct graph_gv_default *table) {
    for (; table->name; table++) {
        if (!agattr(g->g, table->kind, plain(table->name), plain(table->value))) {
            g->failed = true;
        }
    }
}

void graph_gv_set(struct graph_gv_graph *g, void *object, const char *name, const char *value) {
    if (!object || agset(object, plain(name), plain(value)) != 0) {
        g->failed = true;
    }
}

void graph_gv_set_buf(struct graph_gv_graph *g, void *object, const char *name, struct buf *value) {
    buf_add_char(value, '\0');
    if (value->failed) {
        g->failed = true;
    } else {
        graph_gv_set(g, object, name, (const char *)value->p);
    }
}

void graph_gv_set_label(struct graph_gv_graph *g, void *object, const char *html) {
    char *label = html ? agstrdup_html(g->g, plain(html)) : NULL;

    if (label) {
        graph_gv_set(g, object, "label", label);
    } else if (html) {
        g->failed = true;
    }
}

void graph_gv_number(struct buf *b, double v) {
    long long thousandths = (long long)(v * 1000.0 + (v < 0 ? -0.5 : 0.5));
    unsigned long long size = (unsigned long long)(thousandths < 0 ? -thousandths : thousandths);

    buf_printf(b, "%s%llu.%03llu", thousandths < 0 ? "-" : "", size / 1000, size % 1000);
}

void graph_gv_pair(struct buf *b, double x, double y) {
    graph_gv_number(b, x);
    buf_add_char(b, ',');
    graph_gv_number(b, y);
}

void graph_gv_set_inches(struct graph_gv_graph *g, void *object, const char *name, double points) {
    struct buf text;

    buf_init(&text, NUMBER_MAX_BYTES);
    graph_gv_number(&text, points / (double)POINTS_PER_INCH);
    graph_gv_set_buf(g, object, name, &text);
    buf_release(&text);
}

static void add_clusters(struct graph_gv_graph *g, const struct graph_view *view) {
    char name[NAME_MAX_BYTES];

    for (size_t i = 0; i < view->n_clusters; i++) {
        uint32_t parent = view->clusters[i].parent;

        snprintf(name, sizeof(name), "cluster_m%zu", i);
        g->clusters[i] = agsubg(parent == ONNX_NONE ? g->g : g->clusters[parent], name, 1);
        graph_gv_set(g, g->clusters[i], "id", name + sizeof("cluster_") - 1);
    }
}

static void add_nodes(struct graph_gv_graph *g, const struct graph_view *view,
                      const struct graph_labels *labels, bool nests) {
    char name[NAME_MAX_BYTES];

    for (size_t i = 0; i < view->n_nodes; i++) {
        uint32_t cluster = view->nodes[i].cluster;

        snprintf(name, sizeof(name), "n%zu", i);
        g->nodes[i] = agnode(nests && cluster != ONNX_NONE ? g->clusters[cluster] : g->g, name, 1);
        graph_gv_set(g, g->nodes[i], "id", name);
        graph_gv_set_inches(g, g->nodes[i], "width", labels->nodes[i].w);
        graph_gv_set_inches(g, g->nodes[i], "height", labels->nodes[i].h);
    }
}

static void add_edges(struct graph_gv_graph *g, const struct graph_view *view,
                      const bool *left_out) {
    char name[NAME_MAX_BYTES];

    for (size_t i = 0; i < view->n_edges; i++) {
        const struct graph_view_edge *edge = &view->edges[i];

        if (left_out && left_out[i]) {
            continue;
        }
        snprintf(name, sizeof(name), "e%zu", i);
        g->edges[i] = agedge(g->g, g->nodes[edge->from], g->nodes[edge->to], name, 1);
        graph_gv_set(g, g->edges[i], "id", name);
    }
}

int graph_gv_graph_init(struct graph_gv_graph *out, const struct graph_view *view,
                        const struct graph_labels *labels, const struct graph_gv_extent *extent,
                        struct error *err) {
    struct graph_gv_graph g = {0};

    g.g = graph_gv_open();
    g.clusters = calloc(view->n_clusters + 1, sizeof(struct Agraph_s *));
    g.nodes = calloc(view->n_nodes + 1, sizeof(struct Agnode_s *));
    g.edges = calloc(view->n_edges + 1, sizeof(struct Agedge_s *));
    if (g.g && g.clusters && g.nodes && g.edges) {
        graph_gv_defaults(&g, defaults);
        add_clusters(&g, view);
        add_nodes(&g, view, labels, extent->nests);
        add_edges(&g, view, extent->left_out);
    } else {
        g.failed = true;
    }
    if (g.failed) {
        graph_gv_graph_release(&g);
        return error_set(err, ERR_NOMEM, "no memory for the graph that libgvc draws");
    }
    *out = g;
    return 0;
}

void graph_gv_close_clusters(struct graph_gv_graph *g) {
    struct Agraph_s *cluster;

    while ((cluster = agfstsubg(g->g)) && agclose(cluster) == 0) {
    }
}

void graph_gv_graph_release(struct graph_gv_graph *g) {
    if (g->g) {
        agclose(g->g);
    }
    free(g->clusters);
    free(g->nodes);
    free(g->edges);
    *g = (struct graph_gv_graph){0};
}
