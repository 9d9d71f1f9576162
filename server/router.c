#include "server/router.h"

#include "base/attr.h"
#include "server/query.h"
#include "server/routes.h"

#define GET SRV_METHOD_GET
#define POST SRV_METHOD_POST
#define DELETE SRV_METHOD_DELETE
#define PICTURE (SRV_PARAM_VIEW | SRV_PARAM_DOWNLOAD | SRV_PARAM_VERSION)
#define DOCUMENT (SRV_PARAM_DOWNLOAD | SRV_PARAM_VERSION)
#define RENDER (SRV_PARAM_VIEW | SRV_PARAM_DOWNLOAD | SRV_PARAM_FORMAT | SRV_PARAM_DPI)

static const struct srv_route routes[] = {
    {POST, "/v1/render", srv_route_render, true, RENDER, GRAPH_FORMAT_SVG,
     "Draw a model; nothing is stored"},
    {POST, "/v1/models", srv_route_models_post, true, 0, GRAPH_FORMAT_SUMMARY,
     "Store a model; 200 when it was known"},
    {GET, "/v1/models", srv_route_models_list, false, SRV_PARAM_LIST, GRAPH_FORMAT_SUMMARY,
     "List stored models"},
    {GET, "/v1/models/{id}", srv_route_model_get, false, DOCUMENT, GRAPH_FORMAT_SUMMARY,
     "Summary of a model"},
    {DELETE, "/v1/models/{id}", srv_route_model_delete, false, 0, GRAPH_FORMAT_SUMMARY,
     "Delete a model"},
    {GET, "/v1/models/{id}/modules.json", srv_route_document, false, DOCUMENT, GRAPH_FORMAT_MODULES,
     "Every module: class, calls, sizes"},
    {GET, "/v1/models/{id}/nodes.json", srv_route_document, false, DOCUMENT, GRAPH_FORMAT_NODES,
     "Every node with its module and its values"},
    {GET, "/v1/models/{id}/graph.svg", srv_route_document, false, PICTURE, GRAPH_FORMAT_SVG,
     "The view as SVG"},
    {GET, "/v1/models/{id}/graph.png", srv_route_document, false, PICTURE | SRV_PARAM_DPI,
     GRAPH_FORMAT_PNG, "The view as PNG"},
    {GET, "/v1/models/{id}/graph.pdf", srv_route_document, false, PICTURE, GRAPH_FORMAT_PDF,
     "The view as PDF"},
    {GET, "/v1/models/{id}/graph.html", srv_route_document, false, PICTURE, GRAPH_FORMAT_HTML,
     "The view as a page in one file"},
    {GET, "/v1/models/{id}/graph.json", srv_route_document, false, PICTURE, GRAPH_FORMAT_JSON,
     "The view as data"},
    {GET, "/v1/models/{id}/layout.json", srv_route_document, false, PICTURE, GRAPH_FORMAT_LAYOUT,
     "The view as data, with places"},
    {GET, "/v1/models/{id}/graph.dot", srv_route_document, false, PICTURE, GRAPH_FORMAT_DOT,
     "The view for Graphviz"},
    {GET, "/livez", srv_route_livez, false, 0, GRAPH_FORMAT_SUMMARY, "Whether the daemon lives"},
    {GET, "/readyz", srv_route_readyz, false, 0, GRAPH_FORMAT_SUMMARY, "Whether it takes work"},
    {GET, "/version", srv_route_version, false, 0, GRAPH_FORMAT_SUMMARY, "Version and formats"},
    {GET, "/metrics", srv_route_metrics, false, 0, GRAPH_FORMAT_SUMMARY, "Counters for Prometheus"},
    {GET, "/openapi.json", srv_route_openapi, false, 0, GRAPH_FORMAT_SUMMARY, "This description"},
    {GET, "/oembed", srv_route_oembed, false, SRV_PARAM_OEMBED, GRAPH_FORMAT_SUMMARY,
     "Code that embeds a page of a model"},
    {GET, "/", srv_route_index, false, SRV_PARAM_ANY, GRAPH_FORMAT_SUMMARY, "Start page"},
    {GET, "/models/{id}", srv_route_viewer, false, SRV_PARAM_ANY, GRAPH_FORMAT_SUMMARY,
     "Page of a model"},
    {GET, "/embed/{id}", srv_route_embed, false, SRV_PARAM_ANY, GRAPH_FORMAT_SUMMARY,
     "Page of a model for frames"},
    {GET, "/assets/{name}", srv_route_asset, false, SRV_PARAM_ANY, GRAPH_FORMAT_SUMMARY,
     "Files of the pages"},
};

static const struct {
    const char *name;
    enum srv_method method;
} methods[] = {
    {"GET", SRV_METHOD_GET},       {"HEAD", SRV_METHOD_HEAD},   {"POST", SRV_METHOD_POST},
    {"DELETE", SRV_METHOD_DELETE}, {"PUT", SRV_METHOD_OTHER},   {"PATCH", SRV_METHOD_OTHER},
    {"OPTIONS", SRV_METHOD_OTHER}, {"TRACE", SRV_METHOD_OTHER}, {"CONNECT", SRV_METHOD_OTHER},
};

enum srv_method srv_method_parse(struct str name) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(methods); i++) {
        if (str_eq_z(name, methods[i].name)) {
            return methods[i].method;
        }
    }
    return (enum srv_method)0;
}

void srv_methods_write(struct buf *out, unsigned set) {
    size_t i, n = 0;

    for (i = 0; i < ARRAY_LEN(methods); i++) {
        if ((set & methods[i].method) && methods[i].method != SRV_METHOD_OTHER) {
            buf_add_z(out, n++ ? ", " : "");
            buf_add_z(out, methods[i].name);
        }
    }
}

size_t srv_route_count(void) {
    return ARRAY_LEN(routes);
}

const struct srv_route *srv_route_at(size_t i) {
    return &routes[i];
}

static bool is_segment(struct str raw, struct str want) {
    char c;

    while (raw.n && want.n && srv_percent_next(&raw, &c) && c == want.p[0]) {
        want = str_skip(want, 1);
    }
    return raw.n == 0 && want.n == 0;
}

static bool match(struct str pattern, struct str path, struct str *captured) {
    struct str want, have;
    bool more_want, more_have;

    for (;;) {
        more_want = str_next(&pattern, '/', &want);
        more_have = str_next(&path, '/', &have);
        if (!more_want || !more_have) {
            return more_want == more_have;
        }
        if (want.n && want.p[0] == '{') {
            if (have.n == 0) {
                return false;
            }
            *captured = have;
        } else if (!is_segment(have, want)) {
            return false;
        }
    }
}

struct srv_match srv_route_find(struct str path, enum srv_method method) {
    struct srv_match found = {NULL, {NULL, 0}, 0};
    size_t i;

    for (i = 0; i < ARRAY_LEN(routes); i++) {
        unsigned have = routes[i].methods;
        struct str captured = {NULL, 0};

        have |= have & SRV_METHOD_GET ? SRV_METHOD_HEAD : 0;
        if (!match(str_from(routes[i].pattern), path, &captured)) {
            continue;
        }
        found.allowed |= have;
        if (have & method) {
            found.route = &routes[i];
            found.captured = captured;
        }
    }
    return found;
}
