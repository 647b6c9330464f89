/* SPDX-License-Identifier: Apache-2.0 */
/* rest_inbox.c - lease and finish the items of an agent's inbox. */
#include "serve/rest.h"

enum { FINISH_MAX = 100, POLL_INTERVAL_MS = 500 };

static const uint64_t take_bounds[2] = {1, 100};
static const uint64_t lease_bounds[2] = {10, 3600};
static const uint64_t wait_bounds[2] = {0, 30};

/* True when a result of `take` holds no item. */
static bool is_empty(const struct bt_result *answer)
{
    return answer->kind == ANSWER_DONE &&
           bt_str_ends_with(bt_buf_str(&answer->body), BT_STR(":[]}"));
}

/*
 * With wait_s no thread waits: the request is run again until there is an item or the time is over.
 */
static enum bt_status lease_items(struct serve_call *x)
{
    struct bt_op_inbox_lease lease = {.agent = x->params[0], .max = 10, .lease_s = 60};
    struct serve_rest_object object;
    struct serve_rest rest;
    uint64_t wait_s = 0;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "max lease_s wait_s", &object) ||
        !rest_number(&object, "max", take_bounds, &lease.max) ||
        !rest_number(&object, "lease_s", lease_bounds, &lease.lease_s) ||
        !rest_number(&object, "wait_s", wait_bounds, &wait_s)) {
        return rest_drop(&rest);
    }
    const enum bt_status status = bt_op_inbox_lease_items(&rest.work, &lease);
    const bool may_wait = x->call->pending_ms < wait_s * 1000 && !x->call->server_is_stopping;
    if (status == BT_OK && is_empty(&rest.answer) && may_wait) {
        x->answer->retry_ms = POLL_INTERVAL_MS;
        return rest_drop(&rest);
    }
    return rest_end(&rest, status);
}

/* Read one item of `finish`. False: the response is set. */
static bool take_end(struct serve_rest *rest, const struct serve_rest_object *item,
                     struct bt_inbox_finish_item *out)
{
    bt_str outcome;
    if (bt_json_type(item->root) != BT_JSON_OBJECT) {
        return rest_refuse(rest, "items", "it is no list of objects");
    }
    if (!rest_object_is_closed(item, "message lease outcome") ||
        !rest_text(item, "message", &out->message) || !rest_text(item, "lease", &out->lease) ||
        !rest_text(item, "outcome", &outcome)) {
        return false;
    }
    out->is_delivered = bt_str_eq(outcome, BT_STR("delivered"));
    return (out->message.len > 0 && (out->is_delivered || bt_str_eq(outcome, BT_STR("failed")))) ||
           rest_refuse(rest, "items", "each has message, lease and outcome: delivered or failed");
}

static bool take_ends(struct serve_rest *rest, struct bt_inbox_finish_item **out, size_t *out_count)
{
    struct serve_rest_object object;
    if (!rest_object(rest, "items", &object)) {
        return false;
    }
    const bt_json_value *list = rest_member(&object, "items");
    const bool is_list = list && bt_json_type(list) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(list) : 0;
    if (count == 0 || count > FINISH_MAX) {
        return rest_refuse(rest, "items", "it is a list of 1 to 100 items");
    }
    struct bt_inbox_finish_item *items =
        BT_NEW_ARRAY(rest->x->arena, struct bt_inbox_finish_item, count);
    if (!items) {
        (void)serve_call_respond_problem(rest->x, "OVERLOADED");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct serve_rest_object item = {rest, object.document, &bt_json_items(list)[i]};
        if (!take_end(rest, &item, &items[i])) {
            return false;
        }
    }
    *out = items;
    *out_count = count;
    return true;
}

static enum bt_status finish_items(struct serve_call *x)
{
    struct bt_inbox_finish_item *items = NULL;
    struct serve_rest rest;
    size_t count = 0;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return take_ends(&rest, &items, &count)
               ? rest_end(&rest, bt_op_inbox_finish_items(&rest.work, x->params[0], items, count))
               : rest_drop(&rest);
}

const struct serve_route inbox_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/inbox/{agent}/take",
     .operation = "takeHandoffs",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS,
     .run = lease_items,
     .takes = "application/json",
     .summary = "Take what waits for an agent, under a lease"},
    {.method = HTTP_POST,
     .path = "/v1/inbox/{agent}/finish",
     .operation = "finishHandoffs",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS,
     .run = finish_items,
     .takes = "application/json",
     .summary = "Say how deliveries ended"},
    {.path = NULL},
};
