#include "tests/onnx/run_strip.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stripped_free(struct stripped *r) {
    free((void *)(uintptr_t)r->skeleton.p);
    *r = (struct stripped){0};
}

static struct onnx_strip *begin(const struct onnx_limits *limits) {
    struct onnx_strip *s;
    struct error err;
    cr_assert_eq(onnx_strip_new(&s, limits, &err), 0, "%s", err.text);
    return s;
}

// What feed says is said again by finish.
static void feed(struct onnx_strip *s, const uint8_t *p, size_t n) {
    uint8_t *chunk = malloc(n ? n : 1);
    if (n) {
        memcpy(chunk, p, n);
    }
    struct error err;
    int rc = onnx_strip_feed(s, (struct slice){chunk, n}, &err);
    cr_assert(rc <= 0);
    free(chunk);
}

static struct stripped end(struct onnx_strip *s) {
    struct stripped r = {0};
    r.rc = onnx_strip_finish(s, &r.skeleton, &r.facts, &r.err);
    onnx_strip_free(s);
    return r;
}

struct stripped strip_with(struct slice in, const struct onnx_limits *limits) {
    struct onnx_strip *s = begin(limits);
    feed(s, in.p, in.n);
    return end(s);
}

struct stripped strip_all(struct slice in) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    return strip_with(in, &limits);
}

struct stripped strip_bytes(const struct bytes *b) {
    return strip_all(bytes_slice(b));
}

struct stripped strip_at(struct slice in, size_t split) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    struct onnx_strip *s = begin(&limits);
    feed(s, in.p, split);
    feed(s, in.p + split, in.n - split);
    return end(s);
}

struct stripped strip_by(struct slice in, size_t size) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    struct onnx_strip *s = begin(&limits);
    for (size_t at = 0; at < in.n; at += size) {
        feed(s, in.p + at, in.n - at < size ? in.n - at : size);
    }
    return end(s);
}

static bool same_error(const struct error *a, const struct error *b) {
    return a->code == b->code && a->offset == b->offset && !strcmp(a->field, b->field) &&
           !strcmp(a->text, b->text) && !strcmp(a->limit, b->limit);
}

static bool same_facts(const struct onnx_strip_facts *a, const struct onnx_strip_facts *b) {
    return a->bytes == b->bytes && a->dropped_bytes == b->dropped_bytes &&
           a->dropped_tensors == b->dropped_tensors && a->unknown_fields == b->unknown_fields &&
           a->nodes == b->nodes && a->complete == b->complete && same_error(&a->damage, &b->damage);
}

bool stripped_equal(const struct stripped *a, const struct stripped *b) {
    return a->rc == b->rc && a->skeleton.n == b->skeleton.n &&
           (!a->skeleton.n || !memcmp(a->skeleton.p, b->skeleton.p, a->skeleton.n)) &&
           same_facts(&a->facts, &b->facts) && same_error(&a->err, &b->err);
}

struct slice read_fixture(const char *name) {
    struct buf path;
    buf_init(&path, 4096);
    buf_add_z(&path, FIXTURES "/");
    buf_add_z(&path, name);
    buf_add_char(&path, '\0');
    FILE *f = fopen((const char *)path.p, "rb");
    cr_assert(f, "%s", name);
    buf_release(&path);
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    size_t n = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = malloc(n ? n : 1);
    cr_assert_eq(fread(p, 1, n, f), n);
    cr_assert_eq(fclose(f), 0);
    return (struct slice){p, n};
}
