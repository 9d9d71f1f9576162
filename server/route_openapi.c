#include "base/json_write.h"
#include "server/http_request.h"
#include "server/problem.h"
#include "server/routes.h"
#include "server/version.h"

// The description of the service (OpenAPI 3.1), written from the tables that serve it: routes,
// parameters, view options, formats, problems.

#define BODY_BYTES ((size_t)1 << 20)
#define FIRST_PROBLEM 400u
#define LAST_PROBLEM 599u

static const struct {
    enum srv_method method;
    const char *name;
} operations[] = {{SRV_METHOD_GET, "get"},
                  {SRV_METHOD_POST, "post"},
                  {SRV_METHOD_DELETE, "delete"}};

// What a handler answers; documents name their own type.
static const struct {
    void (*handler)(struct srv_request *rq);
    const char *status, *type;
} answers[] = {
    {srv_route_models_post, "201", "application/json"},
    {srv_route_model_delete, "204", NULL},
    {srv_route_metrics, "200", "text/plain"},
    {srv_route_index, "200", "text/html"},
    {srv_route_viewer, "200", "text/html"},
    {srv_route_embed, "200", "text/html"},
    {srv_route_asset, "200", "*/*"},
};

static void open_member(struct json_write *w, const char *name) {
    json_key(w, name);
    json_open_object(w);
}

static void write_enum(struct json_write *w, const char *const *words) {
    json_key(w, "enum");
    json_open_array(w);
    for (; *words; words++) {
        json_add_z(w, *words);
    }
    json_close_array(w);
}

static void write_option_schema(struct json_write *w, const struct graph_option *row) {
    open_member(w, "schema");
    if (row->type == GRAPH_OPTION_UINT) {
        json_member_z(w, "type", "integer");
        json_member_u64(w, "minimum", row->min);
        json_member_u64(w, "maximum", row->max);
    } else if (row->type == GRAPH_OPTION_BOOL) {
        static const char *const flags[] = {"0", "1", NULL};

        json_member_z(w, "type", "string");
        write_enum(w, flags);
    } else {
        json_member_z(w, "type", "string");
    }
    if (row->type == GRAPH_OPTION_ENUM && !row->digits) {
        write_enum(w, row->words);
    }
    json_close_object(w);
}

static void write_option(struct json_write *w, const struct graph_option *row) {
    json_open_object(w);
    json_member_z(w, "name", row->name);
    json_member_z(w, "in", "query");
    json_key(w, "description");
    {
        struct buf text;

        buf_init(&text, BODY_BYTES);
        buf_add_z(&text, row->help);
        buf_add_z(&text, row->values[0] ? "; " : "");
        buf_add_z(&text, row->values);
        buf_add_z(&text, row->standard[0] ? "; default " : "");
        buf_add_z(&text, row->standard);
        json_add_str(w, buf_str(&text));
        buf_release(&text);
    }
    write_option_schema(w, row);
    json_close_object(w);
}

static void write_formats(struct json_write *w) {
    json_key(w, "enum");
    json_open_array(w);
    for (size_t i = 0; i < GRAPH_FORMATS; i++) {
        if (graph_formats[i].is_picture) {
            json_add_z(w, graph_formats[i].name);
        }
    }
    json_close_array(w);
}

static void write_parameter(struct json_write *w, const struct srv_parameter *row) {
    json_open_object(w);
    json_member_z(w, "name", row->name);
    json_member_z(w, "in", "query");
    if (row->need == SRV_PARAM_OEMBED && str_eq_z(STR("url"), row->name)) {
        json_member_bool(w, "required", true);
    }
    json_member_z(w, "description", row->help);
    open_member(w, "schema");
    json_member_z(w, "type", "string");
    if (row->need == SRV_PARAM_FORMAT) {
        write_formats(w);
    }
    json_close_object(w);
    json_close_object(w);
}

// The segment in braces.
static void write_segment(struct json_write *w, const char *pattern) {
    struct str rest = str_from(pattern);
    size_t open = str_find(rest, '{');

    if (open == STR_NPOS) {
        return;
    }
    rest = str_skip(rest, open + 1);
    json_open_object(w);
    json_member_str(w, "name", str_sub(rest, 0, str_find(rest, '}')));
    json_member_z(w, "in", "path");
    json_member_bool(w, "required", true);
    open_member(w, "schema");
    json_member_z(w, "type", "string");
    if (str_starts(rest, STR("id}"))) {
        json_member_z(w, "pattern", "^[0-9a-f]{64}$");
    }
    json_close_object(w);
    json_close_object(w);
}

static void write_parameters(struct json_write *w, const struct srv_route *r) {
    json_key(w, "parameters");
    json_open_array(w);
    write_segment(w, r->pattern);
    for (size_t i = 0; (r->params & SRV_PARAM_VIEW) && i < graph_option_count; i++) {
        write_option(w, &graph_option_table[i]);
    }
    for (size_t i = 0; i < srv_parameter_count(); i++) {
        const struct srv_parameter row = srv_parameter_at(i);

        if (!row.need || (row.need & r->params)) {
            write_parameter(w, &row);
        }
    }
    json_close_array(w);
}

static void write_type(struct json_write *w, const char *type) {
    struct str whole = str_from(type);

    json_key_str(w, str_sub(whole, 0, str_find(whole, ';')));
    json_open_object(w);
    json_close_object(w);
}

static void write_body(struct json_write *w) {
    open_member(w, "requestBody");
    json_member_z(w, "description",
                  "An ONNX model; its Content-Type does not matter. gzip and zstd are undone. A "
                  "form sends it as the field model.");
    json_member_bool(w, "required", true);
    open_member(w, "content");
    write_type(w, "application/octet-stream");
    write_type(w, "multipart/form-data");
    json_close_object(w);
    json_close_object(w);
}

static void write_content(struct json_write *w, const struct srv_route *r, const char *type) {
    open_member(w, "content");
    if (r->params & SRV_PARAM_FORMAT) {
        for (size_t i = 0; i < GRAPH_FORMATS; i++) {
            if (graph_formats[i].is_picture) {
                write_type(w, graph_formats[i].content_type);
            }
        }
    } else {
        write_type(w, type);
    }
    json_close_object(w);
}

static void write_responses(struct json_write *w, const struct srv_route *r) {
    const char *status = "200", *type = graph_formats[r->format].content_type;

    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        if (answers[i].handler == r->handler) {
            status = answers[i].status;
            type = answers[i].type;
        }
    }
    open_member(w, "responses");
    open_member(w, status);
    json_member_z(w, "description", "Done");
    if (type) {
        write_content(w, r, type);
    }
    json_close_object(w);
    open_member(w, "default");
    json_member_z(w, "$ref", "#/components/responses/problem");
    json_close_object(w);
    json_close_object(w);
}

static void write_operation(struct json_write *w, const struct srv_route *r, const char *name) {
    open_member(w, name);
    json_member_z(w, "summary", r->summary);
    write_parameters(w, r);
    if (r->takes_model) {
        write_body(w);
    }
    write_responses(w, r);
    json_close_object(w);
}

static bool came_before(size_t i) {
    struct str pattern = str_from(srv_route_at(i)->pattern);

    for (size_t k = 0; k < i; k++) {
        if (str_eq_z(pattern, srv_route_at(k)->pattern)) {
            return true;
        }
    }
    return false;
}

// All methods of a path stand together, wherever their rows are.
static void write_path(struct json_write *w, size_t first) {
    struct str pattern = str_from(srv_route_at(first)->pattern);

    open_member(w, srv_route_at(first)->pattern);
    for (size_t i = first; i < srv_route_count(); i++) {
        const struct srv_route *r = srv_route_at(i);

        for (size_t k = 0; str_eq_z(pattern, r->pattern) && k < ARRAY_LEN(operations); k++) {
            if (r->methods & operations[k].method) {
                write_operation(w, r, operations[k].name);
            }
        }
    }
    json_close_object(w);
}

static void write_problem_types(struct json_write *w) {
    const struct str none = str_from(srv_problem_slug(0));

    json_key(w, "enum");
    json_open_array(w);
    for (unsigned status = FIRST_PROBLEM; status <= LAST_PROBLEM; status++) {
        struct buf type;

        if (str_eq_z(none, srv_problem_slug(status))) {
            continue;
        }
        buf_init(&type, BODY_BYTES);
        buf_add_z(&type, "urn:onnxscope:problem:");
        buf_add_z(&type, srv_problem_slug(status));
        json_add_str(w, buf_str(&type));
        buf_release(&type);
    }
    json_close_array(w);
}

static void write_problem_schema(struct json_write *w) {
    static const struct {
        const char *name, *type;
    } members[] = {{"title", "string"},     {"status", "integer"},      {"detail", "string"},
                   {"limit", "string"},     {"setting", "string"},      {"offset", "integer"},
                   {"field", "string"},     {"retry_after", "integer"}, {"alternative", "string"},
                   {"request_id", "string"}};

    open_member(w, "schema");
    json_member_z(w, "type", "object");
    open_member(w, "properties");
    open_member(w, "type");
    json_member_z(w, "type", "string");
    write_problem_types(w);
    json_close_object(w);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        open_member(w, members[i].name);
        json_member_z(w, "type", members[i].type);
        json_close_object(w);
    }
    json_close_object(w);
    json_close_object(w);
}

static void write_components(struct json_write *w) {
    open_member(w, "components");
    open_member(w, "responses");
    open_member(w, "problem");
    json_member_z(w, "description", "A problem (RFC 9457)");
    open_member(w, "content");
    open_member(w, "application/problem+json");
    write_problem_schema(w);
    json_close_object(w);
    json_close_object(w);
    json_close_object(w);
    json_close_object(w);
    json_close_object(w);
}

static void write_info(struct json_write *w) {
    json_member_z(w, "openapi", "3.1.0");
    open_member(w, "info");
    json_member_z(w, "title", "onnxscope");
    json_member_z(w, "version", ONNXSCOPE_VERSION);
    json_member_z(w, "description", "Pictures of ONNX models");
    json_close_object(w);
}

void srv_route_openapi(struct srv_request *rq) {
    struct json_write w;
    struct buf body;

    buf_init(&body, BODY_BYTES);
    json_write_init(&w, &body);
    json_open_object(&w);
    write_info(&w);
    open_member(&w, "paths");
    for (size_t i = 0; i < srv_route_count(); i++) {
        if (!came_before(i)) {
            write_path(&w, i);
        }
    }
    json_close_object(&w);
    write_components(&w);
    json_close_object(&w);
    srv_reply_json(rq, &body);
}
