/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - check, repair, compress, convert: what comes of one document.
 */
#include <assert.h>

#include <baton/xml.h>

#include "service/service.h"

enum { MEMBERS_BYTES_MAX = 256 << 20, ATTEMPTS = 3, ATTEMPTS_BEFORE_MODEL = 2 };

/* ---- Time ------------------------------------------------------------------------------------ */

/* The clock as the caller wants it, for one operation. */
struct clock {
    bt_clock_fn *clock;
    bt_instant pinned;
};

static struct clock stop_clock(struct service *service, const struct request *request)
{
    const struct clock before = {service->env->clock, service->env->pinned};
    if (request->now_given) {
        bt_env_pin_clock(service->env, &request->now);
    }
    return before;
}

static void start_clock(struct service *service, struct clock before)
{
    service->env->clock = before.clock;
    service->env->pinned = before.pinned;
}

enum bt_status request_run(struct work *work, struct request *request, request_fn *run)
{
    const struct clock before = stop_clock(work->service, request);
    const enum bt_status status = run(work, request);
    start_clock(work->service, before);
    return status;
}

/* ---- Dialects -------------------------------------------------------------------------------- */

/* The dialect that is named, or that of the document; NULL after answer_unusable(). */
static const struct bt_dialect *dialect_of(struct work *work, const struct request *request)
{
    const struct bt_dialect *dialect =
        request->dialect ? request->dialect : bt_dialect_of(request->path, request->text);
    if (!dialect) {
        (void)answer_unusable(work, "DIALECT_UNKNOWN: the dialect of the document is not "
                                    "recognised; name it");
    }
    return dialect;
}

static bool is_called(const struct bt_dialect *dialect, const char *name)
{
    return bt_str_eq(bt_dialect_name(dialect), bt_str_of(name));
}

/* ---- Check ----------------------------------------------------------------------------------- */

static enum bt_status judge(struct work *work, const struct request *request,
                            const struct bt_dialect *dialect, struct bt_judged *out)
{
    const struct bt_check_options options = {.dialect = dialect,
                                             .fail_level = request->fail_level,
                                             .checker = work->service->checker,
                                             .universal = &request->universal,
                                             .contract = &request->contract,
                                             .plan = &request->plan,
                                             .governed = &request->governed};
    return bt_check(work->service->env, work->arena, request->path, request->text, &options, out);
}

/* Whether findings about such documents can tell of agents. */
static bool tells_agents(bt_str dialect)
{
    return bt_str_eq(dialect, BT_STR("governed")) || bt_str_eq(dialect, BT_STR("response"));
}

/* Whom a governed document says it is from. */
static bt_str source_of(struct work *work, bt_str text)
{
    static const bt_str pointers[] = {BT_STR_INIT("/source_agent/agent_id"),
                                      BT_STR_INIT("/agent/agent_id")};
    struct bt_json_result read;
    if (bt_json_read(work->arena, text, NULL, &read) != BT_OK || !read.document) {
        return BT_STR("");
    }
    for (size_t i = 0; i < 2; i++) {
        const bt_value *value =
            bt_json_point(read.document, bt_json_root(read.document), pointers[i]);
        if (value) {
            return bt_json_text(value);
        }
    }
    return BT_STR("");
}

enum bt_status service_hide_agents(struct work *work, const struct bt_judged *judged,
                                   struct bt_buf *text)
{
    return tells_agents(judged->dialect) ? service_hide(work, source_of(work, judged->source), text)
                                         : BT_OK;
}

/* Judge one of several documents. False in *out_done: there is an answer already. */
static enum bt_status judge_one(struct work *work, struct request *request, struct bt_judged *out,
                                bool *out_done)
{
    const struct bt_dialect *dialect = dialect_of(work, request);
    request->dialect = dialect;
    *out_done = dialect && request_root(work, request, BT_STR(""));
    return *out_done ? judge(work, request, dialect, out) : BT_OK;
}

enum bt_status op_check_all(struct work *work, struct request *requests, size_t count)
{
    struct bt_judged *judged = BT_NEW_ARRAY(work->arena, struct bt_judged, count + 1);
    bool is_done = true;
    enum bt_status status = judged ? BT_OK : BT_ENOMEM;
    const struct clock before = stop_clock(work->service, &requests[0]);
    for (size_t i = 0; i < count && status == BT_OK && is_done; i++) {
        status = judge_one(work, &requests[i], &judged[i], &is_done);
    }
    start_clock(work->service, before);
    if (status != BT_OK || !is_done) {
        return status;
    }
    BT_TRY(answer_report(work, judged, count, requests[0].members));
    for (size_t i = 0; i < count; i++) {
        if (tells_agents(judged[i].dialect)) {
            BT_TRY(service_hide(work, source_of(work, requests[i].text), &work->answer->body));
        }
    }
    return BT_OK;
}

enum bt_status op_check(struct work *work, struct request *request)
{
    return op_check_all(work, request, 1);
}

/* ---- Members --------------------------------------------------------------------------------- */

/* Add `"name":VALUE` to what a report shows of a document. */
static enum bt_status add_member(struct bt_arena *arena, const char *name, bt_str json,
                                 struct bt_judged *judged)
{
    struct bt_buf buf;
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_buf_put(&buf, judged->members);
    bt_buf_printf(&buf, "%s\"%s\":", judged->members.len > 0 ? "," : "", name);
    bt_buf_put(&buf, json);
    const enum bt_status status = bt_buf_keep(&buf, arena, &judged->members);
    bt_buf_free(&buf);
    return status;
}

/* Add a text as a JSON string. */
static enum bt_status add_text(struct bt_arena *arena, const char *name, bt_str text,
                               struct bt_judged *judged)
{
    struct bt_buf buf;
    bt_str json;
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_json_put_string(&buf, text);
    enum bt_status status = bt_buf_keep(&buf, arena, &json);
    bt_buf_free(&buf);
    return status == BT_OK ? add_member(arena, name, json, judged) : status;
}

/* A session that was moved out of the document is the caller's to write, and to write first. */
static enum bt_status add_spilled(struct bt_arena *arena, struct bt_universal_result *result)
{
    char digest[BT_SHA256_HEX_BYTES];
    if (result->spill.path.len == 0) {
        return BT_OK;
    }
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str json;
    BT_TRY(bt_sha256_hex(result->spill.text, digest));
    bt_buf_init(&buf, MEMBERS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "path", result->spill.path);
    bt_emit_member_string(&emit, "text", result->spill.text);
    bt_emit_name(&emit, "sha256");
    bt_emit_raw(&emit, BT_STR("\"sha256:"));
    bt_buf_put_text(&buf, digest);
    bt_buf_put_char(&buf, '"');
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_keep(&buf, arena, &json);
    bt_buf_free(&buf);
    return status == BT_OK ? add_member(arena, "spilled", json, &result->judged) : status;
}

/* ---- Repair ---------------------------------------------------------------------------------- */

static enum bt_status ask_or_answer(struct work *work, const struct request *request,
                                    struct bt_repair *repair)
{
    struct bt_universal_result result;
    struct bt_error error;
    enum bt_answer kind = BT_ANSWER_NONE;
    if (request->answer.len > 0 && bt_repair_is_askable(repair)) {
        BT_TRY(bt_repair_answer(repair, request->answer, &kind));
    }
    const enum bt_status status = bt_repair_finish(repair, work->arena, false, &result, &error);
    if (status != BT_OK && status != BT_ENOMEM) {
        return answer_failed(work, "it could not be repaired");
    }
    BT_TRY(status);
    if (request->emit_prompt && bt_repair_is_askable(repair)) {
        struct bt_prompt prompt;
        BT_TRY(bt_repair_prompt(repair, work->arena, &prompt));
        BT_TRY(add_member(work->arena, "prompt", prompt.json, &result.judged));
    }
    BT_TRY(add_spilled(work->arena, &result));
    return answer_report(work, &result.judged, 1, BT_STR(""));
}

static enum bt_status repair_universal(struct work *work, struct request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const bool asks = request->emit_prompt || request->answer.len > 0;
    const struct bt_repair_options how = {.attempts = request->attempt > 0
                                                          ? (unsigned)request->attempt
                                                      : asks ? ATTEMPTS_BEFORE_MODEL
                                                             : ATTEMPTS,
                                          .literal = request->literal,
                                          .no_spill = true};
    struct bt_universal *universal = NULL;
    struct bt_repair *repair = NULL;
    if (request->attempt > ATTEMPTS) {
        return answer_unusable(work, "PARAMETER_INVALID at /attempt: 1 to 3");
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    BT_TRY(bt_repair_open(universal, &input, &how, &repair));
    const enum bt_status status = ask_or_answer(work, request, repair);
    bt_repair_close(repair);
    return status;
}

static enum bt_status repair_contract(struct work *work, struct request *request)
{
    const struct bt_contract_document document = {request->path, request->text, &request->contract};
    const struct bt_contract_attempt attempt = {request->attempt > 0 ? request->attempt : 1,
                                                request->max_rejections};
    struct bt_contract *contract = NULL;
    struct bt_contract_repair repaired;
    BT_TRY(bt_checker_contract(work->service->checker, &contract));
    BT_TRY(bt_contract_repair(contract, work->arena, &document, attempt, &repaired));
    return answer_report(work, &repaired.judged, 1, repaired.members);
}

static enum bt_status repair_plan(struct work *work, struct request *request)
{
    const struct bt_plan_input input = {request->path, request->text, &request->plan};
    struct bt_plans *plans = NULL;
    struct bt_plan_result result;
    BT_TRY(bt_checker_plans(work->service->checker, &plans));
    BT_TRY(bt_plan_fix(plans, work->arena, &input, false, &result));
    BT_TRY(add_text(work->arena, "document", result.text, &result.judged));
    return answer_report(work, &result.judged, 1, result.members);
}

static enum bt_status repair_xml(struct work *work, const struct request *request)
{
    const struct bt_xml_message message = {request->path, request->text, NULL};
    struct bt_xml_fixed fixed;
    BT_TRY(bt_xml_fix(work->service->env, work->arena, &message, false, &fixed));
    BT_TRY(add_text(work->arena, "document", fixed.text, &fixed.judged));
    return answer_report(work, &fixed.judged, 1, BT_STR(""));
}

/* Nobody but its agents may change what they signed for. */
static enum bt_status escalate(struct work *work, struct request *request,
                               const struct bt_dialect *dialect)
{
    struct bt_judged judged;
    BT_TRY(judge(work, request, dialect, &judged));
    BT_TRY(add_text(work->arena, "outcome", BT_STR("escalated"), &judged));
    BT_TRY(answer_report(work, &judged, 1, BT_STR("")));
    return service_hide(work, source_of(work, request->text), &work->answer->body);
}

static enum bt_status repair(struct work *work, struct request *request)
{
    const struct bt_dialect *dialect = dialect_of(work, request);
    if (!dialect || !request_root(work, request, BT_STR(""))) {
        return BT_OK;
    }
    if (is_called(dialect, "contract")) {
        return repair_contract(work, request);
    }
    if (is_called(dialect, "plan")) {
        return repair_plan(work, request);
    }
    if (is_called(dialect, "xml")) {
        return repair_xml(work, request);
    }
    if (is_called(dialect, "governed")) {
        return escalate(work, request, dialect);
    }
    return is_called(dialect, "universal")
               ? repair_universal(work, request)
               : answer_unusable(work,
                                 "DIALECT_UNKNOWN: documents of this dialect cannot be repaired");
}

/* What is made of a document must be a document in turn. */
static enum bt_status say_too_large(struct work *work)
{
    return answer_unusable(work, "BODY_TOO_LARGE: the result would be over limits.document_bytes; "
                                 "send a smaller document");
}

enum bt_status op_repair(struct work *work, struct request *request)
{
    const enum bt_status status = request_run(work, request, repair);
    return status == BT_ELIMIT ? say_too_large(work) : status;
}

/* ---- Compress, convert ----------------------------------------------------------------------- */

static enum bt_status compress(struct work *work, struct request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const struct bt_compress_options how = {.literal = request->literal, .no_spill = true};
    struct bt_universal *universal = NULL;
    struct bt_universal_result result;
    struct bt_error error;
    if (request->universal.budget > 2000) {
        return answer_unusable(work, "PARAMETER_INVALID at /budget: 1 to 2000");
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    const enum bt_status status =
        bt_universal_compress(universal, work->arena, &input, &how, &result, &error);
    if (status == BT_ELIMIT) {
        return answer_unusable(work, "there are too many long texts to shorten");
    }
    BT_TRY(status);
    BT_TRY(add_spilled(work->arena, &result));
    return answer_report(work, &result.judged, 1, BT_STR(""));
}

enum bt_status op_compress(struct work *work, struct request *request)
{
    return request_run(work, request, compress);
}

/* What a document is converted from: what the caller says, or what its name settles, or "". */
static bt_str source_dialect(const struct request *request)
{
    if (request->from.len > 0) {
        return request->from;
    }
    const struct bt_dialect *dialect =
        request->dialect ? request->dialect : bt_dialect_of(request->path, BT_STR(""));
    return dialect ? bt_dialect_name(dialect) : BT_STR("");
}

/* Whether everything that the conversion needs was given; else the answer says what is missing. */
static bool can_convert(struct work *work, const struct request *request, bt_str from)
{
    const bt_str known = bt_convert_dialect(from, request->text);
    if (known.len == 0 && from.len > 0) {
        (void)answer_unusable(work, "PARAMETER_INVALID at /from: universal, governed, contract or "
                                    "plan");
        return false;
    }
    if (known.len == 0) {
        (void)answer_unusable(work, "DIALECT_UNKNOWN: the dialect of the document is not "
                                    "recognised; name it with `from`: universal, governed, "
                                    "contract or plan");
        return false;
    }
    if (bt_str_eq(known, BT_STR("plan")) && request->step.len == 0) {
        (void)answer_unusable(work, "PARAMETER_INVALID at /options/step: it is missing; a plan "
                                    "hands over one step at a time");
        return false;
    }
    return true;
}

static enum bt_status convert(struct work *work, struct request *request)
{
    const struct bt_universal_input input = {request->path, request->text, &request->universal};
    const struct bt_handoff_draft draft = {0};
    const struct bt_convert_options how = {
        .from = source_dialect(request), .step = request->step, .draft = &draft};
    struct bt_universal *universal = NULL;
    struct bt_universal_result result;
    struct bt_error error;
    if (!can_convert(work, request, how.from)) {
        return BT_OK;
    }
    BT_TRY(bt_checker_universal(work->service->checker, &universal));
    const enum bt_status status =
        bt_universal_convert(universal, work->arena, &input, &how, &result, &error);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return answer_unusable(work, "it cannot be converted: %s", error.text);
    }
    BT_TRY(status);
    return answer_report(work, &result.judged, 1, BT_STR(""));
}

enum bt_status op_convert(struct work *work, struct request *request)
{
    const enum bt_status status = request_run(work, request, convert);
    return status == BT_ELIMIT ? say_too_large(work) : status;
}
