/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elicitation.c - questions to the client. A legacy client gets the question in between, and the
 * call waits; a modern one repeats the call with the answer, and a sealed state ties the two
 * together.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "mcp/mcp_internal.h"
#include "operation/rule_codes.h"

enum { SEAL_SECONDS = 600, TEXT_BYTES_MAX = 16 << 20 };

/* ---- Modern ---------------------------------------------------------------------------------- */

static uint64_t seconds_now(const struct mcp_request *request)
{
    const bt_instant now = bt_env_now(request->mcp->service->env);
    return now.seconds > 0 ? (uint64_t)now.seconds : 0;
}

/* Put the seal of who was asked what, and until when. */
static enum bt_status put_seal(struct mcp_request *request, bt_str what, uint64_t until,
                               struct bt_buf *out)
{
    uint8_t mac[BT_SHA256_BYTES];
    bt_str text;
    BT_TRY(bt_arena_printf(&request->arena, &text, "%.*s\n%.*s\n%" PRIu64,
                           BT_STR_ARG(request->mcp->caller->actor), BT_STR_ARG(what), until));
    BT_TRY(bt_hmac_sha256(request->mcp->seal_key, text, mac));
    bt_buf_printf(out, "v1.%" PRIu64 ".", until);
    bt_base64url_put(out, (bt_str){(const char *)mac, sizeof(mac)});
    return out->status;
}

enum bt_status mcp_seal_state(struct mcp_request *request, bt_str what, struct bt_buf *out)
{
    assert(request->is_modern);
    return put_seal(request, what, seconds_now(request) + SEAL_SECONDS, out);
}

enum bt_status mcp_open_state(struct mcp_request *request, bt_str what, bool *out)
{
    const bt_str state = mcp_param_text(request, "requestState");
    const size_t first = bt_str_find_byte(state, '.', 0);
    const size_t second = bt_str_find_byte(state, '.', first + 1);
    struct bt_buf expected;
    uint64_t until = 0;
    *out = false;
    if (bt_str_to_u64(bt_str_slice(state, first + 1, second), &until) != BT_OK ||
        until < seconds_now(request)) {
        return BT_OK;
    }
    bt_buf_init(&expected, 256);
    const enum bt_status status = put_seal(request, what, until, &expected);
    *out = status == BT_OK && expected.len == state.len &&
           bt_bytes_equal_constant_time(expected.ptr, state.ptr, state.len);
    bt_buf_free(&expected);
    return status;
}

/* ---- Legacy ---------------------------------------------------------------------------------- */

/* The beginnings of ids: for lines, where `baton wrap` drops it, and for HTTP and behind that. */
static const bt_str line_prefix = BT_STR_INIT("baton-");
static const bt_str other_prefix = BT_STR_INIT("question-");

static uint64_t number_behind(bt_str id, bt_str prefix)
{
    uint64_t number = 0;
    return bt_str_starts_with(id, prefix) &&
                   bt_str_to_u64(bt_str_slice(id, prefix.len, id.len), &number) == BT_OK
               ? number
               : 0;
}

uint64_t mcp_question_number(const struct mcp *mcp, bt_str id)
{
    const uint64_t number = number_behind(id, other_prefix);
    return number != 0 || mcp->place.headers ? number : number_behind(id, line_prefix);
}

static void put_request(struct mcp_request *request, const struct mcp_pending_question *question)
{
    const bool is_line = !request->mcp->place.headers && !question->was_dropped;
    struct bt_emit emit;
    char id[32];
    (void)snprintf(id, sizeof(id), "%s%" PRIu64, (is_line ? line_prefix : other_prefix).ptr,
                   question->number);
    bt_emit_init(&emit, request->out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_string(&emit, "id", bt_str_of(id));
    bt_emit_member_string(&emit, "method", bt_str_of(question->method));
    bt_emit_member_raw(&emit, "params", bt_buf_str(&question->params));
    bt_emit_end(&emit);
    bt_buf_put_char(request->out, '\n');
}

static enum bt_status set_text(struct bt_buf *buf, bt_str text)
{
    bt_buf_clear(buf);
    bt_buf_put(buf, text);
    return buf->status;
}

enum bt_status mcp_question_put(struct mcp_call *call, const struct mcp_legacy_question *wanted)
{
    struct mcp *mcp = call->request->mcp;
    size_t free = 0;
    while (free < MCP_QUESTIONS_MAX && mcp->questions[free].number != 0) {
        free++;
    }
    if (free == MCP_QUESTIONS_MAX) {
        return bt_result_set_problem(&call->work, BT_PROBLEM_NONE, BT_STR(""),
                                     "too many questions are open; answer one first");
    }
    struct mcp_pending_question *question = &mcp->questions[free];
    BT_TRY(set_text(&question->call, call->request->id));
    BT_TRY(set_text(&question->notes[0], wanted->notes[0]));
    BT_TRY(set_text(&question->notes[1], wanted->notes[1]));
    BT_TRY(set_text(&question->params, wanted->params));
    question->method = wanted->method;
    question->resume = wanted->resume;
    question->was_dropped = false;
    question->number = ++mcp->last_question_number;
    put_request(call->request, question);
    call->has_responded = true;
    return BT_OK;
}

static struct mcp_pending_question *question_of(struct mcp *mcp, uint64_t number)
{
    for (size_t i = 0; i < MCP_QUESTIONS_MAX && number != 0; i++) {
        if (mcp->questions[i].number == number) {
            return &mcp->questions[i];
        }
    }
    return NULL;
}

/* Remove the question before the call continues, because that may send another one. */
static enum bt_status resume_call(struct mcp_call *call, struct mcp_pending_question *question,
                                  const bt_json_value *result)
{
    mcp_resume_fn *go_on = question->resume;
    bt_str notes[2];
    BT_TRY(bt_arena_copy(call->work.arena, bt_buf_str(&question->notes[0]), &notes[0]));
    BT_TRY(bt_arena_copy(call->work.arena, bt_buf_str(&question->notes[1]), &notes[1]));
    question->number = 0;
    return go_on(call, notes, result);
}

/* True for the error with which `baton wrap` drops a question because of its id. */
static bool is_dropped(const struct mcp_request *request, const bt_json_value *response)
{
    const struct bt_json_doc *document = request->document;
    const bt_json_value *error = bt_json_get(document, response, BT_STR("error"));
    const bt_json_value *data = bt_json_get(document, error, BT_STR("data"));
    const bt_json_value *own = bt_json_get(document, data, BT_STR("baton"));
    const bt_json_value *code = bt_json_get(document, own, BT_STR("code"));
    return code && bt_str_eq(bt_json_text(code), bt_code_name(BT_CODE_WRAP_MESSAGE_DROPPED));
}

enum bt_status mcp_question_answered(struct mcp_request *request, uint64_t number,
                                     const bt_json_value *response)
{
    const bt_json_value *result = bt_json_get(request->document, response, BT_STR("result"));
    struct mcp_pending_question *question = question_of(request->mcp, number);
    if (!question) {
        return BT_OK; /* a response to a question that is not open */
    }
    if (!request->mcp->place.headers && !question->was_dropped && is_dropped(request, response)) {
        question->was_dropped = true;
        put_request(request, question);
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(&request->arena, bt_buf_str(&question->call), &request->id));
    struct mcp_call call = {.request = request,
                            .work = {.service = request->mcp->service,
                                     .caller = request->mcp->caller,
                                     .arena = &request->arena,
                                     .answer = &call.answer}};
    bt_buf_init(&call.answer.body, TEXT_BYTES_MAX);
    enum bt_status status = resume_call(&call, question, result);
    status = status == BT_OK ? call.answer.body.status : status;
    if (status == BT_OK && !call.has_responded) {
        mcp_put_answer(request, &call.answer);
    }
    bt_buf_free(&call.answer.body);
    return status;
}

void mcp_cancelled(struct mcp_request *request)
{
    const bt_json_value *id = mcp_param(request, "requestId");
    if (!id) {
        return;
    }
    const struct bt_json_span span = bt_json_span(request->document, id);
    const bt_str text = bt_str_slice(bt_json_source(request->document), span.begin, span.end);
    mcp_listen_cancelled(request->mcp, text);
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        struct mcp_pending_question *question = &request->mcp->questions[i];
        if (question->number != 0 && bt_str_eq(bt_buf_str(&question->call), text)) {
            question->number = 0;
        }
    }
}
