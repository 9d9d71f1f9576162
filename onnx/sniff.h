// What a file that is no ONNX model looks like, from its first bytes: for error messages.
#pragma once

#include "base/str.h"

#define ONNX_SNIFF_BYTES 512

// A noun phrase such as "a zip archive (a PyTorch .pt file is one)", "an HTML page", "a Git LFS
// pointer", "a safetensors file", "JSON", "text", "a PNG picture", "empty"; NULL when nothing is
// recognised. `head` holds the first bytes, up to ONNX_SNIFF_BYTES. The phrase names the format in
// lower case somewhere ("zip", "html", "lfs", "safetensors", "png", "json", "text").
const char *onnx_sniff(struct slice head);
