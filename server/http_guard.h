// Against clients that are slow on purpose.
//
// The HTTP library only knows idle time, which every single byte starts anew. The guard watches
// phases instead: headers must be complete in time, a body must keep up a least rate, and so must
// the taking of an answer. A connection that breaks a rule is told 408 where that is possible and
// shut down; the library then notices by itself. When all places are taken, the connection that has
// asked nothing for the longest time is closed, so that idle ones cannot keep others out.
//
// All functions may be called from any thread. A connection's descriptor must be open from
// srv_guard_open() to srv_guard_close().
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"

#define SRV_GUARD_TICK_MS 200
#define SRV_GUARD_GRACE_MS 10000  // before a rate is looked at

enum srv_conn_phase {
    SRV_CONN_NEW,    // nothing came in yet
    SRV_CONN_HEAD,   // headers are coming in
    SRV_CONN_BODY,   // a body is coming in
    SRV_CONN_WORK,   // it is our turn
    SRV_CONN_REPLY,  // an answer is going out
    SRV_CONN_IDLE,   // between two requests
};

struct srv_guard_rules {
    uint64_t header_timeout_ms;
    uint64_t idle_timeout_ms;
    uint64_t min_rate;         // bytes a second, 0 = any
    uint64_t max_connections;  // that the library takes
};

struct srv_guard;
struct srv_conn;

// `tick` is called about every SRV_GUARD_TICK_MS on the guard's thread. *out is owned by the
// caller. Errors: ERR_NOMEM, ERR_IO.
int srv_guard_new(struct srv_guard **out, const struct srv_guard_rules *rules,
                  void (*tick)(void *arg, uint64_t now_ms), void *arg,
                  struct error *err) WARN_UNUSED;
void srv_guard_free(struct srv_guard *g);

// NULL when there is no memory: the connection is then not watched.
struct srv_conn *srv_guard_open(struct srv_guard *g, int fd);
void srv_guard_close(struct srv_guard *g, struct srv_conn *c);  // NULL is fine
int srv_conn_fd(const struct srv_conn *c);                      // -1 for NULL

// The status that the guard itself answered on a connection; 0 = none, also for NULL.
unsigned srv_guard_told(struct srv_guard *g, const struct srv_conn *c);

// A new phase begins now; `bytes` is how much is going to be sent (SRV_CONN_REPLY).
void srv_guard_enter(struct srv_guard *g, struct srv_conn *c, enum srv_conn_phase phase,
                     uint64_t bytes);

// Bytes of a body came in.
void srv_guard_count(struct srv_guard *g, struct srv_conn *c, uint64_t bytes);

// Shuts down what breaks a rule at this time; returns how many. The guard's thread does it.
size_t srv_guard_check(struct srv_guard *g, uint64_t now_ms);

// The service stops: ends every connection whose turn it is not, and answers 503 where a request
// was coming in; returns how many. Answers that are going out are left alone.
size_t srv_guard_dismiss(struct srv_guard *g);
