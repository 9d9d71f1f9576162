#include "server/router.h"

#include <criterion/criterion.h>

#include "base/attr.h"
#include "server/config.h"
#include "server/metrics.h"
#include "server/query.h"
#include "server/routes.h"

static struct srv_match find(const char *path, enum srv_method method) {
    return srv_route_find(str_from(path), method);
}

static void expect_allow(const char *path, const char *allow) {
    struct buf out;

    buf_init(&out, 256);
    srv_methods_write(&out, find(path, SRV_METHOD_OTHER).allowed);
    cr_expect(str_eq_z(buf_str(&out), allow), "%s: %.*s", path, STR_ARG(buf_str(&out)));
    buf_release(&out);
}

Test(router, finds_routes_by_path_and_method) {
    cr_expect_eq(find("/v1/models", SRV_METHOD_GET).route->handler, srv_route_models_list);
    cr_expect_eq(find("/v1/models", SRV_METHOD_HEAD).route->handler, srv_route_models_list);
    cr_expect_eq(find("/v1/models", SRV_METHOD_POST).route->handler, srv_route_models_post);
    cr_expect_eq(find("/v1/render", SRV_METHOD_POST).route->handler, srv_route_render);
    cr_expect_eq(find("/", SRV_METHOD_GET).route->handler, srv_route_index);
}

Test(router, captures_one_segment) {
    struct srv_match m = find("/v1/models/abc/graph.dot", SRV_METHOD_GET);

    cr_assert_not_null(m.route);
    cr_expect_eq(m.route->format, GRAPH_FORMAT_DOT);
    cr_expect(str_eq_z(m.captured, "abc"));
    m = find("/v1/models/nodes.json", SRV_METHOD_GET);
    cr_expect(str_eq_z(m.captured, "nodes.json"), "a name is a name wherever it stands");
}

Test(router, splits_before_it_decodes) {
    struct srv_match m = find("/v1%2Fmodels", SRV_METHOD_GET);

    cr_expect(!m.route && m.allowed == 0);
    m = find("/%76%31/models", SRV_METHOD_GET);
    cr_assert_not_null(m.route, "an escaped letter is that letter");
    cr_expect_eq(m.route->handler, srv_route_models_list);
    m = find("/v1/models/a%2Fgraph.svg", SRV_METHOD_GET);
    cr_assert_not_null(m.route);
    cr_expect_eq(m.route->handler, srv_route_model_get);
    cr_expect(str_eq_z(m.captured, "a%2Fgraph.svg"));
    cr_expect_null(find("/livez%", SRV_METHOD_GET).route);
    cr_expect_null(find("/live", SRV_METHOD_GET).route);
    cr_expect_null(find("/livezz", SRV_METHOD_GET).route);
}

Test(router, finds_nothing_elsewhere) {
    static const char *const paths[] = {"",
                                        "//",
                                        "/v1",
                                        "/v1/models/",
                                        "/v1//models",
                                        "/v1/models/abc/",
                                        "/livez/",
                                        "livez",
                                        "/v1/models//graph.svg",
                                        "/V1/models",
                                        "/v1/models/abc/graph.svg/x",
                                        "/embed/"};
    size_t i;

    for (i = 0; i < ARRAY_LEN(paths); i++) {
        struct srv_match m = find(paths[i], SRV_METHOD_GET);

        cr_expect(!m.route && m.allowed == 0, "\"%s\"", paths[i]);
    }
}

Test(router, says_what_a_path_allows) {
    expect_allow("/livez", "GET, HEAD");
    expect_allow("/v1/models", "GET, HEAD, POST");
    expect_allow("/v1/models/abc", "GET, HEAD, DELETE");
    expect_allow("/v1/render", "POST");
    cr_expect_null(find("/v1/render", SRV_METHOD_GET).route);
    cr_expect_null(find("/livez", SRV_METHOD_DELETE).route);
}

Test(router, reads_methods_with_their_case) {
    cr_expect_eq(srv_method_parse(STR("GET")), SRV_METHOD_GET);
    cr_expect_eq(srv_method_parse(STR("TRACE")), SRV_METHOD_OTHER);
    cr_expect_eq(srv_method_parse(STR("get")), 0);
    cr_expect_eq(srv_method_parse(STR("")), 0);
    cr_expect_eq(srv_method_parse(STR("GETS")), 0);
}

Test(router, gives_every_picture_its_view_options) {
    size_t i;

    for (i = 0; i < srv_route_count(); i++) {
        const struct srv_route *r = srv_route_at(i);
        bool picture = r->handler == srv_route_document && graph_formats[r->format].is_picture;

        cr_expect(!picture || (r->params & SRV_PARAM_VIEW), "%s", r->pattern);
        cr_expect(!r->takes_model || (r->methods & SRV_METHOD_POST), "%s", r->pattern);
    }
}

Test(router, every_row_is_described_and_counted) {
    cr_expect_lt(srv_route_count(), SRV_METRIC_ROUTES);
    cr_expect_leq(srv_setting_count(), SRV_METRIC_LIMITS);
    for (size_t i = 0; i < srv_route_count(); i++) {
        cr_expect(srv_route_at(i)->summary && srv_route_at(i)->summary[0], "%s",
                  srv_route_at(i)->pattern);
    }
}
