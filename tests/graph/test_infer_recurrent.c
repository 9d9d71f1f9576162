#include <criterion/criterion.h>

#include "tests/graph/infer_case.h"

Test(infer_recurrent, all_steps_and_the_last_ones) {
    struct model_builder *b =
        infer_op("LSTM", "float[seq,batch,10]", "float[2,80,10]", "float[2,80,20]", NULL);
    mb_attr_int(b, "hidden_size", 20);
    mb_attr_str(b, "direction", "bidirectional");
    infer_expect(b, "float (seq, 2, batch, 20)", "float (2, batch, 20)", "float (2, batch, 20)",
                 NULL);
}

Test(infer_recurrent, the_batch_may_come_first) {
    struct model_builder *b =
        infer_op("GRU", "float[4,7,10]", "float[1,60,10]", "float[1,60,20]", NULL);
    mb_attr_int(b, "layout", 1);
    infer_expect(b, "float (4, 7, 1, 20)", "float (4, 1, 20)", NULL);
}
