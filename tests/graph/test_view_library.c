#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void teardown(void) {
    view_fixture_release(&f);
}

TestSuite(view_library, .fini = teardown);

static const struct fixture_call calls[] = {
    {"net", "torch.nn.modules.container.Sequential", 0, 0},
    {"net.attn", "torch.nn.modules.activation.MultiheadAttention", 1, 0},
    {"net.attn.proj", "torch.nn.modules.linear.Linear", 2, 0},
    {"net.own", "mine.Block", 1, 0},
    {"net.own.fc", "torch.nn.modules.linear.Linear", 4, 0},
    {"body", "torchvision.models.resnet.Bottleneck", 0, 0},
    {"body.conv", "torch.nn.modules.conv.Conv2d", 6, 0},
};

static void make(void) {
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "MatMul", "2:m", "x,x", "a");
    mb_node(b, "Gemm", "3:g", "a,a", "b");
    mb_node(b, "Gemm", "5:g", "b,b", "c");
    mb_node(b, "Relu", "4:r", "c", "d");
    mb_node(b, "Conv", "7:c", "d,d", "e");
    mb_node(b, "Relu", "6:r", "e", "y");
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, calls, ARRAY_LEN(calls));
    view_fixture_set(&f, "depth", "inf");
}

Test(view_library, modules_of_libraries_stay_shut_but_for_containers) {
    make();
    view_fixture_set(&f, "library", "closed");
    cr_expect_str_eq(view_fixture_draw(&f),
                     "x net.attn/net net.own.fc/net.own 4:r/net.own body =y | x>net.attn "
                     "net.attn>net.own.fc net.own.fc>4:r 4:r>body body>=y | net net.own/net");
    cr_expect_eq(f.view.warnings.n, 0);
}

Test(view_library, an_expanded_one_opens) {
    make();
    view_fixture_set(&f, "library", "closed");
    view_fixture_set(&f, "expand", "body");
    view_fixture_draw(&f);
    cr_expect(str_contains(buf_str(&f.text), STR("body.conv/body 6:r/body")));
}

// Library modules stay nodes where the operators of others are shown.
Test(view_library, holds_where_operators_are_shown) {
    make();
    view_fixture_set(&f, "library", "closed");
    view_fixture_set(&f, "hide_module_functions", "0");
    view_fixture_draw(&f);
    cr_expect(str_contains(buf_str(&f.text), STR("net.own.fc/net.own 4:r/net.own")));
}

Test(view_library, a_guessed_class_is_one_of_the_library) {
    static struct graph_module modules[ARRAY_LEN(calls) + 1];

    make();
    memcpy(modules, f.model.hierarchy.modules, f.model.hierarchy.n_modules * sizeof(modules[0]));
    modules[5].class_name = STR("Linear");
    modules[5].class_source = GRAPH_CLASS_INFERRED;
    f.model.hierarchy.modules = modules;
    view_fixture_set(&f, "library", "closed");
    view_fixture_set(&f, "hide_module_functions", "0");
    view_fixture_draw(&f);
    cr_expect(str_contains(buf_str(&f.text), STR("net.own.fc/net.own 4:r/net.own")));
}

Test(view_library, without_classes_nothing_is_shut_and_that_is_told) {
    static const struct fixture_call nameless[] = {{"a", "", 0, 0}, {"a.b", "", 1, 0}};
    struct model_builder *b = mb_new();

    mb_input(b, "x", "float[1]");
    mb_node(b, "Relu", "2:r", "x", "y");
    mb_output(b, "y", "float[1]");
    view_fixture_init(&f, b, nameless, ARRAY_LEN(nameless));
    view_fixture_set(&f, "depth", "inf");
    view_fixture_set(&f, "library", "closed");
    cr_expect_str_eq(view_fixture_draw(&f), "x a.b/a =y | x>a.b a.b>=y | a");
    cr_assert_eq(f.view.warnings.n, 1);
    cr_expect_str_eq(f.view.warnings.items[0].code, "library-unknown");
}
