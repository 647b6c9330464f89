/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_a2a.c - any bytes as a request of the Agent2Agent protocol, once as JSON-RPC and once as the
 * body of HTTP+JSON, without a store.
 *
 * Promises: there is an answer, one JSON object on one line, unless the caller lacks a scope; an
 * error names its reason; the same bytes are answered alike twice, but for new ids and the time;
 * whatever came before, the next good request is answered.
 */
#include "served.h"

#include "a2a/a2a.h"

static const char good[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ListTasks\",\"params\":{}}";

struct world {
    struct served served;
    struct a2a_binding_info place;
    uint8_t key[BT_SHA256_BYTES];
};

static void begin(struct world *world)
{
    served_begin(&world->served, BT_STR("serve/a"));
    world->place =
        (struct a2a_binding_info){.version = BT_STR("1.0"),
                                  .extensions = BT_STR("urn:baton:a2a:schema-contract:v1"),
                                  .traceparent = BT_STR(""),
                                  .page_key = world->key};
}

/* One line that is a result or an error with its reason. */
static void is_answer(bt_str said, bool is_rpc)
{
    struct bt_arena arena;
    PROMISE(said.len > 0 && bt_str_find_byte(said, '\n', 0) == said.len - 1);
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_json_doc *document = fuzz_reread(&arena, bt_str_slice(said, 0, said.len - 1));
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *error = bt_json_get(document, root, BT_STR("error"));
    const bt_json_value *reason = bt_json_resolve(document, root,
                                                  is_rpc ? BT_STR("/error/data/0/reason")
                                                         : BT_STR("/error/details/0/reason"));
    PROMISE(bt_json_type(root) == BT_JSON_OBJECT);
    PROMISE(!error || (reason && bt_json_text(reason).len > 0));
    PROMISE(!is_rpc || bt_json_get(document, root, BT_STR("id")));
    PROMISE(!is_rpc || !error != !bt_json_get(document, root, BT_STR("result")));
    bt_arena_free(&arena);
}

static void take(struct world *world, bt_str text, enum a2a_operation operation, struct bt_buf *out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    struct a2a a2a = {.service = &world->served.service,
                      .caller = &world->served.caller,
                      .arena = &arena,
                      .place = &world->place,
                      .out = out};
    bt_buf_clear(out);
    PROMISE((operation == 0 ? a2a_rpc(&a2a, text) : a2a_http(&a2a, operation, text)) == BT_OK);
    PROMISE(a2a.outcome.status >= 200 && a2a.outcome.status < 600);
    if (!a2a.outcome.scope) {
        is_answer(bt_buf_str(out), operation == 0);
    }
    bt_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    const bt_str text = fuzz_text(data, size);
    struct bt_buf out;
    begin(&world);
    bt_buf_init(&out, FUZZ_BUF_BYTES);
    take(&world, text, 0, &out);
    for (enum a2a_operation i = A2A_SEND; i <= A2A_CARD; i++) {
        take(&world, text, i, &out);
    }
    take(&world, bt_str_of(good), 0, &out);
    PROMISE(bt_str_starts_with(bt_buf_str(&out),
                               BT_STR("{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"result\":")));
    bt_buf_free(&out);
    bt_checker_destroy(world.served.service.checker);
    return 0;
}
