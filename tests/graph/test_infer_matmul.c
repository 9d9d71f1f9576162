#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_matmul, batches_broadcast) {
    infer_expect(infer_op("MatMul", "float[2,3]", "float[3,4]", NULL), "float (2, 4)", NULL);
    infer_expect(infer_op("MatMul", "float[8,1,2,3]", "float[5,3,4]", NULL), "float (8, 5, 2, 4)",
                 NULL);
    infer_expect(infer_op("MatMul", "float[b,s,768]", "float[768,n]", NULL), "float (b, s, n)",
                 NULL);
    infer_expect(infer_op("MatMul", "float[2,0]", "float[0,4]", NULL), "float (2, 4)", NULL);
}

Test(infer_matmul, a_vector_loses_its_dim) {
    infer_expect(infer_op("MatMul", "float[3]", "float[3]", NULL), "float ()", NULL);
    infer_expect(infer_op("MatMul", "float[3]", "float[2,3,4]", NULL), "float (2, 4)", NULL);
    infer_expect(infer_op("MatMul", "float[2,4,3]", "float[3]", NULL), "float (2, 4)", NULL);
}

Test(infer_matmul, inner_dims_that_differ_are_a_conflict) {
    struct infer_case c;
    infer_case_init(&c, infer_op("MatMul", "float[2,3]", "float[4,5]", NULL));
    infer_case_expect(&c, "y0", "float ?");
    cr_expect(infer_case_warned(&c, "shape-conflict"));
    infer_case_release(&c);
}

Test(infer_matmul, a_scalar_or_unknown_rank_makes_nothing_known) {
    infer_expect(infer_op("MatMul", "float[]", "float[3]", NULL), "float ?", NULL);
    infer_expect(infer_op("MatMul", "float", "float[3,4]", NULL), "float ?", NULL);
}

Test(infer_matmul, gemm_turns_its_operands) {
    struct model_builder *b = infer_op("Gemm", "float[3,n]", "float[4,3]", "float[4]", NULL);
    mb_attr_int(b, "transA", 1);
    mb_attr_int(b, "transB", 1);
    infer_expect(b, "float (n, 4)", NULL);
}

Test(infer_matmul, fused_products_turn_theirs) {
    struct model_builder *b =
        infer_op_of("com.microsoft", 1, "FusedMatMul", "float[2,3,5]", "float[2,4,5]", NULL);
    mb_attr_int(b, "transB", 1);
    infer_expect(b, "float (2, 3, 4)", NULL);
    // (3, 2, 5) is (2, 3, 5)
    b = infer_op_of("com.microsoft", 1, "FusedMatMul", "float[3,2,5]", "float[2,5,4]", NULL);
    mb_attr_int(b, "transBatchA", 1);
    infer_expect(b, "float (2, 3, 4)", NULL);
}

Test(infer_matmul, packed_weights_tell_by_attribute) {
    struct model_builder *b =
        infer_op_of("com.microsoft", 1, "MatMulNBits", "float16[b,s,64]", "uint8[96,2,16]", NULL);
    mb_attr_int(b, "K", 64);
    mb_attr_int(b, "N", 96);
    infer_expect(b, "float16 (b, s, 96)", NULL);
}

Test(infer_matmul, quantised) {
    infer_expect(infer_op("MatMulInteger", "uint8[2,3]", "int8[3,4]", NULL), "int32 (2, 4)", NULL);
    infer_expect(infer_op("QLinearMatMul", "int8[2,3]", "float[]", "int8[]", "int8[3,4]", "float[]",
                          "int8[]", "float[]", "int8[]", NULL),
                 "int8 (2, 4)", NULL);
}

static struct model_builder *einsum(const char *equation, const char *a, const char *b) {
    struct model_builder *m = infer_op("Einsum", a, b, NULL);
    mb_attr_str(m, "equation", equation);
    return m;
}

Test(infer_matmul, einsum_follows_its_letters) {
    infer_expect(einsum("bij,bjk->bik", "float[2,3,4]", "float[2,4,5]"), "float (2, 3, 5)", NULL);
    infer_expect(einsum("i,j->", "float[3]", "float[4]"), "float ()", NULL);
    infer_expect(einsum("...ij, ...jk -> ...ik", "float[7,1,3,4]", "float[6,4,5]"),
                 "float (7, 6, 3, 5)", NULL);
    infer_expect(einsum("ji,jk", "float[4,n]", "float[4,5]"), "float (n, 5)", NULL);
    infer_expect(einsum("ij,jk->ik", "float[2,3,4]", "float[4,5]"), "float ?", NULL);
    infer_expect(einsum("i,i->x", "float[3]", "float[3]"), "float ?", NULL);
}
