// Input that breaks or ends early: what remains, and what is said about it.
#include <criterion/criterion.h>
#include <string.h>

#include "onnx/nesting.h"
#include "tests/onnx/run_strip.h"

#define WHOLE_NODES 3

// A good model with `tail` behind it: its nodes stay, and the break is told at `offset` bytes into
// the tail.
static void expect_break(const char *tail, size_t n, uint64_t offset, const char *says) {
    struct bytes in = {0};
    put_chain_model(&in, WHOLE_NODES);
    size_t model = in.out.n;
    struct stripped whole = strip_bytes(&in);
    put_raw(&in, tail, n);
    struct stripped r = strip_bytes(&in);
    cr_assert_eq(r.rc, 0, "%s", r.err.text);
    cr_expect(!r.facts.complete);
    cr_expect_eq(r.facts.damage.code, ERR_FORMAT);
    cr_expect_eq(r.facts.damage.offset, model + offset);
    cr_expect(strstr(r.facts.damage.text, says), "%s", r.facts.damage.text);
    cr_expect_eq(r.facts.nodes, WHOLE_NODES);
    cr_expect_eq(r.facts.bytes, in.out.n);
    cr_expect(r.skeleton.n == whole.skeleton.n &&
              !memcmp(r.skeleton.p, whole.skeleton.p, whole.skeleton.n));
    stripped_free(&whole);
    stripped_free(&r);
    bytes_free(&in);
}

#define EXPECT_BREAK(tail, offset, says) expect_break(tail, sizeof(tail) - 1, offset, says)

Test(strip_damage, stops_where_the_bytes_cannot_be_protobuf) {
    EXPECT_BREAK("\x00\x01", 0, "field number 0");
    EXPECT_BREAK("\x0e\x01", 0, "wire type");
    EXPECT_BREAK("\x0f\x01", 0, "wire type");
    EXPECT_BREAK("\xd4\x05", 0, "a group ends that never began");
    EXPECT_BREAK("\xd3\x05\xdc\x05", 2, "another field number");
    EXPECT_BREAK("\x88\x80\x80\x80\x80\x01\x01", 0, "32 bits");
    EXPECT_BREAK("\x08\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 1, "64 bits");
    EXPECT_BREAK("\x08\x88\x80\x80\x80\x80\x80\x80\x80\x80\x02", 1, "64 bits");
    EXPECT_BREAK("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1, "length");
}

Test(strip_damage, ten_bytes_of_varint_are_fine_when_they_fit) {
    struct bytes in = {0};
    put_chain_model(&in, 1);
    put_int(&in, 5, UINT64_MAX);
    struct stripped r = strip_bytes(&in);
    cr_expect(r.facts.complete, "%s", r.facts.damage.text);
    stripped_free(&r);
    bytes_free(&in);
}

Test(strip_damage, names_the_field_where_a_length_runs_past_its_parent) {
    struct bytes in = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "t");
    open_field(&in, 1);
    put_text(&in, 4, "Conv");
    open_field(&in, 5);
    put_text(&in, 1, "pads");
    close_field(&in);
    open_field(&in, 5);
    put_tag(&in, 1, ONNX_WIRE_BYTES);
    size_t length_at = in.out.n;
    put_varint(&in, 3);
    put_raw(&in, "ab", 2);
    close_field(&in);
    close_field(&in);
    put_node(&in, "Tanh", "t", "y");
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    cr_assert_eq(r.rc, 0);
    cr_expect_eq(r.facts.nodes, 1);
    cr_expect_eq(r.facts.damage.code, ERR_FORMAT);
    cr_expect_str_eq(r.facts.damage.field, "graph.node[1].attribute[1].name");
    // Each of the four open fields puts one byte of length before it.
    cr_expect_eq(r.facts.damage.offset, length_at + 3);
    stripped_free(&r);
    bytes_free(&in);
}

static void expect_tensor_break(uint32_t number, const char *content, size_t n, const char *field) {
    struct bytes in = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "y");
    open_field(&in, 5);
    put_data(&in, number, content, n);
    put_text(&in, 8, "w");
    close_field(&in);
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    cr_assert_eq(r.rc, 0);
    cr_expect(!r.facts.complete);
    cr_expect_str_eq(r.facts.damage.field, field);
    cr_expect_eq(r.facts.nodes, 1);
    stripped_free(&r);
    bytes_free(&in);
}

Test(strip_damage, packed_fields_end_with_a_whole_element) {
    expect_tensor_break(1, "\x80\x80", 2, "graph.initializer[0].dims");
    expect_tensor_break(4, "12345", 5, "graph.initializer[0].float_data");
    expect_tensor_break(10, "123456789012", 12, "graph.initializer[0].double_data");
}

Test(strip_damage, a_group_ends_before_the_message_around_it) {
    struct bytes in = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "y");
    put_tag(&in, 90, ONNX_WIRE_GROUP);
    put_int(&in, 1, 1);
    close_field(&in);
    put_int(&in, 1, 8);
    struct stripped r = strip_bytes(&in);
    cr_assert_eq(r.rc, 0);
    cr_expect(!r.facts.complete);
    cr_expect_str_eq(r.facts.damage.text, "a group is not closed");
    stripped_free(&r);
    bytes_free(&in);
}

// ---- ends early

// Nodes of put_chain_model() that lie before `end`.
static uint64_t whole_nodes(struct slice model, size_t end) {
    uint64_t n = 0;
    struct slice rest = model;
    struct onnx_wire_field field;
    while (onnx_wire_next(&rest, &field) && field.number != 7) {
        continue;
    }
    rest = field.bytes;
    while (onnx_wire_next(&rest, &field)) {
        n += field.number == 1 && (size_t)(field.whole.p + field.whole.n - model.p) <= end;
    }
    return n;
}

Test(strip_damage, every_prefix_of_a_model_keeps_its_whole_nodes) {
    struct bytes in = {0};
    put_chain_model(&in, 12);
    struct slice model = bytes_slice(&in);
    for (size_t n = 0; n < model.n; n++) {
        uint64_t nodes = whole_nodes(model, n);
        struct stripped r = strip_all((struct slice){model.p, n});
        struct error err;
        if (nodes == 0) {
            cr_assert(r.rc == ERR_TRUNCATED || r.rc == ERR_FORMAT, "cut at %zu", n);
            continue;
        }
        cr_assert_eq(r.rc, 0, "cut at %zu: %s", n, r.err.text);
        cr_assert_eq(r.facts.nodes, nodes, "cut at %zu", n);
        cr_assert_eq(onnx_nesting_check(r.skeleton, 100, &err), 0, "cut at %zu", n);
        // Between the fields of the model nothing tells that something is missing.
        cr_assert(r.facts.complete || r.facts.damage.code == ERR_TRUNCATED);
        cr_assert(r.facts.complete || r.facts.damage.offset == n);
        struct stripped again = strip_all(r.skeleton);
        cr_assert(again.facts.complete && again.facts.nodes == nodes);
        stripped_free(&again);
        stripped_free(&r);
    }
    bytes_free(&in);
}

Test(strip_damage, a_node_with_an_unfinished_body_goes_as_a_whole) {
    struct bytes in = {0}, want = {0};
    open_field(&in, 7);
    put_node(&in, "Relu", "x", "t");
    open_field(&in, 1);
    put_text(&in, 4, "If");
    open_field(&in, 5);
    open_field(&in, 6);
    put_node(&in, "Tanh", "t", "y");
    put_node(&in, "Tanh", "t", "y");
    close_field(&in);
    close_field(&in);
    close_field(&in);
    close_field(&in);
    in.out.n -= 3;
    struct stripped r = strip_bytes(&in);
    cr_assert_eq(r.rc, 0);
    cr_expect_str_eq(r.facts.damage.field, "graph.node[1].attribute[0].g.node[1].op_type");
    cr_expect_eq(r.facts.nodes, 1);
    open_field(&want, 7);
    put_node(&want, "Relu", "x", "t");
    close_field(&want);
    cr_expect(r.skeleton.n == want.out.n && !memcmp(r.skeleton.p, want.out.p, want.out.n));
    stripped_free(&r);
    bytes_free(&in);
    bytes_free(&want);
}

// ---- too deep: the part is left out, the rest is read

static struct stripped strip_nested(size_t levels, const struct onnx_limits *limits) {
    struct bytes in = {0};
    open_field(&in, 7);
    for (size_t i = 0; i < levels; i++) {
        open_field(&in, 1);
        put_text(&in, 4, "If");
        open_field(&in, 5);
        put_text(&in, 1, "then_branch");
        open_field(&in, 6);
    }
    put_node(&in, "Relu", "x", "y");
    for (size_t i = 0; i < 3 * levels; i++) {
        close_field(&in);
    }
    put_node(&in, "Tanh", "x", "y");
    close_field(&in);
    struct stripped r = strip_with(bytes_slice(&in), limits);
    bytes_free(&in);
    return r;
}

Test(strip_damage, graphs_nested_too_deep_are_left_out) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    limits.max_graph_depth = 4;
    struct stripped r = strip_nested(4, &limits);
    cr_expect(r.facts.complete);
    cr_expect_eq(r.facts.nodes, 6);
    stripped_free(&r);
    r = strip_nested(5, &limits);
    cr_expect(!r.facts.complete);
    cr_expect_str_eq(r.facts.damage.limit, "max-graph-depth");
    cr_expect_eq(r.facts.nodes, 6, "five holders and what comes after them");
    stripped_free(&r);
}

Test(strip_damage, messages_nested_too_deep_are_left_out) {
    struct onnx_limits limits;
    onnx_limits_init(&limits);
    limits.max_depth = 5;
    struct stripped r = strip_nested(1, &limits);
    cr_assert_eq(r.rc, 0);
    cr_expect_str_eq(r.facts.damage.limit, "max-depth");
    cr_expect_eq(r.facts.damage.code, ERR_FORMAT);
    cr_expect_eq(r.facts.nodes, 2, "the node of the body is the sixth message inwards");
    struct error err;
    cr_expect_eq(onnx_nesting_check(r.skeleton, 5, &err), 0);
    stripped_free(&r);
}

// ---- nothing usable

static void expect_refused(const void *p, size_t n, int code, const char *says) {
    struct stripped r = strip_all((struct slice){p, n});
    cr_expect_eq(r.rc, code);
    cr_expect(r.skeleton.p == NULL);
    cr_expect(strstr(r.err.text, says), "'%s' in: %s", says, r.err.text);
}

Test(strip_damage, refuses_what_is_no_model_and_says_what_it_looks_like) {
    expect_refused("", 0, ERR_FORMAT, "an empty file");
    expect_refused("hello, this is no model\n", 24, ERR_FORMAT, "text");
    expect_refused("PK\x03\x04 and so on", 14, ERR_FORMAT, "zip");
    expect_refused("\x08\x08\x42\x02\x10\x11", 6, ERR_FORMAT, "there is no graph in it");
    expect_refused("\x08\x08\x38\x01", 4, ERR_FORMAT, "there is no graph in it");
    expect_refused("\x08\x08\x3a\x20\x0a\x03", 6, ERR_TRUNCATED, "ends too early");
}

Test(strip_damage, a_graph_without_nodes_is_a_model) {
    struct bytes in = {0};
    put_chain_model(&in, 0);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.rc, 0, "%s", r.err.text);
    cr_expect_eq(r.facts.nodes, 0);
    stripped_free(&r);
    bytes_free(&in);
}

Test(strip_damage, a_tensor_file_is_no_model) {
    // Its int64_data {16, 5} has the place of the graph, and reads as one unknown field.
    struct bytes in = {0};
    put_int(&in, 1, 2);
    put_int(&in, 2, 7);
    put_data(&in, 7, "\x18\x05", 2);
    struct stripped r = strip_bytes(&in);
    cr_expect_eq(r.rc, ERR_FORMAT);
    bytes_free(&in);
}

static struct stripped strip_op(const char *op) {
    struct bytes in = {0};
    open_field(&in, 7);
    put_node(&in, op, "x", "y");
    close_field(&in);
    struct stripped r = strip_bytes(&in);
    bytes_free(&in);
    return r;
}

Test(strip_damage, nodes_without_a_readable_op_type_do_not_count) {
    static const struct {
        const char *op, *says;
    } unreadable[] = {
        {"", "readable op_type"},
        {"Re\xfflu", "readable op_type"},
        {"\xc0\xaf", "readable op_type"},
        {"Re\xef\xbf\xbdlu", "read as text"},
    };
    for (size_t i = 0; i < sizeof(unreadable) / sizeof(*unreadable); i++) {
        struct stripped r = strip_op(unreadable[i].op);
        cr_expect_eq(r.rc, ERR_FORMAT, "%zu", i);
        cr_expect(strstr(r.err.text, unreadable[i].says), "%s", r.err.text);
    }
    struct stripped r = strip_op("\xe5\x8d\xb7\xe7\xa7\xaf");
    cr_expect_eq(r.facts.nodes, 1);
    stripped_free(&r);
}

// What `curl -d` does: it takes CR and LF out, and LF is the tag of every node.
Test(strip_damage, refuses_a_model_that_was_sent_as_a_form) {
    struct bytes in = {0}, sent = {0};
    put_chain_model(&in, 20);
    for (size_t i = 0; i < in.out.n; i++) {
        if (in.out.p[i] != '\n' && in.out.p[i] != '\r') {
            put_raw(&sent, in.out.p + i, 1);
        }
    }
    expect_refused(sent.out.p, sent.out.n, ERR_FORMAT, "--data-binary");
    bytes_free(&in);
    bytes_free(&sent);
}

Test(strip_damage, refuses_a_model_whose_bytes_were_replaced_by_a_text_decoder) {
    struct bytes in = {0}, sent = {0};
    put_chain_model(&in, 40);
    for (size_t i = 0; i < in.out.n; i++) {
        if (in.out.p[i] < 0x80) {
            put_raw(&sent, in.out.p + i, 1);
        } else {
            put_raw(&sent, "\xef\xbf\xbd", 3);
        }
    }
    expect_refused(sent.out.p, sent.out.n, ERR_FORMAT, "U+FFFD");
    bytes_free(&in);
    bytes_free(&sent);
}

// A text transfer that takes bytes for Latin-1 and writes UTF-8: every byte from 0x80 on becomes
// two.
Test(strip_damage, refuses_a_model_that_became_utf8) {
    struct bytes in = {0}, sent = {0};
    put_chain_model(&in, 40);
    for (size_t i = 0; i < in.out.n; i++) {
        uint8_t c = in.out.p[i];
        uint8_t two[] = {(uint8_t)(0xC0 | c >> 6), (uint8_t)(0x80 | (c & 0x3F))};
        if (c < 0x80) {
            put_raw(&sent, &c, 1);
        } else {
            put_raw(&sent, two, 2);
        }
    }
    expect_refused(sent.out.p, sent.out.n, ERR_FORMAT, "UTF-8");
    bytes_free(&in);
    bytes_free(&sent);
}
