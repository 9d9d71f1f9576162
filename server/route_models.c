#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "server/etag.h"
#include "server/produce.h"
#include "server/routes.h"

#define LIST_BYTES ((size_t)4 << 20)
#define MODELS_PATH "/v1/models/"

static void unref_record(void *owner) {
    srv_record_unref(owner);
}

// The summary of rq->record as the body; the reply holds its own reference.
static void reply_summary(struct srv_request *rq, unsigned status) {
    srv_record_ref(rq->record);
    rq->reply.status = status;
    rq->reply.kind = SRV_REPLY_DATA;
    rq->reply.content_type = "application/json";
    rq->reply.body = rq->record->summary;
    rq->reply.owner = rq->record;
    rq->reply.release = unref_record;
}

static void reply_stored(struct srv_request *rq, bool existed) {
    struct buf location;

    reply_summary(rq, existed ? 200 : 201);
    buf_init(&location, sizeof(rq->reply.location) - 1);
    buf_add_z(&location, MODELS_PATH);
    buf_add_z(&location, rq->record->id);
    if (location.n) {
        memcpy(rq->reply.location, location.p, location.n);
    }
    buf_release(&location);
}

// The record is still this request's alone: the job that read its skeleton is over.
static int complete_record(struct srv_request *rq, struct error *err) {
    const struct srv_document *d = rq->document;
    struct srv_record *record = rq->record;
    uint8_t *copy = malloc(d->body.n ? d->body.n : 1);

    if (!copy) {
        return error_set(err, ERR_NOMEM, "no memory for a summary");
    }
    if (d->body.n) {
        memcpy(copy, d->body.p, d->body.n);
    }
    record->buffers[1] = copy;
    record->summary = (struct slice){copy, d->body.n};
    record->nodes = d->nodes;
    utf8_copy_shown(record->producer, sizeof(record->producer), str_from(d->producer));
    return 0;
}

// A store on a disk waits for it.
static void put(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    int rc = store->ops->put(store, rq->record, &rq->existed, &rq->error);

    assert(rc == rq->error.code);
    (void)rc;
}

static void stored(struct srv_request *rq) {
    if (rq->error.code) {
        srv_reply_error(rq, &rq->error);
    } else {
        reply_stored(rq, rq->existed);
    }
}

static void store_model(struct srv_request *rq) {
    if (!rq->document || complete_record(rq, &rq->error) < 0) {
        srv_reply_error(rq, &rq->error);
        return;
    }
    srv_request_offload(rq, put, stored);
}

void srv_route_models_post(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    struct srv_record *known;

    if (store->ops->get(store, str_from(rq->record->id), &known, NULL) == 0) {
        srv_record_unref(rq->record);
        rq->record = known;
        reply_stored(rq, true);
        return;
    }
    srv_produce(rq, GRAPH_FORMAT_SUMMARY, store_model);
}

void srv_route_model_get(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    char etag[SRV_ETAG_BYTES];
    struct error err;

    if (store->ops->get(store, rq->captured, &rq->record, &err) < 0) {
        srv_reply_error(rq, &err);
        return;
    }
    srv_etag_write(etag, rq->record->summary);
    if (srv_reply_not_modified(rq, etag)) {
        rq->reply.kind = SRV_REPLY_DATA;
    } else {
        reply_summary(rq, 200);
        srv_reply_name_file(rq, GRAPH_FORMAT_SUMMARY);
        memcpy(rq->reply.etag, etag, sizeof(etag));
    }
    // The model may be deleted at any time, so whether it is there has to be asked again.
    rq->reply.age = SRV_AGE_REVALIDATE;
}

void srv_route_model_delete(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    struct error err;

    if (store->ops->remove(store, rq->captured, &err) < 0) {
        srv_reply_error(rq, &err);
        return;
    }
    srv_reply_empty(rq);
}

static void write_time(struct json_write *json, int64_t seconds) {
    time_t t = (time_t)seconds;
    struct tm utc;
    char text[48];

    gmtime_r(&t, &utc);
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ", utc.tm_year + 1900,
             utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
    json_member_z(json, "created", text);
}

static void write_row(struct json_write *json, const struct srv_listing *row) {
    json_open_object(json);
    json_member_z(json, "id", row->id);
    json_member_u64(json, "size", row->size);
    json_member_z(json, "producer", row->producer);
    json_member_u64(json, "nodes", row->nodes);
    write_time(json, row->created);
    json_close_object(json);
}

static void write_list(struct buf *out, const struct srv_listing *rows, size_t n, bool more) {
    struct json_write json;
    size_t i;

    json_write_init(&json, out);
    json_open_object(&json);
    json_key(&json, "models");
    json_open_array(&json);
    for (i = 0; i < n; i++) {
        write_row(&json, &rows[i]);
    }
    json_close_array(&json);
    json_member_z(&json, "next", more && n ? rows[n - 1].id : NULL);
    json_close_object(&json);
}

void srv_route_models_list(struct srv_request *rq) {
    struct srv_store *store = rq->service->store;
    size_t max = (size_t)rq->params.limit, n = 0;
    struct srv_listing *rows = calloc(max, sizeof(*rows));
    struct buf body;
    struct error err;
    bool more = false;

    if (!rows) {
        error_set(&err, ERR_NOMEM, "no memory for a list of %zu models", max);
        srv_reply_error(rq, &err);
        return;
    }
    if (store->ops->list(store, str_from(rq->params.cursor), rows, max, &n, &more, &err) < 0) {
        srv_reply_error(rq, &err);
    } else {
        buf_init(&body, LIST_BYTES);
        write_list(&body, rows, n, more);
        srv_reply_json(rq, &body);
    }
    free(rows);
}
