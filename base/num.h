// Checked arithmetic, and numbers from and to text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

// true on success, false on overflow (then *out is unspecified).
#define num_add(out, a, b) (!__builtin_add_overflow((a), (b), (out)))
#define num_sub(out, a, b) (!__builtin_sub_overflow((a), (b), (out)))
#define num_mul(out, a, b) (!__builtin_mul_overflow((a), (b), (out)))

// Whole text as a decimal number: no sign for u64, an optional '-' for i64, no spaces, no leading
// '+'.
bool num_parse_u64(struct str s, uint64_t *out);
bool num_parse_i64(struct str s, int64_t *out);

// Value of a hexadecimal digit, or -1.
int num_hex_digit(char c);

// "64MiB", "2g", "1500": bytes. Units K M G T (powers of 1024), with or without "iB"/"B", any case.
bool num_parse_size(struct str s, uint64_t *out);

// "30s", "250ms", "5m", "1500" (plain = milliseconds): milliseconds.
bool num_parse_duration(struct str s, uint64_t *out_ms);

// Appends "1.5 MiB", "12 KiB", "40 bytes".
void num_add_size(struct buf *b, uint64_t bytes);

// Appends "25,557,032": exact, as tables of people have it.
void num_add_grouped(struct buf *b, uint64_t n);

// Appends "25.6 M", "1.2 G", "950": decimal thousands, as parameter counts are written.
void num_add_count(struct buf *b, uint64_t n);
