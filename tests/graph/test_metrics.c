#include "graph/metrics.h"

#include <criterion/criterion.h>
#include <math.h>

static void assert_width(struct str text, double size, bool bold, double expected) {
    double got = graph_text_width(text, size, bold);

    cr_assert(fabs(got - expected) < 1e-9, "%.*s: %f, expected %f", STR_ARG(text), got, expected);
}

// Sums of the WX entries of Helvetica.afm and Helvetica-Bold.afm.
Test(metrics, adds_advance_widths_of_helvetica) {
    assert_width(STR("Conv"), 10, false, (722 + 556 + 556 + 500) / 100.0);
    assert_width(STR("Conv"), 10, true, (722 + 611 + 611 + 556) / 100.0);
    assert_width(STR("(1, 64)"), 8, false, (333 + 556 + 278 + 278 + 556 + 556 + 333) * 8 / 1000.0);
    assert_width(STR("@~"), 1000, false, 1015 + 584);
}

Test(metrics, knows_latin_1) {
    assert_width(STR("\xC3\xA9\xC3\x86\xC2\xB5"), 1000, false, 556 + 1000 + 556);
    assert_width(STR("\xC3\x97\xC3\xBF"), 1000, true, 584 + 556);
}

Test(metrics, is_zero_for_nothing) {
    assert_width(STR(""), 10, false, 0);
}

Test(metrics, gives_an_em_to_wide_characters) {
    assert_width(STR("\xE6\xBC\xA2\xED\x95\x9C\xEF\xBC\xA1"), 10, false, 30);
    assert_width(STR("\xF0\x9F\x98\x80"), 10, true, 10);
    assert_width(STR("\xE2\x86\x92"), 8, false, 8);
}

Test(metrics, gives_nothing_to_combining_marks) {
    assert_width(STR("e\xCC\x81\xE2\x83\x90"), 1000, false, 556);
}

Test(metrics, gives_other_characters_the_width_of_a_digit) {
    assert_width(STR("\xD0\x96\xCE\xB1\xC4\x81"), 1000, false, 3 * 556);
}

Test(metrics, counts_each_broken_sequence_as_one_replacement) {
    assert_width(STR("\xFF\xC3("), 1000, false, 1000 + 1000 + 333);
}
