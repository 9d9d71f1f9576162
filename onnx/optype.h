// The one question that decides whether a node could be read.
#pragma once

#include <stdbool.h>

#include "base/str.h"

// An op_type is readable when it is valid UTF-8, not empty, and holds no U+FFFD (a file that went
// through a text decoder).
bool onnx_optype_readable(struct str op);
