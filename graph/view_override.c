#include "graph/view_fold_internal.h"

// How well patterns match a region or anything that it stands for; 0 = not.
struct score {
    unsigned expand, collapse;
};

// How patterns call a region: a call by its module's path, a group by its own.
struct name {
    struct str path, class_name;
    uint32_t call;
};

static struct name name_of(const struct view_build *b, const struct view_region *r) {
    const struct graph_call *call = &b->model->hierarchy.calls[r->call];
    const struct graph_module *module = &b->model->hierarchy.modules[call->module];

    if (r->is_group) {
        return (struct name){r->group->path, STR(""), call->number};
    }
    return (struct name){module->path, module->class_name, call->number};
}

static unsigned match(const struct graph_pattern_list *list, const struct name *name) {
    return graph_patterns_match(list, name->path, name->class_name, name->call);
}

static void raise(unsigned *score, unsigned to) {
    if (to > *score) {
        *score = to;
    }
}

// A pattern for any instance of a run is one for the first. What opens a sibling of a closed run
// opens the run.
static void add_scores(const struct view_build *b, struct score *scores, uint32_t index) {
    const struct view_region *r = &b->regions[index], *around;
    struct name name = name_of(b, r);
    unsigned expand = match(&b->expand, &name), collapse = match(&b->collapse, &name);

    raise(&scores[r->stand_in].expand, expand);
    raise(&scores[r->stand_in].collapse, collapse);
    around = &b->regions[b->regions[r->stand_in].parent];
    if (!r->is_group && around->is_group && around->group->kind == GRAPH_CLUSTER_FOLD) {
        raise(&scores[b->regions[r->stand_in].parent].expand, expand);
    }
}

// The root obeys depth alone: `**` means everything in it.
int view_overrides(struct view_build *b, struct error *err) {
    struct score *scores;

    if (b->expand.n == 0 && b->collapse.n == 0) {
        return 0;
    }
    scores = arena_array(&b->work, b->n_regions, sizeof(*scores));
    if (!scores) {
        return arena_error(&b->work, "the patterns of a view", err);
    }
    for (uint32_t i = 1; i < b->n_regions; i++) {
        if (!b->regions[i].is_body) {
            add_scores(b, scores, i);
        }
    }
    for (uint32_t i = 1; i < b->n_regions; i++) {
        if (scores[i].expand || scores[i].collapse) {
            b->regions[i].override =
                scores[i].expand >= scores[i].collapse ? VIEW_EXPAND : VIEW_COLLAPSE;
        }
    }
    b->use_overrides = true;
    return 0;
}

// ---- patterns without effect

enum reach { REACH_NOTHING, REACH_HIDDEN, REACH_SEEN };

static enum reach reach_of(const struct view_build *b, const struct graph_pattern_list *list,
                           size_t pattern) {
    enum reach reach = REACH_NOTHING;

    for (uint32_t i = 1; i < b->n_regions && reach != REACH_SEEN; i++) {
        const struct view_region *r = &b->regions[i];
        struct name name = name_of(b, r);

        if (r->is_body || !r->owns ||
            !graph_pattern_match(list, pattern, name.path, name.class_name, name.call)) {
            continue;
        }
        reach = b->regions[r->stand_in].state == VIEW_HIDDEN ? REACH_HIDDEN : REACH_SEEN;
    }
    return reach;
}

// What is written on a box is the end of its path: "conv1", "conv1@2", "conv1: Conv2d".
static struct str name_in_caption(struct str pattern) {
    size_t colon = str_find(pattern, ':');
    struct str name = str_trim(str_sub(pattern, 0, colon == STR_NPOS ? pattern.n : colon));
    size_t at = str_rfind(name, '@');

    return str_starts(pattern, STR("class:")) ? STR("")
                                              : str_sub(name, 0, at == STR_NPOS ? name.n : at);
}

static bool ends_in(struct str path, struct str name) {
    return path.n > name.n && path.p[path.n - name.n - 1] == '.' &&
           str_eq(str_skip(path, path.n - name.n), name);
}

// The whole path of what a pattern seems to mean, or nothing.
static struct str meant_by(const struct view_build *b, struct str pattern) {
    struct str name = name_in_caption(pattern);

    for (uint32_t i = 1; i < b->n_regions && name.n; i++) {
        struct name whole = name_of(b, &b->regions[i]);

        if (!b->regions[i].is_body && b->regions[i].owns &&
            (ends_in(whole.path, name) || (str_eq(whole.path, name) && name.n < pattern.n))) {
            return str_sub(whole.path, 0, 256);
        }
    }
    return STR("");
}

static void warn_unmatched(struct view_build *b, struct str pattern, const char *option) {
    struct str meant = meant_by(b, pattern);

    if (meant.n) {
        warnings_add(&b->view->warnings, "pattern-unmatched", option,
                     "no module matches the pattern '%.*s': did you mean '%.*s'?", STR_ARG(pattern),
                     STR_ARG(meant));
    } else {
        warnings_add(&b->view->warnings, "pattern-unmatched", option,
                     "no module matches the pattern '%.*s'", STR_ARG(pattern));
    }
}

static void warn(struct view_build *b, const struct graph_pattern_list *list, const char *option) {
    for (size_t i = 0; i < list->n; i++) {
        struct str text = str_sub(graph_pattern_text(list, i), 0, 128);
        enum reach reach = reach_of(b, list, i);

        if (reach == REACH_NOTHING) {
            warn_unmatched(b, text, option);
        } else if (reach == REACH_HIDDEN && list == &b->expand) {
            warnings_add(&b->view->warnings, "pattern-hidden", option,
                         "what the pattern '%.*s' matches lies in closed boxes: open those too",
                         STR_ARG(text));
        }
    }
}

// A run goes by a name of its own ("~x5") only while it is folded.
void view_warn_unfold(struct view_build *b, const struct graph_pattern_list *unfold) {
    for (size_t i = 0; i < unfold->n; i++) {
        struct str text = str_sub(graph_pattern_text(unfold, i), 0, 128);

        if (str_find(text, '~') == STR_NPOS && reach_of(b, unfold, i) == REACH_NOTHING) {
            warn_unmatched(b, text, "unfold");
        }
    }
}

void view_warn_patterns(struct view_build *b) {
    warn(b, &b->expand, "expand");
    warn(b, &b->collapse, "collapse");
}
