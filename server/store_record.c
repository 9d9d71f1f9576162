#include "server/store_record.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

#define SEAL_AT (SRV_RECORD_HEADER - SHA256_BYTES)

static const uint8_t magic[8] = {'o', 'n', 'n', 'x', 'r', 'e', 'c', '\n'};

// A cursor over the header, for writing and for reading; running past its end sticks.
struct cursor {
    uint8_t *p;
    size_t at;
    bool failed;
};

// NULL when less than n bytes are left.
static uint8_t *step(struct cursor *c, size_t n) {
    uint8_t *here = c->p + c->at;

    if (c->failed || n > SEAL_AT - c->at) {
        c->failed = true;
        return NULL;
    }
    c->at += n;
    return here;
}

static void put_bytes(struct cursor *c, const void *p, size_t n) {
    uint8_t *to = step(c, n);

    if (to) {
        memcpy(to, p, n);
    }
}

static void get_bytes(struct cursor *c, void *p, size_t n) {
    const uint8_t *from = step(c, n);

    if (from) {
        memcpy(p, from, n);
    } else {
        memset(p, 0, n);
    }
}

static void put_u64(struct cursor *c, uint64_t v) {
    uint8_t b[8];

    for (size_t i = 0; i < sizeof(b); i++) {
        b[i] = (uint8_t)(v >> 8 * i);
    }
    put_bytes(c, b, sizeof(b));
}

static uint64_t get_u64(struct cursor *c) {
    uint8_t b[8];
    uint64_t v = 0;

    get_bytes(c, b, sizeof(b));
    for (size_t i = 0; i < sizeof(b); i++) {
        v |= (uint64_t)b[i] << 8 * i;
    }
    return v;
}

// Text in a field of fixed size. Reading fails when it has no end.
static void get_text(struct cursor *c, char *out, size_t room) {
    get_bytes(c, out, room);
    if (!memchr(out, 0, room)) {
        c->failed = true;
    }
}

static void put_strip(struct cursor *c, const struct onnx_strip_facts *s) {
    put_u64(c, s->bytes);
    put_u64(c, s->dropped_bytes);
    put_u64(c, s->dropped_tensors);
    put_u64(c, s->unknown_fields);
    put_u64(c, s->nodes);
    put_u64(c, s->complete);
    put_u64(c, (uint64_t)(int64_t)s->damage.code);
    put_u64(c, s->damage.offset);
    put_bytes(c, s->damage.field, sizeof(s->damage.field));
    put_bytes(c, s->damage.limit, sizeof(s->damage.limit));
    put_bytes(c, s->damage.text, sizeof(s->damage.text));
}

static void get_strip(struct cursor *c, struct onnx_strip_facts *s) {
    uint64_t complete, code;

    s->bytes = get_u64(c);
    s->dropped_bytes = get_u64(c);
    s->dropped_tensors = get_u64(c);
    s->unknown_fields = get_u64(c);
    s->nodes = get_u64(c);
    complete = get_u64(c);
    code = get_u64(c);
    s->damage.offset = get_u64(c);
    get_text(c, s->damage.field, sizeof(s->damage.field));
    get_text(c, s->damage.limit, sizeof(s->damage.limit));
    get_text(c, s->damage.text, sizeof(s->damage.text));
    if (complete > 1 || (int64_t)code > 0 || (int64_t)code < ERR_BUSY) {
        c->failed = true;
    }
    s->complete = complete == 1;
    s->damage.code = c->failed ? 0 : (int)(int64_t)code;
}

static void put_section(struct cursor *c, enum srv_section_kind kind, uint64_t offset,
                        struct slice bytes) {
    uint8_t digest[SHA256_BYTES];
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, bytes);
    sha256_done(&s, digest);
    put_u64(c, kind);
    put_u64(c, offset);
    put_u64(c, bytes.n);
    put_bytes(c, digest, sizeof(digest));
}

static void seal(const uint8_t *header, uint8_t digest[SHA256_BYTES]) {
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, (struct slice){header, SEAL_AT});
    sha256_done(&s, digest);
}

void srv_record_encode(uint8_t header[SRV_RECORD_HEADER], const struct srv_record *r) {
    struct cursor c = {header, 0, false};

    memset(header, 0, SRV_RECORD_HEADER);
    put_bytes(&c, magic, sizeof(magic));
    put_u64(&c, SRV_RECORD_VERSION);
    put_bytes(&c, r->id, SRV_ID_CHARS);
    put_bytes(&c, r->skeleton_digest, sizeof(r->skeleton_digest));
    put_u64(&c, r->size);
    put_u64(&c, (uint64_t)r->created);
    put_u64(&c, r->nodes);
    put_bytes(&c, r->producer, sizeof(r->producer));
    put_strip(&c, &r->strip);
    put_u64(&c, 2);
    put_section(&c, SRV_SECTION_SKELETON, SRV_RECORD_HEADER, r->skeleton);
    put_section(&c, SRV_SECTION_SUMMARY, SRV_RECORD_HEADER + r->skeleton.n, r->summary);
    assert(!c.failed);
    seal(header, header + SEAL_AT);
}

static void get_facts(struct cursor *c, struct srv_record *r) {
    get_bytes(c, r->id, SRV_ID_CHARS);
    get_bytes(c, r->skeleton_digest, sizeof(r->skeleton_digest));
    r->size = get_u64(c);
    r->created = (int64_t)get_u64(c);
    r->nodes = get_u64(c);
    get_text(c, r->producer, sizeof(r->producer));
    get_strip(c, &r->strip);
    if (!srv_id_valid(str_from(r->id))) {
        c->failed = true;
    }
}

static void get_section(struct cursor *c, struct srv_record_head *out, uint64_t file_n) {
    struct srv_section s = {0};
    uint64_t kind = get_u64(c);
    uint64_t end;

    s.offset = get_u64(c);
    s.n = get_u64(c);
    get_bytes(c, s.digest, sizeof(s.digest));
    if (s.offset < SRV_RECORD_HEADER || !num_add(&end, s.offset, s.n) || end > file_n ||
        s.n > SIZE_MAX / 2) {
        c->failed = true;
        return;
    }
    s.kind = kind > UINT32_MAX ? 0 : (uint32_t)kind;
    if (kind == SRV_SECTION_SKELETON) {
        out->skeleton = s;
    }
    if (kind == SRV_SECTION_SUMMARY) {
        out->summary = s;
    }
}

static void get_sections(struct cursor *c, struct srv_record_head *out, uint64_t file_n) {
    uint64_t n = get_u64(c);

    if (n > SRV_RECORD_SECTIONS_MAX) {
        c->failed = true;
    }
    for (uint64_t i = 0; !c->failed && i < n; i++) {
        get_section(c, out, file_n);
    }
    if (!out->skeleton.kind || !out->summary.kind) {
        c->failed = true;
    }
}

int srv_record_decode(struct srv_record_head *out, const uint8_t header[SRV_RECORD_HEADER],
                      uint64_t file_n, struct error *err) {
    uint8_t copy[SRV_RECORD_HEADER];
    uint8_t found[sizeof(magic)];
    uint8_t digest[SHA256_BYTES];
    struct cursor c = {copy, 0, false};
    uint64_t version;

    memcpy(copy, header, sizeof(copy));
    memset(out, 0, sizeof(*out));
    get_bytes(&c, found, sizeof(found));
    version = get_u64(&c);
    if (memcmp(found, magic, sizeof(magic)) != 0) {
        return error_set(err, ERR_FORMAT, "this is no record");
    }
    seal(copy, digest);
    if (memcmp(digest, copy + SEAL_AT, sizeof(digest)) != 0) {
        return error_set(err, ERR_FORMAT, "the header of a record is damaged");
    }
    if (version > SRV_RECORD_VERSION) {
        return error_set(err, ERR_NOT_FOUND, "a record of a later format version");
    }
    if (version != SRV_RECORD_VERSION) {
        return error_set(err, ERR_FORMAT, "no record of format version %u", SRV_RECORD_VERSION);
    }
    get_facts(&c, &out->facts);
    get_sections(&c, out, file_n);
    if (c.failed) {
        return error_set(err, ERR_FORMAT, "a record holds values that make no sense");
    }
    return 0;
}

int srv_section_check(const struct srv_section *s, struct slice bytes, struct error *err) {
    uint8_t digest[SHA256_BYTES];
    struct sha256 sha;

    sha256_init(&sha);
    sha256_add(&sha, bytes);
    sha256_done(&sha, digest);
    if (bytes.n != s->n || memcmp(digest, s->digest, sizeof(digest)) != 0) {
        return error_set(err, ERR_FORMAT, "a section of a record is damaged");
    }
    return 0;
}
