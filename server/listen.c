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

static int resolve(struct addrinfo **out, struct str address, struct error *err)
{
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

static int open_one(const struct addrinfo *a)
{
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

int srv_listen_open(int *out, struct str address, struct error *err)
{
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

static void add_v4(struct buf *out, const struct sockaddr_in *in)
{
    struct in_addr address = in->sin_addr;
    char text[INET_ADDRSTRLEN];

    if (address.s_addr == htonl(INADDR_ANY)) {
        address.s_addr = htonl(INADDR_LOOPBACK);
    }
    inet_ntop(AF_INET, &address, text, sizeof(text));
    buf_printf(out, "http://%s:%u", text, (unsigned)ntohs(in->sin_port));
}

static void add_v6(struct buf *out, const struct sockaddr_in6 *in)
{
    struct in6_addr address = in->sin6_addr;
    char text[INET6_ADDRSTRLEN];

    if (memcmp(&address, &in6addr_any, sizeof(address)) == 0) {
        address = in6addr_loopback;
    }
    inet_ntop(AF_INET6, &address, text, sizeof(text));
    buf_printf(out, "http://[%s]:%u", text, (unsigned)ntohs(in->sin6_port));
}

void srv_listen_url(struct buf *out, int listener)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage room;
    } address;
    socklen_t n = sizeof(address);

    memset(&address, 0, sizeof(address));
    if (getsockname(listener, &address.any, &n) < 0) {
        return;
    }
    if (address.any.sa_family == AF_INET6) {
        add_v6(out, &address.v6);
    } else {
        add_v4(out, &address.v4);
    }
}
