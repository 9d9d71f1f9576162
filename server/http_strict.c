#include "server/http_strict.h"

#include <stdbool.h>

#include "base/attr.h"
#include "base/num.h"

#define FINE ((struct srv_verdict){0, NULL})

struct str srv_head_find(const struct srv_head *head, const char *name) {
    struct str wanted = str_from(name);
    size_t i;

    for (i = 0; i < head->n; i++) {
        if (str_eq_nocase(head->headers[i].name, wanted)) {
            return head->headers[i].value;
        }
    }
    return (struct str){NULL, 0};
}

size_t srv_head_count(const struct srv_head *head, const char *name) {
    struct str wanted = str_from(name);
    size_t i, n = 0;

    for (i = 0; i < head->n; i++) {
        n += str_eq_nocase(head->headers[i].name, wanted);
    }
    return n;
}

// RFC 9110, section 5.6.2.
static bool is_token_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct str s) {
    size_t i;

    for (i = 0; i < s.n; i++) {
        if (!is_token_byte(s.p[i])) {
            return false;
        }
    }
    return s.n > 0;
}

// RFC 9110, section 5.5: visible characters, spaces, tabs, and bytes beyond ASCII.
static bool is_field_value(struct str s) {
    size_t i;

    for (i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if ((c < 0x20 && c != '\t') || c == 0x7F) {
            return false;
        }
    }
    return true;
}

// "%00" would end a C string in the middle; no name of ours holds a control character.
static bool is_good_escape(struct str rest) {
    int high = rest.n > 2 ? num_hex_digit(rest.p[1]) : -1;
    int low = rest.n > 2 ? num_hex_digit(rest.p[2]) : -1;

    return high >= 0 && low >= 0 && (high << 4 | low) >= 0x20 && (high << 4 | low) != 0x7F;
}

static struct srv_verdict check_target(struct str target) {
    size_t i;

    if (target.n == 0 || target.p[0] != '/') {
        return (struct srv_verdict){400, "the request target must be a path that starts with /"};
    }
    for (i = 0; i < target.n; i++) {
        unsigned char c = (unsigned char)target.p[i];

        if (c <= 0x20 || c >= 0x7F || c == '\\') {
            return (struct srv_verdict){400,
                                        "the request target holds a byte that must be encoded"};
        }
        if (c == '%' && !is_good_escape(str_skip(target, i))) {
            return (struct srv_verdict){400, "the request target holds a malformed % escape or an "
                                             "encoded control character"};
        }
    }
    return FINE;
}

static struct srv_verdict check_fields(const struct srv_head *head) {
    size_t i;

    for (i = 0; i < head->n; i++) {
        if (!is_token(head->headers[i].name)) {
            return (struct srv_verdict){400, "the name of a header field is malformed"};
        }
        if (!is_field_value(head->headers[i].value)) {
            return (struct srv_verdict){400, "a header field holds a control character"};
        }
    }
    return FINE;
}

static struct srv_verdict check_framing(const struct srv_head *head) {
    size_t lengths = srv_head_count(head, "Content-Length");
    size_t codings = srv_head_count(head, "Transfer-Encoding");
    uint64_t length;

    if (lengths + codings > 1) {
        return (struct srv_verdict){400, "more than one header field says where the body ends"};
    }
    if (lengths && !num_parse_u64(srv_head_find(head, "Content-Length"), &length)) {
        return (struct srv_verdict){400, "Content-Length must be a number"};
    }
    if (codings && !str_eq_nocase(srv_head_find(head, "Transfer-Encoding"), STR("chunked"))) {
        return (struct srv_verdict){501, "the only Transfer-Encoding here is chunked"};
    }
    if (codings && !str_eq_z(head->version, "HTTP/1.1")) {
        return (struct srv_verdict){400, "Transfer-Encoding needs HTTP/1.1"};
    }
    return FINE;
}

static struct srv_verdict check_expectation(const struct srv_head *head) {
    struct str expect = srv_head_find(head, "Expect");

    if (expect.n && !str_eq_nocase(expect, STR("100-continue"))) {
        return (struct srv_verdict){417, "the only expectation that can be met is 100-continue"};
    }
    return FINE;
}

static struct srv_verdict check_host(const struct srv_head *head) {
    if (srv_head_count(head, "Host") != 1) {
        return (struct srv_verdict){400, "there must be exactly one Host header field"};
    }
    return FINE;
}

static struct srv_verdict check_line(const struct srv_head *head) {
    if (!is_token(head->method)) {
        return (struct srv_verdict){400, "the method is malformed"};
    }
    return check_target(head->target);
}

struct srv_verdict srv_strict_check(const struct srv_head *head) {
    static struct srv_verdict (*const checks[])(const struct srv_head *) = {
        check_fields, check_framing, check_line, check_host, check_expectation,
    };
    struct srv_verdict verdict = FINE;
    size_t i;

    for (i = 0; i < ARRAY_LEN(checks) && verdict.status == 0; i++) {
        verdict = checks[i](head);
    }
    return verdict;
}
