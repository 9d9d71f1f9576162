#include "graph/view_internal.h"

static unsigned match(const struct graph_pattern_list *list, const struct graph_hierarchy *h,
                      uint32_t call)
{
    const struct graph_module *m = &h->modules[h->calls[call].module];

    return graph_patterns_match(list, m->path, m->class_name, h->calls[call].number);
}

// The root obeys depth alone: `**` means everything in it.
void view_overrides(struct view_build *b)
{
    const struct graph_hierarchy *h = &b->model->hierarchy;

    if (b->expand.n == 0 && b->collapse.n == 0)
        return;
    for (uint32_t i = 1; i < b->n_regions; i++) {
        struct view_region *r = &b->regions[i];
        unsigned expand, collapse;

        if (r->is_body)
            continue;
        expand = match(&b->expand, h, r->call);
        collapse = match(&b->collapse, h, r->call);
        if (expand || collapse)
            r->override = expand >= collapse ? VIEW_EXPAND : VIEW_COLLAPSE;
    }
    b->use_overrides = true;
}

enum reach { REACH_NOTHING, REACH_HIDDEN, REACH_SEEN };

static enum reach reach_of(const struct view_build *b, const struct graph_pattern_list *list,
                           size_t pattern)
{
    const struct graph_hierarchy *h = &b->model->hierarchy;
    enum reach reach = REACH_NOTHING;

    for (uint32_t i = 1; i < b->n_regions && reach != REACH_SEEN; i++) {
        const struct view_region *r = &b->regions[i];
        const struct graph_call *call = &h->calls[r->call];
        const struct graph_module *m = &h->modules[call->module];

        if (r->is_body || !r->owns ||
            !graph_pattern_match(list, pattern, m->path, m->class_name, call->number))
            continue;
        reach = r->state == VIEW_HIDDEN ? REACH_HIDDEN : REACH_SEEN;
    }
    return reach;
}

static void warn(struct view_build *b, const struct graph_pattern_list *list, const char *option)
{
    for (size_t i = 0; i < list->n; i++) {
        struct str text = str_sub(graph_pattern_text(list, i), 0, 128);
        enum reach reach = reach_of(b, list, i);

        if (reach == REACH_NOTHING)
            warnings_add(&b->view->warnings, "pattern-unmatched", option,
                         "no module matches the pattern '%.*s'", STR_ARG(text));
        else if (reach == REACH_HIDDEN && list == &b->expand)
            warnings_add(&b->view->warnings, "pattern-hidden", option,
                         "what the pattern '%.*s' matches lies in closed boxes: open those too",
                         STR_ARG(text));
    }
}

void view_warn_patterns(struct view_build *b)
{
    warn(b, &b->expand, "expand");
    warn(b, &b->collapse, "collapse");
}
