// Which handler answers which request: one static table.
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"
#include "graph/render.h"

struct srv_request;

enum srv_method {
    SRV_METHOD_GET = 1,
    SRV_METHOD_HEAD = 2,  // wherever GET is
    SRV_METHOD_POST = 4,
    SRV_METHOD_DELETE = 8,
    SRV_METHOD_OTHER = 16,  // a method of HTTP that no route has
};

struct srv_route {
    unsigned methods;     // set of enum srv_method
    const char *pattern;  // "/v1/models/{id}/graph.svg"; a name in braces is one segment
    void (*handler)(struct srv_request *rq);
    bool takes_model;          // the body is a model
    unsigned params;           // set of enum srv_param
    enum graph_format format;  // of the document that the route gives
    const char *summary;       // one line
};

struct srv_match {
    const struct srv_route *route;  // NULL = see `allowed`
    struct str captured;            // the segment in braces, as it came
    unsigned allowed;               // methods of this path; 0 = there is no such path
};

// `path` is as it came: its segments are split first and decoded then, so that "%2F" is a character
// of a name. One of `method`'s routes, or what the path allows.
struct srv_match srv_route_find(struct str path, enum srv_method method);

// 0 for what is no method of HTTP (names have case).
enum srv_method srv_method_parse(struct str name);

// The table, row by row, for documents. i < srv_route_count().
size_t srv_route_count(void);
const struct srv_route *srv_route_at(size_t i);

// Appends "GET, HEAD, POST" for an Allow field.
void srv_methods_write(struct buf *out, unsigned methods);
