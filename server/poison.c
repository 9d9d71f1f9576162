#include "server/poison.h"

#include <string.h>

void srv_poison_add(struct srv_poison *p, const uint8_t key[SHA256_BYTES], int code, uint64_t now) {
    struct srv_poison_entry *e = &p->entries[p->next];

    p->next = (p->next + 1) % SRV_POISON_ENTRIES;
    memcpy(e->key, key, SHA256_BYTES);
    e->code = code;
    e->until = now + SRV_POISON_MS;
}

int srv_poison_find(const struct srv_poison *p, const uint8_t key[SHA256_BYTES], uint64_t now,
                    uint64_t *left_ms) {
    for (size_t i = 0; i < SRV_POISON_ENTRIES; i++) {
        const struct srv_poison_entry *e = &p->entries[i];

        if (e->code == 0 || e->until <= now || memcmp(e->key, key, SHA256_BYTES) != 0) {
            continue;
        }
        *left_ms = e->until - now;
        return e->code;
    }
    return 0;
}
