#include <criterion/criterion.h>

#include "tests/graph/scope_case.h"

static struct model_builder *begin(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1,4]");
    return b;
}

static const struct graph_module *module_of(const struct scope_case *s, const char *output) {
    uint32_t call = s->hierarchy.node_call[scope_case_node(s, output)];

    return &s->hierarchy.modules[s->hierarchy.calls[call].module];
}

Test(scope_metadata, reads_paths_and_classes) {
    struct model_builder *b = begin();
    struct scope_case s;

    scope_dynamo_node(b, "Gemm", "x", "y", "['', 'layers', 'layers.fc0', 'linear']",
                      "['m.MLP', 'torch.nn.Sequential', 'torch.nn.Linear', 'aten.linear']", NULL);
    scope_dynamo_node(b, "Relu", "y", "z", "['', 'relu']", "['m.MLP', 'aten.relu']", NULL);
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "layers@0 layers.fc0@0");
    scope_expect_place(&s, "z", "");
    scope_expect_source(&s, "z", GRAPH_SCOPE_METADATA);
    cr_expect(str_eq_z(module_of(&s, "y")->class_name, "torch.nn.Linear"));
    cr_expect(str_eq_z(s.hierarchy.modules[0].class_name, "m.MLP"));
    cr_expect_eq(s.hierarchy.modules[0].class_source, GRAPH_CLASS_METADATA);
    cr_expect_eq(s.hierarchy.sources[GRAPH_SCOPE_METADATA], 2);
    scope_case_release(&s);
}

Test(scope_metadata, containers_that_are_never_called_have_no_level) {
    struct model_builder *b = begin();
    struct scope_case s;

    scope_dynamo_node(b, "Softmax", "x", "y",
                      "['', 'transformer.h.0', 'transformer.h.0.attn', 's']",
                      "['G', 'B', 'A', 'aten.softmax']", NULL);
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "transformer.h.0@0 transformer.h.0.attn@0");
    cr_expect_eq(s.hierarchy.depth, 2);
    scope_case_release(&s);
}

Test(scope_metadata, relative_pieces_of_the_other_dialect_are_joined) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "MatMul", "n", "x", "y");
    mb_meta(b, "pkg.onnxscript.name_scopes", "['', 'transformer', 'h.0', 'attn', 'q_proj']");
    mb_meta(b, "pkg.onnxscript.class_hierarchy", "['M', 'T', 'B', 'A', 'Linear']");
    mb_node(b, "Add", "m", "y", "z");
    mb_meta(b, "pkg.onnxscript.name_scopes", "[]");
    mb_meta(b, "pkg.onnxscript.class_hierarchy", "[]");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y",
                       "transformer@0 transformer.h.0@0 transformer.h.0.attn@0 "
                       "transformer.h.0.attn.q_proj@0");
    cr_expect(str_eq_z(module_of(&s, "y")->class_name, "Linear"));
    scope_expect_source(&s, "z", GRAPH_SCOPE_NEIGHBOUR);
    scope_case_release(&s);
}

Test(scope_metadata, the_pseudo_root_and_a_single_element_say_nothing) {
    struct model_builder *b = begin();
    struct scope_case s;

    scope_dynamo_node(b, "Shape", "x", "s",
                      "['_empty_nn_module_stack_from_metadata_hook', 'sym_size_int_1']",
                      "['_empty', 'aten.sym_size']", NULL);
    scope_dynamo_node(b, "Relu", "x", "y", "['relu']", "['aten.relu']", NULL);
    scope_case_init(&s, b);
    scope_expect_place(&s, "s", "");
    cr_expect_eq(s.hierarchy.sources[GRAPH_SCOPE_METADATA], 0);
    cr_expect_eq(s.hierarchy.n_modules, 1);
    scope_case_release(&s);
}

Test(scope_metadata, namespace_serves_when_the_lists_are_missing) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_node(b, "Gemm", "n", "x", "y");
    mb_meta(b, "namespace", ": m.MLP/layers: Sequential/layers.fc0: Linear/linear: aten.linear");
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "layers@0 layers.fc0@0");
    cr_expect(str_eq_z(module_of(&s, "y")->class_name, "Linear"));
    cr_expect(str_eq_z(s.hierarchy.modules[0].class_name, "m.MLP"));
    scope_case_release(&s);
}

// Since torch 2.9 the exporter fuses Conv + BatchNorm and prints the BatchNorm's place.
Test(scope_metadata, a_fused_convolution_belongs_to_the_owner_of_its_weight) {
    struct model_builder *b = begin();
    struct scope_case s;

    mb_init(b, "layer1.0.conv1.weight", "float[4,4,3,3]");
    scope_dynamo_node(b, "Conv", "x,layer1.0.conv1.weight", "y",
                      "['', 'layer1', 'layer1.0', 'layer1.0.bn1', 'bn']",
                      "['R', 'S', 'B', 'torch.nn.modules.batchnorm.BatchNorm2d', 'aten.bn']", NULL);
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "layer1@0 layer1.0@0 layer1.0.conv1@0");
    cr_expect(str_eq_z(module_of(&s, "y")->class_name, "Conv2d"));
    scope_case_release(&s);
}

Test(scope_metadata, a_broken_list_is_no_evidence) {
    struct model_builder *b = begin();
    struct scope_case s;

    scope_dynamo_node(b, "Relu", "x", "y", "['', 'a', 'relu'", "['M', 'A', 'aten.relu']", NULL);
    scope_case_init(&s, b);
    scope_expect_source(&s, "y", GRAPH_SCOPE_NONE);
    cr_expect_eq(s.hierarchy.n_calls, 1);
    scope_case_release(&s);
}

Test(scope_metadata, names_with_escapes_survive) {
    struct model_builder *b = begin();
    struct scope_case s;

    scope_dynamo_node(b, "Relu", "x", "y", "['', 'q\\'uo\"te', 'back\\\\slash', 'r']",
                      "['M', 'A', 'B', 'aten.relu']", NULL);
    scope_dynamo_node(b, "Relu", "y", "z", "['', 'other', 'r2']", "['M', 'O', 'aten.relu']", NULL);
    scope_case_init(&s, b);
    scope_expect_place(&s, "y", "q'uo\"te@0 back\\slash@0");
    scope_expect_place(&s, "z", "other@0");
    scope_case_release(&s);
}
