// Base64 (RFC 4648, section 4), with padding.
#pragma once

#include "base/buf.h"
#include "base/str.h"

void base64_add(struct buf *out, struct slice bytes);
