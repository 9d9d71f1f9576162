#include "tests/server/records.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

static struct srv_record *build(unsigned i, uint8_t *skeleton, size_t skeleton_n,
                                const char *summary) {
    struct srv_record facts, *r;
    struct sha256 s;

    memset(&facts, 0, sizeof(facts));
    snprintf(facts.id, sizeof(facts.id), "%064x", i);
    memcpy(facts.producer, "pytorch 2.1", sizeof("pytorch 2.1"));
    facts.size = 1000 + i;
    facts.nodes = 10 + i;
    facts.created = 1700000000 + i;
    facts.strip = (struct onnx_strip_facts){1000 + i, 900, 3, 2, 10 + i, true, {0}};
    sha256_init(&s);
    sha256_add(&s, (struct slice){skeleton, skeleton_n});
    sha256_done(&s, facts.skeleton_digest);
    cr_assert_eq(srv_record_new(&r, &facts, skeleton, skeleton_n, (uint8_t *)strdup(summary),
                                strlen(summary), NULL),
                 0);
    return r;
}

struct srv_record *make_record(unsigned i, const char *skeleton, const char *summary) {
    return build(i, (uint8_t *)strdup(skeleton), strlen(skeleton), summary);
}

struct srv_record *make_large_record(unsigned i, size_t n) {
    uint8_t *p = malloc(n);

    cr_assert_not_null(p);
    memset(p, (int)i, n);
    return build(i, p, n, "{}");
}

static bool same_bytes(struct slice a, struct slice b) {
    return str_eq(str_from_slice(a), str_from_slice(b));
}

bool same_record(const struct srv_record *a, const struct srv_record *b) {
    return strcmp(a->id, b->id) == 0 && a->size == b->size && a->nodes == b->nodes &&
           a->created == b->created && strcmp(a->producer, b->producer) == 0 &&
           memcmp(a->skeleton_digest, b->skeleton_digest, 32) == 0 &&
           a->strip.dropped_bytes == b->strip.dropped_bytes &&
           a->strip.complete == b->strip.complete && same_bytes(a->skeleton, b->skeleton) &&
           same_bytes(a->summary, b->summary);
}
