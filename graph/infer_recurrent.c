// RNN, GRU and LSTM: X (seq, batch, input), W (directions, gates*hidden, input),
// R (directions, gates*hidden, hidden); with layout 1 the batch comes first.
#include "graph/infer_rules.h"

static struct graph_dim hidden_size(const struct infer *c) {
    int64_t hidden = infer_attr_int(c, "hidden_size", -1);
    return hidden > 0 ? infer_known_dim(hidden) : dim_to(infer_dim_in(c, 2, -1));
}

static struct graph_dim directions(const struct infer *c) {
    bool both = str_eq_z(infer_attr_str(c, "direction", "forward"), "bidirectional");
    return infer_known_dim(both ? 2 : 1);
}

void infer_recurrent(struct infer *c) {
    int32_t dtype = infer_in(c, 0)->dtype;
    bool batch_first = infer_attr_int(c, "layout", 0) != 0;
    struct graph_dim seq = dim_to(infer_dim_in(c, 0, batch_first ? 1 : 0));
    struct graph_dim batch = dim_to(infer_dim_in(c, 0, batch_first ? 0 : 1));
    struct graph_dim n = directions(c), hidden = hidden_size(c);
    const struct graph_dim all[2][4] = {{seq, n, batch, hidden}, {batch, seq, n, hidden}};
    const struct graph_dim last[2][3] = {{n, batch, hidden}, {batch, n, hidden}};
    infer_out(c, 0, dtype, 4, all[batch_first]);
    for (uint32_t i = 1; i < 3; i++) {
        infer_out(c, i, dtype, 3, last[batch_first]);
    }
}
