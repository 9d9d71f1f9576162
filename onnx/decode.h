// Skeleton bytes -> struct onnx_model. The only file family that sees protobuf-c.
//
// Works with an allocator that is capped by limits->max_memory and zeroes what it hands out. The
// bytes must come from onnx/strip: that bounds nesting before protobuf-c, which recurses, sees them
// (it is checked again here).
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"
#include "base/warnings.h"
#include "onnx/limits.h"
#include "onnx/model.h"

// *out is owned by the caller (onnx_model_free); it does not refer to `skeleton` afterwards. A node
// whose op_type is no readable text is left out, with a warning. Errors: ERR_FORMAT, ERR_LIMIT,
// ERR_NOMEM.
int onnx_decode(struct onnx_model **out, struct slice skeleton, const struct onnx_limits *limits,
                struct warnings *warnings, struct error *err) WARN_UNUSED;
