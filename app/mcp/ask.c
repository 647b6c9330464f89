/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - questions to the client. A legacy client is asked in between, and the call waits; a
 * modern one asks again with the answer, and a sealed state ties the two.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "mcp/inside.h"

enum { SEAL_SECONDS = 600, TEXT_BYTES_MAX = 16 << 20 };

/* ---- Modern ---------------------------------------------------------------------------------- */

static uint64_t seconds_now(const struct mcp_ask *ask)
{
    const bt_instant now = bt_env_now(ask->mcp->service->env);
    return now.seconds > 0 ? (uint64_t)now.seconds : 0;
}

/* Who was asked what, until when. */
static enum bt_status put_seal(struct mcp_ask *ask, bt_str what, uint64_t until, struct bt_buf *out)
{
    uint8_t mac[BT_SHA256_BYTES];
    bt_str text;
    BT_TRY(bt_arena_printf(&ask->arena, &text, "%.*s\n%.*s\n%" PRIu64,
                           BT_STR_ARG(ask->mcp->caller->actor), BT_STR_ARG(what), until));
    BT_TRY(bt_hmac_sha256(ask->mcp->seal_key, text, mac));
    bt_buf_printf(out, "v1.%" PRIu64 ".", until);
    bt_base64url_put(out, (bt_str){(const char *)mac, sizeof(mac)});
    return out->status;
}

enum bt_status mcp_seal(struct mcp_ask *ask, bt_str what, struct bt_buf *out)
{
    assert(ask->is_modern);
    return put_seal(ask, what, seconds_now(ask) + SEAL_SECONDS, out);
}

enum bt_status mcp_is_sealed(struct mcp_ask *ask, bt_str what, bool *out)
{
    const bt_str state = mcp_param_text(ask, "requestState");
    const size_t first = bt_str_find(state, '.', 0);
    const size_t second = bt_str_find(state, '.', first + 1);
    struct bt_buf expected;
    uint64_t until = 0;
    *out = false;
    if (bt_str_to_u64(bt_str_slice(state, first + 1, second), &until) != BT_OK ||
        until < seconds_now(ask)) {
        return BT_OK;
    }
    bt_buf_init(&expected, 256);
    const enum bt_status status = put_seal(ask, what, until, &expected);
    *out = status == BT_OK && expected.len == state.len &&
           bt_bytes_equal(expected.ptr, state.ptr, state.len);
    bt_buf_free(&expected);
    return status;
}

/* ---- Legacy ---------------------------------------------------------------------------------- */

static void put_request(struct mcp_ask *ask, uint64_t number, const struct mcp_wanted *wanted)
{
    struct bt_emit emit;
    char id[32];
    (void)snprintf(id, sizeof(id), "baton-%" PRIu64, number);
    bt_emit_init(&emit, ask->out, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_string(&emit, "id", bt_str_of(id));
    bt_emit_member_string(&emit, "method", bt_str_of(wanted->method));
    bt_emit_name(&emit, "params");
    bt_emit_raw(&emit, wanted->params);
    bt_emit_end(&emit);
    bt_buf_put_char(ask->out, '\n');
}

static enum bt_status fill(struct bt_buf *buf, bt_str text)
{
    bt_buf_clear(buf);
    bt_buf_put(buf, text);
    return buf->status;
}

enum bt_status mcp_question_put(struct mcp_call *call, const struct mcp_wanted *wanted)
{
    struct mcp *mcp = call->ask->mcp;
    size_t free = 0;
    while (free < MCP_QUESTIONS_MAX && mcp->questions[free].number != 0) {
        free++;
    }
    if (free == MCP_QUESTIONS_MAX) {
        return answer_unusable(&call->work, "too many questions are open; answer one first");
    }
    struct mcp_question *question = &mcp->questions[free];
    BT_TRY(fill(&question->call, call->ask->id));
    BT_TRY(fill(&question->notes[0], wanted->notes[0]));
    BT_TRY(fill(&question->notes[1], wanted->notes[1]));
    question->resume = wanted->resume;
    question->number = ++mcp->questions_asked;
    put_request(call->ask, question->number, wanted);
    call->is_said = true;
    return BT_OK;
}

static struct mcp_question *question_of(struct mcp *mcp, uint64_t number)
{
    for (size_t i = 0; i < MCP_QUESTIONS_MAX && number != 0; i++) {
        if (mcp->questions[i].number == number) {
            return &mcp->questions[i];
        }
    }
    return NULL;
}

/* The question is over before the call goes on, which may ask another one in its place. */
static enum bt_status resume(struct mcp_call *call, struct mcp_question *question,
                             const bt_value *result)
{
    mcp_resume_fn *go_on = question->resume;
    bt_str notes[2];
    BT_TRY(bt_arena_copy(call->work.arena, bt_buf_str(&question->notes[0]), &notes[0]));
    BT_TRY(bt_arena_copy(call->work.arena, bt_buf_str(&question->notes[1]), &notes[1]));
    question->number = 0;
    return go_on(call, notes, result);
}

enum bt_status mcp_answered(struct mcp_ask *ask, uint64_t number, const bt_value *result)
{
    struct mcp_question *question = question_of(ask->mcp, number);
    if (!question) {
        return BT_OK; /* a response to no open question */
    }
    BT_TRY(bt_arena_copy(&ask->arena, bt_buf_str(&question->call), &ask->id));
    struct mcp_call call = {.ask = ask,
                            .work = {.service = ask->mcp->service,
                                     .caller = ask->mcp->caller,
                                     .arena = &ask->arena,
                                     .answer = &call.answer}};
    bt_buf_init(&call.answer.body, TEXT_BYTES_MAX);
    enum bt_status status = resume(&call, question, result);
    status = status == BT_OK ? call.answer.body.status : status;
    if (status == BT_OK && !call.is_said) {
        mcp_put_answer(ask, &call.answer);
    }
    bt_buf_free(&call.answer.body);
    return status;
}

void mcp_cancelled(struct mcp_ask *ask)
{
    const bt_value *id = mcp_param(ask, "requestId");
    if (!id) {
        return;
    }
    const struct bt_json_span span = bt_json_span(ask->document, id);
    const bt_str text = bt_str_slice(bt_json_source(ask->document), span.begin, span.end);
    mcp_listen_cancelled(ask->mcp, text);
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        struct mcp_question *question = &ask->mcp->questions[i];
        if (question->number != 0 && bt_str_eq(bt_buf_str(&question->call), text)) {
            question->number = 0;
        }
    }
}
