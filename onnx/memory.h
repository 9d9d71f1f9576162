// Memory of one decoded model: zeroed, capped, released as a whole. It also serves protobuf-c as
// its allocator, which frees its larger scratch arrays early.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct onnx_block;

struct onnx_memory {
    struct arena small;
    struct onnx_block *large;  // single blocks, linked both ways
    uint64_t large_bytes;
    uint64_t max;
    bool full;    // an allocation failed because of `max`
    bool failed;  // an allocation failed; sticky
};

void onnx_memory_init(struct onnx_memory *m, uint64_t max);
void onnx_memory_release(struct onnx_memory *m);  // zeroed is fine

// Zeroed and aligned for every type up to 8 bytes; NULL on failure, also for n = 0 then.
void *onnx_memory_alloc(struct onnx_memory *m, size_t n);

// Room for `count` items of `size` bytes; the product is checked.
void *onnx_memory_array(struct onnx_memory *m, size_t count, size_t size);

// Gives a larger block back; no-op for a small one and NULL.
void onnx_memory_free(struct onnx_memory *m, void *p);

// The failure as an error. Returns its code: ERR_LIMIT (max-memory) or ERR_NOMEM.
int onnx_memory_error(const struct onnx_memory *m, struct error *err);
