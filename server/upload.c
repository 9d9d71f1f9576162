#include "server/upload.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "onnx/strip.h"
#include "server/multipart.h"

#define FORM_FIELD "model"
#define HEAD_BYTES 4

struct srv_upload {
    struct srv_decoder *decoder;
    struct srv_multipart *form;  // NULL = the body is the model
    struct onnx_strip *strip;
    struct sha256 digest;
    uint64_t size;
    uint8_t head[HEAD_BYTES];  // the model's first bytes
    size_t head_n;
    bool is_plain;  // the request names no coding
    struct error failure;
};

static int take_model(void *arg, struct slice bytes, struct error *err) {
    struct srv_upload *u = arg;

    for (size_t i = 0; i < bytes.n && u->head_n < HEAD_BYTES; i++) {
        u->head[u->head_n++] = bytes.p[i];
    }
    u->size += bytes.n;
    sha256_add(&u->digest, bytes);
    return onnx_strip_feed(u->strip, bytes, err);
}

static int take_form(void *arg, struct slice bytes, struct error *err) {
    struct srv_upload *u = arg;

    return srv_multipart_feed(u->form, bytes, err);
}

static int set_up(struct srv_upload *u, const struct srv_upload_plan *plan, struct error *err) {
    int rc = onnx_strip_new(&u->strip, plan->limits, err);

    if (rc == 0 && plan->is_form) {
        rc = srv_multipart_new(&u->form, plan->boundary, FORM_FIELD, take_model, u, err);
    }
    if (rc == 0) {
        rc = srv_decoder_new(&u->decoder, plan->coding, plan->max_ratio,
                             u->form ? take_form : take_model, u, err);
    }
    sha256_init(&u->digest);
    u->is_plain = plan->coding == SRV_CODING_IDENTITY;
    return rc;
}

int srv_upload_new(struct srv_upload **out, const struct srv_upload_plan *plan, struct error *err) {
    struct srv_upload *u = calloc(1, sizeof(*u));
    int rc;

    if (!u) {
        return error_set(err, ERR_NOMEM, "no memory for an upload");
    }
    rc = set_up(u, plan, err);
    if (rc < 0) {
        srv_upload_free(u);
        return rc;
    }
    *out = u;
    return 0;
}

void srv_upload_free(struct srv_upload *u) {
    if (!u) {
        return;
    }
    srv_decoder_free(u->decoder);
    srv_multipart_free(u->form);
    onnx_strip_free(u->strip);
    free(u);
}

void srv_upload_feed(struct srv_upload *u, struct slice chunk) {
    if (u->failure.code == 0 && srv_decoder_feed(u->decoder, chunk, &u->failure) < 0) {
        // The stripper's memory is of no more use, and the rest of the body may take long.
        onnx_strip_free(u->strip);
        u->strip = NULL;
    }
}

uint64_t srv_upload_size(const struct srv_upload *u) {
    return u->size;
}

static int end_body(struct srv_upload *u, struct error *err) {
    int rc;

    if (u->failure.code) {
        if (err) {
            *err = u->failure;
        }
        return u->failure.code;
    }
    rc = srv_decoder_finish(u->decoder, err);
    return rc == 0 && u->form ? srv_multipart_finish(u->form, err) : rc;
}

// What is compressed could have been taken, had the request said so.
static void add_hint(const struct srv_upload *u, struct error *err) {
    const char *coding = srv_coding_guess((struct slice){u->head, u->head_n});

    if (coding && u->is_plain) {
        error_set_at(err, err->code, err->offset, err->field,
                     "%s, or send it with Content-Encoding: %s", err->text, coding);
    }
}

static int finish_model(struct srv_upload *u, struct srv_record **out, struct error *err) {
    uint8_t digest[SHA256_BYTES];
    struct srv_record facts = {0};
    struct slice skeleton;
    struct sha256 of_skeleton;
    int rc = end_body(u, err);

    if (rc < 0) {
        return rc;
    }
    rc = onnx_strip_finish(u->strip, &skeleton, &facts.strip, err);
    if (rc < 0) {
        return rc;
    }
    sha256_done(&u->digest, digest);
    sha256_hex(digest, facts.id);
    sha256_init(&of_skeleton);
    sha256_add(&of_skeleton, skeleton);
    sha256_done(&of_skeleton, facts.skeleton_digest);
    facts.size = u->size;
    facts.created = clock_unix_s();
    return srv_record_new(out, &facts, (uint8_t *)(uintptr_t)skeleton.p, skeleton.n, NULL, 0, err);
}

int srv_upload_finish(struct srv_upload *u, struct srv_record **out, struct error *err) {
    int rc = finish_model(u, out, err);

    if (rc == ERR_FORMAT && err) {
        add_hint(u, err);
    }
    return rc;
}
