#include "server/produce.h"

#include <stdlib.h>

#include "base/sha256.h"

#define CANONICAL_BYTES ((size_t)64 << 10)

// A job on its way; it keeps the record alive that the child reads.
struct production {
    struct srv_service *service;
    struct srv_record *record;
    enum graph_format format;
    uint8_t key[SRV_LRU_KEY];
    bool abandoned;  // the flight ended without it
};

static void add_number(struct sha256 *s, uint64_t v) {
    sha256_add(s, (struct slice){(const uint8_t *)&v, sizeof(v)});
}

// The length first, so that two texts in a row cannot be taken for two others.
static void add_text(struct sha256 *s, struct str text) {
    add_number(s, text.n);
    sha256_add(s, slice_from_str(text));
}

static int add_options(struct sha256 *s, const struct graph_options *options, struct error *err) {
    struct buf canonical;
    int rc;

    buf_init(&canonical, CANONICAL_BYTES);
    graph_options_canonical(&canonical, options);
    add_text(s, buf_str(&canonical));
    rc = buf_check(&canonical, "view options", NULL, err);
    buf_release(&canonical);
    return rc;
}

// Of the budgets only these change a document instead of refusing it. Those of the stripper have
// done their work: the skeleton says what they left.
static void add_limits(struct sha256 *s, const struct graph_render_limits *limits) {
    add_number(s, limits->view.max_drawn);
}

static void add_resolution(struct sha256 *s, const struct srv_params *params,
                           const struct graph_render_limits *limits) {
    add_number(s, params->dpi ? params->dpi : GRAPH_DPI_STANDARD);
    add_number(s, limits->max_pixels);
}

int srv_document_key(uint8_t key[SRV_LRU_KEY], const struct srv_record *record,
                     enum graph_format format, const struct srv_params *params,
                     const struct graph_render_limits *limits, struct error *err) {
    struct sha256 s;
    int rc = 0;

    sha256_init(&s);
    add_number(&s, (uint64_t)format);
    sha256_add(&s, (struct slice){record->skeleton_digest, sizeof(record->skeleton_digest)});
    add_number(&s, record->strip.complete);
    if (!record->strip.complete) {
        add_number(&s, record->strip.damage.offset);
        add_text(&s, str_from(record->strip.damage.field));
        add_text(&s, str_from(record->strip.damage.text));
    }
    if (format == GRAPH_FORMAT_SUMMARY) {
        add_text(&s, str_from(record->id));
        add_number(&s, record->size);
    }
    if (graph_formats[format].takes_view && params) {
        add_limits(&s, limits);
        rc = add_options(&s, &params->options, err);
    }
    if (format == GRAPH_FORMAT_PNG && params) {
        add_resolution(&s, params, limits);
    }
    sha256_done(&s, key);
    return rc;
}

// Without a limit in it the child only knows that malloc() failed.
static void name_limit(struct error *err) {
    if (err->code == ERR_NOMEM) {
        error_set_limit(err, "job-memory", "drawing this needs more memory than a job may have");
    }
}

static void land(struct production *p, struct srv_landing *landing) {
    if (!p->abandoned) {
        srv_flights_land(p->service->flights, p->key, landing);
    }
    srv_document_unref(landing->document);
    srv_record_unref(p->record);
    free(p);
}

// On the dispatcher's thread, before the job starts.
static bool is_wanted(void *arg) {
    struct production *p = arg;

    p->abandoned = srv_flights_abandon(p->service->flights, p->key);
    return !p->abandoned;
}

// On the dispatcher's thread.
static void done(void *arg, struct srv_job_result *result) {
    struct production *p = arg;
    struct srv_landing landing = {.error = result->error,
                                  .queue_ms = result->queue_ms,
                                  .run_ms = result->run_ms};
    uint8_t *body = result->body;

    name_limit(&landing.error);
    if (result->error.code == 0) {
        result->body = NULL;
        if (srv_document_new(&landing.document, p->key, body, result->n, &landing.error) < 0) {
            landing.document = NULL;
        }
    }
    if (landing.document) {
        landing.document->format = p->format;
        landing.document->warnings = result->warnings;
        landing.document->nodes = result->nodes;
        memcpy(landing.document->producer, result->producer, sizeof(result->producer));
        // Before the flight ends, so that nobody finds neither.
        srv_cache_put(p->service->cache, landing.document);
    }
    land(p, &landing);
}

static struct production *new_production(struct srv_request *rq, enum graph_format format,
                                         const uint8_t *key) {
    struct production *p = calloc(1, sizeof(*p));

    if (p) {
        p->service = rq->service;
        p->record = rq->record;
        p->format = format;
        memcpy(p->key, key, SRV_LRU_KEY);
        srv_record_ref(rq->record);
    }
    return p;
}

// Starts the job of a flight that this request leads. The flight lands in any case.
static void lead(struct srv_request *rq, enum graph_format format, const uint8_t *key) {
    struct production *p = new_production(rq, format, key);
    struct srv_landing landing = {.document = NULL};
    struct srv_job job = {
        .skeleton = rq->record->skeleton,
        .strip = rq->record->strip,
        .size = rq->record->size,
        .format = format,
        .dpi = rq->params.dpi,
        .options = &rq->params.options,
        .wanted = is_wanted,
    };

    if (!p) {
        error_set(&landing.error, ERR_NOMEM, "no memory for a job");
        srv_flights_land(rq->service->flights, key, &landing);
        return;
    }
    memcpy(job.id, rq->record->id, sizeof(job.id));
    memcpy(job.skeleton_digest, rq->record->skeleton_digest, sizeof(job.skeleton_digest));
    // A flight of the same key may have landed between the look into the cache and this one.
    landing.document = srv_cache_get(rq->service->cache, key);
    if (landing.document || srv_jobs_submit(rq->service->jobs, &job, done, p, &landing.error) < 0) {
        land(p, &landing);
    }
}

void srv_produce(struct srv_request *rq, enum graph_format format,
                 void (*next)(struct srv_request *rq)) {
    uint8_t key[SRV_LRU_KEY];
    struct srv_landing refused = {.document = NULL};
    bool leads;

    if (srv_document_key(key, rq->record, format, &rq->params, &rq->service->config->limits,
                         &rq->error) < 0) {
        next(rq);
        return;
    }
    rq->document = srv_cache_get(rq->service->cache, key);
    if (rq->document) {
        rq->cache = "hit";
        next(rq);
        return;
    }
    srv_request_wait(rq, next);
    if (srv_flights_join(rq->service->flights, key, &rq->waiter, &leads, &refused.error) < 0) {
        rq->waiter.landed(&rq->waiter, &refused);
        return;
    }
    // Another thread may land the waiter from here on, but the request is taken up again by this
    // one, when it is done here.
    rq->cache = leads ? "miss" : "joined";
    if (leads) {
        lead(rq, format, key);
    }
}

static bool is_lost(const struct error *err) {
    return err->code == ERR_CRASH || err->code == ERR_TIMEOUT;
}

// A picture that could not be made in time may come out at a smaller depth.
static void offer_shallower(struct srv_request *rq) {
    uint32_t depth = rq->params.options.depth;
    struct buf url;

    if (rq->route->takes_model || !(rq->route->params & SRV_PARAM_VIEW) || depth == 0) {
        return;
    }
    buf_init(&url, 256);
    buf_add_z(&url, "/v1/models/");
    buf_add_str(&url, rq->captured);
    buf_add_z(&url, "/graph.");
    buf_add_z(&url, graph_formats[rq->route->format].name);
    buf_printf(&url, "?depth=%u", depth > 1 && depth < GRAPH_DEPTH_AUTO ? depth / 2 : depth > 1);
    rq->alternative = arena_str(&rq->arena, buf_str(&url));
    buf_release(&url);
}

static void unref_document(void *owner) {
    srv_document_unref(owner);
}

static const struct {
    enum srv_reply_kind kind;
    const char *ending;
} forms[GRAPH_FORMATS] = {
    [GRAPH_FORMAT_SVG] = {SRV_REPLY_SVG, "svg"},
    [GRAPH_FORMAT_PNG] = {SRV_REPLY_IMAGE, "png"},
    [GRAPH_FORMAT_PDF] = {SRV_REPLY_IMAGE, "pdf"},
    [GRAPH_FORMAT_HTML] = {SRV_REPLY_EXPORT, "html"},
    [GRAPH_FORMAT_DOT] = {SRV_REPLY_DATA, "dot"},
    [GRAPH_FORMAT_JSON] = {SRV_REPLY_DATA, "json"},
    [GRAPH_FORMAT_LAYOUT] = {SRV_REPLY_DATA, "layout.json"},
    [GRAPH_FORMAT_SUMMARY] = {SRV_REPLY_DATA, "summary.json"},
    [GRAPH_FORMAT_NODES] = {SRV_REPLY_DATA, "nodes.json"},
    [GRAPH_FORMAT_MODULES] = {SRV_REPLY_DATA, "modules.json"},
    [GRAPH_FORMAT_SUMMARY_TABLE] = {SRV_REPLY_DATA, "summary.txt"},
    [GRAPH_FORMAT_NODES_TABLE] = {SRV_REPLY_DATA, "nodes.txt"},
    [GRAPH_FORMAT_MODULES_TABLE] = {SRV_REPLY_DATA, "modules.txt"},
};

void srv_reply_name_file(struct srv_request *rq, enum graph_format format) {
    struct buf name;

    rq->reply.download = rq->params.download;
    buf_init(&name, sizeof(rq->reply.filename) - 1);
    buf_printf(&name, "onnxscope-%.8s.%s", rq->record->id, forms[format].ending);
    if (name.n) {
        memcpy(rq->reply.filename, name.p, name.n);
    }
    rq->reply.filename[name.n] = '\0';
    buf_release(&name);
}

enum srv_reply_kind srv_document_kind(enum graph_format format) {
    return forms[format].kind;
}

void srv_reply_document(struct srv_request *rq) {
    struct srv_document *d = rq->document;
    struct srv_reply *r = &rq->reply;

    if (!d) {
        if (is_lost(&rq->error)) {
            offer_shallower(rq);
        }
        srv_reply_error(rq, &rq->error);
        return;
    }
    srv_document_ref(d);
    r->status = 200;
    r->kind = forms[d->format].kind;
    r->content_type = graph_formats[d->format].content_type;
    r->body = d->body;
    r->document = d;
    r->owner = d;
    r->release = unref_document;
    r->has_warnings = true;
    r->warnings = d->warnings;
    srv_reply_name_file(rq, d->format);
}
