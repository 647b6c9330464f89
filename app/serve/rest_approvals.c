/* SPDX-License-Identifier: Apache-2.0 */
/* rest_approvals.c - list, show, decide and use approval requests. */
#include "operation/approval_json.h"
#include "serve/rest.h"

static enum bt_status list_approvals(struct serve_rest *rest)
{
    return bt_op_approvals(&rest->work, rest_text(rest, "status"));
}

static enum bt_status get_approval(struct serve_rest *rest)
{
    return bt_op_approval(&rest->work, rest->x->params[0]);
}

static enum bt_status run_approval_action(struct serve_rest *rest, enum bt_approval_action what)
{
    struct bt_approval_action_options options =
        bt_approval_action_options_init(what, rest->x->params[0]);
    const bt_str ttl = rest_text(rest, "ttl");
    options.fingerprint = rest_text(rest, "fingerprint");
    options.reason = rest_text(rest, "reason");
    options.seconds = bt_op_grant_seconds(rest->x->config);
    if ((ttl.len > 0 && !bt_approval_ttl_parse(ttl, &options.seconds) &&
         !rest_refuse(rest, "ttl", "digits and s, m, h or d, at most 24h")) ||
        (what == BT_APPROVAL_ACTION_GRANT && !bt_fingerprint_is_valid(options.fingerprint) &&
         !rest_refuse(rest, "fingerprint", "the 64 hexadecimal digits of what was shown"))) {
        return BT_OK;
    }
    return bt_op_approval_act(&rest->work, &options);
}

static enum bt_status show_approval(struct serve_rest *rest)
{
    return run_approval_action(rest, BT_APPROVAL_ACTION_SHOW);
}

static enum bt_status grant_approval(struct serve_rest *rest)
{
    return run_approval_action(rest, BT_APPROVAL_ACTION_GRANT);
}

static enum bt_status deny_approval(struct serve_rest *rest)
{
    return run_approval_action(rest, BT_APPROVAL_ACTION_DENY);
}

static enum bt_status revoke_approval(struct serve_rest *rest)
{
    return run_approval_action(rest, BT_APPROVAL_ACTION_REVOKE);
}

/* The command is given as a text or as bytes. */
static enum bt_status use_approval(struct serve_rest *rest)
{
    const bool has_text = rest_has(rest, "command");
    bt_str command = rest_text(rest, "command");
    if (has_text == rest_has(rest, "command_base64")) {
        (void)rest_refuse(rest, "command", "give it as command or as command_base64");
        return BT_OK;
    }
    if (!has_text &&
        !rest_decode(rest, "command_base64", rest_text(rest, "command_base64"), &command)) {
        return BT_OK;
    }
    rest->x->caller.workspace = rest_text(rest, "workspace");
    return bt_op_approval_use(&rest->work, command, rest_text(rest, "id"),
                              rest_text(rest, "agent"));
}

const struct serve_handler approval_handlers[] = {
    {BT_OPERATION_APPROVAL_LIST, ROUTE_WAITS, .run = list_approvals},
    {BT_OPERATION_APPROVAL_USE, 0, .run = use_approval},
    {BT_OPERATION_APPROVAL_GET, ROUTE_WAITS, .run = get_approval},
    {BT_OPERATION_APPROVAL_SHOW, 0, .run = show_approval},
    {BT_OPERATION_APPROVAL_GRANT, 0, .run = grant_approval},
    {BT_OPERATION_APPROVAL_DENY, 0, .run = deny_approval},
    {BT_OPERATION_APPROVAL_REVOKE, 0, .run = revoke_approval},
    {.run = NULL},
};
