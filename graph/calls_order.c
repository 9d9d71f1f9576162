#include "graph/scope_internal.h"

// Calls of sites that carry no number (metadata, owners of parameters): in execution order a call
// is a maximal run of nodes below its site. A run is cut where what the call did first comes again,
// since one call does one step once.

struct frame {
    uint32_t call, site;
    uint32_t end;  // index into the sequence where the call ends
};

// A run that repeats itself throughout, so that it is cut at equal distances.
struct rhythm {
    uint32_t end;     // of the run
    uint32_t period;  // 0 = none known
};

struct runner {
    struct scope_work *work;
    uint32_t *sequence;  // nodes with a mark that are no plumbing, in execution order
    uint32_t n_sequence;
    uint32_t *common;  // per place in the sequence: level of the deepest site shared with the one
                       // before
    bool *new_step;    // per place: the traced program's next step begins here
    uint32_t *border;  // room for the longest borders of a run
    struct rhythm *rhythms;  // per site
    uint32_t *last_call;     // per site
    struct frame stack[SCOPE_MAX_LEVELS + 1];
    size_t depth;  // of the top frame
};

static bool is_exact(const struct scope_mark *mark) {
    return mark->source == GRAPH_SCOPE_METADATA || mark->owned;
}

// ---- Python stack traces, outermost frame first: File "...", line 12, in forward\n    code\n File
// ...

#define FRAME_START "File \""

static size_t next_frame(struct str trace, size_t from) {
    static const struct str start = {FRAME_START, sizeof(FRAME_START) - 1};
    const char *hit;

    if (from >= trace.n) {
        return trace.n;
    }
    hit = memmem(trace.p + from, trace.n - from, start.p, start.n);
    return hit ? (size_t)(hit - trace.p) : trace.n;
}

// The trace from the frame of a module on that is `level` calls below the root: every module adds
// one frame in a function called forward, helpers may add others.
static struct str frames_below(struct str trace, uint32_t level) {
    size_t at = next_frame(trace, 0);
    uint32_t seen = 0;

    while (at < trace.n) {
        size_t next = next_frame(trace, at + 1);
        struct str frame = str_sub(trace, at, next - at);
        struct str line = str_sub(frame, 0, str_find(frame, '\n'));

        if (str_ends(str_trim(line), STR(" in forward")) && seen++ == level) {
            return str_skip(trace, at);
        }
        at = next;
    }
    return (struct str){NULL, 0};
}

enum repeat {
    REPEAT_NOT,    // another step of the same call
    REPEAT_MAYBE,  // the very same line of the program: a loop around the call, or an operator used
                   // twice in it
    REPEAT_CALL,   // the same step, reached from another line of a caller
};

static enum repeat compare_traces(const struct scope_work *work, uint32_t a, uint32_t b,
                                  uint32_t level) {
    static const char *const key = "pkg.torch.onnx.stack_trace";
    struct str x = onnx_props_get(work->net->nodes[a].proto->metadata, key);
    struct str y = onnx_props_get(work->net->nodes[b].proto->metadata, key);

    if (x.n == 0 || y.n == 0) {
        return REPEAT_NOT;
    }
    if (str_eq(x, y)) {
        return REPEAT_MAYBE;
    }
    x = frames_below(x, level);
    y = frames_below(y, level);
    return x.n > 0 && str_eq(x, y) ? REPEAT_CALL : REPEAT_NOT;
}

// ---- where a call ends

static bool same_action(const struct runner *r, uint32_t i, uint32_t k) {
    const struct scope_mark *a = &r->work->marks[r->sequence[i]];
    const struct scope_mark *b = &r->work->marks[r->sequence[k]];

    return a->site == b->site && r->new_step[i] == r->new_step[k] && str_eq(a->key, b->key);
}

// What place `k` says about a call that began at `i`, of the module `level` calls below the root.
static enum repeat begins_again(const struct runner *r, uint32_t i, uint32_t k, uint32_t level) {
    if (!r->new_step[k] || !same_action(r, i, k)) {
        return REPEAT_NOT;
    }
    if (r->work->marks[r->sequence[i]].owned) {
        return REPEAT_CALL;
    }
    return compare_traces(r->work, r->sequence[i], r->sequence[k], level);
}

// Smallest period that tiles the whole of [from, end), or its length (Knuth, Morris, Pratt: longest
// borders).
static uint32_t tiling_period(struct runner *r, uint32_t from, uint32_t end) {
    uint32_t n = end - from, *border = r->border, k = 0;

    border[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        while (k > 0 && !same_action(r, from + k, from + i)) {
            k = border[k - 1];
        }
        k += same_action(r, from + k, from + i);
        border[i] = k;
    }
    k = n - border[n - 1];
    return n % k == 0 ? k : n;
}

static uint32_t end_of_call(struct runner *r, uint32_t site, uint32_t from, uint32_t limit) {
    uint32_t level = r->work->sites[site].level, end = from + 1;
    struct rhythm *rhythm = &r->rhythms[site];
    bool maybe = false;

    if (rhythm->period && from < rhythm->end) {
        return from + rhythm->period;
    }
    for (; end < limit && r->common[end] >= level; end++) {
        enum repeat repeat = begins_again(r, from, end, level);

        maybe = maybe || repeat == REPEAT_MAYBE;
        if (repeat == REPEAT_CALL) {
            break;
        }
    }
    *rhythm = (struct rhythm){.end = end, .period = maybe ? tiling_period(r, from, end) : 0};
    return maybe ? from + rhythm->period : end;
}

// ---- the run

static int push(struct runner *r, uint32_t site, uint32_t end, uint32_t position) {
    struct scope_work *work = r->work;
    uint32_t call = graph_scope_call_new(work, site, r->stack[r->depth].call, position);

    if (call == ONNX_NONE) {
        return work->err->code;
    }
    r->stack[++r->depth] = (struct frame){call, site, end};
    r->last_call[site] = call;
    return 0;
}

// Sites from the root (left out) down to `site`; returns their number.
static size_t path_of(const struct scope_work *work, uint32_t site,
                      uint32_t path[SCOPE_MAX_LEVELS + 1]) {
    size_t n = work->sites[site].level;

    for (size_t i = n; i > 0; i--) {
        path[i] = site;
        site = work->sites[site].parent;
    }
    return n;
}

static uint32_t common_level(const struct scope_work *work, uint32_t a, uint32_t b) {
    while (a != b) {
        if (work->sites[a].level >= work->sites[b].level) {
            a = work->sites[a].parent;
        } else {
            b = work->sites[b].parent;
        }
    }
    return work->sites[a].level;
}

static void append(struct runner *r, uint32_t node) {
    const struct scope_mark *marks = r->work->marks;
    uint32_t i = r->n_sequence++;

    r->sequence[i] = node;
    r->new_step[i] = true;
    if (i == 0) {
        return;
    }
    r->common[i] = common_level(r->work, marks[r->sequence[i - 1]].site, marks[node].site);
    r->new_step[i] = !str_eq(marks[r->sequence[i - 1]].step, marks[node].step);
}

// Plumbing sits where its first reader was, not where it belongs: it neither ends a call nor begins
// one that exists.
static void make_sequence(struct runner *r) {
    const struct scope_work *work = r->work;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i];

        if (is_exact(&work->marks[node]) && !scope_is_plumbing(work, node)) {
            append(r, node);
        }
    }
}

static int enter(struct runner *r, uint32_t i) {
    struct scope_work *work = r->work;
    uint32_t path[SCOPE_MAX_LEVELS + 1], node = r->sequence[i];
    size_t n = path_of(work, work->marks[node].site, path);

    while (r->depth > 0 && (r->stack[r->depth].end <= i || r->depth > n ||
                            r->stack[r->depth].site != path[r->depth])) {
        r->depth--;
    }
    while (r->depth < n) {
        uint32_t site = path[r->depth + 1];
        uint32_t end = end_of_call(r, site, i, r->stack[r->depth].end);

        if (push(r, site, end, work->position[node]) < 0) {
            return work->err->code;
        }
    }
    work->node_call[node] = r->stack[n].call;
    return 0;
}

// The call of `site` seen last; makes it, and those around it, when there is none.
static int call_of_site(struct runner *r, uint32_t site, uint32_t position, uint32_t *call) {
    uint32_t path[SCOPE_MAX_LEVELS + 1];
    size_t n = path_of(r->work, site, path);

    r->depth = 0;
    for (size_t k = 1; k <= n; k++) {
        uint32_t last = r->last_call[path[k]];

        if (last != ONNX_NONE) {
            r->stack[++r->depth] = (struct frame){last, path[k], 0};
        } else if (push(r, path[k], 0, position) < 0) {
            return r->work->err->code;
        }
    }
    *call = r->stack[n].call;
    return 0;
}

// Goes along with the sequence: plumbing joins the call of its module that began last, or its
// first.
static int enter_all(struct runner *r) {
    struct scope_work *work = r->work;
    uint32_t next = 0;

    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        uint32_t node = work->net->order[i];

        if (next < r->n_sequence && r->sequence[next] == node) {
            if (enter(r, next++) < 0) {
                return work->err->code;
            }
        } else if (is_exact(&work->marks[node])) {
            work->node_call[node] = r->last_call[work->marks[node].site];
        }
    }
    for (uint32_t i = 0; i < work->net->n_nodes; i++) {
        if (is_exact(&work->marks[i]) && work->node_call[i] == ONNX_NONE &&
            call_of_site(r, work->marks[i].site, work->position[i], &work->node_call[i]) < 0) {
            return work->err->code;
        }
    }
    return 0;
}

int graph_calls_by_order(struct scope_work *work) {
    struct runner r = {.work = work};
    struct arena *a = &work->scratch;
    size_t n = work->net->n_nodes;

    r.sequence = arena_array(a, n, sizeof(*r.sequence));
    r.common = arena_array(a, n, sizeof(*r.common));
    r.new_step = arena_array(a, n, sizeof(*r.new_step));
    r.border = arena_array(a, n, sizeof(*r.border));
    r.rhythms = arena_array(a, work->n_sites, sizeof(*r.rhythms));
    r.last_call = arena_array(a, work->n_sites, sizeof(*r.last_call));
    if (!r.sequence || !r.common || !r.new_step || !r.border || !r.rhythms || !r.last_call) {
        return arena_error(a, "module calls", work->err);
    }
    for (size_t s = 0; s < work->n_sites; s++) {
        r.last_call[s] = ONNX_NONE;
    }
    r.last_call[0] = 0;
    make_sequence(&r);
    r.stack[0] = (struct frame){0, 0, r.n_sequence};
    return enter_all(&r);
}
