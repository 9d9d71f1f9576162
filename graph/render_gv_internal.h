// Shared by graph/render_gv*.c alone: the context, libgvc's messages, and a view as a cgraph.
//
// Graphviz's own types are only named here, so that this header needs none of its headers.
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/error.h"
#include "graph/label.h"
#include "graph/view.h"

struct GVC_s;
struct Agraph_s;
struct Agnode_s;
struct Agedge_s;

// The one context of the process, made at the first call. NULL without memory.
struct GVC_s *graph_gv_context(void);

// An empty directed graph whose layout and drawing depend on nothing but the order in which it is
// filled. NULL without memory; agclose().
struct Agraph_s *graph_gv_open(void);

// libgvc reports through a callback without user data, one message in several calls, and returns 0
// all the same. Forgets what was reported so far.
void graph_gv_messages_reset(void);

// ERR_BUG with the first error reported since the reset; warnings are none. `doing`: "nop2".
int graph_gv_messages_check(const char *doing, struct error *err) WARN_UNUSED;

// Text by pango, for PNG and PDF. It is on from start to stop, which returns how many characters no
// font had. Sealed: the process can neither open a file nor start a thread, which pango does for
// every size, style and script that it has not met before; so what was not warmed is replaced.
void graph_gv_pango_start(void);
size_t graph_gv_pango_stop(void);
void graph_gv_pango_alone(void);  // before the warming: one font for everything
void graph_gv_pango_seal(void);   // after it
bool graph_gv_pango_is_on(void);
bool graph_gv_pango_has_fonts(void);

// Lays out a textspan_t, no wider than `width` points; the size in it is not ours. false: pango
// could not.
bool graph_gv_pango_set(void *textspan, double width) WARN_UNUSED;

// cairo's renderer, but with the corners of the theme: libgvc rounds every box by 12 points.
struct graph_gv_renderer {
    int id;
    void *engine, *features;
};

// false: the plug-in has no renderer.
bool graph_gv_wrap_cairo(struct graph_gv_renderer *out) WARN_UNUSED;

// Radius of the corners from now on, in points.
void graph_gv_corners(double node, double cluster);

// A view as a cgraph, without labels and positions: clusters nested, nodes of fixed size, edges;
// their ids are m7, n12, e40.
struct graph_gv_graph {
    struct Agraph_s *g;
    struct Agraph_s **clusters;  // per view cluster
    struct Agnode_s **nodes;     // per view node
    struct Agedge_s **edges;     // per view edge; NULL: left out
    bool failed;                 // an attribute could not be set: no memory
};

// How much of a view is told. A node in nested clusters costs libgvc a look-up in each, and an edge
// that goes again one in all of them: what only draws placed boxes does without both.
struct graph_gv_extent {
    bool nests;            // nodes are in their clusters, else all beside them
    const bool *left_out;  // per view edge; NULL: all edges
};

int graph_gv_graph_init(struct graph_gv_graph *out, const struct graph_view *view,
                        const struct graph_labels *labels, const struct graph_gv_extent *extent,
                        struct error *err) WARN_UNUSED;
void graph_gv_graph_release(struct graph_gv_graph *g);

// Before a drawn graph is freed: libgvc would look for every edge in every cluster (half of its
// time at 10,000 clusters).
void graph_gv_close_clusters(struct graph_gv_graph *g);

// Default of an attribute; `kind` is AGRAPH, AGNODE or AGEDGE. Tables end in {0, NULL, NULL}.
struct graph_gv_default {
    int kind;
    const char *name, *value;
};

// What fails makes g->failed true. Labels are of the HTML kind; NULL leaves the default. Values are
// constants or numbers, never foreign text.
void graph_gv_defaults(struct graph_gv_graph *g, const struct graph_gv_default *table);
void graph_gv_set(struct graph_gv_graph *g, void *object, const char *name, const char *value);
void graph_gv_set_buf(struct graph_gv_graph *g, void *object, const char *name, struct buf *value);
void graph_gv_set_inches(struct graph_gv_graph *g, void *object, const char *name, double points);
void graph_gv_set_label(struct graph_gv_graph *g, void *object, const char *html);

// Appends numbers with three decimals, separated by commas, whatever the locale.
void graph_gv_number(struct buf *b, double v);
void graph_gv_pair(struct buf *b, double x, double y);
