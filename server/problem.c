#include "server/problem.h"

#include "base/json_write.h"
#include "base/utf8.h"

#define TYPE_PREFIX "urn:onnxscope:problem:"

static const struct {
    unsigned status;
    const char *slug;
    const char *title;
} statuses[] = {
    {400, "bad-request", "The request is malformed"},
    {403, "forbidden", "This origin may not do that"},
    {404, "not-found", "There is no such thing here"},
    {405, "method-not-allowed", "The method does not exist here"},
    {406, "not-acceptable", "No acceptable format"},
    {408, "request-timeout", "The request came too slowly"},
    {413, "too-large", "A limit was reached"},
    {415, "unsupported-encoding", "The Content-Encoding is not known"},
    {417, "expectation-failed", "The expectation cannot be met"},
    {421, "unknown-host", "The Host header names no host of this service"},
    {422, "no-model", "This is no usable ONNX model"},
    {429, "queue-full", "Too many pictures are being drawn"},
    {431, "headers-too-large", "The header fields are too large"},
    {500, "internal", "The service failed"},
    {501, "not-implemented", "The service cannot do that"},
    {503, "unavailable", "The service is not available now"},
    {504, "deadline", "The work took too long"},
    {507, "store-full", "There is no room for another model"},
};

static const struct {
    int code;
    unsigned status;
} codes[] = {
    {ERR_NOMEM, 503}, {ERR_USAGE, 400},     {ERR_FORMAT, 422},      {ERR_TRUNCATED, 422},
    {ERR_LIMIT, 413}, {ERR_NOT_FOUND, 404}, {ERR_TIMEOUT, 504},     {ERR_CRASH, 500},
    {ERR_BUSY, 503},  {ERR_FULL, 507},      {ERR_UNSUPPORTED, 501},
};

unsigned srv_problem_status(int code) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(codes); i++) {
        if (codes[i].code == code) {
            return codes[i].status;
        }
    }
    return 500;
}

const char *srv_problem_slug(unsigned status) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(statuses); i++) {
        if (statuses[i].status == status) {
            return statuses[i].slug;
        }
    }
    return "error";
}

const char *srv_problem_title(unsigned status) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(statuses); i++) {
        if (statuses[i].status == status) {
            return statuses[i].title;
        }
    }
    return "An error";
}

static void write_type(struct json_write *json, unsigned status) {
    struct buf type;

    buf_init(&type, 256);
    buf_add_z(&type, TYPE_PREFIX);
    buf_add_z(&type, srv_problem_slug(status));
    json_member_str(json, "type", buf_str(&type));
    buf_release(&type);
}

static void write_limit(struct json_write *json, const char *limit) {
    struct buf setting;

    buf_init(&setting, 256);
    buf_add_z(&setting, "--");
    buf_add_z(&setting, limit);
    json_member_z(json, "limit", limit);
    json_member_str(json, "setting", buf_str(&setting));
    buf_release(&setting);
}

void srv_problem_write_json(struct buf *out, const struct srv_problem *p) {
    struct json_write json;

    json_write_init(&json, out);
    json_open_object(&json);
    write_type(&json, p->status);
    json_member_z(&json, "title", srv_problem_title(p->status));
    json_member_u64(&json, "status", p->status);
    json_member_z(&json, "detail", p->error.text);
    if (p->error.limit[0]) {
        write_limit(&json, p->error.limit);
    }
    if (p->error.code && p->error.offset != ERROR_NO_OFFSET) {
        json_member_u64(&json, "offset", p->error.offset);
    }
    if (p->error.field[0]) {
        json_member_z(&json, "field", p->error.field);
    }
    if (p->retry_after) {
        json_member_u64(&json, "retry_after", p->retry_after);
    }
    if (p->alternative.n) {
        json_member_str(&json, "alternative", p->alternative);
    }
    if (p->request_id) {
        json_member_z(&json, "request_id", p->request_id);
    }
    json_close_object(&json);
}
