/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.c - SendMessage: a message makes a task or continues one.
 *
 * The task of a submission is written in the transaction of its decision. A repeated message gives
 * the same task on every node.
 */
#include <assert.h>
#include <string.h>

#include "a2a/a2a_internal.h"
#include "base/ascii.h"
#include "decide/governed_state.h"
#include "engine/submit.h"
#include "operation/approval_json.h"
#include "operation/records.h"

/* A message in progress. */
struct a2a_send_state {
    struct a2a_request *request;
    struct a2a_message message;
    struct bt_task_message mark; /* identifies a repeated message */
    bt_str compact;              /* the message on one line */
    char id[BT_UUID_TEXT_BYTES]; /* of a new task */
    char context[BT_UUID_TEXT_BYTES];
    struct bt_task task; /* the existing or the new task */
    bool is_new;
    bool is_repeated; /* another request was faster with the same message ... */
    bool is_stale;    /* ... or the task has ended in the meantime */
    bool is_kept;     /* the task was written with the decision */
    struct bt_transaction_hooks transaction_hooks;
    struct bt_result answer; /* of the operation */
    struct bt_call work;
};

static bt_str actor_of(const struct a2a_send_state *sending)
{
    return sending->request->a2a->caller->actor;
}

/* ---- The row --------------------------------------------------------------------------------- */

/* Copy a JSON array with one more item. */
static enum bt_status add_array_item(struct bt_arena *arena, bt_str array, bt_str item, bt_str *out)
{
    const bool is_empty = array.len <= 2;
    return bt_arena_printf(arena, out, "%.*s%s%.*s]", (int)(is_empty ? 1 : array.len - 1),
                           is_empty ? "[" : array.ptr, is_empty ? "" : ",", BT_STR_ARG(item));
}

static enum bt_status quote_text(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    bt_emit_init(&emit, &buf, false);
    bt_emit_string(&emit, text);
    return bt_buf_finish(&buf, arena, out);
}

/* Set the task with this message and this status. */
static enum bt_status fill_task(struct a2a_send_state *sending, const struct a2a_status *status,
                                bt_str artifacts, struct bt_task *out)
{
    struct bt_arena *arena = sending->request->a2a->arena;
    bt_str id;
    *out = sending->task;
    out->artifacts = artifacts;
    out->seq = status->seq;
    BT_TRY(quote_text(arena, sending->message.id, &id));
    BT_TRY(add_array_item(arena, sending->task.message_ids, id, &out->message_ids));
    BT_TRY(add_array_item(arena, sending->task.history, sending->compact, &out->history));
    return a2a_status_write(arena, status, &out->state);
}

/* ---- Decision -------------------------------------------------------------------------------- */

static enum bt_status codes_of(struct bt_arena *arena, const struct bt_findings *findings,
                               bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bool is_new = finding->severity == BT_SEVERITY_HARD;
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = !bt_str_eq(bt_findings_at(findings, k)->rule->code, finding->rule->code);
        }
        if (is_new) {
            bt_emit_string(&emit, finding->rule->code);
        }
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

/* The status of a task from the status of its contract block. */
static void set_contract_status(const struct bt_contract_submission *contract,
                                struct a2a_status *status)
{
    static const char *const states[BT_CONTRACT_STATUS__MAX] = {
        [BT_CONTRACT_STATUS_COMPLETE] = "COMPLETED",
        [BT_CONTRACT_STATUS_BLOCKED] = "FAILED",
        [BT_CONTRACT_STATUS_NEEDS_INPUT] = "INPUT_REQUIRED",
    };
    const struct bt_contract_decision *decision = &contract->out;
    const char *state = states[decision->state];
    status->state = state ? bt_str_of(state) : BT_STR("WORKING");
    if (decision->state == BT_CONTRACT_STATUS_APPROVAL_REQUEST && decision->approval_id.len > 0) {
        status->kind = A2A_STATUS_SOURCE_APPROVAL;
        status->state = BT_STR("AUTH_REQUIRED");
        status->key = decision->approval_id;
        status->fingerprint = decision->fingerprint;
    }
}

static enum bt_status decided_status(struct a2a_send_state *sending,
                                     const struct bt_decision_record *decided,
                                     struct a2a_status *out)
{
    struct bt_arena *arena = sending->request->a2a->arena;
    const struct bt_judgement *judged = decided->judged;
    const bool is_accepted = judged->verdict == BT_VERDICT_ACCEPTED;
    *out = (struct a2a_status){.kind = A2A_STATUS_SOURCE_FIXED,
                               .state = is_accepted ? BT_STR("COMPLETED") : BT_STR("REJECTED"),
                               .key = BT_STR(""),
                               .fingerprint = BT_STR(""),
                               .dialect = judged->dialect,
                               .verdict = bt_verdict_name(judged->verdict),
                               .seq = decided->seq};
    BT_TRY(a2a_format_time(arena, decided->time, &out->time));
    BT_TRY(codes_of(arena, judged->findings, &out->codes));
    if (is_accepted && judged->dialect == BT_DIALECT_CONTRACT) {
        set_contract_status(decided->decision, out);
    } else if (is_accepted && judged->dialect == BT_DIALECT_GOVERNED) {
        out->kind = A2A_STATUS_SOURCE_GOVERNED;
        out->state = BT_STR("WORKING");
        out->key = decided->handoff_id;
    } else if (is_accepted && decided->message.len > 0) {
        out->kind = A2A_STATUS_SOURCE_INBOX;
        out->state = BT_STR("SUBMITTED");
        out->key = decided->message;
    }
    return BT_OK;
}

/* The report with its record. */
static enum bt_status report_of(struct a2a_send_state *sending,
                                const struct bt_decision_record *decided, bt_str *out)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_result answer = {0};
    struct bt_call work = {.service = a2a->service,
                           .caller = a2a->caller,
                           .arena = a2a->arena,
                           .answer = &answer,
                           .events = a2a->events};
    struct bt_judgement judged = *decided->judged;
    const bool has_members = judged.extra_members.len > 0;
    BT_TRY(bt_arena_printf(a2a->arena, &judged.extra_members, "\"record\":%.*s%s%.*s",
                           BT_STR_ARG(decided->record), has_members ? "," : "",
                           BT_STR_ARG(decided->judged->extra_members)));
    bt_buf_init(&answer.body, A2A_TEXT_BYTES_MAX);
    enum bt_status status = bt_result_set_report(&work, &judged, 1, BT_STR(""));
    status = status == BT_OK ? bt_op_hide_agents(&work, &judged, &answer.body) : status;
    status = status == BT_OK ? bt_buf_copy(&answer.body, a2a->arena, out) : status;
    bt_buf_free(&answer.body);
    return status;
}

/* ---- Inside the decision --------------------------------------------------------------------- */

static enum bt_status find_conflict(void *context, struct bt_ledger_transaction *recording,
                                    bool *out_is_over, struct bt_error *error)
{
    struct a2a_send_state *sending = context;
    struct a2a *a2a = sending->request->a2a;
    struct bt_task_message mark = sending->mark;
    struct a2a_status status;
    const enum bt_status seen =
        bt_task_message_find_in_transaction(recording, a2a->arena, &mark, error);
    if (seen != BT_ENOENT) {
        BT_TRY(seen);
        sending->is_repeated = true;
        sending->mark = mark;
    } else if (!sending->is_new) {
        BT_TRY(bt_task_get_in_transaction(recording, a2a->arena, sending->task.id, &sending->task,
                                          error));
        BT_TRY(a2a_status_read(a2a, sending->task.state, &status));
        sending->is_stale = a2a_is_final(status.state);
    }
    *out_is_over = sending->is_repeated || sending->is_stale;
    return BT_OK;
}

static enum bt_status save_task(void *context, struct bt_ledger_transaction *recording,
                                const struct bt_decision_record *decided, struct bt_error *error)
{
    struct a2a_send_state *sending = context;
    struct a2a_status status;
    struct bt_task task;
    bt_str report;
    BT_TRY(decided_status(sending, decided, &status));
    BT_TRY(report_of(sending, decided, &report));
    BT_TRY(fill_task(sending, &status, report, &task));
    BT_TRY(bt_task_save_in_transaction(recording, &task, &sending->mark, error));
    sending->is_kept = true;
    return BT_OK;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/*
 * Make the arguments of the operation from the document and its options. False: there is an answer.
 */
static bool take_request(struct a2a_send_state *sending, struct bt_call *work,
                         struct bt_check_request *request, unsigned use)
{
    const struct a2a_message *message = &sending->message;
    const struct bt_json_doc *document = sending->request->document;
    bt_op_request_begin(work->service, request);
    request->text = message->text;
    request->path = message->path;
    if (message->dialect.len > 0 &&
        !bt_op_request_dialect(work, message->dialect, &request->dialect)) {
        return false;
    }
    for (size_t i = 0; message->options && i < bt_json_count(message->options); i++) {
        const struct bt_json_member *member = &bt_json_members(message->options)[i];
        const struct bt_arg value = {.document = document, .json = &member->value};
        if (!bt_op_request_option(work, request, use, bt_json_name(member), &value)) {
            return false;
        }
    }
    return true;
}

static enum bt_status run_check(struct a2a_send_state *sending, struct bt_check_request *request)
{
    struct bt_call *work = &sending->work;
    const bool is_check = sending->message.act == A2A_ACTION_CHECK;
    const unsigned use = is_check ? OPTION_JUDGE : OPTION_REPAIR;
    if (!take_request(sending, work, request, use)) {
        return BT_OK;
    }
    return is_check ? bt_op_check(work, request) : bt_op_repair(work, request);
}

static enum bt_status submit_document(struct a2a_send_state *sending,
                                      struct bt_check_request *request)
{
    struct bt_call *work = &sending->work;
    sending->transaction_hooks = (struct bt_transaction_hooks){
        .before = find_conflict, .after = save_task, .context = sending};
    if (!take_request(sending, work, request, OPTION_SUBMIT)) {
        return BT_OK;
    }
    request->record.transaction_hooks = &sending->transaction_hooks;
    request->record.session = sending->task.context;
    request->record.is_expired = sending->message.is_expired;
    if (request->record.id.len == 0) {
        request->record.id = sending->message.replay_id;
    }
    work->later = sending->request->a2a->later;
    return bt_op_handoff_submit(work, request);
}

/* ---- After the operation --------------------------------------------------------------------- */

/*
 * Store the task of an operation that records nothing: it is complete whatever the verdict, or the
 * pump has accepted or refused the message.
 */
static enum bt_status keep_judged(struct a2a_send_state *sending, const struct bt_result *answer,
                                  struct bt_task *out)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_error error;
    struct a2a_status status = {.kind = A2A_STATUS_SOURCE_FIXED,
                                .state = BT_STR("COMPLETED"),
                                .dialect = BT_DIALECT_XML, /* the pump has it, without a report */
                                .verdict = BT_STR("accepted"),
                                .key = BT_STR(""),
                                .fingerprint = BT_STR(""),
                                .codes = BT_STR("[]"),
                                .seq = BT_LEDGER_SEQ_NONE};
    bt_str body;
    BT_TRY(bt_buf_copy(&answer->body, a2a->arena, &body));
    if (answer->dialect) {
        status.dialect = answer->dialect;
        status.verdict = bt_verdict_name(answer->verdict);
    }
    if (sending->message.act == A2A_ACTION_SUBMIT && answer->kind == ANSWER_REFUSED) {
        status.state = BT_STR("REJECTED");
        BT_TRY(codes_of(a2a->arena, answer->findings, &status.codes));
    }
    BT_TRY(a2a_format_now(a2a, &status.time));
    BT_TRY(fill_task(sending, &status, body, out));
    if (!a2a->service->ledger || a2a->place->is_read_only) {
        return BT_OK; /* answered, and not stored */
    }
    const enum bt_status kept =
        bt_task_save(a2a->service->ledger, a2a->arena, out, &sending->mark, &error);
    sending->is_repeated = kept == BT_EDENIED;
    return kept == BT_OK || sending->is_repeated ? BT_OK : BT_EIO;
}

/* The thread that continues a message need not have a store. */
static enum bt_status refuse_unread(struct a2a_send_state *sending)
{
    return a2a_respond_error(sending->request, A2A_INTERNAL, "the store could not be read");
}

/* Answer with the task that the message was sent to. */
static enum bt_status answer_again(struct a2a_send_state *sending)
{
    struct bt_task task;
    if (!sending->request->a2a->service->ledger) {
        return refuse_unread(sending);
    }
    const enum bt_status found = a2a_task_find(sending->request->a2a, sending->mark.task, &task);
    if (found == BT_ENOENT) {
        return a2a_respond_error(sending->request, A2A_TASK_UNKNOWN, "unknown task");
    }
    BT_TRY(found);
    return a2a_respond_with_task(sending->request, &task);
}

/*
 * The message was received before: answer with the same task, or refuse another message with the
 * same id.
 */
static enum bt_status respond_to_repeat(struct a2a_send_state *sending)
{
    struct bt_error error;
    struct a2a *a2a = sending->request->a2a;
    if (!a2a->service->ledger) {
        return refuse_unread(sending);
    }
    BT_TRY(bt_task_message_find(a2a->service->ledger, a2a->arena, &sending->mark, &error));
    return sending->mark.is_same
               ? answer_again(sending)
               : a2a_respond_field_error(sending->request, "message.messageId",
                                         BT_STR("another message came with this id"));
}

static enum bt_status write_task(struct a2a_send_state *sending, const struct bt_result *answer)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_task task;
    if (sending->is_kept && answer->kind != ANSWER_FAILED) {
        a2a->outcome.is_recorded = true;
        a2a->outcome.seq = answer->seq;
        sending->mark.task = sending->task.id;
        return answer_again(sending);
    }
    if (sending->is_repeated) {
        return respond_to_repeat(sending);
    }
    if (sending->is_stale) {
        return a2a_respond_error(sending->request, A2A_UNSUPPORTED, "the task has ended");
    }
    if (answer->kind != ANSWER_DONE && answer->kind != ANSWER_REFUSED) {
        return a2a_respond_result_error(sending->request, answer);
    }
    const enum bt_status status = keep_judged(sending, answer, &task);
    if (status == BT_EIO) {
        return a2a_respond_error(sending->request, A2A_INTERNAL, "the task could not be kept");
    }
    BT_TRY(status);
    return sending->is_repeated ? respond_to_repeat(sending)
                                : a2a_respond_with_task(sending->request, &task);
}

/* Answer, unless the submission is with the writer. */
static enum bt_status finish_send(struct a2a_send_state *sending, enum bt_status status)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_result *answer = &sending->answer;
    a2a->late = status == BT_OK && a2a->later && a2a->later->filing ? sending : NULL;
    if (a2a->late) {
        return BT_OK;
    }
    status = status == BT_OK ? answer->body.status : status;
    status = status == BT_OK ? write_task(sending, answer) : status;
    bt_buf_free(&answer->body);
    return status;
}

static enum bt_status run(struct a2a_send_state *sending)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_check_request request;
    sending->work = (struct bt_call){.service = a2a->service,
                                     .caller = a2a->caller,
                                     .arena = a2a->arena,
                                     .answer = &sending->answer,
                                     .events = a2a->events,
                                     .traceparent = a2a->place->traceparent};
    bt_buf_init(&sending->answer.body, A2A_TEXT_BYTES_MAX);
    const enum bt_status status = sending->message.act == A2A_ACTION_SUBMIT
                                      ? submit_document(sending, &request)
                                      : run_check(sending, &request);
    bt_op_request_end(&request);
    return finish_send(sending, status);
}

enum bt_status a2a_send_end(struct a2a_send_state *sending)
{
    return finish_send(sending, bt_op_submit_end(&sending->work, sending->request->a2a->service));
}

struct a2a_request *a2a_request_read(const struct a2a_send_state *sending)
{
    return sending->request;
}

/* ---- Approvals ------------------------------------------------------------------------------- */

/* Add the message of a decision to the history of its task. */
static enum bt_status keep_decision(struct a2a_send_state *sending)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_error error;
    struct bt_task task = sending->task;
    bt_str id;
    BT_TRY(quote_text(a2a->arena, sending->message.id, &id));
    BT_TRY(add_array_item(a2a->arena, task.message_ids, id, &task.message_ids));
    BT_TRY(add_array_item(a2a->arena, task.history, sending->compact, &task.history));
    const enum bt_status kept =
        bt_task_save(a2a->service->ledger, a2a->arena, &task, &sending->mark, &error);
    return kept == BT_ENOMEM ? kept : a2a_respond_with_task(sending->request, &task);
}

static enum bt_status decide_approval(struct a2a_send_state *sending,
                                      const struct a2a_status *before_it)
{
    struct a2a *a2a = sending->request->a2a;
    const struct a2a_message *message = &sending->message;
    struct bt_approval_action_options action_options = bt_approval_action_options_init(
        message->is_approved ? BT_APPROVAL_ACTION_GRANT : BT_APPROVAL_ACTION_DENY, before_it->key);
    struct bt_result answer = {0};
    struct bt_call work = {
        .service = a2a->service, .caller = a2a->caller, .arena = a2a->arena, .answer = &answer};
    struct bt_approval_result decided;
    action_options.fingerprint = message->fingerprint;
    action_options.seconds = bt_op_grant_seconds(a2a->service->config);
    bt_buf_init(&answer.body, 1 << 16);
    enum bt_status status = BT_OK;
    if (!bt_str_eq(message->fingerprint, before_it->fingerprint)) {
        status = a2a_respond_field_error(sending->request, "message.metadata",
                                         BT_STR("the fingerprint is of another request"));
    } else if (!bt_op_run_approval_action(&work, &action_options, &decided)) {
        status = a2a_respond_result_error(sending->request, &answer);
    } else if (bt_findings_count(decided.findings) > 0) {
        status = a2a_respond_field_error(sending->request, "message.metadata",
                                         bt_findings_at(decided.findings, 0)->rule->code);
    } else {
        a2a->outcome.is_recorded = true;
        status = keep_decision(sending);
    }
    bt_buf_free(&answer.body);
    return status;
}

/* ---- The task -------------------------------------------------------------------------------- */

/*
 * A caller that may decide may answer the approval request of any task; otherwise only the owner of
 * a task may send to it.
 */
static enum bt_status find_task(struct a2a_send_state *sending)
{
    struct a2a *a2a = sending->request->a2a;
    const bt_str id = sending->message.task;
    struct bt_error error;
    if (sending->message.is_decision && a2a->service->ledger && bt_uuid_is_valid(id) &&
        bt_scopes_hold(a2a->caller->scopes, BT_SCOPE_APPROVE)) {
        return bt_task_get(a2a->service->ledger, a2a->arena, id, &sending->task, &error);
    }
    return a2a_task_find(a2a, id, &sending->task);
}

/* Handle a message for an existing task. */
static enum bt_status continue_task(struct a2a_send_state *sending)
{
    struct a2a_request *a2a_request = sending->request;
    struct a2a_status status;
    const enum bt_status found = find_task(sending);
    if (found == BT_ENOENT) {
        return a2a_respond_error(a2a_request, A2A_TASK_UNKNOWN, "unknown task");
    }
    BT_TRY(found);
    if (sending->message.context.len > 0 &&
        !bt_str_eq(sending->message.context, sending->task.context)) {
        return a2a_respond_field_error(a2a_request, "message.contextId",
                                       BT_STR("it is not that of the task"));
    }
    BT_TRY(a2a_status_read(a2a_request->a2a, sending->task.state, &status));
    if (a2a_is_final(status.state)) {
        return a2a_respond_error(a2a_request, A2A_UNSUPPORTED, "the task has ended");
    }
    if (sending->message.is_decision) {
        const bool is_pending =
            status.kind == A2A_STATUS_SOURCE_APPROVAL && a2a_is_waiting(status.state);
        if (!bt_scopes_hold(a2a_request->a2a->caller->scopes, BT_SCOPE_APPROVE)) {
            return a2a_respond_scope_error(a2a_request, "approve");
        }
        return is_pending
                   ? decide_approval(sending, &status)
                   : a2a_respond_error(a2a_request, A2A_UNSUPPORTED, "no consent is asked for");
    }
    return status.dialect == BT_DIALECT_CONTRACT && sending->message.act == A2A_ACTION_SUBMIT
               ? run(sending)
               : a2a_respond_error(a2a_request, A2A_UNSUPPORTED,
                                   "this task takes no more messages");
}

static enum bt_status begin_task(struct a2a_send_state *sending)
{
    struct a2a *a2a = sending->request->a2a;
    struct bt_env *env = a2a->service->env;
    if (bt_env_uuid(env, sending->id) != BT_OK || bt_env_uuid(env, sending->context) != BT_OK) {
        return a2a_respond_error(sending->request, A2A_INTERNAL,
                                 "the system gives no random numbers");
    }
    sending->is_new = true;
    sending->task =
        (struct bt_task){.id = bt_str_of(sending->id),
                         .principal = actor_of(sending),
                         .context = sending->message.context.len > 0 ? sending->message.context
                                                                     : bt_str_of(sending->context),
                         .message_ids = BT_STR("[]"),
                         .state = BT_STR(""),
                         .artifacts = BT_STR(""),
                         .history = BT_STR("[]"),
                         .seq = BT_LEDGER_SEQ_NONE};
    return sending->message.is_decision
               ? a2a_respond_field_error(sending->request, "message.taskId",
                                         BT_STR("a decision names the task that it is about"))
               : run(sending);
}

/* Check the caller's scopes, and that there is a store. False after an answer. */
static bool may_send(struct a2a_send_state *sending)
{
    const struct a2a *a2a = sending->request->a2a;
    const bool is_submit =
        sending->message.act == A2A_ACTION_SUBMIT && !sending->message.is_decision;
    const unsigned scope = is_submit ? BT_SCOPE_SUBMIT : BT_SCOPE_CHECK;
    if (!sending->message.is_decision && !bt_scopes_hold(a2a->caller->scopes, scope)) {
        (void)a2a_respond_scope_error(sending->request, is_submit ? "submit" : "check");
        return false;
    }
    const bool records = is_submit || sending->message.is_decision;
    if (records && (!a2a->service->ledger || a2a->place->is_read_only)) {
        const struct bt_result answer = {.kind = ANSWER_FAILED,
                                         .problem = a2a->service->ledger
                                                        ? BT_PROBLEM_LEDGER_READ_ONLY
                                                        : BT_PROBLEM_STORE_UNAVAILABLE};
        (void)a2a_respond_result_error(sending->request, &answer);
        return false;
    }
    return true;
}

enum bt_status a2a_send(struct a2a_request *a2a_request)
{
    struct a2a *a2a = a2a_request->a2a;
    struct a2a_send_state *sending = BT_NEW(a2a->arena, struct a2a_send_state);
    struct bt_error error;
    bool fits = false;
    if (!sending) {
        return BT_ENOMEM;
    }
    sending->request = a2a_request;
    BT_TRY(a2a_message_read(a2a_request, &sending->message, &fits));
    if (!fits || !may_send(sending)) {
        return BT_OK;
    }
    BT_TRY(a2a_put_compact(a2a->arena, a2a_request->document, a2a_param(a2a_request, "message"),
                           &sending->compact));
    sending->mark = (struct bt_task_message){
        .principal = actor_of(sending), .id = sending->message.id, .content = sending->compact};
    if (a2a->service->ledger) {
        const enum bt_status seen =
            bt_task_message_find(a2a->service->ledger, a2a->arena, &sending->mark, &error);
        if (seen == BT_OK) {
            return respond_to_repeat(sending);
        }
        if (seen != BT_ENOENT) {
            return refuse_unread(sending);
        }
    }
    return sending->message.task.len > 0 ? continue_task(sending) : begin_task(sending);
}
