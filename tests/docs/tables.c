// Prints the program's tables as Markdown, each behind a line "=== NAME": what the reference pages
// of docs/ are made from.
#include <stdio.h>
#include <stdlib.h>

#include "base/attr.h"
#include "graph/options.h"
#include "server/config.h"
#include "server/problem.h"
#include "server/query.h"
#include "server/router.h"

#define CELL_BYTES 4096

static void heading(const char *name, const char *columns) {
    const char *c;

    printf("=== %s\n%s\n", name, columns);
    for (c = columns; *c; c++) {
        putchar(*c == '|' ? '|' : '-');
    }
    putchar('\n');
}

// A bar would end the cell.
static void print_text(const char *text) {
    for (; *text; text++) {
        fputs(*text == '|' ? "\\" : "", stdout);
        putchar(*text);
    }
}

static void print_changed(const char *text, char from, char to) {
    for (; *text; text++) {
        putchar(*text == from ? to : *text);
    }
}

static void print_code(const char *text) {
    if (*text) {
        printf("`%s`", text);
    }
}

static void print_upper(const char *text) {
    for (; *text; text++) {
        putchar(*text == '-' ? '_' : (*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text));
    }
}

static void print_buf(const struct buf *b) {
    struct str s = buf_str(b);

    printf("%.*s", STR_ARG(s));
}

static void print_option_flag(const struct graph_option *row) {
    fputs("`--", stdout);
    print_changed(row->name, '_', '-');
    if (row->type == GRAPH_OPTION_BOOL) {
        fputs("`, `--no-", stdout);
        print_changed(row->name, '_', '-');
    }
    putchar('`');
}

static void print_options(void) {
    size_t i;

    heading("options", "| Query | Command line | Values | Default | Meaning |");
    for (i = 0; i < graph_option_count; i++) {
        const struct graph_option *row = &graph_option_table[i];

        printf("| `%s` | ", row->name);
        print_option_flag(row);
        fputs(" | ", stdout);
        print_text(row->values);
        fputs(" | ", stdout);
        print_code(row->standard);
        fputs(" | ", stdout);
        print_text(row->help);
        fputs(" |\n", stdout);
    }
}

static const char *const type_names[] = {
    [SRV_SETTING_TEXT] = "text", [SRV_SETTING_LIST] = "comma list",   [SRV_SETTING_UINT] = "number",
    [SRV_SETTING_SIZE] = "size", [SRV_SETTING_DURATION] = "duration",
};

static void print_setting(const struct srv_setting *s, const struct srv_config *defaults) {
    struct buf standard;

    buf_init(&standard, CELL_BYTES);
    srv_config_add_value(&standard, defaults, s);
    printf("| `--%s` | `ONNXSCOPE_", s->name);
    print_upper(s->name);
    printf("` | %s | ", type_names[s->type]);
    if (standard.n) {
        putchar('`');
        print_buf(&standard);
        putchar('`');
    }
    fputs(" | ", stdout);
    print_text(s->help);
    fputs(" |\n", stdout);
    buf_release(&standard);
}

static void print_settings(const char *name, bool reading, const struct srv_config *defaults) {
    size_t i;

    heading(name, "| Flag | Environment | Takes | Default | Meaning |");
    for (i = 0; i < srv_setting_count(); i++) {
        struct srv_setting s = srv_setting_at(i);

        if (s.reading == reading) {
            print_setting(&s, defaults);
        }
    }
}

static void print_route(const struct srv_route *route) {
    unsigned methods = route->methods;
    struct buf names, params;

    buf_init(&names, CELL_BYTES);
    buf_init(&params, CELL_BYTES);
    methods |= methods & SRV_METHOD_GET ? SRV_METHOD_HEAD : 0;
    srv_methods_write(&names, methods);
    buf_add_z(&params, route->params & SRV_PARAM_VIEW ? "view options" : "");
    buf_add_z(&params, route->params & SRV_PARAM_ANY ? "any (the page reads them)" : "");
    srv_params_list(&params, route->params);
    fputs("| ", stdout);
    print_buf(&names);
    printf(" | `%s` | %s | ", route->pattern, route->takes_model ? "a model" : "");
    print_buf(&params);
    fputs(" |\n", stdout);
    buf_release(&names);
    buf_release(&params);
}

static void print_routes(void) {
    size_t i;

    heading("routes", "| Methods | Path | Body | Parameters |");
    for (i = 0; i < srv_route_count(); i++) {
        print_route(srv_route_at(i));
    }
}

static void print_formats(void) {
    size_t i;

    heading("formats", "| Format | Content-Type |");
    for (i = 0; i < GRAPH_FORMATS; i++) {
        if (graph_formats[i].is_picture) {
            printf("| `%s` | `%s` |\n", graph_formats[i].name, graph_formats[i].content_type);
        }
    }
}

static void print_problems(void) {
    const struct str none = str_from(srv_problem_slug(0));
    unsigned status;

    heading("problems", "| Status | `type` | `title` |");
    for (status = 400; status < 600; status++) {
        const char *slug = srv_problem_slug(status);

        if (!str_eq_z(none, slug)) {
            printf("| %u | `urn:onnxscope:problem:%s` | %s |\n", status, slug,
                   srv_problem_title(status));
        }
    }
}

int main(void) {
    struct srv_config defaults;
    struct error err;

    if (srv_config_init(&defaults, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    print_options();
    print_settings("settings", false, &defaults);
    print_settings("budgets", true, &defaults);
    print_routes();
    print_formats();
    print_problems();
    srv_config_release(&defaults);
    return EXIT_SUCCESS;
}
