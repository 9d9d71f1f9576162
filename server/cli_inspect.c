#include <string.h>

#include "server/cli.h"

// What inspect can show, in which form; the first row of a switch is its default.
static const struct inspect_row {
    const char *what;
    const char *form;
    enum graph_format format;
    bool takes_view;
    const char *help;  // of the switch, in its first row
} rows[] = {
    {"summary", "json", GRAPH_FORMAT_SUMMARY, false, "producer, inputs, outputs, counts"},
    {"summary", "table", GRAPH_FORMAT_SUMMARY_TABLE, false, NULL},
    {"modules", "json", GRAPH_FORMAT_MODULES, false, "every module: class, calls, sizes"},
    {"modules", "table", GRAPH_FORMAT_MODULES_TABLE, false, NULL},
    {"nodes", "json", GRAPH_FORMAT_NODES, false, "every node with its module and its values"},
    {"nodes", "table", GRAPH_FORMAT_NODES_TABLE, false, NULL},
    {"graph", "json", GRAPH_FORMAT_JSON, true, "the view: nodes, edges and boxes of a picture"},
    {"layout", "json", GRAPH_FORMAT_LAYOUT, true, "the view with the places of everything in it"},
};

static bool is_switch(struct str name) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        if (str_eq_z(name, rows[i].what)) {
            return true;
        }
    }
    return false;
}

static const struct inspect_row *find_row(const char *what, const char *form) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].what, what) == 0 && (!form || strcmp(rows[i].form, form) == 0)) {
            return &rows[i];
        }
    }
    return NULL;
}

void srv_cli_inspect_help(FILE *out) {
    size_t i;

    fputs("\nMODEL is a file, or - for standard input.\n\n", out);
    for (i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf left;

        buf_init(&left, 64);
        buf_add_z(&left, "--");
        buf_add_z(&left, rows[i].what);
        if (rows[i].help && buf_z(&left)) {
            srv_cli_help_row(out, buf_z(&left), rows[i].help, i == 0 ? "default" : NULL);
        }
        buf_release(&left);
    }
    srv_cli_help_row(out, "--format json|table", "form of the answer; the view has no table",
                     "json");
    srv_cli_help_row(out, "-o FILE", "write to FILE", NULL);
    srv_cli_help_row(out, "--timings", "CPU milliseconds of each stage on stderr", NULL);
    srv_cli_help_job(out);
}

static int take(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                const char **what, struct error *err) {
    if (arg->name.n == 0 || !is_switch(arg->name)) {
        return srv_job_args_take(a, args, arg, err);
    }
    if (srv_args_no_value(arg, err) < 0) {
        return ERR_USAGE;
    }
    if (*what && !str_eq_z(arg->name, *what)) {
        return error_set(err, ERR_USAGE, "inspect shows one thing: --%s or --%s", *what,
                         arg->name.p);
    }
    *what = arg->name.p;
    return 0;
}

static int parse(struct srv_job_args *a, const struct inspect_row **row, int argc, char **argv,
                 struct error *err) {
    struct srv_args args = {argc, argv, 1, false};
    struct srv_arg arg;
    const char *what = NULL;
    int rc;

    while ((rc = srv_args_next(&args, &arg, err)) > 0) {
        if (take(a, &args, &arg, &what, err) < 0) {
            return ERR_USAGE;
        }
    }
    if (rc < 0) {
        return rc;
    }
    if (!a->model) {
        return error_set(err, ERR_USAGE, "inspect needs a model: a file, or - for standard input");
    }
    what = what ? what : "summary";
    *row = find_row(what, a->format);
    if (!*row) {
        return error_set(err, ERR_USAGE, "--%s has no form \"%s\"", what, a->format);
    }
    if (a->has_view_options && !(*row)->takes_view) {
        return error_set(err, ERR_USAGE, "--%s shows the whole model and takes no view options",
                         what);
    }
    return 0;
}

int srv_cli_inspect(int argc, char **argv) {
    const struct inspect_row *row = rows;
    struct srv_job_args a;
    struct error err = {0};
    int status;

    if (srv_job_args_init(&a, "inspect", &err) < 0 || parse(&a, &row, argc, argv, &err) < 0) {
        status = srv_cli_usage_error("inspect", &err);
    } else {
        status = srv_cli_run_job(&a, row->format);
    }
    srv_job_args_release(&a);
    return status;
}
