#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "server/cli.h"

#define LEFT 34  // columns before the explanation
#define COLUMNS 100

// Where to cut `text` so that its first part fits `room` columns: at the last space within, else
// where it is full.
static size_t cut(struct str text, size_t room) {
    size_t space = text.n > room ? str_rfind(str_sub(text, 0, room + 1), ' ') : text.n;

    return space == STR_NPOS || space == 0 ? room : space;
}

static void print_wrapped(FILE *out, struct str text) {
    const size_t room = COLUMNS - LEFT - 3;

    for (;;) {
        struct str line = str_sub(text, 0, cut(text, room));

        fprintf(out, "%.*s\n", STR_ARG(line));
        text = str_trim(str_skip(text, line.n));
        if (text.n == 0) {
            return;
        }
        fprintf(out, "%*s", LEFT + 3, "");
    }
}

void srv_cli_help_row(FILE *out, const char *left, const char *help, const char *standard) {
    struct buf text;

    buf_init(&text, 1024);
    buf_add_z(&text, help);
    if (standard && *standard) {
        buf_add_z(&text, " [");
        buf_add_z(&text, standard);
        buf_add_char(&text, ']');
    }
    fprintf(out, "  %-*s ", LEFT, left);
    if (strlen(left) > LEFT) {
        fprintf(out, "\n%*s", LEFT + 3, "");
    }
    print_wrapped(out, buf_str(&text));
    buf_release(&text);
}

static void add_flag(struct buf *left, const char *name) {
    buf_add_z(left, "--");
    for (; *name; name++) {
        buf_add_char(left, *name == '_' ? '-' : *name);
    }
}

static void print_option(FILE *out, const struct graph_option *row) {
    struct buf left;

    buf_init(&left, 256);
    if (row->type == GRAPH_OPTION_BOOL) {
        add_flag(&left, row->name);
        buf_add_z(&left, " | --no-...");
    } else {
        add_flag(&left, row->name);
        buf_add_z(&left, row->bare ? "[=" : " ");
        buf_add_z(&left, row->type == GRAPH_OPTION_PATTERNS ? "LIST" : row->values);
        buf_add_z(&left, row->bare ? "]" : "");
    }
    if (buf_z(&left)) {
        srv_cli_help_row(out, buf_z(&left), row->help, row->standard);
    }
    buf_release(&left);
}

void srv_cli_help_settings(FILE *out, bool reading_only) {
    struct srv_config defaults;
    struct error err;
    size_t i;

    if (srv_config_init(&defaults, &err) < 0) {
        return;
    }
    for (i = 0; i < srv_setting_count(); i++) {
        struct srv_setting s = srv_setting_at(i);
        struct buf left, value;

        if (reading_only && !s.reading) {
            continue;
        }
        buf_init(&left, 128);
        buf_init(&value, 256);
        add_flag(&left, s.name);
        srv_config_add_value(&value, &defaults, &s);
        if (buf_z(&left)) {
            srv_cli_help_row(out, buf_z(&left), s.help, buf_z(&value));
        }
        buf_release(&left);
        buf_release(&value);
    }
    srv_config_release(&defaults);
}

void srv_cli_help_job(FILE *out) {
    size_t i;

    fputs("\nView options:\n", out);
    for (i = 0; i < graph_option_count; i++) {
        print_option(out, &graph_option_table[i]);
    }
    fputs("\nBudgets of reading and drawing:\n", out);
    srv_cli_help_settings(out, true);
}
