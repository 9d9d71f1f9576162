#include <string.h>

#include "server/assets.h"
#include "server/etag.h"
#include "server/http_request.h"
#include "server/negotiate.h"
#include "server/routes.h"

#define ID_MARK "%ID%"  // in a page: the id of its model
#define PAGE_BYTES ((size_t)1 << 20)

static void reply_asset(struct srv_request *rq, const struct srv_asset *asset,
                        enum srv_reply_kind kind) {
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

static void reply_page(struct srv_request *rq, const char *path, enum srv_reply_kind kind) {
    reply_asset(rq, srv_asset_find(str_from(path)), kind);
}

// For who cannot run the page's script, it names its picture.
static void put_id(struct srv_request *rq) {
    const struct str mark = STR(ID_MARK);
    struct str rest = str_from_slice(rq->reply.body);
    struct buf page;

    buf_init(&page, PAGE_BYTES);
    while (rest.n) {
        const char *at = memmem(rest.p, rest.n, mark.p, mark.n);
        const size_t before = at ? (size_t)(at - rest.p) : rest.n;

        buf_add_str(&page, str_sub(rest, 0, before));
        buf_add_str(&page, at ? rq->captured : (struct str){0});
        rest = str_skip(rest, before + mark.n);
    }
    if (!page.failed) {
        rq->reply.gzip = (struct slice){0};
        srv_reply_take_buf(&rq->reply, &page);
    }
    buf_release(&page);
}

// A browser shows a page to its reader; a program gets a problem like everywhere.
static void reply_no_id(struct srv_request *rq, enum srv_reply_kind kind) {
    static const char *const offers[] = {"application/problem+json", "text/html"};
    const struct srv_asset *page = srv_asset_find(STR("/missing.html"));

    if (!page || srv_negotiate_type(srv_request_list(rq, "Accept"), offers, 2) != 1) {
        srv_reply_text(rq, 404, "a model's address ends in the SHA-256 of its bytes");
    } else {
        rq->reply.status = 404;
        rq->reply.kind = kind;
        rq->reply.content_type = page->content_type;
        rq->reply.body = (struct slice){page->bytes, page->n};
    }
    rq->reply.vary_accept = true;
}

// The pages of a model say themselves when there is no such model: it may be uploaded meanwhile.
static void reply_model_page(struct srv_request *rq, const char *path, enum srv_reply_kind kind) {
    if (!srv_id_valid(rq->captured)) {
        reply_no_id(rq, kind);
        return;
    }
    reply_page(rq, path, kind);
    if (rq->reply.status == 200) {
        put_id(rq);
    }
}

void srv_route_index(struct srv_request *rq) {
    reply_page(rq, "/index.html", SRV_REPLY_PAGE);
}

void srv_route_viewer(struct srv_request *rq) {
    reply_model_page(rq, "/viewer.html", SRV_REPLY_PAGE);
}

void srv_route_embed(struct srv_request *rq) {
    reply_model_page(rq, "/embed.html", SRV_REPLY_EMBED);
}

void srv_route_asset(struct srv_request *rq) {
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
