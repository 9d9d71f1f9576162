// The stripper's inside, shared by strip*.c: the object, its stack of open messages, and what it
// does at their borders. strip.c holds the object's life, strip_step.c reads tokens, strip_frame.c
// opens and closes messages.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "onnx/schema.h"
#include "onnx/sniff.h"
#include "onnx/strip.h"
#include "onnx/wire.h"

struct strip_frame {
    enum onnx_message message;
    const struct onnx_field *field;  // of the frame below that this message is; NULL for the model
    uint32_t index;                  // among the same field of the frame below
    uint64_t length;                 // as declared
    uint64_t end;                    // input offset; UINT64_MAX for the model
    size_t tag_at;                   // in the skeleton: where its field starts
    size_t body_at;                  // where its content starts
    unsigned graphs;                 // open graphs up to here
    uint64_t nodes_before;           // facts.nodes when it was opened
    size_t op_at, op_n;              // of a node: its last op_type in the skeleton
    uint64_t payload;                // of a tensor: bytes of values so far
    uint64_t empty;                  // of a tensor: values without a byte so far
    bool dropped;                    // of a tensor: its values are not kept
    uint32_t counts[ONNX_FIELD_MAX + 1];  // messages so far, by field number
};

enum strip_state {
    STRIP_TAG,     // at, or in, the tag of a field
    STRIP_LENGTH,  // in the length of a field
    STRIP_VALUE,   // in a varint that is the value of a field
    STRIP_COPY,    // `left` bytes go to the skeleton
    STRIP_SKIP,    // `left` bytes are dropped
    STRIP_PACKED,  // varints go to the skeleton until packed_end
};

// Whether the bytes may be those of a model that went from Latin-1 to UTF-8: then each of them from
// 0x80 on became one of U+0080 to U+00FF. In a model that did not, the first length shows it nearly
// always.
enum strip_charset {
    STRIP_ASCII,
    STRIP_LATIN1_LEAD,  // the first of two bytes has come
    STRIP_LATIN1,
    STRIP_BINARY,
};

#define STRIP_CHARSET_BYTES ((uint64_t)64 << 10)

struct onnx_strip {
    struct onnx_limits limits;
    struct onnx_strip_facts facts;
    struct error failure;        // code 0: none. Sticky.
    bool stopped;                // damaged or failed: the rest is only counted
    bool replaced;               // a length holds the bytes of U+FFFD
    enum strip_charset charset;  // of the first STRIP_CHARSET_BYTES
    bool has_graph;
    uint64_t graph_fields;  // known fields of graphs
    uint64_t all_nodes;     // complete ones, readable or not
    uint64_t messages;

    struct buf out;
    struct strip_frame *frames;
    size_t depth;  // index of the innermost open frame

    enum strip_state state;
    uint64_t offset;    // of the next input byte
    uint64_t token_at;  // offset where the current tag, length or value starts
    struct onnx_varint varint;
    uint32_t number;  // of the current field
    enum onnx_wire wire;
    const struct onnx_field *field;  // NULL: unknown
    bool keep;                       // the field goes into the skeleton
    size_t field_at;                 // in the skeleton: where the current field starts
    uint64_t left;
    uint64_t packed_end;
    size_t packed_at;
    uint32_t group_number;  // of the outermost unknown group
    uint64_t group_depth;   // open unknown groups

    size_t n_head;
    uint8_t head[ONNX_SNIFF_BYTES];
};

static inline struct strip_frame *strip_top(struct onnx_strip *s) {
    return &s->frames[s->depth];
}

// ---- strip_step.c

// Reads `chunk` until it is used up or the object has stopped.
void strip_read(struct onnx_strip *s, struct slice chunk);

// ---- strip_frame.c

void strip_put_tag(struct onnx_strip *s, uint32_t number, enum onnx_wire wire);

// The current field is a message of `length` bytes; it opens, unless it is nested too deep.
void strip_open(struct onnx_strip *s, uint64_t length);

// Something between two fields has ended: closes what ends here and waits for a tag.
void strip_settle(struct onnx_strip *s);

// The length at `body_at` was reserved for `declared` bytes: writes the one of what is there now.
void strip_patch_length(struct onnx_strip *s, size_t body_at, uint64_t declared);

// Whether `bytes` more bytes of values may stay in the open tensor. When not, those it had go, too.
// A value without a byte (an empty string) counts as one against the limit, and as none when it is
// dropped.
bool strip_payload_fits(struct onnx_strip *s, uint64_t bytes);

// Ends the reading here: cuts back to what is whole and closes it.
void strip_break(struct onnx_strip *s, enum err_code code, const char *what);

// Flags a part that is left out; reading goes on.
void strip_flag(struct onnx_strip *s, const char *limit, const char *what);

// A limit or memory has run out; sticky.
void strip_fail(struct onnx_strip *s, const char *limit, const char *what, uint64_t value);
