#include "graph/view_fold_internal.h"

enum step_kind { STEP_ENTER, STEP_LEAVE, STEP_PLACE };

struct step {
    enum step_kind kind;
    uint32_t id;  // region, or net node
};

struct found {
    uint32_t region, id;
};

struct laying {
    struct view_build *b;
    struct view_line *line;
    struct found *found;  // siblings in execution order
    uint32_t n_found;
    bool *met;             // per region
    uint32_t *first_tail;  // per region: hidden nodes it owns itself
    uint32_t *next_tail;   // per net node
    struct step *steps;    // stack
    size_t n_steps;
};

static void note(struct laying *l, uint32_t region, uint32_t id) {
    l->found[l->n_found++] = (struct found){region, id};
}

// A region stands where the first node in it stands; a body stands with its holder.
static void meet(struct laying *l, uint32_t region) {
    const struct view_build *b = l->b;
    uint32_t r = region;

    while (r != 0 && !l->met[r]) {
        l->met[r] = true;
        if (b->regions[r].is_body) {
            return;
        }
        note(l, b->regions[r].parent, (uint32_t)b->model->net.n_nodes + r);
        r = b->regions[r].parent;
    }
}

static bool is_on_line(const struct view_build *b, uint32_t node) {
    return !b->hidden[node] || !graph_plumbing_is_fixed(b->model->plumbing.nodes[node]);
}

// What is drawn decides where a region stands: exporters move shape arithmetic about.
static void find_items(struct laying *l) {
    const struct view_build *b = l->b;
    const struct graph_net *net = &b->model->net;

    for (size_t i = 0; i < net->n_nodes; i++) {
        uint32_t node = net->order[i];

        if (b->hidden[node]) {
            continue;
        }
        note(l, b->node_region[node], node);
        meet(l, b->node_region[node]);
    }
    for (size_t i = net->n_nodes; i-- > 0;) {
        uint32_t node = net->order[i], region = b->node_region[node];

        if (!b->hidden[node] || !is_on_line(b, node)) {
            continue;
        }
        l->next_tail[node] = l->first_tail[region];
        l->first_tail[region] = node;
    }
    for (size_t i = 0; i < net->n_nodes; i++) {
        if (b->hidden[net->order[i]] && is_on_line(b, net->order[i])) {
            meet(l, b->node_region[net->order[i]]);
        }
    }
}

static void sort_items(struct laying *l) {
    struct view_line *line = l->line;
    uint32_t *first = line->first_item, n = l->b->n_regions;

    for (uint32_t i = 0; i < l->n_found; i++) {
        first[l->found[i].region + 1]++;
    }
    for (uint32_t r = 0; r < n; r++) {
        first[r + 1] += first[r];
    }
    for (uint32_t i = l->n_found; i-- > 0;) {
        line->items[--first[l->found[i].region + 1]].id = l->found[i].id;
    }
    // Each offset has moved to where its own region starts: one place too far up.
    for (uint32_t r = 0; r < n; r++) {
        first[r] = first[r + 1];
    }
    first[n] = l->n_found;
}

static void push(struct laying *l, enum step_kind kind, uint32_t id) {
    l->steps[l->n_steps++] = (struct step){kind, id};
}

static void push_item(struct laying *l, uint32_t id) {
    const struct view_build *b = l->b;
    uint32_t n_nodes = (uint32_t)b->model->net.n_nodes;

    if (id >= n_nodes) {
        push(l, STEP_ENTER, id - n_nodes);
        return;
    }
    push(l, STEP_PLACE, id);
    for (uint32_t g = b->first_body[id]; g != ONNX_NONE; g = b->next_body[g]) {
        push(l, STEP_ENTER, b->body_region[g]);
    }
}

static void enter(struct laying *l, uint32_t region) {
    struct view_line *line = l->line;

    line->lo[region] = line->n;
    line->rank[region] = line->n_regions;
    line->regions[line->n_regions++] = region;
    push(l, STEP_LEAVE, region);
    for (uint32_t n = l->first_tail[region]; n != ONNX_NONE; n = l->next_tail[n]) {
        push(l, STEP_PLACE, n);
    }
    for (uint32_t i = line->first_item[region + 1]; i-- > line->first_item[region];) {
        push_item(l, line->items[i].id);
    }
}

static void lay(struct laying *l) {
    struct view_line *line = l->line;

    push(l, STEP_ENTER, 0);
    while (l->n_steps > 0) {
        struct step step = l->steps[--l->n_steps];

        if (step.kind == STEP_ENTER) {
            enter(l, step.id);
        } else if (step.kind == STEP_LEAVE) {
            line->hi[step.id] = line->n;
            line->rank_end[step.id] = line->n_regions;
        } else {
            line->place[step.id] = line->n;
            line->nodes[line->n++] = step.id;
        }
    }
}

static void measure_region(const struct view_line *line, struct view_item *item, uint32_t region) {
    item->lo = line->lo[region];
    item->n = line->hi[region] - item->lo;
    item->rank = line->rank[region];
    item->n_regions = line->rank_end[region] - item->rank;
}

static void measure_operator(const struct laying *l, struct view_item *item) {
    const struct view_build *b = l->b;
    const struct view_line *line = l->line;
    uint32_t end = 0;

    item->lo = line->place[item->id];
    item->rank = ONNX_NONE;
    for (uint32_t g = b->first_body[item->id]; g != ONNX_NONE; g = b->next_body[g]) {
        uint32_t body = b->body_region[g];

        item->lo = line->lo[body] < item->lo ? line->lo[body] : item->lo;
        item->rank = line->rank[body] < item->rank ? line->rank[body] : item->rank;
        end = line->rank_end[body] > end ? line->rank_end[body] : end;
    }
    item->n = line->place[item->id] + 1 - item->lo;
    item->n_regions = item->rank == ONNX_NONE ? 0 : end - item->rank;
}

static void measure(const struct laying *l) {
    uint32_t n_nodes = (uint32_t)l->b->model->net.n_nodes;

    for (uint32_t i = 0; i < l->n_found; i++) {
        struct view_item *item = &l->line->items[i];

        if (item->id >= n_nodes) {
            measure_region(l->line, item, item->id - n_nodes);
        } else {
            measure_operator(l, item);
        }
    }
}

static int allocate(struct laying *l, struct error *err) {
    struct view_build *b = l->b;
    struct view_line *line = l->line;
    size_t nodes = b->model->net.n_nodes, regions = b->n_regions, both = nodes + regions;

    l->found = arena_array(&b->work, both, sizeof(*l->found));
    l->met = arena_array(&b->work, regions, sizeof(*l->met));
    l->first_tail = arena_array(&b->work, regions, sizeof(*l->first_tail));
    l->next_tail = arena_array(&b->work, nodes, sizeof(*l->next_tail));
    l->steps = arena_array(&b->work, both + regions, sizeof(*l->steps));
    line->nodes = arena_array(&b->work, nodes, sizeof(*line->nodes));
    line->place = arena_array(&b->work, nodes, sizeof(*line->place));
    line->lo = arena_array(&b->work, regions, sizeof(*line->lo));
    line->hi = arena_array(&b->work, regions, sizeof(*line->hi));
    line->regions = arena_array(&b->work, regions, sizeof(*line->regions));
    line->rank = arena_array(&b->work, regions, sizeof(*line->rank));
    line->rank_end = arena_array(&b->work, regions, sizeof(*line->rank_end));
    line->items = arena_array(&b->work, both, sizeof(*line->items));
    line->first_item = arena_array(&b->work, regions + 1, sizeof(*line->first_item));
    if (!l->found || !l->met || !l->first_tail || !l->next_tail || !l->steps || !line->nodes ||
        !line->place || !line->lo || !line->hi || !line->regions || !line->rank ||
        !line->rank_end || !line->items || !line->first_item) {
        return arena_error(&b->work, "the line of a view", err);
    }
    memset(l->first_tail, 0xFF, regions * sizeof(*l->first_tail));
    memset(line->place, 0xFF, nodes * sizeof(*line->place));
    memset(line->rank, 0xFF, regions * sizeof(*line->rank));
    return 0;
}

int view_line_init(struct view_line *line, struct view_build *b, struct error *err) {
    struct laying l = {.b = b, .line = line};
    int rc;

    *line = (struct view_line){0};
    rc = allocate(&l, err);
    if (rc < 0) {
        return rc;
    }
    find_items(&l);
    sort_items(&l);
    lay(&l);
    measure(&l);
    return 0;
}
