#include "server/job_wire.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/memfd.h"

TestSuite(job_wire, .timeout = 20);

static struct srv_frame frame;

static void set(struct graph_options *o, const char *name, const char *value) {
    cr_assert_eq(graph_options_set(o, str_from(name), str_from(value), NULL), 0, "%s", name);
}

static struct buf packed(const struct graph_options *o) {
    struct buf b;

    buf_init(&b, SRV_FRAME_BYTES);
    srv_options_pack(&b, o);
    cr_assert_eq(buf_check(&b, "options", NULL, NULL), 0);
    return b;
}

static void expect_same(const struct graph_options *a, const struct graph_options *b) {
    struct buf x, y;

    buf_init(&x, 1 << 16);
    buf_init(&y, 1 << 16);
    graph_options_canonical(&x, a);
    graph_options_canonical(&y, b);
    cr_expect(str_eq(buf_str(&x), buf_str(&y)), "%.*s is not %.*s", STR_ARG(buf_str(&x)),
              STR_ARG(buf_str(&y)));
    buf_release(&x);
    buf_release(&y);
}

Test(job_wire, options_come_back_as_they_were) {
    struct graph_options o, back;
    struct buf b;

    graph_options_init(&o);
    set(&o, "depth", "inf");
    set(&o, "max_boxes", "17");
    set(&o, "expand", "layers.0,layers.*.attn");
    set(&o, "collapse", "class:torch.nn.*");
    set(&o, "fold", "0");
    set(&o, "strict", "0");
    set(&o, "names", "path");
    set(&o, "graph_dir", "RL");
    set(&o, "theme", "dark");
    b = packed(&o);
    cr_assert_eq(srv_options_unpack(&back, buf_slice(&b), NULL), 0);
    expect_same(&o, &back);
    buf_release(&b);
    graph_options_release(&o);
    graph_options_release(&back);
}

Test(job_wire, options_that_are_cut_or_too_long_are_refused) {
    struct graph_options o, back;
    struct buf b;

    graph_options_init(&o);
    set(&o, "expand", "layers.0");
    b = packed(&o);
    for (size_t n = 0; n < b.n; n++) {
        cr_expect_eq(srv_options_unpack(&back, (struct slice){b.p, n}, NULL), ERR_FORMAT, "%zu", n);
    }
    buf_add_char(&b, 0);
    cr_expect_eq(srv_options_unpack(&back, buf_slice(&b), NULL), ERR_FORMAT);
    buf_release(&b);
    graph_options_release(&o);
}

// Every 32-bit word of the defaults set to something absurd: refused, or a number that a number may
// be.
Test(job_wire, options_with_values_that_do_not_exist_are_refused) {
    struct graph_options o, back;
    struct buf b;
    size_t refused = 0;

    graph_options_init(&o);
    b = packed(&o);
    for (size_t at = 0; at + 4 <= b.n; at += 4) {
        struct buf wrong = packed(&o);

        memset(wrong.p + at, 0xff, 4);
        if (srv_options_unpack(&back, buf_slice(&wrong), NULL) == 0) {
            graph_options_release(&back);
        } else {
            refused++;
        }
        buf_release(&wrong);
    }
    // All but depth, max_boxes and fold are booleans, words of a list or lengths of text.
    cr_assert_eq(refused, graph_option_count - 3);
    buf_release(&b);
    graph_options_release(&o);
}

Test(job_wire, a_ticket_comes_back_as_it_was) {
    struct srv_ticket t, back;
    struct slice options;

    memset(&t, 0, sizeof(t));
    graph_render_limits_init(&t.limits);
    memset(t.id, 'a', 64);
    t.format = GRAPH_FORMAT_JSON;
    t.skeleton_n = 123456789012u;
    t.deadline_ms = 777;
    t.strip.complete = true;
    srv_frame_init(&frame, SRV_FRAME_RUN, 1);
    cr_assert_eq(srv_ticket_put(&frame, &t, slice_from_str(STR("opt")), NULL), 0);
    cr_assert_eq(srv_ticket_take(&frame, &back, &options, NULL), 0);
    cr_assert_eq(memcmp(&t, &back, sizeof(t)), 0);
    cr_assert(str_eq(str_from_slice(options), STR("opt")));
}

Test(job_wire, a_ticket_that_is_cut_or_names_no_format_is_refused) {
    struct srv_ticket t, back;
    struct slice options;

    memset(&t, 0, sizeof(t));
    t.format = GRAPH_FORMATS;
    srv_frame_init(&frame, SRV_FRAME_RUN, 1);
    cr_assert_eq(srv_ticket_put(&frame, &t, (struct slice){NULL, 0}, NULL), 0);
    cr_assert_eq(srv_ticket_take(&frame, &back, &options, NULL), ERR_FORMAT);
    frame.n--;
    cr_assert_eq(srv_ticket_take(&frame, &back, &options, NULL), ERR_FORMAT);
}

static int answer_of(const struct srv_job_result *r) {
    int fd;

    cr_assert_eq(srv_memfd_new(&fd, NULL), 0);
    cr_assert_eq(srv_answer_write(fd, r, NULL), 0);
    return fd;
}

static struct srv_job_result document(const char *text) {
    struct srv_job_result r;

    memset(&r, 0, sizeof(r));
    r.body = (uint8_t *)strdup(text);
    r.n = strlen(text);
    r.warnings = 3;
    r.nodes = 42;
    r.cpu_ms[GRAPH_STAGE_LAYOUT] = 1.5;
    return r;
}

Test(job_wire, an_answer_comes_back_as_it_was) {
    struct srv_job_result r = document("<svg/>"), back;
    int fd = answer_of(&r);

    memset(&back, 0, sizeof(back));
    cr_assert_eq(srv_answer_read(fd, 6, &back, NULL), 0);
    cr_assert_eq(back.error.code, 0);
    cr_assert_eq(back.n, 6);
    cr_assert_eq(memcmp(back.body, "<svg/>", 6), 0);
    cr_assert_eq(back.warnings, 3);
    cr_assert_eq(back.nodes, 42);
    cr_assert_eq(back.cpu_ms[GRAPH_STAGE_LAYOUT], 1.5);
    free(back.body);
    free(r.body);
}

Test(job_wire, an_error_comes_back_with_its_place_and_limit) {
    struct srv_job_result r = document("not sent"), back;
    int fd;

    error_set_at(&r.error, ERR_FORMAT, 99, "graph.node[3]", "a node without an end");
    memcpy(r.error.limit, "max-nodes", sizeof("max-nodes"));
    fd = answer_of(&r);
    memset(&back, 0, sizeof(back));
    cr_assert_eq(srv_answer_read(fd, 100, &back, NULL), 0);
    cr_assert_eq(back.error.code, ERR_FORMAT);
    cr_assert_eq(back.error.offset, 99);
    cr_assert_str_eq(back.error.field, "graph.node[3]");
    cr_assert_str_eq(back.error.limit, "max-nodes");
    cr_assert_str_eq(back.error.text, "a node without an end");
    cr_assert_null(back.body);
    free(r.body);
}

Test(job_wire, a_document_over_the_limit_is_refused) {
    struct srv_job_result r = document("123456"), back = {.n = 77};
    int fd = answer_of(&r);

    cr_assert_eq(srv_answer_read(fd, 5, &back, NULL), ERR_FORMAT);
    cr_assert_eq(back.n, 77);
    free(r.body);
}

Test(job_wire, an_answer_of_another_length_is_refused) {
    struct srv_job_result r = document("123456"), back;
    int fd = answer_of(&r);
    const off_t n = lseek(fd, 0, SEEK_END);

    memset(&back, 0, sizeof(back));
    for (off_t cut = 0; cut <= n + 8; cut++) {
        int other = answer_of(&r);

        cr_assert_eq(ftruncate(other, cut), 0);
        if (cut != n) {
            cr_expect_eq(srv_answer_read(other, 100, &back, NULL), ERR_FORMAT, "%jd",
                         (intmax_t)cut);
        }
        close(other);
    }
    free(r.body);
}

// A process that was taken over writes what it likes into the answer.
Test(job_wire, a_mangled_answer_is_refused_or_made_harmless) {
    struct srv_job_result r = document("123456"), back;
    int fd = answer_of(&r);
    const size_t n = (size_t)lseek(fd, 0, SEEK_END);

    for (size_t at = 0; at < n - 6; at++) {
        for (unsigned pattern = 0; pattern < 3; pattern++) {
            static const char values[] = {'\xff', '\x80', '\x1b'};
            int other = answer_of(&r);

            cr_assert_eq(pwrite(other, &values[pattern], 1, (off_t)at), 1);
            memset(&back, 0, sizeof(back));
            if (srv_answer_read(other, 100, &back, NULL) == 0) {
                cr_assert(back.error.code <= 0 && back.error.code >= ERR_BUSY);
                cr_assert(!memchr(back.error.text, 0x1b, sizeof(back.error.text)));
                for (size_t i = 0; i < GRAPH_STAGES; i++) {
                    cr_assert(isfinite(back.cpu_ms[i]) && back.cpu_ms[i] >= 0);
                }
            }
            free(back.body);
            close(other);
        }
    }
    free(r.body);
}

Test(job_wire, texts_without_an_end_and_with_controls_are_made_fit) {
    struct srv_job_result r, back;
    int fd;

    memset(&r, 0, sizeof(r));
    memset(&r.error, '\x07', sizeof(r.error));
    r.error.code = ERR_FORMAT;
    memset(r.producer, '\x07', sizeof(r.producer));
    fd = answer_of(&r);
    memset(&back, 0, sizeof(back));
    cr_assert_eq(srv_answer_read(fd, 100, &back, NULL), 0);
    cr_assert_lt(strnlen(back.producer, sizeof(back.producer)), sizeof(back.producer));
    cr_assert_null(strchr(back.producer, '\x07'));
    cr_assert_lt(strnlen(back.error.text, sizeof(back.error.text)), sizeof(back.error.text));
    cr_assert_lt(strnlen(back.error.field, sizeof(back.error.field)), sizeof(back.error.field));
    cr_assert_lt(strnlen(back.error.limit, sizeof(back.error.limit)), sizeof(back.error.limit));
    cr_assert_null(strchr(back.error.text, '\x07'));
    cr_assert_null(strchr(back.error.limit, '\x07'));
}
