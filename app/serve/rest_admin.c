/* SPDX-License-Identifier: Apache-2.0 */
/* rest_admin.c - show and reload the configuration. */
#include "operation/rule_codes.h"
#include "serve/rest.h"
#include "serve/server.h"

enum { CONFIG_BYTES_MAX = 4 << 20, POLL_INTERVAL_MS = 20 };

static enum bt_status get_config(struct serve_call *x)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, CONFIG_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_config_emit(x->config, &emit);
    bt_emit_end(&emit);
    const enum bt_status status =
        buf.status == BT_OK ? serve_call_respond_json(x, 200, bt_buf_str(&buf)) : buf.status;
    bt_buf_free(&buf);
    return status;
}

/*
 * The code of the first HARD finding; a reason that is not a finding, such as a key that needs a
 * restart, is a conflict.
 */
static bt_str code_of(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            return finding->rule->code;
        }
    }
    return bt_rule_of_code(BT_CODE_CONFIG_CONFLICT)->code;
}

/*
 * Respond with 409 and the findings about the file. They are finished by the code that read the
 * file, except when it could not be read.
 */
static enum bt_status respond_config_findings(struct serve_call *x, struct bt_findings *findings)
{
    struct serve_rest rest;
    if (bt_findings_count(findings) == 0) {
        findings = bt_findings_new(x->arena);
        BT_TRY(findings ? bt_findings_finish(findings, BT_STR("")) : BT_ENOMEM);
    }
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    rest.answer.kind = ANSWER_REFUSED;
    rest.answer.findings = findings;
    rest.answer.record = BT_STR("");
    rest.answer.status = 409;
    rest.answer.code = code_of(findings);
    return rest_end(&rest, BT_OK);
}

/* The event loop applies the new configuration; respond after that. */
static enum bt_status reload_config(struct serve_call *x)
{
    struct bt_findings *findings = bt_findings_new(x->arena);
    struct bt_error error;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (x->call->pending_ms == 0 && serve_reload(x->gateway, findings, &error) != BT_OK) {
        return respond_config_findings(x, findings);
    }
    if (serve_reload_is_pending(x->gateway) && !x->call->server_is_stopping) {
        x->answer->retry_ms = POLL_INTERVAL_MS;
        return BT_OK;
    }
    return serve_call_respond_json(x, 200, BT_STR("{\"baton\":1,\"reloaded\":true}"));
}

const struct serve_handler admin_handlers[] = {
    {BT_OPERATION_CONFIG_SHOW, 0, .run_call = get_config},
    {BT_OPERATION_SERVER_RELOAD, 0, .run_call = reload_config},
    {.run = NULL},
};
