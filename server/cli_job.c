#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "server/assets.h"
#include "server/cli.h"
#include "server/cli_flags.h"
#include "server/cli_input.h"

int srv_job_args_init(struct srv_job_args *a, const char *command, struct error *err) {
    *a = (struct srv_job_args){.command = command};
    graph_options_init(&a->options);
    return srv_config_init(&a->config, err);
}

void srv_job_args_release(struct srv_job_args *a) {
    graph_options_release(&a->options);
    srv_config_release(&a->config);
}

static int take_operand(struct srv_job_args *a, const struct srv_arg *arg, struct error *err) {
    if (a->model) {
        return error_set(err, ERR_USAGE, "one model at a time: \"%.*s\" is one too many",
                         STR_ARG(arg->value));
    }
    a->model = arg->value.p;
    return 0;
}

static bool can_be_off(const struct graph_option *row) {
    return row->type == GRAPH_OPTION_BOOL || row->bare ||
           (row->type == GRAPH_OPTION_UINT && row->min == 0);
}

// A 0/1 option is --x or --no-x; an option with a bare value takes another one only with "=".
static int take_view_option(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                            struct error *err) {
    const struct graph_option *row = graph_option_find(arg->name);
    struct str name = arg->name;

    if (!row && str_starts(name, STR("no-"))) {
        row = graph_option_find(str_skip(name, 3));
        if (row && !arg->has_value && can_be_off(row)) {
            name = str_skip(name, 3);
            arg->value = STR("0");
            arg->has_value = true;
        }
    } else if (row && !arg->has_value && (row->type == GRAPH_OPTION_BOOL || row->bare)) {
        arg->value = row->type == GRAPH_OPTION_BOOL ? STR("1") : str_from(row->bare);
        arg->has_value = true;
    }
    if (!row || !graph_option_find(name)) {
        return srv_cli_unknown_flag(a->command, arg->name, err);
    }
    if (srv_args_value(args, arg, err) < 0) {
        return ERR_USAGE;
    }
    a->has_view_options = true;
    return graph_options_set(&a->options, name, arg->value, err);
}

static int take_text(const char **field, struct srv_args *args, struct srv_arg *arg,
                     struct error *err) {
    if (srv_args_value(args, arg, err) < 0) {
        return ERR_USAGE;
    }
    *field = arg->value.p;
    return 0;
}

// As for the model, "-" is the standard stream.
static int take_output(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                       struct error *err) {
    int rc = take_text(&a->output, args, arg, err);

    if (rc == 0 && strcmp(a->output, "-") == 0) {
        a->output = NULL;
    }
    return rc;
}

static int take_dpi(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                    struct error *err) {
    return srv_args_value(args, arg, err) < 0 ? ERR_USAGE
                                              : graph_dpi_parse(&a->dpi, arg->value, err);
}

int srv_job_args_take(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                      struct error *err) {
    struct srv_setting setting;

    if (arg->name.n == 0) {
        return take_operand(a, arg, err);
    }
    if (str_eq_z(arg->name, "timings")) {
        a->timings = true;
        return srv_args_no_value(arg, err);
    }
    if (str_eq_z(arg->name, "o") || str_eq_z(arg->name, "output")) {
        return take_output(a, args, arg, err);
    }
    if (str_eq_z(arg->name, "format")) {
        return take_text(&a->format, args, arg, err);
    }
    if (str_eq_z(arg->name, "dpi") && strcmp(a->command, "render") == 0) {
        return take_dpi(a, args, arg, err);
    }
    if (srv_setting_find(arg->name, &setting) && setting.reading) {
        return srv_args_value(args, arg, err) < 0
                   ? ERR_USAGE
                   : srv_config_set(&a->config, arg->name, arg->value, err);
    }
    return take_view_option(a, args, arg, err);
}

// "onnxscope: FILE: byte 12, graph.node[3]: SENTENCE (raise it with --max-skeleton)"
static void print_error(const char *file, const struct error *err) {
    fprintf(stderr, "onnxscope: %s: ", strcmp(file, "-") == 0 ? "standard input" : file);
    if (err->offset != ERROR_NO_OFFSET) {
        fprintf(stderr, "byte %llu%s", (unsigned long long)err->offset,
                err->field[0] ? ", " : ": ");
    }
    if (err->field[0]) {
        fprintf(stderr, "%s: ", err->field);
    }
    fputs(err->text, stderr);
    if (err->limit[0]) {
        fprintf(stderr, " (the limit can be raised with --%s)", err->limit);
    }
    fputc('\n', stderr);
}

static void print_warnings(const struct warnings *list) {
    size_t i;

    for (i = 0; i < list->n; i++) {
        const struct warning *w = &list->items[i];

        fprintf(stderr, "warning: %s%s%s [%s]\n", w->where, w->where[0] ? ": " : "", w->message,
                w->code);
    }
    if (list->total > list->n) {
        fprintf(stderr, "warning: and %zu more\n", list->total - list->n);
    }
}

static void print_timings(const struct graph_result *result) {
    size_t i;

    for (i = 0; i < GRAPH_STAGES; i++) {
        fprintf(stderr, "%s %.3f\n", graph_stage_names[i], result->cpu_ms[i]);
    }
}

// The file is written under its own name only: a reader of the directory may see it grow, but a
// failed render never leaves one, because rendering has ended before.
static int write_document(const char *path, const struct buf *body) {
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
    bool failed = fd < 0 || io_write_all(fd, buf_slice(body)) < 0;

    if (failed) {
        fprintf(stderr, "onnxscope: %s: cannot be written: %s\n", path ? path : "standard output",
                strerror(errno));
    }
    if (path && fd >= 0) {
        close(fd);
    }
    return failed ? SRV_EXIT_INPUT : SRV_EXIT_DONE;
}

static int render(const struct srv_job_args *a, enum graph_format format,
                  const struct srv_input *input) {
    struct graph_result result = {0};
    struct error err = {0};
    struct graph_request request = {
        .skeleton = input->skeleton,
        .strip = &input->facts,
        .source = {str_from(input->id), input->facts.bytes, input->facts.complete},
        .format = format,
        .options = &a->options,
        .dpi = a->dpi,
        .page = srv_export_page(),
        .limits = &a->config.limits,
    };
    int status;

    if (graph_render(&result, &request, &err) < 0) {
        print_error(a->model, &err);
        status = err.code == ERR_USAGE ? SRV_EXIT_USAGE : SRV_EXIT_INPUT;
    } else {
        print_warnings(&result.list);
        status = write_document(a->output, &result.body);
    }
    result.cpu_ms[GRAPH_STAGE_STRIP] = input->strip_ms;
    if (a->timings) {
        print_timings(&result);
    }
    graph_result_release(&result);
    return status;
}

int srv_cli_run_job(const struct srv_job_args *a, enum graph_format format) {
    struct srv_input input;
    struct error err = {0};
    int status;

    if (srv_input_read(&input, a->model, &a->config.limits.onnx, &err) < 0) {
        print_error(a->model, &err);
        srv_input_release(&input);
        return SRV_EXIT_INPUT;
    }
    status = render(a, format, &input);
    srv_input_release(&input);
    return status;
}
