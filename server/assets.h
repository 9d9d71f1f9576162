// Files of the page that are built into the program: pages, scripts, styles.
//
// The table is generated at build time from web/; without it the program has no page and its routes
// answer 404. Paths are those of the URL: "/assets/NAME" for what pages load. The pages themselves
// are "/index.html" (served at /), "/viewer.html" (at /models/{id}) and "/embed.html" (at
// /embed/{id}), "/export.html" is part of documents; no page refers to another file of the table in
// any other form.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct srv_asset {
    const char *path;
    const char *content_type;
    const uint8_t *bytes;
    size_t n;
    const uint8_t *gzip;  // the same compressed, NULL = not worth it
    size_t gzip_n;
    const char *etag;  // with its quotes; for the compressed form "-gzip" is put before the last
    bool immutable;    // the path holds a digest of the content
};

extern const struct srv_asset srv_assets[];
extern const size_t srv_asset_count;

// The page that a picture is exported in (graph/write_html.h); empty when there is none.
struct str srv_export_page(void);

// NULL when there is none.
const struct srv_asset *srv_asset_find(struct str path);
