// The stripper's table and onnx.proto, which the decoder is made from, must say the same.
#include "onnx/schema.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

static const struct {
    const char *name;
    enum onnx_message message;
} messages[] = {
    {"ModelProto", ONNX_MODEL},
    {"GraphProto", ONNX_GRAPH},
    {"NodeProto", ONNX_NODE},
    {"AttributeProto", ONNX_ATTRIBUTE},
    {"TensorProto", ONNX_TENSOR},
    {"SparseTensorProto", ONNX_SPARSE_TENSOR},
    {"ValueInfoProto", ONNX_VALUE_INFO},
    {"TypeProto", ONNX_TYPE},
    {"Tensor", ONNX_TYPE_TENSOR},
    {"Element", ONNX_TYPE_ELEMENT},
    {"Map", ONNX_TYPE_MAP},
    {"Opaque", ONNX_TYPE_OPAQUE},
    {"TensorShapeProto", ONNX_SHAPE},
    {"Dimension", ONNX_DIMENSION},
    {"OperatorSetIdProto", ONNX_OPSET},
    {"FunctionProto", ONNX_FUNCTION},
    {"StringStringEntryProto", ONNX_PROPERTY},
};

static const struct {
    const char *type;
    enum onnx_field_kind one, many;
} scalars[] = {
    {"int64", ONNX_FIELD_VARINT, ONNX_FIELD_VARINTS},
    {"int32", ONNX_FIELD_VARINT, ONNX_FIELD_VARINTS},
    {"uint64", ONNX_FIELD_VARINT, ONNX_FIELD_VARINTS},
    {"float", ONNX_FIELD_FIXED32, ONNX_FIELD_FLOATS},
    {"double", ONNX_FIELD_DROP, ONNX_FIELD_DOUBLES},
    {"bytes", ONNX_FIELD_BYTES, ONNX_FIELD_BYTES},
};

static enum onnx_message find_message(const char *name) {
    for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
        if (!strcmp(messages[i].name, name)) {
            return messages[i].message;
        }
    }
    return ONNX_MESSAGES;
}

static void expect_field(enum onnx_message message, const char *label, const char *type,
                         const char *name, uint32_t number) {
    const struct onnx_field *f = onnx_schema_field(message, number);
    cr_assert(f, "%s = %u is not in the table", name, number);
    cr_expect_str_eq(f->name, name);
    if (find_message(type) != ONNX_MESSAGES) {
        cr_expect_eq(f->kind, ONNX_FIELD_MESSAGE, "%s", name);
        cr_expect_eq(f->message, find_message(type), "%s", name);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(scalars); i++) {
        if (!strcmp(scalars[i].type, type)) {
            bool many = !strcmp(label, "repeated");
            cr_expect_eq(f->kind, many ? scalars[i].many : scalars[i].one, "%s", name);
            return;
        }
    }
    cr_expect_fail("%s has the unknown type %s", name, type);
}

struct seen {
    unsigned in_proto;
    enum onnx_message open[4];
    unsigned depth;
};

static void read_line(struct seen *seen, const char *line) {
    char label[16], type[64], name[64];
    unsigned number;
    if (sscanf(line, " message %63s {", name) == 1) {
        cr_assert_lt(seen->depth, 3);
        seen->open[++seen->depth] = find_message(name);
        cr_expect_neq(seen->open[seen->depth], ONNX_MESSAGES, "%s", name);
    } else if (strstr(line, "oneof")) {
        seen->open[seen->depth + 1] = seen->open[seen->depth];
        seen->depth++;
    } else if (strchr(line, '}')) {
        seen->depth--;
    } else if (seen->depth &&
               sscanf(line, " %15s %63s %63s = %u", label, type, name, &number) == 4) {
        expect_field(seen->open[seen->depth], label, type, name, number);
        seen->in_proto++;
    } else if (seen->depth && sscanf(line, " %63s %63s = %u", type, name, &number) == 3) {
        expect_field(seen->open[seen->depth], "oneof", type, name, number);
        seen->in_proto++;
    }
}

static unsigned count_kept(void) {
    unsigned n = 0;
    for (int m = 0; m < ONNX_MESSAGES; m++) {
        for (uint32_t number = 0; number <= ONNX_FIELD_MAX; number++) {
            const struct onnx_field *f = onnx_schema_field((enum onnx_message)m, number);
            n += f && f->kind != ONNX_FIELD_DROP;
        }
    }
    return n;
}

Test(schema, keeps_what_the_proto_declares_and_nothing_else) {
    struct seen seen = {0};
    char line[256];
    FILE *f = fopen(ONNX_PROTO, "r");
    cr_assert(f);
    while (fgets(line, sizeof(line), f)) {
        if (!strstr(line, "//") && !strstr(line, "syntax") && !strstr(line, "package")) {
            read_line(&seen, line);
        }
    }
    cr_expect_eq(fclose(f), 0);
    cr_expect_eq(seen.depth, 0);
    cr_expect_eq(seen.in_proto, count_kept());
}

Test(schema, knows_no_field_beyond_the_table) {
    cr_expect(onnx_schema_field(ONNX_MODEL, 0) == NULL);
    cr_expect(onnx_schema_field(ONNX_MODEL, 27) == NULL);
    cr_expect(onnx_schema_field(ONNX_MODEL, (1u << 29) - 1) == NULL);
    cr_expect(onnx_schema_field(ONNX_GRAPH, 3) == NULL);
}

Test(schema, repeated_numbers_may_be_packed) {
    const struct onnx_field *ints = onnx_schema_field(ONNX_ATTRIBUTE, 8);
    cr_expect(onnx_schema_accepts(ints, ONNX_WIRE_VARINT));
    cr_expect(onnx_schema_accepts(ints, ONNX_WIRE_BYTES));
    cr_expect(!onnx_schema_accepts(ints, ONNX_WIRE_FIXED32));
    const struct onnx_field *i = onnx_schema_field(ONNX_ATTRIBUTE, 3);
    cr_expect(!onnx_schema_accepts(i, ONNX_WIRE_BYTES));
    const struct onnx_field *doubles = onnx_schema_field(ONNX_TENSOR, 10);
    cr_expect(onnx_schema_accepts(doubles, ONNX_WIRE_FIXED64));
    cr_expect_eq(onnx_schema_element(doubles), 8);
    cr_expect_eq(onnx_schema_element(onnx_schema_field(ONNX_TENSOR, 4)), 4);
    cr_expect_eq(onnx_schema_element(ints), 0);
}
