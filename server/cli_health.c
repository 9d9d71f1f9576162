#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "server/cli.h"
#include "server/config.h"

#define STANDARD_URL "http://" SRV_LISTEN_STANDARD
#define URL_BYTES 512
#define PATIENCE_S 3
#define STATUS_LINE "HTTP/1.1 200 "

// "http://HOST[:PORT][/...]" -> host and port; the path is always /readyz.
static bool split_url(struct str url, struct buf *host, struct buf *port)
{
    struct str rest = str_starts(url, STR("http://")) ? str_skip(url, 7) : url;
    struct str authority = str_sub(rest, 0, str_find(rest, '/'));
    size_t colon = str_rfind(authority, ':');
    bool bracketed = authority.n && authority.p[authority.n - 1] == ']';
    struct str name = colon == STR_NPOS || bracketed ? authority : str_sub(authority, 0, colon);

    buf_add_str(port, name.n < authority.n ? str_skip(authority, name.n + 1) : STR("80"));
    if (name.n >= 2 && name.p[0] == '[' && name.p[name.n - 1] == ']') {
        name = str_sub(name, 1, name.n - 2);
    }
    buf_add_str(host, name);
    return name.n > 0;
}

static int connect_to(const char *host, const char *port)
{
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
static bool ask(int fd)
{
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
static void add_listen_url(struct buf *url)
{
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

static int ask_url(const char *url)
{
    struct buf host, port;
    bool ready = false;
    int fd;

    buf_init(&host, 256);
    buf_init(&port, 16);
    if (split_url(str_from(url), &host, &port) && buf_z(&host) && buf_z(&port)) {
        fd = connect_to(buf_z(&host), buf_z(&port));
        ready = fd >= 0 && ask(fd);
        if (fd >= 0) {
            close(fd);
        }
    }
    buf_release(&host);
    buf_release(&port);
    if (!ready) {
        fprintf(stderr, "onnxscope: no daemon is ready at %s\n", url);
    }
    return ready ? SRV_EXIT_DONE : SRV_EXIT_INPUT;
}

int srv_cli_health(int argc, char **argv)
{
    struct error err;
    struct buf url;
    int status;

    if (argc > 1) {
        return ask_url(argv[1]);
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
