#include "server/etag.h"
#include "server/negotiate.h"
#include "server/produce.h"
#include "server/routes.h"

static int write_tag(char etag[SRV_ETAG_BYTES], const struct srv_request *rq, struct error *err) {
    uint8_t key[SRV_LRU_KEY];
    int rc = srv_document_key(key, rq->record, rq->route->format, &rq->params,
                              &rq->service->config->limits, err);

    if (rc == 0) {
        srv_etag_write(etag, (struct slice){key, sizeof(key)});
    }
    return rc;
}

static void set_age(struct srv_request *rq) {
    rq->reply.age = rq->params.pinned ? SRV_AGE_FOREVER : SRV_AGE_SHORT;
}

static void finish(struct srv_request *rq) {
    char etag[SRV_ETAG_BYTES];

    srv_reply_document(rq);
    // Without a tag the answer is as good, only never kept.
    if (rq->reply.status == 200 && write_tag(etag, rq, NULL) == 0) {
        memcpy(rq->reply.etag, etag, sizeof(etag));
        set_age(rq);
    }
}

void srv_route_document(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    char etag[SRV_ETAG_BYTES];
    struct error err;

    if (store->ops->get(store, rq->captured, &rq->record, &err) < 0 ||
        write_tag(etag, rq, &err) < 0) {
        srv_reply_error(rq, &err);
    } else if (srv_reply_not_modified(rq, etag)) {
        rq->reply.kind = srv_document_kind(rq->route->format);
        set_age(rq);
    } else {
        srv_produce(rq, rq->route->format, finish);
    }
}
