// What the back ends of the store share.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/str.h"
#include "server/lru.h"
#include "server/store.h"

// Returns ERR_NOT_FOUND.
int srv_store_not_found(struct error *err);

// One page of an index whose keys are ids, as srv_store_ops.list gives it; the caller holds the
// lock of the index.
int srv_store_page(const struct srv_lru *lru, struct str after, size_t max,
                   void (*fill)(struct srv_listing *row, const struct srv_lru_entry *e),
                   struct srv_listing *rows, size_t *n, bool *more, struct error *err) WARN_UNUSED;
