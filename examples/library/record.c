/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - a program that uses libbaton: record a handoff in a store, take it as the agent that it
 * is for, and say that it was delivered.
 *
 *     cc record.c -o record $(pkg-config --cflags --libs baton)
 *     baton ledger init --origin example.org/log --store sqlite:store.db
 *     ./record sqlite:store.db patch-builder < FILE
 *
 * It exits with 0 when all is done, with 1 when something is refused, and with 2 without a reply.
 */
#include <stdio.h>

#include <baton/baton.h>

enum { TEXT_BYTES_MAX = 1 << 20, DONE = 0, NOT_DONE = 1, NO_REPLY = 2 };

struct work {
    struct bt_engine *engine;
    struct bt_arena *arena;
    struct bt_buf *request;
    struct bt_error error;
};

/* Call with the request that was written, and read the reply. NULL: there is none; `error` says why. */
static const struct bt_json_doc *call(struct work *work, const char *operation)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_reply *reply = NULL;
    bt_str json = BT_STR_INIT("");
    if (bt_buf_status(work->request) != BT_OK ||
        bt_call(work->engine, bt_str_of(operation), bt_buf_str(work->request), &reply,
                &work->error) != BT_OK) {
        return NULL;
    }
    if (bt_arena_copy(work->arena, bt_reply_json(reply), &json) != BT_OK ||
        bt_json_read(work->arena, json, NULL, &read) != BT_OK) {
        read.document = NULL;
    }
    bt_reply_destroy(reply);
    bt_buf_clear(work->request);
    return read.document;
}

/* A text in a reply; "" when it is not there. */
static bt_str text_at(const struct bt_json_doc *reply, const char *pointer)
{
    const bt_json_value *found =
        reply ? bt_json_resolve(reply, bt_json_root(reply), bt_str_of(pointer)) : NULL;
    return found ? bt_json_text(found) : bt_str_of("");
}

/* Put a name or another part of a request, and a string after it. */
static void put_pair(struct work *work, const char *before, bt_str text)
{
    bt_buf_put(work->request, bt_str_of(before));
    bt_json_put_string(work->request, text);
}

static const struct bt_json_doc *submit(struct work *work, bt_str document)
{
    put_pair(work, "{\"documents\":[{\"text\":", document);
    bt_buf_put(work->request, BT_STR("}]}"));
    return call(work, "submitHandoff");
}

/* Take one handoff for the agent, and finish it: its lease shows that it is still ours. */
static int take(struct work *work, bt_str agent)
{
    put_pair(work, "{\"max\":1,\"agent\":", agent);
    bt_buf_put(work->request, BT_STR("}"));
    const struct bt_json_doc *taken = call(work, "takeHandoffs");
    printf("took %.*s from %.*s\n", BT_STR_ARG(text_at(taken, "/items/0/message")),
           BT_STR_ARG(text_at(taken, "/items/0/source")));
    put_pair(work, "{\"agent\":", agent);
    put_pair(work, ",\"items\":[{\"message\":", text_at(taken, "/items/0/message"));
    put_pair(work, ",\"lease\":", text_at(taken, "/items/0/lease"));
    bt_buf_put(work->request, BT_STR(",\"outcome\":\"delivered\"}]}"));
    const bt_str result = text_at(call(work, "finishHandoffs"), "/items/0/result");
    printf("finished: %.*s\n", BT_STR_ARG(result));
    return bt_str_eq(result, BT_STR("ok")) ? DONE : NOT_DONE;
}

static int run(struct work *work, const char *store, const char *agent)
{
    char *bytes = (char *)bt_arena_alloc(work->arena, TEXT_BYTES_MAX);
    bt_str document = {bytes, bytes ? fread(bytes, 1, TEXT_BYTES_MAX, stdin) : 0};
    if (bt_engine_store(work->engine, bt_str_of(store), &work->error) != BT_OK) {
        return NO_REPLY;
    }
    const struct bt_json_doc *reply = submit(work, document);
    const bt_str verdict = text_at(reply, "/documents/0/verdict");
    if (!reply || verdict.len == 0) {
        printf("refused: %.*s\n", BT_STR_ARG(text_at(reply, "/code")));
        return reply ? NOT_DONE : NO_REPLY;
    }
    printf("submitted: %.*s, %.*s\n", BT_STR_ARG(verdict),
           BT_STR_ARG(text_at(reply, "/documents/0/record/ref")));
    return take(work, bt_str_of(agent));
}

int main(int argc, char **argv)
{
    struct work work = {
        NULL, bt_arena_create(64 << 20), bt_buf_create(8 << 20), {BT_ENOMEM, "no memory"}};
    int code = NO_REPLY;
    if (argc != 3) {
        fprintf(stderr, "usage: record STORE AGENT < FILE\n");
    } else if (work.arena && work.request &&
               bt_engine_create(bt_str_of(""), &work.engine, &work.error) == BT_OK) {
        code = run(&work, argv[1], argv[2]);
    }
    if (code == NO_REPLY && argc == 3) {
        fprintf(stderr, "record: %s\n", work.error.text);
    }
    bt_engine_destroy(work.engine);
    bt_buf_destroy(work.request);
    bt_arena_destroy(work.arena);
    return code;
}
