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
        return srv_cli_loose_value(a, err) < 0
                   ? ERR_USAGE
                   : error_set(err, ERR_USAGE, "one model at a time: \"%.*s\" is one too many",
                               STR_ARG(arg->value));
    }
    a->model = arg->value.p;
    return 0;
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
    if (srv_args_value(args, arg, err) < 0) {
        return ERR_USAGE;
    }
    if (a->has_output) {
        return error_set(err, ERR_USAGE, "one output at a time: -o \"%.*s\" is one too many",
                         STR_ARG(arg->value));
    }
    a->has_output = true;
    a->output = str_eq_z(arg->value, "-") ? NULL : arg->value.p;
    return 0;
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
        srv_cli_note_operand(a, arg);
        return take_operand(a, arg, err);
    }
    a->bare = NULL;
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
    return srv_cli_take_view(a, args, arg, err);
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
