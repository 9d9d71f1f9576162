#include "server/produce.h"

#include <criterion/criterion.h>

#include "base/sha256.h"
#include "server/etag.h"
#include "server/version.h"

static struct srv_record record;
static struct srv_params params;
static struct graph_render_limits limits;

static void begin(void) {
    memset(&record, 0, sizeof(record));
    record.strip.complete = true;
    record.size = 10;
    memset(record.id, 'a', SRV_ID_CHARS);
    srv_params_init(&params);
    graph_render_limits_init(&limits);
}

static void end(void) {
    srv_params_release(&params);
}

TestSuite(produce, .init = begin, .fini = end);

static bool same(const uint8_t *a, const uint8_t *b) {
    return memcmp(a, b, SRV_LRU_KEY) == 0;
}

static void set(const char *name, const char *value) {
    cr_assert_eq(graph_options_set(&params.options, str_from(name), str_from(value), NULL), 0);
}

static void key_of(uint8_t key[SRV_LRU_KEY], enum graph_format format) {
    cr_assert_eq(srv_document_key(key, &record, format, &params, &limits, NULL), 0);
}

// Whether the two keys of `format`, before and after `change`, agree.
static bool stays(enum graph_format format, void (*change)(void)) {
    uint8_t before[SRV_LRU_KEY], after[SRV_LRU_KEY];

    key_of(before, format);
    change();
    key_of(after, format);
    return same(before, after);
}

static void other_depth(void) {
    set("depth", "7");
}

static void other_skeleton(void) {
    record.skeleton_digest[31] ^= 1;
}

static void other_file(void) {
    record.id[0] = 'b';
    record.size++;
}

static void damage(void) {
    record.strip.complete = false;
    error_set_at(&record.strip.damage, ERR_TRUNCATED, 5, "graph", "cut");
}

static void other_damage(void) {
    record.strip.damage.offset++;
}

static void set_pattern(void) {
    set("expand", "a,b");
}

static void turn_pattern(void) {
    set("expand", "b,a");
}

Test(produce, names_a_picture_by_what_it_shows) {
    cr_expect_not(stays(GRAPH_FORMAT_SVG, other_depth));
    cr_expect_not(stays(GRAPH_FORMAT_SVG, other_skeleton));
    cr_expect_not(stays(GRAPH_FORMAT_SVG, set_pattern));
    cr_expect(stays(GRAPH_FORMAT_SVG, turn_pattern), "two orders of a list are one view");
    cr_expect(stays(GRAPH_FORMAT_SVG, other_file), "files that differ in weights share pictures");
}

static void fewer_boxes(void) {
    limits.view.max_drawn--;
}

static void other_refusals(void) {
    limits.max_output++;
    limits.onnx.max_nodes++;
    limits.onnx.max_memory++;
}

Test(produce, names_the_budgets_that_decide_on_what_is_shown) {
    cr_expect_not(stays(GRAPH_FORMAT_SVG, fewer_boxes));
    cr_expect_not(stays(GRAPH_FORMAT_JSON, fewer_boxes));
    cr_expect(stays(GRAPH_FORMAT_NODES, fewer_boxes));
    cr_expect(stays(GRAPH_FORMAT_SVG, other_refusals),
              "a budget that refuses gives no other bytes");
}

Test(produce, names_damage_because_the_warning_does) {
    cr_expect_not(stays(GRAPH_FORMAT_JSON, damage));
    cr_expect_not(stays(GRAPH_FORMAT_JSON, other_damage));
}

Test(produce, names_a_summary_by_its_file) {
    cr_expect_not(stays(GRAPH_FORMAT_SUMMARY, other_file));
    cr_expect(stays(GRAPH_FORMAT_SUMMARY, other_depth));
    cr_expect(stays(GRAPH_FORMAT_NODES, other_file));
    cr_expect(stays(GRAPH_FORMAT_NODES, other_depth));
}

Test(produce, tells_formats_apart) {
    uint8_t svg[SRV_LRU_KEY], dot[SRV_LRU_KEY];

    key_of(svg, GRAPH_FORMAT_SVG);
    key_of(dot, GRAPH_FORMAT_DOT);
    cr_expect_not(same(svg, dot));
}

Test(produce, writes_tags_that_name_version_and_bytes) {
    char a[SRV_ETAG_BYTES], b[SRV_ETAG_BYTES], hex[SHA256_HEX + 1];
    uint8_t digest[SHA256_BYTES];
    struct sha256 sha;

    srv_etag_write(a, slice_from_str(STR("x")));
    srv_etag_write(b, slice_from_str(STR("y")));
    cr_expect_eq(strlen(a), 34);
    cr_expect(a[0] == '"' && a[33] == '"');
    cr_expect_str_neq(a, b);
    srv_etag_gzip(a);
    cr_expect_eq(strlen(a), 39);
    cr_expect_str_eq(a + 33, "-gzip\"");
    sha256_init(&sha);
    sha256_add(&sha, slice_from_str(STR(ONNXSCOPE_VERSION "y")));
    sha256_done(&sha, digest);
    sha256_hex(digest, hex);
    cr_expect_arr_eq(b + 1, hex, 32);
}
