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
