/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_inbox.c - what waits for an agent is taken, and how that ended is told.
 */
#include "gateway/rest.h"

enum { FINISH_MAX = 100, LOOK_MS = 500 };

static const uint64_t take_bounds[2] = {1, 100};
static const uint64_t lease_bounds[2] = {10, 3600};
static const uint64_t wait_bounds[2] = {0, 30};

/* Whether an answer to `take` holds no item. */
static bool is_empty(const struct answer *answer)
{
    return answer->kind == ANSWER_DONE && bt_str_ends(bt_buf_str(&answer->body), BT_STR(":[]}"));
}

/* With wait_s nobody waits here: the call is run again until there is something, or the time is
 * over. */
static enum bt_status take(struct exchange *x)
{
    struct inbox_ask ask = {.agent = x->params[0], .max = 10, .lease_s = 60};
    struct rest_object object;
    struct rest rest;
    uint64_t wait_s = 0;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (!rest_object(&rest, "max lease_s wait_s", &object) ||
        !rest_number(&object, "max", take_bounds, &ask.max) ||
        !rest_number(&object, "lease_s", lease_bounds, &ask.lease_s) ||
        !rest_number(&object, "wait_s", wait_bounds, &wait_s)) {
        return rest_drop(&rest);
    }
    const enum bt_status status = op_take(&rest.work, &ask);
    const bool may_wait = x->call->waited_ms < wait_s * 1000 && !x->call->is_hurried;
    if (status == BT_OK && is_empty(&rest.answer) && may_wait) {
        x->answer->again_ms = LOOK_MS;
        return rest_drop(&rest);
    }
    return rest_end(&rest, status);
}

/* One item of `finish`. False after an answer. */
static bool take_end(struct rest *rest, const struct rest_object *item, struct bt_inbox_finish *out)
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

static bool take_ends(struct rest *rest, struct bt_inbox_finish **out, size_t *out_count)
{
    struct rest_object object;
    if (!rest_object(rest, "items", &object)) {
        return false;
    }
    const bt_value *list = rest_member(&object, "items");
    const bool is_list = list && bt_json_type(list) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(list) : 0;
    if (count == 0 || count > FINISH_MAX) {
        return rest_refuse(rest, "items", "it is a list of 1 to 100 items");
    }
    struct bt_inbox_finish *items = BT_NEW_ARRAY(rest->x->arena, struct bt_inbox_finish, count);
    if (!items) {
        (void)exchange_problem(rest->x, "OVERLOADED");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct rest_object item = {rest, object.document, &bt_json_items(list)[i]};
        if (!take_end(rest, &item, &items[i])) {
            return false;
        }
    }
    *out = items;
    *out_count = count;
    return true;
}

static enum bt_status finish(struct exchange *x)
{
    struct bt_inbox_finish *items = NULL;
    struct rest rest;
    size_t count = 0;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return take_ends(&rest, &items, &count)
               ? rest_end(&rest, op_finish(&rest.work, x->params[0], items, count))
               : rest_drop(&rest);
}

const struct route inbox_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/inbox/{agent}/take",
     .operation = "takeHandoffs",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS,
     .run = take,
     .takes = "application/json",
     .summary = "Take what waits for an agent, under a lease"},
    {.method = HTTP_POST,
     .path = "/v1/inbox/{agent}/finish",
     .operation = "finishHandoffs",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS,
     .run = finish,
     .takes = "application/json",
     .summary = "Say how deliveries ended"},
    {.path = NULL},
};
