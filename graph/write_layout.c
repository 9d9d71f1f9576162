#include "graph/write_layout.h"

#include "graph/write_json.h"

#define CURVE_PARTS 8

static void add_pair(struct json_write *json, double x, double y) {
    json_open_array(json);
    json_add_double(json, x);
    json_add_double(json, y);
    json_close_array(json);
}

void graph_write_size(struct json_write *json, const struct graph_layout *layout) {
    json_key(json, "size");
    add_pair(json, layout->w, layout->h);
}

void graph_write_box(struct json_write *json, struct graph_box box) {
    json_key(json, "box");
    json_open_array(json);
    json_add_double(json, box.x);
    json_add_double(json, box.y);
    json_add_double(json, box.w);
    json_add_double(json, box.h);
    json_close_array(json);
}

static bool is_line(const struct graph_point *p) {
    return (p[0].x == p[1].x && p[1].x == p[2].x && p[2].x == p[3].x) ||
           (p[0].y == p[1].y && p[1].y == p[2].y && p[2].y == p[3].y);
}

static double cubic(double a, double b, double c, double d, double t) {
    double s = 1 - t;

    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

static void add_curve(struct json_write *json, const struct graph_point *p) {
    int parts = is_line(p) ? 1 : CURVE_PARTS;

    for (int i = 1; i <= parts; i++) {
        double t = (double)i / parts;

        add_pair(json, graph_layout_round(cubic(p[0].x, p[1].x, p[2].x, p[3].x, t)),
                 graph_layout_round(cubic(p[0].y, p[1].y, p[2].y, p[3].y, t)));
    }
}

void graph_write_routes(struct json_write *json, const struct graph_edge_place *edge) {
    json_key(json, "routes");
    json_open_array(json);
    for (uint32_t i = 0; i < edge->n_routes; i++) {
        const struct graph_route *route = &edge->routes[i];

        json_open_array(json);
        add_pair(json, graph_layout_round(route->points[0].x),
                 graph_layout_round(route->points[0].y));
        for (uint32_t k = 0; k + 3 < route->n; k += 3) {
            add_curve(json, &route->points[k]);
        }
        json_close_array(json);
    }
    json_close_array(json);
}

int graph_write_layout(struct buf *out, const struct graph_view *view,
                       const struct graph_layout *layout, struct error *err) {
    return graph_write_view(out, view, layout, err);
}
