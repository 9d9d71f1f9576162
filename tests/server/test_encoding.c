#include "server/encoding.h"

#include <criterion/criterion.h>

#include "base/attr.h"
#include "base/buf.h"

// `printf hello | zstd`: made by zstd 1.5.4.
static const uint8_t zstd_hello[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x29, 0x00, 0x00,
                                     'h',  'e',  'l',  'l',  'o',  0xa3, 0x6d, 0x9f, 0x88};

static struct buf got;
static struct error err;

static void begin(void) {
    buf_init(&got, (size_t)256 << 20);
}

static void end(void) {
    buf_release(&got);
}

TestSuite(encoding, .init = begin, .fini = end);

static int keep(void *arg, struct slice bytes, struct error *e) {
    (void)arg;
    (void)e;
    buf_add(&got, bytes.p, bytes.n);
    return 0;
}

static int decode(enum srv_coding coding, struct slice in, size_t step, uint64_t ratio) {
    struct srv_decoder *d = NULL;
    int rc = srv_decoder_new(&d, coding, ratio, keep, NULL, &err);

    buf_reset(&got);
    while (rc == 0 && in.n) {
        size_t n = in.n < step ? in.n : step;

        rc = srv_decoder_feed(d, (struct slice){in.p, n}, &err);
        in.p += n;
        in.n -= n;
    }
    if (rc == 0) {
        rc = srv_decoder_finish(d, &err);
    }
    srv_decoder_free(d);
    return rc;
}

static struct slice gzip(const void *p, size_t n) {
    uint8_t *out = NULL;
    size_t out_n = 0;

    cr_assert_eq(srv_gzip(&out, &out_n, (struct slice){p, n}, NULL), 0);
    return (struct slice){out, out_n};
}

static void drop(struct slice s) {
    free((void *)(uintptr_t)s.p);
}

Test(encoding, knows_its_codings) {
    static const struct {
        const char *name;
        bool known;
        enum srv_coding coding;
    } table[] = {
        {"", true, SRV_CODING_IDENTITY},
        {"identity", true, SRV_CODING_IDENTITY},
        {" gzip ", true, SRV_CODING_GZIP},
        {"X-GZIP", true, SRV_CODING_GZIP},
        {"zstd", true, SRV_CODING_ZSTD},
        {"br", false, SRV_CODING_IDENTITY},
        {"gzip, gzip", false, SRV_CODING_IDENTITY},
        {"deflate", false, SRV_CODING_IDENTITY},
    };
    enum srv_coding coding;
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        coding = SRV_CODING_IDENTITY;
        cr_expect_eq(srv_coding_parse(str_from(table[i].name), &coding), table[i].known, "%s",
                     table[i].name);
        cr_expect_eq(coding, table[i].coding, "%s", table[i].name);
    }
}

Test(encoding, passes_identity_on) {
    cr_expect_eq(decode(SRV_CODING_IDENTITY, slice_from_str(STR("hello")), 2, 1), 0);
    cr_expect(str_eq_z(buf_str(&got), "hello"));
    cr_expect_eq(decode(SRV_CODING_IDENTITY, (struct slice){NULL, 0}, 1, 1), 0);
}

Test(encoding, undoes_gzip_at_every_cut) {
    struct slice packed = gzip("hello hello hello", 17);
    size_t step;

    for (step = 1; step <= packed.n; step++) {
        cr_assert_eq(decode(SRV_CODING_GZIP, packed, step, 10), 0, "%zu: %s", step, err.text);
        cr_assert(str_eq_z(buf_str(&got), "hello hello hello"));
    }
    drop(packed);
}

Test(encoding, undoes_zstd_at_every_cut) {
    struct slice packed = {zstd_hello, sizeof(zstd_hello)};
    size_t step;

    for (step = 1; step <= packed.n; step++) {
        cr_assert_eq(decode(SRV_CODING_ZSTD, packed, step, 10), 0, "%zu: %s", step, err.text);
        cr_assert(str_eq_z(buf_str(&got), "hello"));
    }
}

Test(encoding, takes_members_and_frames_in_a_row) {
    struct slice packed = gzip("abc", 3);
    struct buf both;
    size_t step;

    buf_init(&both, 4096);
    buf_add(&both, packed.p, packed.n);
    buf_add(&both, packed.p, packed.n);
    for (step = 1; step <= both.n; step++) {
        cr_assert_eq(decode(SRV_CODING_GZIP, buf_slice(&both), step, 10), 0);
        cr_assert(str_eq_z(buf_str(&got), "abcabc"));
    }
    buf_reset(&both);
    buf_add(&both, zstd_hello, sizeof(zstd_hello));
    buf_add(&both, zstd_hello, sizeof(zstd_hello));
    cr_expect_eq(decode(SRV_CODING_ZSTD, buf_slice(&both), 1000, 10), 0);
    cr_expect(str_eq_z(buf_str(&got), "hellohello"));
    buf_release(&both);
    drop(packed);
}

Test(encoding, refuses_a_stream_that_ends_early) {
    struct slice packed = gzip("hello hello hello", 17);
    size_t n;

    for (n = 0; n < packed.n; n++) {
        cr_assert_eq(decode(SRV_CODING_GZIP, (struct slice){packed.p, n}, 5, 10), ERR_USAGE);
    }
    for (n = 0; n < sizeof(zstd_hello); n++) {
        cr_assert_eq(decode(SRV_CODING_ZSTD, (struct slice){zstd_hello, n}, 5, 10), ERR_USAGE);
    }
    drop(packed);
}

Test(encoding, refuses_what_is_damaged) {
    struct slice packed = gzip("hello hello hello", 17);
    uint8_t copy[64];

    cr_assert_lt(packed.n, sizeof(copy));
    memcpy(copy, packed.p, packed.n);
    copy[packed.n - 5] ^= 1;
    cr_expect_eq(decode(SRV_CODING_GZIP, (struct slice){copy, packed.n}, 9, 10), ERR_USAGE);
    cr_expect(strstr(err.text, "gzip"), "%s", err.text);
    cr_expect_eq(decode(SRV_CODING_GZIP, slice_from_str(STR("no gzip")), 9, 10), ERR_USAGE);
    cr_expect_eq(decode(SRV_CODING_ZSTD, slice_from_str(STR("no zstd")), 9, 10), ERR_USAGE);
    memcpy(copy, packed.p, packed.n);
    copy[packed.n] = 'x';
    cr_expect_eq(decode(SRV_CODING_GZIP, (struct slice){copy, packed.n + 1}, 99, 10), ERR_USAGE,
                 "garbage behind the end");
    drop(packed);
}

Test(encoding, refuses_a_zstd_window_that_is_too_large) {
    // A frame header whose window descriptor asks for 2^27 bytes (exponent 17).
    static const uint8_t wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, 0x01, 0x00, 0x00};

    cr_expect_eq(decode(SRV_CODING_ZSTD, (struct slice){wide, sizeof(wide)}, 99, 10), ERR_USAGE);
}

Test(encoding, stops_a_bomb) {
    size_t n = (size_t)100 << 20;
    uint8_t *zeros = calloc(1, n);
    struct slice packed = gzip(zeros, n);

    cr_assert_lt(packed.n, 200000);
    cr_expect_eq(decode(SRV_CODING_GZIP, packed, 4096, 200), ERR_LIMIT);
    cr_expect_str_eq(err.limit, "max-ratio");
    cr_expect_leq(got.n, SRV_RATIO_FROM + (1 << 20));
    cr_expect_eq(decode(SRV_CODING_GZIP, packed, 4096, 2000), 0);
    cr_expect_eq(got.n, n);
    free(zeros);
    drop(packed);
}

Test(encoding, compresses_the_same_bytes_the_same_way) {
    struct slice a = gzip("hello", 5), b = gzip("hello", 5);

    cr_expect_eq(a.n, b.n);
    cr_expect_arr_eq(a.p, b.p, a.n);
    drop(a);
    drop(b);
}
