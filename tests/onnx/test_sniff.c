#include "onnx/sniff.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/attr.h"

static const char *sniff(const char *p, size_t n) {
    return onnx_sniff((struct slice){(const uint8_t *)p, n});
}

static const struct {
    struct str head;
    const char *word;
} formats[] = {
    {{"PK\x03\x04\x14", 5}, "zip"},
    {{"\x1f\x8b\x08", 3}, "gzip"},
    {{"\x28\xb5\x2f\xfd", 4}, "zstd"},
    {{"\x89PNG\r\n\x1a\n", 8}, "png"},
    {{"%PDF-1.4", 8}, "pdf"},
    {{"\x7f"
      "ELF\x02",
      5},
     "elf"},
    {{"\x89HDF\r\n\x1a\n", 8}, "hdf5"},
    {{"GGUF\x03", 5}, "gguf"},
    {{"\x1c\0\0\0TFL3", 8}, "tflite"},
    {{"\x18\0\0\0ORTM", 8}, "ort"},
    {{"\x40\0\0\0\0\0\0\0{\"w\":", 13}, "safetensors"},
    {{"\x80\x02\x8a\x0a", 4}, "pickle"},
    {{"version https://git-lfs.github.com/spec/v1\n", 43}, "lfs"},
    {{"\n <!DOCTYPE HTML><html>", 23}, "html"},
    {{"<html>", 6}, "html"},
    {{"<?xml version=\"1.0\"?>", 21}, "xml"},
    {{"{\"graph\": {}}", 13}, "json"},
    {{"ir_version: 8\ngraph {", 21}, "textproto"},
    {{"<ir_version: 8>", 15}, "as text"},
    {{"just words", 10}, "text"},
    {{"--X\r\nContent-Disposition: form-data\r\n\r\n\x08\x08", 41}, "multipart"},
};

Test(sniff, names_the_format) {
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        const char *looks = sniff(formats[i].head.p, formats[i].head.n);
        cr_assert(looks, "%s", formats[i].word);
        cr_expect(strstr(looks, formats[i].word), "'%s' in: %s", formats[i].word, looks);
    }
}

Test(sniff, an_empty_file_is_empty) {
    cr_expect(strstr(onnx_sniff((struct slice){NULL, 0}), "empty"));
}

Test(sniff, a_tar_archive_shows_further_in) {
    char head[ONNX_SNIFF_BYTES] = "model.onnx";
    memcpy(head + 257, "ustar", 5);
    cr_expect(strstr(sniff(head, sizeof(head)), "tar"));
}

Test(sniff, long_runs_of_its_letters_are_base64) {
    char head[100];
    memset(head, 'Q', sizeof(head));
    cr_expect(strstr(sniff(head, sizeof(head)), "base64"));
}

Test(sniff, text_may_end_in_the_middle_of_a_character) {
    cr_expect(strstr(sniff("gr\xc3\xb6\xc3", 5), "text"));
}

Test(sniff, tells_what_was_done_to_a_model) {
    static const char bom[] = "\xef\xbb\xbf\x08\x08\x12\x07pytorch:\x10\x0a\x02\x01";
    static const char line[] = "\n\x08\x08\x12\x07pytorch:\x10\x0a\x02\x01";
    cr_expect(strstr(sniff(bom, sizeof(bom) - 1), "byte order mark"));
    cr_expect(strstr(sniff(line, sizeof(line) - 1), "line feed"));
}

Test(sniff, says_nothing_of_a_model_or_of_noise) {
    static const char model[] = "\x08\x08\x12\x07pytorch:\x90\x01\x0a\x02\x0a\x00";
    static const char noise[] = "\xd5\x9a\x01\xff\x00\x80";
    cr_expect(sniff(model, sizeof(model) - 1) == NULL);
    cr_expect(sniff(noise, sizeof(noise) - 1) == NULL);
}
