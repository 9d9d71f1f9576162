#include "server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/config.h"

#define BACKLOG 1024
#define HOST_BYTES 256

static int resolve(struct addrinfo **out, struct str address, struct error *err) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char host[HOST_BYTES], service[8];
    struct str name;
    uint16_t port;
    int rc;

    if (!srv_listen_parse(address, &name, &port) || name.n >= sizeof(host)) {
        return error_set(err, ERR_USAGE, "cannot listen on \"%.*s\"", STR_ARG(address));
    }
    if (name.n) {
        memcpy(host, name.p, name.n);
    }
    host[name.n] = '\0';
    snprintf(service, sizeof(service), "%u", (unsigned)port);
    rc = getaddrinfo(name.n ? host : NULL, service, &hints, out);
    if (rc != 0) {
        return error_set(err, ERR_USAGE, "cannot listen on %.*s: %s", STR_ARG(address),
                         gai_strerror(rc));
    }
    return 0;
}

static int open_one(const struct addrinfo *a) {
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    int on = 1, off = 0;

    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (a->ai_family == AF_INET6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    }
    if (bind(fd, a->ai_addr, a->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
        int why = errno;

        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

int srv_listen_open(int *out, struct str address, struct error *err) {
    struct addrinfo *list = NULL, *a;
    int fd = -1, rc = resolve(&list, address, err);

    if (rc < 0) {
        return rc;
    }
    for (a = list; a && fd < 0; a = a->ai_next) {
        fd = open_one(a);
    }
    if (fd < 0) {
        rc = error_set(err, ERR_IO, "cannot listen on %.*s: %s", STR_ARG(address), strerror(errno));
    } else {
        *out = fd;
    }
    freeaddrinfo(list);
    return rc;
}

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage room;
};

static bool get_address(union address *out, int listener) {
    socklen_t n = sizeof(*out);

    memset(out, 0, sizeof(*out));
    return getsockname(listener, &out->any, &n) == 0;
}

static void add_address(struct buf *out, const union address *address) {
    char text[INET6_ADDRSTRLEN];

    if (address->any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->v6.sin6_addr, text, sizeof(text));
        buf_printf(out, "[%s]:%u", text, (unsigned)ntohs(address->v6.sin6_port));
    } else {
        inet_ntop(AF_INET, &address->v4.sin_addr, text, sizeof(text));
        buf_printf(out, "%s:%u", text, (unsigned)ntohs(address->v4.sin_port));
    }
}

// An address that means all of them cannot be asked; the loopback is one of them.
static void replace_any(union address *address) {
    if (address->any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr)) {
        address->v6.sin6_addr = in6addr_loopback;
    } else if (address->any.sa_family == AF_INET &&
               address->v4.sin_addr.s_addr == htonl(INADDR_ANY)) {
        address->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
}

static bool is_loopback(const union address *address) {
    const uint32_t net = ntohl(address->v4.sin_addr.s_addr) >> 24;

    return address->any.sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr)
                                              : net == IN_LOOPBACKNET;
}

void srv_listen_url(struct buf *out, int listener) {
    union address address;

    if (get_address(&address, listener)) {
        replace_any(&address);
        buf_add_z(out, "http://");
        add_address(out, &address);
    }
}

bool srv_listen_address(struct buf *out, int listener) {
    union address address;

    if (!get_address(&address, listener)) {
        return false;
    }
    add_address(out, &address);
    return is_loopback(&address);
}
