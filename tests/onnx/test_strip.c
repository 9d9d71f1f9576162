#include "onnx/strip.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/onnx/run_strip.h"

#define KIB 1024

// What `in` becomes must be exactly `want`; both are freed.
static void expect_skeleton(struct bytes *in, struct bytes *want) {
    struct stripped r = strip_bytes(in);
    cr_assert_eq(r.rc, 0, "%s", r.err.text);
    cr_expect_eq(r.skeleton.n, want->out.n, "%zu instead of %zu bytes", r.skeleton.n, want->out.n);
    cr_expect(r.skeleton.n == want->out.n && !memcmp(r.skeleton.p, want->out.p, want->out.n));
    cr_expect(r.facts.complete, "%s", r.facts.damage.text);
    stripped_free(&r);
    bytes_free(in);
    bytes_free(want);
}

Test(strip, keeps_what_it_knows_in_the_order_of_the_file) {
    struct bytes in = {0}, want = {0};
    open_field(&in, 8);
    put_int(&in, 2, 17);
    close_field(&in);
    open_field(&in, 7);
    put_text(&in, 2, "main");
    put_node(&in, "Relu", "x", "y");
    close_field(&in);
    put_int(&in, 1, 8);
    put_raw(&want, in.out.p, in.out.n);
    expect_skeleton(&in, &want);
}

Test(strip, counts_nodes_of_all_graphs_and_functions) {
    struct bytes in = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "y");
    open_field(&in, 1);
    put_text(&in, 4, "If");
    open_field(&in, 5);
    open_field(&in, 6);
    put_node(&in, "Tanh", "x", "y");
    close_field(&in);
    close_field(&in);
    close_field(&in);
    close_field(&in);
    open_field(&in, 25);
    open_field(&in, 7);
    put_text(&in, 4, "Exp");
    close_field(&in);
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.facts.nodes, 4);
    cr_expect_eq(r.facts.bytes, in.out.n);
    stripped_free(&r);
    bytes_free(&in);
}

Test(strip, writes_every_varint_in_its_shortest_form) {
    struct bytes in = {0}, want = {0}, graph = {0};
    put_node(&graph, "Relu", "x", "y");
    put_long_varint(&in, onnx_tag(1, ONNX_WIRE_VARINT), 5);
    put_long_varint(&in, 8, 10);
    put_long_varint(&in, onnx_tag(7, ONNX_WIRE_BYTES), 5);
    put_long_varint(&in, graph.out.n, 5);
    put_raw(&in, graph.out.p, graph.out.n);
    put_int(&want, 1, 8);
    put_message(&want, 7, &graph);
    bytes_free(&graph);
    expect_skeleton(&in, &want);
}

static void put_dims_model(struct bytes *b, bool shortest) {
    open_field(b, 7);
    put_node(b, "Relu", "x", "y");
    open_field(b, 5);
    put_int(b, 1, 2);
    open_field(b, 1);
    put_long_varint(b, 3, shortest ? 1 : 4);
    put_varint(b, 300);
    close_field(b);
    put_int(b, 1, 5);
    close_field(b);
    close_field(b);
}

Test(strip, shortens_varints_inside_packed_fields) {
    struct bytes in = {0}, want = {0};
    put_dims_model(&in, false);
    put_dims_model(&want, true);
    expect_skeleton(&in, &want);
}

static void put_unknown_fields(struct bytes *b) {
    put_int(b, 200, 1);
    put_tag(b, 201, ONNX_WIRE_FIXED64);
    put_zeros(b, 8);
    put_text(b, 202, "\x0a\xff\xff\xff");
    put_tag(b, 203, ONNX_WIRE_FIXED32);
    put_zeros(b, 4);
}

Test(strip, drops_and_counts_unknown_fields_of_every_wire_type) {
    struct bytes in = {0}, want = {0};
    put_unknown_fields(&in);
    open_field(&in, 7);
    open_field(&in, 1);
    put_unknown_fields(&in);
    put_text(&in, 4, "Relu");
    close_field(&in);
    put_unknown_fields(&in);
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.facts.unknown_fields, 12);
    stripped_free(&r);
    open_field(&want, 7);
    open_field(&want, 1);
    put_text(&want, 4, "Relu");
    close_field(&want);
    close_field(&want);
    expect_skeleton(&in, &want);
}

Test(strip, takes_a_known_field_of_another_wire_type_for_unknown) {
    struct bytes in = {0}, want = {0};
    put_text(&in, 1, "\x08");
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "y");
    put_int(&in, 1, 7);
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.facts.unknown_fields, 2);
    stripped_free(&r);
    open_field(&want, 7);
    put_node(&want, "Relu", "x", "y");
    close_field(&want);
    expect_skeleton(&in, &want);
}

Test(strip, drops_training_info_without_counting_it) {
    struct bytes in = {0}, want = {0};
    put_chain_model(&in, 2);
    put_chain_model(&want, 2);
    open_field(&in, 20);
    put_raw(&in, want.out.p, want.out.n);
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.facts.unknown_fields, 0);
    cr_expect_eq(r.facts.nodes, 2);
    stripped_free(&r);
    expect_skeleton(&in, &want);
}

Test(strip, skips_an_unknown_group_as_a_whole) {
    struct bytes in = {0}, want = {0};
    put_chain_model(&in, 2);
    put_chain_model(&want, 2);
    put_tag(&in, 90, ONNX_WIRE_GROUP);
    put_int(&in, 1, 5);
    put_text(&in, 2, "zz");
    put_tag(&in, 91, ONNX_WIRE_GROUP);
    put_tag(&in, 91, ONNX_WIRE_GROUP_END);
    put_tag(&in, 90, ONNX_WIRE_GROUP_END);
    expect_skeleton(&in, &want);
}

Test(strip, nested_groups_cost_no_stack) {
    struct bytes in = {0}, want = {0};
    put_chain_model(&in, 2);
    put_chain_model(&want, 2);
    for (size_t i = 0; i < 100000; i++) {
        put_tag(&in, 90, ONNX_WIRE_GROUP);
    }
    for (size_t i = 0; i < 100000; i++) {
        put_tag(&in, 90, ONNX_WIRE_GROUP_END);
    }
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.facts.unknown_fields, 1);
    stripped_free(&r);
    expect_skeleton(&in, &want);
}

Test(strip, keeps_both_parts_of_a_message_that_comes_twice) {
    struct bytes in = {0}, want = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "t");
    close_field(&in);
    open_field(&in, 7);
    put_node(&in, "Tanh", "t", "y");
    close_field(&in);
    put_raw(&want, in.out.p, in.out.n);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.facts.nodes, 2);
    stripped_free(&r);
    expect_skeleton(&in, &want);
}

// ---- payloads

static void open_tensor(struct bytes *b) {
    open_field(b, 7);
    put_node(b, "Relu", "x", "y");
    open_field(b, 5);
    put_int(b, 1, 256);
}

static void close_tensor(struct bytes *b) {
    put_text(b, 8, "w");
    close_field(b);
    close_field(b);
}

static void put_raw_data(struct bytes *b, size_t n) {
    open_field(b, 9);
    put_zeros(b, n);
    close_field(b);
}

Test(strip, keeps_a_payload_of_max_tensor_bytes) {
    struct bytes in = {0}, want = {0};
    open_tensor(&in);
    put_raw_data(&in, KIB);
    close_tensor(&in);
    put_raw(&want, in.out.p, in.out.n);
    expect_skeleton(&in, &want);
}

static void expect_bare_tensor(struct bytes *in, uint64_t dropped) {
    struct bytes want = {0};
    open_tensor(&want);
    close_tensor(&want);
    struct stripped r = strip_bytes(in);
    cr_expect_eq(r.facts.dropped_tensors, 1);
    cr_expect_eq(r.facts.dropped_bytes, dropped);
    stripped_free(&r);
    expect_skeleton(in, &want);
}

Test(strip, drops_a_payload_of_one_byte_more) {
    struct bytes in = {0};
    open_tensor(&in);
    put_raw_data(&in, KIB + 1);
    close_tensor(&in);
    expect_bare_tensor(&in, KIB + 1);
}

Test(strip, drops_all_pieces_of_a_payload_that_is_too_large_together) {
    struct bytes in = {0};
    open_tensor(&in);
    put_float(&in, 4, 1.5F);          // float_data, not packed
    put_data(&in, 7, "\x01\x02", 2);  // int64_data, packed
    put_text(&in, 6, "text");         // string_data
    put_raw_data(&in, KIB - 10);
    put_text(&in, 8, "w");
    put_int(&in, 5, 1);  // int32_data: the first byte too many
    put_raw_data(&in, 20);
    close_field(&in);
    close_field(&in);
    expect_bare_tensor(&in, KIB + 1 + 20);
}

Test(strip, keeps_a_payload_in_the_form_it_came_in) {
    struct bytes in = {0}, want = {0};
    open_tensor(&in);
    put_float(&in, 4, 1.5F);
    put_data(&in, 4, "\0\0\0\0\0\0\0\0", 8);
    put_int(&in, 7, UINT64_MAX);
    put_data(&in, 7, "\x01\x02", 2);
    put_tag(&in, 10, ONNX_WIRE_FIXED64);
    put_zeros(&in, 8);
    put_text(&in, 6, "");
    close_tensor(&in);
    put_raw(&want, in.out.p, in.out.n);
    expect_skeleton(&in, &want);
}

Test(strip, a_large_weight_leaves_short_lengths_behind) {
    struct bytes in = {0};
    open_tensor(&in);
    put_raw_data(&in, (size_t)1 << 20);
    close_tensor(&in);
    expect_bare_tensor(&in, (size_t)1 << 20);
}

Test(strip, empty_strings_fill_a_tensor_and_are_no_bytes_when_they_go) {
    struct bytes in = {0};
    open_tensor(&in);
    put_text(&in, 6, "ab");
    for (int i = 0; i < KIB; i++) {
        put_text(&in, 6, "");
    }
    close_tensor(&in);
    expect_bare_tensor(&in, 2);
}

Test(strip, a_tensor_of_nothing_but_empty_strings_goes_too) {
    struct bytes in = {0};
    open_tensor(&in);
    for (int i = 0; i <= KIB; i++) {
        put_text(&in, 6, "");
    }
    close_tensor(&in);
    expect_bare_tensor(&in, 0);
}

Test(strip, max_tensor_is_a_setting) {
    struct onnx_limits limits;
    struct bytes in = {0};
    onnx_limits_init(&limits);
    limits.max_tensor = 0;
    open_tensor(&in);
    put_raw_data(&in, 4);
    close_tensor(&in);
    struct stripped r = strip_with(bytes_slice(&in), &limits);
    cr_expect_eq(r.facts.dropped_bytes, 4);
    stripped_free(&r);
    bytes_free(&in);
}

// ---- limits

static void expect_limit(const char *name, const struct onnx_limits *limits) {
    struct bytes in = {0};
    put_chain_model(&in, 40);
    struct stripped r = strip_with(bytes_slice(&in), limits);
    cr_expect_eq(r.rc, ERR_LIMIT);
    cr_expect_str_eq(r.err.limit, name);
    cr_expect(r.skeleton.p == NULL);
    bytes_free(&in);
}

Test(strip, names_the_limit_that_was_reached) {
    struct onnx_limits standard, limits;
    onnx_limits_init(&standard);
    limits = standard;
    limits.max_model = 100;
    expect_limit("max-model", &limits);
    limits = standard;
    limits.max_skeleton = 100;
    expect_limit("max-skeleton", &limits);
    limits = standard;
    limits.max_messages = 30;
    expect_limit("max-messages", &limits);
    limits = standard;
    limits.max_nodes = 39;
    expect_limit("max-nodes", &limits);
}

Test(strip, takes_exactly_as_much_as_the_limits_allow) {
    struct onnx_limits limits;
    struct bytes in = {0};
    put_chain_model(&in, 40);
    onnx_limits_init(&limits);
    limits.max_model = in.out.n;
    limits.max_nodes = 40;
    struct stripped r = strip_with(bytes_slice(&in), &limits);
    cr_expect_eq(r.rc, 0, "%s", r.err.text);
    stripped_free(&r);
    bytes_free(&in);
}

Test(strip, a_limit_sticks) {
    struct onnx_limits limits;
    struct onnx_strip *s;
    struct error err;
    struct slice chunk = {(const uint8_t *)"\x08\x08", 2};
    onnx_limits_init(&limits);
    limits.max_model = 3;
    cr_assert_eq(onnx_strip_new(&s, &limits, &err), 0);
    cr_expect_eq(onnx_strip_feed(s, chunk, &err), 0);
    cr_expect_eq(onnx_strip_feed(s, chunk, &err), ERR_LIMIT);
    chunk.n = 1;
    cr_expect_eq(onnx_strip_feed(s, chunk, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-model");
    onnx_strip_free(s);
}

Test(strip, refuses_a_max_depth_that_would_overflow_a_stack) {
    struct onnx_limits limits;
    struct onnx_strip *s;
    struct error err;
    onnx_limits_init(&limits);
    limits.max_depth = 501;
    cr_expect_eq(onnx_strip_new(&s, &limits, &err), ERR_USAGE);
    limits.max_depth = 0;
    cr_expect_eq(onnx_strip_new(&s, &limits, &err), ERR_USAGE);
}

Test(strip, freeing_nothing_is_fine) {
    onnx_strip_free(NULL);
}
