#include "server/args.h"

static int one_dash(struct str word, struct error *err) {
    return error_set(err, ERR_USAGE, "names of more than one letter take two dashes: -%.*s",
                     STR_ARG(word));
}

static void take_option(struct srv_arg *arg, struct str text) {
    size_t eq = str_find(text, '=');

    arg->name = str_sub(text, 0, eq);
    arg->has_value = eq != STR_NPOS;
    arg->value = arg->has_value ? str_skip(text, eq + 1) : (struct str){0};
}

int srv_args_next(struct srv_args *args, struct srv_arg *arg, struct error *err) {
    struct str word;

    if (args->next < args->argc && !args->operands_only &&
        str_eq_z(str_from(args->argv[args->next]), "--")) {
        args->operands_only = true;
        args->next++;
    }
    if (args->next >= args->argc) {
        return 0;
    }
    word = str_from(args->argv[args->next++]);
    *arg = (struct srv_arg){.value = word};
    if (args->operands_only || word.n < 2 || word.p[0] != '-') {
        return 1;
    }
    take_option(arg, str_skip(word, word.p[1] == '-' ? 2 : 1));
    return word.p[1] != '-' && arg->name.n > 1 ? one_dash(word, err) : 1;
}

int srv_args_value(struct srv_args *args, struct srv_arg *arg, struct error *err) {
    if (arg->has_value) {
        return 0;
    }
    if (args->next >= args->argc) {
        return error_set(err, ERR_USAGE, "--%.*s needs a value", STR_ARG(arg->name));
    }
    arg->value = str_from(args->argv[args->next++]);
    arg->has_value = true;
    return 0;
}

int srv_args_no_value(const struct srv_arg *arg, struct error *err) {
    if (!arg->has_value) {
        return 0;
    }
    return error_set(err, ERR_USAGE, "--%.*s takes no value", STR_ARG(arg->name));
}
