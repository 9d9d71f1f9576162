#include "graph/layout_engine_internal.h"

static struct graph_point label_centre(struct graph_box box) {
    return (struct graph_point){box.x + box.w / 2, box.y + box.h / 2};
}

static void put_caption(struct layout_engine *e, uint32_t cluster) {
    const struct layout_variant *v = layout_variant_at(e, cluster);
    double w = e->labels->clusters[cluster].w, h = e->labels->clusters[cluster].h;
    struct graph_box box;

    graph_layout_turn_size(e->view->options->graph_dir, &w, &h);
    box = (struct graph_box){e->origin[cluster].x + v->placed.caption_x,
                             e->origin[cluster].y + v->placed.caption_y, w, h};
    e->out->cluster_labels[cluster] = label_centre(graph_layout_turn_box(&e->turn, box));
}

static void put_items(struct layout_engine *e, uint32_t container) {
    const struct layout_local *local = &e->locals.of[container];
    const struct layout_variant *v = layout_variant_at(e, container);

    for (uint32_t i = 0; i < local->n_items; i++) {
        uint32_t item = local->items[i];
        struct graph_box box = {e->origin[container].x + v->placed.x[i] - v->items[i].w / 2,
                                e->origin[container].y + v->placed.top[i], v->items[i].w,
                                v->items[i].h};

        if (layout_is_cluster(e, item)) {
            e->origin[layout_cluster_of(e, item)] = (struct graph_point){box.x, box.y};
            e->out->clusters[layout_cluster_of(e, item)] = graph_layout_turn_box(&e->turn, box);
            put_caption(e, layout_cluster_of(e, item));
        } else {
            e->out->nodes[item] = graph_layout_turn_box(&e->turn, box);
        }
    }
}

static struct graph_point *copy_way(struct layout_engine *e, const struct layout_way *way,
                                    struct graph_point origin, bool is_up) {
    struct graph_point *points = arena_array(&e->out->arena, way->n, sizeof(*points));

    for (uint32_t i = 0; points && i < way->n; i++) {
        struct graph_point p = e->points.items[way->first + i];

        points[is_up ? way->n - 1 - i : i] =
            graph_layout_turn_point(&e->turn, (struct graph_point){origin.x + p.x, origin.y + p.y});
    }
    return points;
}

// Out of the right side of a node and back into it.
static bool put_loop(struct layout_engine *e, uint32_t edge) {
    const struct graph_view_edge *view_edge = &e->view->edges[edge];
    const struct layout_locals *l = &e->locals;
    uint32_t cluster = e->view->nodes[view_edge->from].cluster;
    uint32_t container = cluster == ONNX_NONE ? layout_root_of(e) : cluster;
    uint32_t place = l->place[view_edge->from];
    const struct layout_variant *v = layout_variant_at(e, container);
    const struct layout_item *item = &v->items[place];
    double x = v->placed.x[place] + item->w / 2, y = v->placed.top[place] + item->h / 2;
    double reach = LAYOUT_LOOP_SIDE, half = item->h / 4;
    struct graph_point points[4] = {
        {x, y + half}, {x + reach, y + 2 * half}, {x + reach, y - 2 * half}, {x, y - half}};
    struct graph_route *route = arena_alloc(&e->out->arena, sizeof(*route));
    struct graph_point *turned = arena_array(&e->out->arena, 4, sizeof(*turned));

    if (!route || !turned) {
        return false;
    }
    for (uint32_t i = 0; i < 4; i++) {
        turned[i] = graph_layout_turn_point(
            &e->turn,
            (struct graph_point){e->origin[container].x + graph_layout_round(points[i].x),
                                 e->origin[container].y + graph_layout_round(points[i].y)});
    }
    *route = (struct graph_route){.points = turned, .n = 4, .arrow = true};
    e->out->edges[edge].routes = route;
    e->out->edges[edge].n_routes = 1;
    return true;
}

// The edges of a net that lead into one box share the whole way there.
static uint32_t shared_points(struct layout_engine *e, const struct layout_piece *piece,
                              const struct layout_way *way) {
    bool *is_drawn = &e->is_drawn[e->first_arc[piece->container] + piece->arc];
    uint32_t n = *is_drawn ? way->n : way->shared;

    *is_drawn = true;
    return n;
}

static bool put_edge(struct layout_engine *e, uint32_t edge) {
    const struct layout_locals *l = &e->locals;
    uint32_t n = l->n_pieces[edge];
    bool is_up = l->is_up[edge];
    struct graph_route *routes = arena_array(&e->out->arena, n, sizeof(*routes));

    if (!n) {
        return put_loop(e, edge);
    }
    if (!routes) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct layout_piece *piece = &l->pieces[l->first_piece[edge] + i];
        const struct layout_way *way = &layout_variant_at(e, piece->container)->ways[piece->arc];
        struct graph_route *route = &routes[is_up ? n - 1 - i : i];

        route->points = copy_way(e, way, e->origin[piece->container], is_up);
        route->n = way->n;
        route->shared = is_up ? 0 : shared_points(e, piece, way);
        if (!route->points) {
            return false;
        }
    }
    routes[n - 1].arrow = true;
    e->out->edges[edge].routes = routes;
    e->out->edges[edge].n_routes = n;
    return true;
}

int graph_layout_picture(struct layout_engine *e, struct error *err) {
    const struct layout_variant *root = layout_variant_at(e, layout_root_of(e));

    e->turn = (struct layout_turn){e->view->options->graph_dir, root->placed.w, root->placed.h};
    e->out->w = root->placed.w;
    e->out->h = root->placed.h;
    graph_layout_turn_size(e->turn.dir, &e->out->w, &e->out->h);
    if (e->out->w > GRAPH_LAYOUT_EXTENT_MAX || e->out->h > GRAPH_LAYOUT_EXTENT_MAX) {
        return error_set(err, ERR_LIMIT, "the picture would be %.0f by %.0f points, %.0f at most",
                         e->out->w, e->out->h, GRAPH_LAYOUT_EXTENT_MAX);
    }
    put_items(e, layout_root_of(e));
    for (uint32_t c = 0; c < layout_root_of(e); c++) {
        put_items(e, c);
    }
    for (uint32_t i = 0; i < e->view->n_edges; i++) {
        if (!put_edge(e, i)) {
            return arena_error(&e->out->arena, "the layout", err);
        }
    }
    return 0;
}
