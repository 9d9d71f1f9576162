#include "graph/metrics.h"

#include <stdint.h>

#include "base/attr.h"
#include "base/utf8.h"

#define UNITS_PER_EM 1000.0
#define WIDTH_OTHER 556
#define WIDTH_WIDE 1000

// Advance widths in thousandths of an em: U+0020..007E, then U+00A0..00FF.
static const uint16_t widths[2][191] = {
    {
        278, 278, 355, 556, 556, 889, 667, 191,  333, 333, 389, 584, 278, 333, 278,  278, 556, 556,
        556, 556, 556, 556, 556, 556, 556, 556,  278, 278, 584, 584, 584, 556, 1015, 667, 667, 722,
        722, 667, 611, 778, 722, 278, 500, 667,  556, 833, 722, 778, 667, 778, 722,  667, 611, 722,
        667, 944, 667, 667, 611, 278, 278, 278,  469, 556, 333, 556, 556, 500, 556,  556, 278, 556,
        556, 222, 222, 500, 222, 833, 556, 556,  556, 556, 333, 500, 278, 556, 500,  722, 500, 500,
        500, 334, 260, 334, 584, 278, 333, 556,  556, 556, 556, 260, 556, 333, 737,  370, 556, 584,
        333, 737, 333, 400, 584, 333, 333, 333,  556, 537, 278, 333, 333, 365, 556,  834, 834, 834,
        611, 667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278,  278, 278, 722,
        722, 778, 778, 778, 778, 778, 584, 778,  722, 722, 722, 722, 667, 667, 611,  556, 556, 556,
        556, 556, 556, 889, 500, 556, 556, 556,  556, 278, 278, 278, 278, 556, 556,  556, 556, 556,
        556, 556, 584, 611, 556, 556, 556, 556,  500, 556, 500,
    },
    {
        278, 333, 474, 556, 556, 889, 722, 238,  333, 333, 389, 584, 278, 333, 278, 278, 556, 556,
        556, 556, 556, 556, 556, 556, 556, 556,  333, 333, 584, 584, 584, 611, 975, 722, 722, 722,
        722, 667, 611, 778, 722, 278, 556, 722,  611, 833, 722, 778, 667, 778, 722, 667, 611, 722,
        667, 944, 667, 667, 611, 333, 278, 333,  584, 556, 333, 556, 611, 556, 611, 556, 333, 611,
        611, 278, 278, 556, 278, 889, 611, 611,  611, 611, 389, 556, 333, 611, 556, 778, 556, 556,
        500, 389, 280, 389, 584, 278, 333, 556,  556, 556, 556, 280, 556, 333, 737, 370, 556, 584,
        333, 737, 333, 400, 584, 333, 333, 333,  611, 556, 278, 333, 333, 365, 556, 834, 834, 834,
        611, 722, 722, 722, 722, 722, 722, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, 722,
        722, 778, 778, 778, 778, 778, 584, 778,  722, 722, 722, 722, 667, 667, 611, 556, 556, 556,
        556, 556, 556, 889, 556, 556, 556, 556,  556, 278, 278, 278, 278, 611, 611, 611, 611, 611,
        611, 611, 584, 611, 611, 611, 611, 611,  556, 611, 556,
    },
};

struct range {
    uint32_t first, last;
    uint16_t width;
};

// Sorted. Zero: combining marks, joiners and variation selectors. Wide: East Asian Width W and F
// (UAX #11), and the dashes, dots, bars and arrows that fill an em in this family.
static const struct range ranges[] = {
    {0x0300, 0x036F, 0},
    {0x0483, 0x0489, 0},
    {0x0591, 0x05BD, 0},
    {0x0610, 0x061A, 0},
    {0x064B, 0x065F, 0},
    {0x06D6, 0x06DC, 0},
    {0x0730, 0x074A, 0},
    {0x0900, 0x0902, 0},
    {0x0941, 0x0948, 0},
    {0x0E34, 0x0E3A, 0},
    {0x0E47, 0x0E4E, 0},
    {0x1100, 0x115F, WIDTH_WIDE},
    {0x1AB0, 0x1AFF, 0},
    {0x1DC0, 0x1DFF, 0},
    {0x200B, 0x200F, 0},
    {0x2014, 0x2015, WIDTH_WIDE},
    {0x2018, 0x2019, 278},
    {0x2026, 0x2026, WIDTH_WIDE},
    {0x20D0, 0x20FF, 0},
    {0x2190, 0x21FF, WIDTH_WIDE},
    {0x2E80, 0x303E, WIDTH_WIDE},
    {0x3041, 0xA4CF, WIDTH_WIDE},
    {0xA960, 0xA97C, WIDTH_WIDE},
    {0xAC00, 0xD7A3, WIDTH_WIDE},
    {0xF900, 0xFAFF, WIDTH_WIDE},
    {0xFE00, 0xFE0F, 0},
    {0xFE10, 0xFE1F, WIDTH_WIDE},
    {0xFE20, 0xFE2F, 0},
    {0xFE30, 0xFE6F, WIDTH_WIDE},
    {0xFF01, 0xFF60, WIDTH_WIDE},
    {0xFFE0, 0xFFE6, WIDTH_WIDE},
    {0xFFFD, 0xFFFD, WIDTH_WIDE},
    {0x1F300, 0x1F64F, WIDTH_WIDE},
    {0x1F680, 0x1F6FF, WIDTH_WIDE},
    {0x1F900, 0x1F9FF, WIDTH_WIDE},
    {0x20000, 0x3FFFD, WIDTH_WIDE},
    {0xE0100, 0xE01EF, 0},
};

static unsigned range_width(uint32_t c) {
    size_t low = 0, high = ARRAY_LEN(ranges);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > ranges[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool inside = low < ARRAY_LEN(ranges) && c >= ranges[low].first;
    return inside ? ranges[low].width : WIDTH_OTHER;
}

static unsigned char_width(uint32_t c, bool bold) {
    if (c >= 0x20 && c <= 0x7E) {
        return widths[bold][c - 0x20];
    }
    if (c >= 0xA0 && c <= 0xFF) {
        return widths[bold][c - 0xA0 + 95];
    }
    return range_width(c);
}

double graph_text_width(struct str text, double size, bool bold) {
    uint64_t units = 0;
    size_t pos = 0;
    while (pos < text.n) {
        units += char_width(utf8_next(text, &pos), bold);
    }
    return (double)units * size / UNITS_PER_EM;
}
