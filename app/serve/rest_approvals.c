/* SPDX-License-Identifier: Apache-2.0 */
/* rest_approvals.c - list, show, decide and use approval requests. */
#include "operation/approval_json.h"
#include "serve/rest.h"

static enum bt_status list_approvals(struct serve_call *x)
{
    struct serve_rest rest;
    bt_str status;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return rest_query_word(&rest, "status", NULL, &status)
               ? rest_end(&rest, bt_op_approvals(&rest.work, status))
               : rest_drop(&rest);
}

static enum bt_status get_approval(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, bt_op_approval(&rest.work, x->params[0])) : BT_OK;
}

/* Read the lifetime of a grant. False: the response is set. */
static bool take_ttl(const struct serve_rest_object *object, uint64_t *out)
{
    bt_str text;
    *out = bt_op_grant_seconds(object->rest->x->config);
    if (!rest_text(object, "ttl", &text)) {
        return false;
    }
    return text.len == 0 || bt_approval_ttl_parse(text, out) ||
           rest_refuse(object->rest, "ttl", "digits and s, m, h or d, at most 24h");
}

/* Read the members of the body for an action. False: the response is set. */
static bool parse_action_options(struct serve_rest *rest,
                                 struct bt_approval_action_options *action_options)
{
    static const char *const names[] = {[BT_APPROVAL_ACTION_SHOW] = "",
                                        [BT_APPROVAL_ACTION_GRANT] = "fingerprint ttl",
                                        [BT_APPROVAL_ACTION_DENY] = "reason",
                                        [BT_APPROVAL_ACTION_REVOKE] = "reason"};
    struct serve_rest_object object;
    if (!rest_object(rest, names[action_options->act], &object) ||
        !rest_text(&object, "fingerprint", &action_options->fingerprint) ||
        !rest_text(&object, "reason", &action_options->reason) ||
        !take_ttl(&object, &action_options->seconds)) {
        return false;
    }
    return action_options->act != BT_APPROVAL_ACTION_GRANT ||
           bt_fingerprint_is_valid(action_options->fingerprint) ||
           rest_refuse(rest, "fingerprint", "the 64 hexadecimal digits of what was shown");
}

static enum bt_status run_approval_action(struct serve_call *x, enum bt_approval_action what)
{
    struct bt_approval_action_options action_options =
        bt_approval_action_options_init(what, x->params[0]);
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return parse_action_options(&rest, &action_options)
               ? rest_end(&rest, bt_op_approval_act(&rest.work, &action_options))
               : rest_drop(&rest);
}

static enum bt_status show_approval(struct serve_call *x)
{
    return run_approval_action(x, BT_APPROVAL_ACTION_SHOW);
}

static enum bt_status grant_approval(struct serve_call *x)
{
    return run_approval_action(x, BT_APPROVAL_ACTION_GRANT);
}

static enum bt_status deny_approval(struct serve_call *x)
{
    return run_approval_action(x, BT_APPROVAL_ACTION_DENY);
}

static enum bt_status revoke_approval(struct serve_call *x)
{
    return run_approval_action(x, BT_APPROVAL_ACTION_REVOKE);
}

/* ---- Using ----------------------------------------------------------------------------------- */

/* Read the command, given as text or as base64. False: the response is set. */
static bool take_command(const struct serve_rest_object *object, bt_str *out)
{
    struct serve_rest *rest = object->rest;
    bt_str base64;
    if (!rest_text(object, "command", out) || !rest_text(object, "command_base64", &base64)) {
        return false;
    }
    const bool has_text = rest_member(object, "command") != NULL;
    if (has_text == (rest_member(object, "command_base64") != NULL)) {
        return rest_refuse(rest, "command", "give it as command or as command_base64");
    }
    return has_text || rest_decode(rest, "command_base64", base64, out);
}

static enum bt_status use_approval(struct serve_call *x)
{
    struct serve_rest_object object;
    struct serve_rest rest;
    bt_str command;
    bt_str id;
    bt_str agent;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "command command_base64 id agent workspace", &object) ||
        !take_command(&object, &command) || !rest_text(&object, "id", &id) ||
        !rest_text(&object, "agent", &agent) ||
        !rest_text(&object, "workspace", &x->caller.workspace)) {
        return rest_drop(&rest);
    }
    return rest_end(&rest, bt_op_approval_use(&rest.work, command, id, agent));
}

#define DECIDE_ROW(path_, operation_, run_, summary_)                                              \
    {                                                                                              \
        .method = HTTP_POST, .path = (path_), .operation = (operation_),                           \
        .scopes = BT_SCOPE_APPROVE, .flags = ROUTE_RECORDS, .run = (run_),                         \
        .takes = "application/json", .summary = (summary_)                                         \
    }

const struct serve_route approval_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/approvals",
     .operation = "listApprovals",
     .scopes = BT_SCOPE_APPROVE,
     .flags = ROUTE_STORE | ROUTE_WAITS,
     .run = list_approvals,
     .query = "status",
     .summary = "List requests for consent"},
    {.method = HTTP_POST,
     .path = "/v1/approvals/use",
     .operation = "useApproval",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS,
     .run = use_approval,
     .takes = "application/json",
     .summary = "Use a grant for a command, once"},
    {.method = HTTP_GET,
     .path = "/v1/approvals/{id}",
     .operation = "getApproval",
     .scopes = BT_SCOPE_APPROVE | BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE | ROUTE_WAITS,
     .run = get_approval,
     .summary = "Get one request for consent"},
    DECIDE_ROW("/v1/approvals/{id}/show", "showApproval", show_approval,
               "Show a request to a person"),
    DECIDE_ROW("/v1/approvals/{id}/grant", "grantApproval", grant_approval, "Grant what was shown"),
    DECIDE_ROW("/v1/approvals/{id}/deny", "denyApproval", deny_approval, "Deny a request"),
    DECIDE_ROW("/v1/approvals/{id}/revoke", "revokeApproval", revoke_approval,
               "Revoke a grant or request"),
    {.path = NULL},
};
