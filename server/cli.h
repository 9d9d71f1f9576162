// The command line: one function a command, a table in main.c. Exit status: 0 done, 1 input not
// usable, 2 wrong usage.
//
// Documents go to stdout (or -o FILE), everything said to a person to stderr. Warnings are lines
// "warning: ...".
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/render.h"
#include "server/args.h"
#include "server/config.h"

#define SRV_EXIT_DONE 0
#define SRV_EXIT_INPUT 1
#define SRV_EXIT_USAGE 2

struct srv_command {
    const char *name;
    const char *summary;                // one line of --help
    const char *usage;                  // what follows "onnxscope "
    int (*run)(int argc, char **argv);  // argv[0] = the command's name; returns the exit status
    void (*help)(FILE *out);            // options, from the tables; NULL = none
};

extern const struct srv_command srv_commands[];
extern const size_t srv_command_count;

int srv_cli_render(int argc, char **argv);
int srv_cli_inspect(int argc, char **argv);
int srv_cli_serve(int argc, char **argv);
int srv_cli_health(int argc, char **argv);
void srv_cli_render_help(FILE *out);
void srv_cli_inspect_help(FILE *out);
void srv_cli_serve_help(FILE *out);
void srv_cli_health_help(FILE *out);

// What `render` and `inspect` have in common: a model, view options, budgets, where to write.
struct srv_job_args {
    struct graph_options options;
    struct srv_config config;  // only its limits are used
    const char *command;       // of whose flags are known
    const char *model;         // path or "-"
    const char *output;        // path, NULL = stdout
    const char *format;        // as given, NULL = not given
    uint32_t dpi;              // of a PNG, 0 = the standard
    bool timings;
    bool has_output;  // -o was given, "-" too
    bool has_view_options;
    const struct graph_option *bare;  // of the last word: an option without the value it could have
    const struct graph_option *loose;  // an option that an operand stands behind like its value
    struct str loose_value;            // that operand
};

int srv_job_args_init(struct srv_job_args *a, const char *command, struct error *err) WARN_UNUSED;
void srv_job_args_release(struct srv_job_args *a);

// Takes one word that the command itself did not know. Errors: ERR_USAGE, ERR_NOT_FOUND (no such
// flag).
int srv_job_args_take(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                      struct error *err) WARN_UNUSED;

// The part of it that view options are (server/cli_view.c): `arg` is no operand. A 0/1 option is
// --x or --no-x; an option with a bare value takes another one only with "=".
int srv_cli_take_view(struct srv_job_args *a, struct srv_args *args, struct srv_arg *arg,
                      struct error *err) WARN_UNUSED;

// Remembers an operand that may have been meant as the value of the option before it, "8" of
// "--fold 8"; the second says so once there are too many operands: ERR_USAGE, or 0 when none was.
void srv_cli_note_operand(struct srv_job_args *a, const struct srv_arg *arg);
int srv_cli_loose_value(const struct srv_job_args *a, struct error *err) WARN_UNUSED;

// Reads the model, renders, writes the document, tells warnings and timings on stderr. Returns an
// exit status.
int srv_cli_run_job(const struct srv_job_args *a, enum graph_format format);

// One option of a help text, wrapped under itself. `standard` is its default, NULL or "" = none.
void srv_cli_help_row(FILE *out, const char *left, const char *help, const char *standard);

// Help sections from the tables: options that the two commands share, view options, budgets.
void srv_cli_help_job(FILE *out);
void srv_cli_help_settings(FILE *out, bool reading_only);

// "onnxscope: SENTENCE" and a hint to the command's help on stderr, behind the list of its flags
// when there is none as given (ERR_NOT_FOUND); returns SRV_EXIT_USAGE.
int srv_cli_usage_error(const char *command, const struct error *err);
