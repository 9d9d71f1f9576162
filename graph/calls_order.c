#include "graph/scope_internal.h"

// Calls of sites that carry no number (metadata, owners of parameters): in execution order a call
// is a maximal run of nodes below its site. A run is cut where what the call did first comes again,
// since one call does one step once.

struct frame {
    uint32_t call, site;
    uint32_t starter;  // node that opened the call, ONNX_NONE for the root
};

struct runner {
    struct scope_work *work;
    struct frame stack[SCOPE_MAX_LEVELS + 1];
    size_t depth;         // of the top frame
    uint32_t *last_call;  // per site
};

static bool is_exact(const struct scope_mark *mark)
{
    return mark->source == GRAPH_SCOPE_METADATA || mark->source == GRAPH_SCOPE_INITIALIZER;
}

// ---- Python stack traces, outermost frame first: File "...", line 12, in forward\n    code\n File
// ...

#define FRAME_START "File \""

static size_t next_frame(struct str trace, size_t from)
{
    static const struct str start = {FRAME_START, sizeof(FRAME_START) - 1};
    const char *hit;

    if (from >= trace.n)
        return trace.n;
    hit = memmem(trace.p + from, trace.n - from, start.p, start.n);
    return hit ? (size_t)(hit - trace.p) : trace.n;
}

// The trace from the frame of a module on that is `level` calls below the root: every module adds
// one frame in a function called forward, helpers may add others.
static struct str frames_below(struct str trace, uint32_t level)
{
    size_t at = next_frame(trace, 0);
    uint32_t seen = 0;

    while (at < trace.n) {
        size_t next = next_frame(trace, at + 1);
        struct str frame = str_sub(trace, at, next - at);
        struct str line = str_sub(frame, 0, str_find(frame, '\n'));

        if (str_ends(str_trim(line), STR(" in forward")) && seen++ == level)
            return str_skip(trace, at);
        at = next;
    }
    return (struct str){NULL, 0};
}

static bool frames_agree(const struct scope_work *work, uint32_t a, uint32_t b, uint32_t level)
{
    static const char *const key = "pkg.torch.onnx.stack_trace";
    struct str x = onnx_props_get(work->net->nodes[a].proto->metadata, key);
    struct str y = onnx_props_get(work->net->nodes[b].proto->metadata, key);

    if (x.n == 0 || y.n == 0)
        return false;
    if (str_eq(x, y))
        return true;
    x = frames_below(x, level);
    y = frames_below(y, level);
    return x.n > 0 && str_eq(x, y);
}

// ---- the run

// Whether `node` does again what the call of this frame began with.
static bool begins_again(const struct runner *r, const struct frame *f, uint32_t node)
{
    const struct scope_work *work = r->work;
    const struct scope_mark *first, *mark = &work->marks[node];

    if (f->starter == ONNX_NONE)
        return false;
    first = &work->marks[f->starter];
    if (first->site != mark->site || first->source != mark->source ||
        !str_eq(first->key, mark->key) || str_eq(first->step, mark->step))
        return false;
    if (mark->source == GRAPH_SCOPE_INITIALIZER)
        return true;
    return frames_agree(work, f->starter, node, work->sites[f->site].level);
}

static int push(struct runner *r, uint32_t site, uint32_t node, uint32_t position)
{
    struct scope_work *work = r->work;
    uint32_t call = graph_scope_call_new(work, site, r->stack[r->depth].call, position);

    if (call == ONNX_NONE)
        return work->err->code;
    r->stack[++r->depth] = (struct frame){call, site, node};
    r->last_call[site] = call;
    return 0;
}

// Sites from the root (left out) down to `site`; returns their number.
static size_t path_of(const struct scope_work *work, uint32_t site,
                      uint32_t path[SCOPE_MAX_LEVELS + 1])
{
    size_t n = work->sites[site].level;

    for (size_t i = n; i > 0; i--) {
        path[i] = site;
        site = work->sites[site].parent;
    }
    return n;
}

static int enter(struct runner *r, uint32_t node, uint32_t position)
{
    struct scope_work *work = r->work;
    uint32_t path[SCOPE_MAX_LEVELS + 1];
    size_t n = path_of(work, work->marks[node].site, path), keep = 0;

    while (keep < n && keep < r->depth && r->stack[keep + 1].site == path[keep + 1] &&
           !begins_again(r, &r->stack[keep + 1], node))
        keep++;
    r->depth = keep;
    while (r->depth < n) {
        if (push(r, path[r->depth + 1], node, position) < 0)
            return work->err->code;
    }
    work->node_call[node] = r->stack[n].call;
    return 0;
}

// Plumbing sits where its first reader was, not where it belongs: it neither ends a call nor begins
// one that exists.
static bool join_open_call(struct runner *r, uint32_t node)
{
    struct scope_work *work = r->work;
    uint32_t site = work->marks[node].site;

    if (work->plumbing->nodes[node] == GRAPH_PLUMBING_NONE)
        return false;
    work->node_call[node] = site == 0 ? 0 : r->last_call[site];
    return true;
}

// Plumbing that came before its module did anything, or whose module does nothing else.
static int enter_plumbing(struct runner *r)
{
    struct scope_work *work = r->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i], site = work->marks[node].site, call;

        if (!is_exact(&work->marks[node]) || work->node_call[node] != ONNX_NONE)
            continue;
        call = r->last_call[site];
        if (call == ONNX_NONE) {
            uint32_t path[SCOPE_MAX_LEVELS + 1];
            size_t n = path_of(work, site, path);

            r->depth = 0;
            for (size_t k = 1; k <= n; k++) {
                if (r->last_call[path[k]] == ONNX_NONE) {
                    if (push(r, path[k], node, i) < 0)
                        return work->err->code;
                } else {
                    r->stack[++r->depth] =
                        (struct frame){r->last_call[path[k]], path[k], ONNX_NONE};
                }
            }
            call = r->stack[n].call;
        }
        work->node_call[node] = call;
    }
    return 0;
}

int graph_calls_by_order(struct scope_work *work)
{
    struct runner r = {.work = work};

    r.last_call = arena_array(&work->scratch, work->n_sites, sizeof(*r.last_call));
    if (!r.last_call)
        return arena_error(&work->scratch, "module calls", work->err);
    for (size_t s = 0; s < work->n_sites; s++)
        r.last_call[s] = ONNX_NONE;
    r.last_call[0] = 0;
    r.stack[0] = (struct frame){0, 0, ONNX_NONE};
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i];

        if (!is_exact(&work->marks[node]) || join_open_call(&r, node))
            continue;
        if (enter(&r, node, i) < 0)
            return work->err->code;
    }
    return enter_plumbing(&r);
}
