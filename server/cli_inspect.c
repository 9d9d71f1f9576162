#include <string.h>

#include "server/cli.h"

// What inspect can show, in which form; the first row of a switch is its default.
static const struct inspect_row {
    const char *what;
    const char *form;
    enum graph_format format;
    bool takes_view;
} rows[] = {
    {"summary", "json", GRAPH_FORMAT_SUMMARY, false},
    {"summary", "table", GRAPH_FORMAT_SUMMARY_TABLE, false},
    {"modules", "json", GRAPH_FORMAT_MODULES, false},
    {"modules", "table", GRAPH_FORMAT_MODULES_TABLE, false},
    {"nodes", "json", GRAPH_FORMAT_NODES, false},
    {"nodes", "table", GRAPH_FORMAT_NODES_TABLE, false},
    {"graph", "json", GRAPH_FORMAT_JSON, true},
};

static bool is_switch(struct str name)
{
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        if (str_eq_z(name, rows[i].what)) {
            return true;
        }
    }
    return false;
}

static const struct inspect_row *find_row(const char *what, const char *form)
{
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].what, what) == 0 && (!form || strcmp(rows[i].form, form) == 0)) {
            return &rows[i];
        }
    }
    return NULL;
}

void srv_cli_inspect_help(FILE *out)
{
    fputs("\nMODEL is a file, or - for standard input.\n\n"
          "  --summary                          producer, inputs, outputs, counts (default)\n"
          "  --modules                          every module: class, calls, sizes\n"
          "  --nodes                            every node with its module and its values\n"
          "  --graph                            the view: nodes, edges and boxes of a picture\n"
          "  --format json|table                form of the answer; the view has no table\n"
          "  -o FILE                            write to FILE\n"
          "  --timings                          CPU milliseconds of each stage on stderr\n",
          out);
    srv_cli_help_job(out);
}

static int parse(struct srv_job_args *a, const struct inspect_row **row, int argc, char **argv,
                 struct error *err)
{
    struct srv_args args = {argc, argv, 1, false};
    struct srv_arg arg;
    const char *what = NULL;

    while (srv_args_next(&args, &arg)) {
        if (arg.name.n && !arg.has_value && is_switch(arg.name)) {
            if (what && !str_eq_z(arg.name, what)) {
                return error_set(err, ERR_USAGE, "inspect shows one thing: --%s or --%s", what,
                                 arg.name.p);
            }
            what = arg.name.p;
        } else if (srv_job_args_take(a, &args, &arg, err) < 0) {
            return ERR_USAGE;
        }
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

int srv_cli_inspect(int argc, char **argv)
{
    const struct inspect_row *row = rows;
    struct srv_job_args a;
    struct error err = {0};
    int status;

    if (srv_job_args_init(&a, &err) < 0 || parse(&a, &row, argc, argv, &err) < 0) {
        status = srv_cli_usage_error("inspect", &err);
    } else {
        status = srv_cli_run_job(&a, row->format);
    }
    srv_job_args_release(&a);
    return status;
}
