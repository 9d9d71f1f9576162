#include <math.h>
#include <stdbool.h>

#include <gvc.h>
#include <gvplugin_render.h>

#include "graph/render_gv_internal.h"

// Four sides and four corners, three points each behind the first.
#define OUTLINE_POINTS 25
#define QUARTER 0.5523  // of the radius: how far control points of a quarter of a circle lie

extern gvplugin_library_t gvplugin_pango_LTX_library;

static gvrender_engine_t cairo, ours;
static double node_radius, cluster_radius;

struct pen {
    pointf *at;
    pointf from;
};

static void line_to(struct pen *pen, double x, double y) {
    const pointf to = {x, y};

    *pen->at++ = pen->from;
    *pen->at++ = to;
    *pen->at++ = to;
    pen->from = to;
}

// Around a corner that lies at (x, y).
static void turn_to(struct pen *pen, double x, double y, pointf to) {
    *pen->at++ = (pointf){pen->from.x + (x - pen->from.x) * QUARTER,
                          pen->from.y + (y - pen->from.y) * QUARTER};
    *pen->at++ = (pointf){to.x + (x - to.x) * QUARTER, to.y + (y - to.y) * QUARTER};
    *pen->at++ = to;
    pen->from = to;
}

static boxf box_around(const pointf *points, int n) {
    boxf box = {points[0], points[0]};

    for (int i = 1; i < n; i++) {
        box.LL.x = fmin(box.LL.x, points[i].x);
        box.LL.y = fmin(box.LL.y, points[i].y);
        box.UR.x = fmax(box.UR.x, points[i].x);
        box.UR.y = fmax(box.UR.y, points[i].y);
    }
    return box;
}

static void outline(pointf points[OUTLINE_POINTS], boxf b, double radius) {
    double r = fmin(radius, fmin(b.UR.x - b.LL.x, b.UR.y - b.LL.y) / 2);
    struct pen pen = {points, {b.LL.x + r, b.LL.y}};

    *pen.at++ = pen.from;
    line_to(&pen, b.UR.x - r, b.LL.y);
    turn_to(&pen, b.UR.x, b.LL.y, (pointf){b.UR.x, b.LL.y + r});
    line_to(&pen, b.UR.x, b.UR.y - r);
    turn_to(&pen, b.UR.x, b.UR.y, (pointf){b.UR.x - r, b.UR.y});
    line_to(&pen, b.LL.x + r, b.UR.y);
    turn_to(&pen, b.LL.x, b.UR.y, (pointf){b.LL.x, b.UR.y - r});
    line_to(&pen, b.LL.x, b.LL.y + r);
    turn_to(&pen, b.LL.x, b.LL.y, (pointf){b.LL.x + r, b.LL.y});
}

static void curve(GVJ_t *job, pointf *points, int n, int start, int end, int filled) {
    pointf rounded[OUTLINE_POINTS];
    obj_type type = job->obj ? job->obj->type : EDGE_OBJTYPE;

    if (n == OUTLINE_POINTS && (type == NODE_OBJTYPE || type == CLUSTER_OBJTYPE)) {
        outline(rounded, box_around(points, n),
                type == NODE_OBJTYPE ? node_radius : cluster_radius);
        points = rounded;
    }
    cairo.beziercurve(job, points, n, start, end, filled);
}

void graph_gv_corners(double node, double cluster) {
    node_radius = node;
    cluster_radius = cluster;
}

bool graph_gv_wrap_cairo(struct graph_gv_renderer *out) {
    const gvplugin_api_t *api = gvplugin_pango_LTX_library.apis;

    while (api->types && api->api != API_render) {
        api++;
    }
    if (!api->types) {
        return false;
    }
    cairo = *(const gvrender_engine_t *)api->types->engine;
    ours = cairo;
    ours.beziercurve = curve;
    *out = (struct graph_gv_renderer){api->types->id, &ours, api->types->features};
    return true;
}
