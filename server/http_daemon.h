// The HTTP server: connections and threads of libmicrohttpd, one struct srv_request a request.
#pragma once

#include <stdint.h>

#include "base/attr.h"
#include "base/error.h"
#include "server/service.h"

struct srv_http;

// Serves `service` on a listening socket, which stays the caller's. *out is owned by the caller.
// Errors: ERR_IO, ERR_NOMEM.
int srv_http_start(struct srv_http **out, struct srv_service *service, int listener,
                   struct error *err) WARN_UNUSED;

// Takes no new connections; those that are there go on.
void srv_http_quiesce(struct srv_http *http);

// Ends every connection that no answer is being made for or sent on; requests that are still coming
// in are answered 503.
void srv_http_dismiss(struct srv_http *http);

// Ends everything. Nobody may wait for a document any more (srv_flights_close()).
void srv_http_stop(struct srv_http *http);
