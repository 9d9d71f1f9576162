// What every back end of the store promises, as tests that each of them runs. The store must hold a
// megabyte.
#pragma once

#include "server/store.h"

// Each uses ids of its own; the store is empty before.
void store_gives_back_what_it_took(struct srv_store *s);
void store_knows_what_it_has(struct srv_store *s);
void store_removes(struct srv_store *s);
void store_lists_by_id_in_pages(struct srv_store *s);
void store_refuses_ids_that_are_none(struct srv_store *s);
void store_is_used_by_many_threads(struct srv_store *s);

// Of a store of `max_bytes`: what is too large is refused, the least recently used goes first.
void store_refuses_what_it_cannot_hold(struct srv_store *s, size_t max_bytes);
void store_evicts_the_least_recently_used(struct srv_store *s, size_t max_bytes);

// Presence without a change of the order of use: by listing.
bool store_has(struct srv_store *s, unsigned i);
