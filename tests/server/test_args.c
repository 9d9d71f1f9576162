#include "server/args.h"

#include <criterion/criterion.h>

static char *words[8];
static struct srv_args args;
static struct srv_arg arg;

// The words of one command line, separated by '|'.
static void begin(const char *line) {
    static char text[256];
    struct str rest = str_from(line), word;

    args = (struct srv_args){0, words, 0, false};
    memcpy(text, line, strlen(line) + 1);
    while (str_next(&rest, '|', &word)) {
        words[args.argc] = text + (word.n ? (size_t)(word.p - line) : strlen(line));
        words[args.argc++][word.n] = '\0';
    }
}

static void expect(const char *name, const char *value, bool has_value) {
    cr_assert_eq(srv_args_next(&args, &arg, NULL), 1);
    cr_expect(str_eq_z(arg.name, name), "%.*s", STR_ARG(arg.name));
    cr_expect(str_eq_z(arg.value, value) || (!has_value && arg.name.n), "%.*s", STR_ARG(arg.value));
    cr_expect_eq(arg.has_value, has_value);
}

Test(args, tells_options_from_operands) {
    begin("--depth|model.onnx|-o|-|--fold=2|--x=");
    expect("depth", "", false);
    expect("", "model.onnx", false);
    expect("o", "", false);
    expect("", "-", false);
    expect("fold", "2", true);
    expect("x", "", true);
    cr_expect_eq(srv_args_next(&args, &arg, NULL), 0);
}

Test(args, keeps_what_follows_an_equals_sign_whole) {
    begin("--expand=a=b,--c");
    expect("expand", "a=b,--c", true);
}

Test(args, takes_everything_behind_two_dashes_for_operands) {
    begin("--|--depth|--|-o");
    expect("", "--depth", false);
    expect("", "--", false);
    expect("", "-o", false);
    cr_expect_eq(srv_args_next(&args, &arg, NULL), 0);
}

Test(args, gives_an_option_the_next_word) {
    begin("--listen|a:1|--store=b|--last");
    cr_assert_eq(srv_args_next(&args, &arg, NULL), 1);
    cr_expect_eq(srv_args_value(&args, &arg, NULL), 0);
    cr_expect(str_eq_z(arg.value, "a:1"));
    cr_assert_eq(srv_args_next(&args, &arg, NULL), 1);
    cr_expect_eq(srv_args_value(&args, &arg, NULL), 0);
    cr_expect(str_eq_z(arg.value, "b"));
    cr_assert_eq(srv_args_next(&args, &arg, NULL), 1);
    struct error err;
    cr_expect_eq(srv_args_value(&args, &arg, &err), ERR_USAGE);
    cr_expect(strstr(err.text, "--last"), "%s", err.text);
}

Test(args, refuses_long_names_behind_one_dash) {
    struct error err;

    begin("-o|-depth|-format=svg");
    expect("o", "", false);
    cr_expect_eq(srv_args_next(&args, &arg, &err), ERR_USAGE);
    cr_expect(strstr(err.text, "--depth"), "%s", err.text);
    cr_expect_eq(srv_args_next(&args, &arg, &err), ERR_USAGE);
    begin("--|-depth");
    expect("", "-depth", false);
}

Test(args, refuses_values_where_none_is_taken) {
    struct error err;

    begin("--timings|--timings=0");
    expect("timings", "", false);
    cr_expect_eq(srv_args_no_value(&arg, &err), 0);
    expect("timings", "0", true);
    cr_expect_eq(srv_args_no_value(&arg, &err), ERR_USAGE);
    cr_expect_str_eq(err.text, "--timings takes no value");
}
