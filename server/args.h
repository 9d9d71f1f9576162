// Words of a command line, one at a time: options with or without an attached value, and operands.
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

struct srv_args {
    int argc;
    char **argv;
    int next;            // index of the next word
    bool operands_only;  // "--" was seen
};

struct srv_arg {
    struct str name;   // without the dashes; "o" for "-o"; empty = an operand
    struct str value;  // of "--name=value"; of an operand: itself
    bool has_value;
};

// Takes the next word: 1, or 0 at the end. A single "-" is an operand. Errors: ERR_USAGE (a name of
// several letters behind a single dash).
int srv_args_next(struct srv_args *args, struct srv_arg *arg, struct error *err) WARN_UNUSED;

// Gives the option its value: the attached one, else the next word. Errors: ERR_USAGE.
int srv_args_value(struct srv_args *args, struct srv_arg *arg, struct error *err) WARN_UNUSED;

// Refuses a value of an option that takes none ("--timings=0"). Errors: ERR_USAGE.
int srv_args_no_value(const struct srv_arg *arg, struct error *err) WARN_UNUSED;
