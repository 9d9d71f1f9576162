#include "graph/cost.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/graph/infer_case.h"
#include "tests/support/model_builder.h"

// Calls of these tests: the root, a below it, a.b below a, and c below the root.
enum { ROOT, A, AB, C, CALLS };

static const struct graph_call calls[CALLS] = {
    [ROOT] = {.module = ROOT, .parent = ONNX_NONE},
    [A] = {.module = A, .parent = ROOT, .depth = 1},
    [AB] = {.module = AB, .parent = A, .depth = 2},
    [C] = {.module = C, .parent = ROOT, .depth = 1},
};

static const struct graph_module modules[CALLS] = {
    [ROOT] = {.n_calls = 1},
    [A] = {.n_calls = 1},
    [AB] = {.n_calls = 1},
    [C] = {.n_calls = 1},
};

struct fixture {
    struct onnx_model *model;
    struct graph_net net;
    struct graph_plumbing_map plumbing;
    struct graph_shapes shapes;
    struct graph_costs costs;
    struct warnings warnings;
};

// `owners` holds the call of each node.
static struct fixture build(struct model_builder *b, const uint32_t *owners) {
    struct fixture f = {.model = mb_finish(b)};
    const struct graph_hierarchy hierarchy = {
        .modules = modules,
        .n_modules = CALLS,
        .calls = calls,
        .n_calls = CALLS,
        .node_call = owners,
        .depth = 2,
    };
    cr_assert_eq(graph_net_init(&f.net, f.model, &f.warnings, NULL), 0);
    cr_assert_eq(graph_plumbing_init(&f.plumbing, &f.net, NULL), 0);
    cr_assert_eq(graph_shapes_init(&f.shapes, &f.net, &f.warnings, NULL), 0);
    cr_assert_eq(graph_costs_init(&f.costs, &f.net, &f.plumbing, &hierarchy, &f.shapes, &f.warnings,
                                  NULL),
                 0);
    return f;
}

static void release(struct fixture *f) {
    graph_costs_release(&f->costs);
    graph_shapes_release(&f->shapes);
    graph_plumbing_release(&f->plumbing);
    graph_net_release(&f->net);
    warnings_release(&f->warnings);
    onnx_model_free(f->model);
}

Test(cost, tensor_counts_once_in_each_subtree) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_init(b, "shared", "float[10]");
    mb_init(b, "own", "float16[3]");
    mb_node(b, "Mul", "", "x,shared", "p");
    mb_node(b, "Mul", "", "p,shared", "q");
    mb_node(b, "Add", "", "q,own", "r");
    mb_node(b, "Mul", "", "r,shared", "s");
    struct fixture f = build(b, (const uint32_t[]){AB, AB, A, C});

    cr_expect_eq(f.costs.parameters[AB], 10);
    cr_expect_eq(f.costs.parameters[A], 13);
    cr_expect_eq(f.costs.parameters[C], 10);
    cr_expect_eq(f.costs.parameters[ROOT], 13);
    cr_expect_eq(f.costs.parameter_bytes[ROOT], 46);
    cr_expect_eq(f.costs.total_parameters, 13);
    cr_expect_eq(f.costs.total_bytes, 46);
    release(&f);
}

Test(cost, aliases_and_weight_chains_lead_to_their_tensor) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1]");
    mb_init(b, "w", "int8[4,5]");
    mb_init(b, "scale", "float[]");
    mb_init(b, "zero", "int8[]");
    mb_node(b, "DequantizeLinear", "", "w,scale,zero", "wd");
    mb_node(b, "Identity", "", "wd", "alias");
    mb_node(b, "MatMul", "", "x,wd", "p");
    mb_node(b, "MatMul", "", "p,alias", "y");
    struct fixture f = build(b, (const uint32_t[]){ROOT, ROOT, AB, C});

    cr_expect_eq(f.costs.parameters[AB], 20);
    cr_expect_eq(f.costs.parameters[C], 20);
    cr_expect_eq(f.costs.total_parameters, 20, "scale and zero point are no parameters");
    cr_expect_eq(f.costs.total_bytes, 20);
    release(&f);
}

Test(cost, buffers_are_no_parameters) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,8]");
    mb_init(b, "gamma", "float[8]");
    mb_init(b, "beta", "float[8]");
    mb_init(b, "mean", "float[8]");
    mb_init(b, "var", "float[8]");
    mb_init_ints(b, "shape", "1,8");
    mb_init(b, "unread", "float[100]");
    mb_node(b, "BatchNormalization", "", "x,gamma,beta,mean,var", "n");
    mb_node(b, "Reshape", "", "n,shape", "y");
    struct fixture f = build(b, (const uint32_t[]){A, ROOT});

    cr_expect_eq(f.costs.total_parameters, 16);
    cr_expect_eq(f.costs.parameters[A], 16);
    release(&f);
}

Test(cost, body_reads_count_for_it_and_for_its_holder) {
    struct model_builder *b = mb_new();
    mb_input(b, "c", "bool[]");
    mb_init(b, "w", "float[7]");
    mb_init(b, "v", "float[2]");
    mb_node(b, "If", "", "c", "y");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "Relu", "", "w", "t");
    mb_output(b, "t", "");
    mb_close_body(b);
    mb_open_body(b, "else_branch", "g");
    mb_output(b, "v", "");
    mb_close_body(b);
    struct fixture f = build(b, (const uint32_t[]){A, AB});

    cr_expect_eq(f.costs.parameters[AB], 7);
    cr_expect_eq(f.costs.parameters[A], 9);
    cr_expect_eq(f.costs.total_parameters, 9);
    release(&f);
}

Test(cost, product_beyond_64_bits_saturates_with_a_warning) {
    struct model_builder *b = mb_new();
    mb_init(b, "huge", "float[4294967296,4294967296]");
    mb_init(b, "none", "float[4294967296,4294967296,0]");
    mb_init(b, "bad", "float[-1,5]");
    mb_node(b, "A", "", "huge,none,bad", "y");
    struct fixture f = build(b, (const uint32_t[]){C});

    cr_expect_eq(f.costs.total_parameters, INT64_MAX);
    cr_expect_eq(f.costs.parameter_bytes[C], INT64_MAX);
    cr_assert_eq(f.warnings.total, 1);
    cr_expect_str_eq(f.warnings.items[0].code, "overflow");
    release(&f);
}

Test(cost, four_bit_elements_share_bytes) {
    struct model_builder *b = mb_new();
    mb_init(b, "w", "int4[5]");
    mb_node(b, "A", "", "w", "y");
    struct fixture f = build(b, (const uint32_t[]){ROOT});

    cr_expect_eq(f.costs.total_parameters, 5);
    cr_expect_eq(f.costs.total_bytes, 3);
    release(&f);
}

static void expect_count(struct dim_num count, const char *text) {
    struct buf out;
    buf_init(&out, 256);
    infer_count_text(&out, count);
    cr_expect(str_eq_z(buf_str(&out), text), "%.*s, expected %s", STR_ARG(buf_str(&out)), text);
    buf_release(&out);
}

Test(cost, multiply_accumulates_add_up_to_the_root) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[n,3]");
    mb_init(b, "w", "float[3,4]");
    mb_init(b, "v", "float[4,5]");
    mb_node(b, "MatMul", "", "x,w", "h");
    mb_node(b, "Relu", "", "h", "r");
    mb_node(b, "MatMul", "", "r,v", "y");
    mb_node(b, "MatMul", "", "r,v", "z");
    struct fixture f = build(b, (const uint32_t[]){AB, A, A, C});

    expect_count(f.costs.macs[AB], "12*n");
    expect_count(f.costs.macs[A], "32*n");
    expect_count(f.costs.macs[C], "20*n");
    expect_count(f.costs.macs[ROOT], "52*n");
    expect_count(f.costs.module_macs[A], "32*n");
    // h and r: 4*n floats each, y and z: 5*n floats each
    expect_count(f.costs.activation_bytes[AB], "16*n");
    expect_count(f.costs.activation_bytes[ROOT], "72*n");
    release(&f);
}

static void add_loop(struct model_builder *b, const char *limit, const char *outputs) {
    mb_node(b, "Loop", "loop", limit, outputs);
    mb_open_body(b, "body", "body");
    mb_input(b, "i", "");
    mb_input(b, "c", "");
    mb_input(b, "h", "");
    mb_node(b, "MatMul", "", "h,w", "g");
    mb_output(b, "c", "");
    mb_output(b, "g", "");
    mb_close_body(b);
}

Test(cost, a_body_counts_as_often_as_it_runs) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_init(b, "w", "float[3,3]");
    mb_node(b, "Constant", "", "", "ten");
    mb_attr_int(b, "value_int", 10);
    add_loop(b, "ten,,x", "y");
    struct fixture f = build(b, (const uint32_t[]){ROOT, ROOT, A});
    expect_count(f.costs.macs[A], "180");
    expect_count(f.costs.macs[ROOT], "180");
    release(&f);

    b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_input(b, "limit", "int64[]");
    mb_init(b, "w", "float[3,3]");
    add_loop(b, "limit,,x", "y");
    f = build(b, (const uint32_t[]){ROOT, A});
    expect_count(f.costs.macs[ROOT], "?");
    release(&f);
}

static void add_branch(struct model_builder *b, const char *attribute, const char *weight) {
    char inputs[16] = "x,";
    memcpy(inputs + 2, weight, 2);
    mb_open_body(b, attribute, attribute);
    mb_node(b, "MatMul", "", inputs, attribute);
    mb_output(b, attribute, "");
    mb_close_body(b);
}

static void expect_if(const char *other, const char *total) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_input(b, "c", "bool[]");
    mb_init(b, "w", "float[3,3]");
    mb_init(b, "v", "float[3,5]");
    mb_node(b, "If", "if", "c", "y");
    add_branch(b, "then_branch", "w");
    add_branch(b, "else_branch", other);
    struct fixture f = build(b, (const uint32_t[]){ROOT, ROOT, ROOT});
    expect_count(f.costs.macs[ROOT], total);
    release(&f);
}

Test(cost, of_two_branches_one_runs) {
    expect_if("w", "18");
    expect_if("v", "?");
}

Test(cost, what_is_unknown_makes_the_total_unknown) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_node(b, "Frobnicate", "", "x", "h");
    mb_node(b, "Relu", "", "x", "y");
    struct fixture f = build(b, (const uint32_t[]){AB, C});
    expect_count(f.costs.macs[ROOT], "?");
    expect_count(f.costs.macs[C], "0");
    expect_count(f.costs.activation_bytes[ROOT], "?");
    expect_count(f.costs.activation_bytes[C], "24");
    release(&f);
}

// ---- what is a parameter

Test(cost, equal_vectors_count_each_and_equal_matrices_once) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,4]");
    mb_init(b, "a.weight", "float[4,4]");
    mb_init(b, "a.bias", "float[4]");
    mb_node(b, "Identity", "", "a.weight", "c.weight");
    mb_node(b, "Identity", "", "a.bias", "c.bias");
    mb_node(b, "Gemm", "", "x,a.weight,a.bias", "p");
    mb_node(b, "Gemm", "", "p,c.weight,c.bias", "y");
    struct fixture f = build(b, (const uint32_t[]){ROOT, ROOT, A, C});

    cr_expect_eq(f.costs.parameters[A], 20);
    cr_expect_eq(f.costs.parameters[C], 20);
    cr_expect_eq(f.costs.total_parameters, 24, "16 + 4 + 4");
    release(&f);
}

Test(cost, constants_count_where_an_operator_takes_a_weight) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,2]");
    mb_node(b, "Constant", "", "", "w");
    mb_attr_tensor(b, "value", "float[2,2]");
    mb_node(b, "Constant", "", "", "zeros");
    mb_attr_floats(b, "value_floats", "0,0");
    mb_node(b, "Constant", "", "", "two");
    mb_attr_floats(b, "value_floats", "2");
    mb_node(b, "Gemm", "", "x,w,zeros", "h");
    mb_node(b, "Mul", "", "h,w", "m");
    mb_node(b, "Add", "", "m,two", "y");
    struct fixture f = build(b, (const uint32_t[]){ROOT, ROOT, ROOT, A, C, C});

    cr_expect_eq(f.costs.parameters[A], 4, "a bias of zeros is a filler");
    cr_expect_eq(f.costs.parameters[C], 0, "a factor and a number are none");
    cr_expect_eq(f.costs.total_bytes, 16);
    release(&f);
}

Test(cost, a_weight_that_is_cut_up_counts_where_it_is_cut) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,3]");
    mb_init(b, "rnn.weight", "float[8,3]");
    mb_init(b, "other.weight", "float[8,3]");
    mb_node(b, "Shape", "", "x", "dims");
    mb_node(b, "Slice", "", "rnn.weight,dims,dims", "part");
    mb_node(b, "MatMul", "", "x,part", "y");
    struct fixture f = build(b, (const uint32_t[]){ROOT, A, C});

    cr_expect_eq(f.costs.parameters[A], 24);
    cr_expect_eq(f.costs.total_parameters, 24);
    release(&f);
}

Test(cost, running_statistics_are_buffers_whoever_reads_them) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,8]");
    mb_init(b, "bn.weight", "float[8]");
    mb_init(b, "bn.running_mean", "float[8]");
    mb_init(b, "bn.running_var", "float[8]");
    mb_node(b, "Norm", "", "x,bn.weight,bn.running_mean,bn.running_var", "y");
    struct fixture f = build(b, (const uint32_t[]){A});
    cr_expect_eq(f.costs.total_parameters, 8);
    release(&f);
}

Test(cost, masks_numbers_and_states_of_the_exporter_are_no_parameters) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,2,4,4]");
    mb_init(b, "onnx::Add_12", "float[1,2,4,4]");
    mb_init(b, "onnx::Mul_13", "float[1]");
    mb_init(b, "pos", "float[1,2,4,4]");
    mb_init(b, "scale.gamma", "float[1]");
    mb_init(b, "val_7", "float[1,4,4]");
    mb_node(b, "Add", "", "x,onnx::Add_12", "p");
    mb_node(b, "Mul", "", "p,onnx::Mul_13", "q");
    mb_node(b, "Add", "", "q,pos", "r");
    mb_node(b, "Mul", "", "r,scale.gamma", "s");
    mb_node(b, "LSTM", "", "s,,,,,val_7", "y");
    struct fixture f = build(b, (const uint32_t[]){A, A, AB, C, ROOT});

    cr_expect_eq(f.costs.parameters[AB], 32, "positions have a name of the model");
    cr_expect_eq(f.costs.parameters[C], 1, "a number with a module's name is trained");
    cr_expect_eq(f.costs.total_parameters, 33);
    release(&f);
}

// Whatever they are called, and one for each channel or position, too.
Test(cost, scales_and_tables_of_positions_are_no_parameters) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[1,8,4]");
    mb_init(b, "ln.weight_scale", "float[8]");
    mb_init(b, "ln.weight_zero_point", "int8[8]");
    mb_init(b, "attn.cos_cache", "float[100,2]");
    mb_init(b, "attn.sin_cache", "float[100,2]");
    mb_init(b, "attn.weight", "float[4,4]");
    mb_node(b, "QuantizeLinear", "", "x,ln.weight_scale,ln.weight_zero_point", "q");
    mb_node(b, "DequantizeLinear", "", "q,ln.weight_scale,ln.weight_zero_point", "d");
    mb_node(b, "RotaryEmbedding", "", "d,attn.cos_cache,attn.sin_cache", "r");
    mb_node(b, "MatMul", "", "r,attn.weight", "y");
    struct fixture f = build(b, (const uint32_t[]){A, A, AB, AB});

    cr_expect_eq(f.costs.total_parameters, 16);
    release(&f);
}
Test(cost, packed_weights_count_their_numbers) {
    struct model_builder *b = mb_new();
    mb_input(b, "x", "float[2,64]");
    mb_init(b, "q.weight", "uint8[128,2,16]");
    mb_init(b, "q.scales", "float[256]");
    mb_node(b, "MatMulNBits", "", "x,q.weight,q.scales", "y");
    mb_domain(b, "com.microsoft");
    mb_attr_int(b, "K", 64);
    mb_attr_int(b, "N", 128);
    mb_attr_int(b, "bits", 4);
    struct fixture f = build(b, (const uint32_t[]){A});

    cr_expect_eq(f.costs.total_parameters, 8192, "64 * 128");
    cr_expect_eq(f.costs.total_bytes, 4096);
    release(&f);
}

Test(cost, a_default_of_an_input_is_a_parameter) {
    struct model_builder *b = mb_new();
    mb_ir_version(b, 7);
    mb_input(b, "x", "float[2,4]");
    mb_input(b, "fc.weight", "float[4,5]");
    mb_init(b, "fc.weight", "float[4,5]");
    mb_node(b, "MatMul", "", "x,fc.weight", "y");
    struct fixture f = build(b, (const uint32_t[]){A});
    cr_expect_eq(f.costs.total_parameters, 20);
    release(&f);
}

// Published sizes of element types: float8 one byte, int4 half a byte, bfloat16 two.
Test(cost, bytes_follow_the_element_type) {
    static const struct {
        const char *type;
        uint64_t bytes;
    } cases[] = {
        {"float[6,5]", 120},   {"double[6,5]", 240},      {"float16[6,5]", 60},
        {"bfloat16[6,5]", 60}, {"float8e4m3fn[6,5]", 30}, {"float8e5m2[6,5]", 30},
        {"int4[5,5]", 13},     {"uint4[6,5]", 15},        {"int8[6,5]", 30},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct model_builder *b = mb_new();
        mb_init(b, "m.w", cases[i].type);
        mb_node(b, "A", "", "m.w", "y");
        struct fixture f = build(b, (const uint32_t[]){ROOT});
        cr_expect_eq(f.costs.total_bytes, cases[i].bytes, "%s", cases[i].type);
        release(&f);
    }
}
