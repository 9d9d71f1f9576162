#include <criterion/criterion.h>
#include <stdio.h>

#include "base/json.h"
#include "graph/write_json.h"
#include "tests/graph/view_fixture.h"

static struct view_fixture f;
static struct buf text;

static struct json *parse(void) {
    struct json *doc;
    struct error err;

    view_fixture_draw(&f);
    buf_release(&text);
    buf_init(&text, 1 << 22);
    cr_assert_eq(graph_write_graph(&text, &f.view, &err), 0, "%s", err.text);
    cr_assert_eq(json_parse(&doc, buf_str(&text), &err), 0, "%s", err.text);
    return doc;
}

static void done(struct json *doc) {
    json_free(doc);
    buf_release(&text);
    view_fixture_release(&f);
}

static void expect_part(const char *part) {
    cr_expect(str_contains(buf_str(&text), str_from(part)), "%s is not in %.*s", part,
              STR_ARG(buf_str(&text)));
}

Test(write_graph, a_module_node_has_every_member) {
    struct json *doc;

    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "2");
    doc = parse();
    cr_expect(str_eq_z(json_str(json_get(doc, "schema")), "onnxscope/graph/1"));
    expect_part(
        "{\"id\":\"n2\",\"kind\":\"module\",\"label\":\"layer1.0: Block\",\"path\":\"layer1.0\","
        "\"class\":\"net.Block\",\"calls\":[0],\"op\":null,\"depth\":2,\"count\":1,"
        "\"cluster\":\"m0\",\"inputs\":[{\"dtype\":\"float\",\"shape\":[1,3,8,8]}],"
        "\"outputs\":[{\"dtype\":\"float\",\"shape\":[1,3,8,8]}],\"parameters\":9,\"macs\":576,"
        "\"members\":[\"layer1.0\"]}");
    done(doc);
}

Test(write_graph, inputs_operators_edges_and_boxes_have_every_member) {
    struct json *doc;

    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "3");
    doc = parse();
    expect_part("{\"id\":\"n0\",\"kind\":\"input\",\"label\":\"x\",\"path\":\"\",\"class\":null,"
                "\"calls\":[0],\"op\":null,\"depth\":0,\"count\":1,\"cluster\":null,\"inputs\":[],"
                "\"outputs\":[{\"dtype\":\"float\",\"shape\":[1,3,8,8]}],\"parameters\":null,"
                "\"macs\":null,\"members\":[]}");
    expect_part("\"kind\":\"operator\",\"label\":\"Add\",\"path\":\"layer1.0\",\"class\":null,"
                "\"calls\":[0],\"op\":\"Add\",\"domain\":\"\",\"name\":\"3:add0\",\"depth\":3");
    expect_part("{\"id\":\"e0\",\"from\":\"n0\",\"to\":\"n1\",\"count\":1,\"tensors\":[\"x\"]}");
    expect_part("{\"id\":\"m1\",\"label\":\"layer1.0: Block\",\"path\":\"layer1.0\",\"class\":"
                "\"net.Block\",\"calls\":[0],\"parent\":\"m0\",\"kind\":\"module\",\"depth\":2,"
                "\"count\":1,\"members\":[]}");
    cr_expect_eq(json_len(json_get(doc, "nodes")), f.view.n_nodes);
    cr_expect_eq(json_len(json_get(doc, "edges")), f.view.n_edges);
    cr_expect_eq(json_len(json_get(doc, "clusters")), 3);
    done(doc);
}

Test(write_graph, a_run_names_its_members) {
    struct json *doc;

    view_fixture_residual(&f);
    view_fixture_set(&f, "fold", "1");
    view_fixture_set(&f, "depth", "2");
    doc = parse();
    expect_part("{\"id\":\"n2\",\"kind\":\"fold\",\"label\":\"layer1.0 ... layer1.1: Block x 2\","
                "\"path\":\"layer1.0\",\"class\":\"net.Block\",\"calls\":[0],\"op\":null,"
                "\"depth\":2,\"count\":2,\"cluster\":\"m0\",");
    expect_part("\"parameters\":18,\"macs\":1152,\"members\":[\"layer1.0\",\"layer1.1\"]}");
    done(doc);
    view_fixture_residual(&f);
    view_fixture_set(&f, "fold", "1");
    view_fixture_set(&f, "depth", "3");
    doc = parse();
    expect_part(
        "{\"id\":\"m1\",\"label\":\"layer1.0 ... layer1.1: Block x 2\",\"path\":\"layer1.0\","
        "\"class\":\"net.Block\",\"calls\":[0],\"parent\":\"m0\",\"kind\":\"fold\","
        "\"depth\":2,\"count\":2,\"members\":[\"layer1.0\",\"layer1.1\"]}");
    done(doc);
}

Test(write_graph, options_are_resolved) {
    struct json *doc;

    view_fixture_residual(&f);
    view_fixture_set(&f, "max_boxes", "6");
    view_fixture_set(&f, "expand", "a\"b");
    doc = parse();
    expect_part(
        "\"options\":{\"depth\":2,\"max_boxes\":6,\"expand\":\"a\\\"b\",\"collapse\":\"\","
        "\"library\":\"open\",\"roll\":\"none\",\"fold\":0,\"unfold\":\"\",\"expand_nested\":1,"
        "\"hide_inner_tensors\":1,\"hide_module_functions\":1,\"hide_shape_ops\":1,"
        "\"consts\":\"inline\",\"params\":\"hide\",\"show_shapes\":1,"
        "\"edge_labels\":\"none\",\"names\":\"both\",\"attrs\":0,\"costs\":\"params\","
        "\"graph_dir\":\"TB\",\"strict\":1,\"theme\":\"light\",\"highlight\":\"\","
        "\"legend\":0,\"engine\":\"onnxscope\"}");
    done(doc);
    view_fixture_residual(&f);
    view_fixture_set(&f, "depth", "inf");
    doc = parse();
    expect_part("\"options\":{\"depth\":\"inf\",");
    done(doc);
}

Test(write_graph, warnings_of_model_and_view_are_one_list) {
    struct json *doc;

    view_fixture_residual(&f);
    warnings_add(&f.model.warnings, "first", "there", "of the model");
    view_fixture_set(&f, "expand", "nothing");
    doc = parse();
    expect_part("\"warnings\":[{\"code\":\"first\",\"message\":\"of the model\",\"where\":"
                "\"there\"},{\"code\":\"pattern-unmatched\",");
    cr_expect_eq(json_len(json_get(doc, "warnings")), 2);
    done(doc);
}

Test(write_graph, symbolic_and_unknown_dims_and_foreign_text) {
    struct model_builder *b = mb_new();
    struct json *doc;

    mb_input(b, "<x> \"1\"\x01", "float[batch,?,3]");
    mb_node(b, "Relu", "</script>", "<x> \"1\"\x01", "y");
    mb_domain(b, "my.ops");
    mb_output(b, "y", "float");
    view_fixture_init(&f, b, NULL, 0);
    doc = parse();
    expect_part("\"label\":\"\\u003cx\\u003e \\\"1\\\"\\u0001\"");
    expect_part("\"outputs\":[{\"dtype\":\"float\",\"shape\":[\"batch\",null,3]}]");
    expect_part("\"domain\":\"my.ops\",\"name\":\"\\u003c/script\\u003e\"");
    expect_part("{\"dtype\":\"float\",\"shape\":null}");
    done(doc);
}

Test(write_graph, a_body_is_a_branch_with_the_path_of_its_graph) {
    struct model_builder *b = mb_new();
    struct json *doc;

    mb_input(b, "k", "bool[]");
    mb_node(b, "If", "choose", "k", "y");
    mb_open_body(b, "then_branch", "g");
    mb_node(b, "Not", "n", "k", "t");
    mb_output(b, "t", "bool[]");
    mb_close_body(b);
    mb_output(b, "y", "bool[]");
    view_fixture_init(&f, b, NULL, 0);
    view_fixture_set(&f, "depth", "2");
    doc = parse();
    expect_part("\"clusters\":[{\"id\":\"m0\",\"label\":\"If then_branch\",\"path\":"
                "\"/choose/then_branch\",\"class\":null,\"calls\":[0],\"parent\":null,"
                "\"kind\":\"branch\",\"depth\":1,\"count\":1,\"members\":[]}]");
    done(doc);
}

Test(write_graph, a_full_buffer_is_an_error_that_names_its_limit) {
    struct error err;

    view_fixture_residual(&f);
    view_fixture_draw(&f);
    buf_init(&text, 100);
    cr_expect_eq(graph_write_graph(&text, &f.view, &err), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-output");
    buf_release(&text);
    view_fixture_release(&f);
}
