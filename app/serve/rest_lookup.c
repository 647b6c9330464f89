/* SPDX-License-Identifier: Apache-2.0 */
/* rest_lookup.c - rules, schemas, problems, and the caller's own identity. */
#include "operation/rule_text.h"
#include "serve/rest.h"

static const char for_minutes[] = "max-age=300";

/* Respond with a text that changes only with the program. */
static enum bt_status respond_cacheable(struct serve_call *x, const char *type, struct bt_buf *buf)
{
    enum bt_status status = buf->status;
    if (status == BT_OK) {
        status = serve_call_respond_body(x, 200, type, bt_buf_str(buf));
    }
    bt_buf_free(buf);
    BT_TRY(status);
    serve_call_set_cache_control(x, for_minutes);
    return serve_call_set_etag(x);
}

static enum bt_status list_rules(struct serve_call *x)
{
    struct bt_buf buf;
    bt_buf_init(&buf, RULES_BYTES_MAX);
    bt_rules_put(&buf);
    bt_buf_put_char(&buf, '\n');
    return respond_cacheable(x, "application/json", &buf);
}

static enum bt_status get_rule(struct serve_rest *rest)
{
    const bt_str code = rest->x->params[0];
    if (bt_rules_find(code) == bt_rules_count()) {
        return serve_call_respond_problem(rest->x, BT_PROBLEM_NOT_FOUND);
    }
    rest->cache = for_minutes;
    return bt_op_explain(&rest->work, code);
}

static enum bt_status list_schemas(struct serve_call *x)
{
    struct bt_buf buf;
    bt_buf_init(&buf, RULES_BYTES_MAX);
    bt_schemas_put(&buf);
    bt_buf_put_char(&buf, '\n');
    return respond_cacheable(x, "application/json", &buf);
}

static enum bt_status get_schema(struct serve_call *x)
{
    const bt_str text = bt_schema_builtin_text(x->params[0]);
    struct bt_buf buf;
    if (text.len == 0) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    bt_buf_init(&buf, RULES_BYTES_MAX);
    bt_buf_put(&buf, text);
    return respond_cacheable(x, "application/schema+json", &buf);
}

/* ---- The caller ------------------------------------------------------------------------------ */

static enum bt_status get_principal(struct serve_call *x)
{
    const struct serve_principal *principal = x->principal;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "principal", principal->name);
    bt_emit_name(&emit, "scopes");
    bt_scopes_emit(&emit, principal->scopes);
    bt_emit_name(&emit, "agents");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < principal->agent_count; i++) {
        bt_emit_string(&emit, principal->agents[i]);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "anonymous");
    bt_emit_bool(&emit, principal->is_anonymous);
    bt_emit_end(&emit);
    const enum bt_status status =
        buf.status == BT_OK ? serve_call_respond_json(x, 200, bt_buf_str(&buf)) : buf.status;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status get_version(struct serve_call *x)
{
    bt_str json;
    BT_TRY(bt_arena_printf(x->arena, &json, "{\"baton\":1,\"version\":\"%s\"}", bt_version()));
    return serve_call_respond_json(x, 200, json);
}

const struct serve_handler lookup_handlers[] = {
    {BT_OPERATION_RULE_LIST, 0, .run_call = list_rules},
    {BT_OPERATION_RULE_GET, 0, .run = get_rule},
    {BT_OPERATION_SCHEMA_LIST, 0, .run_call = list_schemas},
    {BT_OPERATION_SCHEMA_GET, 0, .run_call = get_schema},
    {BT_OPERATION_SERVER_WHOAMI, 0, .run_call = get_principal},
    {BT_OPERATION_SERVER_VERSION, 0, .run_call = get_version},
    {.run = NULL},
};
