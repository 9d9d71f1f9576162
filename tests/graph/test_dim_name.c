#include "graph/dim_name.h"

#include <criterion/criterion.h>

static bool is_generated(const char *name) {
    return graph_dim_is_generated(str_from(name));
}

Test(dim_name, names_that_programs_made_up) {
    cr_expect(is_generated("unk__0"));
    cr_expect(is_generated("unk__918"));
    cr_expect(is_generated("Gatheronnx::Shape_2233_dim_0"));
    cr_expect(is_generated("Concatboxes.55_dim_0"));
    cr_expect(is_generated("MyOp/MyOp_output_0_dim_0"));
    cr_expect(is_generated("x_dynamic_axes_1"));
    cr_expect(is_generated("Slice_123_o0__d1"));
    cr_expect(is_generated("None"));
    cr_expect(is_generated("?"));
}

Test(dim_name, within_a_formula) {
    cr_expect(is_generated("2*unk__0"));
    cr_expect(is_generated("batch + Gather1781_dim_0"));
    cr_expect(is_generated("floor(Convy_dim_3/2)"));
}

Test(dim_name, names_that_people_gave) {
    cr_expect_not(is_generated(""));
    cr_expect_not(is_generated("batch"));
    cr_expect_not(is_generated("N"));
    cr_expect_not(is_generated("s0"));
    cr_expect_not(is_generated("hidden_dim_0"));
    cr_expect_not(is_generated("my_unk__0"));
    cr_expect_not(is_generated("unk__"));
    cr_expect_not(is_generated("Dim_"));
    cr_expect_not(is_generated("past_sequence_len + sequence_len"));
    cr_expect_not(is_generated("floor((sequence + 64)/128) - 1"));
}
