#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "server/cli.h"
#include "server/cli_flags.h"
#include "server/config.h"

#define STANDARD_URL "http://" SRV_LISTEN_STANDARD
#define URL_BYTES 512
#define SHOWN 80u  // bytes of an argument that a message repeats
#define PATIENCE_S 3
#define STATUS_LINE "HTTP/1.1 200 "

// "http://HOST[:PORT][/...]" -> host and port; the path is always /readyz. Errors: ERR_USAGE.
static int split_url(struct str url, struct buf *host, struct buf *port, struct error *err) {
    struct str rest = str_starts(url, STR("http://")) ? str_skip(url, 7) : url;
    struct str authority = str_sub(rest, 0, str_find(rest, '/'));
    size_t colon = str_rfind(authority, ':');
    bool bracketed = authority.n && authority.p[authority.n - 1] == ']';
    struct str name = colon == STR_NPOS || bracketed ? authority : str_sub(authority, 0, colon);
    struct str digits = name.n < authority.n ? str_skip(authority, name.n + 1) : STR("80");
    uint64_t number;

    if (rest.n == url.n && str_starts(str_skip(url, str_find(url, ':')), STR("://"))) {
        return error_set(err, ERR_USAGE, "a daemon is asked over http://, not %.*s://",
                         STR_ARG(str_sub(url, 0, str_find(url, ':'))));
    }
    if (name.n == 0) {
        return error_set(err, ERR_USAGE, "health takes http://HOST:PORT, not \"%.*s\"",
                         STR_ARG(str_sub(url, 0, SHOWN)));
    }
    if (!num_parse_u64(digits, &number) || number < 1 || number > UINT16_MAX) {
        return error_set(err, ERR_USAGE, "a port is a number from 1 to 65535, not \"%.*s\"",
                         STR_ARG(str_sub(digits, 0, SHOWN)));
    }
    if (name.n >= 2 && name.p[0] == '[' && name.p[name.n - 1] == ']') {
        name = str_sub(name, 1, name.n - 2);
    }
    buf_add_str(port, digits);
    buf_add_str(host, name);
    return 0;
}

static int connect_to(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL, *a;
    struct timeval patience = {.tv_sec = PATIENCE_S};
    int fd = -1;

    if (getaddrinfo(host, port, &hints, &list) != 0) {
        return -1;
    }
    for (a = list; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            continue;
        }
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        if (connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    return fd;
}

// true when GET /readyz is answered 200.
static bool ask(int fd) {
    static const char request[] =
        "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char answer[sizeof(STATUS_LINE) - 1];
    size_t have = 0;

    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != (ssize_t)(sizeof(request) - 1)) {
        return false;
    }
    while (have < sizeof(answer)) {
        ssize_t n = recv(fd, answer + have, sizeof(answer) - have, 0);

        if (n <= 0) {
            return false;
        }
        have += (size_t)n;
    }
    return memcmp(answer, STATUS_LINE, sizeof(answer)) == 0;
}

// Where the daemon of this container listens; one that listens everywhere is asked on the loopback.
static void add_listen_url(struct buf *url) {
    const char *listen = getenv("ONNXSCOPE_LISTEN");
    struct str host;
    uint16_t port;

    if (!listen || !srv_listen_parse(str_from(listen), &host, &port)) {
        buf_add_z(url, STANDARD_URL);
    } else if (str_eq_z(host, "0.0.0.0") || str_eq_z(host, "")) {
        buf_printf(url, "http://127.0.0.1:%u", (unsigned)port);
    } else if (str_eq_z(host, "::")) {
        buf_printf(url, "http://[::1]:%u", (unsigned)port);
    } else {
        buf_add_z(url, "http://");
        buf_add_z(url, listen);
    }
}

static bool is_ready(struct buf *host, struct buf *port) {
    int fd = buf_z(host) && buf_z(port) ? connect_to(buf_z(host), buf_z(port)) : -1;
    bool ready = fd >= 0 && ask(fd);

    if (fd >= 0) {
        close(fd);
    }
    return ready;
}

static int ask_url(const char *url) {
    int status = SRV_EXIT_DONE;
    struct buf host, port;
    struct error err;

    buf_init(&host, 256);
    buf_init(&port, 16);
    if (split_url(str_from(url), &host, &port, &err) < 0) {
        status = srv_cli_usage_error("health", &err);
    } else if (!is_ready(&host, &port)) {
        fprintf(stderr, "onnxscope: no daemon is ready at %s\n", url);
        status = SRV_EXIT_INPUT;
    }
    buf_release(&host);
    buf_release(&port);
    return status;
}

static int parse(const char **url, int argc, char **argv, struct error *err) {
    struct srv_args args = {argc, argv, 1, false};
    struct srv_arg arg;
    int rc;

    while ((rc = srv_args_next(&args, &arg, err)) > 0) {
        if (arg.name.n) {
            return srv_cli_unknown_flag("health", arg.name, err);
        }
        if (*url) {
            return error_set(err, ERR_USAGE, "one daemon at a time: \"%.*s\" is one too many",
                             STR_ARG(str_sub(arg.value, 0, SHOWN)));
        }
        *url = arg.value.p;
    }
    return rc;
}

void srv_cli_health_help(FILE *out) {
    fputs("\nURL is http://HOST:PORT. Without it the daemon is asked where ONNXSCOPE_LISTEN says "
          "that it\n"
          "listens, else at " STANDARD_URL ". The question is GET /readyz.\n",
          out);
}

int srv_cli_health(int argc, char **argv) {
    const char *given = NULL;
    struct error err;
    struct buf url;
    int status;

    if (parse(&given, argc, argv, &err) < 0) {
        return srv_cli_usage_error("health", &err);
    }
    if (given) {
        return ask_url(given);
    }
    buf_init(&url, URL_BYTES);
    add_listen_url(&url);
    if (buf_z(&url)) {
        status = ask_url(buf_z(&url));
    } else {
        error_set(&err, ERR_USAGE, "ONNXSCOPE_LISTEN is longer than an address may be");
        status = srv_cli_usage_error("health", &err);
    }
    buf_release(&url);
    return status;
}
