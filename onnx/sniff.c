#include "onnx/sniff.h"

#include "base/attr.h"
#include "base/utf8.h"

// Bytes at a fixed place that give a format away. More specific ones come first.
static const struct {
    size_t at;
    struct str magic;
    const char *looks;
} magics[] = {
    {0, {"PK\x03\x04", 4}, "a zip archive (a PyTorch .pt file is one; send the exported .onnx)"},
    {0, {"PK\x05\x06", 4}, "an empty zip archive"},
    {0, {"\x1f\x8b", 2}, "a gzip file; unpack it"},
    {0, {"\x28\xb5\x2f\xfd", 4}, "a zstd file; unpack it"},
    {0,
     {"\xfd"
      "7zXZ",
      5},
     "an xz file; unpack it"},
    {0, {"BZh", 3}, "a bzip2 file; unpack it"},
    {0, {"7z\xbc\xaf\x27\x1c", 6}, "a 7z archive"},
    {0, {"\x89PNG", 4}, "a png picture"},
    {0, {"\xff\xd8\xff", 3}, "a jpeg picture"},
    {0, {"GIF8", 4}, "a gif picture"},
    {0, {"%PDF", 4}, "a pdf document"},
    {0,
     {"\x7f"
      "ELF",
      4},
     "an elf program"},
    {0, {"MZ", 2}, "a Windows program (exe)"},
    {0, {"\x89HDF\r\n", 6}, "an hdf5 file (Keras and others write them)"},
    {0, {"GGUF", 4}, "a gguf file of llama.cpp"},
    {0, {"\x93NUMPY", 6}, "a numpy array"},
    {4, {"TFL3", 4}, "a tflite model"},
    {4, {"ORTM", 4}, "an ort model (ONNX Runtime's own format; send the .onnx it was made from)"},
    {8, {"{\"", 2}, "a safetensors file (weights without a graph)"},
    {257, {"ustar", 5}, "a tar archive"},
    {0, {"\x80\x02", 2}, "a Python pickle (a PyTorch .pt file; send the exported .onnx)"},
    {0, {"\x80\x03", 2}, "a Python pickle"},
    {0, {"\x80\x04", 2}, "a Python pickle"},
    {0, {"\x80\x05", 2}, "a Python pickle"},
    {0,
     {"version https://git-lfs", 23},
     "a Git LFS pointer instead of the file (lfs: fetch it with `git lfs pull`)"},
};

// How a text begins, spaces skipped, letters of any case.
static const struct {
    struct str start;
    const char *looks;
} texts[] = {
    {{"<!doctype html", 14}, "an HTML page (.html, often an error page of a server)"},
    {{"<html", 5}, "an HTML page (.html, often an error page of a server)"},
    {{"<?xml", 5}, "an XML file (.xml; OpenVINO models are such)"},
    {{"<ir_version", 11}, "ONNX as text (the binary .onnx is needed)"},
    {{"<", 1}, "an HTML or XML text (.html, .xml)"},
    {{"{", 1}, "a JSON file (.json)"},
    {{"[", 1}, "a JSON file (.json)"},
    {{"ir_version", 10}, "a protobuf text (.textproto; the binary .onnx is needed)"},
    {{"graph {", 7}, "a protobuf text (.textproto; the binary .onnx is needed)"},
    {{"producer_name", 13}, "a protobuf text (.textproto; the binary .onnx is needed)"},
};

static const char *find_magic(struct str head) {
    for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
        if (str_starts(str_skip(head, magics[i].at), magics[i].magic)) {
            return magics[i].looks;
        }
    }
    return NULL;
}

static bool is_all(struct str s, bool (*of)(unsigned char)) {
    for (size_t i = 0; i < s.n; i++) {
        if (!of((unsigned char)s.p[i])) {
            return false;
        }
    }
    return s.n > 0;
}

static bool is_text_byte(unsigned char c) {
    return c >= 0x20 ? c != 0x7F : c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_base64_byte(unsigned char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=' || c == '\n' || c == '\r' || c == '-' || c == '_';
}

// The head may end inside a character.
static bool is_utf8(struct str head) {
    for (size_t cut = 0; cut < 4 && cut < head.n; cut++) {
        if (utf8_valid(str_sub(head, 0, head.n - cut))) {
            return true;
        }
    }
    return head.n == 0;
}

static const char *name_text(struct str text) {
    struct str trimmed = str_trim(text);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (str_eq_nocase(str_sub(trimmed, 0, texts[i].start.n), texts[i].start)) {
            return texts[i].looks;
        }
    }
    if (text.n >= 64 && is_all(text, is_base64_byte)) {
        return "base64 text (send the bytes themselves)";
    }
    return "plain text";
}

static size_t count(struct str s, struct str part) {
    size_t n = 0;
    for (size_t i = 0; i + part.n <= s.n; i++) {
        n += str_starts(str_skip(s, i), part);
    }
    return n;
}

// A model starts with its ir_version, a small number, nearly always.
static bool starts_like_onnx(struct str head) {
    if (!head.p || head.n < 16) {
        return false;
    }
    return head.p[0] == 0x08 && head.p[1] > 0 && head.p[1] < 0x20;
}

// What text tools and `curl -d` make of a model.
static const char *find_mangling(struct str head) {
    size_t newlines = count(head, STR("\n"));
    if (count(head, STR("\xEF\xBF\xBD")) && is_utf8(head)) {
        return "a binary file that was read as text: its bytes were replaced by U+FFFD (curl "
               "users: "
               "--data-binary)";
    }
    if (!starts_like_onnx(head)) {
        return NULL;
    }
    if (newlines == 0 && head.n >= 64) {
        return "an ONNX file whose line feeds were removed: curl -d does that, use --data-binary";
    }
    if (newlines >= 3 && count(head, STR("\r\n")) == newlines) {
        return "an ONNX file whose line ends were converted (a transfer in text mode)";
    }
    if (count(head, STR("\xC2")) + count(head, STR("\xC3")) && is_utf8(head)) {
        return "an ONNX file that was read as Latin-1 and written as UTF-8";
    }
    return NULL;
}

static bool is_form(struct str head) {
    return str_starts(head, STR("--")) && str_contains(head, STR("Content-Disposition:"));
}

static const char *find_prefix(struct str head) {
    if (is_form(head)) {
        return "a multipart form (send the file alone, or the form with its Content-Type)";
    }
    if (str_starts(head, STR("\xEF\xBB\xBF")) && starts_like_onnx(str_skip(head, 3))) {
        return "an ONNX file behind a byte order mark (it was handled as text)";
    }
    if (str_starts(head, STR("\n")) && starts_like_onnx(str_skip(head, 1))) {
        return "an ONNX file behind a line feed";
    }
    return NULL;
}

const char *onnx_sniff(struct slice head) {
    struct str s = str_sub(str_from_slice(head), 0, ONNX_SNIFF_BYTES);
    if (s.n == 0) {
        return "an empty file";
    }
    const char *looks = find_magic(s);
    if (!looks) {
        looks = find_prefix(s);
    }
    if (looks) {
        return looks;
    }
    if (is_utf8(s) && is_all(s, is_text_byte)) {
        return name_text(s);
    }
    return find_mangling(s);
}
