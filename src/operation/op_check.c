/* SPDX-License-Identifier: Apache-2.0 */
/* op_check.c - check, view, repair, compress, seal and convert one document. */
#include <assert.h>

#include "base/buf.h"
#include "dialect/xml/message.h"
#include "engine/dialect.h"
#include "json/emit.h"
#include "operation/operation.h"
#include "report/fixes.h"
#include "report/members.h"

enum { MEMBERS_BYTES_MAX = 256 << 20, ATTEMPTS = 3, ATTEMPTS_BEFORE_MODEL = 2 };

/* The clock that the caller asked for, for one operation. */
struct bt_op_clock {
    bt_clock_fn *clock;
    bt_instant pinned;
};

static struct bt_op_clock stop_clock(struct bt_worker *service,
                                     const struct bt_check_request *request)
{
    const struct bt_op_clock before = {service->env->clock, service->env->fixed_now};
    if (request->time.is_given) {
        bt_env_pin_clock(service->env, &request->time.now);
    }
    return before;
}

static void start_clock(struct bt_worker *service, struct bt_op_clock before)
{
    service->env->clock = before.clock;
    service->env->fixed_now = before.pinned;
}

enum bt_status bt_op_request_run(struct bt_call *work, struct bt_check_request *request,
                                 request_fn *run)
{
    const struct bt_op_clock before = stop_clock(work->service, request);
    const enum bt_status status = run(work, request);
    start_clock(work->service, before);
    return status;
}

/* The named dialect, or that of the document; BT_DIALECT_NONE after bt_result_set_problem(). */
static enum bt_dialect_id dialect_of(struct bt_call *work, const struct bt_check_request *request)
{
    const enum bt_dialect_id dialect =
        request->dialect ? request->dialect : bt_dialect_recognise(request->path, request->text);
    if (!dialect) {
        (void)bt_result_set_problem(work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                    "the dialect of the document is not recognised; name it");
        return BT_DIALECT_NONE;
    }
    if (!bt_dialect_row(dialect)->judge) {
        (void)bt_result_set_problem(work, BT_PROBLEM_NOT_IMPLEMENTED, BT_STR(""),
                                    "this build has no yaml");
        return BT_DIALECT_NONE;
    }
    return dialect;
}

static enum bt_status check_document(struct bt_call *work, const struct bt_check_request *request,
                                     const enum bt_dialect_id dialect, struct bt_judgement *out)
{
    const struct bt_message_options message = {.organism = work->organism, .client = BT_STR("")};
    const struct bt_check_options options = {.dialect = dialect,
                                             .fail_level = request->fail_level,
                                             .checker = work->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan,
                                             .governed = &request->governed,
                                             .xml = &message,
                                             .lists_skipped = true};
    return bt_check_document(work->service->env, work->arena, request->path, request->text,
                             &options, out);
}

/* True when findings about such documents can reveal agents. */
static bool can_name_agents(enum bt_dialect_id dialect)
{
    return dialect == BT_DIALECT_GOVERNED || dialect == BT_DIALECT_RESPONSE;
}

enum bt_status bt_op_hide_agents(struct bt_call *work, const struct bt_judgement *judged,
                                 struct bt_buf *text)
{
    return can_name_agents(judged->dialect)
               ? bt_result_hide_topology(work, judged->identity.speaker, text)
               : BT_OK;
}

/* Judge one of several documents. False in *out_done: the result is already set. */
static enum bt_status judge_one(struct bt_call *work, struct bt_check_request *request,
                                struct bt_judgement *out, bool *out_done)
{
    const enum bt_dialect_id dialect = dialect_of(work, request);
    request->dialect = dialect;
    *out_done = dialect && bt_op_request_root(work, request, BT_STR(""));
    return *out_done ? check_document(work, request, dialect, out) : BT_OK;
}

enum bt_status bt_op_judge(struct bt_call *work, struct bt_check_request *request,
                           struct bt_judgement *out, bool *out_done)
{
    const struct bt_op_clock before = stop_clock(work->service, request);
    const enum bt_status status = judge_one(work, request, out, out_done);
    start_clock(work->service, before);
    return status;
}

/* Check several documents and answer with one report; all use the time options of the first. */
static enum bt_status check_all(struct bt_call *work, struct bt_check_request *requests,
                                size_t count)
{
    struct bt_judgement *judged = BT_NEW_ARRAY(work->arena, struct bt_judgement, count + 1);
    bool is_done = true;
    enum bt_status status = judged ? BT_OK : BT_ENOMEM;
    const struct bt_op_clock before = stop_clock(work->service, &requests[0]);
    for (size_t i = 0; i < count && status == BT_OK && is_done; i++) {
        status = judge_one(work, &requests[i], &judged[i], &is_done);
    }
    start_clock(work->service, before);
    if (status != BT_OK || !is_done) {
        return status;
    }
    BT_TRY(bt_result_set_report(work, judged, count, requests[0].members));
    for (size_t i = 0; i < count; i++) {
        if (can_name_agents(judged[i].dialect)) {
            BT_TRY(bt_result_hide_topology(work, judged[i].identity.speaker, &work->answer->body));
        }
    }
    return BT_OK;
}

enum bt_status bt_op_check(struct bt_call *work, struct bt_check_request *request)
{
    return check_all(work, request, 1);
}

enum bt_status bt_op_handoff_check(struct bt_call *call, const struct bt_args *args)
{
    const size_t count = args->documents ? args->document_count : 1;
    struct bt_check_request *requests = BT_NEW_ARRAY(call->arena, struct bt_check_request, count);
    enum bt_status status = requests ? BT_OK : BT_ENOMEM;
    size_t read = 0;
    while (read < count && status == BT_OK && call->answer->kind == 0) {
        status = bt_op_request_read(call, args, OPTION_JUDGE, read, &requests[read]);
        read++;
    }
    if (status == BT_OK && call->answer->kind == 0) {
        status = check_all(call, requests, count);
    }
    for (size_t i = 0; i < read; i++) {
        bt_op_request_end(&requests[i]);
    }
    return status;
}

enum bt_status bt_op_contract_check(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_JUDGE, BT_DIALECT_CONTRACT, bt_op_check);
}

/* Put the view of a document that can be viewed. */
static enum bt_status put_view(struct bt_call *work, bt_str text)
{
    struct bt_universal_view view;
    const enum bt_status status = bt_universal_view(work->service->env, work->arena, text, &view);
    if (status == BT_ELIMIT) {
        return bt_result_set_problem(work, BT_PROBLEM_BODY_TOO_LARGE, BT_STR(""),
                                     "the view would be over limits.document_bytes");
    }
    BT_TRY(status);
    struct bt_emit emit;
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_raw(&emit, "view", view.text);
    bt_emit_member_raw(&emit, "defaults", view.defaults);
    bt_emit_end(&emit);
    return bt_result_set_done(work);
}

static enum bt_status view_document(struct bt_call *work, struct bt_check_request *request)
{
    struct bt_judgement judged;
    if (!bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(check_document(work, request, BT_DIALECT_UNIVERSAL, &judged));
    return bt_universal_can_view(judged.findings)
               ? put_view(work, request->text)
               : bt_result_set_report(work, &judged, 1, BT_STR(""));
}

static enum bt_status view_at_time(struct bt_call *work, struct bt_check_request *request)
{
    return bt_op_request_run(work, request, view_document);
}

enum bt_status bt_op_handoff_view(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_JUDGE, BT_DIALECT_UNIVERSAL, view_at_time);
}

/* Add a text as a JSON string. */
static enum bt_status add_text(struct bt_arena *arena, const char *name, bt_str text,
                               struct bt_judgement *judged)
{
    struct bt_buf buf;
    bt_str json;
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_json_put_string(&buf, text);
    enum bt_status status = bt_buf_copy(&buf, arena, &json);
    bt_buf_free(&buf);
    return status == BT_OK ? bt_judgement_add_member(judged, arena, name, json) : status;
}

/* A file that the document refers to is written by the caller, and must be written first. */
static enum bt_status add_file(struct bt_arena *arena, const char *name,
                               const struct bt_universal_spill *spill, struct bt_judgement *judged)
{
    char digest[sizeof("sha256:") - 1 + BT_SHA256_HEX_BYTES] = "sha256:";
    if (spill->path.len == 0) {
        return BT_OK;
    }
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str json;
    BT_TRY(bt_sha256_hex(spill->text, digest + sizeof("sha256:") - 1));
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "path", spill->path);
    bt_emit_member_string(&emit, "text", spill->text);
    bt_emit_member_string(&emit, "sha256", bt_str_of(digest));
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish(&buf, arena, &json));
    return bt_judgement_add_member(judged, arena, name, json);
}

static enum bt_status add_spilled(struct bt_arena *arena, struct bt_universal_result *result)
{
    BT_TRY(add_file(arena, "spilled", &result->spill, &result->judged));
    return add_file(arena, "spilled_text", &result->spill_text, &result->judged);
}

static enum bt_status finish_universal_repair(struct bt_call *work,
                                              const struct bt_check_request *request,
                                              struct bt_universal_repair_run *repair)
{
    struct bt_universal_result result;
    struct bt_error error;
    enum bt_universal_answer_result kind = BT_UNIVERSAL_ANSWER_NONE;
    if (request->rewrite.answer.len > 0 && bt_universal_repair_can_prompt(repair)) {
        BT_TRY(bt_universal_repair_apply_answer(repair, request->rewrite.answer, &kind));
    }
    const enum bt_status status =
        bt_universal_repair_finish(repair, work->arena, false, &result, &error);
    if (status != BT_OK && status != BT_ENOMEM) {
        return bt_result_set_failed(work, BT_PROBLEM_NONE, "it could not be repaired");
    }
    BT_TRY(status);
    if (request->rewrite.emit_prompt && bt_universal_repair_can_prompt(repair)) {
        struct bt_universal_prompt prompt;
        BT_TRY(bt_universal_repair_write_prompt(repair, work->arena, &prompt));
        BT_TRY(bt_judgement_add_member(&result.judged, work->arena, "prompt", prompt.json));
    }
    BT_TRY(add_spilled(work->arena, &result));
    return bt_result_set_report(work, &result.judged, 1, BT_STR(""));
}

static enum bt_status repair_universal(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const bool uses_model = request->rewrite.emit_prompt || request->rewrite.answer.len > 0;
    const struct bt_universal_repair_options how = {
        .attempts = request->rewrite.attempt > 0 ? (unsigned)request->rewrite.attempt
                    : uses_model                 ? ATTEMPTS_BEFORE_MODEL
                                                 : ATTEMPTS,
        .original_order = request->rewrite.original_order,
        .no_spill = true,
        .prompt = request->rewrite.prompts_findings ? BT_UNIVERSAL_PROMPT_FINDINGS
                                                    : BT_UNIVERSAL_PROMPT_DOCUMENT};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_repair_run *repair = NULL;
    if (request->rewrite.attempt > ATTEMPTS) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/attempt"),
                                     "1 to 3");
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    BT_TRY(bt_universal_repair_open(universal, &input, &how, &repair));
    const enum bt_status status = finish_universal_repair(work, request, repair);
    bt_universal_repair_close(repair);
    return status;
}

static enum bt_status repair_contract(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_contract_document document = {request->path, request->text, &request->contract};
    const struct bt_contract_attempt attempt = {
        request->rewrite.attempt > 0 ? request->rewrite.attempt : 1, request->max_rejections};
    struct bt_contract_checker *contract = NULL;
    struct bt_contract_repair_prompt repaired;
    BT_TRY(bt_checker_contract(work->service->checker, &contract));
    BT_TRY(bt_contract_write_repair_prompt(contract, work->arena, &document, attempt, &repaired));
    return bt_result_set_report(work, &repaired.judged, 1, repaired.members);
}

static const struct bt_fix_choice safe_fixes = {.unsafe = false};

static enum bt_status repair_plan(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_plan_input input = {request->path, request->text, &request->plan};
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result result;
    BT_TRY(bt_checker_plan(work->service->checker, &plans));
    BT_TRY(bt_plan_fix(plans, work->arena, &input, &safe_fixes, &result));
    BT_TRY(add_text(work->arena, "document", result.text, &result.judged));
    return bt_result_set_report(work, &result.judged, 1, result.members);
}

static enum bt_status repair_xml(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_message_options options = {.organism = work->organism, .client = BT_STR("")};
    const struct bt_message_input message = {request->path, request->text, &options};
    struct bt_message_fix_result fixed;
    BT_TRY(bt_message_fix(work->service->env, work->arena, &message, &safe_fixes, &fixed));
    BT_TRY(add_text(work->arena, "document", fixed.text, &fixed.judged));
    return bt_result_set_report(work, &fixed.judged, 1, BT_STR(""));
}

/* Only its agents may change a governed document. */
static enum bt_status escalate_governed(struct bt_call *work, struct bt_check_request *request)
{
    struct bt_judgement judged;
    BT_TRY(check_document(work, request, BT_DIALECT_GOVERNED, &judged));
    BT_TRY(add_text(work->arena, "outcome", BT_STR("escalated"), &judged));
    BT_TRY(bt_result_set_report(work, &judged, 1, BT_STR("")));
    return bt_result_hide_topology(work, judged.identity.speaker, &work->answer->body);
}

typedef enum bt_status repair_fn(struct bt_call *work, struct bt_check_request *request);

static repair_fn *const repairers[BT_DIALECT__MAX] = {
    [BT_DIALECT_UNIVERSAL] = repair_universal, [BT_DIALECT_CONTRACT] = repair_contract,
    [BT_DIALECT_PLAN] = repair_plan,           [BT_DIALECT_XML] = repair_xml,
    [BT_DIALECT_GOVERNED] = escalate_governed,
};

static enum bt_status repair_document(struct bt_call *work, struct bt_check_request *request)
{
    const enum bt_dialect_id dialect = dialect_of(work, request);
    if (!dialect || !bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    return repairers[dialect]
               ? repairers[dialect](work, request)
               : bt_result_set_problem(work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                       "documents of this dialect cannot be repaired");
}

/* The result of changing a document must be a valid document again. */
static enum bt_status set_too_large_problem(struct bt_call *work)
{
    return bt_result_set_problem(
        work, BT_PROBLEM_BODY_TOO_LARGE, BT_STR(""),
        "the result would be over limits.document_bytes; send a smaller document");
}

enum bt_status bt_op_repair(struct bt_call *work, struct bt_check_request *request)
{
    const enum bt_status status = bt_op_request_run(work, request, repair_document);
    return status == BT_ELIMIT ? set_too_large_problem(work) : status;
}

enum bt_status bt_op_handoff_repair(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_REPAIR, BT_DIALECT_NONE, bt_op_repair);
}

enum bt_status bt_op_contract_repair_prompt(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_REPAIR, BT_DIALECT_CONTRACT, bt_op_repair);
}

static enum bt_status compress_document(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const struct bt_universal_compress_options how = {
        .original_order = request->rewrite.original_order, .no_spill = true};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_result result;
    struct bt_error error;
    if (request->universal.budget > 2000) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/budget"),
                                     "1 to 2000");
    }
    if (!bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    const enum bt_status status =
        bt_universal_compress(universal, work->arena, &input, &how, &result, &error);
    if (status == BT_ELIMIT) {
        return set_too_large_problem(work);
    }
    BT_TRY(status);
    BT_TRY(add_spilled(work->arena, &result));
    return bt_result_set_report(work, &result.judged, 1, BT_STR(""));
}

static enum bt_status compress_at_time(struct bt_call *work, struct bt_check_request *request)
{
    return bt_op_request_run(work, request, compress_document);
}

enum bt_status bt_op_handoff_compress(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_REPAIR, BT_DIALECT_NONE, compress_at_time);
}

static enum bt_status seal_document(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_result result;
    if (!bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    const enum bt_status status =
        bt_universal_seal(universal, work->arena, &input, request->rewrite.reseal, &result);
    if (status == BT_ELIMIT) {
        return set_too_large_problem(work);
    }
    BT_TRY(status);
    return bt_result_set_report(work, &result.judged, 1, BT_STR(""));
}

static enum bt_status seal_at_time(struct bt_call *work, struct bt_check_request *request)
{
    return bt_op_request_run(work, request, seal_document);
}

enum bt_status bt_op_handoff_seal(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_SEAL, BT_DIALECT_UNIVERSAL, seal_at_time);
}

/* The dialect to convert from: given by the caller, or recognised, or none. */
static enum bt_dialect_id source_dialect(const struct bt_check_request *request)
{
    if (request->rewrite.from.len > 0) {
        return bt_dialect_find(request->rewrite.from);
    }
    return request->dialect ? request->dialect : bt_dialect_recognise(request->path, request->text);
}

/* True when everything that the conversion needs was given; else the result says what is
 * missing. */
static bool can_convert(struct bt_call *work, const struct bt_check_request *request,
                        enum bt_dialect_id from)
{
    const bool is_named = request->rewrite.from.len > 0 || from != BT_DIALECT_NONE;
    const enum bt_dialect_id known =
        is_named && !from ? BT_DIALECT_NONE : bt_convert_dialect(from, request->text);
    if (!known && is_named) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/from"),
                                    "universal, governed, contract or plan");
        return false;
    }
    if (!known) {
        (void)bt_result_set_problem(work, BT_PROBLEM_DIALECT_UNKNOWN, BT_STR(""),
                                    "the dialect of the document is not recognised; name it with "
                                    "`from`: universal, governed, contract or plan");
        return false;
    }
    if (known == BT_DIALECT_PLAN && request->rewrite.step.len == 0) {
        (void)bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/options/step"),
                                    "it is missing; a plan hands over one step at a time");
        return false;
    }
    return true;
}

static enum bt_status convert_document(struct bt_call *work, struct bt_check_request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const struct bt_universal_draft draft = {0};
    const struct bt_universal_convert_options how = {
        .from = source_dialect(request), .step = request->rewrite.step, .draft = &draft};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_result result;
    struct bt_error error;
    if (!can_convert(work, request, how.from) || !bt_op_request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    const enum bt_status status =
        bt_universal_convert(universal, work->arena, &input, &how, &result, &error);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return bt_result_set_problem(work, BT_PROBLEM_NONE, BT_STR(""),
                                     "it cannot be converted: %s", error.text);
    }
    BT_TRY(status);
    return bt_result_set_report(work, &result.judged, 1, BT_STR(""));
}

static enum bt_status convert_at_time(struct bt_call *work, struct bt_check_request *request)
{
    const enum bt_status status = bt_op_request_run(work, request, convert_document);
    return status == BT_ELIMIT ? set_too_large_problem(work) : status;
}

enum bt_status bt_op_handoff_convert(struct bt_call *call, const struct bt_args *args)
{
    return bt_op_run_document(call, args, OPTION_CONVERT, BT_DIALECT_NONE, convert_at_time);
}
