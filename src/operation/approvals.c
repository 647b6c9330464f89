/* SPDX-License-Identifier: Apache-2.0 */
/* approvals.c - approval requests: listed, decided, used. */
#include "operation/approval_json.h"
#include "operation/args_read.h"
#include "operation/records.h"
#include "report/rules.h"

#include "json/emit.h"

enum bt_status bt_op_contract_state(struct bt_call *work, struct bt_contract_state *out)
{
    struct bt_contract_checker *contract = NULL;
    BT_TRY(bt_checker_contract(work->service->checker, &contract));
    *out = (struct bt_contract_state){.ledger = work->service->ledger,
                                      .contract = contract,
                                      .arena = work->arena,
                                      .actor = work->caller->actor,
                                      .alarms = bt_findings_new(work->arena)};
    return out->alarms ? BT_OK : BT_ENOMEM;
}

bt_str bt_op_workspace(const struct bt_call *work, bt_str requested)
{
    const bt_str usual = bt_config_text(work->service->config, "contract.workspace");
    return requested.len > 0                 ? requested
           : work->caller->workspace.len > 0 ? work->caller->workspace
           : usual.len > 0                   ? usual
                                             : BT_STR("global");
}

bt_str bt_op_session(const struct bt_call *work, bt_str requested)
{
    return requested.len > 0               ? requested
           : work->caller->session.len > 0 ? work->caller->session
                                           : BT_STR("default");
}

const struct bt_approval_owner *bt_op_owner(const struct bt_caller *caller,
                                            struct bt_approval_owner *room)
{
    *room = (struct bt_approval_owner){caller->actor, caller->agents, caller->agent_count};
    /* The user of an unbound `baton mcp` has access to the store itself. */
    const bool sees_all = bt_scopes_hold(caller->scopes, BT_SCOPE_APPROVE) ||
                          (!caller->hides_topology && caller->agent_count == 0);
    return sees_all ? NULL : room;
}

/* The matching requests that the caller may see. False: the result is set. */
static bool load_approvals(struct bt_call *work, bt_str status, struct bt_approval_list *out)
{
    struct bt_approval_owner owner;
    const struct bt_approval_filter filter = {status, BT_STR(""),
                                              bt_op_owner(work->caller, &owner)};
    struct bt_contract_state gate;
    struct bt_error error;
    if (bt_op_contract_state(work, &gate) != BT_OK ||
        bt_approvals_list(&gate, &filter, out, &error) != BT_OK ||
        bt_findings_count(gate.alarms) > 0) {
        (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                   "the requests cannot be read");
        return false;
    }
    return true;
}

enum bt_status bt_op_approvals(struct bt_call *work, bt_str status)
{
    static const char *const words[] = {"",         "pending", "approved",
                                        "rejected", "revoked", "expired"};
    struct bt_approval_list found = {0};
    struct bt_emit emit;
    bool is_word = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        is_word = is_word || bt_str_eq(status, bt_str_of(words[i]));
    }
    if (!is_word) {
        return bt_result_set_problem(
            work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/status"),
            "unknown status; use pending, approved, rejected, revoked or expired");
    }
    if (!load_approvals(work, status, &found)) {
        return BT_OK;
    }
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "approvals");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < found.count; i++) {
        BT_TRY(bt_emit_approval(&emit, work->service->env, work->arena, &found.items[i]));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(work);
}

enum bt_status bt_op_approval_get(struct bt_call *work, const struct bt_args *args)
{
    const bt_str id = bt_args_text(args, BT_ARG_APPROVAL_GET_ID);
    struct bt_approval_owner owner;
    struct bt_approval found;
    struct bt_contract_state gate;
    struct bt_error error;
    struct bt_emit emit;
    bool is_own = false;
    BT_TRY(bt_op_contract_state(work, &gate));
    enum bt_status status =
        bt_approval_id_is_valid(id) ? bt_approval_get(&gate, id, &found, &error) : BT_ENOENT;
    if (status == BT_OK) {
        status = bt_contract_state_owns(&gate, bt_op_owner(work->caller, &owner), &found, &is_own,
                                        &error);
    }
    if (status == BT_ENOENT || (status == BT_OK && !is_own)) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "approval request not found");
    }
    if (status != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the requests cannot be read");
    }
    bt_emit_init(&emit, &work->answer->body, false);
    BT_TRY(bt_emit_approval(&emit, work->service->env, work->arena, &found));
    bt_emit_end(&emit);
    return bt_result_set_done(work);
}

uint64_t bt_op_grant_seconds(const struct bt_config *config)
{
    const uint64_t seconds = bt_config_seconds(config, "approvals.grant_ttl");
    return seconds > BT_GRANT_SECONDS_MAX ? BT_GRANT_SECONDS_MAX : seconds;
}

bool bt_op_run_approval_action(struct bt_call *work,
                               const struct bt_approval_action_options *action_options,
                               struct bt_approval_result *out)
{
    struct bt_contract_state gate;
    struct bt_error error;
    if (bt_op_contract_state(work, &gate) == BT_OK &&
        bt_approval_run_action(&gate, action_options, out, &error) == BT_OK &&
        bt_findings_count(gate.alarms) == 0) {
        return true;
    }
    (void)bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was decided");
    return false;
}

struct bt_op_approval {
    const struct bt_approval_action_options *action_options;
    struct bt_approval_result answer;
};

/* The result of an action on an approval: done, or why not. */
static enum bt_status put_answer(struct bt_call *work, void *context)
{
    const struct bt_op_approval *approving = context;
    const struct bt_findings *findings = approving->answer.findings;
    struct bt_buf *body = &work->answer->body;
    bt_buf_clear(body);
    BT_TRY(bt_emit_approval_result(body, work->service->env, work->arena, approving->action_options,
                                   &approving->answer));
    body->len--; /* without the line feed */
    work->answer->kind = ANSWER_DONE;
    work->answer->status = BT_HTTP_OK;
    if (bt_findings_count(findings) > 0) {
        const struct bt_finding *why = bt_findings_at(findings, 0);
        bt_result_set_refused(work, why, findings, BT_STR(""));
        const bool is_use = approving->action_options->act == BT_APPROVAL_ACTION_USE;
        work->answer->status = !is_use && why->rule->id == BT_CODE_APPROVAL_UNKNOWN
                                   ? BT_HTTP_NOT_FOUND
                               : why->rule->id == BT_CODE_APPROVAL_SELF ? BT_HTTP_FORBIDDEN
                                                                        : BT_HTTP_CONFLICT;
    }
    return body->status;
}

static enum bt_status run_action(struct bt_call *work,
                                 const struct bt_approval_action_options *action_options)
{
    struct bt_op_approval approving = {.action_options = action_options};
    struct bt_op_idempotent deciding;
    struct bt_contract_state gate;
    struct bt_error error;
    if (action_options->id.len > 0 && !bt_approval_id_is_valid(action_options->id)) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "approval request not found");
    }
    BT_TRY(bt_op_contract_state(work, &gate));
    bt_op_idempotency_begin(&deciding, work, put_answer, &approving);
    bt_op_idempotent_attach(&deciding);
    const enum bt_status status =
        bt_approval_run_action(&gate, action_options, &approving.answer, &error);
    return bt_op_idempotency_end(&deciding, status == BT_OK && bt_findings_count(gate.alarms) == 0,
                                 "nothing was decided");
}

enum bt_status bt_op_approval_list(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_approvals(call, bt_args_text(args, BT_ARG_APPROVAL_LIST_STATUS));
}

/* Show, grant, deny or revoke. */
static enum bt_status act_on_approval(struct bt_call *call, const struct bt_args *args,
                                      enum bt_approval_action what)
{
    const bt_str ttl = bt_arg_text(bt_args_find(args, "ttl"));
    struct bt_approval_action_options options =
        bt_approval_action_options_init(what, bt_args_text(args, BT_ARG_APPROVAL_SHOW_ID));
    options.fingerprint = bt_arg_text(bt_args_find(args, "fingerprint"));
    options.reason = bt_arg_text(bt_args_find(args, "reason"));
    options.seconds = bt_op_grant_seconds(call->service->config);
    if (ttl.len > 0 && !bt_approval_ttl_parse(ttl, &options.seconds)) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/ttl"),
                                     "digits and s, m, h or d, at most 24h");
    }
    if (what == BT_APPROVAL_ACTION_GRANT && !bt_fingerprint_is_valid(options.fingerprint)) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/fingerprint"),
                                     "the 64 hexadecimal digits of what was shown");
    }
    return run_action(call, &options);
}

enum bt_status bt_op_approval_show(struct bt_call *call, const struct bt_args *args)
{
    return act_on_approval(call, args, BT_APPROVAL_ACTION_SHOW);
}

enum bt_status bt_op_approval_grant(struct bt_call *call, const struct bt_args *args)
{
    return act_on_approval(call, args, BT_APPROVAL_ACTION_GRANT);
}

enum bt_status bt_op_approval_deny(struct bt_call *call, const struct bt_args *args)
{
    return act_on_approval(call, args, BT_APPROVAL_ACTION_DENY);
}

enum bt_status bt_op_approval_revoke(struct bt_call *call, const struct bt_args *args)
{
    return act_on_approval(call, args, BT_APPROVAL_ACTION_REVOKE);
}

enum bt_status bt_op_approval_use(struct bt_call *work, const struct bt_args *args)
{
    const bt_str id = bt_args_text(args, BT_ARG_APPROVAL_USE_ID);
    bt_str agent = bt_args_text(args, BT_ARG_APPROVAL_USE_AGENT);
    struct bt_approval_action_options action_options =
        bt_approval_action_options_init(BT_APPROVAL_ACTION_USE, id);
    struct bt_approval_owner owner;
    if (bt_args_read_bytes(work, args, BT_ARG_APPROVAL_USE_COMMAND,
                           BT_ARG_APPROVAL_USE_COMMAND_BASE64, &action_options.command) != BT_OK) {
        return BT_OK;
    }
    action_options.owner = bt_op_owner(work->caller, &owner);
    action_options.workspace =
        id.len > 0 ? BT_STR("")
                   : bt_op_workspace(work, bt_args_text(args, BT_ARG_APPROVAL_USE_WORKSPACE));
    if (id.len > 0 && !bt_approval_id_is_valid(id)) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/id"),
                                     "P- and 32 hexadecimal digits");
    }
    if (agent.len == 0 && work->caller->agent_count == 1) {
        agent = work->caller->agents[0];
    }
    if (agent.len > 0 && !bt_caller_represents(work->caller, agent)) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "the caller does not speak for this agent");
    }
    action_options.agent_id = agent;
    return run_action(work, &action_options);
}
