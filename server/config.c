#include "server/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "server/log.h"
#include "server/store.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define HOUR_MS ((uint64_t)3600000)
#define TEXT_MAX 4096
#define ENV_PREFIX "ONNXSCOPE_"

#define FIELD(name) offsetof(struct srv_config, name)

static const struct srv_setting table[] = {
    {"listen", SRV_SETTING_TEXT, FIELD(listen), SRV_LISTEN_STANDARD, 0, 0, false,
     "address and port to listen on; port 0 takes a free one"},
    {"store", SRV_SETTING_TEXT, FIELD(store), "memory", 0, 0, false,
     "where models are kept: memory, or dir:PATH"},
    {"store-size", SRV_SETTING_SIZE, FIELD(store_size), "1GiB", MIB, 1024 * GIB, false,
     "bytes that the store may hold; the least recently used models go first"},
    {"cache-size", SRV_SETTING_SIZE, FIELD(cache_size), "128MiB", 0, 64 * GIB, false,
     "bytes of finished documents kept in memory; 0 = none"},
    {"host-name", SRV_SETTING_LIST, FIELD(host_name), "", 0, 0, false,
     "names that the Host header may hold, beside localhost and addresses"},
    {"workers", SRV_SETTING_UINT, FIELD(workers), "0", 0, 256, false,
     "jobs that run at the same time; 0 = number of cores"},
    {"queue", SRV_SETTING_UINT, FIELD(queue), "64", 1, 65536, false,
     "jobs that may wait; more are refused with 429"},
    {"deadline", SRV_SETTING_DURATION, FIELD(deadline_ms), "20s", 10, HOUR_MS, false,
     "time that one job may take before it is killed"},
    {"job-memory", SRV_SETTING_SIZE, FIELD(job_memory), "2GiB", 64 * MIB, 64 * GIB, false,
     "address space of one job"},
    {"threads", SRV_SETTING_UINT, FIELD(threads), "2", 1, 64, false,
     "threads that serve connections"},
    {"max-connections", SRV_SETTING_UINT, FIELD(max_connections), "1000", 1, 100000, false,
     "connections at the same time"},
    {"connection-memory", SRV_SETTING_SIZE, FIELD(connection_memory), "64KiB", 16 * KIB, 16 * MIB,
     false, "bytes for the headers and buffers of one connection"},
    {"header-timeout", SRV_SETTING_DURATION, FIELD(header_timeout_ms), "10s", 100, HOUR_MS, false,
     "time in which the headers of a request must be complete"},
    {"idle-timeout", SRV_SETTING_DURATION, FIELD(idle_timeout_ms), "60s", 1000, HOUR_MS, false,
     "time without a byte after which a connection is closed"},
    {"request-timeout", SRV_SETTING_DURATION, FIELD(request_timeout_ms), "60s", 100, HOUR_MS, false,
     "time that a request may wait for its picture, in the queue and at work"},
    {"max-ratio", SRV_SETTING_UINT, FIELD(max_ratio), "200", 1, 1000000, false,
     "times that a compressed body may grow once it is larger than 64 MiB"},
    {"min-upload-rate", SRV_SETTING_SIZE, FIELD(min_upload_rate), "1KiB", 0, GIB, false,
     "bytes a second that an upload must bring after its first 10 seconds"},
    {"drain-delay", SRV_SETTING_DURATION, FIELD(drain_delay_ms), "0s", 0, HOUR_MS, false,
     "time between being unready and refusing connections when stopped"},
    {"drain-timeout", SRV_SETTING_DURATION, FIELD(drain_timeout_ms), "25s", 0, HOUR_MS, false,
     "time that running requests have to end when stopped"},
    {"log-level", SRV_SETTING_TEXT, FIELD(log_level), "info", 0, 0, false,
     "least important lines to log: error, warn, info, debug"},
    {"max-output", SRV_SETTING_SIZE, FIELD(limits.max_output), NULL, 64 * KIB, 16 * GIB, true,
     "bytes of one document"},
    {"max-pixels", SRV_SETTING_UINT, FIELD(limits.max_pixels), NULL, 10000, 1000000000, true,
     "pixels of a PNG; a larger one comes with fewer dots an inch"},
};

// Budgets that live in tables of their own; 32-bit ones are set apart because of their width.
static const struct srv_setting drawn = {"max-drawn",
                                         SRV_SETTING_UINT,
                                         FIELD(limits.view.max_drawn),
                                         NULL,
                                         1,
                                         1000000,
                                         true,
                                         "boxes of a picture; a larger view comes back coarser"};

size_t srv_setting_count(void) {
    return ARRAY_LEN(table) + 1 + onnx_limit_count;
}

static struct srv_setting from_limit(const struct onnx_limit *limit) {
    return (struct srv_setting){
        .name = limit->name,
        .type = limit->is_size ? SRV_SETTING_SIZE : SRV_SETTING_UINT,
        .offset = FIELD(limits.onnx) + limit->offset,
        .min = limit->min,
        .max = limit->max,
        .reading = true,
        .help = limit->help,
    };
}

struct srv_setting srv_setting_at(size_t i) {
    if (i < ARRAY_LEN(table)) {
        return table[i];
    }
    return i == ARRAY_LEN(table) ? drawn : from_limit(&onnx_limit_table[i - ARRAY_LEN(table) - 1]);
}

static bool name_eq(struct str name, const char *z) {
    size_t i;

    for (i = 0; i < name.n && z[i]; i++) {
        if ((name.p[i] == '_' ? '-' : name.p[i]) != z[i]) {
            return false;
        }
    }
    return i == name.n && !z[i];
}

bool srv_setting_find(struct str name, struct srv_setting *out) {
    size_t i;

    for (i = 0; i < srv_setting_count(); i++) {
        *out = srv_setting_at(i);
        if (name_eq(name, out->name)) {
            return true;
        }
    }
    return false;
}

static char **text_field(struct srv_config *c, const struct srv_setting *s) {
    return (char **)(void *)((char *)c + s->offset);
}

static uint64_t number_of(const struct srv_config *c, const struct srv_setting *s) {
    const char *field = (const char *)c + s->offset;
    uint64_t wide;
    uint32_t narrow;

    if (s->offset == drawn.offset) {
        memcpy(&narrow, field, sizeof(narrow));
        return narrow;
    }
    memcpy(&wide, field, sizeof(wide));
    return wide;
}

static void set_number(struct srv_config *c, const struct srv_setting *s, uint64_t value) {
    char *field = (char *)c + s->offset;
    uint32_t narrow = (uint32_t)value;

    if (s->offset == drawn.offset) {
        memcpy(field, &narrow, sizeof(narrow));
    } else {
        memcpy(field, &value, sizeof(value));
    }
}

static int set_text(struct srv_config *c, const struct srv_setting *s, struct str value,
                    struct error *err) {
    char **field = text_field(c, s);
    bool append = s->type == SRV_SETTING_LIST && *field && **field;
    size_t old = append ? strlen(*field) + 1 : 0;
    char *text;

    if (value.n > TEXT_MAX || old + value.n > TEXT_MAX) {
        return error_set(err, ERR_USAGE, "%s is longer than %d bytes", s->name, TEXT_MAX);
    }
    text = calloc(1, old + value.n + 1);
    if (!text) {
        return error_set(err, ERR_NOMEM, "out of memory for the setting %s", s->name);
    }
    if (append) {
        memcpy(text, *field, old - 1);
        text[old - 1] = ',';
    }
    if (value.n) {
        memcpy(text + old, value.p, value.n);
    }
    free(*field);
    *field = text;
    return 0;
}

static bool parse_number(enum srv_setting_type type, struct str value, uint64_t *out) {
    if (type == SRV_SETTING_SIZE) {
        return num_parse_size(value, out);
    }
    return type == SRV_SETTING_DURATION ? num_parse_duration(value, out)
                                        : num_parse_u64(value, out);
}

static void add_number(struct buf *out, enum srv_setting_type type, uint64_t v) {
    if (type == SRV_SETTING_SIZE && v && v % GIB == 0) {
        buf_printf(out, "%lluGiB", (unsigned long long)(v / GIB));
    } else if (type == SRV_SETTING_SIZE && v && v % MIB == 0) {
        buf_printf(out, "%lluMiB", (unsigned long long)(v / MIB));
    } else if (type == SRV_SETTING_SIZE && v && v % KIB == 0) {
        buf_printf(out, "%lluKiB", (unsigned long long)(v / KIB));
    } else if (type == SRV_SETTING_DURATION && v % 1000 == 0) {
        buf_printf(out, "%llus", (unsigned long long)(v / 1000));
    } else {
        buf_add_u64(out, v);
        buf_add_z(out, type == SRV_SETTING_DURATION ? "ms" : "");
    }
}

static const char *const type_examples[] = {
    [SRV_SETTING_TEXT] = "text",
    [SRV_SETTING_LIST] = "a comma-separated list",
    [SRV_SETTING_UINT] = "a whole number",
    [SRV_SETTING_SIZE] = "a size such as 64MiB",
    [SRV_SETTING_DURATION] = "a duration such as 30s or 250ms",
};

static int range_error(const struct srv_setting *s, struct str value, struct error *err) {
    struct buf range;

    buf_init(&range, 256);
    add_number(&range, s->type, s->min);
    buf_add_z(&range, " to ");
    add_number(&range, s->type, s->max);
    buf_add_char(&range, '\0');
    error_set(err, ERR_USAGE, "%s takes %s from %s, not \"%.*s\"", s->name, type_examples[s->type],
              range.p ? (const char *)range.p : "", (int)(value.n < 80 ? value.n : 80),
              value.n ? value.p : "");
    buf_release(&range);
    return ERR_USAGE;
}

int srv_config_set(struct srv_config *c, struct str name, struct str value, struct error *err) {
    struct srv_setting s;
    uint64_t number;

    if (!srv_setting_find(name, &s)) {
        return error_set(err, ERR_USAGE, "there is no setting \"%.*s\"",
                         (int)(name.n < 80 ? name.n : 80), name.n ? name.p : "");
    }
    if (s.type == SRV_SETTING_TEXT || s.type == SRV_SETTING_LIST) {
        return set_text(c, &s, value, err);
    }
    if (!parse_number(s.type, value, &number) || number < s.min || number > s.max) {
        return range_error(&s, value, err);
    }
    set_number(c, &s, number);
    return 0;
}

int srv_config_init(struct srv_config *c, struct error *err) {
    size_t i;
    int rc = 0;

    *c = (struct srv_config){0};
    graph_render_limits_init(&c->limits);
    for (i = 0; i < ARRAY_LEN(table) && rc == 0; i++) {
        if (table[i].standard) {
            rc = srv_config_set(c, str_from(table[i].name), str_from(table[i].standard), err);
        }
    }
    return rc;
}

void srv_config_release(struct srv_config *c) {
    size_t i;

    if (!c) {
        return;
    }
    for (i = 0; i < ARRAY_LEN(table); i++) {
        if (table[i].type == SRV_SETTING_TEXT || table[i].type == SRV_SETTING_LIST) {
            free(*text_field(c, &table[i]));
        }
    }
    *c = (struct srv_config){0};
}

// "ONNXSCOPE_STORE_SIZE" -> "store-size" in `name`; false when it is no variable of ours.
static bool setting_of_variable(struct str variable, char *name, size_t room) {
    struct str rest = str_skip(variable, strlen(ENV_PREFIX));
    size_t i;

    if (!str_starts(variable, STR(ENV_PREFIX)) || rest.n >= room) {
        return false;
    }
    for (i = 0; i < rest.n; i++) {
        char c = rest.p[i];

        name[i] = c == '_' ? '-' : (c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    name[rest.n] = '\0';
    return true;
}

// Kubernetes sets these in every pod beside a Service that is named onnxscope.
static bool is_service_link(const char *name) {
    struct str s = str_from(name);

    return str_eq(s, STR("port")) || str_starts(s, STR("port-")) ||
           str_starts(s, STR("service-host")) || str_starts(s, STR("service-port"));
}

int srv_config_from_env(struct srv_config *c, char *const *variables, struct error *err) {
    for (; *variables; variables++) {
        struct str line = str_from(*variables);
        size_t eq = str_find(line, '=');
        struct error inner;
        char name[64];

        if (eq == STR_NPOS || !setting_of_variable(str_sub(line, 0, eq), name, sizeof(name)) ||
            is_service_link(name)) {
            continue;
        }
        if (srv_config_set(c, str_from(name), str_skip(line, eq + 1), &inner) < 0) {
            return error_set(err, inner.code, "%.*s: %s", (int)eq, line.p, inner.text);
        }
    }
    return 0;
}

bool srv_listen_parse(struct str text, struct str *host, uint16_t *port) {
    size_t colon = str_rfind(text, ':');
    uint64_t number;

    if (colon == STR_NPOS || !num_parse_u64(str_skip(text, colon + 1), &number) ||
        number > UINT16_MAX) {
        return false;
    }
    *host = str_sub(text, 0, colon);
    if (host->n >= 2 && host->p[0] == '[' && host->p[host->n - 1] == ']') {
        *host = str_sub(*host, 1, host->n - 2);
    } else if (str_find(*host, ':') != STR_NPOS) {
        return false;
    }
    *port = (uint16_t)number;
    return true;
}

static bool is_host_name(struct str name) {
    size_t i;

    for (i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '.' || c == '_')) {
            return false;
        }
    }
    return true;
}

// What no Host header can hold would be a setting without effect.
static int check_host_names(struct str names, struct error *err) {
    struct str one;

    while (str_next(&names, ',', &one)) {
        one = str_trim(one);
        if (!is_host_name(one)) {
            return error_set(err, ERR_USAGE,
                             "host-name takes names such as models.example, without port or "
                             "wildcard, not \"%.*s\"",
                             STR_ARG(str_sub(one, 0, 80)));
        }
    }
    return 0;
}

int srv_config_check(const struct srv_config *c, struct error *err) {
    enum srv_log_level level;
    struct str host;
    uint16_t port;

    if (!srv_listen_parse(str_from(c->listen), &host, &port)) {
        return error_set(err, ERR_USAGE,
                         "listen takes ADDRESS:PORT such as 127.0.0.1:8080, not \"%s\"", c->listen);
    }
    if (srv_store_check(str_from(c->store), err) < 0) {
        return ERR_USAGE;
    }
    if (!srv_log_level_parse(str_from(c->log_level), &level)) {
        return error_set(err, ERR_USAGE, "log-level takes error, warn, info or debug, not \"%s\"",
                         c->log_level);
    }
    return check_host_names(str_from(c->host_name), err);
}

void srv_config_add_value(struct buf *out, const struct srv_config *c,
                          const struct srv_setting *setting) {
    if (setting->type == SRV_SETTING_TEXT || setting->type == SRV_SETTING_LIST) {
        const char *text;

        memcpy(&text, (const char *)c + setting->offset, sizeof(text));
        buf_add_z(out, text ? text : "");
    } else {
        add_number(out, setting->type, number_of(c, setting));
    }
}
