// Lists of strings as Python prints them: ['', 'layer1', "it's"]. What the dynamo exporter writes
// into node metadata.
//
// Grammar: repr() of a list of str, Python reference section 2.4.1: single or double quotes,
// escapes \\ \' \" \n \r \t \xNN \uNNNN \UNNNNNNNN. Anything else is no list. Not recursive; time
// linear in the text.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct graph_pylist {
    struct str *items;  // borrowed from the parsed text or from `text`, until the next parse
    size_t n, cap;
    size_t last;      // offset of the opening quote of the last item, 0 when there is none
    struct buf text;  // unescaped items
};

void graph_pylist_init(struct graph_pylist *l);
void graph_pylist_release(struct graph_pylist *l);

// Parses the whole text. *ok tells whether it was a list (an empty one is); items are only valid
// then. Errors: ERR_NOMEM.
int graph_pylist_parse(struct graph_pylist *l, struct str text, bool *ok,
                       struct error *err) WARN_UNUSED;
