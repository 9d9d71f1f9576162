#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_move, squeeze_takes_ones_away) {
    infer_expect(infer_op("Squeeze", "float[1,3,1]", NULL), "float (3)", NULL);
    infer_expect(infer_op("Squeeze", "float[1,3,1]", "=-1", NULL), "float (1, 3)", NULL);
    infer_expect(infer_op("Squeeze", "float[1]", NULL), "float ()", NULL);
    infer_expect(infer_op("Squeeze", "float[n,1]", NULL), "float ?", NULL);
    infer_expect(infer_op("Squeeze", "float[n,1]", "=1", NULL), "float (n)", NULL);
    infer_expect(infer_op("Squeeze", "float[1,3]", "=7", NULL), "float ?", NULL);
}

Test(infer_move, unsqueeze_puts_ones_in) {
    infer_expect(infer_op("Unsqueeze", "float[3,4]", "=0,-1", NULL), "float (1, 3, 4, 1)", NULL);
    infer_expect(infer_op("Unsqueeze", "float[]", "=0", NULL), "float (1)", NULL);
    infer_expect(infer_op("Unsqueeze", "float[3]", "int64[1]", NULL), "float ?", NULL);
    struct model_builder *b = infer_op_of("", 11, "Unsqueeze", "float[3,4]", NULL);
    mb_attr_ints(b, "axes", "1");
    infer_expect(b, "float (3, 1, 4)", NULL);
}

Test(infer_move, transpose_permutes) {
    struct model_builder *b = infer_op("Transpose", "float[a,b,4]", NULL);
    mb_attr_ints(b, "perm", "1,2,0");
    infer_expect(b, "float (b, 4, a)", NULL);
    infer_expect(infer_op("Transpose", "float[2,3,4]", NULL), "float (4, 3, 2)", NULL);
    b = infer_op("Transpose", "float[2,3]", NULL);
    mb_attr_ints(b, "perm", "0,1,2");
    infer_expect(b, "float ?", NULL);
}

Test(infer_move, expand_broadcasts_to_its_target) {
    infer_expect(infer_op("Expand", "float[3,1]", "=2,1,6", NULL), "float (2, 3, 6)", NULL);
    infer_expect(infer_op("Expand", "float[3,1]", "=1", NULL), "float (3, 1)", NULL);
    infer_expect(infer_op("Expand", "float[3,1]", "int64[3]", NULL), "float (?, 3, ?)", NULL);
    infer_expect(infer_op("Expand", "float[3,1]", "int64", NULL), "float ?", NULL);
}

Test(infer_move, tile_repeats) {
    infer_expect(infer_op("Tile", "float[2,n,0]", "=3,2,5", NULL), "float (6, 2*n, 0)", NULL);
    infer_expect(infer_op("Tile", "float[2,3]", "int64[2]", NULL), "float (?, ?)", NULL);
}

Test(infer_move, pad_adds_at_both_ends) {
    infer_expect(infer_op("Pad", "float[1,n]", "=0,1,2,3", NULL), "float (3, n + 4)", NULL);
    infer_expect(infer_op("Pad", "float[5]", "=-1,-1", NULL), "float (3)", NULL);
    infer_expect(infer_op("Pad", "float[2,3,4]", "=1,1", "", "=-1", NULL), "float (2, 3, 6)", NULL);
    infer_expect(infer_op("Pad", "float[2,3]", "int64[4]", NULL), "float (?, ?)", NULL);
    struct model_builder *b = infer_op_of("", 9, "Pad", "float[2,3]", NULL);
    mb_attr_ints(b, "pads", "0,1,0,1");
    infer_expect(b, "float (2, 5)", NULL);
}

Test(infer_move, concat_adds_along_its_axis) {
    struct model_builder *b = infer_op("Concat", "float[2,3]", "float[?,n]", NULL);
    mb_attr_int(b, "axis", 1);
    infer_expect(b, "float (2, n + 3)", NULL);
    b = infer_op("Concat", "float[2,3]", "float[2,0]", NULL);
    mb_attr_int(b, "axis", -1);
    infer_expect(b, "float (2, 3)", NULL);
    b = infer_op("Concat", "float[2,3]", "float", NULL);
    mb_attr_int(b, "axis", 0);
    infer_expect(b, "float (?, 3)", NULL);
}

Test(infer_move, what_cannot_be_joined_is_a_conflict) {
    struct infer_case c;
    struct model_builder *b = infer_op("Concat", "float[2,3]", "float[4,3]", NULL);
    mb_attr_int(b, "axis", 1);
    infer_case_init(&c, b);
    infer_case_expect(&c, "y0", "float ?");
    cr_expect(infer_case_warned(&c, "shape-conflict"));
    infer_case_release(&c);
}

Test(infer_move, split_by_list_or_evenly) {
    struct model_builder *b = infer_op("Split", "float[2,10]", "=4,5,1,0", NULL);
    mb_attr_int(b, "axis", -1);
    infer_expect(b, "float (2, 4)", "float (2, 5)", "float (2, 1)", "float (2, 0)", NULL);
    b = infer_op("Split", "float[10,2]", NULL);
    infer_expect(b, "float (3, 2)", "float (3, 2)", "float (3, 2)", "float (1, 2)", NULL);
    b = infer_op("Split", "float[n,2]", NULL);
    infer_expect(b, "float (n/4, 2)", NULL);
    b = infer_op_of("", 11, "Split", "float[6,2]", NULL);
    mb_attr_ints(b, "split", "1,2,3");
    infer_expect(b, "float (1, 2)", "float (2, 2)", "float (3, 2)", "float (?, 2)", NULL);
}

Test(infer_move, blocks_move_between_depth_and_space) {
    struct model_builder *b = infer_op("DepthToSpace", "float[1,12,h,3]", NULL);
    mb_attr_int(b, "blocksize", 2);
    infer_expect(b, "float (1, 3, 2*h, 6)", NULL);
    b = infer_op("SpaceToDepth", "float[1,3,4,6]", NULL);
    mb_attr_int(b, "blocksize", 2);
    infer_expect(b, "float (1, 12, 2, 3)", NULL);
    infer_expect(infer_op("SpaceToDepth", "float[1,3,4,6]", NULL), "float ?", NULL);
}

Test(infer_move, reshape_leaves_one_dim_open) {
    infer_expect(infer_op("Reshape", "float[2,3,4]", "=4,-1", NULL), "float (4, 6)", NULL);
    infer_expect(infer_op("Reshape", "float[2,3,4]", "=0,-1", NULL), "float (2, 12)", NULL);
    infer_expect(infer_op("Reshape", "float[batch,seq,768]", "=0,-1,12,64", NULL),
                 "float (batch, seq, 12, 64)", NULL);
    infer_expect(infer_op("Reshape", "float[batch,seq,4]", "=-1,4", NULL), "float (batch*seq, 4)",
                 NULL);
    infer_expect(infer_op("Reshape", "float[n]", "=-1,4", NULL), "float (n/4, 4)", NULL);
    infer_expect(infer_op("Reshape", "float[2,?]", "=2,-1", NULL), "float (2, ?)", NULL);
    infer_expect(infer_op("Reshape", "float[7]", "=2,-1", NULL), "float (2, ?)", NULL);
}

Test(infer_move, reshape_of_nothing_and_of_one) {
    infer_expect(infer_op("Reshape", "float[0,3]", "=3,-1", NULL), "float (3, 0)", NULL);
    infer_expect(infer_op("Reshape", "float[1]", "=", NULL), "float ()", NULL);
    struct model_builder *b = infer_op("Reshape", "float[0,3]", "=3,0", NULL);
    mb_attr_int(b, "allowzero", 1);
    infer_expect(b, "float (3, 0)", NULL);
}

Test(infer_move, reshape_to_an_unknown_target_knows_the_rank) {
    infer_expect(infer_op("Reshape", "float[2,3]", "int64[3]", NULL), "float (?, ?, ?)", NULL);
    infer_expect(infer_op("Reshape", "float[2,3]", "int64[?]", NULL), "float ?", NULL);
}

Test(infer_move, elements_that_get_lost_are_a_conflict) {
    struct infer_case c;
    infer_case_init(&c, infer_op("Reshape", "float[2,3]", "=5", NULL));
    infer_case_expect(&c, "y0", "float (5)");
    cr_expect(infer_case_warned(&c, "shape-conflict"));
    infer_case_release(&c);
}

Test(infer_move, flatten_multiplies) {
    infer_expect(infer_op("Flatten", "float[n,2,3]", NULL), "float (n, 6)", NULL);
    struct model_builder *b = infer_op("Flatten", "float[2,3,4]", NULL);
    mb_attr_int(b, "axis", -1);
    infer_expect(b, "float (6, 4)", NULL);
    b = infer_op("Flatten", "float[]", NULL);
    mb_attr_int(b, "axis", 0);
    infer_expect(b, "float (1, 1)", NULL);
}

Test(infer_move, a_product_beyond_64_bits_is_cut_with_a_warning) {
    struct infer_case c;
    struct model_builder *b = infer_op("Flatten", "float[4294967296,4294967296]", NULL);
    mb_attr_int(b, "axis", 0);
    infer_case_init(&c, b);
    infer_case_expect(&c, "y0", "float (1, 9223372036854775807)");
    cr_expect(infer_case_warned(&c, "overflow"));
    infer_case_release(&c);
}

Test(infer_move, center_crop_names_its_sizes) {
    struct model_builder *b = infer_op("CenterCropPad", "float[8,9,3]", "=4,5", NULL);
    mb_attr_ints(b, "axes", "0,1");
    infer_expect(b, "float (4, 5, 3)", NULL);
}
