// Log lines: one JSON object a line on stderr, written with one write(). Keys are constants; values
// are escaped by the JSON writer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json_write.h"
#include "base/str.h"

enum srv_log_level { SRV_LOG_ERROR, SRV_LOG_WARN, SRV_LOG_INFO, SRV_LOG_DEBUG };

void srv_log_set_level(enum srv_log_level level);
bool srv_log_level_parse(struct str s, enum srv_log_level *out);

// A line under construction: {"ts":...,"level":...,"msg":MSG, then what the caller adds with
// json_member_*.
struct srv_log_line {
    struct buf buf;
    struct json_write json;
    enum srv_log_level level;
};

void srv_log_begin(struct srv_log_line *line, enum srv_log_level level, const char *msg);
void srv_log_end(struct srv_log_line *line);  // writes it, releases it; below the level nothing is
                                              // written

// A line without further members, and one with an error's text and place.
void srv_log(enum srv_log_level level, const char *msg);
void srv_log_error(enum srv_log_level level, const char *msg, const struct error *err);
