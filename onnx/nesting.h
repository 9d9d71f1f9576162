// How deep messages are nested: asked before a library that recurses sees them.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"

// No setting allows more: protobuf-c takes about 1 KiB of stack a level.
#define ONNX_NESTING_MAX 500

// 0 when `model` is a well-formed ModelProto, as far as its messages go, with at most `max_depth`
// levels. Errors: ERR_FORMAT with the byte offset, ERR_LIMIT (max-depth).
int onnx_nesting_check(struct slice model, uint64_t max_depth, struct error *err) WARN_UNUSED;
