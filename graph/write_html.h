// The picture as a page of its own: one file with a small viewer in it, without a server behind it.
//
// The page comes from web/ at build time and is handed in, because this room does not know that
// one. It holds its style and its script, and three marks: %TITLE%, %POLICY% and %PICTURE%.
#pragma once

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

// Appends the page with a finished SVG in it. Errors: ERR_BUG (the page lacks a mark or a script),
// ERR_NOMEM, ERR_LIMIT.
int graph_write_html(struct buf *out, struct str page, struct str svg,
                     struct error *err) WARN_UNUSED;

// Appends the Content-Security-Policy of such a page: nothing but its own script, by its digest,
// and styles.
void graph_html_policy(struct buf *out, struct str page);
