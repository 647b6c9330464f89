/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contracts.c - what is kept about agents that report by contract blocks.
 */
#include <inttypes.h>

#include "service/contract_json.h"
#include "service/entries.h"

/* ---- States ---------------------------------------------------------------------------------- */

/* An operator sees all of them, others the agents that they speak for. */
static bool is_seen(const struct caller *caller, const struct bt_agent_state *agent)
{
    return scopes_hold(caller->scopes, SCOPE_OPERATE) ||
           (caller->agent_count > 0 && caller_is(caller, agent->agent_id));
}

enum bt_status op_states(struct work *work, const struct bt_agent_filter *filter)
{
    struct bt_agent_states found;
    struct bt_gate gate;
    struct bt_error error;
    BT_TRY(service_gate(work, &gate));
    if (bt_gate_states(&gate, filter, &found, &error) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the states cannot be read");
    }
    struct bt_agent_state *seen = BT_NEW_ARRAY(work->arena, struct bt_agent_state, found.count + 1);
    struct bt_agent_states shown = {seen, 0};
    if (!seen) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < found.count; i++) {
        if (is_seen(work->caller, &found.items[i])) {
            seen[shown.count++] = found.items[i];
        }
    }
    states_put(&work->answer->body, &shown);
    return answer_done(work);
}

enum bt_status op_clear(struct work *work, const struct bt_agent_filter *filter)
{
    struct bt_gate gate;
    struct bt_error error;
    uint64_t cleared = 0;
    if (filter->agent_id.len == 0) {
        return answer_unusable(work, "PARAMETER_INVALID at /agent: name the agent");
    }
    BT_TRY(service_gate(work, &gate));
    if (bt_gate_clear(&gate, filter, &cleared, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: nothing was forgotten");
    }
    bt_buf_printf(&work->answer->body, "{\"baton\":1,\"cleared\":%" PRIu64 "}", cleared);
    return answer_done(work);
}

/* ---- Context --------------------------------------------------------------------------------- */

enum bt_status op_input(struct work *work, const struct bt_input_owner *owner, bt_str input)
{
    struct bt_contract_input read;
    struct bt_gate gate;
    struct bt_error error;
    if ((owner->agent_id.len > 0) == (owner->agent_type.len > 0)) {
        return answer_unusable(work, "PARAMETER_INVALID at /agent: say for whom: agent or "
                                     "agent_type");
    }
    BT_TRY(service_gate(work, &gate));
    if (bt_contract_input_read(gate.contract, work->arena, input, &read, &error) != BT_OK) {
        return answer_unusable(work, "BAD_REQUEST: it is no INPUT: %s", error.text);
    }
    if (bt_gate_input_put(&gate, owner, input, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: nothing was stored");
    }
    bt_buf_put_text(&work->answer->body, "{\"baton\":1,\"stored\":true}");
    return answer_done(work);
}

/* Whether the entry, or the report that it came with, is the caller's. */
static bool is_from_caller(struct work *work, uint64_t seq)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    for (size_t i = 0; alarms && i < 2; i++) {
        struct bt_ledger_shown shown;
        struct bt_error error;
        struct entry entry;
        if (bt_ledger_show(work->service->ledger, work->arena, seq, alarms, &shown, &error) !=
                BT_OK ||
            bt_findings_count(alarms) > 0 || !entry_read(work->arena, shown.entry.text, &entry)) {
            return false;
        }
        if (entry_is_theirs(work, &entry)) {
            return true;
        }
        const bt_value *parent = bt_json_point(entry.document, entry.root, BT_STR("/refs/parent"));
        if (!parent || bt_json_type(parent) != BT_JSON_INTEGER) {
            return false;
        }
        seq = (uint64_t)parent->as.integer;
    }
    return false;
}

/* An operator sees every version of every section, others those that they wrote. */
static enum bt_status keep_own(struct work *work, struct bt_kept_sections *sections)
{
    struct bt_kept_section *own =
        BT_NEW_ARRAY(work->arena, struct bt_kept_section, sections->count + 1);
    size_t count = 0;
    if (!own) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < sections->count; i++) {
        if (scopes_hold(work->caller->scopes, SCOPE_OPERATE) ||
            is_from_caller(work, sections->items[i].seq)) {
            own[count++] = sections->items[i];
        }
    }
    *sections = (struct bt_kept_sections){own, count};
    return BT_OK;
}

enum bt_status op_sections(struct work *work, bt_str workspace, bt_str name, bool history)
{
    struct bt_kept_sections sections;
    struct bt_gate gate;
    struct bt_error error;
    BT_TRY(service_gate(work, &gate));
    if (bt_gate_sections(&gate, workspace, name, history, &sections, &error) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the sections cannot be read");
    }
    BT_TRY(keep_own(work, &sections));
    if (name.len > 0 && sections.count == 0) {
        return answer_unusable(work, "NOT_FOUND: there is no such section");
    }
    sections_put(&work->answer->body, workspace, &sections, history);
    return answer_done(work);
}

/* ---- Merging --------------------------------------------------------------------------------- */

enum bt_status op_merge(struct work *work, bt_str stored, bt_str payload)
{
    const struct bt_contract_document document = {.path = BT_STR("document"), .text = payload};
    struct bt_contract *contract = NULL;
    struct bt_contract_merged merged;
    struct bt_json_result read;
    BT_TRY(bt_checker_contract(work->service->checker, &contract));
    BT_TRY(bt_json_read(work->arena, stored, NULL, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return answer_unusable(work, "PARAMETER_INVALID at /stored: it is no JSON object");
    }
    BT_TRY(bt_contract_merge(contract, work->arena, read.document, &document, &merged));
    return answer_report(work, &merged.judged, 1, merged.members);
}
