#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "server/cli.h"
#include "server/cli_flags.h"
#include "server/daemon.h"

void srv_cli_serve_help(FILE *out) {
    fputs(
        "\nEvery option is also an environment variable: --store-size is ONNXSCOPE_STORE_SIZE.\n\n",
        out);
    srv_cli_help_settings(out, false);
    srv_cli_help_row(out, "--check-config", "print the settings in force and end", NULL);
}

static void print_config(const struct srv_config *config) {
    size_t i;

    for (i = 0; i < srv_setting_count(); i++) {
        struct srv_setting s = srv_setting_at(i);
        struct buf value;

        buf_init(&value, 8192);
        srv_config_add_value(&value, config, &s);
        printf("%s=%.*s\n", s.name, STR_ARG(buf_str(&value)));
        buf_release(&value);
    }
}

static int take(struct srv_config *config, bool *check_only, struct srv_args *args,
                struct srv_arg *arg, struct error *err) {
    if (arg->name.n == 0) {
        return error_set(err, ERR_USAGE, "serve takes no operand, not \"%.*s\"",
                         STR_ARG(arg->value));
    }
    if (str_eq_z(arg->name, "check-config")) {
        *check_only = true;
        return srv_args_no_value(arg, err);
    }
    if (!srv_setting_find(arg->name, &(struct srv_setting){0})) {
        return srv_cli_unknown_flag("serve", arg->name, err);
    }
    return srv_args_value(args, arg, err) < 0 ? ERR_USAGE
                                              : srv_config_set(config, arg->name, arg->value, err);
}

static int parse(struct srv_config *config, bool *check_only, int argc, char **argv,
                 struct error *err) {
    struct srv_args args = {argc, argv, 1, false};
    struct srv_arg arg;
    int rc;

    if (srv_config_from_env(config, environ, err) < 0) {
        return ERR_USAGE;
    }
    while ((rc = srv_args_next(&args, &arg, err)) > 0) {
        if (take(config, check_only, &args, &arg, err) < 0) {
            return ERR_USAGE;
        }
    }
    return rc < 0 ? rc : srv_config_check(config, err);
}

int srv_cli_serve(int argc, char **argv) {
    struct srv_config config;
    struct error err = {0};
    bool check_only = false;
    int status = SRV_EXIT_DONE;

    if (srv_config_init(&config, &err) < 0 || parse(&config, &check_only, argc, argv, &err) < 0) {
        status = srv_cli_usage_error("serve", &err);
    } else if (check_only) {
        print_config(&config);
    } else if (srv_daemon_run(&config, &err) < 0) {
        fprintf(stderr, "onnxscope: %s\n", err.text);
        status = SRV_EXIT_INPUT;
    }
    srv_config_release(&config);
    return status;
}
