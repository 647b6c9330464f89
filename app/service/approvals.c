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

/* Whoever decides sees all; an agent sees its own. */
static bool is_theirs(const struct caller *caller, const struct bt_approval *approval)
{
    return scopes_hold(caller->scopes, SCOPE_APPROVE) || caller_is(caller, approval->agent_id);
}

enum bt_status op_approvals(struct work *work, bt_str status)
{
    static const char *const words[] = {"",         "pending", "approved",
                                        "rejected", "revoked", "expired"};
    const struct bt_approval_filter filter = {status, BT_STR("")};
    struct bt_approvals found = {0};
    struct bt_gate gate;
    struct bt_emit emit;
    struct bt_error error;
    bool is_word = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        is_word = is_word || bt_str_eq(status, bt_str_of(words[i]));
    }
    if (!is_word) {
        return answer_unusable(work, "PARAMETER_INVALID at /status: there is no such status");
    }
    BT_TRY(service_gate(work, &gate));
    if (bt_gate_approvals(&gate, &filter, &found, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: the requests cannot be read");
    }
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "approvals");
    bt_emit_array(&emit);
    for (size_t i = 0; i < found.count; i++) {
        if (is_theirs(work->caller, &found.items[i])) {
            BT_TRY(approval_emit(&emit, work->service->env, work->arena, &found.items[i]));
            bt_emit_end(&emit);
        }
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
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

enum bt_status op_use(struct work *work, bt_str command, bt_str id, bt_str agent)
{
    struct bt_approval_wish wish = {.act = BT_APPROVAL_USE,
                                    .id = id,
                                    .fingerprint = BT_STR(""),
                                    .reason = BT_STR(""),
                                    .command = command,
                                    .agent_id = BT_STR(""),
                                    .workspace = id.len > 0 ? BT_STR("") : work->caller->workspace};
    struct bt_approval_answer answer;
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    if (id.len > 0 && !bt_approval_id_is(id)) {
        return answer_unusable(work, "PARAMETER_INVALID at /id: P- and 32 hexadecimal digits");
    }
    if (agent.len == 0 && work->caller->agent_count == 1) {
        agent = work->caller->agents[0];
    }
    if (!caller_is(work->caller, agent)) {
        return answer_unusable(work, "NOT_FOUND: the caller does not speak for this agent");
    }
    if (agent.len > 0) {
        BT_TRY(bt_contract_host_id(agent, mapped));
        wish.agent_id = bt_str_of(mapped);
    }
    if (!service_approve(work, &wish, &answer)) {
        return BT_OK;
    }
    struct bt_buf *body = &work->answer->body;
    BT_TRY(approval_put_answer(body, work->service->env, work->arena, &wish, &answer));
    body->len--; /* the line feed */
    work->answer->kind = bt_findings_count(answer.findings) == 0 ? ANSWER_DONE : ANSWER_REFUSED;
    return body->status;
}
