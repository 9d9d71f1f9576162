// Which containers are alike: numbers for sequences of words. Sequences are compared word by word;
// the hash only finds them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

struct layout_memo {
    struct map numbers;
    struct arena *arena;  // keeps the sequences
    uint32_t *words;      // of the sequence being written
    size_t n, cap;
    bool failed;  // no memory: the next look-up says so
};

void graph_layout_memo_init(struct layout_memo *memo, struct arena *arena);
void graph_layout_memo_release(struct layout_memo *memo);

// Adds a word to the sequence.
void graph_layout_memo_add(struct layout_memo *memo, uint32_t word);

// Ends the sequence: *found is its number, `fresh` when it is new. False: no memory.
bool graph_layout_memo_find(struct layout_memo *memo, uint32_t fresh, uint32_t *found);
