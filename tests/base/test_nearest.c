#include "base/nearest.h"

#include <criterion/criterion.h>

static unsigned between(const char *a, const char *b) {
    return nearest_distance(str_from(a), str_from(b));
}

Test(nearest, counts_letters_to_change) {
    cr_expect_eq(between("depth", "depth"), 0);
    cr_expect_eq(between("dept", "depth"), 1);
    cr_expect_eq(between("depthh", "depth"), 1);
    cr_expect_eq(between("kitten", "sitting"), 3);
    cr_expect_eq(between("", "abc"), 3);
    cr_expect_eq(between("abc", ""), 3);
}

Test(nearest, dash_and_underscore_are_one) {
    cr_expect_eq(between("max-boxes", "max_boxes"), 0);
    cr_expect_eq(between("max_boxes", "max-boxes"), 0);
}

Test(nearest, long_names_are_like_nothing) {
    static const char longer[] = "a_name_that_is_longer_than_32_byt";

    cr_expect_gt(between(longer, longer), NEAREST_DISTANCE);
    cr_expect_eq(between(longer + 1, longer + 1), 0);
}
