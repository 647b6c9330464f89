/* SPDX-License-Identifier: Apache-2.0 */
/* rest_govern.c - blocked agents of governed handoffs, for operators. */
#include "serve/rest.h"

static enum bt_status list_blocked_agents(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, bt_op_blocked(&rest.work)) : BT_OK;
}

static enum bt_status find_path(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x)
               ? rest_end(&rest, bt_op_path(&rest.work, rest_query(x, "from"), rest_query(x, "to")))
               : BT_OK;
}

static enum bt_status verify_root(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, bt_op_verify_root(&rest.work)) : BT_OK;
}

static enum bt_status unblock_agent(struct serve_call *x)
{
    struct serve_rest_object object;
    struct serve_rest rest;
    bt_str agent;
    bt_str reason;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "agent reason", &object) || !rest_text(&object, "agent", &agent) ||
        !rest_text(&object, "reason", &reason)) {
        return rest_drop(&rest);
    }
    if (agent.len == 0) {
        (void)rest_refuse(&rest, "agent", "it is missing");
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_unblock(&rest.work, agent, reason));
}

const struct serve_route govern_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/govern/blocked",
     .operation = "listBlocked",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_STORE,
     .run = list_blocked_agents,
     .summary = "List the agents that are blocked"},
    {.method = HTTP_GET,
     .path = "/v1/govern/path",
     .operation = "governPath",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_STORE,
     .run = find_path,
     .query = "from to",
     .summary = "Find the shortest allowed way from one agent to another"},
    {.method = HTTP_GET,
     .path = "/v1/govern/root",
     .operation = "verifyRoot",
     .scopes = BT_SCOPE_OPERATE,
     .run = verify_root,
     .summary = "Judge the whole catalogue of agents"},
    {.method = HTTP_POST,
     .path = "/v1/govern/unblock",
     .operation = "unblock",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_RECORDS,
     .run = unblock_agent,
     .takes = "application/json",
     .summary = "Lift the block of an agent, with a reason"},
    {.path = NULL},
};
