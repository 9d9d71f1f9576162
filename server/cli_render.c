#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "server/cli.h"

static bool find_format(const char *name, enum graph_format *out) {
    size_t i;

    for (i = 0; i < GRAPH_FORMATS; i++) {
        if (graph_formats[i].is_picture && strcmp(name, graph_formats[i].name) == 0) {
            *out = (enum graph_format)i;
            return true;
        }
    }
    return false;
}

static int unknown_format(const char *name, struct error *err) {
    struct buf names;
    size_t i;

    buf_init(&names, 256);
    for (i = 0; i < GRAPH_FORMATS; i++) {
        if (graph_formats[i].is_picture) {
            buf_add_z(&names, names.n ? ", " : "");
            buf_add_z(&names, graph_formats[i].name);
        }
    }
    buf_add_char(&names, '\0');
    error_set(err, ERR_USAGE, "there is no format \"%s\"; it is one of %s", name,
              names.p ? (const char *)names.p : "");
    buf_release(&names);
    return ERR_USAGE;
}

// --format wins over the ending of -o; without both it is SVG.
static int choose_format(const struct srv_job_args *a, enum graph_format *out, struct error *err) {
    const char *dot = a->output ? strrchr(a->output, '.') : NULL;
    const char *name = a->format ? a->format : (dot ? dot + 1 : "svg");

    return find_format(name, out) ? 0 : unknown_format(name, err);
}

void srv_cli_render_help(FILE *out) {
    fputs("\nMODEL is a file, or - for standard input.\n\n", out);
    srv_cli_help_row(out, "-o FILE", "write to FILE; its ending chooses the format", NULL);
    srv_cli_help_row(out, "--format svg|png|pdf|html|dot|json", "what to write (json = graph.json)",
                     "svg");
    srv_cli_help_row(out, "--dpi N", "dots an inch of a PNG, 8 to 1200", "96");
    srv_cli_help_row(out, "--timings", "CPU milliseconds of each stage on stderr", NULL);
    srv_cli_help_job(out);
}

static int parse(struct srv_job_args *a, int argc, char **argv, struct error *err) {
    struct srv_args args = {argc, argv, 1, false};
    struct srv_arg arg;
    int rc;

    while ((rc = srv_args_next(&args, &arg, err)) > 0) {
        if (srv_job_args_take(a, &args, &arg, err) < 0) {
            return ERR_USAGE;
        }
    }
    if (rc == 0 && !a->model) {
        return error_set(err, ERR_USAGE, "render needs a model: a file, or - for standard input");
    }
    return rc;
}

int srv_cli_render(int argc, char **argv) {
    enum graph_format format = GRAPH_FORMAT_SVG;
    struct srv_job_args a;
    struct error err = {0};
    int status;

    if (srv_job_args_init(&a, "render", &err) < 0 || parse(&a, argc, argv, &err) < 0) {
        status = srv_cli_usage_error("render", &err);
    } else if (choose_format(&a, &format, &err) < 0) {
        status = srv_cli_usage_error("render", &err);
    } else {
        status = srv_cli_run_job(&a, format);
    }
    srv_job_args_release(&a);
    return status;
}
