#include "server/daemon.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/http_daemon.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/service.h"
#include "server/version.h"

#define SPARE_FILES 256           // beside connections: store, jobs, log
#define STEP_MS 20                // between two looks at what still runs
#define LAST_WORDS_MS 500         // for answers on their way when the time to stop is over
#define LAST_WORDS_AT_ONCE_MS 50  // the same after a second signal

struct daemon {
    struct srv_service service;
    struct srv_http *http;
    int listener;
    int signals;
};

static int open_signals(int *out, struct error *err) {
    sigset_t stop;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    // Before any thread exists, so that all of them leave these signals to the descriptor.
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    *out = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
    return *out < 0 ? error_set(err, ERR_IO, "no signal descriptor") : 0;
}

static void raise_file_limit(uint64_t connections) {
    struct rlimit files;
    rlim_t wanted = (rlim_t)(connections + SPARE_FILES);

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < wanted) {
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void init(struct daemon *d, const struct srv_config *config) {
    memset(d, 0, sizeof(*d));
    d->listener = -1;
    d->signals = -1;
    d->service.config = config;
    atomic_init(&d->service.draining, false);
    atomic_init(&d->service.active, 0);
    atomic_init(&d->service.serial, 1);
    if (getrandom(&d->service.nonce, sizeof(d->service.nonce), 0) < 0) {
        d->service.nonce = (uint64_t)clock_unix_s();
    }
}

// The zygote comes first among what costs something: it has to know nothing of sockets and stores.
static int start(struct daemon *d, struct error *err) {
    struct srv_service *s = &d->service;
    int rc = open_signals(&d->signals, err);

    if (rc == 0) {
        rc = srv_listen_open(&d->listener, str_from(s->config->listen), err);
    }
    if (rc == 0) {
        rc = srv_jobs_new(&s->jobs, s->config, err);
    }
    if (rc == 0) {
        rc = srv_store_open(&s->store, str_from(s->config->store), s->config->store_size, err);
    }
    if (rc == 0) {
        rc = srv_cache_new(&s->cache, s->config->cache_size, err);
    }
    if (rc == 0) {
        rc = srv_flights_new(&s->flights, err);
    }
    if (rc == 0) {
        rc = srv_offload_new(&s->offload, SRV_OFFLOAD_THREADS, err);
    }
    if (rc == 0) {
        rc = srv_http_start(&d->http, s, d->listener, err);
    }
    return rc;
}

// Jobs end before what they land in, and nobody may be put aside when the HTTP server ends.
static void stop(struct daemon *d) {
    if (d->service.offload) {
        srv_offload_close(d->service.offload);
    }
    srv_http_stop(d->http);
    srv_offload_free(d->service.offload);
    srv_jobs_free(d->service.jobs);
    srv_flights_free(d->service.flights);
    srv_cache_free(d->service.cache);
    if (d->service.store) {
        d->service.store->ops->free(d->service.store);
    }
    if (d->listener >= 0) {
        close(d->listener);
    }
    if (d->signals >= 0) {
        close(d->signals);
    }
}

// true when a signal to stop came within the time; UINT64_MAX = for ever.
static bool wait_signal(struct daemon *d, uint64_t ms) {
    struct pollfd fd = {.fd = d->signals, .events = POLLIN};
    struct signalfd_siginfo info;
    int timeout = ms > INT32_MAX ? -1 : (int)ms;

    return poll(&fd, 1, timeout) > 0 && read(d->signals, &info, sizeof(info)) == sizeof(info);
}

// true when a signal cut it short.
static bool wait_idle(struct daemon *d, uint64_t ms) {
    uint64_t until = clock_monotonic_ms() + ms;

    while (atomic_load(&d->service.active) && clock_monotonic_ms() < until) {
        if (wait_signal(d, STEP_MS)) {
            return true;
        }
    }
    return false;
}

static void log_stop(const struct daemon *d, const char *msg) {
    struct srv_log_line line;

    srv_log_begin(&line, SRV_LOG_INFO, msg);
    json_member_u64(&line.json, "active", atomic_load(&d->service.active));
    srv_log_end(&line);
}

static void drain(struct daemon *d) {
    const struct srv_config *config = d->service.config;
    bool now;

    atomic_store(&d->service.draining, true);
    log_stop(d, "stopping");
    now = config->drain_delay_ms && wait_signal(d, config->drain_delay_ms);
    srv_http_quiesce(d->http);
    // Whoever is in the backlog learns at once that nobody will answer.
    shutdown(d->listener, SHUT_RDWR);
    now = now || wait_idle(d, config->drain_timeout_ms);
    srv_flights_close(d->service.flights);
    srv_http_dismiss(d->http);
    wait_idle(d, now ? LAST_WORDS_AT_ONCE_MS : LAST_WORDS_MS);
    log_stop(d, "stopped");
}

static void warn_open(struct str address) {
    struct srv_log_line line;

    srv_log_begin(&line, SRV_LOG_WARN, "open to the network");
    json_member_str(&line.json, "listen", address);
    json_member_z(&line.json, "detail",
                  "there is no authentication: whoever reaches this address may list, draw and "
                  "delete models");
    srv_log_end(&line);
}

static void announce(const struct daemon *d) {
    struct srv_log_line line;
    struct buf url, address;
    bool is_local;

    buf_init(&url, 256);
    buf_init(&address, 256);
    srv_listen_url(&url, d->listener);
    is_local = srv_listen_address(&address, d->listener);
    srv_log_begin(&line, SRV_LOG_INFO, "listening");
    json_member_str(&line.json, "url", buf_str(&url));
    json_member_str(&line.json, "listen", buf_str(&address));
    json_member_z(&line.json, "version", ONNXSCOPE_VERSION);
    json_member_u64(&line.json, "pid", (uint64_t)getpid());
    srv_log_end(&line);
    if (!is_local) {
        warn_open(buf_str(&address));
    }
    if (isatty(STDOUT_FILENO)) {
        printf("onnxscope listens on %.*s\n\n"
               "    curl --data-binary @model.onnx %.*s/v1/render > model.svg\n\n",
               STR_ARG(buf_str(&url)), STR_ARG(buf_str(&url)));
        fflush(stdout);
    }
    buf_release(&url);
    buf_release(&address);
}

int srv_daemon_run(const struct srv_config *config, struct error *err) {
    enum srv_log_level level = SRV_LOG_INFO;
    struct daemon d;
    int rc;

    if (srv_log_level_parse(str_from(config->log_level), &level)) {
        srv_log_set_level(level);
    }
    init(&d, config);
    raise_file_limit(config->max_connections);
    rc = start(&d, err);
    if (rc == 0) {
        announce(&d);
        while (!wait_signal(&d, UINT64_MAX)) {
        }
        drain(&d);
    }
    stop(&d);
    return rc;
}
