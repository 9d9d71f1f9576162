// What the files of folding share: the nodes of the model on a line, so that every region, every
// sibling and every instance of a run is one stretch of it.
//
// A region's stretch holds its siblings in execution order, then the hidden nodes it owns itself.
// An operator with bodies comes behind their content, and is one sibling with it. Nodes whose
// results are known from the file are on no line: they belong to whoever reads them. Two stretches
// are equal when their nodes are equal one by one, each reads from the same place of its own
// stretch, and the same regions begin and end in them.
//
// view_line.c lays the line, view_alike.c says which nodes are equal, view_chain.c which stretches
// follow each other, view_runs.c finds the runs, view_fold.c makes boxes and nodes of them.
#pragma once

#include "graph/view_internal.h"

// A sibling: an operator with its bodies, or a region.
struct view_item {
    uint32_t id;  // net node, or number of net nodes + region
    uint32_t lo, n;
    uint32_t rank, n_regions;  // its regions in the order of view_line.regions
};

struct view_line {
    uint32_t n;
    uint32_t *nodes;    // per place: net node
    uint32_t *place;    // per net node; ONNX_NONE when it is on no line
    uint32_t *lo, *hi;  // per region: its stretch
    uint32_t *regions;  // in the order in which they begin
    uint32_t n_regions;
    uint32_t *rank, *rank_end;  // per region: its own in that order, behind the last one in it
    struct view_item *items;
    uint32_t *first_item;  // per region, and one more
};

// Equal instances one behind the other.
struct view_run {
    uint32_t region;
    uint32_t first, period, count;  // siblings from items[first] on: count instances of period
    uint32_t lo, n;                 // stretch of the first instance
    uint32_t rank, n_regions;
    uint32_t box;  // region around the first instance, or ONNX_NONE
};

struct view_fold {
    struct view_build *b;
    struct view_line line;
    uint32_t *alike;  // per place: a number; equal where operator, attributes and weights are
    uint64_t *sums;   // sums over `alike` up to each place, to compare stretches by
    uint64_t *powers;
    bool *leaves;       // per value: some graph returns it
    uint32_t *item_at;  // per place: room to note the sibling that lies there
    uint32_t *owner;    // per item: VIEW_FREE, VIEW_DROPPED, or who holds it
    uint32_t n_owners;
    struct view_run *runs;
    uint32_t n_runs, cap_runs;

    // What is drawn for what.
    uint32_t *stand_in;   // per net node: the one of a first instance, or itself
    uint32_t *item_box;   // per item: box of a run around it, a region, or ONNX_NONE
    uint32_t *folded_in;  // per net node: outermost run that it is no first instance of
    uint32_t *input_as;   // per value: the input it is merged with, or itself
    uint32_t *output_as;  // per output of the model: the one it is merged with, or itself
    uint32_t *merged, *first_merged, *n_merged;           // per value: what input_as merges with it
    uint32_t *merged_outputs, *first_output, *n_outputs;  // per output
    const struct graph_view_group **node_group;  // per net node: the run of operators, or NULL
    struct graph_pattern_list unfold;
    uint32_t drawn_out;  // item that begins a run which is not folded, or ONNX_NONE
};

#define VIEW_PATH_BYTES ((size_t)64 << 10)

#define VIEW_FREE 0u
#define VIEW_DROPPED UINT32_MAX

int view_line_init(struct view_line *line, struct view_build *b, struct error *err) WARN_UNUSED;

// Fills alike and sums.
int view_alike(struct view_fold *f, struct error *err) WARN_UNUSED;

static inline uint64_t view_sum(const struct view_fold *f, uint32_t lo, uint32_t n) {
    return f->sums[lo + n] - f->sums[lo] * f->powers[n];
}

// Whether instance k of a run (k >= 1) is equal to the one before and continues it. Instances are
// the stretches run->lo + k * run->n; run->count does not count.
bool view_continues(const struct view_fold *f, const struct view_run *run, uint32_t k);

// Finds the runs of a region and notes in `owner` who is dropped.
int view_runs(struct view_fold *f, uint32_t region, struct error *err) WARN_UNUSED;

// What patterns call the run of a region that begins with sibling `first`; borrowed from `text`.
struct str view_run_path(const struct view_fold *f, uint32_t region, uint32_t first,
                         struct buf *text);

struct graph_view_member view_member(const struct view_fold *f, uint32_t item);

// The one sibling of a region that is drawn, an item; ONNX_NONE when there are none or several.
uint32_t view_only_item(const struct view_fold *f, uint32_t region);

// Puts a sibling into a group: its own region, or the regions of its bodies, lie there from now on.
void view_enter_box(struct view_fold *f, uint32_t item, uint32_t box);

// view_merge.c: input_as, output_as and the lists of what they merge.
int view_merge_ends(struct view_fold *f, struct error *err) WARN_UNUSED;
