#include "graph/layout_engine.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "graph/layout_engine_internal.h"
#include "graph/layout_label.h"
#include "graph/layout_room.h"

#define SHAPES_MAX ((size_t)1 << 20)
#define CLUSTER_WORD 0x80000000u  // tells clusters from nodes in a sequence

static int no_memory(struct layout_engine *e, struct error *err) {
    return arena_error(&e->arena, "the layout", err);
}

// ---- shapes, from the inside out

static void node_size(const struct layout_engine *e, uint32_t node, double *w, double *h) {
    *w = e->labels->nodes[node].w;
    *h = e->labels->nodes[node].h;
    graph_layout_turn_size(e->view->options->graph_dir, w, h);
}

static void write_items(struct layout_engine *e, const struct layout_local *local) {
    for (uint32_t i = 0; i < local->n_items; i++) {
        uint32_t item = local->items[i];
        double w, h;

        if (layout_is_cluster(e, item)) {
            graph_layout_memo_add(&e->shape_memo,
                                  CLUSTER_WORD | e->shape_of[layout_cluster_of(e, item)]);
            continue;
        }
        node_size(e, item, &w, &h);
        graph_layout_memo_add(&e->shape_memo, (uint32_t)lrint(w) << 1 | e->has_loop[item]);
        graph_layout_memo_add(&e->shape_memo, (uint32_t)lrint(h));
    }
}

static const double *room_of(const struct layout_engine *e, uint32_t container) {
    return e->room ? &e->room[e->first_arc[container]] : NULL;
}

static void write_arcs(struct layout_engine *e, uint32_t container) {
    const struct layout_local *local = &e->locals.of[container];
    const double *room = room_of(e, container);

    for (uint32_t i = 0; i < local->n_arcs; i++) {
        graph_layout_memo_add(&e->shape_memo, local->arcs[i].from);
        graph_layout_memo_add(&e->shape_memo, local->arcs[i].to);
        graph_layout_memo_add(&e->shape_memo, local->arcs[i].from_slot);
        graph_layout_memo_add(&e->shape_memo, local->arcs[i].to_slot);
        if (room) {
            graph_layout_memo_add(&e->shape_memo, (uint32_t)lrint(room[i]));
        }
    }
}

static void write_shape(struct layout_engine *e, uint32_t container) {
    const struct layout_local *local = &e->locals.of[container];
    struct layout_memo *memo = &e->shape_memo;

    graph_layout_memo_add(memo, local->n_items);
    graph_layout_memo_add(memo, local->n_in);
    graph_layout_memo_add(memo, local->n_out);
    if (container == layout_root_of(e)) {
        graph_layout_memo_add(memo, UINT32_MAX);
    } else {
        graph_layout_memo_add(memo, (uint32_t)lrint(e->labels->clusters[container].w));
        graph_layout_memo_add(memo, (uint32_t)lrint(e->labels->clusters[container].h));
    }
    if (e->switches->no_memo) {
        graph_layout_memo_add(memo, container);
    }
    write_items(e, local);
    write_arcs(e, container);
}

// Ports of the clusters inside, as these would like them.
static bool collect_ports(struct layout_engine *e, struct layout_fixed *fixed,
                          const struct layout_local *local) {
    struct layout_ports *in = arena_array(&e->arena, local->n_items, sizeof(*in));
    struct layout_ports *out = arena_array(&e->arena, local->n_items, sizeof(*out));

    if (!in || !out) {
        return false;
    }
    for (uint32_t i = 0; i < local->n_items; i++) {
        const struct layout_shape *child;

        if (!layout_is_cluster(e, local->items[i])) {
            continue;
        }
        child = &e->shapes[e->shape_of[layout_cluster_of(e, local->items[i])]];
        in[i] = child->in;
        out[i] = child->out;
    }
    *fixed = (struct layout_fixed){.in = in, .out = out};
    return true;
}

static void read_ports(struct layout_shape *shape) {
    const struct layout_local *local = shape->layers.local;

    shape->in = (struct layout_ports){&shape->order.pos[local->n_items], local->n_in};
    shape->out =
        (struct layout_ports){&shape->order.pos[local->n_items + local->n_in], local->n_out};
}

static int add_shape(struct layout_engine *e, uint32_t container, struct error *err) {
    const struct layout_local *local = &e->locals.of[container];
    struct layout_shape *shape;
    int rc = array_grow(&e->shapes, &e->cap_shapes, e->n_shapes + 1, sizeof(*e->shapes), SHAPES_MAX,
                        "boxes of the layout", err);

    if (rc < 0) {
        return rc;
    }
    shape = &e->shapes[e->n_shapes++];
    if (!graph_layout_layers(&shape->layers, local, &e->virtual_left, &e->arena) ||
        !collect_ports(e, &shape->fixed, local) ||
        !graph_layout_order(&shape->order, &shape->layers, &shape->fixed, NULL, &e->arena)) {
        return no_memory(e, err);
    }
    read_ports(shape);
    return 0;
}

static int make_shapes(struct layout_engine *e, struct error *err) {
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < e->locals.n_containers; i++) {
        uint32_t c = i + 1 < e->locals.n_containers ? layout_root_of(e) - 1 - i : layout_root_of(e);

        write_shape(e, c);
        if (!graph_layout_memo_find(&e->shape_memo, (uint32_t)e->n_shapes, &e->shape_of[c])) {
            return no_memory(e, err);
        }
        if (e->shape_of[c] == e->n_shapes) {
            rc = add_shape(e, c, err);
        }
        e->out->cuts.lanes += rc == 0 ? e->shapes[e->shape_of[c]].layers.n_lanes : 0;
        e->out->cuts.wrapped += rc == 0 ? e->shapes[e->shape_of[c]].layers.ranks.wrapped : 0;
    }
    return rc;
}

// ---- variants, from the outside in

static void write_ports(struct layout_engine *e, const struct layout_ports *ports) {
    for (uint32_t i = 0; i < ports->n; i++) {
        graph_layout_memo_add(&e->variant_memo, ports->place[i]);
    }
}

static int find_variant(struct layout_engine *e, uint32_t container, const struct layout_ports *in,
                        const struct layout_ports *out, uint32_t *found, struct error *err) {
    struct layout_variant *v;
    int rc;

    graph_layout_memo_add(&e->variant_memo, e->shape_of[container]);
    write_ports(e, in);
    write_ports(e, out);
    if (!graph_layout_memo_find(&e->variant_memo, (uint32_t)e->n_variants, found)) {
        return no_memory(e, err);
    }
    if (*found < e->n_variants) {
        return 0;
    }
    rc = array_grow(&e->variants, &e->cap_variants, e->n_variants + 1, sizeof(*e->variants),
                    SHAPES_MAX, "boxes of the layout", err);
    if (rc < 0) {
        return rc;
    }
    v = &e->variants[e->n_variants++];
    v->shape = e->shape_of[container];
    v->fixed = e->shapes[v->shape].fixed;
    v->fixed.own_in = *in;
    v->fixed.own_out = *out;
    return 0;
}

static bool same_ports(const struct layout_ports *a, const struct layout_ports *b) {
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->place[i] != b->place[i]) {
            return false;
        }
    }
    return true;
}

static bool order_variant(struct layout_engine *e, struct layout_variant *v) {
    const struct layout_shape *shape = &e->shapes[v->shape];

    if (same_ports(&v->fixed.own_in, &shape->in) && same_ports(&v->fixed.own_out, &shape->out)) {
        v->order = shape->order;
        return true;
    }
    return graph_layout_order(&v->order, &shape->layers, &v->fixed, &shape->order, &e->arena);
}

// Ports of a child in the order of what stands around it.
static bool ask_ports(struct layout_engine *e, const struct layout_variant *v, uint32_t item,
                      bool is_in, struct layout_ports *ports) {
    const struct layout_ports *liked = is_in ? &v->fixed.in[item] : &v->fixed.out[item];
    uint32_t *place = arena_array(&e->arena, liked->n, sizeof(*place));

    *ports = (struct layout_ports){place, liked->n};
    return place && graph_layout_order_ports(place, &e->shapes[v->shape].layers, &v->order,
                                             &v->fixed, item, is_in, &e->arena);
}

// The variants of its children; e->variants may move.
static int open_variant(struct layout_engine *e, uint32_t number, uint32_t container,
                        struct error *err) {
    const struct layout_local *local = &e->locals.of[container];
    struct layout_variant v = e->variants[number];
    int rc = 0;

    v.children = arena_array(&e->arena, local->n_items, sizeof(*v.children));
    if (!v.children || !order_variant(e, &v)) {
        return no_memory(e, err);
    }
    for (uint32_t i = 0; rc == 0 && i < local->n_items; i++) {
        struct layout_ports in, out;

        if (!layout_is_cluster(e, local->items[i])) {
            continue;
        }
        if (!ask_ports(e, &v, i, true, &in) || !ask_ports(e, &v, i, false, &out)) {
            return no_memory(e, err);
        }
        rc = find_variant(e, layout_cluster_of(e, local->items[i]), &in, &out, &v.children[i], err);
    }
    e->variants[number] = v;
    return rc;
}

static int make_variants(struct layout_engine *e, struct error *err) {
    const struct layout_ports none = {NULL, 0};
    int rc =
        find_variant(e, layout_root_of(e), &none, &none, &e->variant_of[layout_root_of(e)], err);

    for (uint32_t i = 0; rc == 0 && i < e->locals.n_containers; i++) {
        uint32_t c = i ? i - 1 : layout_root_of(e), number = e->variant_of[c];
        const struct layout_local *local = &e->locals.of[c];

        if (!e->variants[number].children) {
            rc = open_variant(e, number, c, err);
        }
        for (uint32_t k = 0; rc == 0 && k < local->n_items; k++) {
            if (layout_is_cluster(e, local->items[k])) {
                e->variant_of[layout_cluster_of(e, local->items[k])] =
                    e->variants[number].children[k];
            }
        }
    }
    return rc;
}

// ---- placing, from the inside out

static void fill_item(const struct layout_engine *e, struct layout_item *out, uint32_t item,
                      const struct layout_variant *child) {
    if (child) {
        *out = (struct layout_item){.w = child->placed.w,
                                    .h = child->placed.h,
                                    .is_cluster = true,
                                    .in_x = child->placed.in_x,
                                    .out_x = child->placed.out_x};
        return;
    }
    *out = (struct layout_item){.side = e->has_loop[item] ? LAYOUT_LOOP_SIDE : 0};
    node_size(e, item, &out->w, &out->h);
}

static struct layout_caption caption_of(const struct layout_engine *e, uint32_t container) {
    const struct graph_label *label;
    struct layout_caption c = {.band = LAYOUT_BAND_NONE};

    if (container == layout_root_of(e)) {
        return c;
    }
    label = &e->labels->clusters[container];
    return (struct layout_caption){graph_layout_band(e->view->options->graph_dir), label->w,
                                   label->h};
}

static int place_variant(struct layout_engine *e, struct layout_variant *v, uint32_t container,
                         struct error *err) {
    const struct layout_local *local = &e->locals.of[container];
    const struct layout_layers *layers = &e->shapes[v->shape].layers;
    struct layout_caption caption = caption_of(e, container);

    v->items = arena_array(&e->arena, local->n_items, sizeof(*v->items));
    v->ways = arena_array(&e->arena, local->n_arcs, sizeof(*v->ways));
    if (!v->items || !v->ways) {
        return no_memory(e, err);
    }
    for (uint32_t i = 0; i < local->n_items; i++) {
        fill_item(e, &v->items[i], local->items[i],
                  layout_is_cluster(e, local->items[i]) ? &e->variants[v->children[i]] : NULL);
    }
    if (!graph_layout_place(&v->placed, layers, &v->order, &v->fixed, v->items, &caption,
                            room_of(e, container), &e->arena)) {
        return no_memory(e, err);
    }
    return graph_layout_route(v->ways, &e->points, layers, &v->placed, v->items, &e->arena, err);
}

static int place_variants(struct layout_engine *e, struct error *err) {
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < e->locals.n_containers; i++) {
        uint32_t c = i + 1 < e->locals.n_containers ? layout_root_of(e) - 1 - i : layout_root_of(e);
        struct layout_variant *v = &e->variants[e->variant_of[c]];

        if (!v->ways) {
            rc = place_variant(e, v, c, err);
        }
    }
    return rc;
}

// ---- all of it

static int engine_init(struct layout_engine *e, struct error *err) {
    int rc = graph_layout_local(&e->locals, e->view, &e->arena, err);
    size_t arcs = 0;

    if (rc < 0) {
        return rc;
    }
    e->shape_of = arena_array(&e->arena, e->locals.n_containers, sizeof(*e->shape_of));
    e->variant_of = arena_array(&e->arena, e->locals.n_containers, sizeof(*e->variant_of));
    e->origin = arena_array(&e->arena, e->locals.n_containers, sizeof(*e->origin));
    e->has_loop = arena_array(&e->arena, e->view->n_nodes, sizeof(*e->has_loop));
    e->first_arc = arena_array(&e->arena, e->locals.n_containers, sizeof(*e->first_arc));
    if (!e->shape_of || !e->variant_of || !e->origin || !e->has_loop || !e->first_arc) {
        return no_memory(e, err);
    }
    for (uint32_t c = 0; c < e->locals.n_containers; c++) {
        e->first_arc[c] = arcs;
        arcs += e->locals.of[c].n_arcs;
    }
    e->is_drawn = arena_array(&e->arena, arcs, sizeof(*e->is_drawn));
    if (!e->is_drawn) {
        return no_memory(e, err);
    }
    for (size_t i = 0; i < e->view->n_edges; i++) {
        if (e->view->edges[i].from == e->view->edges[i].to) {
            e->has_loop[e->view->edges[i].from] = true;
        }
    }
    e->out->cuts.merged = e->locals.merged;
    return graph_layout_room(&e->room, &e->locals, e->first_arc, arcs, e->view, e->labels,
                             &e->arena, err);
}

static void engine_release(struct layout_engine *e) {
    graph_layout_memo_release(&e->shape_memo);
    graph_layout_memo_release(&e->variant_memo);
    graph_layout_points_release(&e->points);
    free(e->shapes);
    free(e->variants);
    arena_release(&e->arena);
}

static void report(const struct layout_engine *e, struct layout_work *work) {
    if (!work) {
        return;
    }
    *work = (struct layout_work){.containers = e->locals.n_containers,
                                 .shapes = (uint32_t)e->n_shapes,
                                 .variants = (uint32_t)e->n_variants,
                                 .bytes = e->arena.used,
                                 .labels = e->label_work};
    for (uint32_t c = 0; c < e->locals.n_containers; c++) {
        work->crossings += layout_variant_at(e, c)->order.crossings;
    }
}

static int run(struct layout_engine *e, struct layout_work *work, struct error *err) {
    int rc = engine_init(e, err);

    if (rc == 0) {
        rc = make_shapes(e, err);
    }
    if (rc == 0) {
        rc = make_variants(e, err);
    }
    if (rc == 0) {
        rc = place_variants(e, err);
    }
    if (rc == 0) {
        rc = graph_layout_picture(e, err);
    }
    if (rc == 0) {
        rc = graph_layout_labels(e->out, e->view, e->labels, &e->label_work, err);
    }
    if (rc == 0) {
        report(e, work);
    }
    return rc;
}

int graph_layout_engine(struct graph_layout *out, const struct graph_view *view,
                        const struct graph_labels *labels, const struct layout_switches *switches,
                        struct layout_work *work, struct error *err) {
    struct graph_layout layout;
    struct layout_engine e = {.view = view,
                              .labels = labels,
                              .switches = switches,
                              .out = &layout,
                              .virtual_left = LAYOUT_VIRTUAL_TOTAL};
    int rc = graph_layout_init(&layout, view, err);

    if (rc < 0) {
        return rc;
    }
    arena_init(&e.arena, LAYOUT_WORK_BYTES);
    graph_layout_memo_init(&e.shape_memo, &e.arena);
    graph_layout_memo_init(&e.variant_memo, &e.arena);
    rc = run(&e, work, err);
    engine_release(&e);
    if (rc < 0) {
        graph_layout_release(&layout);
    } else {
        *out = layout;
    }
    return rc;
}

int graph_layout_run(struct graph_layout *out, const struct graph_view *view,
                     const struct graph_labels *labels, struct error *err) {
    static const struct layout_switches standard = {0};

    return graph_layout_engine(out, view, labels, &standard, NULL, err);
}
