/* SPDX-License-Identifier: Apache-2.0 */
/* approval_requests.c - the approvals that a report requests from a person. */
#include <assert.h>
#include <stdio.h>

#include "decide/contract_decide.h"
#include "json/options.h"
#include "report/rules.h"

enum {
    PENDING_SECONDS_USUAL = 24 * 60 * 60,
    ID_BYTES = 35,
    SET_COUNT_MAX = 50,
    SET_ITEM_BYTES_MAX = 4096,
};

static enum bt_status take_set(struct bt_arena *arena, const bt_json_value *set, const bt_str **out,
                               size_t *out_count)
{
    const size_t count = bt_json_type(set) == BT_JSON_ARRAY ? bt_json_count(set) : 0;
    if (count > SET_COUNT_MAX) {
        return BT_OK;
    }
    bt_str *commands = BT_NEW_ARRAY(arena, bt_str, count + 1);
    if (!commands) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        commands[i] = bt_json_text(&bt_json_items(set)[i]);
        if (!bt_json_is_non_blank_string(&bt_json_items(set)[i]) ||
            commands[i].len > SET_ITEM_BYTES_MAX) {
            return BT_OK;
        }
    }
    *out = commands;
    *out_count = count;
    return BT_OK;
}

enum bt_status bt_approval_commands(const struct bt_env *env, struct bt_arena *arena,
                                    bt_str payload, const bt_str **out, size_t *out_count,
                                    struct bt_error *error)
{
    struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    *out = NULL;
    *out_count = 0;
    if (payload.len == 0) {
        return BT_OK; /* it was redacted */
    }
    options.document_bytes_max = payload.len + 1;
    options.string_bytes_max = payload.len + 1;
    /* from: store */
    BT_TRY(bt_json_read(arena, payload, &options, &read));
    if (!read.document) {
        return bt_error_set(error, BT_ECORRUPT, "the payload of a request is damaged");
    }
    const bt_json_value *root = bt_json_root(read.document);
    const bt_json_value *exact = bt_json_get(read.document, root, BT_STR("exact_content"));
    const bt_json_value *set = bt_json_get(read.document, root, BT_STR("command_set"));
    if (!bt_json_is_non_blank_string(exact)) {
        return BT_OK;
    }
    if (!bt_json_is_absent_or_null(set)) {
        return take_set(arena, set, out, out_count);
    }
    bt_str *only = BT_NEW(arena, bt_str);
    if (!only) {
        return BT_ENOMEM;
    }
    *only = bt_json_text(exact);
    *out = only;
    *out_count = 1;
    return BT_OK;
}

/* True when the request has this status now, in the workspace of the report. */
static bool is_open(const struct bt_contract_decision_state *gating,
                    const struct bt_approval *approval, const char *status)
{
    return bt_str_eq(approval->status, bt_str_of(status)) &&
           !bt_approval_is_closed(approval, bt_str_of(gating->now)) &&
           bt_str_eq(approval->workspace, gating->submission->workspace);
}

/*
 * Set *out when the report is about exactly the command for which the gate made the request: then
 * it takes the request over, so that a person sees its rollback and verification.
 */
static enum bt_status check_adoption(const struct bt_contract_decision_state *gating,
                                     const struct bt_approval *approval, bool *out)
{
    const struct bt_contract_state *gate = &gating->gate;
    const bt_str *wanted = NULL;
    const bt_str *offered = NULL;
    size_t wanted_count = 0;
    size_t offered_count = 0;
    *out = false;
    if (!bt_str_eq(approval->origin, BT_STR("gate")) ||
        !bt_str_eq(approval->agent_id, gating->out.agent_id)) {
        return BT_OK;
    }
    BT_TRY(bt_approval_commands(gate->contract->env, gate->arena, approval->payload, &wanted,
                                &wanted_count, gating->error));
    BT_TRY(bt_approval_commands(gate->contract->env, gate->arena, gating->turn.request.canonical,
                                &offered, &offered_count, gating->error));
    *out = wanted_count == 1 && offered_count == 1 && bt_str_eq(wanted[0], offered[0]);
    return BT_OK;
}

/* Replace the payload of a request by that of the report; its id and its deadline stay. */
static void adopt_request(struct bt_contract_decision_state *gating,
                          const struct bt_approval *approval)
{
    gating->approval = *approval;
    gating->approval.payload = gating->turn.request.canonical;
    gating->approval.fingerprint = bt_str_of(gating->turn.request.fingerprint);
    gating->approval.origin = BT_STR("report");
    gating->adopts_request = true;
}

/* The report names a request that is stored. */
static enum bt_status judge_known(struct bt_contract_decision_state *gating,
                                  const bt_json_value *id, const struct bt_approval *approval)
{
    struct bt_contract_check *turn = &gating->turn;
    const struct bt_location at = bt_contract_locate(turn, id);
    const bool is_same = bt_str_eq(approval->fingerprint, bt_str_of(turn->request.fingerprint));
    const bool is_granted = is_same && is_open(gating, approval, "approved") &&
                            bt_str_eq(approval->grant, BT_STR("active"));
    const bool is_here = bt_str_eq(approval->workspace, gating->submission->workspace);
    if (is_open(gating, approval, "pending") && !is_same) {
        bool is_adopted = false;
        BT_TRY(check_adoption(gating, approval, &is_adopted));
        if (is_adopted) {
            adopt_request(gating, approval);
            return BT_OK;
        }
        return bt_add_approval_tampered(turn->findings, at, approval->id);
    }
    if (is_open(gating, approval, "pending") || is_granted) {
        gating->approval = *approval;
    }
    if (is_open(gating, approval, "pending")) {
        return BT_OK;
    }
    const bool is_over = bt_approval_is_closed(approval, bt_str_of(gating->now));
    return bt_add_approval_id_not_pending(
        turn->findings, is_granted ? BT_SEVERITY_WARN : BT_SEVERITY_HARD, at, approval->id,
        !is_here  ? BT_STR_ABSENT
        : is_over ? BT_STR("expired")
                  : approval->status,
        is_granted);
}

static enum bt_status new_id(const struct bt_contract_state *gate, bt_str *out)
{
    uint8_t bytes[32];
    char id[ID_BYTES] = "P-";
    BT_TRY(bt_env_id_bytes(gate->contract->env, bytes));
    for (size_t i = 0; i < 16; i++) {
        (void)snprintf(id + 2 + 2 * i, 3, "%02x", bytes[i]);
    }
    return bt_arena_copy(gate->arena, bt_str_of(id), out);
}

enum bt_status bt_approval_begin(const struct bt_contract_state *gate, uint64_t pending_seconds,
                                 struct bt_approval *made)
{
    char now[BT_INSTANT_TEXT_BYTES];
    char expires[BT_INSTANT_TEXT_BYTES];
    bt_instant deadline =
        bt_instant_after(bt_env_now(gate->contract->env),
                         pending_seconds > 0 ? pending_seconds : PENDING_SECONDS_USUAL);
    deadline.nanos = 0;
    (void)bt_instant_format(deadline, expires);
    bt_contract_transaction_time(gate, now);
    made->status = BT_STR("pending");
    made->decided_at = BT_STR("");
    made->redacted_seq = BT_STORE_NONE;
    made->grant = BT_STR("");
    made->grant_expires_at = BT_STR("");
    BT_TRY(bt_arena_copy(gate->arena, bt_str_of(now), &made->requested_at));
    BT_TRY(bt_arena_copy(gate->arena, bt_str_of(expires), &made->expires_at));
    return new_id(gate, &made->id);
}

static enum bt_status build_approval(struct bt_contract_decision_state *gating)
{
    struct bt_approval *made = &gating->approval;
    *made = (struct bt_approval){.workspace = gating->submission->workspace,
                                 .session = gating->submission->session,
                                 .agent_id = gating->out.agent_id,
                                 .fingerprint = bt_str_of(gating->turn.request.fingerprint),
                                 .payload = gating->turn.request.canonical,
                                 .origin = BT_STR("report")};
    gating->makes_request = true;
    return bt_approval_begin(&gating->gate, gating->submission->pending_seconds, made);
}

static enum bt_status judge_new(struct bt_contract_decision_state *gating,
                                const struct bt_approval_list *all)
{
    const bt_str *commands = NULL;
    size_t count = 0;
    BT_TRY(bt_approval_commands(gating->gate.contract->env, gating->gate.arena,
                                gating->turn.request.canonical, &commands, &count, gating->error));
    if (count == 0) {
        return bt_add_approval_not_grantable(
            gating->turn.findings, bt_contract_locate(&gating->turn, gating->turn.parts.approval));
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct bt_approval *approval = &all->items[i];
        if (is_open(gating, approval, "pending") &&
            bt_str_eq(approval->agent_id, gating->out.agent_id) &&
            bt_str_eq(approval->fingerprint, bt_str_of(gating->turn.request.fingerprint))) {
            gating->approval = *approval;
            return BT_OK;
        }
    }
    return build_approval(gating);
}

/* The report names a request that is not of this store. */
static enum bt_status add_foreign_finding(struct bt_contract_decision_state *gating,
                                          const bt_json_value *id)
{
    struct bt_contract_check *turn = &gating->turn;
    const struct bt_location at = bt_contract_locate(turn, id);
    return turn->options->own_approval_ids
               ? bt_add_approval_id_not_pending(turn->findings, BT_SEVERITY_HARD, at,
                                                bt_json_text(id), BT_STR_ABSENT, false)
               : bt_add_approval_id_foreign(turn->findings, at, bt_json_text(id));
}

enum bt_status bt_contract_decide_approval(struct bt_contract_decision_state *gating)
{
    const struct bt_contract_check *turn = &gating->turn;
    struct bt_approval_list all;
    gating->approval.id = BT_STR("");
    if (turn->plan_status != BT_CONTRACT_STATUS_APPROVAL_REQUEST || !turn->parts.approval ||
        turn->request.fingerprint[0] == '\0') {
        return BT_OK;
    }
    const bt_json_value *id = bt_contract_check_get(turn, turn->parts.approval, "approval_id");
    const bool is_named = !bt_json_is_absent_or_null(id);
    if (is_named &&
        !(bt_json_type(id) == BT_JSON_STRING && bt_approval_id_is_valid(bt_json_text(id)))) {
        return BT_OK; /* already reported */
    }
    if (is_named) {
        BT_TRY(bt_approval_load(&gating->gate, bt_json_text(id), &all, gating->error));
        if (all.count > 0) {
            return judge_known(gating, id, &all.items[0]);
        }
        BT_TRY(add_foreign_finding(gating, id));
    }
    if (bt_contract_check_is_rejected(turn)) {
        return BT_OK;
    }
    BT_TRY(bt_approval_list_pending(&gating->gate, &all, gating->error));
    return judge_new(gating, &all);
}

enum bt_status bt_contract_decide_save_approval(struct bt_contract_decision_state *gating,
                                                uint64_t parent)
{
    const struct bt_approval_change news = {.type = "REQUESTED",
                                            .actor = gating->out.agent_id,
                                            .code = BT_STR(""),
                                            .reason = BT_STR(""),
                                            .parent = parent};
    return gating->makes_request || gating->adopts_request
               ? bt_approval_save(&gating->gate, gating->recording, &gating->approval, &news,
                                  gating->error)
               : BT_OK;
}
