// The streaming stripper: upload chunks in, skeleton out. The only code that sees a whole model.
//
// The skeleton is the model without tensor payloads (a tensor of at most `max_tensor` bytes keeps
// its own), training info and unknown fields. It is itself valid ONNX protobuf and canonical: known
// fields only, in input order, minimal varints; the same input gives the same bytes however it is
// cut into chunks, and strip(strip(x)) = strip(x). An input that ends early or breaks is closed
// where it broke and flagged: the node, value, tensor or other part of the main graph or of a
// function that was open there is left out as a whole, so that nothing in the skeleton is half a
// thing. A part that is nested too deep is left out and flagged, too, and reading goes on behind
// it.
//
// A push parser with an explicit stack: no recursion, memory = kept bytes + O(depth), every length
// checked before use (a length past its parent breaks the input there). Beside the skeleton the
// state stays far below 16 MiB. Not thread-safe per object; different objects are independent. The
// table of messages and fields is in schema.h; reference: protobuf encoding
// (https://protobuf.dev/programming-guides/encoding/), onnx.proto field numbers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"
#include "onnx/limits.h"

struct onnx_strip;

struct onnx_strip_facts {
    uint64_t bytes;            // taken in
    uint64_t dropped_bytes;    // of tensor payloads
    uint64_t dropped_tensors;  // tensors that lost their payload
    uint64_t unknown_fields;   // dropped and counted
    uint64_t nodes;  // complete NodeProtos with a readable op_type, over all graphs and functions
    bool complete;   // false: the input broke or ended early
    struct error damage;  // where and how, when !complete; code ERR_TRUNCATED or ERR_FORMAT
};

// *out is owned by the caller (onnx_strip_free). `limits` is copied.
int onnx_strip_new(struct onnx_strip **out, const struct onnx_limits *limits,
                   struct error *err) WARN_UNUSED;
void onnx_strip_free(struct onnx_strip *s);  // NULL is fine

// Takes the next bytes. Errors: ERR_LIMIT (max_model, max_skeleton, max_messages, max_nodes, ...),
// ERR_NOMEM; they stick, and later chunks are swallowed with the same error. Damage of the input is
// no error here: reading simply stops and the rest is counted only.
int onnx_strip_feed(struct onnx_strip *s, struct slice chunk, struct error *err) WARN_UNUSED;

// Ends the input. On success *skeleton is owned by the caller (free(skeleton->p)) and *facts is
// filled; the object can only be freed afterwards. Errors: those of feed; ERR_FORMAT /
// ERR_TRUNCATED when there is no readable node, and also when there are some but the damage shows
// that a text decoder has changed the bytes: the text then says what the input looks like
// (onnx/sniff.h) and carries offset and field. A complete model whose graph has no node at all is
// no error here.
int onnx_strip_finish(struct onnx_strip *s, struct slice *skeleton, struct onnx_strip_facts *facts,
                      struct error *err) WARN_UNUSED;
