/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_grants.c - use up a grant for a call, or make the request for one.
 *
 * Everything is one transaction, which holds the append lock: of two hooks that race for one grant
 * exactly one gets it, and two hooks that see the same call make one use of it.
 */
#include "decide/gate_grants.h"

#include <assert.h>

#include <baton/json.h>

#include "base/buf.h"
#include "decide/contract_decide.h"
#include "json/emit.h"
#include "store/rows.h"

enum { PAYLOAD_BYTES_MAX = 1 << 28 };

struct gate_grant_state {
    const struct bt_contract_state *gate;
    const struct bt_gate_request *request;
    bt_str payload; /* of a new request, canonical */
    char fingerprint[BT_SHA256_HEX_BYTES];
    uint8_t digest[BT_SHA256_BYTES]; /* of the content */
    bool has_use;                    /* the id of the call was used before */
    struct bt_gate_grant *out;
};

/* ---- The sealed payload ---------------------------------------------------------------------- */

/*
 * Put the payload in the form of RFC 8785: the members in the order of their names, strings as
 * bt_json_put_string() writes them.
 */
static void put_payload(struct bt_buf *buf, const struct bt_gate_request *request)
{
    struct bt_buf operation;
    struct bt_emit emit;
    bt_buf_init(&operation, PAYLOAD_BYTES_MAX);
    bt_buf_put(&operation, request->tier);
    bt_buf_put_text(&operation, ": ");
    bt_buf_put(&operation, request->pattern.len > 0 ? request->pattern : BT_STR("-"));
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "exact_content", request->content);
    bt_emit_member_string(&emit, "operation", bt_buf_str(&operation));
    bt_emit_member_string(&emit, "risk_level", request->risk);
    bt_emit_name(&emit, "rollback");
    bt_emit_null(&emit);
    bt_emit_member_string(&emit, "scope", request->workspace);
    bt_emit_name(&emit, "verification");
    bt_emit_null(&emit);
    bt_emit_end(&emit);
    buf->status = buf->status == BT_OK ? operation.status : buf->status;
    bt_buf_free(&operation);
}

/* Write the payload and its fingerprint. BT_EINVAL: the content is not Unicode text. */
static enum bt_status seal_payload(struct gate_grant_state *state)
{
    const bt_str content = state->request->content;
    struct bt_buf buf;
    if (bt_utf8_check(content) != content.len) {
        return BT_EINVAL;
    }
    bt_buf_init(&buf, PAYLOAD_BYTES_MAX);
    put_payload(&buf, state->request);
    BT_TRY(bt_buf_finish(&buf, state->gate->arena, &state->payload));
    return bt_sha256_hex(state->payload, state->fingerprint);
}

/* ---- Grants ---------------------------------------------------------------------------------- */

static bool is_of_agent(const struct gate_grant_state *state, const struct bt_approval *approval)
{
    return bt_str_eq(approval->workspace, state->request->workspace) &&
           bt_str_eq(approval->agent_id, state->request->agent_id);
}

static bool is_older(const struct bt_approval *one, const struct bt_approval *other)
{
    const int by_time = bt_str_compare(one->requested_at, other->requested_at);
    return by_time < 0 || (by_time == 0 && bt_str_compare(one->id, other->id) < 0);
}

/* Find the oldest active grant for these bytes. */
static enum bt_status find_grant(struct gate_grant_state *state, struct bt_approval *found,
                                 bool *out_found, struct bt_error *error)
{
    struct bt_approval_list granted;
    *out_found = false;
    BT_TRY(bt_approval_list_granted(state->gate, &granted, error));
    for (size_t i = 0; i < granted.count; i++) {
        const struct bt_approval *approval = &granted.items[i];
        bool covers = false;
        if (is_of_agent(state, approval) && bt_str_eq(approval->status, BT_STR("approved")) &&
            !(*out_found && is_older(found, approval))) {
            BT_TRY(bt_approval_covers_next(state->gate, approval, state->request->content, &covers,
                                           error));
        }
        if (covers) {
            *found = *approval;
            *out_found = true;
        }
    }
    return BT_OK;
}

/* ---- Uses ------------------------------------------------------------------------------------ */

/* The columns of a use. */
enum {
    USE_WORKSPACE,
    USE_SESSION,
    USE_CALL,
    USE_APPROVAL,
    USE_N,
    USE_SHA256,
    USE_SEQ,
    USE_COLUMNS
};

static bt_str digest_of(const struct gate_grant_state *state)
{
    return (bt_str){(const char *)state->digest, sizeof(state->digest)};
}

/* Find the use of an earlier call with this id. *out: it was for the same bytes. */
static enum bt_status find_use(struct gate_grant_state *state, bool *out, struct bt_error *error)
{
    const struct bt_store_cell key[] = {bt_store_cell_text(state->request->workspace),
                                        bt_store_cell_text(state->request->session),
                                        bt_store_cell_text(state->request->call_id)};
    const struct bt_store_row_range scan = {BT_TABLE_APPROVAL_USE, key, 3};
    const struct bt_store_cell *cells = NULL;
    *out = false;
    state->has_use = false;
    if (state->request->call_id.len == 0) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_store_row_get(state->gate->ledger->store, state->gate->arena, &scan, &cells, error);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    state->has_use = true;
    *out = bt_str_eq(cells[USE_SHA256].text, digest_of(state));
    return BT_OK;
}

static enum bt_status save_use(const struct gate_grant_state *state,
                               const struct bt_approval *approval, uint64_t seq,
                               struct bt_error *error)
{
    const struct bt_gate_request *request = state->request;
    const struct bt_store_cell cells[USE_COLUMNS] = {
        [USE_WORKSPACE] = bt_store_cell_text(request->workspace),
        [USE_SESSION] = bt_store_cell_text(request->session),
        [USE_CALL] = bt_store_cell_text(request->call_id),
        [USE_APPROVAL] = bt_store_cell_text(approval->id),
        [USE_N] = bt_store_cell_number(approval->used),
        [USE_SHA256] = bt_store_cell_bytes(digest_of(state)),
        [USE_SEQ] = bt_store_cell_number(seq)};
    return request->call_id.len == 0 || state->has_use
               ? BT_OK
               : bt_store_row_put(state->gate->ledger->store, BT_TABLE_APPROVAL_USE, cells, error);
}

static enum bt_status consume_grant(struct gate_grant_state *state,
                                    struct bt_ledger_transaction *recording,
                                    struct bt_approval *approval, struct bt_error *error)
{
    const bt_str call = state->request->call_id;
    uint64_t seq = 0;
    const struct bt_approval_change news = {.type = "CONSUMED",
                                            .actor = state->gate->actor,
                                            .code = BT_STR(""),
                                            .reason = BT_STR(""),
                                            .parent = BT_SEQ_ABSENT,
                                            .message =
                                                bt_entry_name_is_valid(call) ? call : BT_STR(""),
                                            .out_seq = &seq};
    approval->used++;
    approval->grant = approval->used >= approval->uses ? BT_STR("consumed") : approval->grant;
    BT_TRY(bt_approval_save(state->gate, recording, approval, &news, error));
    *state->out = (struct bt_gate_grant){.is_granted = true, .approval = *approval};
    return save_use(state, approval, seq, error);
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Find the pending request for these bytes, or make it. */
static enum bt_status request_grant(struct gate_grant_state *state,
                                    struct bt_ledger_transaction *recording, struct bt_error *error)
{
    struct bt_approval_list pending;
    BT_TRY(bt_approval_list_pending(state->gate, &pending, error));
    for (size_t i = 0; i < pending.count; i++) {
        const struct bt_approval *approval = &pending.items[i];
        if (is_of_agent(state, approval) &&
            bt_str_eq(approval->fingerprint, bt_str_of(state->fingerprint))) {
            *state->out = (struct bt_gate_grant){.approval = *approval};
            return BT_OK;
        }
    }
    const struct bt_approval_change news = {.type = "REQUESTED",
                                            .actor = state->request->agent_id,
                                            .code = BT_STR(""),
                                            .reason = BT_STR(""),
                                            .parent = BT_SEQ_ABSENT,
                                            .message = BT_STR("")};
    struct bt_approval made = {.workspace = state->request->workspace,
                               .session = state->request->session,
                               .agent_id = state->request->agent_id,
                               .fingerprint = bt_str_of(state->fingerprint),
                               .payload = state->payload,
                               .origin = BT_STR("gate")};
    BT_TRY(bt_arena_copy(state->gate->arena, made.fingerprint, &made.fingerprint));
    BT_TRY(bt_approval_begin(state->gate, state->request->pending_seconds, &made));
    BT_TRY(bt_approval_save(state->gate, recording, &made, &news, error));
    *state->out = (struct bt_gate_grant){.approval = made};
    return BT_OK;
}

/* The steps of the transaction; may be called again when it is repeated. */
static enum bt_status decide_in_transaction(struct bt_ledger_transaction *recording, void *context,
                                            struct bt_error *error)
{
    struct gate_grant_state *state = context;
    struct bt_approval approval;
    bool is_found = false;
    BT_TRY(bt_approval_list_expire(state->gate, recording, error));
    BT_TRY(find_use(state, &is_found, error));
    if (is_found) { /* two installed hooks see one call */
        *state->out = (struct bt_gate_grant){.is_granted = true};
        return BT_OK;
    }
    BT_TRY(find_grant(state, &approval, &is_found, error));
    return is_found ? consume_grant(state, recording, &approval, error)
                    : request_grant(state, recording, error);
}

enum bt_status bt_gate_grant_use(const struct bt_contract_state *gate,
                                 const struct bt_gate_request *request, struct bt_gate_grant *out,
                                 struct bt_error *error)
{
    assert(gate);
    assert(request);
    assert(out);
    struct gate_grant_state state = {.gate = gate, .request = request, .out = out};
    struct bt_ledger_transaction recording = {
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    *out = (struct bt_gate_grant){.is_granted = false};
    BT_TRY(seal_payload(&state));
    BT_TRY(bt_sha256(request->content, state.digest));
    return bt_ledger_transaction_run(&recording, decide_in_transaction, &state, gate->alarms,
                                     error);
}
