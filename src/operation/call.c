/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - bt_call(): an operationId and a JSON object -> arguments -> operation -> a reply with
 * the bytes that REST sends.
 */
#include <assert.h>
#include <time.h>

#include "base/clock.h"
#include "json/emit.h"
#include "operation/args_read.h"
#include "operation/engine.h"
#include "operation/problem.h"

enum {
    REQUEST_BYTES_MAX = 1 << 30, /* it has less */
    REPLY_BYTES_MAX = 1 << 30,
    ARENA_KEPT_MAX = 1 << 20,
    HANDLE_BYTES_MAX = 1 << 16,
    POLL_INTERVAL_MS = 500,
    NEEDS_STORE = BT_EFFECT_READS_STORE | BT_EFFECT_RECORDS,
    MEMBERS = BT_IN_PATH | BT_IN_QUERY | BT_IN_BODY | BT_IN_CALL,
};

struct bt_reply {
    struct bt_arena memory; /* in which the reply lies */
    unsigned status;
    bool is_done;
    struct bt_buf body;
};

size_t bt_operations_count(void)
{
    return BT_OPERATIONS_CALLS_COUNT;
}

bt_str bt_operations_at(size_t index)
{
    assert(index < BT_OPERATIONS_CALLS_COUNT);
    return bt_str_of(bt_operations[bt_operations_calls[index]].rest.operation_id);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* True when the request is an envelope around documents, and not an object of parameters. */
static bool takes_envelope(const struct bt_operation *row)
{
    for (size_t i = 0; i < row->param_count; i++) {
        if (row->params[i].places & BT_IN_CONTENT) {
            return !bt_operation_param_find(row, BT_IN_CALL, row->params[i].name);
        }
    }
    return false;
}

/* The key of a submission tells requests apart by their bytes. */
static enum bt_status take_key(struct bt_call *work, const struct bt_args *args,
                               const struct bt_arg *object, bt_str request,
                               struct bt_idempotency_key *key)
{
    const struct bt_arg value = bt_arg_member(object, "idempotency_key");
    if (!value.document) {
        return BT_OK;
    }
    const struct bt_operation_param *param =
        bt_operation_param_find(args->operation, BT_IN_CALL, BT_STR("idempotency_key"));
    const char *why = bt_argument_check_json(param, value.document, value.json);
    if (why) {
        return bt_result_refuse_argument(work, param->name, why);
    }
    *key = (struct bt_idempotency_key){
        .path = BT_STR("call:submitHandoff"), .key = bt_json_text(value.json), .request = request};
    work->key = key;
    return BT_OK;
}

static enum bt_status read_request(struct bt_call *work, const struct bt_operation *row,
                                   bt_str request, struct bt_args *args,
                                   struct bt_idempotency_key *key)
{
    struct bt_arg object;
    BT_TRY(bt_args_read_object(work, request, &object));
    if (!takes_envelope(row)) {
        BT_TRY(bt_args_begin(args, row, 0, work->arena));
        return bt_args_add_members(work, args, &object, MEMBERS);
    }
    BT_TRY(bt_args_begin_envelope(work, args, row, &object, BT_IN_CALL, 0));
    BT_TRY(take_key(work, args, &object, request, key));
    return bt_args_add_options(work, args, &object);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Only operations with a store wait. */
static void sleep_between_polls(void)
{
#ifndef BT_PROFILE_CORE
    static const struct timespec pause = {.tv_nsec = POLL_INTERVAL_MS * 1000000L};
    (void)nanosleep(&pause, NULL);
#endif
}

/* Run it again, for as long as the caller waits, while there is nothing yet. */
static enum bt_status run_row(struct bt_call *work, const struct bt_operation *row,
                              const struct bt_args *args)
{
    const uint64_t wait_ms = row == &bt_operations[BT_OPERATION_INBOX_LEASE]
                                 ? bt_args_number(args, BT_ARG_INBOX_LEASE_WAIT_S, 0) * 1000
                                 : 0;
    const uint64_t until = bt_clock_monotonic_ms() + wait_ms;
    struct bt_result *answer = work->answer;
    BT_TRY(row->run(work, args));
    while (answer->is_empty && answer->kind == ANSWER_DONE && bt_clock_monotonic_ms() < until) {
        sleep_between_polls();
        const struct bt_buf body = answer->body;
        *answer = (struct bt_result){.body = body};
        bt_buf_clear(&answer->body);
        BT_TRY(row->run(work, args));
    }
    return BT_OK;
}

/* Run an operation, in the order of tests that callers can rely on. */
static enum bt_status run_operation(struct bt_call *work, bt_str operation, bt_str request)
{
    const struct bt_operation *row = bt_operation_find(operation);
    struct bt_idempotency_key key;
    struct bt_args args;
    if (!row) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "unknown operation");
    }
    if ((row->effects & NEEDS_STORE) && !work->service->ledger) {
        return bt_result_set_problem(work, BT_PROBLEM_STORE_UNAVAILABLE, BT_STR(""),
                                     "no store is configured");
    }
    const bt_str scope = bt_scopes_find_missing(work->caller->scopes, row->scopes);
    if (scope.len > 0) {
        return bt_result_set_problem(work, BT_PROBLEM_SCOPE_MISSING,
                                     bt_result_pointer(work, "/%.*s", BT_STR_ARG(scope)),
                                     "the engine lacks this scope");
    }
    const enum bt_status status = read_request(work, row, request, &args, &key);
    if (status != BT_OK) {
        return status == BT_EINVAL ? BT_OK : status;
    }
    return run_row(work, row, &args);
}

/* ---- Replies --------------------------------------------------------------------------------- */

/* Bytes as a member of an object; `bytes` must not lie in the body. */
static enum bt_status put_bytes(struct bt_buf *body, bt_str bytes)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_emit emit;
    BT_TRY(bt_sha256_hex(bytes, digest));
    bt_buf_clear(body);
    bt_emit_init(&emit, body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "sha256", bt_str_of(digest));
    bt_emit_member_u64(&emit, "size", bytes.len);
    bt_emit_name(&emit, "base64");
    bt_emit_raw(&emit, BT_STR("\""));
    bt_base64_put(body, bytes);
    bt_buf_put_char(body, '"');
    bt_emit_end(&emit);
    return body->status;
}

static enum bt_status write_done(struct bt_call *work)
{
    struct bt_result *answer = work->answer;
    const bt_str media = bt_str_of(answer->media);
    bt_str bytes;
    if (bt_str_eq(media, BT_STR(BT_MEDIA_BYTES))) {
        BT_TRY(bt_buf_copy(&answer->body, work->arena, &bytes));
        return put_bytes(&answer->body, bytes);
    }
    if (bt_str_ends_with(bt_buf_str(&answer->body), BT_STR("\n"))) {
        answer->body.len--;
    }
    return answer->body.status;
}

/* Write the body of a result that is not the requested object, and set its status. */
static enum bt_status write_problem(struct bt_call *work)
{
    struct bt_result *answer = work->answer;
    enum bt_problem problem = BT_PROBLEM_NONE;
    bt_str members;
    if (answer->kind == ANSWER_REFUSED || (answer->findings && !answer->problem)) {
        return answer->is_problem || answer->is_replay ? BT_OK
                                                       : bt_result_write_refusal(work, NULL);
    }
    BT_TRY(bt_result_find_problem(work, &problem, &members));
    if (problem == BT_PROBLEM_NOT_IMPLEMENTED) { /* the text says which part this build lacks */
        bt_str detail;
        BT_TRY(bt_buf_copy(&answer->body, work->arena, &detail));
        detail = bt_str_slice(detail, answer->reason_at, detail.len);
        bt_buf_clear(&answer->body);
        bt_problem_put_detail(&answer->body, problem, detail);
    } else {
        bt_buf_clear(&answer->body);
        bt_problem_put_row(&answer->body, problem, NULL, members);
    }
    answer->status = bt_problems[problem].status;
    return answer->body.status;
}

/* A refusal in the form of a reply, before it is stored for a repeat. */
static enum bt_status write_refusal(struct bt_call *work, void *adapter)
{
    (void)adapter;
    return bt_result_write_refusal(work, NULL);
}

static enum bt_status answer_call(struct bt_engine *engine, bt_str operation, bt_str request,
                                  struct bt_result *answer)
{
    struct bt_call work = {.service = &engine->worker,
                           .caller = &engine->caller,
                           .arena = &engine->call,
                           .answer = answer,
                           .traceparent = BT_STR(""),
                           .write_refusal = write_refusal};
    BT_TRY(run_operation(&work, operation, request));
    BT_TRY(answer->body.status);
    if (answer->kind != ANSWER_DONE) {
        return write_problem(&work);
    }
    answer->status = answer->status > 0 ? answer->status : BT_HTTP_OK;
    return write_done(&work);
}

/* Only some statuses are failures of the machine; the others contradict what operations promise. */
static enum bt_status fail_call(bt_str operation, enum bt_status status, struct bt_error *error)
{
    const struct bt_operation *row = bt_operation_find(operation);
    const bool records = row && (row->effects & BT_EFFECT_RECORDS);
    const bool is_failure =
        status == BT_ENOMEM || status == BT_ELIMIT || status == BT_EIO || status == BT_ECORRUPT;
    const enum bt_status shown = is_failure ? status : BT_EINTERNAL;
    return bt_error_set(error, shown, "%s%s", bt_status_text(shown),
                        records ? "; it may have been recorded" : "");
}

static void reset_arena(struct bt_arena *arena)
{
    if (arena->taken > ARENA_KEPT_MAX) {
        bt_arena_free(arena);
    } else {
        bt_arena_reset(arena);
    }
}

enum bt_status bt_call(struct bt_engine *engine, bt_str operation, bt_str request,
                       struct bt_reply **out, struct bt_error *error)
{
    assert(engine);
    assert(request.ptr || request.len == 0);
    assert(out);
    struct bt_result answer = {0};
    if (request.len >= REQUEST_BYTES_MAX) {
        return bt_error_set(error, BT_ELIMIT, "a request has less than 2^30 bytes");
    }
    struct bt_arena memory;
    bt_arena_init(&memory, HANDLE_BYTES_MAX);
    struct bt_reply *reply = BT_NEW(&memory, struct bt_reply); /* before anything is recorded */
    bt_buf_init(&answer.body, REPLY_BYTES_MAX);
    const enum bt_status status =
        reply ? answer_call(engine, operation, request, &answer) : BT_ENOMEM;
    reset_arena(&engine->call);
    if (status != BT_OK) {
        bt_buf_free(&answer.body);
        bt_arena_free(&memory);
        return fail_call(operation, status, error);
    }
    *reply = (struct bt_reply){.memory = memory,
                               .status = answer.status,
                               .is_done = answer.kind == ANSWER_DONE &&
                                          answer.status < BT_HTTP_BAD_REQUEST,
                               .body = answer.body};
    *out = reply;
    return BT_OK;
}

unsigned bt_reply_status(const struct bt_reply *reply)
{
    assert(reply);
    return reply->status;
}

bool bt_reply_is_done(const struct bt_reply *reply)
{
    assert(reply);
    return reply->is_done;
}

bt_str bt_reply_json(const struct bt_reply *reply)
{
    assert(reply);
    return bt_buf_str(&reply->body);
}

void bt_reply_destroy(struct bt_reply *reply)
{
    if (reply) {
        struct bt_arena memory = reply->memory;
        bt_buf_free(&reply->body);
        bt_arena_free(&memory);
    }
}
