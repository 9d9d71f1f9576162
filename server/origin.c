#include "server/origin.h"

#include <arpa/inet.h>

// Splits "name:8080" and "[::1]:8080"; the brackets stay. false when it is neither.
static bool split_authority(struct str authority, struct str *name, struct str *port) {
    size_t end = str_starts(authority, STR("[")) ? str_find(authority, ']') : 0;
    size_t colon;

    if (end == STR_NPOS) {
        return false;
    }
    colon = str_find(str_skip(authority, end), ':');
    *name = colon == STR_NPOS ? authority : str_sub(authority, 0, end + colon);
    *port = colon == STR_NPOS ? (struct str){NULL, 0} : str_skip(authority, end + colon + 1);
    return name->n > 0;
}

static bool is_address(struct str name) {
    unsigned char address[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN];
    bool six = name.p[0] == '[';

    name = six ? str_sub(name, 1, name.n - 2) : name;
    if (name.n == 0 || name.n >= sizeof(text)) {
        return false;
    }
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    return inet_pton(six ? AF_INET6 : AF_INET, text, address) == 1;
}

static bool is_listed(struct str name, struct str names) {
    struct str one;

    while (str_next(&names, ',', &one)) {
        if (str_eq_nocase(name, str_trim(one))) {
            return true;
        }
    }
    return false;
}

static bool is_local(struct str name) {
    static const char below[] = ".localhost";
    size_t n = sizeof(below) - 1;

    return str_eq_nocase(name, STR("localhost")) ||
           (name.n > n && str_eq_nocase(str_skip(name, name.n - n), STR(".localhost")));
}

bool srv_host_allowed(struct str host, struct str names) {
    struct str name, port;

    if (!split_authority(str_trim(host), &name, &port)) {
        return false;
    }
    return is_local(name) || is_address(name) || is_listed(name, names);
}

static bool is_standard_port(struct str scheme, struct str port) {
    return port.n == 0 || str_eq_z(port, str_eq_z(scheme, "https") ? "443" : "80");
}

// A proxy in front may end TLS, so the scheme is compared only in what it says about the port.
static bool is_same_origin(struct str origin, struct str host) {
    size_t at = str_find(origin, ':');
    struct str scheme = str_sub(origin, 0, at);
    struct str name, port, own_name, own_port;

    if (!str_starts(str_skip(origin, scheme.n), STR("://")) ||
        !split_authority(str_skip(origin, scheme.n + 3), &name, &port) ||
        !split_authority(str_trim(host), &own_name, &own_port)) {
        return false;
    }
    return str_eq_nocase(name, own_name) &&
           (str_eq(port, own_port) ||
            (is_standard_port(scheme, port) && is_standard_port(scheme, own_port)));
}

static bool is_listed_origin(struct str origin, struct str names) {
    struct str name, port;
    size_t at = str_find(origin, ':');

    return at != STR_NPOS && split_authority(str_skip(origin, at + 3), &name, &port) &&
           is_listed(name, names);
}

bool srv_origin_allowed(struct str origin, struct str sec_fetch_site, struct str host,
                        struct str names) {
    bool listed = origin.n && is_listed_origin(origin, names);

    if (origin.n && !listed && !is_same_origin(origin, host)) {
        return false;
    }
    return sec_fetch_site.n == 0 || listed || str_eq_z(sec_fetch_site, "same-origin") ||
           str_eq_z(sec_fetch_site, "none");
}
