// The query of a URL: percent-decoding, and the parameters that a route takes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "graph/options.h"
#include "graph/render.h"

#define SRV_QUERY_BYTES ((size_t)16 << 10)  // of one decoded name or value
#define SRV_LIST_STANDARD 100               // rows of a list
#define SRV_LIST_MAX 1000
#define SRV_URL_BYTES 2048  // of the parameter url

struct srv_parameter {
    const char *name;
    unsigned need;       // a route has it when it takes one of these; 0 = every route has it
    const char *values;  // for documents
    const char *help;    // one line
};

// Parameters that are no view options. i < srv_parameter_count(). A name may come twice, for
// different routes.
size_t srv_parameter_count(void);
struct srv_parameter srv_parameter_at(size_t i);

// What a route takes beside `errors`, which every route takes.
enum srv_param {
    SRV_PARAM_VIEW = 1,      // every view option
    SRV_PARAM_FORMAT = 2,    // format
    SRV_PARAM_DOWNLOAD = 4,  // download
    SRV_PARAM_VERSION = 8,   // v
    SRV_PARAM_LIST = 16,     // limit, cursor
    SRV_PARAM_DPI = 64,      // dpi
    SRV_PARAM_OEMBED = 128,  // url, maxwidth, maxheight, format
    SRV_PARAM_ANY = 32,      // a page: whatever else there is belongs to its script
};

struct srv_params {
    struct graph_options options;
    bool has_format;
    enum graph_format format;
    bool download;
    uint32_t dpi;  // of a PNG, 0 = the standard
    bool errors_image;
    bool pinned;  // v is the version that runs
    uint64_t limit;
    char cursor[72];  // "" = from the first
    char url[SRV_URL_BYTES];
    uint64_t max_width, max_height;  // pixels
};

void srv_params_init(struct srv_params *p);
void srv_params_release(struct srv_params *p);

// Takes a query ("depth=2&format=svg") by the set of enum srv_param that a route allows. Parameters
// may come in any order; of one that comes twice the last counts. Errors: ERR_USAGE, naming the
// parameter and listing what exists; ERR_NOMEM.
int srv_params_parse(struct srv_params *p, struct str query, unsigned allowed,
                     struct error *err) WARN_UNUSED;

// Appends "format, download, errors": the parameters beside view options that a set allows.
void srv_params_list(struct buf *out, unsigned allowed);

// Whether a query asks for errors as pictures; looks nowhere else, so that it also works for a
// query that is wrong.
bool srv_query_wants_error_image(struct str query);

// Takes the first character off *rest, its % escape undone; false at the end.
bool srv_percent_next(struct str *rest, char *c);

// Appends `s` with its % escapes undone (malformed ones stay as they are); plus_is_space as in
// forms and queries.
void srv_percent_decode(struct buf *out, struct str s, bool plus_is_space);
