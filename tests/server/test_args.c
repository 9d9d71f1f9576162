#include "server/args.h"

#include <criterion/criterion.h>

static char *words[8];
static struct srv_args args;
static struct srv_arg arg;

// The words of one command line, separated by '|'.
static void begin(const char *line)
{
    static char text[256];
    struct str rest = str_from(line), word;

    args = (struct srv_args){0, words, 0, false};
    memcpy(text, line, strlen(line) + 1);
    while (str_next(&rest, '|', &word)) {
        words[args.argc] = text + (word.n ? (size_t)(word.p - line) : strlen(line));
        words[args.argc++][word.n] = '\0';
    }
}

static void expect(const char *name, const char *value, bool has_value)
{
    cr_assert(srv_args_next(&args, &arg));
    cr_expect(str_eq_z(arg.name, name), "%.*s", STR_ARG(arg.name));
    cr_expect(str_eq_z(arg.value, value) || (!has_value && arg.name.n), "%.*s", STR_ARG(arg.value));
    cr_expect_eq(arg.has_value, has_value);
}

Test(args, tells_options_from_operands)
{
    begin("--depth|model.onnx|-o|-|--fold=2|--x=");
    expect("depth", "", false);
    expect("", "model.onnx", false);
    expect("o", "", false);
    expect("", "-", false);
    expect("fold", "2", true);
    expect("x", "", true);
    cr_expect_not(srv_args_next(&args, &arg));
}

Test(args, keeps_what_follows_an_equals_sign_whole)
{
    begin("--expand=a=b,--c");
    expect("expand", "a=b,--c", true);
}

Test(args, takes_everything_behind_two_dashes_for_operands)
{
    begin("--|--depth|--|-o");
    expect("", "--depth", false);
    expect("", "--", false);
    expect("", "-o", false);
    cr_expect_not(srv_args_next(&args, &arg));
}

Test(args, gives_an_option_the_next_word)
{
    begin("--listen|a:1|--store=b|--last");
    cr_assert(srv_args_next(&args, &arg));
    cr_expect_eq(srv_args_value(&args, &arg, NULL), 0);
    cr_expect(str_eq_z(arg.value, "a:1"));
    cr_assert(srv_args_next(&args, &arg));
    cr_expect_eq(srv_args_value(&args, &arg, NULL), 0);
    cr_expect(str_eq_z(arg.value, "b"));
    cr_assert(srv_args_next(&args, &arg));
    struct error err;
    cr_expect_eq(srv_args_value(&args, &arg, &err), ERR_USAGE);
    cr_expect(strstr(err.text, "--last"), "%s", err.text);
}
