#include "graph/view_internal.h"

// Modules that everybody knows are shut by option `library`, but for those that only hold others.
// A class that was guessed from an operator is one of torch.nn.

static const char *const libraries[] = {"torch.nn.", "torchvision.", "torchaudio.", "torchtext."};
static const char *const containers[] = {"Sequential", "ModuleList", "ModuleDict"};

static bool is_of_library(const struct graph_module *module) {
    struct str name = module->class_name;
    struct str last = str_skip(name, str_rfind(name, '.') + 1);
    bool known = module->class_source == GRAPH_CLASS_INFERRED;

    for (size_t i = 0; i < ARRAY_LEN(libraries); i++) {
        known |= str_starts(name, str_from(libraries[i]));
    }
    for (size_t i = 0; i < ARRAY_LEN(containers); i++) {
        known &= !str_eq_z(last, containers[i]);
    }
    return known;
}

int view_library(struct view_build *b, struct error *err) {
    const struct graph_hierarchy *h = &b->model->hierarchy;
    bool any = false;

    if (b->options->library == GRAPH_LIBRARY_OPEN) {
        return 0;
    }
    b->in_library = arena_array(&b->work, h->n_modules, sizeof(*b->in_library));
    if (!b->in_library) {
        return arena_error(&b->work, "the modules of a view", err);
    }
    for (size_t i = 1; i < h->n_modules; i++) {
        b->in_library[i] = is_of_library(&h->modules[i]);
        any |= b->in_library[i];
    }
    if (!any) {
        warnings_add(&b->view->warnings, "library-unknown", "library",
                     "no class of a library is known in this file: nothing is shut");
    }
    return 0;
}
