// The command line: one function a command, a table in main.c. Exit status: 0 done, 1 input not
// usable, 2 wrong usage.
//
// Documents go to stdout (or -o FILE), everything said to a person to stderr. Warnings are lines
// "warning: ...".
#pragma once

#include <stdio.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/warnings.h"
#include "graph/render.h"

struct srv_command {
    const char *name;
    const char *summary;                // one line of --help
    const char *usage;                  // "onnxscope render [view options] [-o FILE] MODEL"
    int (*run)(int argc, char **argv);  // argv[0] = the command's name; returns the exit status
    void (*help)(FILE *out);            // options, from the tables
};

int srv_cli_render(int argc, char **argv);
int srv_cli_inspect(int argc, char **argv);
int srv_cli_serve(int argc, char **argv);
int srv_cli_health(int argc, char **argv);
