// UTF-8 (RFC 3629): checking it, repairing it, and making foreign text fit to be shown.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define UTF8_REPLACEMENT 0xFFFDu

// Decodes the character at s[*pos] and moves *pos behind it. An ill-formed sequence gives UTF8_REPLACEMENT and
// moves past its maximal subpart (Unicode 15, section 3.9, table 3-8: what WHATWG and Python's "replace" do).
// *pos must be < s.n.
uint32_t utf8_next(struct str s, size_t *pos);

bool utf8_valid(struct str s);

// Appends one character. Surrogates and values over 0x10FFFF are appended as U+FFFD.
void utf8_add(struct buf *b, uint32_t c);

// Appends s with every ill-formed sequence replaced by U+FFFD; nothing else changes.
void utf8_add_valid(struct buf *b, struct str s);

// What a character becomes when it is shown: itself, or U+FFFD for C0, DEL, C1, noncharacters and private
// use... ; a visible stand-in for what would be invisible or reorder text: bidi controls (U+202A..202E, 2066..2069, 200E, 200F, 061C),
// zero-width (U+200B..200D, 2060, FEFF), line and paragraph separators. TAB, CR, LF become a space.
uint32_t utf8_shown(uint32_t c);

// Appends s made fit for display by utf8_shown(), at most `max_chars` characters and `max_bytes` bytes. What is
// longer is cut in the middle with U+2026, so that both ends stay readable.
void utf8_add_shown(struct buf *b, struct str s, size_t max_chars, size_t max_bytes);

// Number of characters, ill-formed sequences counted as utf8_next() counts them.
size_t utf8_count(struct str s);
