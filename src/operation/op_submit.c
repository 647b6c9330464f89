/* SPDX-License-Identifier: Apache-2.0 */
/* op_submit.c - check, record, deliver, by dialect. */
#include <assert.h>

#include "engine/dialect.h"
#include "operation/filing.h"
#include "operation/pump.h"

static struct bt_submission item_of(struct bt_op_filing *filing)
{
    const struct bt_call *work = filing->work;
    const struct bt_check_request *request = filing->request;
    const uint64_t limit = work->service->env->limits.document_bytes;
    return (struct bt_submission){
        .judged = &filing->judged,
        .kind = BT_STR("handoff"),
        .actor = work->caller->actor,
        .bytes = bt_str_slice(request->text, 0, limit),
        .is_truncated = request->text.len > limit,
        .omit_document = request->record.omit_document,
        .handoff_id = request->record.id,
        .id_pointer = BT_STR(""),
        .trace_id = BT_STR(""),
        .source = BT_STR(""),
        .target = BT_STR(""),
        .withheld = request->record.withheld,
        .fail_level = request->fail_level,
        .refs = &filing->policy,
        .ref_count = filing->policy.value.len > 0 ? 1 : 0,
    };
}

/* The item's act judges, within the transaction. */
static enum bt_status leave_to_act(struct bt_op_filing *filing)
{
    filing->judged = (struct bt_judgement){.path = filing->request->path,
                                           .dialect = filing->dialect,
                                           .source = filing->request->text,
                                           .findings = bt_findings_new(filing->work->arena),
                                           .facts = BT_STR(""),
                                           .extra_members = BT_STR("")};
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
    return bt_check(work->service->env, work->arena, request->path, request->text, &options,
                    &filing->judged);
}

/* Record the judgement; or, when it came too late or from an unknown sender, that it was
 * refused. */
static enum bt_status record_submission(struct bt_op_filing *filing, bool is_stranger)
{
    struct bt_call *work = filing->work;
    if (filing->request->record.is_expired) {
        filing->item.handoff_id = BT_STR(""); /* a late document uses no id ... */
        BT_TRY(bt_submission_reject_expired(work->arena, &filing->judged));
    } else if (is_stranger) {
        filing->item.handoff_id = BT_STR(""); /* ... nor does one of an unknown sender */
        BT_TRY(bt_submission_reject_source(work->arena, &filing->judged, filing->item.source,
                                           bt_dialect_row(filing->dialect)->source_pointer));
    }
    filing->submission.has_inbox = filing->dialect == BT_DIALECT_UNIVERSAL;
    return bt_op_record(filing);
}

static enum bt_status submit_plain(struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    BT_TRY(judge_document(filing));
    filing->item = item_of(filing);
    bt_submission_set_names(&filing->item);
    return record_submission(filing, !bt_caller_represents(work->caller, filing->item.source));
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
    const bt_str from = identity->source;
    const bool is_stranger = from.len > 0 && !bt_str_eq(from, client);
    if (!is_stranger && !filing->request->record.is_expired) {
        return bt_op_pump_send(work, &filing->judged);
    }
    filing->item = item_of(filing);
    filing->item.source = from;
    filing->item.target = identity->target;
    filing->item.trace_id = identity->trace_id;
    return record_submission(filing, is_stranger);
}

/* The INPUT that decides what may be written: the operator's, or the stored one. */
static enum bt_status take_input(const struct bt_op_filing *filing)
{
    struct bt_call *work = filing->work;
    struct bt_check_request *request = filing->request;
    bt_str text =
        request->record.input_text.len > 0 ? request->record.input_text : work->service->input;
    struct bt_error error;
    if (text.len == 0 && request->contract.runtime_agent_id.len > 0) {
        const struct bt_contract_input_owner owner = {
            .workspace = filing->block.submission.workspace,
            .session = filing->block.submission.session,
            .agent_id = request->contract.runtime_agent_id,
            .agent_type = BT_STR("")};
        BT_TRY(bt_contract_input_load(&filing->gate, &owner, &text, &error));
    }
    if (text.len > 0) {
        BT_TRY(bt_contract_input_read(filing->gate.contract, work->arena, text, &request->input,
                                      &error));
        request->contract.input = &request->input;
    }
    return BT_OK;
}

/* Judge a block, and find the agent it is from; "" when it does not say. */
static enum bt_status judge_agent(struct bt_op_filing *filing, bt_str *out_id)
{
    BT_TRY(judge_document(filing));
    *out_id = filing->judged.identity.source;
    return BT_OK;
}

/* A bound caller reports only for its own agents: the block's own id counts. *out_is_over: it
 * does not, and that is recorded. */
static enum bt_status refuse_stranger(struct bt_op_filing *filing, bool *out_is_over)
{
    struct bt_call *work = filing->work;
    bt_str id;
    *out_is_over = false;
    if (work->caller->agent_count == 0) {
        return BT_OK;
    }
    BT_TRY(judge_agent(filing, &id));
    *out_is_over = !bt_caller_represents(work->caller, id);
    if (!*out_is_over) {
        return BT_OK;
    }
    filing->item = item_of(filing);
    filing->item.source = id;
    return record_submission(filing, true);
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
    BT_TRY(bt_op_contract_state(work, &filing->gate));
    filing->message =
        (struct bt_contract_document){request->path, request->text, &request->contract};
    filing->block.gate = &filing->gate;
    filing->block.submission = (struct bt_contract_submission){
        .document = &filing->message,
        .workspace = bt_op_workspace(work, request->record.workspace),
        .session = bt_op_session(work, request->record.session),
        .max_rejections = request->max_rejections,
        .pending_seconds = bt_config_seconds(work->service->config, "approvals.pending_ttl")};
    if (take_input(filing) != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the INPUT cannot be read");
    }
    BT_TRY(leave_to_act(filing));
    filing->item = item_of(filing);
    bt_contract_state_prepare(&filing->block, &filing->item);
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
        filing->dialect = request->dialect;
        filing->policy = (struct bt_entry_ref){BT_STR("policy"), work->service->policy};
    }
    return filing;
}

bool bt_op_caller_represents_agent(struct bt_call *work, bt_str text)
{
    struct bt_check_request request;
    struct bt_op_filing *filing = hook_filing(work, &request, text);
    bt_str id;
    const bool is_known = filing && judge_agent(filing, &id) == BT_OK && id.len > 0;
    bt_op_request_end(&request);
    return is_known && bt_caller_represents(work->caller, id);
}

enum bt_status bt_op_reject_caller(struct bt_call *work, bt_str text, bt_str claimed)
{
    struct bt_check_request request;
    struct bt_op_filing *filing = hook_filing(work, &request, text);
    bt_str id = claimed;
    enum bt_status status = !filing           ? BT_ENOMEM
                            : claimed.len > 0 ? leave_to_act(filing)
                                              : judge_agent(filing, &id);
    if (status == BT_OK) {
        filing->judged.facts = filing->judged.facts.len > 0 ? filing->judged.facts : BT_STR("{}");
        filing->item = item_of(filing);
        filing->item.source = id;
        status = record_submission(filing, true);
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
            "there is no catalogue of agents to judge governed documents by");
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_governed_submission_open(governed, work->arena, &document, &filing->governed.item) !=
        BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the catalogue of agents cannot be read");
    }
    filing->govern = (struct bt_governed_state){.ledger = work->service->ledger,
                                                .env = work->service->env,
                                                .arena = work->arena,
                                                .actor = work->caller->actor};
    filing->governed.govern = &filing->govern;
    BT_TRY(leave_to_act(filing));
    filing->item = item_of(filing);
    bt_governed_submission_prepare(&filing->governed, &filing->item);
    filing->submission.has_inbox = is_handoff;
    return bt_op_record(filing);
}

/* How a dialect is submitted, and whether that needs a waiting thread. */
struct bt_op_submit_row {
    enum bt_dialect_id dialect;
    enum bt_status (*submit)(struct bt_op_filing *filing);
    bool is_whole; /* the decision uses this thread's state, so the submission cannot be left to
                    * the writer */
};

static enum bt_status submit_as(struct bt_op_filing *filing)
{
    static const struct bt_op_submit_row submitters[] = {
        {BT_DIALECT_UNIVERSAL, submit_plain, false},  {BT_DIALECT_PLAN, submit_plain, false},
        {BT_DIALECT_CONTRACT, submit_contract, true}, {BT_DIALECT_GOVERNED, submit_governed, true},
        {BT_DIALECT_RESPONSE, submit_governed, true}, {BT_DIALECT_XML, submit_message, true}};
    for (size_t i = 0; i < sizeof(submitters) / sizeof(submitters[0]); i++) {
        if (filing->dialect != submitters[i].dialect) {
            continue;
        }
        struct bt_call_completion *later = submitters[i].is_whole ? filing->work->later : NULL;
        if (later && !later->may_wait) {
            later->needs_waiting_thread = true;
            return BT_OK;
        }
        if (later) {
            filing->work->later = NULL; /* this thread waits */
        }
        /* A late document is refused the same way in every dialect. */
        const bool is_plain =
            filing->request->record.is_expired && submitters[i].submit != submit_message;
        return is_plain ? submit_plain(filing) : submitters[i].submit(filing);
    }
    return bt_result_set_problem(filing->work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                 "documents of this dialect cannot be submitted here");
}

/* The digest of the policy that judges this request. */
static enum bt_status take_policy(struct bt_op_filing *filing)
{
    const struct bt_check_request *request = filing->request;
    const struct bt_worker *service = filing->work->service;
    filing->policy = (struct bt_entry_ref){BT_STR("policy"), service->policy};
    return service->policy.len > 0 && (request->has_options || request->root_name.len > 0)
               ? bt_op_policy(filing->work->arena, service, request, &filing->policy.value)
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
    filing->dialect =
        request->dialect ? request->dialect : bt_dialect_recognise(request->path, request->text);
    request->dialect = filing->dialect;
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
