// Runs the stripper over bytes that are cut into chunks, and keeps all that it answers.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "onnx/strip.h"
#include "tests/onnx/bytes.h"

struct stripped {
    int rc;  // of onnx_strip_finish
    struct slice skeleton;
    struct onnx_strip_facts facts;
    struct error err;
};

void stripped_free(struct stripped *r);

// In one chunk, with the standard limits.
struct stripped strip_all(struct slice in);
struct stripped strip_bytes(const struct bytes *b);

struct stripped strip_with(struct slice in, const struct onnx_limits *limits);

// In two chunks, and in chunks of `size` bytes. Each chunk lies in memory of its own, so that
// reading past it is found.
struct stripped strip_at(struct slice in, size_t split);
struct stripped strip_by(struct slice in, size_t size);

// The same skeleton, facts and error.
bool stripped_equal(const struct stripped *a, const struct stripped *b);

// The file FIXTURES/name; freed with free().
struct slice read_fixture(const char *name);
