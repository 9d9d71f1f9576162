#include "server/args.h"

bool srv_args_next(struct srv_args *args, struct srv_arg *arg)
{
    struct str word;
    size_t eq;

    if (args->next >= args->argc) {
        return false;
    }
    word = str_from(args->argv[args->next++]);
    if (!args->operands_only && str_eq_z(word, "--")) {
        args->operands_only = true;
        return srv_args_next(args, arg);
    }
    *arg = (struct srv_arg){.value = word};
    if (args->operands_only || word.n < 2 || word.p[0] != '-') {
        return true;
    }
    arg->name = str_skip(word, word.p[1] == '-' ? 2 : 1);
    eq = str_find(arg->name, '=');
    arg->has_value = eq != STR_NPOS;
    arg->value = arg->has_value ? str_skip(arg->name, eq + 1) : (struct str){0};
    arg->name = arg->has_value ? str_sub(arg->name, 0, eq) : arg->name;
    return true;
}

int srv_args_value(struct srv_args *args, struct srv_arg *arg, struct error *err)
{
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
