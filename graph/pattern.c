#include "graph/pattern.h"

#include "base/num.h"
#include "graph/options.h"

// Stands for `*` in a compiled atom: no byte of UTF-8 text has this value.
#define STAR ((char)0xFF)

#define PATTERN_MEMORY ((size_t)1 << 20)
#define NO_BACKTRACK SIZE_MAX

struct atom {
    struct str text;  // percent-decoded, STAR for `*`
    bool deep;        // `**`
};

struct graph_pattern {
    struct str source;
    struct atom *atoms;
    size_t n_atoms;
    bool by_class;
    bool one_call;
    uint32_t call;
    unsigned weight;
};

static int bad(struct str source, const char *why, struct error *err) {
    return error_set(err, ERR_USAGE, "pattern '%.*s': %s", (int)(source.n > 200 ? 200 : source.n),
                     source.n ? source.p : "", why);
}

static size_t count_of(struct str s, char c) {
    size_t n = 0;

    for (size_t at = str_find(s, c); at != STR_NPOS; at = str_find(s, c)) {
        s = str_skip(s, at + 1);
        n++;
    }
    return n;
}

// Decodes one atom into `out`, which has room for raw.n bytes. Returns false on a bad escape.
static bool decode_atom(struct str raw, char *out, size_t *n) {
    *n = 0;
    for (size_t i = 0; i < raw.n; i++) {
        int high, low;

        if (raw.p[i] == STAR) {
            return false;
        }
        if (raw.p[i] != '%') {
            out[(*n)++] = raw.p[i] == '*' ? STAR : raw.p[i];
            continue;
        }
        if (raw.n - i < 3) {
            return false;
        }
        high = num_hex_digit(raw.p[i + 1]);
        low = num_hex_digit(raw.p[i + 2]);
        if (high < 0 || low < 0 || high * 16 + low == 0xFF) {
            return false;
        }
        out[(*n)++] = (char)(high * 16 + low);
        i += 2;
    }
    return true;
}

static int compile_atom(struct arena *arena, struct graph_pattern *p, struct str raw,
                        struct error *err) {
    struct atom *atom = &p->atoms[p->n_atoms];
    char *text;

    if (raw.n == 0) {
        return bad(p->source, "there is nothing between two dots or at an end", err);
    }
    if (str_eq_z(raw, "**")) {
        atom->deep = true;
        p->n_atoms++;
        return 0;
    }
    text = arena_alloc(arena, raw.n);
    if (!text) {
        return arena_error(arena, "patterns", err);
    }
    if (!decode_atom(raw, text, &atom->text.n)) {
        return bad(p->source, "'%' needs two hexadecimal digits of a character behind it", err);
    }
    atom->text.p = text;
    p->weight += str_find(atom->text, STAR) == STR_NPOS;
    p->n_atoms++;
    return 0;
}

static int take_call(struct graph_pattern *p, struct str *body, struct error *err) {
    size_t at = str_rfind(*body, '@');
    uint64_t call;

    if (at == STR_NPOS) {
        return 0;
    }
    if (!num_parse_u64(str_skip(*body, at + 1), &call) || call >= UINT32_MAX) {
        return bad(p->source, "'@' needs a call number behind it", err);
    }
    p->one_call = true;
    p->call = (uint32_t)call;
    p->weight++;
    *body = str_sub(*body, 0, at);
    return 0;
}

// "torch.nn.*" means everything below torch.nn: a class lies deeper than users know.
static void deepen_class(struct graph_pattern *p) {
    const struct atom *last = &p->atoms[p->n_atoms - 1];

    if (p->n_atoms > 1 && last->text.n == 1 && last->text.p[0] == STAR) {
        p->atoms[p->n_atoms++].deep = true;
    }
}

static int compile(struct arena *arena, struct graph_pattern *p, struct str source,
                   struct error *err) {
    struct str body, part;

    p->source = arena_str(arena, source);
    p->weight = 1;
    body = source;
    if (body.n == 0) {
        return bad(source, "it is empty", err);
    }
    if (str_starts(body, STR("class:"))) {
        p->by_class = true;
        body = str_skip(body, strlen("class:"));
    }
    if (take_call(p, &body, err) < 0) {
        return ERR_USAGE;
    }
    p->atoms = arena_array(arena, count_of(body, '.') + 2, sizeof(*p->atoms));
    if (!p->atoms) {
        return arena_error(arena, "patterns", err);
    }
    if (body.n == 0) {
        return bad(source, "it names no module", err);
    }
    while (str_next(&body, '.', &part)) {
        int rc = compile_atom(arena, p, part, err);

        if (rc < 0) {
            return rc;
        }
    }
    if (p->by_class) {
        deepen_class(p);
    }
    return 0;
}

static int compile_list(struct graph_pattern_list *out, struct str list, struct error *err) {
    size_t commas = count_of(list, ',');

    if (list.n > GRAPH_PATTERN_BYTES) {
        return error_set(err, ERR_USAGE, "a list of patterns may have %d bytes",
                         GRAPH_PATTERN_BYTES);
    }
    if (commas >= GRAPH_PATTERNS_MAX) {
        return error_set(err, ERR_USAGE, "a list may have %d patterns", GRAPH_PATTERNS_MAX);
    }
    out->items = arena_array(&out->arena, commas + 1, sizeof(*out->items));
    if (!out->items) {
        return arena_error(&out->arena, "patterns", err);
    }
    for (size_t i = 0, from = 0; i <= commas; i++) {
        size_t comma = str_find(str_skip(list, from), ',');
        struct str part = str_sub(list, from, comma);
        int rc = compile(&out->arena, &out->items[i], str_trim(part), err);

        if (rc < 0) {
            return rc;
        }
        out->n++;
        from += part.n + 1;
    }
    return 0;
}

int graph_patterns_init(struct graph_pattern_list *out, struct str list, struct error *err) {
    int rc;

    *out = (struct graph_pattern_list){0};
    if (list.n == 0) {
        return 0;
    }
    arena_init(&out->arena, PATTERN_MEMORY);
    rc = compile_list(out, list, err);
    if (rc < 0) {
        graph_patterns_release(out);
    }
    return rc;
}

void graph_patterns_release(struct graph_pattern_list *list) {
    if (!list) {
        return;
    }
    arena_release(&list->arena);
    *list = (struct graph_pattern_list){0};
}

// Only the last star needs a second try: an earlier one could not match less than it did.
static bool atom_matches(struct str glob, struct str text) {
    size_t g = 0, t = 0, star_g = NO_BACKTRACK, star_t = 0;

    while (t < text.n) {
        if (g < glob.n && glob.p[g] == STAR) {
            star_g = ++g;
            star_t = t;
        } else if (g < glob.n && glob.p[g] == text.p[t]) {
            g++;
            t++;
        } else if (star_g != NO_BACKTRACK) {
            g = star_g;
            t = ++star_t;
        } else {
            return false;
        }
    }
    while (g < glob.n && glob.p[g] == STAR) {
        g++;
    }
    return g == glob.n;
}

static struct str atom_at(struct str name, size_t at) {
    struct str rest = str_skip(name, at);

    return str_sub(rest, 0, str_find(rest, '.'));
}

// The same with atoms for characters; `at` is where the next atom of the name starts, past its
// length when there is none.
static bool atoms_match(const struct atom *atoms, size_t n, struct str name) {
    size_t end = name.n + (name.n != 0), at = 0, i = 0, deep_i = NO_BACKTRACK, deep_at = 0;

    for (;;) {
        struct str atom = atom_at(name, at);

        if (i < n && atoms[i].deep) {
            deep_i = ++i;
            deep_at = at;
        } else if (i < n && at < end && atom_matches(atoms[i].text, atom)) {
            i++;
            at += atom.n + 1;
        } else if (i == n && at >= end) {
            return true;
        } else if (deep_i == NO_BACKTRACK || deep_at >= end) {
            return false;
        } else {
            deep_at += atom_at(name, deep_at).n + 1;
            at = deep_at;
            i = deep_i;
        }
    }
}

static bool class_matches(const struct graph_pattern *p, struct str name) {
    size_t dot = str_rfind(name, '.');

    if (name.n == 0) {
        return false;
    }
    if (atoms_match(p->atoms, p->n_atoms, name)) {
        return true;
    }
    return p->n_atoms == 1 && dot != STR_NPOS && atoms_match(p->atoms, 1, str_skip(name, dot + 1));
}

unsigned graph_pattern_match(const struct graph_pattern_list *list, size_t i, struct str path,
                             struct str class_name, uint32_t call) {
    const struct graph_pattern *p = &list->items[i];

    if (p->one_call && p->call != call) {
        return 0;
    }
    if (p->by_class) {
        return class_matches(p, class_name) ? p->weight : 0;
    }
    return atoms_match(p->atoms, p->n_atoms, path) ? p->weight : 0;
}

unsigned graph_patterns_match(const struct graph_pattern_list *list, struct str path,
                              struct str class_name, uint32_t call) {
    unsigned best = 0;

    for (size_t i = 0; i < list->n; i++) {
        unsigned weight = graph_pattern_match(list, i, path, class_name, call);

        if (weight > best) {
            best = weight;
        }
    }
    return best;
}

struct str graph_pattern_text(const struct graph_pattern_list *list, size_t i) {
    return list->items[i].source;
}
