#include "server/cli.h"
#include "server/cli_flags.h"

#define FLAG_BYTES 64

// Row of "no-x" where x can be off.
static const struct graph_option *find_off(struct str name) {
    const struct graph_option *row =
        str_starts(name, STR("no-")) ? graph_option_find(str_skip(name, 3)) : NULL;

    return row && srv_cli_can_be_off(row) ? row : NULL;
}

static int set_off(struct srv_job_args *a, const struct graph_option *row,
                   const struct srv_arg *arg, struct error *err) {
    if (srv_args_no_value(arg, err) < 0) {
        return ERR_USAGE;
    }
    a->has_view_options = true;
    return graph_options_set(&a->options, str_from(row->name), STR("0"), err);
}

int srv_cli_take_view(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                      struct error *err) {
    const struct graph_option *row = graph_option_find(arg->name);

    if (!row) {
        row = find_off(arg->name);
        return row ? set_off(a, row, arg, err) : srv_cli_unknown_flag(a->command, arg->name, err);
    }
    if (!arg->has_value && row->bare) {
        arg->value = str_from(row->bare);
        arg->has_value = true;
        a->bare = row;
    }
    if (srv_args_value(args, arg, err) < 0) {
        return ERR_USAGE;
    }
    a->has_view_options = true;
    return graph_options_set(&a->options, arg->name, arg->value, err);
}

static bool is_value(const struct graph_option *row, struct str value) {
    struct graph_options scratch;
    struct error err;
    bool is;

    graph_options_init(&scratch);
    is = graph_options_set(&scratch, str_from(row->name), value, &err) == 0;
    graph_options_release(&scratch);
    return is;
}

void srv_cli_note_operand(struct srv_job_args *a, const struct srv_arg *arg) {
    if (a->bare && !a->loose && is_value(a->bare, arg->value)) {
        a->loose = a->bare;
        a->loose_value = arg->value;
    }
    a->bare = NULL;
}

int srv_cli_loose_value(const struct srv_job_args *a, struct error *err) {
    struct buf flag;

    if (!a->loose) {
        return 0;
    }
    buf_init(&flag, FLAG_BYTES);
    srv_cli_add_flag(&flag, str_from(a->loose->name));
    error_set(err, ERR_USAGE, "\"%.*s\" is taken for a model: write %.*s=%.*s",
              STR_ARG(a->loose_value), STR_ARG(buf_str(&flag)), STR_ARG(a->loose_value));
    buf_release(&flag);
    return ERR_USAGE;
}
