#include "graph/render_gv_pango.h"

#include <math.h>

#include <gvc.h>
#include <gvplugin_textlayout.h>

#include "base/utf8.h"
#include "graph/render_gv_internal.h"
#include "graph/theme.h"

#define TEXT_MAX_BYTES ((size_t)64 << 10)
#define FITS 1.005  // as wide as measured, but for rounding

// The first has the widths that we count with and is what the image ships; the others are as wide.
#define FAMILIES "Liberation Sans,Arimo,Helvetica,Nimbus Sans,Arial,sans-serif"

extern gvplugin_library_t gvplugin_pango_LTX_library;

static struct {
    bool on;         // text is set by pango
    bool alone;      // the first font is not helped out by others
    bool sealed;     // no other font can be loaded any more
    size_t missing;  // characters without a glyph since the last start
} state;

void graph_gv_pango_start(void) {
    state.on = true;
    state.missing = 0;
}

size_t graph_gv_pango_stop(void) {
    state.on = false;
    return state.missing;
}

void graph_gv_pango_alone(void) {
    state.alone = true;
}

void graph_gv_pango_seal(void) {
    state.sealed = true;
}

bool graph_gv_pango_is_on(void) {
    return state.on;
}

// libgvc's own engine for pango.
static const gvtextlayout_engine_t *engine(void) {
    const gvplugin_api_t *api = gvplugin_pango_LTX_library.apis;

    while (api->types && api->api != API_textlayout) {
        api++;
    }
    return api->types ? api->types->engine : NULL;
}

static double points(int units) {
    return units / GRAPH_PANGO_UNITS * (double)POINTS_PER_INCH / GRAPH_PANGO_DPI;
}

static double width_of(PangoLayout *layout) {
    int w = 0, h = 0;

    pango_layout_get_size(layout, &w, &h);
    return points(w);
}

// A font that is wider than ours must not leave its box. Another size would be another font to
// load.
static void fit(PangoLayout *layout, PangoAttrList *list, double width, const char *text) {
    double set = width_of(layout);
    size_t n = utf8_count(str_from(text));
    double each;

    if (n && width > 0 && set > width * FITS) {
        each = (width - set) / (double)n / points(1);
        pango_attr_list_insert(list, pango_attr_letter_spacing_new((int)floor(each)));
        pango_layout_context_changed(layout);
    }
}

static void set_font(PangoLayout *layout, unsigned flags) {
    const PangoFontDescription *have = pango_layout_get_font_description(layout);
    PangoFontDescription *font = have ? pango_font_description_copy(have) : NULL;

    if (!font) {
        return;
    }
    pango_font_description_set_family(font, FAMILIES);
    pango_font_description_set_weight(font,
                                      flags & HTML_BF ? GRAPH_PANGO_BOLD : GRAPH_PANGO_NORMAL);
    pango_font_description_set_style(font,
                                     flags & HTML_IF ? GRAPH_PANGO_ITALIC : GRAPH_PANGO_UPRIGHT);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
}

// Letters stand where they belong, not at the next pixel of 96 dpi.
static void set_exactly(PangoLayout *layout) {
    pango_context_set_round_glyph_positions(pango_layout_get_context(layout), 0);
    pango_layout_context_changed(layout);
}

// An empty layout in the context and the size that libgvc's renderer expects. It comes from libgvc
// with a font and a text that every job has met: what is ours is set afterwards.
static PangoLayout *layout_of(textspan_t *span) {
    static char text[] = "n";
    const gvtextlayout_engine_t *pango = engine();
    textfont_t font = *span->font;
    textspan_t probe = {.str = text, .font = &font};

    font.flags = 0;
    // Asked for the path of the font, it would load one more.
    if (!pango || !pango->textlayout(&probe, NULL)) {
        return NULL;
    }
    span->layout = probe.layout;
    span->free_layout = probe.free_layout;
    return probe.layout;
}

static bool set_text(textspan_t *span, double width) {
    PangoLayout *layout = layout_of(span);
    PangoAttrList *list = layout ? pango_attr_list_new() : NULL;

    if (!list) {
        return false;
    }
    set_exactly(layout);
    set_font(layout, span->font->flags);
    pango_attr_list_insert(list, pango_attr_fallback_new(!state.alone));
    pango_layout_set_attributes(layout, list);
    pango_layout_set_text(layout, span->str, -1);
    fit(layout, list, width, span->str);
    pango_attr_list_unref(list);
    span->yoffset_layout = points(pango_layout_get_baseline(layout));
    return true;
}

static bool is_plain(uint32_t c) {
    // Scripts that warming has met, and signs that go with every script and have no coloured form.
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0020, 0x007E}, {0x00A0, 0x024F}, {0x0300, 0x0341}, {0x0370, 0x03E1}, {0x03F0, 0x03FF},
        {0x0400, 0x0482}, {0x048A, 0x052F}, {0x1E00, 0x1EFF}, {0x2010, 0x2027}, {0x2030, 0x205E},
        {0x2070, 0x209C}, {0x20A0, 0x20BF}, {0x2100, 0x214F}, {0x2190, 0x22FF}, {0x2500, 0x25FC},
    };

    for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
        if (c >= ranges[i].first && c <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

static void add_plain(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n;) {
        uint32_t c = utf8_next(text, &i);
        bool plain = is_plain(c);

        utf8_add(out, plain ? c : UTF8_INVISIBLE);
        state.missing += plain ? 0 : 1;
    }
    buf_add_char(out, '\0');
}

// Lays out what is left of a text without characters that may be in no font.
static bool set_plain(textspan_t *span, double width) {
    char *whole = span->str;
    struct buf plain;
    bool done = false;

    buf_init(&plain, TEXT_MAX_BYTES);
    add_plain(&plain, str_from(whole));
    if (!plain.failed) {
        span->str = (char *)plain.p;
        done = set_text(span, width);
        span->str = whole;
    }
    buf_release(&plain);
    return done;
}

bool graph_gv_pango_set(void *textspan, double width) {
    textspan_t *span = textspan;
    size_t unknown;

    if (state.sealed) {
        return set_plain(span, width);
    }
    if (!set_text(span, width)) {
        return false;
    }
    unknown = (size_t)pango_layout_get_unknown_glyphs_count(span->layout);
    if (!unknown) {
        return true;
    }
    span->free_layout(span->layout);
    return set_plain(span, width);
}

// Families have names even where no file is behind them.
bool graph_gv_pango_has_fonts(void) {
    // libgvc keeps the name and takes the next font of that name and size for the same one.
    static char text[] = "n", name[] = "sans";
    textfont_t font = {.name = name, .size = GRAPH_CAPTION_SIZE};
    textspan_t span = {.str = text, .font = &font};
    bool found;

    if (!set_text(&span, 0)) {
        return false;
    }
    found = pango_layout_get_unknown_glyphs_count(span.layout) == 0;
    span.free_layout(span.layout);
    return found;
}
