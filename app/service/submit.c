/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - check, record, deliver: one decision.
 */
#include <assert.h>

#include <baton/deliver.h>

#include "service/records.h"

enum { BODY_BYTES_MAX = 256 << 20, RECEIPT_BYTES_MAX = 1 << 20 };

/* ---- Answers --------------------------------------------------------------------------------- */

static enum bt_status add_receipt(struct work *work, uint64_t seq, uint64_t size,
                                  struct bt_buf *members)
{
    struct bt_buf receipt;
    struct bt_error error;
    bt_buf_init(&receipt, RECEIPT_BYTES_MAX);
    const enum bt_status status =
        bt_ledger_prove(work->service->ledger, seq, size, BT_RECEIPT_AS_JSON, &receipt, &error);
    bt_str text = bt_buf_str(&receipt);
    text.len -= bt_str_ends(text, BT_STR("\n")) ? 1 : 0;
    bt_buf_printf(members, "%s\"receipt\":", members->len > 0 ? "," : "");
    bt_buf_put(members, status == BT_OK ? text : BT_STR("null"));
    bt_buf_free(&receipt);
    return members->status;
}

static void add_delivery(const struct bt_deliver_submission *submission, struct bt_buf *members)
{
    struct bt_emit emit;
    bt_buf_printf(members, "%s\"delivery\":", members->len > 0 ? "," : "");
    bt_emit_init(&emit, members, false);
    bt_emit_object(&emit);
    if (submission && submission->is_queued) {
        bt_emit_member_string(&emit, "state", BT_STR("queued"));
        bt_emit_member_string(&emit, "inbox", submission->inbox);
        bt_emit_member_string(&emit, "message", submission->message);
    } else {
        bt_emit_member_string(&emit, "state", BT_STR("none"));
    }
    bt_emit_end(&emit);
}

/* The report with what comes beside it; `more` are the members of the command itself. */
static enum bt_status tell(struct work *work, const struct bt_judged *judged, uint64_t place[2],
                           const struct bt_deliver_submission *submission, bt_str more)
{
    struct bt_buf members;
    bt_buf_init(&members, BODY_BYTES_MAX);
    bt_buf_put(&members, more);
    enum bt_status status = add_receipt(work, place[0], place[1], &members);
    add_delivery(submission, &members);
    if (status == BT_OK) {
        status = answer_report(work, judged, 1, bt_buf_str(&members));
    }
    bt_buf_free(&members);
    if (status == BT_OK && judged->verdict != BT_ACCEPTED) {
        work->answer->kind = ANSWER_REFUSED;
    }
    return status;
}

/* ---- Universal handoffs and plans ------------------------------------------------------------ */

static bt_str source_pointer(bt_str dialect)
{
    return bt_str_eq(dialect, BT_STR("universal"))  ? BT_STR("/handoff/source/skill")
           : bt_str_eq(dialect, BT_STR("contract")) ? BT_STR("/agent_status/agent_id")
                                                    : BT_STR("");
}

static enum bt_status refuse_stranger(struct work *work, struct bt_ledger_item *item)
{
    if (caller_is(work->caller, item->source)) {
        return BT_OK;
    }
    item->handoff_id = BT_STR(""); /* nothing is used up by who may not speak */
    return bt_deliver_refuse_source(work->arena, item->judged, item->source,
                                    source_pointer(item->judged->dialect));
}

/* What a repeat is told: everything but the receipt, which is made again for the same state. */
struct composing {
    struct work *work;
    const struct bt_judged *judged;
};

static enum bt_status compose(void *context, const struct bt_deliver_submission *submission,
                              bt_str *out)
{
    const struct composing *composing = context;
    struct work *work = composing->work;
    struct bt_buf members;
    bt_buf_init(&members, BODY_BYTES_MAX);
    add_delivery(submission, &members);
    enum bt_status status = answer_report(work, composing->judged, 1, bt_buf_str(&members));
    status = status == BT_OK ? bt_buf_keep(&work->answer->body, work->arena, out) : status;
    bt_buf_free(&members);
    return status;
}

static bool is_rejected(struct work *work, bt_str body)
{
    struct bt_json_result read;
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = BODY_BYTES_MAX;
    options.string_bytes_max = BODY_BYTES_MAX;
    if (bt_json_read(work->arena, body, &options, &read) != BT_OK || !read.document) {
        return true;
    }
    const bt_value *verdict =
        bt_json_point(read.document, bt_json_root(read.document), BT_STR("/documents/0/verdict"));
    return !verdict || !bt_str_eq(bt_json_text(verdict), BT_STR("accepted"));
}

/* Say again what was said, with the receipt before its closing bracket. */
static enum bt_status repeat(struct work *work, const struct bt_deliver_submission *submission)
{
    struct bt_buf *body = &work->answer->body;
    struct bt_buf receipt;
    const bt_str before = submission->body;
    bt_buf_init(&receipt, RECEIPT_BYTES_MAX);
    const enum bt_status status =
        add_receipt(work, submission->item->seq, submission->size, &receipt);
    bt_buf_clear(body);
    bt_buf_put(body, bt_str_slice(before, 0, before.len - 1));
    bt_buf_put_char(body, ',');
    bt_buf_put(body, bt_buf_str(&receipt));
    bt_buf_put_char(body, '}');
    bt_buf_free(&receipt);
    work->answer->kind = is_rejected(work, before) ? ANSWER_REFUSED : ANSWER_DONE;
    return status == BT_OK ? body->status : status;
}

static enum bt_status judge(struct work *work, struct request *request,
                            const struct bt_dialect *dialect, struct bt_judged *out)
{
    const struct bt_check_options options = {.dialect = dialect,
                                             .fail_level = request->fail_level,
                                             .checker = work->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan};
    return bt_check(work->service->env, work->arena, request->path, request->text, &options, out);
}

static struct bt_ledger_item item_of(struct work *work, const struct request *request,
                                     struct bt_judged *judged, const struct bt_ledger_ref *policy)
{
    const uint64_t limit = work->service->env->limits.document_bytes;
    return (struct bt_ledger_item){
        .judged = judged,
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
        .refs = policy,
        .ref_count = policy->value.len > 0 ? 1 : 0,
    };
}

/* Record what was judged. False in *out_done: there is an answer already, or memory ran out. */
static enum bt_status record(struct work *work, struct bt_deliver_submission *submission,
                             bool *out_done)
{
    struct composing composing = {work, submission->item->judged};
    struct bt_error error = {0};
    const struct bt_deliver deliver = {.ledger = work->service->ledger,
                                       .env = work->service->env,
                                       .arena = work->arena,
                                       .actor = work->caller->actor,
                                       .alarms = bt_findings_new(work->arena)};
    *out_done = false;
    if (!deliver.alarms) {
        return BT_ENOMEM;
    }
    const enum bt_status status =
        bt_deliver_submit(&deliver, submission, compose, &composing, &error);
    if (bt_findings_count(deliver.alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: the ledger is not to be trusted");
    }
    if (status != BT_OK && !submission->is_recorded) {
        return answer_failed(work, submission->is_unknown
                                       ? "OUTCOME_UNKNOWN: it may have been recorded"
                                       : "STORE_UNAVAILABLE: nothing was recorded");
    }
    *out_done = true;
    return BT_OK;
}

static enum bt_status submit_document(struct work *work, struct request *request,
                                      const struct bt_dialect *dialect)
{
    const bool is_universal = bt_str_eq(bt_dialect_name(dialect), BT_STR("universal"));
    const struct bt_ledger_ref policy = {BT_STR("policy"), work->service->policy};
    struct bt_judged judged;
    BT_TRY(judge(work, request, dialect, &judged));
    struct bt_ledger_item item = item_of(work, request, &judged, &policy);
    BT_TRY(bt_ledger_lift_names(work->service->env, work->arena, &item));
    BT_TRY(refuse_stranger(work, &item));
    const struct bt_deliver_key key = {
        .principal = work->caller->actor,
        .path = BT_STR("mcp:submit_handoff"),
        .key = request->idempotency_key,
        .request = request->text,
        .seconds = bt_config_seconds(work->service->config, "idempotency.ttl")};
    struct bt_deliver_submission submission = {.item = &item,
                                               .has_inbox = is_universal,
                                               .key = key.key.len > 0 ? &key : NULL,
                                               .beside = request->beside};
    bool is_done = false;
    BT_TRY(record(work, &submission, &is_done));
    if (!is_done) {
        return BT_OK;
    }
    if (submission.outcome == BT_DELIVER_REUSED) {
        return answer_unusable(work, "IDEMPOTENCY_KEY_REUSED: this key came with another document");
    }
    return submission.outcome == BT_DELIVER_REPEATED
               ? repeat(work, &submission)
               : tell(work, &judged, (uint64_t[2]){item.seq, submission.size}, &submission,
                      BT_STR(""));
}

/* ---- Contract blocks ------------------------------------------------------------------------- */

/* The INPUT that decides what may be written: the operator's, or the one that is stored. */
static enum bt_status take_input(struct work *work, const struct bt_gate *gate,
                                 struct request *request, const struct bt_submission *submission)
{
    bt_str text = work->service->input;
    struct bt_error error;
    if (text.len == 0 && request->contract.host_id.len > 0) {
        const struct bt_input_owner owner = {.workspace = submission->workspace,
                                             .session = submission->session,
                                             .agent_id = request->contract.host_id,
                                             .agent_type = BT_STR("")};
        BT_TRY(bt_gate_input_get(gate, &owner, &text, &error));
    }
    if (text.len > 0) {
        BT_TRY(bt_contract_input_read(gate->contract, work->arena, text, &request->input, &error));
        request->contract.input = &request->input;
    }
    return BT_OK;
}

/* The number that a document's member `record` tells. */
static uint64_t recorded_seq(struct work *work, bt_str members)
{
    struct bt_json_result read;
    bt_str object;
    if (bt_arena_printf(work->arena, &object, "{%.*s}", BT_STR_ARG(members)) != BT_OK ||
        bt_json_read(work->arena, object, NULL, &read) != BT_OK || !read.document) {
        return BT_LEDGER_NONE;
    }
    const bt_value *seq =
        bt_json_point(read.document, bt_json_root(read.document), BT_STR("/record/seq"));
    return seq && bt_json_type(seq) == BT_JSON_INTEGER ? (uint64_t)seq->as.integer : BT_LEDGER_NONE;
}

/* A bound caller reports only for its own agents. The block's own id counts. */
static enum bt_status is_stranger(struct work *work, struct request *request,
                                  const struct bt_dialect *dialect, bool *out)
{
    struct bt_json_result read;
    struct bt_judged judged;
    *out = false;
    if (work->caller->agent_count == 0) {
        return BT_OK;
    }
    BT_TRY(judge(work, request, dialect, &judged));
    BT_TRY(bt_json_read(work->arena, judged.facts, NULL, &read));
    const bt_value *id =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("agent_id"))
                      : NULL;
    const bt_str claimed = id ? bt_json_text(id) : BT_STR("");
    *out = !caller_is(work->caller, claimed);
    return BT_OK;
}

static enum bt_status decide_contract(struct work *work, struct request *request)
{
    const struct bt_contract_document document = {request->path, request->text, &request->contract};
    const struct bt_config *config = work->service->config;
    const struct bt_submission submission = {
        .document = &document,
        .workspace = request->workspace.len > 0 ? request->workspace : work->caller->workspace,
        .session = request->session.len > 0 ? request->session : work->caller->session,
        .max_rejections = request->max_rejections,
        .pending_seconds = bt_config_seconds(config, "approvals.pending_ttl"),
        .beside = request->beside};
    struct bt_gate gate;
    struct bt_decision decision;
    struct bt_error error;
    BT_TRY(service_gate(work, &gate));
    if (take_input(work, &gate, request, &submission) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the INPUT cannot be read");
    }
    const enum bt_status status = bt_gate_submit(&gate, &submission, &decision, &error);
    if (bt_findings_count(gate.alarms) > 0 || (status != BT_OK && !decision.is_recorded)) {
        return answer_failed(work, decision.is_unknown
                                       ? "OUTCOME_UNKNOWN: it may have been recorded"
                                       : "STORE_UNAVAILABLE: nothing was recorded");
    }
    uint64_t place[2] = {recorded_seq(work, decision.judged.members), BT_LEDGER_NONE};
    return tell(work, &decision.judged, place, NULL, decision.members);
}

static enum bt_status submit_contract(struct work *work, struct request *request,
                                      const struct bt_dialect *dialect)
{
    bool is_foreign = false;
    if (request->idempotency_key.len > 0) {
        return answer_unusable(work, "PARAMETER_INVALID at /idempotency_key: a contract block is "
                                     "decided against its agent's state, so it has none");
    }
    BT_TRY(is_stranger(work, request, dialect, &is_foreign));
    return is_foreign ? submit_document(work, request, dialect) : decide_contract(work, request);
}

/* ---- Any of them ----------------------------------------------------------------------------- */

enum bt_status op_submit(struct work *work, struct request *request)
{
    const struct bt_dialect *dialect =
        request->dialect ? request->dialect : bt_dialect_of(request->path, request->text);
    if (!dialect) {
        return answer_unusable(work, "DIALECT_UNKNOWN: the dialect of the document is not "
                                     "recognised; name it");
    }
    if (!request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    const bt_str name = bt_dialect_name(dialect);
    if (bt_str_eq(name, BT_STR("contract"))) {
        return submit_contract(work, request, dialect);
    }
    return bt_str_eq(name, BT_STR("universal")) || bt_str_eq(name, BT_STR("plan"))
               ? submit_document(work, request, dialect)
               : answer_unusable(work, "documents of this dialect cannot be submitted here");
}
