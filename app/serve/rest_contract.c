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
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_OVERLOADED);
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

static enum bt_status list_agent_states(struct serve_rest *rest)
{
    struct bt_contract_agent_filter filter;
    return take_filter(rest, &filter) ? bt_op_contract_list_state(&rest->work, &filter) : BT_OK;
}

static enum bt_status clear_agent_states(struct serve_rest *rest)
{
    struct bt_contract_agent_filter filter;
    return take_filter(rest, &filter) ? bt_op_contract_clear_state(&rest->work, &filter) : BT_OK;
}

static enum bt_status store_input(struct serve_rest *rest)
{
    struct bt_contract_input_owner owner = {
        .workspace = bt_op_workspace(&rest->work, rest_text(rest, "workspace")),
        .session = rest_text(rest, "session"),
        .agent_type = rest_text(rest, "agent_type")};
    return take_agent(rest, &owner.agent_id)
               ? bt_op_contract_store_input(&rest->work, &owner, rest->x->request->body)
               : BT_OK;
}

static enum bt_status list_sections(struct serve_rest *rest)
{
    const bt_str workspace = bt_op_workspace(&rest->work, rest_text(rest, "workspace"));
    return bt_op_sections(&rest->work, workspace, rest_text(rest, "name"),
                          rest_switch(rest, "history"));
}

const struct serve_handler contract_handlers[] = {
    {BT_OPERATION_CONTRACT_LIST_STATE, 0, .run = list_agent_states},
    {BT_OPERATION_CONTRACT_CLEAR_STATE, 0, .run = clear_agent_states},
    {BT_OPERATION_CONTRACT_STORE_INPUT, 0, .run = store_input},
    {BT_OPERATION_CONTRACT_LIST_SECTIONS, 0, .run = list_sections},
    {.run = NULL},
};
