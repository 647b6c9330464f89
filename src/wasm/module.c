/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c - what baton.wasm exports. Texts come in as an address and a size in its memory; a reply
 * is a handle. The host frees what it allocated and ends what it began.
 */
#include <baton/baton.h>

#include "base/buf.h"
#include "json/emit.h"
#include "ledger/ed25519.h"
#include "operation/engine.h"

#define EXPORT(name) __attribute__((export_name("bt_wasm_" #name)))

enum { STATUS_DONE = 200, QUESTIONS_BYTES_MAX = 16 << 20 };

/* What a call gives: a reply of the library, or a text of this module. */
struct wasm_reply {
    unsigned status; /* 0: there is no reply of the library, and the text says why */
    bt_str text;
    struct bt_reply *reply; /* NULL: the text lies in `buf` */
    struct bt_buf buf;
};

/* An engine, and the receipt that it verifies. */
struct wasm_engine {
    struct bt_engine *engine;
    struct bt_arena arena; /* of the receipt's questions and request */
    struct bt_signature_host signatures;
    bt_str request;
};

static bt_str text_at(const char *at, size_t size)
{
    return size > 0 ? (bt_str){at, size} : BT_STR("");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* NULL: no memory. */
EXPORT(alloc) void *wasm_alloc(size_t size)
{
    return bt_handle_create(size > 0 ? size : 1);
}

EXPORT(free) void wasm_free(void *memory)
{
    bt_handle_destroy(memory);
}

EXPORT(version) const char *wasm_version(void)
{
    return bt_version();
}

/* ---- Replies --------------------------------------------------------------------------------- */

static struct wasm_reply *make_reply(void)
{
    struct wasm_reply *out = bt_handle_create(sizeof(*out));
    if (out) {
        bt_buf_init(&out->buf, QUESTIONS_BYTES_MAX);
    }
    return out;
}

/* A reply that says why there is none. */
static struct wasm_reply *fail_reply(struct wasm_reply *out, const char *why)
{
    bt_buf_clear(&out->buf);
    bt_buf_put(&out->buf, bt_str_of(why));
    out->text = bt_buf_str(&out->buf);
    return out;
}

/* The status of HTTP; 0: nothing was judged, and the text says why. */
EXPORT(reply_status) unsigned wasm_reply_status(const struct wasm_reply *reply)
{
    return reply->status;
}

EXPORT(reply_ptr) const char *wasm_reply_ptr(const struct wasm_reply *reply)
{
    return reply->text.ptr;
}

EXPORT(reply_size) size_t wasm_reply_size(const struct wasm_reply *reply)
{
    return reply->text.len;
}

EXPORT(reply_end) void wasm_reply_end(struct wasm_reply *reply)
{
    if (reply) {
        bt_reply_destroy(reply->reply);
        bt_buf_free(&reply->buf);
        bt_handle_destroy(reply);
    }
}

/* ---- Engines --------------------------------------------------------------------------------- */

/* Make an engine: a reply of status 200 whose text is its handle in decimal, or why there is
 * none. */
EXPORT(engine) struct wasm_reply *wasm_engine(const char *settings, size_t size)
{
    struct wasm_reply *out = make_reply();
    struct wasm_engine *engine = bt_handle_create(sizeof(*engine));
    struct bt_error error = {0};
    if (!out || !engine) {
        bt_handle_destroy(engine);
        wasm_reply_end(out);
        return NULL;
    }
    const enum bt_status status =
        bt_engine_create(text_at(settings, size), &engine->engine, &error);
    if (status != BT_OK) {
        bt_handle_destroy(engine);
        return fail_reply(out, error.text);
    }
    bt_arena_init(&engine->arena, (size_t)64 << 20);
    out->status = STATUS_DONE;
    bt_buf_printf(&out->buf, "%zu", (size_t)engine);
    out->text = bt_buf_str(&out->buf);
    return out;
}

EXPORT(engine_end) void wasm_engine_end(struct wasm_engine *engine)
{
    if (engine) {
        bt_engine_destroy(engine->engine);
        bt_arena_free(&engine->arena);
        bt_handle_destroy(engine);
    }
}

/* NULL: done. Otherwise a reply of status 0 that says why not. */
static struct wasm_reply *report_status(enum bt_status status, const struct bt_error *error)
{
    struct wasm_reply *out = status == BT_OK ? NULL : make_reply();
    return out ? fail_reply(out, error->text) : NULL;
}

/* The words are the name, the path and the content, one behind the other. */
EXPORT(root_file)
struct wasm_reply *wasm_root_file(struct wasm_engine *engine, const char *words, size_t name_size,
                                  size_t path_size, size_t content_size)
{
    struct bt_error error = {0};
    const enum bt_status status = bt_engine_root_file(
        engine->engine, text_at(words, name_size), text_at(words + name_size, path_size),
        text_at(words + name_size + path_size, content_size), &error);
    return report_status(status, &error);
}

/* The words are the name of the encoding and its merge list, one behind the other. */
EXPORT(table)
struct wasm_reply *wasm_table(struct wasm_engine *engine, const char *words, size_t name_size,
                              size_t table_size)
{
    struct bt_error error = {0};
    const enum bt_status status = bt_engine_table(engine->engine, text_at(words, name_size),
                                                  text_at(words + name_size, table_size), &error);
    return report_status(status, &error);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static struct wasm_reply *run_call(struct wasm_engine *engine, bt_str operation, bt_str request)
{
    struct wasm_reply *out = make_reply();
    struct bt_error error = {0};
    if (!out) {
        return NULL;
    }
    const enum bt_status status = bt_call(engine->engine, operation, request, &out->reply, &error);
    if (status != BT_OK) {
        return fail_reply(out, error.text);
    }
    out->status = bt_reply_status(out->reply);
    out->text = bt_reply_json(out->reply);
    return out;
}

/* The words are the operation and the request, one behind the other. NULL: no memory. */
EXPORT(call)
struct wasm_reply *wasm_call(struct wasm_engine *engine, const char *words, size_t operation_size,
                             size_t request_size)
{
    return run_call(engine, text_at(words, operation_size),
                    text_at(words + operation_size, request_size));
}

/* ---- Receipts, whose signatures the host verifies -------------------------------------------- */

static void put_base64(struct bt_emit *emit, const char *name, bt_str bytes)
{
    bt_emit_name(emit, name);
    bt_emit_raw(emit, BT_STR("\""));
    bt_base64_put(emit->buf, bytes);
    bt_buf_put_char(emit->buf, '"');
}

static void put_questions(const struct bt_signature_host *host, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "signatures");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < host->count; i++) {
        const struct bt_signature_question *question = &host->items[i];
        if (question->is_answered) {
            continue;
        }
        bt_emit_begin_object(&emit);
        put_base64(&emit, "key", (bt_str){(const char *)question->key, BT_KEY_BYTES});
        put_base64(&emit, "message", question->message);
        put_base64(&emit, "signature",
                   (bt_str){(const char *)question->signature, BT_SIGNATURE_BYTES});
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

/* Judge the receipt with the answers so far: the reply, or the questions that are left, with status
 * 0 and without a failure. */
static struct wasm_reply *judge_receipt(struct wasm_engine *engine)
{
    struct bt_signature_host *host = &engine->signatures;
    host->open = 0;
    engine->engine->worker.signatures = host;
    struct wasm_reply *out = run_call(engine, BT_STR("verifyReceipt"), engine->request);
    engine->engine->worker.signatures = NULL;
    if (!out || host->open == 0) {
        return out;
    }
    wasm_reply_end(out);
    out = make_reply();
    if (out) {
        put_questions(host, &out->buf);
        out->text = bt_buf_str(&out->buf);
    }
    return out;
}

/* Begin with a request of verifyReceipt. */
EXPORT(receipt_begin)
struct wasm_reply *wasm_receipt_begin(struct wasm_engine *engine, const char *request, size_t size)
{
    bt_arena_reset(&engine->arena);
    engine->signatures = (struct bt_signature_host){.arena = &engine->arena};
    if (bt_arena_copy(&engine->arena, text_at(request, size), &engine->request) != BT_OK) {
        return NULL;
    }
    return judge_receipt(engine);
}

/* Go on with the answers to the questions that were given, in their order: a byte for each, 1 for
 * a signature that is valid. Answers that are missing count as 0. */
EXPORT(receipt_end)
struct wasm_reply *wasm_receipt_end(struct wasm_engine *engine, const char *answers, size_t size)
{
    struct bt_signature_host *host = &engine->signatures;
    size_t at = 0;
    for (size_t i = 0; i < host->count; i++) {
        struct bt_signature_question *question = &host->items[i];
        if (!question->is_answered) {
            question->is_valid = at < size && answers[at] == 1;
            question->is_answered = true;
            at++;
        }
    }
    return judge_receipt(engine);
}
