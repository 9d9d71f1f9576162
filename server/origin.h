// Who may talk to the daemon from a web page.
//
// A daemon on localhost is reachable from every page that its user opens: by a form or a fetch from
// a foreign origin, and by a name that an attacker points at 127.0.0.1. Hence the names that Host
// may hold are a list, and writing needs a page of our own, or no page at all.
#pragma once

#include <stdbool.h>

#include "base/str.h"

// Whether Host holds an allowed name: localhost and names below it, an IP address, or one of
// `names` (a comma list); with any port.
bool srv_host_allowed(struct str host, struct str names);

// Whether a request that changes something may come from where it says it comes from. Fields that
// are missing are {NULL, 0}: programs that are no browser send none of them.
bool srv_origin_allowed(struct str origin, struct str sec_fetch_site, struct str host,
                        struct str names);
