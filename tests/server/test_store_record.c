#include "server/store_record.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/server/records.h"

TestSuite(store_record, .timeout = 20);

static uint8_t header[SRV_RECORD_HEADER];

static uint64_t file_n(const struct srv_record *r) {
    return SRV_RECORD_HEADER + r->skeleton.n + r->summary.n;
}

Test(store_record, comes_back_as_it_was) {
    struct srv_record *r = make_record(1, "skeleton", "summary");
    struct srv_record_head back;

    r->strip.complete = false;
    error_set_at(&r->strip.damage, ERR_TRUNCATED, 77, "graph.node[1]", "it ends early");
    srv_record_encode(header, r);
    cr_assert_eq(srv_record_decode(&back, header, file_n(r), NULL), 0);
    cr_assert_str_eq(back.facts.id, r->id);
    cr_assert_eq(memcmp(back.facts.skeleton_digest, r->skeleton_digest, 32), 0);
    cr_assert_eq(back.facts.size, r->size);
    cr_assert_eq(back.facts.created, r->created);
    cr_assert_eq(back.facts.nodes, r->nodes);
    cr_assert_str_eq(back.facts.producer, r->producer);
    cr_assert_eq(back.facts.strip.bytes, r->strip.bytes);
    cr_assert_eq(back.facts.strip.dropped_bytes, r->strip.dropped_bytes);
    cr_assert_eq(back.facts.strip.dropped_tensors, r->strip.dropped_tensors);
    cr_assert_eq(back.facts.strip.unknown_fields, r->strip.unknown_fields);
    cr_assert_eq(back.facts.strip.nodes, r->strip.nodes);
    cr_assert_not(back.facts.strip.complete);
    cr_assert_eq(back.facts.strip.damage.code, ERR_TRUNCATED);
    cr_assert_eq(back.facts.strip.damage.offset, 77);
    cr_assert_str_eq(back.facts.strip.damage.field, "graph.node[1]");
    cr_assert_str_eq(back.facts.strip.damage.text, "it ends early");
    cr_assert_eq(back.skeleton.offset, SRV_RECORD_HEADER);
    cr_assert_eq(back.skeleton.n, 8);
    cr_assert_eq(back.summary.offset, SRV_RECORD_HEADER + 8);
    cr_assert_eq(back.summary.n, 7);
    cr_assert_eq(srv_section_check(&back.skeleton, r->skeleton, NULL), 0);
    cr_assert_eq(srv_section_check(&back.summary, r->summary, NULL), 0);
    cr_assert_eq(srv_section_check(&back.summary, r->skeleton, NULL), ERR_FORMAT);
    srv_record_unref(r);
}

// Written down by hand from the description of the format: it must not change without a new
// version.
Test(store_record, numbers_are_little_endian_at_fixed_places) {
    struct srv_record *r = make_record(2, "s", "t");

    r->size = 0x0102030405060708u;
    srv_record_encode(header, r);
    cr_assert_eq(memcmp(header, "onnxrec\n\1\0\0\0\0\0\0\0", 16), 0);
    cr_assert_eq(memcmp(header + 16, r->id, 64), 0);
    cr_assert_eq(memcmp(header + 16 + 64 + 32, "\x08\x07\x06\x05\x04\x03\x02\x01", 8), 0);
    srv_record_unref(r);
}

Test(store_record, one_changed_bit_anywhere_is_seen) {
    struct srv_record *r = make_record(3, "skeleton", "summary");
    struct srv_record_head back;

    srv_record_encode(header, r);
    for (size_t at = 0; at < sizeof(header); at++) {
        header[at] ^= 0x10;
        cr_expect_eq(srv_record_decode(&back, header, file_n(r), NULL), ERR_FORMAT, "byte %zu", at);
        header[at] ^= 0x10;
    }
    cr_assert_eq(srv_record_decode(&back, header, file_n(r), NULL), 0);
    srv_record_unref(r);
}

Test(store_record, a_file_that_is_too_short_for_its_sections_is_refused) {
    struct srv_record *r = make_record(4, "skeleton", "summary");
    struct srv_record_head back;

    srv_record_encode(header, r);
    cr_assert_eq(srv_record_decode(&back, header, file_n(r) - 1, NULL), ERR_FORMAT);
    cr_assert_eq(srv_record_decode(&back, header, 0, NULL), ERR_FORMAT);
    cr_assert_eq(srv_record_decode(&back, header, file_n(r) + 100, NULL), 0);
    srv_record_unref(r);
}

// Someone who can compute a digest can still write nonsense.
static void seal(void) {
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, (struct slice){header, SRV_RECORD_HEADER - SHA256_BYTES});
    sha256_done(&s, header + SRV_RECORD_HEADER - SHA256_BYTES);
}

Test(store_record, nonsense_under_a_right_digest_is_refused_or_harmless) {
    struct srv_record *r = make_record(5, "skeleton", "summary");
    struct srv_record_head back;
    size_t refused = 0;

    for (size_t at = 0; at + 8 <= sizeof(header) - SHA256_BYTES; at += 8) {
        srv_record_encode(header, r);
        memset(header + at, 0xff, 8);
        seal();
        if (srv_record_decode(&back, header, file_n(r), NULL) < 0) {
            refused++;
            continue;
        }
        cr_assert(srv_id_valid(str_from(back.facts.id)));
        cr_assert_not_null(memchr(back.facts.producer, 0, sizeof(back.facts.producer)));
        cr_assert_leq(back.skeleton.offset + back.skeleton.n, file_n(r));
        cr_assert_leq(back.summary.offset + back.summary.n, file_n(r));
    }
    // Magic, version, id (8), complete, code, the count of sections, kind, place and length of two.
    cr_assert_geq(refused, 1 + 1 + 8 + 1 + 1 + 2 * 3);
    srv_record_unref(r);
}
