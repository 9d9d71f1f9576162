// A record as a file: a header of fixed size, then sections.
//
// Numbers are little-endian, whatever the machine. The header holds magic, format version, id,
// digests, facts and a table of sections {kind, place, SHA-256}; it ends in its own SHA-256.
// Whatever a later version changes, magic, version, length and digest of the header stay where they
// are. Sections of unknown kinds are skipped, so that a later version can add facts about single
// tensors without a new format. Whatever does not fit is ERR_FORMAT.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "base/sha256.h"
#include "server/store.h"

#define SRV_RECORD_VERSION 1u
#define SRV_RECORD_HEADER 2048u  // bytes
#define SRV_RECORD_SECTIONS_MAX 8u

enum srv_section_kind { SRV_SECTION_SKELETON = 1, SRV_SECTION_SUMMARY = 2 };

struct srv_section {
    uint32_t kind;
    uint64_t offset, n;
    uint8_t digest[SHA256_BYTES];
};

struct srv_record_head {
    struct srv_record facts;  // without slices
    struct srv_section skeleton, summary;
};

// Writes the header of a record whose file is: header, skeleton, summary.
void srv_record_encode(uint8_t header[SRV_RECORD_HEADER], const struct srv_record *r);

// Reads a header; `file_n` is the length of its file. Errors: ERR_FORMAT; ERR_NOT_FOUND for one
// that a later version of this program wrote: it is none of ours to read, nor to remove.
int srv_record_decode(struct srv_record_head *out, const uint8_t header[SRV_RECORD_HEADER],
                      uint64_t file_n, struct error *err) WARN_UNUSED;

// Errors: ERR_FORMAT when the bytes are not those that were written.
int srv_section_check(const struct srv_section *s, struct slice bytes,
                      struct error *err) WARN_UNUSED;

// Reads the file of `key` through its descriptor; the id inside must be that key. Errors:
// ERR_FORMAT (damaged), ERR_NOT_FOUND (of a later version), ERR_IO, ERR_NOMEM.
int srv_record_read_head(struct srv_record_head *head, int fd, uint64_t file_n,
                         const uint8_t key[SHA256_BYTES], struct error *err) WARN_UNUSED;
int srv_record_read(struct srv_record **out, int fd, uint64_t file_n,
                    const uint8_t key[SHA256_BYTES], struct error *err) WARN_UNUSED;
