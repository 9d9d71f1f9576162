// What flags a command of the command line has, and which one a mistyped name may have meant.
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/options.h"

// Returns ERR_NOT_FOUND with a sentence that names the option and, when one is near, a flag that
// exists.
int srv_cli_unknown_flag(const char *command, struct str name, struct error *err);

// Whether --no-x is an option where --x is one.
bool srv_cli_can_be_off(const struct graph_option *row);

// Appends "--max-boxes" for max_boxes, "-o" for o.
void srv_cli_add_flag(struct buf *out, struct str name);

// "--depth, --max-boxes, ...": all of a command; nothing for a command that has none.
void srv_cli_list_flags(struct buf *out, const char *command);
