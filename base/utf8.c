#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define ELLIPSIS 0x2026u
#define CODE_MAX 0x10FFFFu
#define ENCODED_MAX 4
#define FORMAT_ROOM 2048

// Unicode 15, table 3-7: which bytes may follow a first byte. Only the second byte has narrower
// bounds.
struct lead {
    uint8_t first, last;
    uint8_t more;
    uint8_t second_min, second_max;
};

static const struct lead leads[] = {
    {0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF}, {0xE1, 0xEC, 2, 0x80, 0xBF},
    {0xED, 0xED, 2, 0x80, 0x9F}, {0xEE, 0xEF, 2, 0x80, 0xBF}, {0xF0, 0xF0, 3, 0x90, 0xBF},
    {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F},
};

static const struct lead *lead_of(uint8_t c) {
    for (size_t i = 0; i < ARRAY_LEN(leads); i++) {
        if (c >= leads[i].first && c <= leads[i].last) {
            return &leads[i];
        }
    }
    return NULL;
}

// Takes a character, or the maximal subpart of an ill-formed sequence; false for the latter.
static bool take(struct str s, size_t *pos, uint32_t *out) {
    uint8_t byte = (uint8_t)s.p[(*pos)++];
    const struct lead *lead;
    uint32_t c;

    *out = byte;
    if (byte < 0x80) {
        return true;
    }
    *out = UTF8_REPLACEMENT;
    lead = lead_of(byte);
    if (!lead) {
        return false;
    }
    c = byte & (0x3Fu >> lead->more);
    for (unsigned i = 0; i < lead->more; i++) {
        byte = *pos < s.n ? (uint8_t)s.p[*pos] : 0;
        if (byte < (i ? 0x80 : lead->second_min) || byte > (i ? 0xBF : lead->second_max)) {
            return false;
        }
        c = c << 6 | (byte & 0x3Fu);
        (*pos)++;
    }
    *out = c;
    return true;
}

uint32_t utf8_next(struct str s, size_t *pos) {
    uint32_t c;

    take(s, pos, &c);
    return c;
}

// Names are nearly always ASCII: eight bytes a step.
static void skip_ascii(struct str s, size_t *pos) {
    uint64_t word;

    while (s.n - *pos >= sizeof(word)) {
        memcpy(&word, s.p + *pos, sizeof(word));
        if (word & 0x8080808080808080u) {
            break;
        }
        *pos += sizeof(word);
    }
    while (*pos < s.n && (uint8_t)s.p[*pos] < 0x80) {
        (*pos)++;
    }
}

size_t utf8_valid_length(struct str s) {
    size_t pos = 0, at;
    uint32_t c;

    for (;;) {
        skip_ascii(s, &pos);
        at = pos;
        if (pos == s.n || !take(s, &pos, &c)) {
            return at;
        }
    }
}

bool utf8_valid(struct str s) {
    return utf8_valid_length(s) == s.n;
}

static bool is_scalar(uint32_t c) {
    return c <= CODE_MAX && (c < 0xD800 || c > 0xDFFF);
}

static size_t encode(uint32_t c, char out[ENCODED_MAX]) {
    static const uint8_t marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t n;

    if (!is_scalar(c)) {
        c = UTF8_REPLACEMENT;
    }
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    out[0] = (char)(marks[n] | c);
    return n;
}

void utf8_add(struct buf *b, uint32_t c) {
    char bytes[ENCODED_MAX];
    size_t n = encode(c, bytes);

    buf_add(b, bytes, n);
}

void utf8_add_valid(struct buf *b, struct str s) {
    size_t from = 0, pos = 0;
    uint32_t c;

    for (;;) {
        size_t at;

        skip_ascii(s, &pos);
        if (pos == s.n) {
            break;
        }
        at = pos;
        if (take(s, &pos, &c)) {
            continue;
        }
        buf_add_str(b, str_sub(s, from, at - from));
        utf8_add(b, UTF8_REPLACEMENT);
        from = pos;
    }
    buf_add_str(b, str_skip(s, from));
}

struct shown {
    uint32_t first, last;
    uint32_t as;
};

// Sorted, without overlap: searched by halves.
static const struct shown shown_as[] = {
    {0x0000, 0x0008, UTF8_REPLACEMENT},       // C0
    {0x0009, 0x000A, ' '},                    // TAB, LF
    {0x000B, 0x000C, UTF8_REPLACEMENT},       // C0
    {0x000D, 0x000D, ' '},                    // CR
    {0x000E, 0x001F, UTF8_REPLACEMENT},       // C0
    {0x007F, 0x009F, UTF8_REPLACEMENT},       // DEL, C1
    {0x00AD, 0x00AD, UTF8_INVISIBLE},         // soft hyphen
    {0x034F, 0x034F, UTF8_INVISIBLE},         // grapheme joiner
    {0x061C, 0x061C, UTF8_INVISIBLE},         // Arabic letter mark
    {0x115F, 0x1160, UTF8_INVISIBLE},         // Hangul fillers
    {0x17B4, 0x17B5, UTF8_INVISIBLE},         // Khmer inherent vowels
    {0x180E, 0x180E, UTF8_INVISIBLE},         // Mongolian vowel separator
    {0x200B, 0x200F, UTF8_INVISIBLE},         // zero width, direction marks
    {0x2028, 0x202E, UTF8_INVISIBLE},         // line and paragraph separator, bidi embeddings
    {0x2060, 0x206F, UTF8_INVISIBLE},         // word joiner, invisible operators, bidi isolates
    {0x3164, 0x3164, UTF8_INVISIBLE},         // Hangul filler
    {0xD800, 0xF8FF, UTF8_REPLACEMENT},       // surrogates, private use
    {0xFDD0, 0xFDEF, UTF8_REPLACEMENT},       // noncharacters
    {0xFEFF, 0xFEFF, UTF8_INVISIBLE},         // byte order mark
    {0xFFA0, 0xFFA0, UTF8_INVISIBLE},         // Hangul filler
    {0xFFF0, 0xFFFB, UTF8_INVISIBLE},         // unassigned ignorables, interlinear annotation
    {0xE0000, 0xE0FFF, UTF8_INVISIBLE},       // tags, variation selectors
    {0xF0000, UINT32_MAX, UTF8_REPLACEMENT},  // private use, and past the last character
};

uint32_t utf8_shown(uint32_t c) {
    size_t low = 0, high = ARRAY_LEN(shown_as);

    if (c >= 0x20 && c < 0x7F) {
        return c;
    }
    while (low < high) {
        size_t mid = (low + high) / 2;

        if (c > shown_as[mid].last) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low < ARRAY_LEN(shown_as) && c >= shown_as[low].first) {
        return shown_as[low].as;
    }
    return (c & 0xFFFE) == 0xFFFE ? UTF8_REPLACEMENT : c;
}

// What a text is long, or may be, when shown.
struct extent {
    size_t chars;
    size_t bytes;
};

static size_t take_shown(struct str s, size_t *pos, char out[ENCODED_MAX]) {
    return encode(utf8_shown(utf8_next(s, pos)), out);
}

static struct extent measure(struct str s) {
    struct extent e = {0, 0};
    char bytes[ENCODED_MAX];

    for (size_t pos = 0; pos < s.n; e.chars++) {
        e.bytes += take_shown(s, &pos, bytes);
    }
    return e;
}

static bool fits(struct extent e, struct extent room) {
    return e.chars <= room.chars && e.bytes <= room.bytes;
}

// Appends from s[*pos] as long as the room lasts, and tells what that took.
static struct extent add_while_fits(struct buf *b, struct str s, size_t *pos, struct extent room) {
    struct extent done = {0, 0};
    char bytes[ENCODED_MAX];

    while (*pos < s.n) {
        size_t next = *pos;
        size_t n = take_shown(s, &next, bytes);

        if (!fits((struct extent){done.chars + 1, done.bytes + n}, room)) {
            break;
        }
        buf_add(b, bytes, n);
        done.chars++;
        done.bytes += n;
        *pos = next;
    }
    return done;
}

// Moves on until what is left fits the room. Forward only: ill-formed text has no meaning backward.
static void skip_until_fits(struct str s, size_t *pos, struct extent left, struct extent room) {
    char bytes[ENCODED_MAX];

    while (!fits(left, room)) {
        left.bytes -= take_shown(s, pos, bytes);
        left.chars--;
    }
}

void utf8_add_shown(struct buf *b, struct str s, size_t max_chars, size_t max_bytes) {
    const size_t ellipsis_bytes = 3;
    struct extent all = measure(s), room = {max_chars, max_bytes}, head;
    size_t pos = 0;

    if (fits(all, room)) {
        add_while_fits(b, s, &pos, room);
        return;
    }
    if (!fits((struct extent){1, ellipsis_bytes}, room)) {
        return;
    }
    room.chars -= 1;
    room.bytes -= ellipsis_bytes;
    head =
        add_while_fits(b, s, &pos,
                       (struct extent){room.chars - room.chars / 2, room.bytes - room.bytes / 2});
    utf8_add(b, ELLIPSIS);
    room = (struct extent){room.chars - head.chars, room.bytes - head.bytes};
    skip_until_fits(s, &pos, (struct extent){all.chars - head.chars, all.bytes - head.bytes}, room);
    add_while_fits(b, s, &pos, room);
}

void utf8_copy_shown(char *out, size_t room, struct str s) {
    char bytes[ENCODED_MAX];
    size_t n = 0;

    if (room == 0) {
        return;
    }
    for (size_t pos = 0; pos < s.n;) {
        size_t more = take_shown(s, &pos, bytes);

        if (more > room - 1 - n) {
            break;
        }
        memcpy(out + n, bytes, more);
        n += more;
    }
    out[n] = '\0';
}

// The raw text may be cut in the middle of a character, but that part never reaches `out`: four raw
// bytes give at least three shown ones.
void utf8_format_shown(char *out, size_t room, const char *fmt, va_list args) {
    char raw[FORMAT_ROOM];

    if (vsnprintf(raw, sizeof(raw), fmt, args) < 0) {
        raw[0] = '\0';
    }
    utf8_copy_shown(out, room, str_from(raw));
}

size_t utf8_count(struct str s) {
    size_t n = 0;

    for (size_t pos = 0; pos < s.n; n++) {
        utf8_next(s, &pos);
    }
    return n;
}
