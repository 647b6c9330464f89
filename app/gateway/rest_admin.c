/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_admin.c - the configuration in force, and reading it again.
 */
#include "gateway/gateway.h"
#include "gateway/rest.h"

enum { CONFIG_BYTES_MAX = 4 << 20, LOOK_MS = 20 };

static enum bt_status show(struct exchange *x)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_config_emit(x->config, &emit);
    bt_emit_end(&emit);
    const enum bt_status status =
        buf.status == BT_OK ? exchange_json(x, 200, bt_buf_str(&buf)) : buf.status;
    bt_buf_free(&buf);
    return status;
}

/* 409 with the findings about the file; what is no finding has only its code. */
static enum bt_status refuse(struct exchange *x, struct bt_findings *findings)
{
    struct rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    BT_TRY(bt_findings_finish(findings, BT_STR("")));
    rest.answer.kind = ANSWER_REFUSED;
    rest.answer.findings = findings;
    rest.answer.record = BT_STR("");
    rest.answer.status = 409;
    rest.answer.code = bt_findings_count(findings) > 0 ? bt_findings_at(findings, 0)->rule->code
                                                       : BT_STR("CONFIG_CONFLICT");
    return rest_end(&rest, BT_OK);
}

/* The loop puts it in force; until then nothing is said. */
static enum bt_status reload(struct exchange *x)
{
    struct bt_findings *findings = bt_findings_new(x->arena);
    struct bt_error error;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (x->call->waited_ms == 0 && gateway_reload(x->gateway, findings, &error) != BT_OK) {
        return refuse(x, findings);
    }
    if (gateway_reload_waits(x->gateway) && !x->call->is_hurried) {
        x->answer->again_ms = LOOK_MS;
        return BT_OK;
    }
    return exchange_json(x, 200, BT_STR("{\"baton\":1,\"reloaded\":true}"));
}

const struct route admin_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/admin/config",
     .operation = "adminConfig",
     .scopes = SCOPE_ADMIN,
     .run = show,
     .summary = "Show the configuration in force"},
    {.method = HTTP_POST,
     .path = "/v1/admin/reload",
     .operation = "adminReload",
     .scopes = SCOPE_ADMIN,
     .run = reload,
     .summary = "Read configuration, tokens and certificates again"},
    {.path = NULL},
};
