/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_approvals.c - requests for consent: seen, decided, used.
 */
#include "gateway/rest.h"
#include "service/approval_json.h"

static enum bt_status list(struct exchange *x)
{
    struct rest rest;
    bt_str status;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return rest_query_word(&rest, "status", NULL, &status)
               ? rest_end(&rest, op_approvals(&rest.work, status))
               : rest_drop(&rest);
}

static enum bt_status get(struct exchange *x)
{
    struct rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, op_approval(&rest.work, x->params[0])) : BT_OK;
}

/* How long a grant lives. False after an answer. */
static bool take_ttl(const struct rest_object *object, uint64_t *out)
{
    bt_str text;
    *out = service_grant_seconds(object->rest->x->config);
    if (!rest_text(object, "ttl", &text)) {
        return false;
    }
    return text.len == 0 || approval_parse_ttl(text, out) ||
           rest_refuse(object->rest, "ttl", "digits and s, m, h or d, at most 24h");
}

/* The members of a body that belong to an act. False after an answer. */
static bool take_wish(struct rest *rest, struct bt_approval_wish *wish)
{
    static const char *const names[] = {[BT_APPROVAL_SHOW] = "",
                                        [BT_APPROVAL_GRANT] = "fingerprint ttl",
                                        [BT_APPROVAL_DENY] = "reason",
                                        [BT_APPROVAL_REVOKE] = "reason"};
    struct rest_object object;
    if (!rest_object(rest, names[wish->act], &object) ||
        !rest_text(&object, "fingerprint", &wish->fingerprint) ||
        !rest_text(&object, "reason", &wish->reason) || !take_ttl(&object, &wish->seconds)) {
        return false;
    }
    return wish->act != BT_APPROVAL_GRANT || approval_is_fingerprint(wish->fingerprint) ||
           rest_refuse(rest, "fingerprint", "the 64 hexadecimal digits of what was shown");
}

static enum bt_status act(struct exchange *x, enum bt_approval_act what)
{
    struct bt_approval_wish wish = service_wish(what, x->params[0]);
    struct rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return take_wish(&rest, &wish) ? rest_end(&rest, op_decide(&rest.work, &wish))
                                   : rest_drop(&rest);
}

static enum bt_status show(struct exchange *x)
{
    return act(x, BT_APPROVAL_SHOW);
}

static enum bt_status grant(struct exchange *x)
{
    return act(x, BT_APPROVAL_GRANT);
}

static enum bt_status deny(struct exchange *x)
{
    return act(x, BT_APPROVAL_DENY);
}

static enum bt_status revoke(struct exchange *x)
{
    return act(x, BT_APPROVAL_REVOKE);
}

/* ---- Using ----------------------------------------------------------------------------------- */

/* The command, as a text or as bytes. False after an answer. */
static bool take_command(const struct rest_object *object, bt_str *out)
{
    struct rest *rest = object->rest;
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

static enum bt_status use(struct exchange *x)
{
    struct rest_object object;
    struct rest rest;
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
    return rest_end(&rest, op_use(&rest.work, command, id, agent));
}

#define DECIDE_ROW(path_, operation_, run_, summary_)                                              \
    {                                                                                              \
        .method = HTTP_POST, .path = (path_), .operation = (operation_), .scopes = SCOPE_APPROVE,  \
        .flags = ROUTE_RECORDS, .run = (run_), .takes = "application/json", .summary = (summary_)  \
    }

const struct route approval_routes[] = {
    {.method = HTTP_GET,
     .path = "/v1/approvals",
     .operation = "listApprovals",
     .scopes = SCOPE_APPROVE,
     .flags = ROUTE_STORE | ROUTE_WAITS,
     .run = list,
     .query = "status",
     .summary = "List requests for consent"},
    {.method = HTTP_POST,
     .path = "/v1/approvals/use",
     .operation = "useApproval",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS,
     .run = use,
     .takes = "application/json",
     .summary = "Use a grant for a command, once"},
    {.method = HTTP_GET,
     .path = "/v1/approvals/{id}",
     .operation = "getApproval",
     .scopes = SCOPE_APPROVE | SCOPE_SUBMIT,
     .flags = ROUTE_STORE | ROUTE_WAITS,
     .run = get,
     .summary = "Get one request for consent"},
    DECIDE_ROW("/v1/approvals/{id}/show", "showApproval", show, "Show a request to a person"),
    DECIDE_ROW("/v1/approvals/{id}/grant", "grantApproval", grant, "Grant what was shown"),
    DECIDE_ROW("/v1/approvals/{id}/deny", "denyApproval", deny, "Deny a request"),
    DECIDE_ROW("/v1/approvals/{id}/revoke", "revokeApproval", revoke, "Revoke a grant or request"),
    {.path = NULL},
};
