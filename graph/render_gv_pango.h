// What is used of pango, which sets the text of PNG and PDF.
//
// Graphviz's plug-in for cairo draws the text that pango's own engine has laid out. Its packages
// bring pango itself but not pango's headers, so these few functions are declared here, as they are
// in every pango since 1.44; what they take and give is opaque.
#pragma once

typedef struct _PangoLayout PangoLayout;
typedef struct _PangoContext PangoContext;
typedef struct _PangoAttrList PangoAttrList;
typedef struct _PangoAttribute PangoAttribute;
typedef struct _PangoFontDescription PangoFontDescription;

#define GRAPH_PANGO_UNITS 1024.0  // a pixel
#define GRAPH_PANGO_DPI 96.0      // at which Graphviz lays text out
#define GRAPH_PANGO_NORMAL 400    // weights
#define GRAPH_PANGO_BOLD 700
#define GRAPH_PANGO_UPRIGHT 0  // styles
#define GRAPH_PANGO_ITALIC 2

PangoContext *pango_layout_get_context(PangoLayout *layout);
void pango_layout_context_changed(PangoLayout *layout);
void pango_context_set_round_glyph_positions(PangoContext *context, int round);

int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
void pango_layout_get_size(PangoLayout *layout, int *width, int *height);
int pango_layout_get_baseline(PangoLayout *layout);
void pango_layout_set_text(PangoLayout *layout, const char *text, int n);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *list);

const PangoFontDescription *pango_layout_get_font_description(PangoLayout *layout);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *font);
PangoFontDescription *pango_font_description_copy(const PangoFontDescription *font);
void pango_font_description_set_family(PangoFontDescription *font, const char *family);
void pango_font_description_set_weight(PangoFontDescription *font, int weight);
void pango_font_description_set_style(PangoFontDescription *font, int style);
void pango_font_description_free(PangoFontDescription *font);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_unref(PangoAttrList *list);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
PangoAttribute *pango_attr_letter_spacing_new(int units);
PangoAttribute *pango_attr_fallback_new(int enable);
