/* SPDX-License-Identifier: Apache-2.0 */
/* template.c - empty envelopes, and templates of missing parts. */

#include <assert.h>
#include <string.h>

#include "dialect/contract/contract_check.h"
#include "json/emit.h"

static void put_blank(struct bt_emit *emit, const char *name)
{
    bt_emit_member_string(emit, name, BT_STR(""));
}

static void put_blank_list(struct bt_emit *emit, const char *name)
{
    bt_emit_member_array(emit, name);
    bt_emit_end(emit);
}

static void put_list(struct bt_emit *emit, const char *name, const struct bt_str_list *items)
{
    bt_emit_member_array(emit, name);
    for (size_t i = 0; i < items->count; i++) {
        bt_emit_string(emit, items->items[i]);
    }
    bt_emit_end(emit);
}

/* The members of agent_status that `lacks` names. */
static void put_status(struct bt_emit *emit, unsigned missing_parts, bt_str plan_status, bt_str id)
{
    bt_emit_member_object(emit, "agent_status");
    if ((missing_parts & BT_CONTRACT_MISSING_PLAN_STATUS) != 0) {
        bt_emit_member_string(emit, "plan_status", plan_status);
    }
    if ((missing_parts & BT_CONTRACT_MISSING_AGENT_ID) != 0) {
        bt_emit_member_string(emit, "agent_id", id);
    }
    if ((missing_parts & BT_CONTRACT_MISSING_PENDING_STEPS) != 0) {
        put_blank_list(emit, "pending_steps");
    }
    if ((missing_parts & BT_CONTRACT_MISSING_NEXT_ACTION) != 0) {
        put_blank(emit, "next_action");
    }
    bt_emit_end(emit);
}

static void put_keys(struct bt_emit *emit, const struct bt_contract_report_key *keys, size_t count,
                     unsigned missing_parts)
{
    for (size_t i = 0; i < count; i++) {
        if ((missing_parts >> i & 1) == 0) {
            continue;
        }
        if (keys[i].add_missing) {
            put_blank_list(emit, keys[i].name);
        } else {
            put_blank(emit, keys[i].name);
        }
    }
}

static void put_evidence(struct bt_emit *emit, unsigned missing_parts, bool verification)
{
    bt_emit_member_object(emit, "evidence_report");
    put_keys(emit, bt_evidence_keys, BT_EVIDENCE_KEYS, missing_parts);
    if (verification) {
        bt_emit_member_object(emit, "verification");
        put_blank(emit, "result");
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_consolidation(struct bt_emit *emit, unsigned missing_parts)
{
    bt_emit_member_object(emit, "consolidation_report");
    put_keys(emit, bt_consolidation_keys, BT_CONSOLIDATION_KEYS, missing_parts);
    bt_emit_end(emit);
}

static void put_approval(struct bt_emit *emit, unsigned missing_parts)
{
    const bool whole = (missing_parts & BT_CONTRACT_MISSING_APPROVAL) != 0;
    bt_emit_member_object(emit, "approval_request");
    if (whole) {
        put_blank(emit, "operation");
        put_blank(emit, "exact_content");
        put_blank(emit, "scope");
        put_blank(emit, "risk_level");
    }
    if (whole || (missing_parts & BT_CONTRACT_MISSING_ROLLBACK) != 0) {
        put_blank(emit, "rollback");
    }
    if (whole || (missing_parts & BT_CONTRACT_MISSING_APPROVAL_VERIFICATION) != 0) {
        put_blank(emit, "verification");
    }
    bt_emit_end(emit);
}

enum { WHOLE = ~0 };

static const unsigned status_members =
    BT_CONTRACT_MISSING_PLAN_STATUS | BT_CONTRACT_MISSING_AGENT_ID |
    BT_CONTRACT_MISSING_PENDING_STEPS | BT_CONTRACT_MISSING_NEXT_ACTION;

/* The reports that the INPUT or the status demands, else null. */
static void put_demanded(struct bt_emit *emit, const struct bt_contract_template *wanted,
                         enum bt_contract_status status)
{
    if (wanted->consolidation_required) {
        put_consolidation(emit, (unsigned)WHOLE);
    } else {
        bt_emit_member_null(emit, "consolidation_report");
    }
    if (status == BT_CONTRACT_STATUS_APPROVAL_REQUEST) {
        put_approval(emit, BT_CONTRACT_MISSING_APPROVAL);
    } else {
        bt_emit_member_null(emit, "approval_request");
    }
}

static void put_whole(struct bt_emit *emit, const struct bt_contract_template *wanted)
{
    const enum bt_contract_status status =
        wanted->status ? wanted->status : BT_CONTRACT_STATUS_IN_PROGRESS;
    bt_emit_begin_object(emit);
    put_status(emit, status_members, bt_contract_status_name(status), wanted->agent_id);
    put_evidence(emit, (unsigned)WHOLE, status == BT_CONTRACT_STATUS_COMPLETE);
    put_demanded(emit, wanted, status);
    bt_emit_end(emit);
}

void bt_contract_put_template(struct bt_buf *buf, const struct bt_contract_template *wanted,
                              bool pretty)
{
    assert(buf);
    assert(wanted);
    struct bt_emit emit;
    bt_emit_init(&emit, buf, pretty);
    put_whole(&emit, wanted);
}

void bt_contract_put_block(struct bt_buf *buf, const struct bt_contract_template *wanted)
{
    bt_buf_put_text(buf, "```agent_contract_handoff\n");
    bt_contract_put_template(buf, wanted, true);
    bt_buf_put_text(buf, "\n```\n");
}

static void put_filled_evidence(struct bt_emit *emit, const struct bt_contract_draft *draft)
{
    const struct {
        const char *name;
        const struct bt_str_list *items;
    } filled[] = {{"files_checked", &draft->files_checked},
                  {"commands_run", &draft->commands_run},
                  {"key_outputs", &draft->key_outputs},
                  {"open_gaps", &draft->open_gaps}};
    bt_emit_member_object(emit, "evidence_report");
    for (size_t i = 0; i < BT_EVIDENCE_KEYS; i++) {
        static const struct bt_str_list none = {NULL, 0};
        const struct bt_str_list *items = &none;
        for (size_t j = 0; j < sizeof(filled) / sizeof(filled[0]); j++) {
            if (strcmp(bt_evidence_keys[i].name, filled[j].name) == 0) {
                items = filled[j].items;
            }
        }
        put_list(emit, bt_evidence_keys[i].name, items);
    }
    if (draft->verification.len > 0) {
        bt_emit_member_object(emit, "verification");
        bt_emit_member_string(emit, "result", draft->verification);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_filled(struct bt_emit *emit, const struct bt_contract_draft *draft)
{
    const enum bt_contract_status status =
        draft->blank.status ? draft->blank.status : BT_CONTRACT_STATUS_IN_PROGRESS;
    bt_emit_begin_object(emit);
    bt_emit_member_object(emit, "agent_status");
    bt_emit_member_string(emit, "plan_status", bt_contract_status_name(status));
    bt_emit_member_string(emit, "agent_id", draft->blank.agent_id);
    put_list(emit, "pending_steps", &draft->pending_steps);
    bt_emit_member_string(emit, "next_action", draft->next_action);
    bt_emit_end(emit);
    put_filled_evidence(emit, draft);
    put_demanded(emit, &draft->blank, status);
    if (draft->summary.len > 0) {
        bt_emit_member_string(emit, "user_facing_summary", draft->summary);
    }
    bt_emit_end(emit);
}

void bt_contract_put_draft(struct bt_buf *buf, const struct bt_contract_draft *draft)
{
    assert(buf);
    assert(draft);
    struct bt_emit emit;
    bt_buf_put_text(buf, "```agent_contract_handoff\n");
    bt_emit_init(&emit, buf, true);
    put_filled(&emit, draft);
    bt_buf_put_text(buf, "\n```\n");
}

static void put_missing_parts(struct bt_emit *emit, const struct bt_contract_check *check,
                              bt_str id)
{
    const unsigned missing_parts = check->absent.parts;
    const bool verification = (missing_parts & BT_CONTRACT_MISSING_VERIFICATION) != 0;
    if (!check->parts.status) {
        put_status(emit, status_members, bt_contract_status_name(BT_CONTRACT_STATUS_IN_PROGRESS),
                   id);
    } else if ((missing_parts & status_members) != 0) {
        put_status(emit, missing_parts, BT_STR(""), id);
    }
    if (!check->parts.evidence) {
        put_evidence(emit, (unsigned)WHOLE, verification);
    } else if (check->absent.evidence_keys != 0 || verification) {
        put_evidence(emit, check->absent.evidence_keys, verification);
    }
    if ((missing_parts & BT_CONTRACT_MISSING_CONSOLIDATION) != 0) {
        put_consolidation(emit, (unsigned)WHOLE);
    } else if (check->absent.consolidation_keys != 0) {
        put_consolidation(emit, check->absent.consolidation_keys);
    }
    if ((missing_parts & (BT_CONTRACT_MISSING_APPROVAL | BT_CONTRACT_MISSING_ROLLBACK |
                          BT_CONTRACT_MISSING_APPROVAL_VERIFICATION)) != 0) {
        put_approval(emit, missing_parts);
    }
}

bool bt_contract_put_missing_template(struct bt_emit *emit, const struct bt_contract_check *check,
                                      bt_str id)
{
    if (!check->document) {
        const struct bt_contract_template whole = {.agent_id = id,
                                                   .consolidation_required = check->demanded};
        put_whole(emit, &whole);
        return true;
    }
    if (check->parts.status && check->parts.evidence && check->absent.parts == 0 &&
        check->absent.evidence_keys == 0 && check->absent.consolidation_keys == 0) {
        return false;
    }
    bt_emit_begin_object(emit);
    put_missing_parts(emit, check, id);
    bt_emit_end(emit);
    return true;
}
