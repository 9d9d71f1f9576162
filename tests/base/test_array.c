#include "base/array.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/base/refuse_memory.h"

struct point {
    int x, y;
};

Test(array, grows_one_by_one_and_keeps_its_content) {
    struct point *points = NULL;
    size_t cap = 0;

    for (int i = 0; i < 1000; i++) {
        size_t n = (size_t)i;

        cr_assert_eq(array_grow(&points, &cap, n + 1, sizeof(*points), 1000, "points", NULL), 0);
        cr_assert(points[n].x == 0 && points[n].y == 0);
        points[n] = (struct point){i, -i};
    }
    for (int i = 0; i < 1000; i++) {
        cr_assert(points[i].x == i && points[i].y == -i);
    }
    cr_expect_eq(cap, 1000);
    free(points);
}

Test(array, past_the_maximum_names_what_and_leaves_all_as_it_was) {
    struct point *points = NULL, *before;
    struct error err;
    size_t cap = 0;

    cr_assert_eq(array_grow(&points, &cap, 3, sizeof(*points), 3, "points", &err), 0);
    cr_expect_eq(cap, 3);
    before = points;
    cr_assert_eq(array_grow(&points, &cap, 4, sizeof(*points), 3, "points", &err), ERR_LIMIT);
    cr_expect_str_eq(err.text, "there are more than 3 points");
    cr_expect(points == before && cap == 3);
    free(points);
}

Test(array, enough_room_is_left_alone) {
    struct point *points = NULL, *before;
    size_t cap = 0;

    cr_assert_eq(array_grow(&points, &cap, 5, sizeof(*points), 100, "points", NULL), 0);
    cr_assert(cap >= 5);
    before = points;
    cr_expect_eq(array_grow(&points, &cap, cap, sizeof(*points), 100, "points", NULL), 0);
    cr_expect(points == before);
    free(points);
}

Test(array, growth_is_geometric) {
    char *bytes = NULL;
    size_t cap = 0, moves = 0, before;

    for (size_t n = 1; n <= 100000; n++) {
        before = cap;
        cr_assert_eq(array_grow(&bytes, &cap, n, 1, SIZE_MAX, "bytes", NULL), 0);
        moves += cap != before;
    }
    cr_expect(moves < 20, "%zu moves", moves);
    free(bytes);
}

Test(array, a_product_that_overflows_is_out_of_memory) {
    struct point *points = NULL;
    struct error err;
    size_t cap = 0;
    int rc = array_grow(&points, &cap, SIZE_MAX / 4, sizeof(*points), SIZE_MAX, "points", &err);

    cr_assert_eq(rc, ERR_NOMEM);
    cr_expect(points == NULL && cap == 0);
}

Test(array, refused_memory_leaves_all_as_it_was) {
    struct point *points = NULL;
    size_t cap = 0, before;
    struct error err;
    int rc;

    cr_assert_eq(array_grow(&points, &cap, 1, sizeof(*points), 1000, "points", &err), 0);
    points[0].x = 7;
    before = cap;
    refuse_memory = true;
    rc = array_grow(&points, &cap, 100, sizeof(*points), 1000, "points", &err);
    refuse_memory = false;
    cr_assert_eq(rc, ERR_NOMEM);
    cr_expect_str_eq(err.text, "no memory left for 100 points");
    cr_expect_eq(cap, before);
    cr_expect_eq(points[0].x, 7);
    free(points);
}
