// A model for the command line: a file or standard input, streamed through the stripper.
#pragma once

#include "base/attr.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "onnx/limits.h"
#include "onnx/strip.h"

struct srv_input {
    struct slice skeleton;  // owned
    struct onnx_strip_facts facts;
    char id[SHA256_HEX + 1];  // of the bytes
    double strip_ms;          // CPU
};

// Reads "-" or a path. On a terminal a large file shows a progress line on stderr. *out is the
// caller's (srv_input_release). Errors: those of the stripper; ERR_IO when it cannot be read.
int srv_input_read(struct srv_input *out, const char *path, const struct onnx_limits *limits,
                   struct error *err) WARN_UNUSED;
void srv_input_release(struct srv_input *in);
