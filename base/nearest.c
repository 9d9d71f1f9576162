#include "base/nearest.h"

static char folded(char c) {
    return c == '-' ? '_' : c;
}

static unsigned min3(unsigned a, unsigned b, unsigned c) {
    unsigned m = a < b ? a : b;

    return m < c ? m : c;
}

// Edit distance by the usual table, one row at a time.
unsigned nearest_distance(struct str a, struct str b) {
    unsigned row[NEAREST_BYTES + 1];

    if (a.n > NEAREST_BYTES || b.n > NEAREST_BYTES) {
        return UINT32_MAX;
    }
    for (unsigned j = 0; j <= b.n; j++) {
        row[j] = j;
    }
    for (size_t i = 0; i < a.n; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i + 1;
        for (unsigned j = 1; j <= b.n; j++) {
            unsigned cost = diagonal + (folded(a.p[i]) != folded(b.p[j - 1]));

            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, cost);
        }
    }
    return row[b.n];
}
