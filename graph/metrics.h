// Widths of text, from our own table of Helvetica advance widths: the layout of a picture does not
// depend on the fonts of the machine it is made on.
//
// Units: points at the given font size. Characters outside the table count as their East Asian
// width says: one em for wide ones, 0 for combining ones, else 0.556 em. Source of the numbers: the
// Adobe Font Metrics of Helvetica and Helvetica-Bold.
#pragma once

#include <stdbool.h>

#include "base/str.h"

#define GRAPH_FONT_FAMILY "Helvetica, Arial, Liberation Sans, sans-serif"

double graph_text_width(struct str text, double size, bool bold);
