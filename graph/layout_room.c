#include "graph/layout_room.h"

#include "graph/layout_dir.h"

static bool has_labels(const struct graph_view *view, const struct graph_labels *labels) {
    for (size_t i = 0; i < view->n_edges; i++) {
        if (labels->edges[i].html) {
            return true;
        }
    }
    return false;
}

// The piece that ends in the arrowhead: there labels are tried first (graph/layout_label.c).
static const struct layout_piece *last_piece(const struct layout_locals *locals, size_t edge) {
    uint32_t n = locals->n_pieces[edge];

    if (!n) {
        return NULL;
    }
    return &locals->pieces[locals->first_piece[edge] + (locals->is_up[edge] ? 0 : n - 1)];
}

int graph_layout_room(double **out, const struct layout_locals *locals, const size_t *first_arc,
                      size_t n_arcs, const struct graph_view *view,
                      const struct graph_labels *labels, struct arena *arena, struct error *err) {
    double *room;

    *out = NULL;
    if (!has_labels(view, labels)) {
        return 0;
    }
    room = arena_array(arena, n_arcs, sizeof(*room));
    if (!room) {
        return arena_error(arena, "the layout", err);
    }
    for (size_t i = 0; i < view->n_edges; i++) {
        const struct layout_piece *piece = last_piece(locals, i);
        double across = labels->edges[i].w, along = labels->edges[i].h;
        double *of;

        if (!piece || !labels->edges[i].html) {
            continue;
        }
        graph_layout_turn_size(view->options->graph_dir, &across, &along);
        of = &room[first_arc[piece->container] + piece->arc];
        *of = *of < along ? along : *of;
    }
    *out = room;
    return 0;
}
