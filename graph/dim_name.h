// Names of dims that say nothing to people.
#pragma once

#include <stdbool.h>

#include "base/str.h"

// Whether a symbolic dim has its name from a program rather than from a person: "unk__12"
// (tf2onnx), "Concatboxes.55_dim_0" and "x_dynamic_axes_1" (TorchScript exporter), "Slice_7_o0__d1"
// (shape inference of ONNX Runtime), also within a formula. Equal names are equal dims all the
// same.
bool graph_dim_is_generated(struct str symbol);
