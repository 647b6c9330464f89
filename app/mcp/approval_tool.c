/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval_tool.c - decide_approval: a person decides in a form of the client, never a model by an
 * argument.
 *
 * A modern client gets the question as a result and repeats the call with the answer; a seal ties
 * the two together. A legacy client gets the question in between, and the call waits.
 */
#include "mcp/mcp_internal.h"
#include "operation/approval_json.h"
#include "operation/records.h"

enum { TEXT_BYTES_MAX = 16 << 20 };

/* ---- The request ----------------------------------------------------------------------------- */

static bool find_approval(struct bt_call *work, bt_str id, struct bt_approval *out)
{
    const struct bt_approval_filter filter = {.status = BT_STR(""), .workspace = BT_STR("")};
    struct bt_approval_list all = {0};
    struct bt_contract_state gate;
    struct bt_error error;
    if (bt_op_contract_state(work, &gate) != BT_OK ||
        bt_approvals_list(&gate, &filter, &all, &error) != BT_OK) {
        return false;
    }
    for (size_t i = 0; i < all.count; i++) {
        if (bt_str_eq(all.items[i].id, id)) {
            *out = all.items[i];
            return true;
        }
    }
    return false;
}

/* True when the part of the actor after its last slash is an agent id. */
static bool is_agent(bt_str actor)
{
    size_t begin = actor.len;
    while (begin > 0 && actor.ptr[begin - 1] != '/') {
        begin--;
    }
    return bt_agent_id_is_valid(bt_str_slice(actor, begin, actor.len));
}

/* ---- Results --------------------------------------------------------------------------------- */

static enum bt_status set_decision_result(struct bt_call *work, const char *decided,
                                          const struct bt_approval *approval,
                                          const struct bt_findings *findings)
{
    struct bt_emit emit;
    bt_buf_clear(&work->answer->body);
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "decided", bt_str_of(decided));
    bt_emit_name(&emit, "approval");
    if (approval) {
        BT_TRY(bt_emit_approval(&emit, work->service->env, work->arena, approval));
        bt_emit_end(&emit);
    } else {
        bt_emit_null(&emit);
    }
    if (findings) {
        bt_emit_approval_findings(&emit, findings);
    } else {
        bt_emit_member_raw(&emit, "findings", BT_STR("[]"));
    }
    bt_emit_end(&emit);
    work->answer->kind = findings && bt_findings_count(findings) > 0 ? ANSWER_REFUSED : ANSWER_DONE;
    return work->answer->body.status;
}

/*
 * Record that the request is shown, or respond with the reason why it cannot be decided. *out_shown
 * tells which.
 */
static enum bt_status show_approval(struct bt_call *work, bt_str id, bool *out_shown)
{
    struct bt_approval_action_options action_options =
        bt_approval_action_options_init(BT_APPROVAL_ACTION_SHOW, id);
    struct bt_approval_result shown;
    action_options.to_decide = true;
    *out_shown = false;
    if (!bt_op_run_approval_action(work, &action_options, &shown)) {
        return BT_OK;
    }
    if (bt_findings_count(shown.findings) == 0) {
        *out_shown = true;
        return BT_OK;
    }
    const bool is_known = shown.approval.id.len > 0;
    return set_decision_result(work, "undecided", is_known ? &shown.approval : NULL,
                               shown.findings);
}

/* A decision of a person about a request. */
struct mcp_approval_answer {
    bt_str id;
    bt_str fingerprint;
    bool is_approved;
    bt_str reason;
};

static enum bt_status decide_approval(struct bt_call *work,
                                      const struct mcp_approval_answer *verdict)
{
    struct bt_approval_action_options action_options = bt_approval_action_options_init(
        verdict->is_approved ? BT_APPROVAL_ACTION_GRANT : BT_APPROVAL_ACTION_DENY, verdict->id);
    action_options.fingerprint = verdict->fingerprint;
    action_options.seconds = bt_op_grant_seconds(work->service->config);
    action_options.reason = verdict->is_approved ? BT_STR("") : verdict->reason;
    struct bt_approval_result decided;
    if (!bt_op_run_approval_action(work, &action_options, &decided)) {
        return BT_OK;
    }
    const bool is_done = bt_findings_count(decided.findings) == 0;
    const bool is_known = decided.approval.id.len > 0;
    return set_decision_result(work,
                               !is_done               ? "undecided"
                               : verdict->is_approved ? "approved"
                                                      : "rejected",
                               is_known ? &decided.approval : NULL, decided.findings);
}

/* ---- The question ---------------------------------------------------------------------------- */

static void put_question(struct bt_emit *emit, struct bt_call *work,
                         const struct bt_approval *approval)
{
    const enum bt_status status =
        bt_approval_put_form(emit, work->service->env, work->arena, approval);
    if (status != BT_OK) {
        emit->buf->status = status; /* a partial question is never sent */
    }
}

/* ---- Modern ---------------------------------------------------------------------------------- */

/* What a question is about; it must not change until the answer arrives. */
static enum bt_status sealed_text(const struct mcp_call *call, const struct bt_approval *approval,
                                  bt_str *out)
{
    return bt_arena_printf(call->work.arena, out, "decide_approval\n%.*s\n%.*s",
                           BT_STR_ARG(approval->id), BT_STR_ARG(approval->fingerprint));
}

static enum bt_status prompt_modern_client(struct mcp_call *call,
                                           const struct bt_approval *approval)
{
    struct mcp_request *request = call->request;
    struct bt_buf state;
    bt_str what;
    BT_TRY(sealed_text(call, approval, &what));
    bt_buf_init(&state, 256);
    const enum bt_status status = mcp_seal_state(request, what, &state);
    if (status == BT_OK) {
        mcp_result(request, "input_required");
        bt_emit_member_object(&request->emit, "inputRequests");
        bt_emit_member_object(&request->emit, "approval");
        bt_emit_member_string(&request->emit, "method", BT_STR("elicitation/create"));
        bt_emit_name(&request->emit, "params");
        put_question(&request->emit, &call->work, approval);
        bt_emit_end(&request->emit);
        bt_emit_end(&request->emit);
        bt_emit_member_string(&request->emit, "requestState", bt_buf_str(&state));
        mcp_result_end(request, MCP_UNCACHED);
        call->has_responded = true;
    }
    bt_buf_free(&state);
    return status;
}

/* Handle a repeated call. *out_again: the question must be sent (again). */
static enum bt_status take_modern(struct mcp_call *call, const struct bt_approval *approval,
                                  bool *out_again)
{
    struct mcp_request *request = call->request;
    const bt_json_value *responses = mcp_param(request, "inputResponses");
    const bt_json_value *state = mcp_param(request, "requestState");
    struct mcp_approval_answer verdict = {approval->id, approval->fingerprint, false, BT_STR("")};
    bool is_ours = false;
    bt_str what;
    *out_again = !responses && !state;
    if (*out_again) {
        return BT_OK;
    }
    BT_TRY(sealed_text(call, approval, &what));
    BT_TRY(mcp_open_state(request, what, &is_ours));
    if (!is_ours) {
        mcp_error(request, MCP_INVALID_PARAMS, "requestState is not what was handed out",
                  BT_STR(""));
        call->has_responded = true;
        return BT_OK;
    }
    const bt_json_value *result =
        responses ? bt_json_get(request->document, responses, BT_STR("approval")) : NULL;
    switch (bt_approval_read_reply(request->document, result, &verdict.reason)) {
    case BT_APPROVAL_REPLY_APPROVE:
        verdict.is_approved = true;
        return decide_approval(&call->work, &verdict);
    case BT_APPROVAL_REPLY_DENY:
        return decide_approval(&call->work, &verdict);
    case BT_APPROVAL_REPLY_DECLINED:
        return set_decision_result(&call->work, "undecided", approval, NULL);
    case BT_APPROVAL_REPLY_NONE:
        break;
    }
    *out_again = true;
    return BT_OK;
}

/* ---- Legacy ---------------------------------------------------------------------------------- */

static mcp_resume_fn resume_decision;

static enum bt_status prompt_legacy_client(struct mcp_call *call,
                                           const struct bt_approval *approval)
{
    struct mcp_legacy_question wanted = {.method = "elicitation/create",
                                         .resume = resume_decision,
                                         .notes = {approval->id, approval->fingerprint}};
    struct bt_buf params;
    struct bt_emit emit;
    bt_buf_init(&params, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    put_question(&emit, &call->work, approval);
    wanted.params = bt_buf_str(&params);
    const enum bt_status status =
        params.status == BT_OK ? mcp_question_put(call, &wanted) : params.status;
    bt_buf_free(&params);
    return status;
}

/* Send the question once more, under a new number. */
static enum bt_status prompt_again(struct mcp_call *call, bt_str id)
{
    struct bt_approval approval;
    bool is_shown = false;
    BT_TRY(show_approval(&call->work, id, &is_shown));
    if (!is_shown) {
        return BT_OK;
    }
    if (!find_approval(&call->work, id, &approval)) {
        return bt_result_set_failed(&call->work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "nothing was decided");
    }
    return prompt_legacy_client(call, &approval);
}

/* The notes are the approval's id and fingerprint. */
static enum bt_status resume_decision(struct mcp_call *call, const bt_str notes[2],
                                      const bt_json_value *result)
{
    struct bt_approval approval;
    struct mcp_approval_answer verdict = {notes[0], notes[1], false, BT_STR("")};
    switch (bt_approval_read_reply(call->request->document, result, &verdict.reason)) {
    case BT_APPROVAL_REPLY_APPROVE:
        verdict.is_approved = true;
        return decide_approval(&call->work, &verdict);
    case BT_APPROVAL_REPLY_DENY:
        return decide_approval(&call->work, &verdict);
    case BT_APPROVAL_REPLY_DECLINED:
        return find_approval(&call->work, notes[0], &approval)
                   ? set_decision_result(&call->work, "undecided", &approval, NULL)
                   : set_decision_result(&call->work, "undecided", NULL, NULL);
    case BT_APPROVAL_REPLY_NONE:
        break;
    }
    if (result) {
        return prompt_again(call, notes[0]);
    }
    return bt_result_set_problem(&call->work, BT_PROBLEM_NONE, BT_STR(""),
                                 "the client could not ask; nothing was decided");
}

/* ---- The tool -------------------------------------------------------------------------------- */

/* True when the client can show a form; else an error was put. */
static bool can_prompt(struct mcp_call *call)
{
    if (call->request->can & MCP_CLIENT_CAPABILITY_FORMS) {
        return true;
    }
    if (call->request->is_modern) {
        mcp_error(call->request, MCP_CAPABILITY_MISSING, "a person must be asked by a form",
                  BT_STR("{\"requiredCapabilities\":{\"elicitation\":{}}}"));
        call->has_responded = true;
    } else {
        (void)bt_result_set_problem(&call->work, BT_PROBLEM_NONE, BT_STR(""),
                                    "this client cannot ask a person: it declared no form "
                                    "elicitation; decide with baton approvals");
    }
    return false;
}

static enum bt_status prompt_person(struct mcp_call *call, const struct bt_approval *approval)
{
    struct bt_op_approval_json_commands commands;
    bool is_shown = false;
    BT_TRY(bt_op_approval_commands(call->work.service->env, call->work.arena, approval->payload,
                                   &commands));
    if (commands.count == 0 || commands.bytes > BT_APPROVAL_FORM_BYTES_MAX) {
        return bt_result_set_problem(
            &call->work, BT_PROBLEM_NONE, BT_STR(""),
            "a form cannot show all commands of this request (%zu, %zu bytes; at most %d bytes); "
            "decide with baton approvals or the console",
            commands.count, commands.bytes, BT_APPROVAL_FORM_BYTES_MAX);
    }
    if (!can_prompt(call)) {
        return BT_OK;
    }
    BT_TRY(show_approval(&call->work, approval->id, &is_shown));
    if (!is_shown) {
        return BT_OK;
    }
    return call->request->is_modern ? prompt_modern_client(call, approval)
                                    : prompt_legacy_client(call, approval);
}

enum bt_status mcp_run_decide(struct mcp_call *call)
{
    const bt_str id = mcp_argument_text(call, "id");
    struct bt_approval approval;
    bool is_shown = false;
    bool needs_prompt = true;
    const bool is_open = find_approval(&call->work, id, &approval) &&
                         bt_str_eq(approval.status, BT_STR("pending")) &&
                         !is_agent(call->work.caller->actor);
    if (!is_open) {
        /* which responds with the reason if not */
        BT_TRY(show_approval(&call->work, id, &is_shown));
        return is_shown ? bt_result_set_failed(&call->work, BT_PROBLEM_STORE_UNAVAILABLE,
                                               "nothing was decided")
                        : BT_OK;
    }
    if (call->request->is_modern) {
        BT_TRY(take_modern(call, &approval, &needs_prompt));
    }
    return needs_prompt ? prompt_person(call, &approval) : BT_OK;
}
