/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_mcp.c - any bytes as the messages of a client of the Model Context Protocol, one per line.
 *
 * Promises: what is said is one JSON-RPC 2.0 message per line: a notice, a result or an error; a
 * line is answered at most once; whatever came before, the next good request is answered under its
 * id.
 */
#include "served.h"

#include "mcp/mcp.h"

static const char good[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"server/discover\",\"params\":{\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

struct world {
    struct served served;
    struct mcp mcp;
};

static void begin(struct world *world)
{
    served_begin(&world->served, BT_STR("mcp"));
    const struct mcp_transport place = {0};
    PROMISE(mcp_begin(&world->mcp, &world->served.service, &world->served.caller, &place) == BT_OK);
}

/* One message: an object that is an answer of ours. */
static void is_answer(bt_str line)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_json_doc *document = fuzz_reread(&arena, line);
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *version = bt_json_get(document, root, BT_STR("jsonrpc"));
    const bt_json_value *error = bt_json_get(document, root, BT_STR("error"));
    PROMISE(version && bt_str_eq(bt_json_text(version), BT_STR("2.0")));
    if (!bt_json_get(document, root, BT_STR("method"))) { /* else it is a notice */
        PROMISE(!error != !bt_json_get(document, root, BT_STR("result")));
        PROMISE(error || bt_json_get(document, root, BT_STR("id")));
    }
    bt_arena_free(&arena);
}

static size_t check_lines(bt_str said)
{
    size_t count = 0;
    PROMISE(said.len == 0 || said.ptr[said.len - 1] == '\n');
    for (size_t at = 0; at < said.len; count++) {
        const size_t end = bt_str_find_byte(said, '\n', at);
        is_answer(bt_str_slice(said, at, end));
        at = end + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    const bt_str text = fuzz_text(data, size);
    struct bt_buf out;
    begin(&world);
    bt_buf_init(&out, FUZZ_BUF_BYTES);
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        bt_buf_clear(&out);
        PROMISE(mcp_handle_message(&world.mcp, bt_str_slice(text, at, end), &out) == BT_OK);
        PROMISE(check_lines(bt_buf_str(&out)) <= 1);
        at = end + 1;
    }
    bt_buf_clear(&out);
    PROMISE(mcp_handle_message(&world.mcp, bt_str_of(good), &out) == BT_OK);
    PROMISE(check_lines(bt_buf_str(&out)) == 1);
    PROMISE(bt_str_starts_with(bt_buf_str(&out),
                               BT_STR("{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"result\":")));
    bt_buf_free(&out);
    mcp_end(&world.mcp);
    mcp_schemas_destroy(world.served.service.schemas);
    bt_checker_destroy(world.served.service.checker);
    return 0;
}
