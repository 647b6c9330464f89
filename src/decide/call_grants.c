/* SPDX-License-Identifier: Apache-2.0 */
/* call_grants.c - use up the grant for a call, or find or make the request for one. */
#include "decide/call_grants.h"

#include <assert.h>

#include "decide/contract_decide.h"

/* A call that was denied is not asked for again for so long. */
enum { DENIED_SECONDS = 10 * 60 };

struct call_grant_state {
    const struct bt_contract_state *gate;
    const struct bt_call_request *request;
    bt_str fingerprint;
    struct bt_call_grant *out;
};

static bool is_of_agent(const struct call_grant_state *state, const struct bt_approval *approval)
{
    return bt_str_eq(approval->workspace, state->request->workspace) &&
           bt_str_eq(approval->agent_id, state->request->agent_id);
}

/* A stored payload that is not the one that was granted covers nothing. */
static bool is_for_call(const struct call_grant_state *state, const struct bt_approval *approval)
{
    return is_of_agent(state, approval) && bt_str_eq(approval->fingerprint, state->fingerprint) &&
           bt_str_eq(approval->payload, state->request->payload);
}

/* The first or last of the requests for this call with a status, by time; NULL: none. */
static const struct bt_approval *find_request(const struct call_grant_state *state,
                                              const struct bt_approval_list *all, bool is_newest)
{
    const struct bt_approval *found = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct bt_approval *approval = &all->items[i];
        const int order = found ? bt_str_compare(approval->requested_at, found->requested_at) : 0;
        if (is_for_call(state, approval) && (!found || (is_newest ? order > 0 : order < 0))) {
            found = approval;
        }
    }
    return found;
}

static enum bt_status consume_grant(const struct call_grant_state *state,
                                    struct bt_ledger_transaction *recording,
                                    const struct bt_approval *granted, struct bt_error *error)
{
    struct bt_approval used = *granted;
    uint64_t seq = 0;
    const struct bt_approval_change news = {.type = "CONSUMED",
                                            .actor = state->gate->actor,
                                            .code = BT_STR(""),
                                            .reason = BT_STR(""),
                                            .parent = BT_SEQ_ABSENT,
                                            .message = BT_STR(""),
                                            .out_seq = &seq};
    used.used++;
    used.grant = used.used >= used.uses ? BT_STR("consumed") : used.grant;
    BT_TRY(bt_approval_save(state->gate, recording, &used, &news, error));
    *state->out = (struct bt_call_grant){BT_CALL_CONSENT_GRANTED, used, seq};
    return BT_OK;
}

static enum bt_status make_request(const struct call_grant_state *state,
                                   struct bt_ledger_transaction *recording, struct bt_error *error)
{
    const struct bt_call_request *request = state->request;
    const struct bt_approval_change news = {.type = "REQUESTED",
                                            .actor = request->agent_id,
                                            .code = BT_STR(""),
                                            .reason = BT_STR(""),
                                            .parent = BT_SEQ_ABSENT,
                                            .message = BT_STR("")};
    struct bt_approval made = {.workspace = request->workspace,
                               .session = request->session,
                               .agent_id = request->agent_id,
                               .fingerprint = state->fingerprint,
                               .payload = request->payload,
                               .origin = BT_STR("wrap")};
    BT_TRY(bt_approval_begin(state->gate, request->pending_seconds, &made));
    BT_TRY(bt_approval_save(state->gate, recording, &made, &news, error));
    *state->out = (struct bt_call_grant){.consent = BT_CALL_CONSENT_PENDING, .approval = made};
    return BT_OK;
}

/* True when the newest request for this call was denied a short while ago. */
static bool is_denied(const struct call_grant_state *state, const struct bt_approval *newest)
{
    const bt_instant now = bt_env_now(state->gate->contract->env);
    bt_instant decided;
    return newest && bt_str_eq(newest->status, BT_STR("rejected")) &&
           bt_instant_parse(newest->decided_at, &decided) == BT_OK &&
           now.seconds - decided.seconds < DENIED_SECONDS;
}

static size_t count_pending(const struct call_grant_state *state,
                            const struct bt_approval_list *pending)
{
    size_t count = 0;
    for (size_t i = 0; i < pending->count; i++) {
        count += is_of_agent(state, &pending->items[i]);
    }
    return count;
}

/* Find the request that waits, or the denial; else make a request. */
static enum bt_status request_grant(const struct call_grant_state *state,
                                    struct bt_ledger_transaction *recording, struct bt_error *error)
{
    struct bt_approval_list pending;
    struct bt_approval_list all;
    BT_TRY(bt_approval_list_pending(state->gate, &pending, error));
    const struct bt_approval *waiting = find_request(state, &pending, false);
    if (waiting) {
        *state->out =
            (struct bt_call_grant){.consent = BT_CALL_CONSENT_PENDING, .approval = *waiting};
        return BT_OK;
    }
    BT_TRY(bt_approval_list_load(state->gate, &all, error));
    const struct bt_approval *newest = find_request(state, &all, true);
    if (is_denied(state, newest)) {
        *state->out =
            (struct bt_call_grant){.consent = BT_CALL_CONSENT_DENIED, .approval = *newest};
        return BT_OK;
    }
    if (count_pending(state, &pending) >= state->request->pending_max) {
        *state->out = (struct bt_call_grant){.consent = BT_CALL_CONSENT_TOO_MANY};
        return BT_OK;
    }
    return make_request(state, recording, error);
}

/* The steps of the transaction; may be called again when it is repeated. */
static enum bt_status decide_in_transaction(struct bt_ledger_transaction *recording, void *context,
                                            struct bt_error *error)
{
    const struct call_grant_state *state = context;
    struct bt_approval_list granted;
    BT_TRY(bt_approval_list_expire(state->gate, recording, error));
    BT_TRY(bt_approval_list_granted(state->gate, &granted, error));
    const struct bt_approval *usable = find_request(state, &granted, false);
    return usable && bt_str_eq(usable->status, BT_STR("approved"))
               ? consume_grant(state, recording, usable, error)
               : request_grant(state, recording, error);
}

enum bt_status bt_call_grant_use(const struct bt_contract_state *gate,
                                 const struct bt_call_request *request, struct bt_call_grant *out,
                                 struct bt_error *error)
{
    assert(gate);
    assert(request);
    assert(out);
    char digest[BT_SHA256_HEX_BYTES];
    struct call_grant_state state = {.gate = gate, .request = request, .out = out};
    struct bt_ledger_transaction recording = {
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    *out = (struct bt_call_grant){.consent = BT_CALL_CONSENT_NONE};
    BT_TRY(bt_sha256_hex(request->payload, digest));
    BT_TRY(bt_arena_copy(gate->arena, bt_str_of(digest), &state.fingerprint));
    return bt_ledger_transaction_run(&recording, decide_in_transaction, &state, gate->alarms,
                                     error);
}
