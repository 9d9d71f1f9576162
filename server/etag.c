#include "server/etag.h"

#include "base/sha256.h"
#include "server/http_request.h"
#include "server/negotiate.h"
#include "server/version.h"

#define TAG_HEX 32

void srv_etag_write(char etag[SRV_ETAG_BYTES], struct slice bytes) {
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX + 1];
    struct sha256 s;

    sha256_init(&s);
    sha256_add(&s, slice_from_str(STR(ONNXSCOPE_VERSION)));
    sha256_add(&s, bytes);
    sha256_done(&s, digest);
    sha256_hex(digest, hex);
    memset(etag, 0, SRV_ETAG_BYTES);
    etag[0] = '"';
    memcpy(etag + 1, hex, TAG_HEX);
    etag[1 + TAG_HEX] = '"';
}

// The body is not there yet, so whether it would be long enough to be compressed is not known: a
// client that takes gzip may hold either form, and both are fresh.
bool srv_reply_not_modified(struct srv_request *rq, const char etag[SRV_ETAG_BYTES]) {
    struct str listed = srv_request_list(rq, "If-None-Match");
    char tag[SRV_ETAG_BYTES];
    bool fresh;

    if (listed.n == 0) {
        return false;
    }
    memcpy(tag, etag, sizeof(tag));
    fresh = srv_etag_listed(listed, str_from(tag));
    if (!fresh && rq->accepts_gzip) {
        srv_etag_gzip(tag);
        fresh = srv_etag_listed(listed, str_from(tag));
    }
    if (fresh) {
        rq->reply.status = 304;
        memcpy(rq->reply.etag, tag, sizeof(tag));
    }
    return fresh;
}
