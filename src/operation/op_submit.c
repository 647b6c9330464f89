/* SPDX-License-Identifier: Apache-2.0 */
/* op_submit.c - check, record, deliver, by dialect. */
#include <assert.h>

#include "engine/dialect.h"
#include "operation/filing.h"
#include "operation/peer_receipts.h"
#include "operation/pump.h"

static void set_dialect(struct bt_op_filing *filing, enum bt_dialect_id dialect)
{
    filing->dialect = dialect;
    filing->row = bt_dialect_row(dialect);
}

/* Fill in the submission of a document that is judged, or that its decision will judge. */
static void fill_submission(struct bt_op_filing *filing)
{
    const struct bt_call *work = filing->work;
    const struct bt_check_request *request = filing->request;
    struct bt_submission *submission = &filing->submission;
    bt_submission_init(submission, work->arena, &filing->judged, work->caller->actor, request->text,
                       work->service->env->limits.document_bytes);
    submission->fail_level = request->fail_level;
    submission->entry.handoff_id = request->record.id;
    submission->entry.withheld = request->record.withheld;
    filing->policy_ref = (struct bt_entry_ref){BT_STR("policy"), filing->policy.sha256};
    submission->entry.refs = &filing->policy_ref;
    submission->entry.ref_count = filing->policy.sha256.len > 0 ? 1 : 0;
    submission->entry.policy = filing->policy.text;
    submission->entry.number = work->number;
    submission->entry.omit_document = request->record.omit_document;
    submission->delivery.has_inbox = filing->row->deliverable == BT_DELIVERABLE_INBOX;
}

/* The decision judges, within the transaction. */
static enum bt_status leave_to_decision(struct bt_op_filing *filing)
{
    filing->judged = (struct bt_judgement){.path = filing->request->path,
                                           .dialect = filing->dialect,
                                           .source = filing->request->text,
                                           .findings = bt_findings_new(filing->work->arena),
                                           .facts = BT_STR(""),
                                           .extra_members = BT_STR("")};
    fill_submission(filing);
    return filing->judged.findings ? BT_OK : BT_ENOMEM;
}

static enum bt_status judge_document(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_check_request *request = filing->request;
    const struct bt_check_options options = {.dialect = filing->dialect,
                                             .fail_level = request->fail_level,
                                             .checker = work->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan};
    request->plan.is_recorded =
        work->service->ledger && !bt_ledger_has_test_key(work->service->ledger);
    fill_submission(filing);
    return bt_submission_judge(&filing->submission, work->service->env, request->path,
                               request->text, &options);
}

/* Record the judgement; or, when it came too late, from an unknown sender or without valid
 * receipts, that it was refused. */
static enum bt_status record_judged(struct bt_op_filing *filing, bool is_stranger)
{
    if (filing->partner.refusal) {
        BT_TRY(bt_submission_reject_receipts(&filing->submission, filing->partner.refusal));
    } else if (filing->request->record.is_expired) {
        BT_TRY(bt_submission_reject_expired(&filing->submission));
    } else if (is_stranger) {
        BT_TRY(bt_submission_reject_source(&filing->submission));
    }
    return bt_op_record(filing);
}

static enum bt_status submit_plain(struct bt_op_filing *filing)
{
    BT_TRY(judge_document(filing));
    return record_judged(
        filing, !bt_caller_represents(filing->work->caller, filing->submission.entry.source));
}

/* The pump judges and records what is sent to it; what it never receives is recorded here. */
static enum bt_status submit_message(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    const bt_str client = work->caller->pump_client;
    if (client.len == 0) {
        return bt_result_set_problem(work, BT_PROBLEM_SCOPE_MISSING, BT_STR("/pump_client"),
                                     "only clients of the pump may send messages");
    }
    BT_TRY(judge_document(filing));
    const struct bt_identity *identity = &filing->judged.identity;
    const bool is_stranger = identity->source.len > 0 && !bt_str_eq(identity->source, client);
    if (!is_stranger && !filing->partner.refusal && !filing->request->record.is_expired) {
        return bt_op_pump_send(work, &filing->judged);
    }
    return record_judged(filing, is_stranger);
}

/* The INPUT that decides what may be written: the operator's, or the one that is stored for the
 * agent, which the decision finds. */
static enum bt_status take_input(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_check_request *request = filing->request;
    const bt_str text =
        request->record.input_text.len > 0 ? request->record.input_text : work->service->input;
    struct bt_error error;
    if (text.len > 0) {
        request->contract.input = &request->input;
        return bt_contract_input_read(filing->contract_state.contract, work->arena, text,
                                      &request->input, &error);
    }
    filing->input_owner =
        (struct bt_contract_input_owner){.workspace = filing->contract.workspace,
                                         .session = filing->contract.session,
                                         .agent_id = request->contract.runtime_agent_id,
                                         .agent_type = BT_STR("")};
    filing->contract.input_owner =
        request->contract.runtime_agent_id.len > 0 ? &filing->input_owner : NULL;
    return BT_OK;
}

/* A bound caller reports only for its own agents: the block's own id counts. *out_is_over: it
 * does not, and that is recorded. */
static enum bt_status refuse_stranger(struct bt_op_filing *filing, bool *out_is_over)
{
    struct bt_call *work = filing->work;
    *out_is_over = false;
    if (work->caller->agent_count == 0) {
        return BT_OK;
    }
    BT_TRY(judge_document(filing));
    *out_is_over = !bt_caller_represents(work->caller, filing->submission.entry.source);
    return *out_is_over ? record_judged(filing, true) : BT_OK;
}

static enum bt_status submit_contract(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_check_request *request = filing->request;
    bool is_over = false;
    BT_TRY(refuse_stranger(filing, &is_over));
    if (is_over) {
        return BT_OK;
    }
    BT_TRY(bt_op_contract_state(work, &filing->contract_state));
    filing->message =
        (struct bt_contract_document){request->path, request->text, &request->contract};
    filing->contract = (struct bt_contract_submission){
        .state = &filing->contract_state,
        .document = &filing->message,
        .workspace = bt_op_workspace(work, request->record.workspace),
        .session = bt_op_session(work, request->record.session),
        .max_rejections = request->max_rejections,
        .pending_seconds = bt_config_seconds(work->service->config, "approvals.pending_ttl")};
    if (take_input(filing) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the INPUT cannot be read");
    }
    BT_TRY(leave_to_decision(filing));
    filing->submission.decision = &filing->contract;
    return bt_op_record(filing);
}

/* A message of an agent host that is not a submission of its own. */
static struct bt_op_filing *hook_filing(struct bt_call *work, struct bt_check_request *request,
                                        bt_str text)
{
    struct bt_op_filing *filing = BT_NEW(work->arena, struct bt_op_filing);
    bt_op_request_begin(work->service, request);
    request->text = text;
    request->path = BT_STR("<hook>");
    request->dialect = BT_DIALECT_CONTRACT;
    if (filing) {
        filing->work = work;
        filing->request = request;
        set_dialect(filing, request->dialect);
        filing->policy = work->service->policy;
    }
    return filing;
}

bool bt_op_caller_represents_agent(struct bt_call *work, bt_str text)
{
    struct bt_check_request request;
    struct bt_op_filing *filing = hook_filing(work, &request, text);
    const bool is_known = filing && judge_document(filing) == BT_OK;
    bt_op_request_end(&request);
    const bt_str id = is_known ? filing->judged.identity.source : BT_STR("");
    return id.len > 0 && bt_caller_represents(work->caller, id);
}

enum bt_status bt_op_reject_caller(struct bt_call *work, bt_str text, bt_str claimed)
{
    struct bt_check_request request;
    struct bt_op_filing *filing = hook_filing(work, &request, text);
    enum bt_status status = !filing           ? BT_ENOMEM
                            : claimed.len > 0 ? leave_to_decision(filing)
                                              : judge_document(filing);
    if (status == BT_OK) {
        filing->judged.facts = filing->judged.facts.len > 0 ? filing->judged.facts : BT_STR("{}");
        filing->submission.entry.source =
            claimed.len > 0 ? claimed : filing->judged.identity.source;
        status = record_judged(filing, true);
    }
    bt_op_request_end(&request);
    return status;
}

static enum bt_status submit_governed(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_check_request *request = filing->request;
    const bool is_handoff = filing->dialect == BT_DIALECT_GOVERNED;
    const struct bt_governed_input document = {.kind = is_handoff ? BT_GOVERNED_SUBMISSION_HANDOFF
                                                                  : BT_GOVERNED_SUBMISSION_RESPONSE,
                                               .path = request->path,
                                               .text = request->text,
                                               .options = &request->governed,
                                               .speakers = work->caller->agents,
                                               .speaker_count = work->caller->agent_count};
    struct bt_governed_checker *governed = NULL;
    if (!request->catalogue) {
        return bt_result_set_failed(
            work, BT_PROBLEM_ROOT_NOT_CONFIGURED,
            "no catalogue of agents is configured, so governed documents cannot be checked");
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_governed_submission_open(governed, work->arena, &document, &filing->governed) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the catalogue of agents cannot be read");
    }
    BT_TRY(leave_to_decision(filing));
    bt_governed_submission_name(filing->governed, &filing->submission);
    filing->submission.decision = filing->governed;
    return bt_op_record(filing);
}

typedef enum bt_status submit_fn(struct bt_op_filing *filing);

static enum bt_status submit_as(struct bt_op_filing *filing)
{
    static submit_fn *const submitters[BT_DIALECT__MAX] = {
        [BT_DIALECT_UNIVERSAL] = submit_plain,   [BT_DIALECT_PLAN] = submit_plain,
        [BT_DIALECT_CONTRACT] = submit_contract, [BT_DIALECT_GOVERNED] = submit_governed,
        [BT_DIALECT_RESPONSE] = submit_governed, [BT_DIALECT_XML] = submit_message};
    const struct bt_dialect *row = filing->row;
    submit_fn *submit = submitters[filing->dialect];
    struct bt_call *work = filing->work;
    if (!submit) {
        return bt_result_set_problem(work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                     "documents of this dialect cannot be submitted here");
    }
    /* A decision uses the checker of this thread, the pump answers in its own time, and receipts
     * are compared with files of the witness. */
    if (work->later && (row->decide || row->deliverable == BT_DELIVERABLE_PUMP ||
                        filing->request->record.receipts.document)) {
        if (!work->later->may_wait) {
            work->later->needs_waiting_thread = true;
            return BT_OK;
        }
        work->later = NULL;
    }
    bool go_on = false;
    BT_TRY(bt_op_peer_receipts_check(filing, &go_on));
    if (!go_on) {
        return BT_OK;
    }
    /* What is refused before a decision is refused the same way in every dialect. */
    filing->is_dispatch = filing->is_dispatch && !filing->partner.refusal;
    const bool is_refused = filing->partner.refusal || filing->request->record.is_expired;
    return is_refused && submit != submit_message ? submit_plain(filing) : submit(filing);
}

/* The policy that judges this request. */
static enum bt_status take_policy(struct bt_op_filing *filing)
{
    const struct bt_check_request *request = filing->request;
    const struct bt_worker *service = filing->work->service;
    filing->policy = service->policy;
    return service->policy.sha256.len > 0 && (request->has_options || request->root_name.len > 0)
               ? bt_op_policy(filing->work->arena, service, request, &filing->policy)
               : BT_OK;
}

static enum bt_status submit_document(struct bt_call *work, struct bt_check_request *request,
                                      bool is_dispatch)
{
    struct bt_op_filing *filing = BT_NEW(work->arena, struct bt_op_filing);
    if (!filing) {
        return BT_ENOMEM;
    }
    filing->work = work;
    filing->request = request;
    filing->is_dispatch = is_dispatch;
    if (!request->dialect) {
        request->dialect = bt_dialect_recognise(request->path, request->text);
    }
    set_dialect(filing, request->dialect);
    if (!filing->dialect) {
        return bt_result_set_problem(work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                     "the dialect of the document is not recognised; name it");
    }
    if (!bt_op_request_may_record(work, request) ||
        !bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(take_policy(filing));
    return submit_as(filing);
}

enum bt_status bt_op_handoff_submit(struct bt_call *work, struct bt_check_request *request)
{
    return submit_document(work, request, false);
}

enum bt_status bt_op_governed_dispatch(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = BT_DIALECT_GOVERNED;
    return submit_document(work, request, true);
}
