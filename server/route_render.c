#include "server/produce.h"
#include "server/routes.h"

// Nothing is stored, so there is nothing to ask about again: no tag, no age.
void srv_route_render(struct srv_request *rq) {
    srv_produce(rq, rq->params.format, srv_reply_document);
}
