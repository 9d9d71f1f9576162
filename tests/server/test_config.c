#include "server/config.h"

#include <criterion/criterion.h>

#include "base/attr.h"

static struct srv_config config;
static struct error err;

static void begin(void) {
    cr_assert_eq(srv_config_init(&config, &err), 0);
}

static void end(void) {
    srv_config_release(&config);
}

TestSuite(config, .init = begin, .fini = end);

static int set(const char *name, const char *value) {
    return srv_config_set(&config, str_from(name), str_from(value), &err);
}

static int environment(const char *const *variables) {
    return srv_config_from_env(&config, (char *const *)(uintptr_t)variables, &err);
}

Test(config, has_defaults_that_fit_together) {
    cr_expect_str_eq(config.listen, "127.0.0.1:8080");
    cr_expect_str_eq(config.store, "memory");
    cr_expect_eq(config.deadline_ms, 20000);
    cr_expect_eq(config.limits.onnx.max_model, (uint64_t)16 << 30);
    cr_expect_eq(config.limits.onnx.max_skeleton, (uint64_t)256 << 20);
    cr_expect_eq(srv_config_check(&config, &err), 0);
}

Test(config, takes_units) {
    cr_expect_eq(set("store-size", "64MiB"), 0);
    cr_expect_eq(config.store_size, (uint64_t)64 << 20);
    cr_expect_eq(set("deadline", "250ms"), 0);
    cr_expect_eq(config.deadline_ms, 250);
    cr_expect_eq(set("deadline", "2m"), 0);
    cr_expect_eq(config.deadline_ms, 120000);
    cr_expect_eq(set("max_skeleton", "1g"), 0);
    cr_expect_eq(config.limits.onnx.max_skeleton, (uint64_t)1 << 30);
    cr_expect_eq(set("max-drawn", "500"), 0);
    cr_expect_eq(config.limits.view.max_drawn, 500);
}

Test(config, names_what_it_refuses) {
    static const struct {
        const char *name, *value, *has;
    } table[] = {
        {"no-such", "1", "no-such"},
        {"workers", "many", "whole number"},
        {"workers", "-1", "workers"},
        {"workers", "257", "0 to 256"},
        {"deadline", "1", "10ms"},
        {"deadline", "soon", "duration"},
        {"store-size", "big", "size"},
        {"queue", "0", "queue"},
        {"threads", "", "threads"},
        {"max-drawn", "4294967296", "max-drawn"},
        {"max-model", "18446744073709551616", "max-model"},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        cr_expect_eq(set(table[i].name, table[i].value), ERR_USAGE, "%s", table[i].name);
        cr_expect(strstr(err.text, table[i].has), "%s: %s", table[i].name, err.text);
    }
}

Test(config, replaces_text_and_collects_lists) {
    cr_expect_eq(set("listen", "[::1]:1"), 0);
    cr_expect_eq(set("listen", "[::1]:2"), 0);
    cr_expect_str_eq(config.listen, "[::1]:2");
    cr_expect_eq(set("host-name", "a.example"), 0);
    cr_expect_eq(set("host-name", "b.example,c.example"), 0);
    cr_expect_str_eq(config.host_name, "a.example,b.example,c.example");
}

Test(config, bounds_the_length_of_a_list) {
    char name[1000];
    int i, rc = 0;

    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    for (i = 0; i < 10 && rc == 0; i++) {
        rc = set("host-name", name);
    }
    cr_expect_eq(rc, ERR_USAGE);
    cr_expect_eq(i, 5);
}

Test(config, reads_its_part_of_the_environment) {
    static const char *const variables[] = {"PATH=/bin",
                                            "ONNXSCOPE_STORE_SIZE=2GiB",
                                            "ONNXSCOPE_LISTEN=0.0.0.0:80",
                                            "ONNXSCOPEX=1",
                                            "ONNXSCOPE",
                                            NULL};

    cr_expect_eq(environment(variables), 0);
    cr_expect_eq(config.store_size, (uint64_t)2 << 30);
    cr_expect_str_eq(config.listen, "0.0.0.0:80");
}

Test(config, refuses_variables_that_it_does_not_know) {
    static const char *const unknown[] = {"ONNXSCOPE_STORESIZE=2GiB", NULL};
    static const char *const bad[] = {"ONNXSCOPE_WORKERS=x", NULL};

    cr_expect_eq(environment(unknown), ERR_USAGE);
    cr_expect(strstr(err.text, "ONNXSCOPE_STORESIZE"), "%s", err.text);
    cr_expect_eq(environment(bad), ERR_USAGE);
    cr_expect(strstr(err.text, "ONNXSCOPE_WORKERS"), "%s", err.text);
}

Test(config, checks_what_has_to_fit_together) {
    static const struct {
        const char *name, *value;
    } table[] = {
        {"listen", "8080"}, {"listen", "::1:8080"}, {"listen", "a:65536"}, {"listen", "a:"},
        {"store", "dir:"},  {"store", "sql"},       {"log-level", "loud"}, {"store", ""},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        struct srv_config one;

        cr_assert_eq(srv_config_init(&one, NULL), 0);
        cr_assert_eq(srv_config_set(&one, str_from(table[i].name), str_from(table[i].value), NULL),
                     0);
        cr_expect_eq(srv_config_check(&one, &err), ERR_USAGE, "%s=%s", table[i].name,
                     table[i].value);
        srv_config_release(&one);
    }
}

Test(config, shows_every_value_in_a_form_that_it_takes) {
    size_t i;

    for (i = 0; i < srv_setting_count(); i++) {
        struct srv_setting s = srv_setting_at(i);
        struct buf before, after;

        buf_init(&before, 8192);
        buf_init(&after, 8192);
        srv_config_add_value(&before, &config, &s);
        if (s.type != SRV_SETTING_LIST) {
            cr_expect_eq(srv_config_set(&config, str_from(s.name), buf_str(&before), &err), 0,
                         "%s=%.*s: %s", s.name, STR_ARG(buf_str(&before)), err.text);
        }
        srv_config_add_value(&after, &config, &s);
        cr_expect(str_eq(buf_str(&before), buf_str(&after)), "%s", s.name);
        buf_release(&before);
        buf_release(&after);
    }
}

Test(config, has_a_line_of_help_and_one_name_for_each) {
    size_t i, k;

    for (i = 0; i < srv_setting_count(); i++) {
        struct srv_setting s = srv_setting_at(i);

        cr_expect(s.help && *s.help, "%s", s.name);
        for (k = 0; k < i; k++) {
            cr_expect_str_neq(srv_setting_at(k).name, s.name);
        }
    }
}

// What a pod finds in its environment beside a Service named onnxscope (Kubernetes, "Environment
// variables" of Services).
Test(config, does_not_take_service_links_for_settings) {
    static const char *const variables[] = {"ONNXSCOPE_SERVICE_HOST=10.0.0.11",
                                            "ONNXSCOPE_SERVICE_PORT=8080",
                                            "ONNXSCOPE_PORT=tcp://10.0.0.11:8080",
                                            "ONNXSCOPE_PORT_8080_TCP_PROTO=tcp", NULL};

    cr_expect_eq(environment(variables), 0, "%s", err.text);
}

Test(config, splits_listen_addresses) {
    struct str host;
    uint16_t port;

    cr_expect(srv_listen_parse(STR("127.0.0.1:8080"), &host, &port));
    cr_expect(str_eq_z(host, "127.0.0.1"));
    cr_expect_eq(port, 8080);
    cr_expect(srv_listen_parse(STR("[::1]:0"), &host, &port));
    cr_expect(str_eq_z(host, "::1"));
    cr_expect_eq(port, 0);
    cr_expect(srv_listen_parse(STR(":80"), &host, &port));
    cr_expect_eq(host.n, 0);
    cr_expect_not(srv_listen_parse(STR(""), &host, &port));
    cr_expect_not(srv_listen_parse(STR("localhost"), &host, &port));
    cr_expect_not(srv_listen_parse(STR("a:+1"), &host, &port));
}
