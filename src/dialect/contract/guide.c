/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guide.c - what an agent is told at its start: its id, the statuses, and a block with marks where
 * it fills something in. A block whose marks are replaced is accepted without a warning; one that
 * still has a mark is rejected.
 */
#include <assert.h>

#include "dialect/contract/contract_check.h"
#include "json/emit.h"

extern const char bt_contract_skill_text[]; /* made from SKILL.md */

bt_str bt_contract_skill(void)
{
    return bt_str_of(bt_contract_skill_text);
}

static void put_list(struct bt_emit *emit, const char *name, const char *mark)
{
    bt_emit_member_array(emit, name);
    if (mark) {
        bt_emit_string(emit, bt_str_of(mark));
    }
    bt_emit_end(emit);
}

static void put_marks(struct bt_emit *emit, const char *const marks[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bt_emit_member_string(emit, marks[i][0], bt_str_of(marks[i][1]));
    }
}

static void put_status(struct bt_emit *emit, enum bt_contract_status status,
                       const struct bt_contract_template *wanted)
{
    const bt_str id = wanted->agent_id.len > 0 || wanted->fills_agent_id
                          ? wanted->agent_id
                          : BT_STR("<FILL: your agent_id, as your host reports it>");
    bt_emit_member_object(emit, "agent_status");
    bt_emit_member_string(emit, "plan_status", bt_contract_status_name(status));
    bt_emit_member_string(emit, "agent_id", id);
    put_list(emit, "pending_steps", NULL);
    bt_emit_member_string(emit, "next_action",
                          status == BT_CONTRACT_STATUS_NEEDS_INPUT
                              ? BT_STR("<FILL: the question and its choices>")
                              : BT_STR("<FILL: what should happen next>"));
    bt_emit_end(emit);
}

static void put_evidence(struct bt_emit *emit, enum bt_contract_status status)
{
    static const char *const verification[][2] = {
        {"result", "<FILL: pass, only if the check passed>"},
        {"command", "<FILL: the check you ran last, or remove this member>"},
    };
    bt_emit_member_object(emit, "evidence_report");
    for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
        const struct bt_contract_report_key *key = &bt_evidence_keys[i];
        const bool is_gap = key->code == BT_CODE_OPEN_GAPS && status == BT_CONTRACT_STATUS_BLOCKED;
        put_list(emit, key->name,
                 key->code == BT_CODE_COMMANDS_RUN
                     ? "<FILL: each command you ran, or remove this item>"
                 : key->code == BT_CODE_KEY_OUTPUTS ? "<FILL: what you found or changed>"
                 : is_gap                           ? "<FILL: what is missing>"
                                                    : NULL);
    }
    if (status == BT_CONTRACT_STATUS_COMPLETE) {
        bt_emit_member_object(emit, "verification");
        put_marks(emit, verification, sizeof(verification) / sizeof(verification[0]));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_consolidation(struct bt_emit *emit)
{
    bt_emit_member_object(emit, "consolidation_report");
    for (size_t i = 0; i < BT_CONSOLIDATION_KEYS; i++) {
        const struct bt_contract_report_key *key = &bt_consolidation_keys[i];
        if (key->add_missing) {
            put_list(emit, key->name, NULL);
            continue;
        }
        bt_emit_member_string(
            emit, key->name,
            key->code == BT_CODE_OWNERSHIP_ASSESSMENT
                ? BT_STR("<FILL: owned_here, cross_surface_dependency or not_my_surface>")
                : BT_STR("<FILL: the agent that should look next>"));
    }
    bt_emit_end(emit);
}

static void put_request(struct bt_emit *emit)
{
    static const char *const marks[][2] = {
        {"operation", "<FILL: what is to be done>"},
        {"exact_content", "<FILL: the exact command, byte for byte>"},
        {"scope", "<FILL: what it touches>"},
        {"risk_level", "<FILL: LOW, MEDIUM, HIGH or CRITICAL>"},
        {"rollback", "<FILL: how to undo it>"},
        {"verification", "<FILL: how success is seen>"},
    };
    bt_emit_member_object(emit, "approval_request");
    put_marks(emit, marks, sizeof(marks) / sizeof(marks[0]));
    bt_emit_end(emit);
}

void bt_contract_put_marked(struct bt_buf *buf, const struct bt_contract_template *wanted,
                            bool pretty)
{
    assert(buf);
    assert(wanted);
    const enum bt_contract_status status =
        wanted->status ? wanted->status : BT_CONTRACT_STATUS_COMPLETE;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, pretty);
    bt_emit_begin_object(&emit);
    put_status(&emit, status, wanted);
    put_evidence(&emit, status);
    if (wanted->consolidation_required) {
        put_consolidation(&emit);
    } else {
        bt_emit_member_null(&emit, "consolidation_report");
    }
    if (status == BT_CONTRACT_STATUS_APPROVAL_REQUEST) {
        put_request(&emit);
    } else {
        bt_emit_member_null(&emit, "approval_request");
    }
    bt_emit_end(&emit);
}

void bt_contract_put_marked_block(struct bt_buf *buf, const struct bt_contract_template *wanted)
{
    bt_buf_put_text(buf, "```");
    bt_buf_put(buf, BT_CONTRACT_TAG);
    bt_buf_put_char(buf, '\n');
    bt_contract_put_marked(buf, wanted, true);
    bt_buf_put_text(buf, "\n```\n");
}

static const char legend[] =
    "The status says how your turn ends:\n"
    "- IN_PROGRESS: you are in the middle of the work, also after a failed check. It demands "
    "nothing more; at most three reports in a row.\n"
    "- APPROVAL_REQUEST: a command needs a person's consent. It demands a filled "
    "approval_request: operation, exact_content, scope, risk_level, rollback, verification.\n"
    "- COMPLETE: the work is done and verified. It demands evidence_report.verification.result "
    "\"pass\" from a check that was run after the last change.\n"
    "- BLOCKED: you cannot go on alone. It demands a gap in open_gaps: what is missing.\n"
    "- NEEDS_INPUT: a person must choose. It demands the choices in next_action.\n";

void bt_contract_put_guide(struct bt_buf *buf, const struct bt_contract_template *wanted)
{
    assert(buf);
    assert(wanted);
    if (wanted->agent_id.len > 0) {
        bt_buf_put_text(buf, "Your agent_id is ");
        bt_buf_put(buf, wanted->agent_id);
        bt_buf_put_text(buf, "; write exactly that.");
    } else if (wanted->fills_agent_id) {
        bt_buf_put_text(buf, "Leave agent_id blank: your host fills it in.");
    } else {
        bt_buf_put_text(buf, "Your host knows your agent_id; write exactly that.");
    }
    bt_buf_put_text(buf, " Your turn must end with one fenced block called "
                         "agent_contract_handoff, strict JSON.\n\n");
    bt_buf_put_text(buf, legend);
    bt_buf_put_text(buf, "\nReplace every <FILL: ...>; keep or fill the lists; remove what does "
                         "not apply.\n\n");
    bt_contract_put_marked_block(buf, wanted);
}
