#include "server/http_daemon.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/num.h"
#include "base/utf8.h"
#include "server/http_guard.h"
#include "server/http_reply.h"
#include "server/http_request.h"
#include "server/log.h"

#define HEADERS_MAX 200

struct srv_http {
    struct srv_service *service;
    struct srv_guard *guard;
    struct MHD_Daemon *daemon;
};

// What a connection's handlers find: the request, and how far its bytes have come.
struct exchange {
    struct srv_request *rq;
    struct srv_conn *conn;
    enum { AT_HEAD, AT_BODY, AT_END } stage;
};

static void suspend(void *connection) {
    MHD_suspend_connection(connection);
}

static void resume(void *connection) {
    MHD_resume_connection(connection);
}

static const struct srv_transport transport = {suspend, resume};

static struct srv_conn *conn_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static void write_address(char *out, size_t room, const struct sockaddr *address) {
    const void *bytes = NULL;

    if (address && address->sa_family == AF_INET) {
        bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
    } else if (address && address->sa_family == AF_INET6) {
        bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    }
    if (!bytes || !inet_ntop(address->sa_family, bytes, out, (socklen_t)room)) {
        out[0] = '\0';
    }
}

// Called with the request line, before any header is read: the raw target exists nowhere else.
static void *begin_exchange(void *cls, const char *uri, struct MHD_Connection *connection) {
    struct srv_http *http = cls;
    struct exchange *x = calloc(1, sizeof(*x));
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    if (!x) {
        return NULL;
    }
    x->rq = srv_request_new(http->service, str_from(uri));
    if (!x->rq) {
        free(x);
        return NULL;
    }
    x->conn = conn_of(connection);
    x->rq->transport = &transport;
    x->rq->connection = connection;
    x->rq->fd = srv_conn_fd(x->conn);
    write_address(x->rq->remote, sizeof(x->rq->remote), info ? info->client_addr : NULL);
    srv_guard_enter(http->guard, x->conn, SRV_CONN_HEAD, 0);
    return x;
}

// A connection that ended before there was an answer: too slow, or left. Only the log sees this.
static unsigned status_without_answer(enum MHD_RequestTerminationCode code) {
    return code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ? 408 : 499;
}

static void end_exchange(void *cls, struct MHD_Connection *connection, void **con_cls,
                         enum MHD_RequestTerminationCode code) {
    struct srv_http *http = cls;
    struct exchange *x = *con_cls;
    unsigned told;

    (void)connection;
    if (!x) {
        return;
    }
    *con_cls = NULL;
    told = srv_guard_told(http->guard, x->conn);
    if (told || x->rq->reply.status == 0) {
        x->rq->reply.status = told ? told : status_without_answer(code);
    }
    srv_guard_enter(http->guard, x->conn, SRV_CONN_IDLE, 0);
    srv_request_log(x->rq, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    srv_request_free(x->rq);
    free(x);
}

static void watch_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                             enum MHD_ConnectionNotificationCode code) {
    struct srv_http *http = cls;
    const union MHD_ConnectionInfo *info;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        srv_guard_close(http->guard, *socket_context);
        *socket_context = NULL;
        return;
    }
    info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *socket_context = info ? srv_guard_open(http->guard, info->connect_fd) : NULL;
}

struct collected {
    struct srv_header *rows;
    size_t n, max;
};

static enum MHD_Result collect(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_n,
                               const char *value, size_t value_n) {
    struct collected *c = cls;

    (void)kind;
    if (c->n == c->max) {
        return MHD_NO;
    }
    c->rows[c->n].name = (struct str){name, name_n};
    c->rows[c->n].value = (struct str){value, value_n};
    c->n++;
    return MHD_YES;
}

static void take_head(struct srv_request *rq, struct MHD_Connection *connection, const char *method,
                      const char *version) {
    int count = MHD_get_connection_values(connection, MHD_HEADER_KIND, NULL, NULL);
    struct collected headers = {NULL, 0, count > 0 ? (size_t)count : 0};
    struct srv_head head;

    headers.rows = headers.max <= HEADERS_MAX
                       ? arena_array(&rq->arena, headers.max, sizeof(*headers.rows))
                       : NULL;
    if (!headers.rows) {
        rq->answer_now = true;
        rq->reply.close = true;
        srv_reply_text(rq, 431, "the request has more than 200 header fields");
        return;
    }
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, collect, &headers);
    head =
        (struct srv_head){str_from(method), rq->target, str_from(version), headers.rows, headers.n};
    srv_request_begin(rq, &head);
}

static enum MHD_Result answer(struct srv_http *http, struct exchange *x,
                              struct MHD_Connection *connection) {
    if (!srv_http_reply(connection, x->rq)) {
        return MHD_NO;
    }
    srv_guard_enter(http->guard, x->conn, SRV_CONN_REPLY, x->rq->reply.body.n);
    return MHD_YES;
}

static enum MHD_Result at_head(struct srv_http *http, struct exchange *x,
                               struct MHD_Connection *connection, const char *method,
                               const char *version) {
    take_head(x->rq, connection, method, version);
    if (x->rq->answer_now) {
        return answer(http, x, connection);
    }
    x->stage = AT_BODY;
    srv_guard_enter(http->guard, x->conn, SRV_CONN_BODY, 0);
    return MHD_YES;
}

static enum MHD_Result at_body(struct srv_http *http, struct exchange *x, const char *data,
                               size_t *n) {
    bool more = srv_request_body(x->rq, (struct slice){(const uint8_t *)data, *n});

    srv_guard_count(http->guard, x->conn, *n);
    *n = 0;
    return more ? MHD_YES : MHD_NO;
}

// The library calls this once with the head, once for every piece of the body, once at its end, and
// once more after every resume.
static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data, size_t *n,
                              void **con_cls) {
    struct srv_http *http = cls;
    struct exchange *x = *con_cls;

    (void)url;
    if (!x) {
        return MHD_NO;
    }
    if (x->stage == AT_HEAD) {
        return at_head(http, x, connection, method, version);
    }
    if (x->stage == AT_BODY && *n) {
        return at_body(http, x, data, n);
    }
    if (x->stage == AT_BODY) {
        x->stage = AT_END;
        srv_guard_enter(http->guard, x->conn, SRV_CONN_WORK, 0);
        srv_request_end(x->rq);
    } else {
        srv_request_resumed(x->rq);
    }
    return x->rq->waiting ? MHD_YES : answer(http, x, connection);
}

// The library answers by itself what it cannot read as HTTP, and tells it in words only:
// "... (HTTP response code is 431 ('<html>...<body>REASON</body></html>')). ...".
static bool read_refusal(char *text, uint64_t *status, struct str *reason) {
    static const char mark[] = "HTTP response code is ", open[] = "<body>";
    char *code = strstr(text, mark), *body = strstr(text, open);
    struct str rest;

    if (!code || !body) {
        return false;
    }
    rest = str_from(body + sizeof(open) - 1);
    *reason = str_sub(rest, 0, str_rfind(rest, '<'));
    *reason = str_sub(*reason, 0, str_rfind(*reason, '<'));
    return num_parse_u64(str_sub(str_from(code + sizeof(mark) - 1), 0, 3), status);
}

static PRINTF_LIKE(2, 0) void log_library(void *cls, const char *fmt, va_list args) {
    struct srv_log_line line;
    struct str detail;
    uint64_t status;
    char text[512];
    bool refused;

    (void)cls;
    utf8_format_shown(text, sizeof(text), fmt, args);
    detail = str_trim(str_from(text));
    refused = read_refusal(text, &status, &detail);
    srv_log_begin(&line, refused ? SRV_LOG_INFO : SRV_LOG_DEBUG,
                  refused ? "no http" : "http library");
    if (refused) {
        json_member_u64(&line.json, "status", status);
    }
    json_member_str(&line.json, "detail", detail);
    srv_log_end(&line);
}

static void sweep(void *arg, uint64_t now_ms) {
    struct srv_service *service = arg;

    srv_flights_sweep(service->flights, now_ms);
}

static struct MHD_Daemon *start_library(struct srv_http *http, int listener) {
    const struct srv_config *config = http->service->config;
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    // A pool of one is no pool to the library.
    unsigned pool = config->threads > 1 ? (unsigned)config->threads : 0;

    return MHD_start_daemon(
        flags, 0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, log_library, NULL,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, http,
        MHD_OPTION_NOTIFY_COMPLETED, end_exchange, http, MHD_OPTION_NOTIFY_CONNECTION,
        watch_connection, http, MHD_OPTION_CONNECTION_LIMIT, (unsigned)config->max_connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)config->connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)((config->idle_timeout_ms + 999) / 1000),
        MHD_OPTION_THREAD_POOL_SIZE, pool, MHD_OPTION_END);
}

int srv_http_start(struct srv_http **out, struct srv_service *service, int listener,
                   struct error *err) {
    const struct srv_config *config = service->config;
    struct srv_guard_rules rules = {config->header_timeout_ms, config->idle_timeout_ms,
                                    config->min_upload_rate, config->max_connections};
    struct srv_http *http = calloc(1, sizeof(*http));
    int rc;

    if (!http) {
        return error_set(err, ERR_NOMEM, "no memory for the HTTP server");
    }
    http->service = service;
    rc = srv_guard_new(&http->guard, &rules, sweep, service, err);
    if (rc < 0) {
        free(http);
        return rc;
    }
    http->daemon = start_library(http, listener);
    if (!http->daemon) {
        srv_guard_free(http->guard);
        free(http);
        return error_set(err, ERR_IO, "the HTTP server cannot be started");
    }
    *out = http;
    return 0;
}

void srv_http_quiesce(struct srv_http *http) {
    MHD_quiesce_daemon(http->daemon);
}

void srv_http_dismiss(struct srv_http *http) {
    srv_guard_dismiss(http->guard);
}

void srv_http_stop(struct srv_http *http) {
    if (!http) {
        return;
    }
    MHD_stop_daemon(http->daemon);
    srv_guard_free(http->guard);
    free(http);
}
