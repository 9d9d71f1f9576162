#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <gvc.h>
#include <gvplugin_textlayout.h>

#include "graph/metrics.h"
#include "graph/render_gv_internal.h"
#include "graph/theme.h"

// Over any quality that libgvc's own engines claim, so that ours is the one that is chosen.
#define QUALITY 100
#define MESSAGE_MAX 256
#define CENTERLINE \
    -0.05  // of the font size; lower than libgvc has it, so that capitals are centred

extern gvplugin_library_t gvplugin_core_LTX_library;
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
extern gvplugin_library_t gvplugin_neato_layout_LTX_library;
extern gvplugin_library_t gvplugin_pango_LTX_library;

static boolean layout_text(textspan_t *span, char **fontpath) {
    double size = span->font->size;
    bool bold = span->font->flags & HTML_BF;
    double width = graph_text_width(str_from(span->str), size, bold);

    (void)fontpath;
    span->yoffset_layout = 0;
    span->layout = NULL;
    span->free_layout = NULL;
    if (graph_gv_pango_is_on()) {
        if (!graph_gv_pango_set(span, width)) {
            return FALSE;
        }
        span->yoffset_layout -= CENTERLINE * size;
    }
    span->yoffset_centerline = CENTERLINE * size;
    span->size.x = width;
    span->size.y = size * GRAPH_LINE_HEIGHT;
    return TRUE;
}

static char type_name[] = "textlayout", cairo_name[] = "cairo";
static char package_name[] = "onnxscope";
static gvtextlayout_engine_t text_engine = {layout_text};
static gvplugin_installed_t text_types[] = {{0, type_name, QUALITY, &text_engine, NULL}, {0}};
static gvplugin_installed_t cairo_types[] = {{0}, {0}};  // filled when the context is made
static gvplugin_api_t text_apis[] = {{API_textlayout, text_types},
                                     {API_render, cairo_types},
                                     {(api_t)0, NULL}};
static gvplugin_library_t text_library = {package_name, text_apis};

// libgvc takes what begins with a g and ends in _LTX_library, and passes over the rest in silence.
static const lt_symlist_t plugins[] = {
    {"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
    {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
    {"gvplugin_neato_layout_LTX_library", &gvplugin_neato_layout_LTX_library},
    {"gvplugin_onnxscope_LTX_library", &text_library},
    {"gvplugin_pango_LTX_library", &gvplugin_pango_LTX_library},
    {NULL, NULL},
};

static GVC_t *context;

// ---- messages

static struct {
    char line[MESSAGE_MAX];
    size_t n;
    char first[MESSAGE_MAX];  // first error, "" when there was none
} messages;

static void end_line(void) {
    messages.line[messages.n] = '\0';
    if (strncmp(messages.line, "Error", 5) == 0 && !messages.first[0]) {
        memcpy(messages.first, messages.line, messages.n + 1);
    }
    messages.n = 0;
}

static int collect(char *text) {
    for (; *text; text++) {
        if (*text == '\n') {
            end_line();
        } else if (messages.n < MESSAGE_MAX - 1) {
            messages.line[messages.n++] = *text;
        }
    }
    return 0;
}

void graph_gv_messages_reset(void) {
    messages.n = 0;
    messages.first[0] = '\0';
    (void)agreseterrors();
}

int graph_gv_messages_check(const char *doing, struct error *err) {
    if (messages.n) {
        end_line();
    }
    if (!messages.first[0]) {
        return 0;
    }
    return error_set(err, ERR_BUG, "%s: %s", doing, messages.first);
}

// ---- context

static void install_cairo(void) {
    struct graph_gv_renderer cairo;

    if (graph_gv_wrap_cairo(&cairo)) {
        cairo_types[0] =
            (gvplugin_installed_t){cairo.id, cairo_name, QUALITY, cairo.engine, cairo.features};
    }
}

struct GVC_s *graph_gv_context(void) {
    if (!context) {
        install_cairo();
        agseterrf(collect);
        context = gvContextPlugins(plugins, 0);
    }
    return context;
}
