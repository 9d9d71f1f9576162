#include "server/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX ((size_t)16 << 10)

static const char *const level_names[] = {
    [SRV_LOG_ERROR] = "error",
    [SRV_LOG_WARN] = "warn",
    [SRV_LOG_INFO] = "info",
    [SRV_LOG_DEBUG] = "debug",
};

static _Atomic(int) threshold = SRV_LOG_INFO;

void srv_log_set_level(enum srv_log_level level) {
    atomic_store(&threshold, (int)level);
}

bool srv_log_level_parse(struct str s, enum srv_log_level *out) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(level_names); i++) {
        if (str_eq_z(s, level_names[i])) {
            *out = (enum srv_log_level)i;
            return true;
        }
    }
    return false;
}

// RFC 3339 in UTC with milliseconds.
static void add_time(struct json_write *json) {
    struct timespec now;
    struct tm utc;
    char text[48];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", utc.tm_year + 1900,
             utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
             now.tv_nsec / 1000000 % 1000);
    json_member_z(json, "ts", text);
}

void srv_log_begin(struct srv_log_line *line, enum srv_log_level level, const char *msg) {
    line->level = level;
    buf_init(&line->buf, LINE_MAX);
    json_write_init(&line->json, &line->buf);
    json_open_object(&line->json);
    add_time(&line->json);
    json_member_z(&line->json, "level", level_names[level]);
    json_member_z(&line->json, "msg", msg);
}

void srv_log_end(struct srv_log_line *line) {
    json_close_object(&line->json);
    buf_add_char(&line->buf, '\n');
    if ((int)line->level <= atomic_load(&threshold) && !line->buf.failed) {
        // A log that cannot be written has no better place to say so.
        ssize_t ignored = write(STDERR_FILENO, line->buf.p, line->buf.n);
        (void)ignored;
    }
    buf_release(&line->buf);
}

void srv_log(enum srv_log_level level, const char *msg) {
    struct srv_log_line line;

    srv_log_begin(&line, level, msg);
    srv_log_end(&line);
}

void srv_log_error(enum srv_log_level level, const char *msg, const struct error *err) {
    struct srv_log_line line;

    srv_log_begin(&line, level, msg);
    json_member_z(&line.json, "error", error_name(err->code));
    json_member_z(&line.json, "detail", err->text);
    if (err->offset != ERROR_NO_OFFSET && err->offset) {
        json_member_u64(&line.json, "offset", err->offset);
    }
    if (err->field[0]) {
        json_member_z(&line.json, "field", err->field);
    }
    srv_log_end(&line);
}
