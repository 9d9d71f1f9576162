// Runs a fuzz target without libFuzzer, so with any compiler: over files, and over damaged copies
// of them.
//
//     replay COPIES FILE...
//
// The damage comes from a generator with a fixed seed: the same call always tries the same inputs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define FILE_MAX_BYTES (1 << 20)

static uint64_t generator = 0x9e3779b97f4a7c15u;

static size_t below(size_t n) {
    generator ^= generator << 13;
    generator ^= generator >> 7;
    generator ^= generator << 17;
    return (size_t)(generator % n);
}

static void flip_bytes(uint8_t *data, size_t size) {
    for (size_t left = 1 + below(4); left > 0; left--) {
        data[below(size)] = (uint8_t)below(256);
    }
}

static void repeat_part(uint8_t *data, size_t size) {
    size_t from = below(size), to = below(size);
    size_t room = size - (from > to ? from : to);
    memmove(data + to, data + from, 1 + below(room));
}

static void clear_part(uint8_t *data, size_t size) {
    size_t from = below(size);
    memset(data + from, below(2) ? 0xff : 0, 1 + below(size - from));
}

static void (*const damages[])(uint8_t *data, size_t size) = {flip_bytes, repeat_part, clear_part};

// A block of exactly this size lets the sanitizer see a read past its end.
static void run_copy(const uint8_t *data, size_t size, int damaged) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    FUZZ_REQUIRE(copy);
    memcpy(copy, data, size);
    if (damaged && size > 0) {
        damages[below(sizeof(damages) / sizeof(damages[0]))](copy, size);
    }
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int run_file(const char *path, unsigned long copies) {
    static uint8_t data[FILE_MAX_BYTES];
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return -1;
    }
    size_t size = fread(data, 1, sizeof(data), f);
    fclose(f);
    run_copy(data, size, 0);
    for (unsigned long i = 0; i < copies && size > 0; i++) {
        // Every fourth copy ends early as well.
        run_copy(data, i % 4 == 0 ? 1 + below(size) : size, 1);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s COPIES FILE...\n", argv[0]);
        return 2;
    }
    unsigned long copies = strtoul(argv[1], NULL, 10);
    for (int i = 2; i < argc; i++) {
        if (run_file(argv[i], copies) < 0) {
            return 1;
        }
    }
    printf("%d files, %lu damaged copies of each\n", argc - 2, copies);
    return 0;
}
