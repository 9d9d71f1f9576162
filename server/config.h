// Settings of the daemon: one table gives flags, ONNXSCOPE_* environment, --help, the documents and
// --check-config.
//
// Defaults < environment < flags. An unknown flag or ONNXSCOPE_ variable, and a malformed value, is
// an error that names it. The budgets of reading a model (onnx/limits.h) are settings too, and
// flags of `render` and `inspect`. Sizes and durations take units ("64MiB", "30s").
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/render.h"

#define SRV_LISTEN_STANDARD "127.0.0.1:8080"

enum srv_setting_type {
    SRV_SETTING_TEXT,
    SRV_SETTING_LIST,  // may be given several times, or comma-separated
    SRV_SETTING_UINT,
    SRV_SETTING_SIZE,
    SRV_SETTING_DURATION,  // milliseconds
};

struct srv_config {
    char *listen;          // "127.0.0.1:8080", "[::1]:8080"; port 0 = any free one
    char *store;           // "memory", "dir:PATH"
    char *host_name;       // comma list: names beside localhost and addresses that Host may hold
    char *log_level;       // error, warn, info, debug
    uint64_t threads;      // of the HTTP server
    uint64_t workers;      // jobs at a time; 0 = number of cores
    uint64_t queue;        // jobs that may wait
    uint64_t deadline_ms;  // of one job
    uint64_t job_memory;   // bytes of address space of one job
    uint64_t max_connections;
    uint64_t connection_memory;  // bytes for headers and buffers of one connection
    uint64_t header_timeout_ms;  // until the headers must be complete
    uint64_t idle_timeout_ms;
    uint64_t request_timeout_ms;  // that a request may wait for its document
    uint64_t max_ratio;           // of a compressed body: expanded to compressed
    uint64_t min_upload_rate;     // bytes a second, after a grace of 10 s
    uint64_t store_size;          // bytes the store may hold
    uint64_t cache_size;          // bytes of finished pictures; 0 = no cache
    uint64_t drain_delay_ms;
    uint64_t drain_timeout_ms;
    struct graph_render_limits limits;
};

struct srv_setting {
    const char *name;  // "listen": flag --listen, environment ONNXSCOPE_LISTEN
    enum srv_setting_type type;
    size_t offset;         // of the field in struct srv_config
    const char *standard;  // default as text; NULL for budgets, whose table holds a number
    uint64_t min, max;     // of a number
    bool reading;          // bounds the reading of a model: also a flag of render and inspect
    const char *help;      // one line
};

size_t srv_setting_count(void);
struct srv_setting srv_setting_at(size_t i);  // i < srv_setting_count()

// By name ('-' and '_' are the same). false when there is none.
bool srv_setting_find(struct str name, struct srv_setting *out);

int srv_config_init(struct srv_config *c, struct error *err) WARN_UNUSED;  // all defaults
void srv_config_release(struct srv_config *c);

// Sets one setting from text. Errors: ERR_USAGE, naming the setting and what it takes; ERR_NOMEM.
int srv_config_set(struct srv_config *c, struct str name, struct str value,
                   struct error *err) WARN_UNUSED;

// Takes every ONNXSCOPE_* variable of a NULL-terminated environment.
int srv_config_from_env(struct srv_config *c, char *const *variables,
                        struct error *err) WARN_UNUSED;

// What has to fit together: the listen address, the store, the log level, sizes. Errors: ERR_USAGE.
int srv_config_check(const struct srv_config *c, struct error *err) WARN_UNUSED;

// Appends the value in force as text that srv_config_set() takes.
void srv_config_add_value(struct buf *out, const struct srv_config *c,
                          const struct srv_setting *setting);

// Splits "127.0.0.1:8080" or "[::1]:8080" (the brackets are dropped from *host). false when it is
// neither.
bool srv_listen_parse(struct str text, struct str *host, uint16_t *port);
