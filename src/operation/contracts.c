/* SPDX-License-Identifier: Apache-2.0 */
/* contracts.c - the stored state of agents that report by contract blocks. */
#include <inttypes.h>

#include "operation/contract_json.h"
#include "operation/entry_fields.h"

/* An operator sees all of them, others the agents that they represent. */
static bool is_seen(const struct bt_caller *caller, const struct bt_contract_agent *agent)
{
    return bt_scopes_hold(caller->scopes, BT_SCOPE_OPERATE) ||
           (caller->agent_count > 0 && bt_caller_represents(caller, agent->agent_id));
}

/* Read the id of an agent as an agent host would report it. */
static enum bt_status take_agent(struct bt_call *call, const struct bt_args *args, size_t place,
                                 bt_str *out)
{
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    *out = bt_args_text(args, place);
    if (out->len == 0 || bt_str_eq(*out, BT_STR("-"))) {
        return BT_OK;
    }
    if (bt_contract_agent_id_from_runtime(*out, mapped) != BT_OK) {
        return bt_result_set_failed(call, BT_PROBLEM_OVERLOADED, "the agent cannot be read");
    }
    return bt_arena_copy(call->arena, bt_str_of(mapped), out);
}

static struct bt_contract_agent_filter take_filter(const struct bt_args *args)
{
    return (struct bt_contract_agent_filter){
        .workspace = bt_args_text(args, BT_ARG_CONTRACT_LIST_STATE_WORKSPACE),
        .session = bt_args_text(args, BT_ARG_CONTRACT_LIST_STATE_SESSION),
        .agent_id = bt_args_text(args, BT_ARG_CONTRACT_LIST_STATE_AGENT)};
}

enum bt_status bt_op_contract_list_state(struct bt_call *work, const struct bt_args *args)
{
    const struct bt_contract_agent_filter filter = take_filter(args);
    struct bt_contract_agent_list found;
    struct bt_contract_state gate;
    struct bt_error error;
    BT_TRY(bt_op_contract_state(work, &gate));
    if (bt_contract_agents_list(&gate, &filter, &found, &error) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the states cannot be read");
    }
    struct bt_contract_agent *seen =
        BT_NEW_ARRAY(work->arena, struct bt_contract_agent, found.count + 1);
    struct bt_contract_agent_list shown = {seen, 0};
    if (!seen) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < found.count; i++) {
        if (is_seen(work->caller, &found.items[i])) {
            seen[shown.count++] = found.items[i];
        }
    }
    bt_emit_contract_agents(&work->answer->body, &shown);
    return bt_result_set_done(work);
}

enum bt_status bt_op_contract_clear_state(struct bt_call *work, const struct bt_args *args)
{
    const struct bt_contract_agent_filter filter = take_filter(args);
    struct bt_contract_state gate;
    struct bt_error error;
    uint64_t cleared = 0;
    if (filter.agent_id.len == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/agent"),
                                     "name the agent");
    }
    BT_TRY(bt_op_contract_state(work, &gate));
    if (bt_contract_agents_clear(&gate, &filter, &cleared, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was forgotten");
    }
    bt_buf_printf(&work->answer->body, "{\"baton\":1,\"cleared\":%" PRIu64 "}", cleared);
    return bt_result_set_done(work);
}

enum bt_status bt_op_contract_resume(struct bt_call *work, const struct bt_args *args)
{
    const struct bt_contract_agent_filter filter = {
        .workspace = bt_args_text(args, BT_ARG_CONTRACT_RESUME_WORKSPACE),
        .session = bt_args_text(args, BT_ARG_CONTRACT_RESUME_SESSION),
        .agent_id = bt_args_text(args, BT_ARG_CONTRACT_RESUME_AGENT)};
    struct bt_contract_state gate;
    struct bt_error error;
    uint64_t resumed = 0;
    if (filter.agent_id.len == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/agent"),
                                     "name the agent");
    }
    BT_TRY(bt_op_contract_state(work, &gate));
    if (bt_contract_agents_resume(&gate, &filter, &resumed, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was changed");
    }
    bt_buf_printf(&work->answer->body, "{\"baton\":1,\"resumed\":%" PRIu64 "}", resumed);
    return bt_result_set_done(work);
}

enum bt_status bt_op_contract_store_input(struct bt_call *work, const struct bt_args *args)
{
    const bt_str input = bt_args_text(args, BT_ARG_CONTRACT_STORE_INPUT_INPUT);
    struct bt_contract_input_owner owner = {
        .workspace =
            bt_op_workspace(work, bt_args_text(args, BT_ARG_CONTRACT_STORE_INPUT_WORKSPACE)),
        .session = bt_args_text(args, BT_ARG_CONTRACT_STORE_INPUT_SESSION),
        .agent_type = bt_args_text(args, BT_ARG_CONTRACT_STORE_INPUT_AGENT_TYPE)};
    struct bt_contract_input read;
    struct bt_contract_state gate;
    struct bt_error error;
    BT_TRY(take_agent(work, args, BT_ARG_CONTRACT_STORE_INPUT_AGENT, &owner.agent_id));
    if (work->answer->kind != 0) {
        return BT_OK;
    }
    if ((owner.agent_id.len > 0) == (owner.agent_type.len > 0)) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/agent"),
                                     "say for whom: agent or agent_type");
    }
    BT_TRY(bt_op_contract_state(work, &gate));
    if (bt_contract_input_read(gate.contract, work->arena, input, &read, &error) != BT_OK) {
        return bt_result_set_problem(work, BT_PROBLEM_BAD_REQUEST, BT_STR(""),
                                     "it is not an INPUT: %s", error.text);
    }
    if (bt_contract_input_store(&gate, &owner, input, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was stored");
    }
    bt_buf_put_text(&work->answer->body, "{\"baton\":1,\"stored\":true}");
    return bt_result_set_done(work);
}

/* True when the entry, or the report that it came with, is the caller's. */
static bool is_from_caller(struct bt_call *work, uint64_t seq)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    for (size_t i = 0; alarms && i < 2; i++) {
        struct bt_ledger_entry found;
        struct bt_error error;
        struct bt_entry_fields entry;
        if (bt_ledger_read_entry(work->service->ledger, work->arena, seq, alarms, &found, &error) !=
                BT_OK ||
            bt_findings_count(alarms) > 0 ||
            !bt_entry_fields_read(work->service->env, work->arena, found.text, &entry)) {
            return false;
        }
        if (bt_entry_fields_visible_to(work, &entry)) {
            return true;
        }
        const bt_json_value *parent =
            bt_json_resolve(entry.document, entry.root, BT_STR("/refs/parent"));
        if (!parent || bt_json_type(parent) != BT_JSON_INTEGER) {
            return false;
        }
        seq = (uint64_t)parent->as.integer;
    }
    return false;
}

/* An operator sees every version of every section, others those that they wrote. */
static enum bt_status keep_own(struct bt_call *work, struct bt_contract_section_list *sections)
{
    struct bt_contract_section *own =
        BT_NEW_ARRAY(work->arena, struct bt_contract_section, sections->count + 1);
    size_t count = 0;
    if (!own) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < sections->count; i++) {
        if (bt_scopes_hold(work->caller->scopes, BT_SCOPE_OPERATE) ||
            is_from_caller(work, sections->items[i].seq)) {
            own[count++] = sections->items[i];
        }
    }
    *sections = (struct bt_contract_section_list){own, count};
    return BT_OK;
}

enum bt_status bt_op_contract_list_sections(struct bt_call *work, const struct bt_args *args)
{
    const bt_str workspace =
        bt_op_workspace(work, bt_args_text(args, BT_ARG_CONTRACT_LIST_SECTIONS_WORKSPACE));
    const bt_str name = bt_args_text(args, BT_ARG_CONTRACT_LIST_SECTIONS_NAME);
    const bool history = bt_args_bool(args, BT_ARG_CONTRACT_LIST_SECTIONS_HISTORY);
    struct bt_contract_section_list sections;
    struct bt_contract_state gate;
    struct bt_error error;
    BT_TRY(bt_op_contract_state(work, &gate));
    if (bt_contract_sections_list(&gate, workspace, name, history, &sections, &error) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the sections cannot be read");
    }
    BT_TRY(keep_own(work, &sections));
    if (name.len > 0 && sections.count == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "section not found");
    }
    bt_emit_contract_sections(&work->answer->body, workspace, &sections, history);
    return bt_result_set_done(work);
}
