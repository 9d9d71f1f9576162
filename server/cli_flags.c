#include "server/cli_flags.h"

#include <string.h>

#include "base/attr.h"
#include "base/nearest.h"
#include "graph/options.h"
#include "server/config.h"

#define SHOWN 64u  // bytes of a name that a message repeats

enum settings { NO_SETTINGS, READING_SETTINGS, ALL_SETTINGS };

static const struct command {
    const char *name;
    const char *const *own;  // NULL-terminated
    bool view;
    enum settings settings;
} commands[] = {
    {"serve", (const char *const[]){"check-config", "help", NULL}, false, ALL_SETTINGS},
    {"render", (const char *const[]){"o", "output", "format", "dpi", "timings", "help", NULL}, true,
     READING_SETTINGS},
    {"inspect",
     (const char *const[]){"summary", "modules", "nodes", "graph", "o", "output", "format",
                           "timings", "help", NULL},
     true, READING_SETTINGS},
    {"health", (const char *const[]){"help", NULL}, false, NO_SETTINGS},
};

static const struct command *find_command(const char *name) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static void each_flag(const struct command *c, void (*take)(void *arg, const char *name),
                      void *arg) {
    size_t i;

    for (i = 0; c->own[i]; i++) {
        take(arg, c->own[i]);
    }
    for (i = 0; c->view && i < graph_option_count; i++) {
        take(arg, graph_option_table[i].name);
    }
    for (i = 0; c->settings != NO_SETTINGS && i < srv_setting_count(); i++) {
        struct srv_setting s = srv_setting_at(i);

        if (s.reading || c->settings == ALL_SETTINGS) {
            take(arg, s.name);
        }
    }
}

void srv_cli_add_flag(struct buf *out, struct str name) {
    size_t i;

    buf_add_z(out, name.n > 1 ? "--" : "-");
    for (i = 0; i < name.n; i++) {
        buf_add_char(out, name.p[i] == '_' ? '-' : name.p[i]);
    }
}

static void add_guess(struct buf *out, const char *guess, bool is_off) {
    struct buf name;

    buf_init(&name, SHOWN);
    buf_add_z(&name, is_off ? "no-" : "");
    buf_add_z(&name, guess);
    srv_cli_add_flag(out, buf_str(&name));
    buf_release(&name);
}

static void add_to_list(void *arg, const char *name) {
    struct buf *out = arg;

    buf_add_z(out, out->n ? ", " : "");
    srv_cli_add_flag(out, str_from(name));
}

void srv_cli_list_flags(struct buf *out, const char *command) {
    const struct command *c = find_command(command);

    if (c) {
        each_flag(c, add_to_list, out);
    }
}

struct search {
    struct str name;
    const char *best;
    unsigned least;
};

static void compare(void *arg, const char *name) {
    struct search *s = arg;
    unsigned distance = nearest_distance(s->name, str_from(name));

    // Of a name that short, everything is near.
    if (distance < s->least && distance < s->name.n) {
        s->least = distance;
        s->best = name;
    }
}

bool srv_cli_can_be_off(const struct graph_option *row) {
    return row->type == GRAPH_OPTION_BOOL || row->bare ||
           (row->type == GRAPH_OPTION_UINT && row->min == 0);
}

static bool has_off(const char *name) {
    const struct graph_option *row = name ? graph_option_find(str_from(name)) : NULL;

    return row && srv_cli_can_be_off(row);
}

static const char *closest(const char *command, struct str name) {
    const struct command *c = find_command(command);
    struct search s = {name, NULL, NEAREST_DISTANCE + 1};

    if (c) {
        each_flag(c, compare, &s);
    }
    return s.best;
}

int srv_cli_unknown_flag(const char *command, struct str name, struct error *err) {
    const char *guess = closest(command, name);
    bool is_off = false;
    struct buf text;

    if (!guess && str_starts(name, STR("no-"))) {
        guess = closest(command, str_skip(name, 3));
        is_off = has_off(guess);
    }
    buf_init(&text, sizeof(err->text));
    buf_add_z(&text, "there is no option ");
    srv_cli_add_flag(&text, str_sub(name, 0, SHOWN));
    if (guess) {
        buf_add_z(&text, "; did you mean ");
        add_guess(&text, guess, is_off);
        buf_add_z(&text, "?");
    }
    error_set(err, ERR_NOT_FOUND, "%.*s", STR_ARG(buf_str(&text)));
    buf_release(&text);
    return ERR_NOT_FOUND;
}
