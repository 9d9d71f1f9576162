// The handlers of the routes. Each ends with an answer (server/reply.h) or waiting for a document
// (server/produce.h).
#pragma once

struct srv_request;

void srv_route_render(struct srv_request *rq);
void srv_route_models_post(struct srv_request *rq);
void srv_route_models_list(struct srv_request *rq);
void srv_route_model_get(struct srv_request *rq);
void srv_route_model_delete(struct srv_request *rq);
void srv_route_document(struct srv_request *rq);  // graph.svg, .json, .dot, modules.json,
                                                  // nodes.json
void srv_route_livez(struct srv_request *rq);
void srv_route_readyz(struct srv_request *rq);
void srv_route_version(struct srv_request *rq);
void srv_route_metrics(struct srv_request *rq);
void srv_route_openapi(struct srv_request *rq);
void srv_route_oembed(struct srv_request *rq);
void srv_route_index(struct srv_request *rq);
void srv_route_viewer(struct srv_request *rq);
void srv_route_embed(struct srv_request *rq);
void srv_route_asset(struct srv_request *rq);
