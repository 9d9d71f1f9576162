// Pieces that several JSON documents share.
#pragma once

#include "base/json_write.h"
#include "base/warnings.h"
#include "graph/shape.h"

// The members "dtype" and "shape" of an open object; null where unknown.
void graph_write_type(struct json_write *w, const struct graph_tensor_type *type);

// The same of a declaration that no value has.
void graph_write_declared(struct json_write *w, const struct onnx_type *type);

// A member that is a count or a cost: a number, symbolic text, or null when it is not known.
void graph_write_count(struct json_write *w, const char *name, struct dim_num count);

// The member "warnings". When the list was cut, its last entry says how many are missing.
void graph_write_warnings(struct json_write *w, const struct warnings *warnings);

// The same entries into an array that is open: for documents that join several lists.
void graph_write_warning_items(struct json_write *w, const struct warnings *warnings);
