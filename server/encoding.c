#include "server/encoding.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/attr.h"

#define OUT_BYTES ((size_t)64 << 10)
#define GZIP_WINDOW (15 + 16)  // a gzip header, the largest window
#define GZIP_LEVEL 5

struct srv_decoder {
    enum srv_coding coding;
    uint64_t max_ratio;
    srv_decoder_sink sink;
    void *arg;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool at_end;  // between two members or frames
    bool any;     // something came
    uint64_t in, out;
    uint8_t room[OUT_BYTES];
};

const char *srv_coding_guess(struct slice head) {
    static const struct {
        struct str magic;
        const char *name;
    } table[] = {{{"\x1f\x8b", 2}, "gzip"}, {{"\x28\xb5\x2f\xfd", 4}, "zstd"}};
    size_t i;

    for (i = 0; i < ARRAY_LEN(table); i++) {
        if (str_starts(str_from_slice(head), table[i].magic)) {
            return table[i].name;
        }
    }
    return NULL;
}

bool srv_coding_parse(struct str field, enum srv_coding *out) {
    static const struct {
        const char *name;
        enum srv_coding coding;
    } names[] = {
        {"", SRV_CODING_IDENTITY},   {"identity", SRV_CODING_IDENTITY}, {"gzip", SRV_CODING_GZIP},
        {"x-gzip", SRV_CODING_GZIP}, {"zstd", SRV_CODING_ZSTD},
    };
    struct str name = str_trim(field);
    size_t i;

    for (i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq_nocase(name, str_from(names[i].name))) {
            *out = names[i].coding;
            return true;
        }
    }
    return false;
}

static bool start(struct srv_decoder *d) {
    if (d->coding == SRV_CODING_GZIP) {
        return inflateInit2(&d->gzip, GZIP_WINDOW) == Z_OK;
    }
    if (d->coding == SRV_CODING_ZSTD) {
        d->zstd = ZSTD_createDStream();
        return d->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax,
                                                               SRV_ZSTD_WINDOW_LOG));
    }
    return true;
}

int srv_decoder_new(struct srv_decoder **out, enum srv_coding coding, uint64_t max_ratio,
                    srv_decoder_sink sink, void *arg, struct error *err) {
    struct srv_decoder *d = calloc(1, sizeof(*d));

    if (!d) {
        return error_set(err, ERR_NOMEM, "no memory for a compressed body");
    }
    d->coding = coding;
    d->max_ratio = max_ratio;
    d->sink = sink;
    d->arg = arg;
    d->at_end = coding == SRV_CODING_IDENTITY;
    if (!start(d)) {
        srv_decoder_free(d);
        return error_set(err, ERR_NOMEM, "no memory for a compressed body");
    }
    *out = d;
    return 0;
}

void srv_decoder_free(struct srv_decoder *d) {
    if (!d) {
        return;
    }
    if (d->coding == SRV_CODING_GZIP) {
        inflateEnd(&d->gzip);
    }
    ZSTD_freeDStream(d->zstd);
    free(d);
}

static int pass_on(struct srv_decoder *d, size_t n, struct error *err) {
    d->out += n;
    if (d->out > SRV_RATIO_FROM && d->out / d->max_ratio > d->in) {
        return error_set_limit(err, "max-ratio",
                               "the body grows to more than %llu times its compressed size",
                               (unsigned long long)d->max_ratio);
    }
    return n ? d->sink(d->arg, (struct slice){d->room, n}, err) : 0;
}

static int malformed(const char *coding, const char *why, struct error *err) {
    return error_set(err, ERR_USAGE, "the body is no valid %s stream: %s", coding, why);
}

// zlib does not write through next_in, whatever its type says.
static Bytef *unconst(const uint8_t *p) {
    union {
        const uint8_t *from;
        Bytef *to;
    } u = {.from = p};

    return u.to;
}

// One call of inflate(). Members may follow one another (RFC 1952, section 2.2).
static int step_gzip(struct srv_decoder *d, struct slice *rest, struct error *err) {
    size_t take = rest->n < UINT32_MAX ? rest->n : UINT32_MAX;
    int rc;

    if (d->at_end && inflateReset(&d->gzip) != Z_OK) {
        return malformed("gzip", "it cannot be restarted", err);
    }
    d->at_end = false;
    d->gzip.next_in = unconst(rest->p);
    d->gzip.avail_in = (uInt)take;
    d->gzip.next_out = d->room;
    d->gzip.avail_out = (uInt)OUT_BYTES;
    rc = inflate(&d->gzip, Z_NO_FLUSH);
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        return malformed("gzip", d->gzip.msg ? d->gzip.msg : "it is damaged", err);
    }
    d->at_end = rc == Z_STREAM_END;
    take -= d->gzip.avail_in;
    d->in += take;
    rest->p += take;
    rest->n -= take;
    return pass_on(d, OUT_BYTES - d->gzip.avail_out, err);
}

static int step_zstd(struct srv_decoder *d, struct slice *rest, struct error *err) {
    ZSTD_inBuffer in = {rest->p, rest->n, 0};
    ZSTD_outBuffer out = {d->room, OUT_BYTES, 0};
    size_t rc = ZSTD_decompressStream(d->zstd, &out, &in);

    if (ZSTD_isError(rc)) {
        return malformed("zstd", ZSTD_getErrorName(rc), err);
    }
    d->at_end = rc == 0;
    d->in += in.pos;
    rest->p += in.pos;
    rest->n -= in.pos;
    return pass_on(d, out.pos, err);
}

static bool has_output_left(const struct srv_decoder *d) {
    return d->coding == SRV_CODING_GZIP && !d->at_end && d->gzip.avail_out == 0;
}

int srv_decoder_feed(struct srv_decoder *d, struct slice chunk, struct error *err) {
    int rc = 0;

    if (d->coding == SRV_CODING_IDENTITY) {
        return chunk.n ? d->sink(d->arg, chunk, err) : 0;
    }
    d->any |= chunk.n > 0;
    while (rc == 0 && (chunk.n || has_output_left(d))) {
        rc = d->coding == SRV_CODING_GZIP ? step_gzip(d, &chunk, err) : step_zstd(d, &chunk, err);
    }
    return rc;
}

int srv_decoder_finish(const struct srv_decoder *d, struct error *err) {
    if (d->at_end) {
        return 0;
    }
    return error_set(err, ERR_USAGE, "the compressed body %s",
                     d->any ? "ends too early" : "is empty");
}

static void shrink(uint8_t **p, size_t n) {
    uint8_t *smaller = realloc(*p, n);

    if (smaller) {
        *p = smaller;
    }
}

int srv_gzip(uint8_t **out, size_t *n, struct slice bytes, struct error *err) {
    z_stream z = {0};
    uLong bound;
    int rc;

    if (bytes.n > UINT32_MAX / 2) {
        return error_set(err, ERR_LIMIT, "a document of %zu bytes is not compressed", bytes.n);
    }
    if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return error_set(err, ERR_NOMEM, "no memory to compress a document");
    }
    bound = deflateBound(&z, (uLong)bytes.n);
    *out = malloc(bound);
    if (!*out) {
        deflateEnd(&z);
        return error_set(err, ERR_NOMEM, "no memory to compress a document");
    }
    z.next_in = unconst(bytes.p);
    z.avail_in = (uInt)bytes.n;
    z.next_out = *out;
    z.avail_out = (uInt)bound;
    rc = deflate(&z, Z_FINISH);
    *n = (size_t)z.total_out;
    deflateEnd(&z);
    if (rc != Z_STREAM_END) {
        free(*out);
        return error_set(err, ERR_BUG, "a document could not be compressed");
    }
    shrink(out, *n);
    return 0;
}
