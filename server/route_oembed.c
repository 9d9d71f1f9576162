#include <string.h>

#include "base/json_write.h"
#include "server/http_request.h"
#include "server/origin.h"
#include "server/routes.h"

// oEmbed (oembed.com): what another site needs to show a page of ours in a frame. The address is
// only taken apart, never asked for.

#define WIDTH 800u
#define HEIGHT 600u
#define BODY_BYTES ((size_t)64 << 10)

struct page {
    struct str scheme, authority, id, query;
};

static bool take(struct str *rest, const char *start) {
    struct str s = str_from(start);
    bool has = str_starts(*rest, s);

    *rest = has ? str_skip(*rest, s.n) : *rest;
    return has;
}

static struct str until(struct str *rest, char end) {
    size_t at = str_find(*rest, end);
    struct str taken = str_sub(*rest, 0, at);

    *rest = at == STR_NPOS ? (struct str){NULL, 0} : str_skip(*rest, at + 1);
    return taken;
}

// Without a name before an "@", which would hide where the address really leads.
static bool is_host(struct str authority) {
    for (size_t i = 0; i < authority.n; i++) {
        char c = authority.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c && strchr(".-_:[]", c)))) {
            return false;
        }
    }
    return authority.n > 0;
}

// "http://HOST/models/ID?QUERY#..." or /embed/ in its place.
static bool parse(struct page *out, struct str url) {
    struct str rest = until(&url, '#');

    if (take(&rest, "http://")) {
        out->scheme = STR("http");
    } else if (take(&rest, "https://")) {
        out->scheme = STR("https");
    } else {
        return false;
    }
    out->authority = until(&rest, '/');
    if (!take(&rest, "models/") && !take(&rest, "embed/")) {
        return false;
    }
    out->id = until(&rest, '?');
    out->query = rest;
    return is_host(out->authority) && srv_id_valid(out->id);
}

// Ours is what this request was sent to, and what the setting names.
static bool is_ours(const struct srv_request *rq, struct str authority) {
    struct str names = str_from(rq->service->config->host_name), one;
    struct str host = str_sub(authority, 0, str_find(authority, ':'));

    if (str_eq_nocase(authority, srv_head_find(&rq->head, "Host"))) {
        return true;
    }
    while (str_next(&names, ',', &one)) {
        if (host.n && str_eq_nocase(str_trim(one), host)) {
            return true;
        }
    }
    return false;
}

static void add_attribute(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        switch (text.p[i]) {
        case '&':
            buf_add_z(out, "&amp;");
            break;
        case '"':
            buf_add_z(out, "&quot;");
            break;
        case '<':
            buf_add_z(out, "&lt;");
            break;
        case '>':
            buf_add_z(out, "&gt;");
            break;
        default:
            buf_add_char(out, text.p[i]);
        }
    }
}

static void write_frame(struct buf *out, const struct page *p, unsigned width, unsigned height) {
    buf_add_z(out, "<iframe src=\"");
    buf_add_str(out, p->scheme);
    buf_add_z(out, "://");
    add_attribute(out, p->authority);
    buf_add_z(out, "/embed/");
    buf_add_str(out, p->id);
    if (p->query.n) {
        buf_add_char(out, '?');
        add_attribute(out, p->query);
    }
    buf_printf(out,
               "\" width=\"%u\" height=\"%u\" title=\"Model graph\" style=\"border:0\" "
               "sandbox=\"allow-scripts allow-same-origin\"></iframe>",
               width, height);
}

static unsigned least(unsigned standard, uint64_t max) {
    return max && max < standard ? (unsigned)max : standard;
}

static void reply(struct srv_request *rq, const struct page *p) {
    unsigned width = least(WIDTH, rq->params.max_width);
    unsigned height = least(HEIGHT, rq->params.max_height);
    struct json_write json;
    struct buf body, html;

    buf_init(&body, BODY_BYTES);
    buf_init(&html, BODY_BYTES);
    write_frame(&html, p, width, height);
    json_write_init(&json, &body);
    json_open_object(&json);
    json_member_z(&json, "version", "1.0");
    json_member_z(&json, "type", "rich");
    json_member_z(&json, "title", "Model graph");
    json_member_z(&json, "provider_name", "onnxscope");
    json_member_u64(&json, "width", width);
    json_member_u64(&json, "height", height);
    json_member_str(&json, "html", buf_str(&html));
    json_close_object(&json);
    buf_release(&html);
    srv_reply_json(rq, &body);
}

void srv_route_oembed(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    struct page page;
    struct error err;

    if (!rq->params.url[0]) {
        srv_reply_text(rq, 400, "parameter url: the address of a model's page is missing");
    } else if (!parse(&page, str_from(rq->params.url)) || !is_ours(rq, page.authority)) {
        srv_reply_text(rq, 404, "this service embeds pages of its own models and no other address");
    } else if (store->ops->get(store, page.id, &rq->record, &err) < 0) {
        srv_reply_error(rq, &err);
    } else {
        reply(rq, &page);
    }
}
