#include <gvc.h>

#include "graph/render_gv.h"
#include "graph/render_gv_internal.h"

static char cluster_name[] = "cluster_m0", node_name[] = "n0";
static char label_attribute[] = "label", engine[] = "dot", format[] = "svg";
static char label[] = "<table border=\"0\"><tr><td><b>n</b></td></tr></table>";

static bool is_warm;

// What a first render would otherwise do under the limits of a job: the context, libgvc's tables,
// the parser of labels, the engine and the SVG writer.
static void draw_tiny(GVC_t *gvc, Agraph_t *g) {
    char *data = NULL;
    unsigned n = 0;

    (void)agattr(g, AGNODE, label_attribute, agstrdup_html(g, label));
    (void)agnode(agsubg(g, cluster_name, 1), node_name, 1);
    if (gvLayout(gvc, g, engine) != 0) {
        return;
    }
    if (gvRenderData(gvc, g, format, &data, &n) == 0) {
        gvFreeRenderData(data);
    }
    (void)gvFreeLayout(gvc, g);
}

int graph_render_gv_warm(struct error *err) {
    GVC_t *gvc = graph_gv_context();
    Agraph_t *g;

    if (is_warm) {
        return 0;
    }
    g = gvc ? graph_gv_open() : NULL;
    if (!g) {
        return error_set(err, ERR_NOMEM, "no memory for libgvc");
    }
    graph_gv_messages_reset();
    draw_tiny(gvc, g);
    (void)agclose(g);
    is_warm = true;
    return graph_gv_messages_check("dot", err);
}
