#include "server/assets.h"
#include "server/etag.h"
#include "server/http_request.h"
#include "server/routes.h"

static void reply_asset(struct srv_request *rq, const struct srv_asset *asset,
                        enum srv_reply_kind kind)
{
    char etag[SRV_ETAG_BYTES] = "";

    if (!asset) {
        srv_reply_text(rq, 404, "this program was built without its page");
        return;
    }
    memcpy(etag, asset->etag, strnlen(asset->etag, sizeof(etag) - 1));
    if (!srv_reply_not_modified(rq, etag)) {
        rq->reply.status = 200;
        rq->reply.content_type = asset->content_type;
        rq->reply.body = (struct slice){asset->bytes, asset->n};
        rq->reply.gzip = (struct slice){asset->gzip, asset->gzip_n};
        memcpy(rq->reply.etag, etag, sizeof(etag));
    }
    rq->reply.kind = kind;
    rq->reply.age = asset->immutable ? SRV_AGE_FOREVER : SRV_AGE_REVALIDATE;
}

static void reply_page(struct srv_request *rq, const char *path, enum srv_reply_kind kind)
{
    reply_asset(rq, srv_asset_find(str_from(path)), kind);
}

// The pages of a model say themselves when there is no such model: it may be uploaded meanwhile.
static void reply_model_page(struct srv_request *rq, const char *path, enum srv_reply_kind kind)
{
    if (!srv_id_valid(rq->captured)) {
        srv_reply_text(rq, 404, "a model's address ends in the SHA-256 of its bytes");
        return;
    }
    reply_page(rq, path, kind);
}

void srv_route_index(struct srv_request *rq)
{
    reply_page(rq, "/index.html", SRV_REPLY_PAGE);
}

void srv_route_viewer(struct srv_request *rq)
{
    reply_model_page(rq, "/viewer.html", SRV_REPLY_PAGE);
}

void srv_route_embed(struct srv_request *rq)
{
    reply_model_page(rq, "/embed.html", SRV_REPLY_EMBED);
}

void srv_route_asset(struct srv_request *rq)
{
    const struct srv_asset *asset;
    struct buf path;

    buf_init(&path, SRV_QUERY_BYTES);
    buf_add_z(&path, "/assets/");
    buf_add_str(&path, rq->captured);
    asset = srv_asset_find(buf_str(&path));
    buf_release(&path);
    if (asset) {
        reply_asset(rq, asset, SRV_REPLY_ASSET);
    } else {
        srv_reply_text(rq, 404, "there is nothing at this address");
    }
}
