#include "graph/qualname.h"

static bool is_number(struct str atom) {
    for (size_t i = 0; i < atom.n; i++) {
        if (atom.p[i] < '0' || atom.p[i] > '9') {
            return false;
        }
    }
    return atom.n > 0;
}

struct str graph_qualname_owner(struct str parameter) {
    size_t dot = str_rfind(parameter, '.');

    return str_sub(parameter, 0, dot == STR_NPOS ? 0 : dot);
}

struct str graph_qualname_tail(struct str name) {
    size_t end = name.n;

    while (end > 0) {
        size_t dot = str_rfind(str_sub(name, 0, end), '.');
        size_t start = dot == STR_NPOS ? 0 : dot + 1;

        if (!is_number(str_sub(name, start, end - start))) {
            return str_skip(name, start);
        }
        end = start > 0 ? start - 1 : 0;
    }
    return name;
}

static bool ends_with_atoms(struct str name, struct str atoms) {
    return str_ends(name, atoms) && (name.n == atoms.n || name.p[name.n - atoms.n - 1] == '.');
}

// The exporter prints a numbered child with its parent's name in front. Length of what `component`
// repeats of `parent`, or 0: what follows must be numbers only. "blocks.0.3" may repeat "blocks.0"
// or "blocks": the longest match is the nearer ancestor.
static size_t repeated(struct str parent, struct str component) {
    size_t end = component.n;

    for (;;) {
        size_t dot = str_rfind(str_sub(component, 0, end), '.');

        if (dot == STR_NPOS || !is_number(str_sub(component, dot + 1, end - dot - 1))) {
            return 0;
        }
        if (ends_with_atoms(parent, str_sub(component, 0, dot))) {
            return dot;
        }
        end = dot;
    }
}

struct str graph_qualname_append(struct arena *arena, struct str parent, struct str child) {
    char *p;

    if (parent.n == 0) {
        return child;
    }
    p = arena_alloc(arena, parent.n + 1 + child.n);
    if (!p) {
        return (struct str){NULL, 0};
    }
    memcpy(p, parent.p, parent.n);
    p[parent.n] = '.';
    if (child.n) {
        memcpy(p + parent.n + 1, child.p, child.n);
    }
    return (struct str){p, parent.n + 1 + child.n};
}

struct str graph_qualname_join(struct arena *arena, struct str parent, struct str component) {
    size_t skip = repeated(parent, component);

    return graph_qualname_append(arena, parent, str_skip(component, skip ? skip + 1 : 0));
}

bool graph_qualname_below(struct str name, struct str prefix) {
    if (prefix.n == 0) {
        return name.n > 0;
    }
    return name.n > prefix.n + 1 && name.p[prefix.n] == '.' && str_starts(name, prefix);
}

struct str graph_qualname_prefix_with_tail(struct str name, struct str tail) {
    size_t end = name.n;

    while (end > 0) {
        size_t dot = str_rfind(str_sub(name, 0, end), '.');
        struct str prefix;

        if (dot == STR_NPOS) {
            break;
        }
        prefix = str_sub(name, 0, dot);
        if (ends_with_atoms(prefix, tail)) {
            return prefix;
        }
        end = dot;
    }
    return (struct str){NULL, 0};
}

bool graph_qualname_split_number(struct str name, struct str *base, uint32_t *number) {
    size_t start = name.n;
    uint64_t value = 0;

    while (start > 0 && name.p[start - 1] >= '0' && name.p[start - 1] <= '9') {
        start--;
    }
    if (start < 2 || name.p[start - 1] != '_' || start == name.n || name.p[start] == '0' ||
        name.n - start > 9) {
        return false;
    }
    for (size_t i = start; i < name.n; i++) {
        value = value * 10 + (uint64_t)(name.p[i] - '0');
    }
    *base = str_sub(name, 0, start - 1);
    *number = (uint32_t)value;
    return true;
}
