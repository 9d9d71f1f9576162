#include "base/sha256.h"
#include "server/etag.h"
#include "server/negotiate.h"
#include "server/produce.h"
#include "server/routes.h"

static void set_age(struct srv_request *rq, const char *etag)
{
    rq->reply.age = rq->params.pinned ? SRV_AGE_FOREVER : SRV_AGE_SHORT;
    memcpy(rq->reply.etag, etag, sizeof(rq->reply.etag));
}

static void finish(struct srv_request *rq)
{
    uint8_t key[SRV_LRU_KEY];
    char etag[SRV_ETAG_BYTES];

    srv_reply_document(rq);
    if (rq->reply.status == 200) {
        srv_document_key(key, rq->record, rq->route->format, &rq->params.options);
        srv_etag_write(etag, (struct slice){key, sizeof(key)});
        set_age(rq, etag);
    }
}

void srv_route_document(struct srv_request *rq)
{
    struct srv_store *store = rq->service->store;
    uint8_t key[SRV_LRU_KEY];
    char etag[SRV_ETAG_BYTES];
    struct error err;

    if (store->ops->get(store, rq->captured, &rq->record, &err) < 0) {
        srv_reply_error(rq, &err);
        return;
    }
    srv_document_key(key, rq->record, rq->route->format, &rq->params.options);
    srv_etag_write(etag, (struct slice){key, sizeof(key)});
    if (srv_reply_not_modified(rq, etag)) {
        rq->reply.kind = rq->route->format == GRAPH_FORMAT_SVG ? SRV_REPLY_SVG : SRV_REPLY_DATA;
        rq->reply.age = rq->params.pinned ? SRV_AGE_FOREVER : SRV_AGE_SHORT;
        return;
    }
    srv_produce(rq, rq->route->format, finish);
}
