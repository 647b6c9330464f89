/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - write results and errors. */
#include "mcp/mcp_internal.h"

static void begin_message(struct mcp_request *request)
{
    bt_emit_init(&request->emit, request->out, false);
    bt_emit_begin_object(&request->emit);
    bt_emit_member_string(&request->emit, "jsonrpc", BT_STR("2.0"));
    if (request->id.len > 0) {
        bt_emit_member_raw(&request->emit, "id", request->id);
    }
}

static void end_message(struct mcp_request *request)
{
    bt_emit_end(&request->emit);
    bt_buf_put_char(request->out, '\n');
}

void mcp_result(struct mcp_request *request, const char *type)
{
    begin_message(request);
    bt_emit_member_object(&request->emit, "result");
    if (request->is_modern) {
        bt_emit_member_string(&request->emit, "resultType", bt_str_of(type));
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

void mcp_result_end(struct mcp_request *request, enum mcp_cache cache)
{
    struct bt_emit *emit = &request->emit;
    if (request->is_modern) {
        put_cache(emit, cache);
        bt_emit_member_object(emit, "_meta");
        if (request->subscription.len > 0) {
            bt_emit_member_raw(emit, "io.modelcontextprotocol/subscriptionId",
                               request->subscription);
        }
        bt_emit_member_object(emit, "io.modelcontextprotocol/serverInfo");
        bt_emit_member_string(emit, "name", BT_STR("baton"));
        bt_emit_member_string(emit, "title", BT_STR("Baton"));
        bt_emit_member_string(emit, "version", bt_str_of(bt_version()));
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    end_message(request);
}

/*
 * The HTTP status: 200 for errors of the legacy era and for invalid params, as the protocol
 * demands.
 */
static unsigned status_of(const struct mcp_request *request, enum mcp_code code)
{
    if (!request->is_modern || code == MCP_INVALID_PARAMS || code == MCP_RESOURCE_NOT_FOUND) {
        return BT_HTTP_OK;
    }
    return code == MCP_UNKNOWN_METHOD ? BT_HTTP_NOT_FOUND : BT_HTTP_BAD_REQUEST;
}

void mcp_error(struct mcp_request *request, enum mcp_code code, const char *message, bt_str data)
{
    request->mcp->outcome.status = status_of(request, code);
    request->mcp->outcome.is_refused = true;
    begin_message(request);
    bt_emit_member_object(&request->emit, "error");
    bt_emit_name(&request->emit, "code");
    bt_emit_i64(&request->emit, code);
    bt_emit_member_string(&request->emit, "message", bt_str_of(message));
    if (data.len > 0) {
        bt_emit_member_raw(&request->emit, "data", data);
    }
    bt_emit_end(&request->emit);
    end_message(request);
}

void mcp_begin_notification(struct bt_emit *emit, struct bt_buf *out, const char *method,
                            bt_str subscription)
{
    bt_emit_init(emit, out, false);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_string(emit, "method", bt_str_of(method));
    bt_emit_member_object(emit, "params");
    if (subscription.len > 0) {
        bt_emit_member_object(emit, "_meta");
        bt_emit_member_raw(emit, "io.modelcontextprotocol/subscriptionId", subscription);
        bt_emit_end(emit);
    }
}

void mcp_end_notification(struct bt_emit *emit)
{
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_buf_put_char(emit->buf, '\n');
}
