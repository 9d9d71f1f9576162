#include "base/buf.h"
#include "graph/view_fold_internal.h"

struct str view_run_path(const struct view_fold *f, uint32_t region, uint32_t first,
                         struct buf *text) {
    const struct graph_hierarchy *h = &f->b->model->hierarchy;
    struct str path = h->modules[h->calls[f->b->regions[region].call].module].path;

    buf_add_str(text, path);
    buf_add_z(text, path.n ? ".~x" : "~x");
    buf_add_u64(text, (uint64_t)first + 1);
    return buf_str(text);
}

uint32_t view_stand_in(const struct view_build *b, uint32_t node) {
    return b->fold->stand_in[node];
}

static uint32_t n_net_nodes(const struct view_fold *f) {
    return (uint32_t)f->b->model->net.n_nodes;
}

uint32_t view_only_item(const struct view_fold *f, uint32_t region) {
    uint32_t only = ONNX_NONE;

    for (uint32_t i = f->line.first_item[region]; i < f->line.first_item[region + 1]; i++) {
        if (f->owner[i] == VIEW_DROPPED) {
            continue;
        }
        if (only != ONNX_NONE) {
            return ONNX_NONE;
        }
        only = i;
    }
    return only;
}

// ---- finding the runs of all regions that stay

static void push_regions(const struct view_fold *f, uint32_t region, uint32_t *stack, uint32_t *n) {
    const struct view_build *b = f->b;

    for (uint32_t i = f->line.first_item[region]; i < f->line.first_item[region + 1]; i++) {
        uint32_t id = f->line.items[i].id;

        if (f->owner[i] == VIEW_DROPPED) {
            continue;
        }
        if (id >= n_net_nodes(f)) {
            stack[(*n)++] = id - n_net_nodes(f);
        } else {
            for (uint32_t g = b->first_body[id]; g != ONNX_NONE; g = b->next_body[g]) {
                stack[(*n)++] = b->body_region[g];
            }
        }
    }
}

// Regions come after those around them, and in a dropped instance nothing is searched.
static int find_runs(struct view_fold *f, struct error *err) {
    uint32_t *stack = arena_array(&f->b->work, f->b->n_regions, sizeof(*stack)), n = 1;
    int rc = 0;

    if (!stack) {
        return arena_error(&f->b->work, "the runs of a view", err);
    }
    stack[0] = 0;
    while (n > 0 && rc == 0) {
        uint32_t region = stack[--n];

        rc = view_runs(f, region, err);
        push_regions(f, region, stack, &n);
    }
    return rc;
}

// ---- a picture that would be one box

static const struct view_run *run_from(const struct view_fold *f, uint32_t item) {
    for (uint32_t r = 0; r < f->n_runs; r++) {
        if (f->runs[r].first == item) {
            return &f->runs[r];
        }
    }
    return NULL;
}

// Where all the model comes down to one node, the run that is drawn out instead: the innermost that
// has at most so many instances; ONNX_NONE when there is none.
static uint32_t find_lonely_run(const struct view_fold *f, uint32_t most) {
    uint32_t region = 0, found = ONNX_NONE, item;

    while ((item = view_only_item(f, region)) != ONNX_NONE) {
        uint32_t id = f->line.items[item].id;
        const struct view_run *run = run_from(f, item);

        if (run && run->count <= most) {
            found = item;
        }
        if (id < n_net_nodes(f)) {
            return found;
        }
        region = id - n_net_nodes(f);
        if (f->b->regions[region].leaf && found != ONNX_NONE) {
            return found;
        }
    }
    return ONNX_NONE;
}

static int draw_lonely_run_out(struct view_fold *f, struct error *err) {
    const struct view_build *b = f->b;
    uint32_t ends = view_count_ends(b, 0), budget = b->options->max_boxes;
    uint32_t n_items = f->line.first_item[b->n_regions];

    f->drawn_out = find_lonely_run(f, budget > ends ? budget - ends : 0);
    if (f->drawn_out == ONNX_NONE) {
        return 0;
    }
    memset(f->owner, 0, n_items * sizeof(*f->owner));
    f->n_runs = 0;
    f->n_owners = 0;
    return find_runs(f, err);
}

// ---- what stands for what

static void stand_nodes(struct view_fold *f, uint32_t *at) {
    for (uint32_t p = 0; p < f->line.n; p++) {
        at[p] = p;
    }
    for (uint32_t r = 0; r < f->n_runs; r++) {
        const struct view_run *run = &f->runs[r];

        for (uint32_t i = run->n; i < run->n * run->count; i++) {
            at[run->lo + i] = run->lo + i % run->n;
            f->folded_in[f->line.nodes[run->lo + i]] = r;
        }
    }
    // What stands for it lies before it, and may itself lie in a later instance of a run within.
    for (uint32_t p = 0; p < f->line.n; p++) {
        at[p] = at[at[p]];
        f->stand_in[f->line.nodes[p]] = f->line.nodes[at[p]];
    }
}

static void stand_regions(struct view_fold *f, uint32_t *at) {
    struct view_region *regions = f->b->regions;

    for (uint32_t i = 0; i < f->line.n_regions; i++) {
        at[i] = i;
    }
    for (uint32_t r = 0; r < f->n_runs; r++) {
        const struct view_run *run = &f->runs[r];

        for (uint32_t i = run->n_regions; i < run->n_regions * run->count; i++) {
            at[run->rank + i] = run->rank + i % run->n_regions;
        }
    }
    for (uint32_t i = 0; i < f->line.n_regions; i++) {
        at[i] = at[at[i]];
        regions[f->line.regions[i]].stand_in = f->line.regions[at[i]];
    }
}

// ---- groups

struct graph_view_member view_member(const struct view_fold *f, uint32_t item) {
    const struct view_build *b = f->b;
    uint32_t id = f->line.items[item].id;

    if (id < n_net_nodes(f)) {
        return (struct graph_view_member){b->model->hierarchy.node_call[id], id};
    }
    return (struct graph_view_member){b->regions[id - n_net_nodes(f)].call, ONNX_NONE};
}

static struct graph_view_member *members_of(struct view_fold *f, const struct view_run *run) {
    struct graph_view_member *members =
        arena_array(&f->b->view->arena, (size_t)run->period * run->count, sizeof(*members));

    for (uint32_t i = 0; members && i < run->period * run->count; i++) {
        members[i] = view_member(f, run->first + i);
    }
    return members;
}

static struct str path_of(struct view_fold *f, const struct view_run *run) {
    const struct graph_hierarchy *h = &f->b->model->hierarchy;
    uint32_t id = f->line.items[run->first].id;
    struct buf text;
    struct str path;

    if (run->period == 1 && id >= n_net_nodes(f)) {
        return h->modules[h->calls[f->b->regions[id - n_net_nodes(f)].call].module].path;
    }
    buf_init(&text, VIEW_PATH_BYTES);
    path = view_run_path(f, run->region, run->first - f->line.first_item[run->region], &text);
    path = arena_str(&f->b->view->arena, path);
    buf_release(&text);
    return path;
}

static struct graph_view_group *make_group(struct view_fold *f, const struct view_run *run) {
    struct graph_view_group *group = arena_alloc(&f->b->view->arena, sizeof(*group));

    if (!group) {
        return NULL;
    }
    *group = (struct graph_view_group){.kind = GRAPH_CLUSTER_FOLD,
                                       .call = f->b->regions[run->region].call,
                                       .path = path_of(f, run),
                                       .count = run->count,
                                       .members = members_of(f, run),
                                       .n_members = run->period * run->count};
    return group->members ? group : NULL;
}

// A box around the siblings of the first instance.
static void add_box(struct view_fold *f, struct view_run *run,
                    const struct graph_view_group *group) {
    struct view_build *b = f->b;
    uint32_t around = f->item_box[run->first];
    const struct view_region *outer = &b->regions[run->region];

    run->box = b->n_regions++;
    b->regions[run->box] = (struct view_region){
        .parent = around == ONNX_NONE ? run->region : around,
        .call = outer->call,
        .graph = outer->graph,
        .depth = outer->depth,
        .is_group = true,
        .owns = true,
        .stand_in = run->box,
        .group = group,
    };
    for (uint32_t i = 0; i < run->period; i++) {
        f->item_box[run->first + i] = run->box;
    }
}

static int group_run(struct view_fold *f, struct view_run *run, struct error *err) {
    const struct graph_view_group *group = make_group(f, run);
    uint32_t id = f->line.items[run->first].id;

    if (!group) {
        return arena_error(&f->b->view->arena, "the runs of a view", err);
    }
    if (run->period == 1 && id >= n_net_nodes(f)) {
        f->b->regions[id - n_net_nodes(f)].group = group;
    } else if (run->period == 1 && f->b->first_body[id] == ONNX_NONE) {
        f->node_group[id] = group;
    } else {
        add_box(f, run, group);
    }
    return 0;
}

void view_enter_box(struct view_fold *f, uint32_t item, uint32_t box) {
    struct view_build *b = f->b;
    uint32_t id = f->line.items[item].id;

    if (id >= n_net_nodes(f)) {
        b->regions[id - n_net_nodes(f)].parent = box;
        return;
    }
    b->node_region[id] = box;
    for (uint32_t g = b->first_body[id]; g != ONNX_NONE; g = b->next_body[g]) {
        b->regions[b->body_region[g]].parent = box;
    }
}

// Runs come after those around them.
static int make_groups(struct view_fold *f, struct error *err) {
    struct view_build *b = f->b;
    uint32_t n_items = f->line.first_item[b->n_regions];
    int rc = view_room_for_regions(b, f->n_runs, err);

    for (uint32_t r = 0; r < f->n_runs && rc == 0; r++) {
        rc = group_run(f, &f->runs[r], err);
    }
    for (uint32_t i = 0; i < n_items; i++) {
        if (f->item_box[i] != ONNX_NONE) {
            view_enter_box(f, i, f->item_box[i]);
        }
    }
    return rc;
}

// ---- the whole

static int allocate(struct view_fold *f, struct error *err) {
    struct view_build *b = f->b;
    const struct graph_net *net = &b->model->net;
    size_t n = net->n_nodes, items = f->line.first_item[b->n_regions];

    f->cap_runs = (uint32_t)items / 2;
    f->runs = arena_array(&b->work, f->cap_runs, sizeof(*f->runs));
    f->item_at = arena_array(&b->work, f->line.n, sizeof(*f->item_at));
    f->leaves = arena_array(&b->work, net->n_values, sizeof(*f->leaves));
    f->owner = arena_array(&b->work, items, sizeof(*f->owner));
    f->item_box = arena_array(&b->work, items, sizeof(*f->item_box));
    f->stand_in = arena_array(&b->work, n, sizeof(*f->stand_in));
    f->folded_in = arena_array(&b->work, n, sizeof(*f->folded_in));
    f->node_group = arena_array(&b->work, n, sizeof(*f->node_group));
    if (!f->runs || !f->item_at || !f->leaves || !f->owner || !f->item_box || !f->stand_in ||
        !f->folded_in || !f->node_group) {
        return arena_error(&b->work, "the runs of a view", err);
    }
    memset(f->item_box, 0xFF, items * sizeof(*f->item_box));
    memset(f->folded_in, 0xFF, n * sizeof(*f->folded_in));
    for (uint32_t i = 0; i < n; i++) {
        f->stand_in[i] = i;
    }
    for (uint32_t r = 0; r < b->n_regions; r++) {
        b->regions[r].stand_in = r;
    }
    return 0;
}

static void find_leaves(struct view_fold *f) {
    const struct graph_net *net = &f->b->model->net;

    for (size_t g = 0; g < net->model->n_graphs; g++) {
        for (uint32_t i = 0; i < net->graphs[g].n_outputs; i++) {
            if (net->graphs[g].outputs[i] != ONNX_NONE) {
                f->leaves[net->graphs[g].outputs[i]] = true;
            }
        }
    }
}

static int stand(struct view_fold *f, struct error *err) {
    uint32_t *at = arena_array(&f->b->work, f->line.n, sizeof(*at));
    uint32_t *ranks = arena_array(&f->b->work, f->line.n_regions, sizeof(*ranks));

    if (!at || !ranks) {
        return arena_error(&f->b->work, "the runs of a view", err);
    }
    stand_nodes(f, at);
    stand_regions(f, ranks);
    return 0;
}

static int fold(struct view_fold *f, struct error *err) {
    int rc = view_alike(f, err);

    if (rc < 0) {
        return rc;
    }
    find_leaves(f);
    rc = find_runs(f, err);
    if (rc == 0 && f->b->options->depth == GRAPH_DEPTH_AUTO) {
        rc = draw_lonely_run_out(f, err);
    }
    if (rc == 0) {
        rc = stand(f, err);
    }
    if (rc == 0) {
        rc = make_groups(f, err);
    }
    if (rc == 0) {
        rc = view_merge_ends(f, err);
    }
    return rc == 0 ? view_order_regions(f->b, err) : rc;
}

int view_fold(struct view_build *b, struct error *err) {
    struct view_fold *f = arena_alloc(&b->work, sizeof(*f));
    int rc;

    if (!f) {
        return arena_error(&b->work, "the runs of a view", err);
    }
    f->b = b;
    f->drawn_out = ONNX_NONE;
    b->fold = f;
    rc = view_line_init(&f->line, b, err);
    if (rc == 0) {
        rc = allocate(f, err);
    }
    if (rc < 0 || b->options->fold == 0) {
        return rc;
    }
    rc = graph_patterns_init(&f->unfold, str_from(b->options->unfold), err);
    if (rc == 0) {
        rc = fold(f, err);
    }
    if (rc == 0) {
        view_warn_unfold(b, &f->unfold);
    }
    graph_patterns_release(&f->unfold);
    return rc;
}
