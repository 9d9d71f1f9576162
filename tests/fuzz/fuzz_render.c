// From bytes to every document: whatever the bytes are there is a document or an error, and no
// crash.
#include <stdlib.h>

#include "graph/render.h"
#include "onnx/strip.h"
#include "tests/fuzz/fuzz.h"

// Small enough that one input takes milliseconds.
static void small_limits(struct graph_render_limits *limits) {
    graph_render_limits_init(limits);
    limits->onnx.max_skeleton = 1 << 20;
    limits->onnx.max_nodes = 2000;
    limits->onnx.max_memory = 64 << 20;
    limits->max_output = 16 << 20;
}

static int strip(struct slice *skeleton, struct onnx_strip_facts *facts, struct slice input,
                 const struct onnx_limits *limits) {
    struct onnx_strip *s;
    FUZZ_REQUIRE(onnx_strip_new(&s, limits, NULL) == 0);
    int code = onnx_strip_feed(s, input, NULL);
    if (code == 0) {
        code = onnx_strip_finish(s, skeleton, facts, NULL);
    }
    onnx_strip_free(s);
    return code;
}

static void render(const struct graph_request *request) {
    struct graph_result result = {0};
    struct error err = {0};
    int code = graph_render(&result, request, &err);
    FUZZ_REQUIRE(code != ERR_BUG && code == err.code);
    FUZZ_REQUIRE(code < 0 || result.body.n > 0);
    graph_result_release(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct graph_render_limits limits;
    struct slice skeleton = {0};
    struct onnx_strip_facts facts = {0};
    small_limits(&limits);
    if (strip(&skeleton, &facts, (struct slice){data, size}, &limits.onnx) < 0) {
        return 0;
    }
    struct graph_request request = {.skeleton = skeleton, .strip = &facts, .limits = &limits};
    for (int format = 0; format < GRAPH_FORMATS; format++) {
        request.format = (enum graph_format)format;
        render(&request);
    }
    fuzz_free(skeleton);
    return 0;
}
