// Every allocation of the room fails once: each time the answer is ERR_NOMEM, and nothing leaks.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "onnx/decode.h"
#include "onnx/strip.h"
#include "tests/onnx/bytes.h"
#include "tests/onnx/refuse_after.h"

#define ATTEMPTS_MAX 100000

static int strip(struct slice in, const struct onnx_limits *limits) {
    struct onnx_strip *s;
    struct onnx_strip_facts facts;
    struct slice skeleton = {0};
    struct error err;
    int rc = onnx_strip_new(&s, limits, &err);
    if (rc < 0) {
        return rc;
    }
    rc = onnx_strip_feed(s, in, &err);
    if (rc == 0) {
        rc = onnx_strip_finish(s, &skeleton, &facts, &err);
    }
    onnx_strip_free(s);
    free((void *)(uintptr_t)skeleton.p);
    return rc;
}

static int decode(struct slice in, const struct onnx_limits *limits) {
    struct onnx_model *model = NULL;
    struct warnings warnings = {0};
    struct error err;
    int rc = onnx_decode(&model, in, limits, &warnings, &err);
    onnx_model_free(model);
    warnings_release(&warnings);
    return rc;
}

// Runs `step` with room for 0, 1, 2 ... allocations, until none is refused any more.
static void try_all(int (*step)(struct slice, const struct onnx_limits *), struct slice in) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    for (long room = 0; room < ATTEMPTS_MAX; room++) {
        refused = false;
        refuse_after = room;
        int rc = step(in, &limits);
        refuse_after = -1;
        if (!refused) {
            cr_assert_eq(rc, 0);
            cr_assert_gt(room, 3, "the allocator was never asked");
            return;
        }
        // Giving memory back early may fail, too, and does no harm.
        cr_assert(rc == ERR_NOMEM || rc == 0, "%d with %ld allocations", rc, room);
    }
    cr_assert_fail("it never succeeds");
}

static void put_everything(struct bytes *b) {
    put_chain_model(b, 100);
    open_field(b, 7);
    open_field(b, 1);
    put_text(b, 1,
             "not\xff"
             "utf8");
    put_text(b, 4, "If");
    open_field(b, 5);
    put_text(b, 1, "branches");
    open_field(b, 11);
    put_node(b, "Relu", "x", "y");
    close_field(b);
    open_field(b, 11);
    close_field(b);
    close_field(b);
    close_field(b);
    close_field(b);
    open_field(b, 25);
    put_text(b, 1, "If");
    close_field(b);
}

Test(no_memory, the_stripper_says_so) {
    struct bytes b = {0};
    put_everything(&b);
    try_all(strip, bytes_slice(&b));
    bytes_free(&b);
}

Test(no_memory, the_decoder_says_so) {
    struct bytes b = {0};
    put_everything(&b);
    try_all(decode, bytes_slice(&b));
    bytes_free(&b);
}
