// UTF-8 (RFC 3629): checking it, repairing it, and making foreign text fit to be shown.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/str.h"

#define UTF8_REPLACEMENT 0xFFFDu
#define UTF8_INVISIBLE 0x25A1u  // a white square stands in for what has no width or no glyph

// Decodes the character at s[*pos] and moves *pos behind it. An ill-formed sequence gives
// UTF8_REPLACEMENT and moves past its maximal subpart (Unicode 15, section 3.9, table 3-8: what
// WHATWG and Python's "replace" do). *pos must be < s.n.
uint32_t utf8_next(struct str s, size_t *pos);

bool utf8_valid(struct str s);

// Bytes before the first ill-formed sequence; s.n when there is none.
size_t utf8_valid_length(struct str s);

// Appends one character. Surrogates and values over 0x10FFFF are appended as U+FFFD.
void utf8_add(struct buf *b, uint32_t c);

// Appends s with every ill-formed sequence replaced by U+FFFD; nothing else changes.
void utf8_add_valid(struct buf *b, struct str s);

// What a character becomes when it is shown: itself, or U+FFFD for C0, DEL, C1, surrogates,
// noncharacters and private use; UTF8_INVISIBLE for what would be invisible or reorder text: bidi
// controls (U+202A..202E, 2066..2069, 200E, 200F, 061C), zero-width (U+200B..200D, 2060, FEFF),
// line and paragraph separators, other default ignorables. TAB, CR, LF become a space.
uint32_t utf8_shown(uint32_t c);

// Appends s made fit for display by utf8_shown(), at most `max_chars` characters and `max_bytes`
// bytes. What is longer is cut in the middle with U+2026, which counts, so that both ends stay
// readable; nothing is appended when not even U+2026 fits.
void utf8_add_shown(struct buf *b, struct str s, size_t max_chars, size_t max_bytes);

// Writes s made fit for display by utf8_shown() and a NUL into out[room]; what is longer is cut at
// a character.
void utf8_copy_shown(char *out, size_t room, struct str s);

// The same for formatted text. `room` is at most 1024 bytes.
void utf8_format_shown(char *out, size_t room, const char *fmt, va_list args) PRINTF_LIKE(3, 0);

// Number of characters, ill-formed sequences counted as utf8_next() counts them.
size_t utf8_count(struct str s);
