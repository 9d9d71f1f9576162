// Records for tests of the store.
#pragma once

#include "server/store.h"

// A record whose id is `i` in hex; equal arguments give equal records.
struct srv_record *make_record(unsigned i, const char *skeleton, const char *summary);

// The same with a skeleton of n bytes.
struct srv_record *make_large_record(unsigned i, size_t n);

bool same_record(const struct srv_record *a, const struct srv_record *b);
