#include <criterion/criterion.h>

#include "tests/graph/view_fixture.h"

static struct view_fixture f;

static void setup(void) {
    view_fixture_residual(&f);
}

static void teardown(void) {
    view_fixture_release(&f);
}

TestSuite(view_highlight, .init = setup, .fini = teardown);

// Indexes of the nodes that stand out.
static const char *lit(const char *depth, const char *list) {
    static char text[64];
    size_t n = 0;

    view_fixture_set(&f, "depth", depth);
    view_fixture_set(&f, "highlight", list);
    view_fixture_draw(&f);
    for (uint32_t i = 0; i < f.view.n_nodes && n < sizeof(text) - 1; i++) {
        if (f.view.nodes[i].highlight) {
            text[n++] = (char)('0' + i);
        }
    }
    text[n] = '\0';
    return text;
}

Test(view_highlight, operators_by_type_also_in_modules_without_children) {
    // x stem [ [conv relu add0] [conv relu add1] ] fc y
    cr_expect_str_eq(lit("inf", "op:Conv"), "125");
    cr_expect_str_eq(lit("inf", "op:Add"), "47");
    cr_expect_str_eq(lit("inf", "op:A*"), "47");
    cr_expect_str_eq(lit("2", "op:Conv"), "1");  // the blocks hold many
}

Test(view_highlight, modules_and_their_operators_by_path) {
    cr_expect_str_eq(lit("inf", "path:layer1.1.**"), "567");
    cr_expect_eq(f.view.clusters[0].highlight, false);
    cr_expect_eq(f.view.clusters[2].highlight, true);
    cr_expect_str_eq(lit("inf", "path:class:*Conv2d"), "125");
    cr_expect_str_eq(lit("2", "path:layer1.*"), "23");
}

Test(view_highlight, whatever_has_a_name_by_a_part_of_it) {
    cr_expect_str_eq(lit("inf", "name:ADD1"), "7");
    cr_expect_str_eq(lit("inf", "name:x"), "0");
    cr_expect_str_eq(lit("inf", "name:1.conv,op:Flatten"), "58");
}

Test(view_highlight, what_matches_nothing_is_told) {
    cr_expect_str_eq(lit("2", "op:Gemm"), "");
    cr_assert_eq(f.view.warnings.n, 1);
    cr_expect_str_eq(f.view.warnings.items[0].code, "pattern-unmatched");
    cr_expect_str_eq(f.view.warnings.items[0].where, "highlight");
}
