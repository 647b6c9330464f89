/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approvals.c - requests for consent: seen, decided, used.
 */
#include "service/approval_json.h"
#include "service/records.h"

enum bt_status service_gate(struct work *work, struct bt_gate *out)
{
    struct bt_contract *contract = NULL;
    BT_TRY(bt_checker_contract(work->service->checker, &contract));
    *out = (struct bt_gate){.ledger = work->service->ledger,
                            .contract = contract,
                            .arena = work->arena,
                            .actor = work->caller->actor,
                            .alarms = bt_findings_new(work->arena)};
    return out->alarms ? BT_OK : BT_ENOMEM;
}

bt_str service_workspace(const struct work *work, bt_str asked)
{
    const bt_str usual = bt_config_text(work->service->config, "contract.workspace");
    return asked.len > 0                     ? asked
           : work->caller->workspace.len > 0 ? work->caller->workspace
           : usual.len > 0                   ? usual
                                             : BT_STR("global");
}

bt_str service_session(const struct work *work, bt_str asked)
{
    return asked.len > 0                   ? asked
           : work->caller->session.len > 0 ? work->caller->session
                                           : BT_STR("default");
}

const struct bt_approval_owner *service_owner(const struct caller *caller,
                                              struct bt_approval_owner *room)
{
    *room = (struct bt_approval_owner){caller->actor, caller->agents, caller->agent_count};
    /* Who runs `baton mcp` without binding has the store itself. */
    const bool sees_all = scopes_hold(caller->scopes, SCOPE_APPROVE) ||
                          (!caller->is_outside && caller->agent_count == 0);
    return sees_all ? NULL : room;
}

/* The matching requests that are the caller's. False after an answer. */
static bool load(struct work *work, bt_str status, struct bt_approvals *out)
{
    struct bt_approval_owner owner;
    const struct bt_approval_filter filter = {status, BT_STR(""),
                                              service_owner(work->caller, &owner)};
    struct bt_gate gate;
    struct bt_error error;
    if (service_gate(work, &gate) != BT_OK ||
        bt_gate_approvals(&gate, &filter, out, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        (void)answer_failed(work, "STORE_UNAVAILABLE: the requests cannot be read");
        return false;
    }
    return true;
}

enum bt_status op_approvals(struct work *work, bt_str status)
{
    static const char *const words[] = {"",         "pending", "approved",
                                        "rejected", "revoked", "expired"};
    struct bt_approvals found = {0};
    struct bt_emit emit;
    bool is_word = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        is_word = is_word || bt_str_eq(status, bt_str_of(words[i]));
    }
    if (!is_word) {
        return answer_unusable(work, "PARAMETER_INVALID at /status: there is no such status");
    }
    if (!load(work, status, &found)) {
        return BT_OK;
    }
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "approvals");
    bt_emit_array(&emit);
    for (size_t i = 0; i < found.count; i++) {
        BT_TRY(approval_emit(&emit, work->service->env, work->arena, &found.items[i]));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return answer_done(work);
}

enum bt_status op_approval(struct work *work, bt_str id)
{
    struct bt_approval_owner owner;
    struct bt_approval found;
    struct bt_gate gate;
    struct bt_error error;
    struct bt_emit emit;
    bool is_own = false;
    BT_TRY(service_gate(work, &gate));
    enum bt_status status =
        bt_approval_id_is(id) ? bt_gate_look(&gate, id, &found, &error) : BT_ENOENT;
    if (status == BT_OK) {
        status = bt_gate_owns(&gate, service_owner(work->caller, &owner), &found, &is_own, &error);
    }
    if (status == BT_ENOENT || (status == BT_OK && !is_own)) {
        return answer_unusable(work, "NOT_FOUND: there is no such request");
    }
    if (status != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the requests cannot be read");
    }
    bt_emit_init(&emit, &work->answer->body, false);
    BT_TRY(approval_emit(&emit, work->service->env, work->arena, &found));
    bt_emit_end(&emit);
    return answer_done(work);
}

uint64_t service_grant_seconds(const struct bt_config *config)
{
    const uint64_t seconds = bt_config_seconds(config, "approvals.grant_ttl");
    return seconds > BT_GRANT_SECONDS_MAX ? BT_GRANT_SECONDS_MAX : seconds;
}

struct bt_approval_wish service_wish(enum bt_approval_act act, bt_str id)
{
    return (struct bt_approval_wish){.act = act,
                                     .id = id,
                                     .fingerprint = BT_STR(""),
                                     .reason = BT_STR(""),
                                     .command = BT_STR(""),
                                     .agent_id = BT_STR(""),
                                     .workspace = BT_STR("")};
}

bool service_approve(struct work *work, const struct bt_approval_wish *wish,
                     struct bt_approval_answer *out)
{
    struct bt_gate gate;
    struct bt_error error;
    if (service_gate(work, &gate) == BT_OK && bt_gate_approve(&gate, wish, out, &error) == BT_OK &&
        bt_findings_count(gate.alarms) == 0) {
        return true;
    }
    (void)answer_failed(work, "STORE_UNAVAILABLE: nothing was decided");
    return false;
}

/* ---- Deciding -------------------------------------------------------------------------------- */

struct approving {
    const struct bt_approval_wish *wish;
    struct bt_approval_answer answer;
};

/* What is said of an approval: done, or why not. */
static enum bt_status put_answer(struct work *work, void *context)
{
    const struct approving *approving = context;
    const struct bt_findings *findings = approving->answer.findings;
    struct bt_buf *body = &work->answer->body;
    bt_buf_clear(body);
    BT_TRY(approval_put_answer(body, work->service->env, work->arena, approving->wish,
                               &approving->answer));
    body->len--; /* the line feed */
    work->answer->kind = ANSWER_DONE;
    work->answer->status = 200;
    if (bt_findings_count(findings) > 0) {
        const struct bt_finding *why = bt_findings_at(findings, 0);
        answer_refuse(work, why, findings, BT_STR(""));
        const bool is_use = approving->wish->act == BT_APPROVAL_USE;
        work->answer->status = !is_use && bt_str_eq(why->rule->code, BT_STR("APPROVAL_UNKNOWN"))
                                   ? 404
                               : bt_str_eq(why->rule->code, BT_STR("APPROVAL_SELF")) ? 403
                                                                                     : 409;
    }
    return body->status;
}

enum bt_status op_decide(struct work *work, const struct bt_approval_wish *wish)
{
    struct approving approving = {.wish = wish};
    struct deciding deciding;
    struct bt_gate gate;
    struct bt_error error;
    if (wish->id.len > 0 && !bt_approval_id_is(wish->id)) {
        return answer_unusable(work, "NOT_FOUND: there is no such request");
    }
    BT_TRY(service_gate(work, &gate));
    deciding_begin(&deciding, work, put_answer, &approving);
    deciding_watch(&deciding);
    const enum bt_status status = bt_gate_approve(&gate, wish, &approving.answer, &error);
    return deciding_end(&deciding, status == BT_OK && bt_findings_count(gate.alarms) == 0,
                        "STORE_UNAVAILABLE: nothing was decided");
}

enum bt_status op_use(struct work *work, bt_str command, bt_str id, bt_str agent)
{
    struct bt_approval_wish wish = service_wish(BT_APPROVAL_USE, id);
    struct bt_approval_owner owner;
    wish.command = command;
    wish.owner = service_owner(work->caller, &owner);
    wish.workspace = id.len > 0 ? BT_STR("") : service_workspace(work, BT_STR(""));
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    if (id.len > 0 && !bt_approval_id_is(id)) {
        return answer_unusable(work, "PARAMETER_INVALID at /id: P- and 32 hexadecimal digits");
    }
    if (agent.len == 0 && work->caller->agent_count == 1) {
        agent = work->caller->agents[0];
    }
    if (agent.len > 0 && !caller_is(work->caller, agent)) {
        return answer_unusable(work, "NOT_FOUND: the caller does not speak for this agent");
    }
    if (agent.len > 0) {
        BT_TRY(bt_contract_host_id(agent, mapped));
        wish.agent_id = bt_str_of(mapped);
    }
    return op_decide(work, &wish);
}
