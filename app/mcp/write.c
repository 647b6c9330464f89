/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - results and errors.
 */
#include "mcp/inside.h"

static void begin(struct mcp_ask *ask)
{
    bt_emit_init(&ask->emit, ask->out, false);
    bt_emit_object(&ask->emit);
    bt_emit_member_string(&ask->emit, "jsonrpc", BT_STR("2.0"));
    if (ask->id.len > 0) {
        bt_emit_name(&ask->emit, "id");
        bt_emit_raw(&ask->emit, ask->id);
    }
}

static void end(struct mcp_ask *ask)
{
    bt_emit_end(&ask->emit);
    bt_buf_put_char(ask->out, '\n');
}

void mcp_result(struct mcp_ask *ask, const char *type)
{
    begin(ask);
    bt_emit_name(&ask->emit, "result");
    bt_emit_object(&ask->emit);
    if (ask->is_modern) {
        bt_emit_member_string(&ask->emit, "resultType", bt_str_of(type));
    }
}

static void put_cache(struct bt_emit *emit, enum mcp_cache cache)
{
    static const struct {
        uint64_t ms;
        const char *scope;
    } rows[] = {
        [MCP_HOUR_PUBLIC] = {3600000, "public"},
        [MCP_MINUTES_PRIVATE] = {300000, "private"},
        [MCP_MINUTES_PUBLIC] = {300000, "public"},
        [MCP_NEVER] = {0, "private"},
    };
    if (cache != MCP_UNCACHED) {
        bt_emit_member_u64(emit, "ttlMs", rows[cache].ms);
        bt_emit_member_string(emit, "cacheScope", bt_str_of(rows[cache].scope));
    }
}

void mcp_result_end(struct mcp_ask *ask, enum mcp_cache cache)
{
    struct bt_emit *emit = &ask->emit;
    if (ask->is_modern) {
        put_cache(emit, cache);
        bt_emit_name(emit, "_meta");
        bt_emit_object(emit);
        if (ask->subscription.len > 0) {
            bt_emit_name(emit, "io.modelcontextprotocol/subscriptionId");
            bt_emit_raw(emit, ask->subscription);
        }
        bt_emit_name(emit, "io.modelcontextprotocol/serverInfo");
        bt_emit_object(emit);
        bt_emit_member_string(emit, "name", BT_STR("baton"));
        bt_emit_member_string(emit, "title", BT_STR("Baton"));
        bt_emit_member_string(emit, "version", bt_str_of(bt_version()));
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    end(ask);
}

/* Legacy errors come with the status of an answer, and so does what is wrong with params. */
static unsigned status_of(const struct mcp_ask *ask, enum mcp_code code)
{
    if (!ask->is_modern || code == MCP_INVALID_PARAMS || code == MCP_RESOURCE_NOT_FOUND) {
        return MCP_DONE;
    }
    return code == MCP_UNKNOWN_METHOD ? MCP_NOT_FOUND : MCP_BAD_REQUEST;
}

void mcp_error(struct mcp_ask *ask, enum mcp_code code, const char *message, bt_str data)
{
    ask->mcp->told.status = status_of(ask, code);
    ask->mcp->told.is_refused = true;
    begin(ask);
    bt_emit_name(&ask->emit, "error");
    bt_emit_object(&ask->emit);
    bt_emit_name(&ask->emit, "code");
    bt_emit_i64(&ask->emit, code);
    bt_emit_member_string(&ask->emit, "message", bt_str_of(message));
    if (data.len > 0) {
        bt_emit_name(&ask->emit, "data");
        bt_emit_raw(&ask->emit, data);
    }
    bt_emit_end(&ask->emit);
    end(ask);
}

void mcp_notice(struct bt_emit *emit, struct bt_buf *out, const char *method, bt_str subscription)
{
    bt_emit_init(emit, out, false);
    bt_emit_object(emit);
    bt_emit_member_string(emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_string(emit, "method", bt_str_of(method));
    bt_emit_name(emit, "params");
    bt_emit_object(emit);
    if (subscription.len > 0) {
        bt_emit_name(emit, "_meta");
        bt_emit_object(emit);
        bt_emit_name(emit, "io.modelcontextprotocol/subscriptionId");
        bt_emit_raw(emit, subscription);
        bt_emit_end(emit);
    }
}

void mcp_notice_end(struct bt_emit *emit)
{
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_buf_put_char(emit->buf, '\n');
}
