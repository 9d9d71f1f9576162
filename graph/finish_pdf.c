#include "graph/finish_pdf.h"

#include <string.h>

// D:YYYYMMDDhhmmss and a time zone, Z or +hh'mm, as cairo writes it.
static const char before[] = "/CreationDate (D:";
static const char fixed[] = "20000101000000+00'00";

#define TIME_N 14

// The dictionary of facts about the file lies near its end, behind every stream of drawing.
static uint8_t *find_last(struct buf *pdf) {
    size_t n = sizeof(before) - 1;

    for (size_t i = pdf->n >= n ? pdf->n - n + 1 : 0; i-- > 0;) {
        if (memcmp(pdf->p + i, before, n) == 0) {
            return pdf->p + i + n;
        }
    }
    return NULL;
}

void graph_finish_pdf(struct buf *pdf) {
    uint8_t *date = find_last(pdf);
    size_t i = 0;

    if (!date) {
        return;
    }
    while (date + i < pdf->p + pdf->n && date[i] != ')' && i < sizeof(fixed) - 1) {
        date[i] = (uint8_t)(i == TIME_N && date[i] == 'Z' ? 'Z' : fixed[i]);
        i++;
    }
}
