// Runs at build time: turns the files of the page into the C table of server/assets.h.
//
//     embed OUT.c FILE...
//
// "x.js" becomes /assets/x-DIGEST.js; a file "x.js.gz" beside it is its compressed form. "x.html"
// is a page, /x.html, in which {{x.js}} stands for the address of that file. Every file that a page
// names has to be among the others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "base/str.h"

#define FILES_MAX 32
#define FILE_BYTES ((size_t)8 << 20)
#define PATH_BYTES ((size_t)256)
#define NAME_DIGITS 10  // of the digest, in an address
#define ETAG_DIGITS 20
#define BYTES_A_LINE 24

struct file {
    struct str name;  // without folders
    struct str ending;
    const char *content_type;
    bool is_page;
    struct buf bytes;
    struct buf gzip;
    struct buf address;
    char digest[SHA256_HEX + 1];
};

static const struct {
    const char *ending;
    const char *content_type;
} types[] = {
    {"css", "text/css; charset=utf-8"},       {"html", "text/html; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"}, {"svg", "image/svg+xml"},
    {"txt", "text/plain; charset=utf-8"},
};

static bool complain(const char *what, struct str name) {
    fprintf(stderr, "embed: %s: %.*s\n", what, STR_ARG(name));
    return false;
}

static bool read_stream(FILE *in, struct buf *out) {
    uint8_t chunk[16384];
    size_t n;

    while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0) {
        buf_add(out, chunk, n);
    }
    return !ferror(in) && !out->failed;
}

static bool read_file(const char *path, struct buf *out) {
    FILE *in = fopen(path, "rb");
    bool ok;

    if (!in) {
        return false;
    }
    ok = read_stream(in, out);
    fclose(in);
    return ok;
}

static void read_gzip(const char *path, struct buf *out) {
    struct buf name;

    buf_init(&name, PATH_BYTES * 16);
    buf_add_z(&name, path);
    buf_add(&name, ".gz", sizeof(".gz"));
    if (!name.failed && !read_file((const char *)name.p, out)) {
        buf_reset(out);
    }
    buf_release(&name);
}

static const char *find_type(struct str ending) {
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_eq_z(ending, types[i].ending)) {
            return types[i].content_type;
        }
    }
    return NULL;
}

static void take_digest(struct file *f) {
    uint8_t digest[SHA256_BYTES];
    struct sha256 sha;

    sha256_init(&sha);
    sha256_add(&sha, buf_slice(&f->bytes));
    sha256_done(&sha, digest);
    sha256_hex(digest, f->digest);
}

static void take_address(struct file *f) {
    struct str stem = str_sub(f->name, 0, f->name.n - f->ending.n - 1);

    if (f->is_page) {
        buf_add_char(&f->address, '/');
        buf_add_str(&f->address, f->name);
        return;
    }
    buf_add_z(&f->address, "/assets/");
    buf_add_str(&f->address, stem);
    buf_add_char(&f->address, '-');
    buf_add(&f->address, f->digest, NAME_DIGITS);
    buf_add_char(&f->address, '.');
    buf_add_str(&f->address, f->ending);
}

static bool load(struct file *f, const char *path) {
    struct str full = str_from(path);
    size_t slash = str_rfind(full, '/');
    size_t dot = str_rfind(full, '.');

    buf_init(&f->bytes, FILE_BYTES);
    buf_init(&f->gzip, FILE_BYTES);
    buf_init(&f->address, PATH_BYTES);
    f->name = slash == STR_NPOS ? full : str_skip(full, slash + 1);
    f->ending = dot == STR_NPOS ? STR("") : str_skip(full, dot + 1);
    f->content_type = find_type(f->ending);
    f->is_page = str_eq(f->ending, STR("html"));
    if (!f->content_type) {
        return complain("this ending has no content type", full);
    }
    if (!read_file(path, &f->bytes)) {
        return complain("cannot be read", full);
    }
    if (!f->is_page) {
        read_gzip(path, &f->gzip);
    }
    take_digest(f);
    take_address(f);
    return !f->address.failed || complain("the name is too long", full);
}

static const struct file *find(const struct file *files, size_t n, struct str name) {
    for (size_t i = 0; i < n; i++) {
        if (!files[i].is_page && str_eq(files[i].name, name)) {
            return &files[i];
        }
    }
    return NULL;
}

static size_t find_pair(struct str text, const char *pair) {
    for (size_t i = 0; i + 1 < text.n; i++) {
        if (text.p[i] == pair[0] && text.p[i + 1] == pair[1]) {
            return i;
        }
    }
    return STR_NPOS;
}

// Puts addresses in a page; its digest changes with those of what it loads.
static bool fill_in(struct file *page, const struct file *files, size_t n) {
    struct str rest = buf_str(&page->bytes);
    struct buf out;
    size_t at, end;

    buf_init(&out, FILE_BYTES);
    while ((at = find_pair(rest, "{{")) != STR_NPOS) {
        const struct file *target;

        buf_add_str(&out, str_sub(rest, 0, at));
        rest = str_skip(rest, at + 2);
        end = find_pair(rest, "}}");
        target = find(files, n, str_sub(rest, 0, end));
        if (!target) {
            buf_release(&out);
            return complain("names a file that is not there", page->name);
        }
        buf_add_str(&out, buf_str(&target->address));
        rest = str_skip(rest, end + 2);
    }
    buf_add_str(&out, rest);
    buf_release(&page->bytes);
    page->bytes = out;
    take_digest(page);
    return !out.failed || complain("is too large", page->name);
}

static void write_bytes(FILE *out, const char *what, size_t i, const struct buf *bytes) {
    if (!bytes->n) {
        return;
    }
    fprintf(out, "static const uint8_t %s_%zu[] = {", what, i);
    for (size_t k = 0; k < bytes->n; k++) {
        fprintf(out, "%s%u,", k % BYTES_A_LINE ? "" : "\n", bytes->p[k]);
    }
    fprintf(out, "\n};\n\n");
}

static void write_row(FILE *out, size_t i, const struct file *f) {
    fprintf(out, "    {\"%.*s\", \"%s\", ", STR_ARG(buf_str(&f->address)), f->content_type);
    fprintf(out, "plain_%zu, %zu, ", i, f->bytes.n);
    if (f->gzip.n) {
        fprintf(out, "gzip_%zu, %zu, ", i, f->gzip.n);
    } else {
        fprintf(out, "NULL, 0, ");
    }
    fprintf(out, "\"\\\"%.*s\\\"\", %s},\n", ETAG_DIGITS, f->digest, f->is_page ? "false" : "true");
}

static void write_table(FILE *out, const struct file *files, size_t n) {
    fprintf(out, "// Generated from web/.\n#include \"server/assets.h\"\n\n");
    for (size_t i = 0; i < n; i++) {
        write_bytes(out, "plain", i, &files[i].bytes);
        write_bytes(out, "gzip", i, &files[i].gzip);
    }
    fprintf(out, "const struct srv_asset srv_assets[] = {\n");
    for (size_t i = 0; i < n; i++) {
        write_row(out, i, &files[i]);
    }
    fprintf(out, "};\n\nconst size_t srv_asset_count = %zu;\n", n);
}

static bool embed(const char *path, struct file *files, char **names, size_t n) {
    FILE *out;
    bool ok;

    for (size_t i = 0; i < n; i++) {
        if (!load(&files[i], names[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (files[i].is_page && !fill_in(&files[i], files, n)) {
            return false;
        }
    }
    out = fopen(path, "wb");
    if (!out) {
        return complain("cannot be written", str_from(path));
    }
    write_table(out, files, n);
    ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    return ok || complain("cannot be written", str_from(path));
}

int main(int argc, char **argv) {
    static struct file files[FILES_MAX];
    size_t n = argc > 2 ? (size_t)argc - 2 : 0;
    bool ok;

    if (n == 0 || n > FILES_MAX) {
        fprintf(stderr, "usage: embed OUT.c FILE... (1 to %d files)\n", FILES_MAX);
        return EXIT_FAILURE;
    }
    ok = embed(argv[1], files, argv + 2, n);
    for (size_t i = 0; i < n; i++) {
        buf_release(&files[i].bytes);
        buf_release(&files[i].gzip);
        buf_release(&files[i].address);
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
