#include "server/query.h"

#include <string.h>

#include "base/num.h"
#include "server/version.h"

bool srv_percent_next(struct str *rest, char *c) {
    int high = rest->n > 2 && rest->p[0] == '%' ? num_hex_digit(rest->p[1]) : -1;
    int low = high >= 0 ? num_hex_digit(rest->p[2]) : -1;

    if (rest->n == 0) {
        return false;
    }
    *c = (char)(low >= 0 ? high << 4 | low : rest->p[0]);
    *rest = str_skip(*rest, low >= 0 ? 3 : 1);
    return true;
}

void srv_percent_decode(struct buf *out, struct str s, bool plus_is_space) {
    char c;

    while (s.n) {
        bool space = plus_is_space && s.p[0] == '+';

        srv_percent_next(&s, &c);
        buf_add_char(out, space ? ' ' : c);
    }
}

static int bad_value(const char *name, struct str value, const char *values, struct error *err) {
    struct str shown = str_sub(value, 0, 64);

    return error_set(err, ERR_USAGE, "parameter %s: '%.*s' is none of: %s", name, STR_ARG(shown),
                     values);
}

static int set_flag(bool *out, const char *name, struct str value, struct error *err) {
    if (!str_eq_z(value, "0") && !str_eq_z(value, "1")) {
        return bad_value(name, value, "0, 1", err);
    }
    *out = value.p[0] == '1';
    return 0;
}

static int set_dpi(struct srv_params *p, struct str value, struct error *err) {
    return graph_dpi_parse(&p->dpi, value, err);
}

static int set_download(struct srv_params *p, struct str value, struct error *err) {
    return set_flag(&p->download, "download", value, err);
}

static int set_format(struct srv_params *p, struct str value, struct error *err) {
    struct buf names;
    size_t i;
    int rc;

    buf_init(&names, 256);
    for (i = 0; i < GRAPH_FORMATS; i++) {
        if (!graph_formats[i].is_picture) {
            continue;
        }
        if (str_eq_z(value, graph_formats[i].name)) {
            p->format = (enum graph_format)i;
            p->has_format = true;
            buf_release(&names);
            return 0;
        }
        buf_add_z(&names, names.n ? ", " : "");
        buf_add_z(&names, graph_formats[i].name);
    }
    buf_add_char(&names, '\0');
    rc = bad_value("format", value, names.p ? (const char *)names.p : "", err);
    buf_release(&names);
    return rc;
}

static int set_errors(struct srv_params *p, struct str value, struct error *err) {
    p->errors_image = str_eq_z(value, "image");
    return p->errors_image || str_eq_z(value, "json")
               ? 0
               : bad_value("errors", value, "json, image", err);
}

// A URL that was pinned to another version is answered all the same, but not for ever.
static int set_version(struct srv_params *p, struct str value, struct error *err) {
    (void)err;
    p->pinned = str_eq_z(value, ONNXSCOPE_VERSION);
    return 0;
}

static int set_limit(struct srv_params *p, struct str value, struct error *err) {
    if (!num_parse_u64(value, &p->limit) || p->limit < 1 || p->limit > SRV_LIST_MAX) {
        return bad_value("limit", value, "1..1000", err);
    }
    return 0;
}

static int set_cursor(struct srv_params *p, struct str value, struct error *err) {
    if (value.n >= sizeof(p->cursor) || str_find(value, '\0') != STR_NPOS) {
        return bad_value("cursor", value, "what `next` of the page before holds", err);
    }
    if (value.n) {
        memcpy(p->cursor, value.p, value.n);
    }
    p->cursor[value.n] = '\0';
    return 0;
}

static int set_url(struct srv_params *p, struct str value, struct error *err) {
    if (value.n >= sizeof(p->url) || str_find(value, '\0') != STR_NPOS) {
        return error_set(err, ERR_USAGE, "parameter url: at most %zu bytes without a zero byte",
                         sizeof(p->url) - 1);
    }
    if (value.n) {
        memcpy(p->url, value.p, value.n);
    }
    p->url[value.n] = '\0';
    return 0;
}

static int set_pixels(uint64_t *out, const char *name, struct str value, struct error *err) {
    return num_parse_u64(value, out) && *out > 0
               ? 0
               : bad_value(name, value, "a number of pixels", err);
}

static int set_max_width(struct srv_params *p, struct str value, struct error *err) {
    return set_pixels(&p->max_width, "maxwidth", value, err);
}

static int set_max_height(struct srv_params *p, struct str value, struct error *err) {
    return set_pixels(&p->max_height, "maxheight", value, err);
}

// The specification of oEmbed wants 501 for a form that exists, but not here.
static int set_oembed_format(struct srv_params *p, struct str value, struct error *err) {
    (void)p;
    return str_eq_z(value, "json")
               ? 0
               : error_set(err, ERR_UNSUPPORTED, "parameter format: there is json alone");
}

static const struct parameter {
    struct srv_parameter public;
    int (*set)(struct srv_params *p, struct str value, struct error *err);
} parameters[] = {
    {{"format", SRV_PARAM_FORMAT, "",
      "what to draw; without it Accept decides, and an SVG comes "
      "first"},
     set_format},
    {{"dpi", SRV_PARAM_DPI, "8..1200", "dots an inch of a PNG, 96 without it"}, set_dpi},
    {{"download", SRV_PARAM_DOWNLOAD, "0, 1", "1: browsers save the answer as a file"},
     set_download},
    {{"v", SRV_PARAM_VERSION, "",
      "the version that GET /version names: the answer is kept for ever"},
     set_version},
    {{"limit", SRV_PARAM_LIST, "1..1000", "rows of a list, 100 without it"}, set_limit},
    {{"cursor", SRV_PARAM_LIST, "", "what next of the page before holds"}, set_cursor},
    {{"url", SRV_PARAM_OEMBED, "", "address of a page of a model"}, set_url},
    {{"maxwidth", SRV_PARAM_OEMBED, "", "pixels that the frame may be wide"}, set_max_width},
    {{"maxheight", SRV_PARAM_OEMBED, "", "pixels that the frame may be high"}, set_max_height},
    {{"format", SRV_PARAM_OEMBED, "json", "form of the answer"}, set_oembed_format},
    {{"errors", 0, "json, image", "image: errors are drawn, for <img>"}, set_errors},
};

size_t srv_parameter_count(void) {
    return ARRAY_LEN(parameters);
}

struct srv_parameter srv_parameter_at(size_t i) {
    return parameters[i].public;
}

static bool is_allowed(const struct parameter *row, unsigned allowed) {
    return row->public.need == 0 || (row->public.need & allowed);
}

void srv_params_list(struct buf *out, unsigned allowed) {
    size_t i;

    for (i = 0; i < ARRAY_LEN(parameters); i++) {
        if (is_allowed(&parameters[i], allowed)) {
            buf_add_z(out, out->n ? ", " : "");
            buf_add_z(out, parameters[i].public.name);
        }
    }
}

static int unknown(struct str name, unsigned allowed, struct error *err) {
    struct str shown = str_sub(name, 0, 64);
    struct error view = {0};
    struct buf list;
    int rc;

    buf_init(&list, 256);
    srv_params_list(&list, allowed);
    if (allowed & SRV_PARAM_VIEW) {
        struct graph_options scratch;

        graph_options_init(&scratch);
        rc = graph_options_set(&scratch, name, (struct str){NULL, 0}, &view);
        graph_options_release(&scratch);
        (void)rc;
        rc = error_set(err, ERR_USAGE, "%s; and the parameters %.*s", view.text,
                       STR_ARG(buf_str(&list)));
    } else {
        rc = error_set(err, ERR_USAGE, "unknown parameter '%.*s'; there are %.*s", STR_ARG(shown),
                       STR_ARG(buf_str(&list)));
    }
    buf_release(&list);
    return rc;
}

static int set_one(struct srv_params *p, struct str name, struct str value, unsigned allowed,
                   struct error *err) {
    size_t i;

    if ((allowed & SRV_PARAM_VIEW) && graph_option_find(name)) {
        return graph_options_set(&p->options, name, value, err);
    }
    for (i = 0; i < ARRAY_LEN(parameters); i++) {
        if (str_eq_z(name, parameters[i].public.name) && is_allowed(&parameters[i], allowed)) {
            return parameters[i].set(p, value, err);
        }
    }
    return allowed & SRV_PARAM_ANY ? 0 : unknown(name, allowed, err);
}

static int take_pair(struct srv_params *p, struct str pair, unsigned allowed, struct error *err) {
    size_t eq = str_find(pair, '=');
    struct buf name, value;
    int rc;

    buf_init(&name, SRV_QUERY_BYTES);
    buf_init(&value, SRV_QUERY_BYTES);
    srv_percent_decode(&name, str_sub(pair, 0, eq), true);
    srv_percent_decode(&value, eq == STR_NPOS ? (struct str){NULL, 0} : str_skip(pair, eq + 1),
                       true);
    rc = buf_check(&name, "the query", NULL, err);
    if (rc == 0) {
        rc = buf_check(&value, "the query", NULL, err);
    }
    if (rc == 0) {
        rc = set_one(p, buf_str(&name), buf_str(&value), allowed, err);
    }
    buf_release(&name);
    buf_release(&value);
    return rc;
}

void srv_params_init(struct srv_params *p) {
    *p = (struct srv_params){.limit = SRV_LIST_STANDARD};
    graph_options_init(&p->options);
}

void srv_params_release(struct srv_params *p) {
    if (p) {
        graph_options_release(&p->options);
    }
}

int srv_params_parse(struct srv_params *p, struct str query, unsigned allowed, struct error *err) {
    struct str pair;
    int rc = 0;

    while (rc == 0 && str_next(&query, '&', &pair)) {
        if (pair.n) {
            rc = take_pair(p, pair, allowed, err);
        }
    }
    return rc;
}

bool srv_query_wants_error_image(struct str query) {
    struct str pair;

    while (str_next(&query, '&', &pair)) {
        if (str_eq_z(pair, "errors=image")) {
            return true;
        }
    }
    return false;
}
