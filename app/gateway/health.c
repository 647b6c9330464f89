/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.c - is it alive, is it ready.
 */
#include "gateway/gateway.h"

static enum bt_status healthz(struct exchange *x)
{
    return exchange_json(x, 200, BT_STR("{\"status\":\"ok\"}"));
}

const struct route health_routes[] = {
    {.method = HTTP_GET,
     .path = "/healthz",
     .operation = "healthz",
     .flags = ROUTE_PUBLIC,
     .run = healthz,
     .summary = "whether the server is alive"},
    {.path = NULL},
};
