#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "server/cli.h"

#define LEFT 34  // columns before the explanation

static void print_row(FILE *out, const char *left, const char *help, const char *standard)
{
    if (strlen(left) > LEFT) {
        fprintf(out, "  %s\n  %-*s %s", left, LEFT, "", help);
    } else {
        fprintf(out, "  %-*s %s", LEFT, left, help);
    }
    if (standard && *standard) {
        fprintf(out, " [%s]", standard);
    }
    fputc('\n', out);
}

static void add_flag(struct buf *left, const char *name)
{
    buf_add_z(left, "--");
    for (; *name; name++) {
        buf_add_char(left, *name == '_' ? '-' : *name);
    }
}

static void print_option(FILE *out, const struct graph_option *row)
{
    struct buf left;

    buf_init(&left, 256);
    if (row->type == GRAPH_OPTION_BOOL) {
        add_flag(&left, row->name);
        buf_add_z(&left, " | --no-...");
    } else {
        add_flag(&left, row->name);
        buf_add_z(&left, row->bare ? "[=" : " ");
        buf_add_z(&left, row->values);
        buf_add_z(&left, row->bare ? "]" : "");
    }
    buf_add_char(&left, '\0');
    print_row(out, left.p ? (const char *)left.p : "", row->help, row->standard);
    buf_release(&left);
}

void srv_cli_help_settings(FILE *out, bool reading_only)
{
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
        buf_add_char(&left, '\0');
        srv_config_add_value(&value, &defaults, &s);
        buf_add_char(&value, '\0');
        print_row(out, (const char *)left.p, s.help, (const char *)value.p);
        buf_release(&left);
        buf_release(&value);
    }
    srv_config_release(&defaults);
}

void srv_cli_help_job(FILE *out)
{
    size_t i;

    fputs("\nView options:\n", out);
    for (i = 0; i < graph_option_count; i++) {
        print_option(out, &graph_option_table[i]);
    }
    fputs("\nBudgets of reading and drawing:\n", out);
    srv_cli_help_settings(out, true);
}
