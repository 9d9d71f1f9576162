// Processes, found as anybody would find them.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// The first living child of `parent` with this name, or 0.
pid_t find_child(pid_t parent, const char *name);

// A process that ended counts as gone, whether or not somebody has asked for its status.
bool is_alive(pid_t pid);
