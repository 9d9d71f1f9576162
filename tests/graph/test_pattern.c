#include "graph/pattern.h"

#include <criterion/criterion.h>

#include "graph/options.h"

static unsigned weight(const char *list, const char *path, const char *class_name, uint32_t call) {
    struct graph_pattern_list patterns;
    struct error err;
    unsigned w;

    cr_assert_eq(graph_patterns_init(&patterns, str_from(list), &err), 0, "%s", err.text);
    w = graph_patterns_match(&patterns, str_from(path), str_from(class_name), call);
    graph_patterns_release(&patterns);
    return w;
}

static bool matches(const char *pattern, const char *path) {
    return weight(pattern, path, "", 0) > 0;
}

static bool matches_class(const char *pattern, const char *class_name) {
    return weight(pattern, "some.path", class_name, 0) > 0;
}

static void expect_refused(const char *list, const char *part) {
    struct graph_pattern_list patterns;
    struct error err;

    cr_assert_eq(graph_patterns_init(&patterns, str_from(list), &err), ERR_USAGE, "%s", list);
    cr_expect(str_contains(str_from(err.text), str_from(part)), "%s: %s", list, err.text);
    cr_expect_eq(patterns.n, 0);
}

Test(pattern, literal_path_matches_itself_only) {
    cr_expect(matches("layer1.0", "layer1.0"));
    cr_expect_not(matches("layer1.0", "layer1"));
    cr_expect_not(matches("layer1.0", "layer1.0.conv1"));
    cr_expect_not(matches("layer1.0", "layer1.00"));
    cr_expect_not(matches("layer1", ""));
}

Test(pattern, star_stays_within_an_atom) {
    cr_expect(matches("layers.*.attn", "layers.11.attn"));
    cr_expect_not(matches("layers.*.attn", "layers.1.x.attn"));
    cr_expect(matches("layer*", "layer1"));
    cr_expect(matches("layer*", "layer"));
    cr_expect(matches("*conv*", "myconv2d"));
    cr_expect(matches("a*b*c", "axbxbc"));
    cr_expect_not(matches("a*b*c", "axbxb"));
    cr_expect_not(matches("layer*", "layer1.0"));
    cr_expect_not(matches("*", ""));
}

Test(pattern, double_star_spans_atoms_and_none) {
    cr_expect(matches("**", "a.b.c"));
    cr_expect(matches("**", ""));
    cr_expect(matches("a.**", "a"));
    cr_expect(matches("a.**", "a.b.c"));
    cr_expect(matches("**.attn", "layers.0.attn"));
    cr_expect_not(matches("**.attn", "layers.0.attn.q"));
    cr_expect(matches("a.**.c.**.e", "a.c.b.c.d.e"));
    cr_expect_not(matches("a.**.c.**.e", "a.b.d.e"));
    cr_expect(matches("**.a.b", "a.a.a.b"));
}

Test(pattern, one_call_is_picked_by_its_number) {
    cr_expect_gt(weight("relu@1", "relu", "", 1), 0);
    cr_expect_eq(weight("relu@1", "relu", "", 0), 0);
    cr_expect_eq(weight("relu@1", "relu", "", 11), 0);
}

Test(pattern, class_matches_whole_name_last_part_or_everything_below) {
    cr_expect(matches_class("class:torch.nn.modules.conv.Conv2d", "torch.nn.modules.conv.Conv2d"));
    cr_expect(matches_class("class:Conv2d", "torch.nn.modules.conv.Conv2d"));
    cr_expect(matches_class("class:Conv*", "torch.nn.modules.conv.Conv2d"));
    cr_expect(matches_class("class:torch.nn.*", "torch.nn.modules.conv.Conv2d"));
    cr_expect_not(matches_class("class:torch.nn.*", "torchvision.ops.Conv"));
    cr_expect_not(matches_class("class:nn.Conv2d", "torch.nn.Conv2d"));
    cr_expect_not(matches_class("class:**", ""));
    cr_expect_eq(weight("class:some.path", "some.path", "", 0), 0);
    cr_expect_gt(weight("class:ReLU@2", "act", "torch.nn.ReLU", 2), 0);
    cr_expect_eq(weight("class:ReLU@2", "act", "torch.nn.ReLU", 0), 0);
}

Test(pattern, weight_is_one_more_than_the_literal_atoms) {
    cr_expect_eq(weight("**", "a.b", "", 0), 1);
    cr_expect_eq(weight("a.*", "a.b", "", 0), 2);
    cr_expect_eq(weight("a.b*", "a.b", "", 0), 2);
    cr_expect_eq(weight("a.b", "a.b", "", 0), 3);
    cr_expect_eq(weight("a.b@0", "a.b", "", 0), 4);
    cr_expect_eq(weight("**,a.b,a.*", "a.b", "", 0), 3);
    cr_expect_eq(weight("c,d", "a.b", "", 0), 0);
}

Test(pattern, escapes_stand_for_characters_with_a_meaning) {
    cr_expect(matches("a%2Cb", "a,b"));
    cr_expect(matches("a%40b", "a@b"));
    cr_expect(matches("a%2ab", "a*b"));
    cr_expect_not(matches("a%2ab", "axb"));
    cr_expect(matches("100%25", "100%"));
    cr_expect(matches("class%3Ax", "class:x"));
}

Test(pattern, spaces_around_a_pattern_do_not_count) {
    cr_expect(matches("a, b ,c", "b"));
    cr_expect(matches(" a b ", "a b"));
}

Test(pattern, empty_list_matches_nothing) {
    cr_expect_eq(weight("", "a", "", 0), 0);
}

Test(pattern, refuses_what_cannot_match_and_quotes_it) {
    expect_refused("a..b", "'a..b'");
    expect_refused("a.", "'a.'");
    expect_refused(".a", "'.a'");
    expect_refused("a,,b", "empty");
    expect_refused("a,", "empty");
    expect_refused("class:", "'class:'");
    expect_refused("a@", "'a@'");
    expect_refused("a@x", "'a@x'");
    expect_refused("a@99999999999", "call number");
    expect_refused("a%2", "'a%2'");
    expect_refused("a%zz", "'a%zz'");
    expect_refused("a%ff", "'a%ff'");
    expect_refused("a\xff", "'a");
}

Test(pattern, refuses_lists_past_their_limits) {
    char many[2 * GRAPH_PATTERNS_MAX + 2], longer[GRAPH_PATTERN_BYTES + 2];
    struct graph_pattern_list patterns;

    for (size_t i = 0; i < sizeof(many); i++) {
        many[i] = i % 2 ? ',' : 'a';
    }
    many[2 * GRAPH_PATTERNS_MAX - 1] = '\0';
    cr_assert_eq(graph_patterns_init(&patterns, str_from(many), NULL), 0);
    cr_expect_eq(patterns.n, GRAPH_PATTERNS_MAX);
    graph_patterns_release(&patterns);
    many[2 * GRAPH_PATTERNS_MAX - 1] = ',';
    many[2 * GRAPH_PATTERNS_MAX + 1] = '\0';
    expect_refused(many, "256");
    memset(longer, 'a', sizeof(longer));
    longer[GRAPH_PATTERN_BYTES + 1] = '\0';
    expect_refused(longer, "4096");
}

// Repeats `unit` as often as it fits into n - 2 bytes and ends with `last`.
static void repeat(char *out, size_t n, const char *unit, char last) {
    size_t unit_n = strlen(unit), at = 0;

    for (; at + unit_n <= n - 2; at += unit_n) {
        for (size_t i = 0; i < unit_n; i++) {
            out[at + i] = unit[i];
        }
    }
    out[at] = last;
    out[at + 1] = '\0';
}

// A backtracking matcher would need 2^n steps here.
Test(pattern, hostile_stars_take_no_exponential_time, .timeout = 5) {
    char list[GRAPH_PATTERN_BYTES], path[4001];

    repeat(list, sizeof(list), "*a", 'b');
    repeat(path, sizeof(path), "a", 'a');
    cr_expect_not(matches(list, path));
    repeat(list, sizeof(list), "**.a.", 'b');
    repeat(path, sizeof(path), "a.", 'a');
    cr_expect_not(matches(list, path));
}
