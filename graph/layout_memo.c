#include "graph/layout_memo.h"

#include <stdlib.h>

#include "base/array.h"

#define WORDS_MAX ((size_t)64 << 20)

void graph_layout_memo_init(struct layout_memo *memo, struct arena *arena) {
    *memo = (struct layout_memo){.arena = arena};
    map_init(&memo->numbers);
}

void graph_layout_memo_release(struct layout_memo *memo) {
    map_release(&memo->numbers);
    free(memo->words);
    *memo = (struct layout_memo){0};
}

void graph_layout_memo_add(struct layout_memo *memo, uint32_t word) {
    if (memo->n == memo->cap && array_grow(&memo->words, &memo->cap, memo->n + 1,
                                           sizeof(*memo->words), WORDS_MAX, "words", NULL) < 0) {
        memo->failed = true;
    } else {
        memo->words[memo->n++] = word;
    }
}

bool graph_layout_memo_find(struct layout_memo *memo, uint32_t fresh, uint32_t *found) {
    struct str key = {(const char *)memo->words, memo->n * sizeof(*memo->words)};

    memo->n = 0;
    if (memo->failed) {
        return false;
    }
    *found = map_get(&memo->numbers, key);
    if (*found != MAP_NONE) {
        return true;
    }
    key = arena_str(memo->arena, key);
    *found = fresh;
    return key.p && map_put(&memo->numbers, key, fresh, NULL) == 0;
}
