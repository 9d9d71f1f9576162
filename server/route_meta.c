#include "base/json_write.h"
#include "server/http_request.h"
#include "server/routes.h"
#include "server/version.h"

#define BODY_BYTES 4096
#define METRICS_BYTES ((size_t)1 << 20)

static void reply_state(struct srv_request *rq, const char *state) {
    struct json_write json;
    struct buf body;

    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_open_object(&json);
    json_member_z(&json, "status", state);
    json_close_object(&json);
    srv_reply_json(rq, &body);
}

void srv_route_livez(struct srv_request *rq) {
    reply_state(rq, "alive");
}

void srv_route_readyz(struct srv_request *rq) {
    struct srv_jobs_stats stats;

    srv_jobs_stats(rq->service->jobs, &stats);
    if (atomic_load(&rq->service->draining)) {
        srv_reply_text(rq, 503, "the service is shutting down");
    } else if (!stats.ready) {
        srv_reply_text(rq, 503, "the process that starts jobs is being started again");
    } else if (stats.waiting >= rq->service->config->queue) {
        srv_reply_text(rq, 503, "the queue of jobs is full");
    } else {
        reply_state(rq, "ready");
    }
}

void srv_route_metrics(struct srv_request *rq) {
    struct buf body;
    struct error err;

    buf_init(&body, METRICS_BYTES);
    srv_metrics_write(&body, rq->service);
    if (buf_check(&body, "the metrics", NULL, &err) < 0) {
        buf_release(&body);
        srv_reply_error(rq, &err);
        return;
    }
    rq->reply.status = 200;
    rq->reply.kind = SRV_REPLY_DATA;
    rq->reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    srv_reply_take_buf(&rq->reply, &body);
}

void srv_route_version(struct srv_request *rq) {
    struct json_write json;
    struct buf body;
    size_t i;

    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_open_object(&json);
    json_member_z(&json, "name", "onnxscope");
    json_member_z(&json, "version", ONNXSCOPE_VERSION);
    json_key(&json, "formats");
    json_open_array(&json);
    for (i = 0; i < GRAPH_FORMATS; i++) {
        if (graph_formats[i].is_picture) {
            json_add_z(&json, graph_formats[i].name);
        }
    }
    json_close_array(&json);
    json_close_object(&json);
    srv_reply_json(rq, &body);
}
