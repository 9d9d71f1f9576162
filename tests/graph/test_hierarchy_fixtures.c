// The hierarchy of real exports against the truth about them: fixtures/hierarchy/NAME.tsv has a
// line for each node whose place is known from a second export of the same model, with full names:
// first output, number of the call ("-" = not known), names of the modules from below the root on.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/num.h"
#include "onnx/decode.h"
#include "onnx/limits.h"
#include "tests/graph/scope_case.h"

struct score {
    unsigned nodes, right, placed, placed_right;
};

static struct slice read_file(struct str folder, const char *name, const char *ending) {
    struct buf path;
    struct slice all = {NULL, 0};
    FILE *f;
    uint8_t *p;
    long n;

    buf_init(&path, 4096);
    buf_add_str(&path, folder);
    buf_add_z(&path, name);
    buf_add_z(&path, ending);
    buf_add_char(&path, '\0');
    f = fopen((const char *)path.p, "rb");
    buf_release(&path);
    if (!f) {
        return all;
    }
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    n = ftell(f);
    rewind(f);
    p = malloc((size_t)n + 1);
    all = (struct slice){p, (size_t)n};
    cr_assert_eq(fread(p, 1, all.n, f), all.n);
    cr_assert_eq(fclose(f), 0);
    return all;
}

static struct onnx_model *decode(struct slice bytes, struct warnings *warnings) {
    struct onnx_model *model;
    struct onnx_limits limits;
    struct error err = {0};

    onnx_limits_init(&limits);
    cr_assert_eq(onnx_decode(&model, bytes, &limits, warnings, &err), 0, "%s", err.text);
    return model;
}

static void build(struct scope_case *s, struct slice bytes) {
    *s = (struct scope_case){.model = NULL};
    s->model = decode(bytes, &s->warnings);
    cr_assert_eq(graph_net_init(&s->net, s->model, &s->warnings, NULL), 0);
    cr_assert_eq(graph_plumbing_init(&s->plumbing, &s->net, NULL), 0);
    cr_assert_eq(graph_hierarchy_init(&s->hierarchy, &s->net, &s->plumbing, &s->warnings, NULL), 0);
}

// Appends the call's number and path as a line of the truth has them.
static void add_place(struct buf *out, const struct graph_hierarchy *h, uint32_t call,
                      bool number) {
    uint32_t path[300];
    size_t n = 0;

    if (number) {
        buf_add_u64(out, h->calls[call].number);
    } else {
        buf_add_char(out, '-');
    }
    for (; call != 0; call = h->calls[call].parent) {
        path[n++] = call;
    }
    while (n-- > 0) {
        buf_add_char(out, '\t');
        buf_add_str(out, h->modules[h->calls[path[n]].module].path);
    }
}

// `truth` is a line without the output's name.
static bool is_right(const struct graph_hierarchy *h, uint32_t call, struct str truth) {
    struct buf text;
    bool right;

    buf_init(&text, 1 << 16);
    add_place(&text, h, call, truth.p[0] != '-');
    right = str_eq(buf_str(&text), truth);
    buf_release(&text);
    return right;
}

static void index_nodes(struct map *by_output, const struct graph_net *net) {
    for (uint32_t i = 0; i < net->graphs[0].n_nodes; i++) {
        const struct onnx_node *proto = net->nodes[i].proto;

        if (proto->n_outputs) {
            cr_assert_eq(map_put(by_output, proto->outputs[0], i, NULL), 0);
        }
    }
}

static void score_line(struct score *score, const struct scope_case *s, const struct map *by_output,
                       struct str line) {
    size_t tab = str_find(line, '\t');
    uint32_t node = map_get(by_output, str_sub(line, 0, tab));
    bool right, placed;

    cr_assert_neq(node, MAP_NONE, "no node makes %.*s", STR_ARG(line));
    right = is_right(&s->hierarchy, s->hierarchy.node_call[node], str_skip(line, tab + 1));
    placed = s->hierarchy.node_source[node] != GRAPH_SCOPE_NONE;
    score->nodes++;
    score->right += right;
    score->placed += placed;
    score->placed_right += right && placed;
}

static struct score score(const char *name) {
    struct slice truth = read_file(STR(FIXTURES "/hierarchy/"), name, ".tsv");
    struct slice bytes = read_file(STR(FIXTURES "/hierarchy/"), name, ".onnx");
    struct str rest = str_from_slice(truth), line;
    struct score result = {0};
    struct map by_output;
    struct scope_case s;

    if (!bytes.p) {
        bytes = read_file(STR(FIXTURES "/"), name, ".onnx");
    }
    cr_assert(truth.p && bytes.p, "no fixture %s", name);
    build(&s, bytes);
    map_init(&by_output);
    index_nodes(&by_output, &s.net);
    while (str_next(&rest, '\n', &line)) {
        if (line.n) {
            score_line(&result, &s, &by_output, line);
        }
    }
    map_release(&by_output);
    scope_case_release(&s);
    free((void *)(uintptr_t)truth.p);
    free((void *)(uintptr_t)bytes.p);
    return result;
}

Test(hierarchy_fixtures, files_that_tell_modules_are_read_without_a_mistake) {
    static const char *const names[] = {
        "suffix_clash",      // two modules whose second calls print each other's name
        "moe",               // dicts of modules in a list, which print alike
        "nested_recursive",  // a composite called three times
        "weird_names",       // slashes, quotes and spaces in names
        "mixed_script",      // a scripted function in a traced model
        "resnet18",
        "gpt12",  // the common case
        "suffix_clash_dynamo",
        "nested_recursive_dynamo",
        "gpt12_dynamo",
        "mlp_dynamo_2_6",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct score got = score(names[i]);

        cr_expect_gt(got.nodes, 0, "%s", names[i]);
        cr_expect_eq(got.right, got.nodes, "%s: %u of %u nodes are right", names[i], got.right,
                     got.nodes);
    }
}

// Exports by torch before 1.13: `placed` is what can be told for certain.
Test(hierarchy_fixtures, files_that_tell_owners_only_are_never_read_wrongly) {
    static const struct {
        const char *name;
        unsigned placed;
    } rows[] = {
        {"mlp_unscoped", 3},
        {"nested_recursive_unscoped", 107},
        {"transformer_encoder_unscoped", 396},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct score got = score(rows[i].name);

        cr_expect_eq(got.placed_right, got.placed, "%s: %u of %u placed nodes are right",
                     rows[i].name, got.placed_right, got.placed);
        cr_expect_geq(got.placed, rows[i].placed, "%s: %u nodes are placed", rows[i].name,
                      got.placed);
    }
}
