// However the input is cut into chunks the skeleton is the same, and a skeleton is its own
// skeleton.
#include <stdlib.h>
#include <string.h>

#include "onnx/strip.h"
#include "tests/fuzz/fuzz.h"

struct stripped {
    int code;
    struct slice skeleton;
    struct onnx_strip_facts facts;
};

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static struct stripped strip(struct slice input, size_t chunk) {
    struct stripped out = {0};
    struct onnx_limits limits;
    struct onnx_strip *s;
    onnx_limits_init(&limits);
    limits.max_skeleton = 1 << 20;
    FUZZ_REQUIRE(onnx_strip_new(&s, &limits, NULL) == 0);
    for (size_t at = 0; at < input.n && out.code == 0; at += chunk) {
        struct slice part = {input.p + at, smaller(chunk, input.n - at)};
        out.code = onnx_strip_feed(s, part, NULL);
    }
    if (out.code == 0) {
        out.code = onnx_strip_finish(s, &out.skeleton, &out.facts, NULL);
    }
    onnx_strip_free(s);
    return out;
}

static void require_same(const struct stripped *a, const struct stripped *b) {
    FUZZ_REQUIRE(a->code == b->code);
    FUZZ_REQUIRE(a->skeleton.n == b->skeleton.n);
    FUZZ_REQUIRE(a->skeleton.n == 0 || memcmp(a->skeleton.p, b->skeleton.p, a->skeleton.n) == 0);
    FUZZ_REQUIRE(a->facts.nodes == b->facts.nodes);
    FUZZ_REQUIRE(a->facts.complete == b->facts.complete);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    // A model starts with the byte 8: its tag and length are cut in the middle, and so is all the
    // rest.
    struct slice input = {data, size};
    struct stripped whole = strip(input, size);
    struct stripped pieces = strip(input, data[0] + 1u);
    require_same(&whole, &pieces);
    if (whole.code == 0 && whole.skeleton.n > 0) {
        struct stripped again = strip(whole.skeleton, whole.skeleton.n);
        FUZZ_REQUIRE(again.code == 0 && again.facts.complete);
        FUZZ_REQUIRE(again.skeleton.n == whole.skeleton.n);
        FUZZ_REQUIRE(memcmp(again.skeleton.p, whole.skeleton.p, whole.skeleton.n) == 0);
        fuzz_free(again.skeleton);
    }
    fuzz_free(whole.skeleton);
    fuzz_free(pieces.skeleton);
    return 0;
}
