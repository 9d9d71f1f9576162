// The only place that makes answers of the HTTP library: from struct srv_reply, with the headers
// that every answer has.
#pragma once

#include <stdbool.h>

#include "server/http_request.h"

struct MHD_Connection;

// Queues the request's answer; its body must live until the request is over. false = it could not
// be: close the connection.
bool srv_http_reply(struct MHD_Connection *connection, struct srv_request *rq);
