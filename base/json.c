#include "base/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"

// cJSON is lenient where RFC 8259 is not, and a NUL ends its strings. So the text is scanned first;
// what cJSON gets is a terminated copy that has passed.
struct scan {
    struct str text;
    char *copy;
    size_t pos;
    size_t depth;
};

static int refuse(const struct scan *s, const char *why, struct error *err) {
    size_t at = s->pos < s->text.n ? s->pos : s->text.n;

    return error_set_at(err, ERR_FORMAT, at, NULL, "the JSON text %s", why);
}

static bool has(const struct scan *s, size_t at, struct str word) {
    return str_starts(str_skip(s->text, at), word);
}

static bool four_hex(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (str_find(STR("0123456789abcdefABCDEF"), s.p[i]) == STR_NPOS) {
            return false;
        }
    }
    return s.n == 4;
}

// cJSON takes an escape without four hex digits for \u0000, and that ends its string. So the former
// is an error, and the latter becomes \ufffd: the name it stands in is then shown like any other
// with a control character.
static int scan_escape(struct scan *s, struct error *err) {
    if (has(s, s->pos, STR("\\u")) && !four_hex(str_sub(s->text, s->pos + 2, 4))) {
        return refuse(s, "has a malformed escape", err);
    }
    if (has(s, s->pos, STR("\\u0000"))) {
        memcpy(s->copy + s->pos + 2, "fffd", 4);
    }
    s->pos++;
    return 0;
}

static int scan_string(struct scan *s, struct error *err) {
    for (s->pos++; s->pos < s->text.n; s->pos++) {
        char c = s->text.p[s->pos];

        if (c == '"') {
            s->pos++;
            return 0;
        }
        if ((unsigned char)c < 0x20) {
            return refuse(s, "has a control character in a string", err);
        }
        if (c == '\\' && scan_escape(s, err) < 0) {
            return ERR_FORMAT;
        }
    }
    return refuse(s, "ends inside a string", err);
}

static size_t scan_digits(struct scan *s) {
    size_t from = s->pos;

    while (s->pos < s->text.n && s->text.p[s->pos] >= '0' && s->text.p[s->pos] <= '9') {
        s->pos++;
    }
    return s->pos - from;
}

static bool skip_any(struct scan *s, const char *chars) {
    if (s->pos == s->text.n || !s->text.p[s->pos] || !strchr(chars, s->text.p[s->pos])) {
        return false;
    }
    s->pos++;
    return true;
}

// strtod, which cJSON asks, takes 01 and 1. as well.
static int scan_number(struct scan *s, struct error *err) {
    bool zero;

    skip_any(s, "-");
    zero = has(s, s->pos, STR("0"));
    if (zero ? scan_digits(s) != 1 : scan_digits(s) == 0) {
        return refuse(s, "has a malformed number", err);
    }
    if (skip_any(s, ".") && scan_digits(s) == 0) {
        return refuse(s, "has a malformed number", err);
    }
    if (!skip_any(s, "eE")) {
        return 0;
    }
    skip_any(s, "+-");
    return scan_digits(s) ? 0 : refuse(s, "has a malformed number", err);
}

static int scan_token(struct scan *s, struct error *err) {
    char c = s->text.p[s->pos];

    if (c == '"') {
        return scan_string(s, err);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        return scan_number(s, err);
    }
    if ((unsigned char)c < 0x20 && c != '\t' && c != '\n' && c != '\r') {
        return refuse(s, "has a control character", err);
    }
    if (c == '[' || c == '{') {
        s->depth++;
    } else if ((c == ']' || c == '}') && s->depth) {
        s->depth--;
    }
    s->pos++;
    return 0;
}

static int scan_text(struct scan *s, struct error *err) {
    int rc = 0;

    s->pos = utf8_valid_length(s->text);
    if (s->pos < s->text.n) {
        return refuse(s, "is not valid UTF-8", err);
    }
    s->pos = 0;
    while (rc == 0 && s->pos < s->text.n) {
        rc = scan_token(s, err);
        if (s->depth > CJSON_NESTING_LIMIT) {
            return refuse(s, "is nested too deeply", err);
        }
    }
    return rc;
}

// Not cJSON_GetErrorPtr(): all threads share that. The length counts the NUL, without which version
// 1.7.15 reads past the end of a text that stops behind a comma.
static int parse_copy(struct json **out, const char *copy, size_t n, struct error *err) {
    const char *end = copy;
    cJSON *doc = cJSON_ParseWithLengthOpts(copy, n + 1, &end, true);

    if (!doc) {
        return error_set_at(err, ERR_FORMAT, (uint64_t)(end - copy), NULL,
                            "the text is not valid JSON");
    }
    *out = (struct json *)doc;
    return 0;
}

int json_parse(struct json **out, struct str text, struct error *err) {
    struct scan s = {.text = text};
    int rc;

    if (text.n > JSON_PARSE_MAX) {
        return error_set_limit(err, NULL, "the JSON text is larger than %zu bytes", JSON_PARSE_MAX);
    }
    s.copy = malloc(text.n + 1);
    if (!s.copy) {
        return error_set(err, ERR_NOMEM, "no memory left for a JSON text");
    }
    if (text.n) {
        memcpy(s.copy, text.p, text.n);
    }
    s.copy[text.n] = '\0';
    rc = scan_text(&s, err);
    if (rc == 0) {
        rc = parse_copy(out, s.copy, text.n, err);
    }
    free(s.copy);
    return rc;
}

void json_free(struct json *doc) {
    cJSON_Delete((cJSON *)doc);
}

static const cJSON *item(const struct json *value) {
    return (const cJSON *)value;
}

const struct json *json_get(const struct json *object, const char *name) {
    if (!cJSON_IsObject(item(object))) {
        return NULL;
    }
    return (const struct json *)cJSON_GetObjectItemCaseSensitive(item(object), name);
}

size_t json_len(const struct json *array) {
    return cJSON_IsArray(item(array)) ? (size_t)cJSON_GetArraySize(item(array)) : 0;
}

const struct json *json_at(const struct json *array, size_t i) {
    if (!cJSON_IsArray(item(array)) || i > JSON_PARSE_MAX) {
        return NULL;
    }
    return (const struct json *)cJSON_GetArrayItem(item(array), (int)i);
}

struct str json_str(const struct json *value) {
    return str_from(cJSON_GetStringValue(item(value)));
}

double json_num(const struct json *value, double fallback) {
    const cJSON *v = item(value);

    return cJSON_IsNumber(v) && isfinite(v->valuedouble) ? v->valuedouble : fallback;
}

bool json_bool(const struct json *value, bool fallback) {
    const cJSON *v = item(value);

    return cJSON_IsBool(v) ? cJSON_IsTrue(v) : fallback;
}
