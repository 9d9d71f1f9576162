// Pieces that several JSON documents share.
#pragma once

#include "base/json_write.h"
#include "base/warnings.h"
#include "graph/shape.h"

// The members "dtype" and "shape" of an open object; null where unknown.
void graph_write_type(struct json_write *w, const struct graph_tensor_type *type);

// The member "warnings". When the list was cut, its last entry says how many are missing.
void graph_write_warnings(struct json_write *w, const struct warnings *warnings);

// The same entries into an array that is open: for documents that join several lists.
void graph_write_warning_items(struct json_write *w, const struct warnings *warnings);
