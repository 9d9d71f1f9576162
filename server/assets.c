#include "server/assets.h"

const struct srv_asset *srv_asset_find(struct str path) {
    size_t i;

    for (i = 0; i < srv_asset_count; i++) {
        if (str_eq_z(path, srv_assets[i].path)) {
            return &srv_assets[i];
        }
    }
    return NULL;
}

struct str srv_export_page(void) {
    const struct srv_asset *page = srv_asset_find(STR("/export.html"));

    return page ? (struct str){(const char *)page->bytes, page->n} : (struct str){0};
}
