// The finishing pass over cairo's PDF.
#pragma once

#include "base/attr.h"
#include "base/buf.h"

// Replaces the time of writing by a constant, so that the same picture is the same file. The length
// stays, so that every offset in the file does.
void graph_finish_pdf(struct buf *pdf);
