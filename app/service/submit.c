/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - check, record, deliver: one decision.
 */
#include <assert.h>
#include <inttypes.h>
#include <time.h>

#include <baton/deliver.h>
#include <baton/govern.h>
#include <baton/ledger_proof.h>

#include "service/pump.h"
#include "service/records.h"

enum { BODY_BYTES_MAX = 256 << 20, RECEIPT_BYTES_MAX = 1 << 20 };

/* A document on its way into the record. It stays where it is until that is done. */
struct filing {
    struct work *work;
    struct request *request;
    const struct bt_dialect *dialect;
    struct bt_judged judged;
    struct bt_ledger_ref policy;
    struct bt_ledger_item item;
    struct bt_deliver_submission submission;
    struct bt_gate gate; /* contract blocks ... */
    struct bt_contract_document message;
    struct bt_gate_append block;
    struct bt_govern govern; /* ... governed documents */
    struct bt_case_append governed;
    bool is_dispatch; /* the answer is that of POST /v1/dispatch */
};

static bool is_called(const struct filing *filing, const char *name)
{
    return bt_str_eq(bt_dialect_name(filing->dialect), bt_str_of(name));
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void put_delivery(const struct bt_deliver_submission *submission, struct bt_buf *members)
{
    struct bt_emit emit;
    bt_buf_printf(members, "%s\"delivery\":", members->len > 0 ? "," : "");
    bt_emit_init(&emit, members, false);
    bt_emit_object(&emit);
    if (submission->is_queued) {
        bt_emit_member_string(&emit, "state", BT_STR("queued"));
        bt_emit_member_string(&emit, "inbox", submission->inbox);
        bt_emit_member_string(&emit, "message", submission->message);
    } else {
        bt_emit_member_string(&emit, "state", BT_STR("none"));
    }
    bt_emit_end(&emit);
}

/* The finding that a refusal is about. */
static const struct bt_finding *decisive(const struct filing *filing,
                                         const struct bt_judged *judged)
{
    const struct bt_finding *first = NULL;
    if (filing->governed.item) {
        return bt_case_decision(filing->governed.item)->primary;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        if (!first || finding->severity > first->severity) {
            first = finding;
        }
    }
    return first;
}

/* The report; members of a contract's decision stand beside it, those of others in the document. */
static enum bt_status put_report(const struct filing *filing, struct bt_judged *judged)
{
    struct work *work = filing->work;
    const struct bt_deliver_submission *submission = &filing->submission;
    const bool is_beside = filing->block.gate != NULL;
    struct bt_buf members;
    BT_TRY(bt_arena_printf(work->arena, &judged->members, "\"record\":%.*s%s%.*s",
                           BT_STR_ARG(submission->record),
                           submission->members.len > 0 && !is_beside ? "," : "",
                           BT_STR_ARG(is_beside ? BT_STR("") : submission->members)));
    bt_buf_init(&members, BODY_BYTES_MAX);
    bt_buf_put(&members, is_beside ? submission->members : BT_STR(""));
    put_delivery(submission, &members);
    const enum bt_status status = members.status == BT_OK
                                      ? answer_report(work, judged, 1, bt_buf_str(&members))
                                      : members.status;
    bt_buf_free(&members);
    return status;
}

static enum bt_status put_dispatch(const struct filing *filing)
{
    struct answer *answer = filing->work->answer;
    struct bt_dispatch_answer told;
    bt_case_note_record(filing->governed.item, filing->submission.record);
    BT_TRY(bt_dispatch_answer(&filing->govern, filing->governed.item, &told));
    bt_buf_clear(&answer->body);
    bt_buf_put(&answer->body, told.body);
    answer->kind = ANSWER_DONE; /* a problem of its own, when it is one */
    answer->status = told.status;
    return answer->body.status;
}

static enum bt_status compose(struct work *work, void *context)
{
    const struct filing *filing = context;
    struct bt_judged judged = *filing->submission.judged;
    const struct bt_finding *why = decisive(filing, &judged);
    if (filing->is_dispatch) {
        return put_dispatch(filing);
    }
    BT_TRY(put_report(filing, &judged));
    if (judged.verdict == BT_ACCEPTED || !why) {
        work->answer->status = 201;
        return BT_OK;
    }
    answer_refuse(work, why, judged.findings, filing->submission.record);
    return BT_OK;
}

/* ---- Receipts -------------------------------------------------------------------------------- */

/* The size of the tree that a report says it is recorded in. */
static uint64_t size_told(struct work *work)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_result read;
    options.document_bytes_max = BODY_BYTES_MAX;
    options.string_bytes_max = BODY_BYTES_MAX;
    if (bt_json_read(work->arena, bt_buf_str(&work->answer->body), &options, &read) != BT_OK ||
        !read.document) {
        return BT_LEDGER_NONE;
    }
    const bt_value *size = bt_json_point(read.document, bt_json_root(read.document),
                                         BT_STR("/documents/0/record/tree_size"));
    return size && bt_json_type(size) == BT_JSON_INTEGER ? (uint64_t)size->as.integer
                                                         : BT_LEDGER_NONE;
}

/* The receipt of what was recorded before, which the same state gives again. */
static void prove_again(struct work *work, struct bt_buf *receipt)
{
    struct bt_error error;
    const uint64_t size = size_told(work);
    const enum bt_status status = bt_ledger_prove(work->service->ledger, work->answer->seq, size,
                                                  BT_RECEIPT_AS_JSON, receipt, &error);
    if (status != BT_OK) {
        bt_buf_clear(receipt);
        bt_buf_put_text(receipt, "null");
    }
}

/* Put the receipt before the closing bracket. It cannot be kept with the answer, since it proves
 * what the commit signs. */
static enum bt_status attach_receipt(const struct filing *filing)
{
    struct work *work = filing->work;
    struct bt_buf *body = &work->answer->body;
    struct bt_buf receipt;
    assert(body->len > 0 && body->ptr[body->len - 1] == '}');
    bt_buf_init(&receipt, RECEIPT_BYTES_MAX);
    bt_str text = filing->item.receipt;
    if (text.len == 0) {
        prove_again(work, &receipt);
        text = bt_buf_str(&receipt);
        text.len -= bt_str_ends(text, BT_STR("\n")) ? 1 : 0;
    }
    body->len--;
    bt_buf_put_text(body, ",\"receipt\":");
    bt_buf_put(body, text);
    bt_buf_put_char(body, '}');
    bt_buf_free(&receipt);
    return body->status;
}

/* ---- Recording ------------------------------------------------------------------------------- */

/* When a store that hangs is given up. */
static struct timespec deadline_of(const struct service *service)
{
    const uint64_t whole = bt_config_number(service->config, "limits.record_deadline_ms");
    const uint64_t ms = whole > service->spent_ms ? whole - service->spent_ms : 0;
    struct timespec until = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t nanos = (uint64_t)until.tv_nsec + ms % 1000 * 1000000;
    until.tv_sec += (time_t)(ms / 1000 + nanos / 1000000000);
    until.tv_nsec = (long)(nanos % 1000000000);
    return until;
}

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Tell who wants to know that it is recorded. */
static enum bt_status tell_filed(const struct filing *filing, uint64_t begun_ns)
{
    const struct service *service = filing->work->service;
    struct filed filed = {.begun_ns = begun_ns,
                          .is_judged = !filing->item.act,
                          .is_accepted = filing->submission.judged->verdict == BT_ACCEPTED,
                          .is_queued = filing->submission.is_queued,
                          .target = filing->item.target,
                          .trace = filing->item.trace_id};
    BT_TRY(bt_arena_printf(filing->work->arena, &filed.ref, "%.*s#%" PRIu64,
                           BT_STR_ARG(bt_ledger_origin(service->ledger)), filing->item.seq));
    service->filed(service->judged_context, &filed);
    return BT_OK;
}

static bool has_webhook(const struct bt_config *config, bt_str target)
{
    static const char key[] = "deliver.webhooks";
    const size_t count = bt_config_count(config, key);
    size_t i = 0;
    while (i < count && !bt_str_eq(bt_config_item_member(config, key, i, "target"), target)) {
        i++;
    }
    return i < count;
}

static enum bt_status record(struct filing *filing)
{
    struct work *work = filing->work;
    const uint64_t begun_ns = now_ns();
    const struct timespec until = deadline_of(work->service);
    struct bt_deliver_submission *submission = &filing->submission;
    const struct bt_deliver deliver = {.ledger = work->service->ledger,
                                       .writer = work->service->writer,
                                       .until = &until,
                                       .env = work->service->env,
                                       .arena = work->arena,
                                       .actor = work->caller->actor,
                                       .alarms = bt_findings_new(work->arena)};
    struct deciding deciding;
    struct bt_error error = {0};
    if (!deliver.alarms) {
        return BT_ENOMEM;
    }
    deciding_begin(&deciding, work, compose, filing);
    deciding.tells_agents = filing->governed.item != NULL;
    deciding.source = filing->item.source;
    filing->item.wants_receipt = !filing->is_dispatch;
    submission->item = &filing->item;
    submission->beside = filing->request->beside;
    submission->once = work->key ? &deciding.once : NULL;
    submission->has_webhook = has_webhook(work->service->config, filing->item.target);
    submission->traceparent = work->traceparent;
    const enum bt_status status = bt_deliver_submit(&deliver, submission, &error);
    if (submission->is_over) {
        return answer_failed(work, "STORE_UNAVAILABLE: there was nothing to decide");
    }
    work->answer->seq = filing->item.seq;
    const bool is_done = status == BT_OK && bt_findings_count(deliver.alarms) == 0;
    BT_TRY(deciding_end(&deciding, is_done,
                        submission->is_unknown || submission->is_recorded
                            ? "OUTCOME_UNKNOWN: it may have been recorded"
                            : "STORE_UNAVAILABLE: nothing was recorded"));
    if (deciding.is_composed && work->service->filed) {
        BT_TRY(tell_filed(filing, begun_ns));
    }
    const bool is_report =
        work->answer->kind == ANSWER_DONE || (work->answer->kind == ANSWER_REFUSED && !work->shape);
    return is_report && !filing->is_dispatch ? attach_receipt(filing) : BT_OK;
}

static struct bt_ledger_item item_of(struct filing *filing)
{
    const struct work *work = filing->work;
    const struct request *request = filing->request;
    const uint64_t limit = work->service->env->limits.document_bytes;
    filing->policy = (struct bt_ledger_ref){BT_STR("policy"), work->service->policy};
    return (struct bt_ledger_item){
        .judged = &filing->judged,
        .kind = BT_STR("handoff"),
        .actor = work->caller->actor,
        .bytes = bt_str_slice(request->text, 0, limit),
        .is_cut = request->text.len > limit,
        .is_unkept = request->is_unkept,
        .handoff_id = request->id,
        .id_pointer = BT_STR(""),
        .trace_id = BT_STR(""),
        .source = BT_STR(""),
        .target = BT_STR(""),
        .withheld = request->withheld,
        .fail_level = request->fail_level,
        .refs = &filing->policy,
        .ref_count = filing->policy.value.len > 0 ? 1 : 0,
    };
}

/* The act of the item judges, within the transaction. */
static enum bt_status leave_to_act(struct filing *filing)
{
    filing->judged = (struct bt_judged){.path = filing->request->path,
                                        .dialect = bt_dialect_name(filing->dialect),
                                        .source = filing->request->text,
                                        .findings = bt_findings_new(filing->work->arena),
                                        .facts = BT_STR(""),
                                        .members = BT_STR("")};
    return filing->judged.findings ? BT_OK : BT_ENOMEM;
}

/* ---- Universal handoffs and plans ------------------------------------------------------------ */

static enum bt_status judge(struct filing *filing)
{
    struct work *work = filing->work;
    struct request *request = filing->request;
    const struct bt_check_options options = {.dialect = filing->dialect,
                                             .fail_level = request->fail_level,
                                             .checker = work->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan};
    return bt_check(work->service->env, work->arena, request->path, request->text, &options,
                    &filing->judged);
}

/* Where a document names its source. */
static bt_str source_pointer(const struct filing *filing)
{
    return is_called(filing, "universal")  ? BT_STR("/handoff/source/skill")
           : is_called(filing, "contract") ? BT_STR("/agent_status/agent_id")
           : is_called(filing, "xml")      ? BT_STR("/message/meta/from")
                                           : BT_STR("");
}

/* Record what was judged, unless it came too late or from a stranger: then that it was refused. */
static enum bt_status file(struct filing *filing, bool is_stranger)
{
    struct work *work = filing->work;
    if (filing->request->is_expired) {
        filing->item.handoff_id = BT_STR(""); /* nothing is used up by what comes too late ... */
        BT_TRY(bt_deliver_refuse_expired(work->arena, &filing->judged));
    } else if (is_stranger) {
        filing->item.handoff_id = BT_STR(""); /* ... or by who may not speak */
        BT_TRY(bt_deliver_refuse_source(work->arena, &filing->judged, filing->item.source,
                                        source_pointer(filing)));
    }
    filing->submission.has_inbox = is_called(filing, "universal");
    return record(filing);
}

static enum bt_status submit_plain(struct filing *filing)
{
    struct work *work = filing->work;
    BT_TRY(judge(filing));
    filing->item = item_of(filing);
    BT_TRY(bt_ledger_lift_names(work->service->env, work->arena, &filing->item));
    return file(filing, !caller_is(work->caller, filing->item.source));
}

/* ---- Messages of the pump -------------------------------------------------------------------- */

/* A fact about the document that is a text; "" when there is none. */
static bt_str fact(const struct bt_doc *facts, const char *name)
{
    const bt_value *value = facts ? bt_json_get(facts, bt_json_root(facts), bt_str_of(name)) : NULL;
    return value ? bt_json_text(value) : BT_STR("");
}

/* The pump judges and records what is handed to it; what it never sees is recorded here. */
static enum bt_status submit_message(struct filing *filing)
{
    struct work *work = filing->work;
    const bt_str client = work->caller->pump_client;
    struct bt_json_result read;
    if (client.len == 0) {
        return answer_unusable(work, "SCOPE_MISSING at /pump_client: only clients of the pump may "
                                     "send messages");
    }
    BT_TRY(judge(filing));
    BT_TRY(bt_json_read(work->arena, filing->judged.facts, NULL, &read));
    const bt_str from = fact(read.document, "from");
    const bool is_stranger = from.len > 0 && !bt_str_eq(from, client);
    if (!is_stranger && !filing->request->is_expired) {
        return pump_send(work, &filing->judged);
    }
    filing->item = item_of(filing);
    filing->item.source = from;
    filing->item.target = fact(read.document, "to");
    filing->item.trace_id = fact(read.document, "thread");
    return file(filing, is_stranger);
}

/* ---- Contract blocks ------------------------------------------------------------------------- */

/* The INPUT that decides what may be written: the operator's, or the one that is stored. */
static enum bt_status take_input(const struct filing *filing)
{
    struct work *work = filing->work;
    struct request *request = filing->request;
    bt_str text = request->input_text.len > 0 ? request->input_text : work->service->input;
    struct bt_error error;
    if (text.len == 0 && request->contract.host_id.len > 0) {
        const struct bt_input_owner owner = {.workspace = filing->block.submission.workspace,
                                             .session = filing->block.submission.session,
                                             .agent_id = request->contract.host_id,
                                             .agent_type = BT_STR("")};
        BT_TRY(bt_gate_input_get(&filing->gate, &owner, &text, &error));
    }
    if (text.len > 0) {
        BT_TRY(bt_contract_input_read(filing->gate.contract, work->arena, text, &request->input,
                                      &error));
        request->contract.input = &request->input;
    }
    return BT_OK;
}

/* A bound caller reports only for its own agents: the block's own id counts. *out_is_over: it does
 * not, and that is recorded. */
static enum bt_status refuse_stranger(struct filing *filing, bool *out_is_over)
{
    struct work *work = filing->work;
    struct bt_json_result read;
    *out_is_over = false;
    if (work->caller->agent_count == 0) {
        return BT_OK;
    }
    BT_TRY(judge(filing));
    BT_TRY(bt_json_read(work->arena, filing->judged.facts, NULL, &read));
    const bt_str id = fact(read.document, "agent_id");
    *out_is_over = !caller_is(work->caller, id);
    if (!*out_is_over) {
        return BT_OK;
    }
    filing->item = item_of(filing);
    filing->item.source = id;
    return file(filing, true);
}

static enum bt_status submit_contract(struct filing *filing)
{
    struct work *work = filing->work;
    struct request *request = filing->request;
    bool is_over = false;
    BT_TRY(refuse_stranger(filing, &is_over));
    if (is_over) {
        return BT_OK;
    }
    BT_TRY(service_gate(work, &filing->gate));
    filing->message =
        (struct bt_contract_document){request->path, request->text, &request->contract};
    filing->block.gate = &filing->gate;
    filing->block.submission = (struct bt_submission){
        .document = &filing->message,
        .workspace = service_workspace(work, request->workspace),
        .session = service_session(work, request->session),
        .max_rejections = request->max_rejections,
        .pending_seconds = bt_config_seconds(work->service->config, "approvals.pending_ttl")};
    if (take_input(filing) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the INPUT cannot be read");
    }
    BT_TRY(leave_to_act(filing));
    filing->item = item_of(filing);
    bt_gate_prepare(&filing->block, &filing->item);
    return record(filing);
}

/* ---- Governed documents ---------------------------------------------------------------------- */

static enum bt_status submit_governed(struct filing *filing)
{
    struct work *work = filing->work;
    struct request *request = filing->request;
    const bool is_handoff = is_called(filing, "governed");
    const struct bt_case_document document = {.kind =
                                                  is_handoff ? BT_CASE_HANDOFF : BT_CASE_RESPONSE,
                                              .path = request->path,
                                              .text = request->text,
                                              .options = &request->governed,
                                              .speakers = work->caller->agents,
                                              .speaker_count = work->caller->agent_count};
    struct bt_governed *governed = NULL;
    if (!request->catalogue) {
        return answer_failed(work, "ROOT_NOT_CONFIGURED: there is no catalogue of agents to judge "
                                   "governed documents by");
    }
    BT_TRY(bt_checker_governed(work->service->checker, &governed));
    if (bt_case_open(governed, work->arena, &document, &filing->governed.item) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the catalogue of agents cannot be read");
    }
    filing->govern = (struct bt_govern){.ledger = work->service->ledger,
                                        .env = work->service->env,
                                        .arena = work->arena,
                                        .actor = work->caller->actor};
    filing->governed.govern = &filing->govern;
    BT_TRY(leave_to_act(filing));
    filing->item = item_of(filing);
    BT_TRY(bt_ledger_lift_names(work->service->env, work->arena, &filing->item));
    bt_case_prepare(&filing->governed, &filing->item);
    filing->submission.has_inbox = is_handoff;
    return record(filing);
}

/* ---- Any of them ----------------------------------------------------------------------------- */

static enum bt_status submit_as(struct filing *filing)
{
    static const struct {
        const char *dialect;
        enum bt_status (*submit)(struct filing *filing);
    } rows[] = {{"universal", submit_plain},   {"plan", submit_plain},
                {"contract", submit_contract}, {"governed", submit_governed},
                {"response", submit_governed}, {"xml", submit_message}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (is_called(filing, rows[i].dialect)) {
            /* What comes too late is refused alike, whatever it is. */
            const bool is_plain = filing->request->is_expired && rows[i].submit != submit_message;
            return is_plain ? submit_plain(filing) : rows[i].submit(filing);
        }
    }
    return answer_unusable(filing->work, "DIALECT_UNKNOWN: documents of this dialect cannot be "
                                         "submitted here");
}

static enum bt_status submit(struct work *work, struct request *request, bool is_dispatch)
{
    struct filing filing = {.work = work,
                            .request = request,
                            .is_dispatch = is_dispatch,
                            .dialect = request->dialect
                                           ? request->dialect
                                           : bt_dialect_of(request->path, request->text)};
    if (!filing.dialect) {
        return answer_unusable(work, "DIALECT_UNKNOWN: the dialect of the document is not "
                                     "recognised; name it");
    }
    if (!request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    return submit_as(&filing);
}

enum bt_status op_submit(struct work *work, struct request *request)
{
    return submit(work, request, false);
}

enum bt_status op_dispatch(struct work *work, struct request *request)
{
    request->dialect = bt_dialect_named(BT_STR("governed"));
    return submit(work, request, true);
}
