#include "graph/options.h"

#include <criterion/criterion.h>

static int set(struct graph_options *o, const char *name, const char *value, struct error *err) {
    return graph_options_set(o, str_from(name), str_from(value), err);
}

static void expect_refused(const char *name, const char *value, const char *part) {
    struct graph_options o;
    struct error err;

    graph_options_init(&o);
    cr_assert_eq(set(&o, name, value, &err), ERR_USAGE, "%s=%s", name, value);
    cr_expect(str_contains(str_from(err.text), str_from(part)), "%s=%s: %s", name, value, err.text);
    graph_options_release(&o);
}

static void expect_canonical(const struct graph_options *o, const char *text) {
    struct buf b;

    buf_init(&b, 65536);
    graph_options_canonical(&b, o);
    cr_assert_eq(b.failed, 0);
    cr_expect(str_eq_z(buf_str(&b), text), "%.*s", STR_ARG(buf_str(&b)));
    buf_release(&b);
}

#define DEFAULTS                                                                          \
    "library=open&roll=none&fold=2&unfold=&expand_nested=1&hide_inner_tensors=1&"         \
    "hide_module_functions=1&hide_shape_ops=1&consts=inline&params=hide&show_shapes=1&"   \
    "edge_labels=none&names=both&attrs=0&costs=params&graph_dir=TB&strict=1&theme=light&" \
    "highlight=&legend=0&engine=onnxscope"

Test(options, defaults_are_those_of_the_table) {
    struct graph_options o;

    graph_options_init(&o);
    cr_expect_eq(o.depth, GRAPH_DEPTH_AUTO);
    cr_expect_eq(o.max_boxes, 60);
    cr_expect_null(o.expand);
    cr_expect_null(o.collapse);
    cr_expect_eq(o.fold, 2);
    cr_expect(o.expand_nested && o.hide_module_functions && o.hide_shape_ops && o.show_shapes &&
              o.strict);
    cr_expect_eq(o.names, GRAPH_NAMES_BOTH);
    cr_expect_eq(o.graph_dir, GRAPH_DIR_TB);
    cr_expect_eq(o.theme, GRAPH_THEME_LIGHT);
    cr_expect_eq(o.engine, GRAPH_ENGINE_ONNXSCOPE);
    cr_expect(o.hide_inner_tensors && !o.attrs && !o.legend);
    cr_expect_eq(o.library, GRAPH_LIBRARY_OPEN);
    cr_expect_eq(o.roll, GRAPH_ROLL_NONE);
    cr_expect_eq(o.consts, GRAPH_CONSTS_INLINE);
    cr_expect_eq(o.params, GRAPH_PARAMS_HIDE);
    cr_expect_eq(o.edge_labels, GRAPH_EDGE_LABELS_NONE);
    cr_expect_eq(o.costs, GRAPH_COST_LABELS_PARAMS);
    cr_expect_null(o.highlight);
    expect_canonical(&o, "depth=auto&max_boxes=60&expand=&collapse=&" DEFAULTS);
    graph_options_release(&o);
}

Test(options, every_row_sets_its_field) {
    static const char *const settings[][2] = {
        {"depth", "3"},          {"max_boxes", "7"},     {"expand", "b,a"},
        {"collapse", "c@1"},     {"expand_nested", "0"}, {"hide_module_functions", "0"},
        {"hide_shape_ops", "0"}, {"show_shapes", "0"},   {"strict", "0"},
        {"names", "path"},       {"graph_dir", "RL"},    {"theme", "dark"},
        {"library", "closed"},   {"roll", "full"},       {"hide_inner_tensors", "0"},
        {"consts", "node"},      {"params", "list"},     {"edge_labels", "dtype"},
        {"attrs", "1"},          {"costs", "all"},       {"highlight", "op:Conv"},
        {"legend", "1"},         {"fold", "4"},          {"unfold", "d.*"},
        {"engine", "dot"},
    };
    struct graph_options o;

    graph_options_init(&o);
    for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
        cr_assert_eq(set(&o, settings[i][0], settings[i][1], NULL), 0, "%s", settings[i][0]);
    }
    expect_canonical(
        &o, "depth=3&max_boxes=7&expand=a,b&collapse=c@1&library=closed&roll=full&"
            "fold=4&unfold=d.*&expand_nested=0&hide_inner_tensors=0&hide_module_functions=0&"
            "hide_shape_ops=0&consts=node&params=list&show_shapes=0&edge_labels=dtype&"
            "names=path&attrs=1&costs=all&graph_dir=RL&strict=0&theme=dark&"
            "highlight=op:Conv&legend=1&engine=dot");
    graph_options_release(&o);
}

Test(options, fold_1_is_fold_2) {
    struct graph_options o;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "fold", "0", NULL), 0);
    cr_expect_eq(o.fold, 0);
    cr_assert_eq(set(&o, "fold", "1", NULL), 0);
    cr_expect_eq(o.fold, 2);
    cr_expect_str_eq(graph_option_find(STR("fold"))->bare, "2");
    graph_options_release(&o);
}

Test(options, names_take_dashes) {
    struct graph_options o;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "graph-dir", "LR", NULL), 0);
    cr_expect_eq(o.graph_dir, GRAPH_DIR_LR);
    cr_expect_null(graph_option_find(STR("graph-di")));
    cr_expect_null(graph_option_find(STR("graph_dirs")));
    cr_expect_null(graph_option_find(STR("")));
    graph_options_release(&o);
}

Test(options, depth_takes_numbers_and_two_words) {
    struct graph_options o;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "depth", "inf", NULL), 0);
    cr_expect_eq(o.depth, GRAPH_DEPTH_INF);
    cr_assert_eq(set(&o, "depth", "0", NULL), 0);
    cr_expect_eq(o.depth, 0);
    cr_assert_eq(set(&o, "depth", "auto", NULL), 0);
    cr_expect_eq(o.depth, GRAPH_DEPTH_AUTO);
    graph_options_release(&o);
    expect_refused("depth", "-1", "0..n, inf, auto");
    expect_refused("depth", "4294967295", "0..n, inf, auto");
    expect_refused("depth", "", "depth");
}

Test(options, unknown_name_is_named_and_the_others_are_listed) {
    expect_refused("dept", "2", "'dept'");
    expect_refused("dept", "2", "did you mean 'depth'");
    expect_refused("graf-dir", "LR", "did you mean 'graph_dir'");
    expect_refused("zzz", "1", "depth, max_boxes, expand, collapse, library, roll, fold");
    expect_refused("a_name_that_is_far_too_long_to_be_compared", "1", "theme");
}

Test(options, far_names_get_no_suggestion) {
    struct graph_options o;
    struct error err;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "direction", "TB", &err), ERR_USAGE);
    cr_expect_not(str_contains(str_from(err.text), STR("did you mean")), "%s", err.text);
    graph_options_release(&o);
}

Test(options, roll_takes_digits_for_its_first_words) {
    struct graph_options o;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "roll", "1", NULL), 0);
    cr_expect_eq(o.roll, GRAPH_ROLL_TORCHVIEW);
    cr_assert_eq(set(&o, "roll", "0", NULL), 0);
    cr_expect_eq(o.roll, GRAPH_ROLL_NONE);
    graph_options_release(&o);
    expect_refused("roll", "2", "none, torchview, full");
    expect_refused("consts", "0", "hide, inline, node");
}

Test(options, bad_values_name_the_option_and_what_exists) {
    expect_refused("graph_dir", "up", "graph_dir: 'up' is none of: TB, LR, BT, RL");
    expect_refused("strict", "yes", "strict: 'yes' is none of: 0, 1");
    expect_refused("strict", "2", "0, 1");
    expect_refused("max_boxes", "0", "max_boxes");
    expect_refused("fold", "-1", "fold: '-1' is none of: 0, 1, or a count of at least 2");
    expect_refused("unfold", "a..b", "'a..b'");
    expect_refused("theme", "Light", "light, dark");
    expect_refused("expand", "a..b", "'a..b'");
    expect_refused("highlight", "Conv", "op:, path:, name:");
    expect_refused("highlight", "op:Conv,path:", "'path:'");
    expect_refused("highlight", "name:a%2", "'name:a%2'");
    expect_refused("highlight", "path:a..b", "'a..b'");
}

Test(options, text_out_of_a_request_is_cleaned_and_cut) {
    struct graph_options o;
    struct error err;
    char name[4096];

    memset(name, '\x1b', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    graph_options_init(&o);
    cr_assert_eq(set(&o, name, "1", &err), ERR_USAGE);
    cr_expect_eq(str_find(str_from(err.text), '\x1b'), STR_NPOS);
    cr_expect(str_contains(str_from(err.text), STR("theme")), "%s", err.text);
    graph_options_release(&o);
}

Test(options, a_refused_value_changes_nothing) {
    struct graph_options o;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "expand", "a", NULL), 0);
    cr_assert_eq(set(&o, "expand", "b..c", NULL), ERR_USAGE);
    cr_expect_str_eq(o.expand, "a");
    cr_assert_eq(set(&o, "expand", "", NULL), 0);
    cr_expect_null(o.expand);
    graph_options_release(&o);
}

Test(options, canonical_form_sorts_patterns_and_can_be_fed_back) {
    struct graph_options o, copy;

    graph_options_init(&o);
    cr_assert_eq(set(&o, "expand", "b, a%2Cx,b,class:nn.Conv2d@0", NULL), 0);
    cr_expect_str_eq(o.expand, "a%2Cx,b,class:nn.Conv2d@0", "one form for whoever reads it");
    expect_canonical(
        &o, "depth=auto&max_boxes=60&expand=a%252Cx,b,class:nn.Conv2d@0&collapse=&" DEFAULTS);
    cr_assert_eq(graph_options_copy(&copy, &o, NULL), 0);
    graph_options_release(&o);
    cr_expect_str_eq(copy.expand, "a%2Cx,b,class:nn.Conv2d@0");
    cr_assert_eq(set(&copy, "expand", "a%2Cx,b,class:nn.Conv2d@0", NULL), 0);
    expect_canonical(
        &copy, "depth=auto&max_boxes=60&expand=a%252Cx,b,class:nn.Conv2d@0&collapse=&" DEFAULTS);
    graph_options_release(&copy);
}

Test(options, every_row_documents_itself) {
    for (size_t i = 0; i < graph_option_count; i++) {
        const struct graph_option *row = &graph_option_table[i];

        cr_expect(row->help && *row->help && row->values && *row->values, "%s", row->name);
        cr_expect_eq(graph_option_find(str_from(row->name)), row);
        cr_expect_eq(row->type == GRAPH_OPTION_ENUM, row->words != NULL, "%s", row->name);
    }
}
