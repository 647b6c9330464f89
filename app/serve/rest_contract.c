/* SPDX-License-Identifier: Apache-2.0 */
/* rest_contract.c - the stored states of agents that use contract blocks. */
#include <string.h>

#include "serve/rest.h"

/* Read the id of an agent as stored states have it. False: the response is set. */
static bool take_agent(struct serve_rest *rest, bt_str *out)
{
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    *out = rest_query(rest->x, "agent");
    if (out->len == 0 || bt_str_eq(*out, BT_STR("-"))) {
        return true;
    }
    if (bt_contract_agent_id_from_runtime(*out, mapped) != BT_OK ||
        bt_arena_copy(rest->x->arena, bt_str_of(mapped), out) != BT_OK) {
        (void)serve_call_respond_problem(rest->x, "OVERLOADED");
        return false;
    }
    return true;
}

static bool take_filter(struct serve_rest *rest, struct bt_contract_agent_filter *out)
{
    out->workspace = rest_query(rest->x, "workspace");
    out->session = rest_query(rest->x, "session");
    return take_agent(rest, &out->agent_id);
}

static enum bt_status list_agent_states(struct serve_call *x)
{
    struct bt_contract_agent_filter filter;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return take_filter(&rest, &filter)
               ? rest_end(&rest, bt_op_contract_list_state(&rest.work, &filter))
               : rest_drop(&rest);
}

static enum bt_status clear_agent_states(struct serve_call *x)
{
    struct bt_contract_agent_filter filter;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return take_filter(&rest, &filter)
               ? rest_end(&rest, bt_op_contract_clear_state(&rest.work, &filter))
               : rest_drop(&rest);
}

static enum bt_status store_input(struct serve_call *x)
{
    struct bt_contract_input_owner owner = {.session = rest_query(x, "session"),
                                            .agent_type = rest_query(x, "agent_type")};
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    owner.workspace = bt_op_workspace(&rest.work, rest_query(x, "workspace"));
    return take_agent(&rest, &owner.agent_id)
               ? rest_end(&rest, bt_op_contract_store_input(&rest.work, &owner, x->request->body))
               : rest_drop(&rest);
}

static enum bt_status list_sections(struct serve_call *x)
{
    struct serve_rest rest;
    bool history = false;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_query_switch(&rest, "history", &history)) {
        return rest_drop(&rest);
    }
    const bt_str workspace = bt_op_workspace(&rest.work, rest_query(x, "workspace"));
    return rest_end(&rest, bt_op_sections(&rest.work, workspace, rest_query(x, "name"), history));
}

const struct serve_route contract_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/contract/state",
     .operation = "contractState",
     .scopes = BT_SCOPE_OPERATE | BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = list_agent_states,
     .query = "workspace session agent",
     .summary = "Show what agents reported last"},
    {.method = HTTP_DELETE,
     .path = "/v1/contract/state",
     .operation = "clearContractState",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_RECORDS,
     .run = clear_agent_states,
     .query = "workspace session agent",
     .summary = "Forget what an agent reported"},
    {.method = HTTP_PUT,
     .path = "/v1/contract/input",
     .operation = "storeContractInput",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_RECORDS,
     .run = store_input,
     .takes = "application/json",
     .query = "workspace session agent agent_type",
     .summary = "Keep an INPUT for an agent or a type of agents"},
    {.method = HTTP_GET,
     .path = "/v1/contract/sections",
     .operation = "contractSections",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = list_sections,
     .query = "workspace name history",
     .summary = "Show the sections that reports have updated"},
    {.path = NULL},
};
