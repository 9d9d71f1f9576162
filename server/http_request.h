// One request from its head to its answer, without any type of the HTTP library, so that it can be
// driven by a test.
//
//     new -> begin(head) -> body* -> end -> [waiting -> resumed]* -> answer -> free
//
// `begin` decides whatever can be decided without the body. Only one thread at a time touches a
// request; while it waits for a document, nobody does, and while it is offloaded, the thread that
// does its work.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "server/flight.h"
#include "server/http_strict.h"
#include "server/offload.h"
#include "server/query.h"
#include "server/reply.h"
#include "server/router.h"
#include "server/service.h"
#include "server/upload.h"

#define SRV_REQUEST_ID_MAX 64
#define SRV_REMOTE_MAX 64

// How a request is put aside and taken up again; `connection` is the library's.
struct srv_transport {
    void (*suspend)(void *connection);
    void (*resume)(void *connection);
};

enum srv_body_use {
    SRV_BODY_NONE,
    SRV_BODY_MODEL,
    SRV_BODY_DISCARD,  // swallowed, because an answer cannot be given before its end
};

struct srv_request {
    struct srv_service *service;
    const struct srv_transport *transport;
    void *connection;
    int fd;
    struct arena arena;
    struct srv_head head;  // borrowed from the connection
    struct str target;     // raw; in the arena
    struct str query;      // of it
    char id[SRV_REQUEST_ID_MAX + 1];
    char remote[SRV_REMOTE_MAX];

    enum srv_method method;
    const struct srv_route *route;  // NULL = none was found
    struct str captured;            // {id} or {name} of the route
    struct srv_params params;
    bool errors_image;
    bool accepts_gzip;

    enum srv_body_use body_use;
    bool answer_now;  // set by begin: do not wait for the body
    uint64_t body_bytes, body_max;
    struct srv_upload *upload;
    struct srv_record *record;

    bool waiting;
    struct srv_waiter waiter;
    struct srv_task task;
    struct srv_document *document;  // what it waited for, or
    struct error error;             // why there is none; after an answer that is an error, its
    bool gone;                      // because the client is
    bool existed;                   // the model was stored already
    bool packed;                    // the body was compressed, as far as it can be
    void (*work)(struct srv_request *rq);
    void (*next)(struct srv_request *rq);
    struct str alternative;  // a URL that may work when this one fails; in the arena

    struct srv_reply reply;

    uint64_t started_ms;
    double queue_ms, run_ms;
    const char *cache;  // "hit", "miss", "joined"; NULL = no document was wanted
};

// *out is owned by the caller. `target` is copied. NULL when there is no memory.
struct srv_request *srv_request_new(struct srv_service *service, struct str target);
void srv_request_free(struct srv_request *rq);

// Takes the head; its views must live as long as the request. After it the reply may have a status
// already: with answer_now it has to be sent at once, else after the body was swallowed.
void srv_request_begin(struct srv_request *rq, const struct srv_head *head);

// Takes bytes of the body. false = more than anybody should send: cut the connection.
bool srv_request_body(struct srv_request *rq, struct slice bytes);

// The body is complete. Afterwards the reply has a status, or the request waits.
void srv_request_end(struct srv_request *rq);

// It was resumed. Afterwards as above.
void srv_request_resumed(struct srv_request *rq);

// Puts the request aside until the waiter lands, then calls `next`.
void srv_request_wait(struct srv_request *rq, void (*next)(struct srv_request *rq));

// Puts the request aside, runs `work` on another thread, then calls `next`.
void srv_request_offload(struct srv_request *rq, void (*work)(struct srv_request *rq),
                         void (*next)(struct srv_request *rq));

// All fields of a name as one list, in the arena.
struct str srv_request_list(struct srv_request *rq, const char *name);

// Counts a finished request and writes one line about it.
void srv_request_log(const struct srv_request *rq, bool completed);
