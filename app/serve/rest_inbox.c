/* SPDX-License-Identifier: Apache-2.0 */
/* rest_inbox.c - lease and finish the items of an agent's inbox. */
#include "serve/rest.h"

enum { FINISH_MAX = 100, POLL_INTERVAL_MS = 500 };

/* True when a result of `take` holds no item. */
static bool is_empty(const struct bt_result *answer)
{
    return answer->kind == ANSWER_DONE &&
           bt_str_ends_with(bt_buf_str(&answer->body), BT_STR(":[]}"));
}

/*
 * With wait_s no thread waits: the request is run again until there is an item or the time is over.
 */
static enum bt_status lease_items(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    const struct bt_op_inbox_lease lease = {.agent = x->params[0],
                                            .max = rest_number(rest, "max", 10),
                                            .lease_s = rest_number(rest, "lease_s", 60)};
    const uint64_t wait_ms = rest_number(rest, "wait_s", 0) * 1000;
    const enum bt_status status = bt_op_inbox_lease_items(&rest->work, &lease);
    const bool may_wait = x->call->pending_ms < wait_ms && !x->call->server_is_stopping;
    if (status == BT_OK && is_empty(&rest->answer) && may_wait) {
        x->answer->retry_ms = POLL_INTERVAL_MS;
    }
    return status;
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
        !rest_object_text(item, "message", &out->message) ||
        !rest_object_text(item, "lease", &out->lease) ||
        !rest_object_text(item, "outcome", &outcome)) {
        return false;
    }
    out->is_delivered = bt_str_eq(outcome, BT_STR("delivered"));
    return (out->message.len > 0 && (out->is_delivered || bt_str_eq(outcome, BT_STR("failed")))) ||
           rest_refuse(rest, "items", "each has message, lease and outcome: delivered or failed");
}

static bool take_ends(struct serve_rest *rest, struct bt_inbox_finish_item **out, size_t *out_count)
{
    const bt_json_value *list = rest_value(rest, "items");
    const bool is_list = list && bt_json_type(list) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(list) : 0;
    if (count == 0 || count > FINISH_MAX) {
        return rest_refuse(rest, "items", "it is a list of 1 to 100 items");
    }
    struct bt_inbox_finish_item *items =
        BT_NEW_ARRAY(rest->x->arena, struct bt_inbox_finish_item, count);
    if (!items) {
        (void)serve_call_respond_problem(rest->x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct serve_rest_object item = {rest, rest->document, &bt_json_items(list)[i]};
        if (!take_end(rest, &item, &items[i])) {
            return false;
        }
    }
    *out = items;
    *out_count = count;
    return true;
}

static enum bt_status finish_items(struct serve_rest *rest)
{
    struct bt_inbox_finish_item *items = NULL;
    size_t count = 0;
    return take_ends(rest, &items, &count)
               ? bt_op_inbox_finish_items(&rest->work, rest->x->params[0], items, count)
               : BT_OK;
}

const struct serve_handler inbox_handlers[] = {
    {BT_OPERATION_INBOX_LEASE, 0, .run = lease_items},
    {BT_OPERATION_INBOX_FINISH, 0, .run = finish_items},
    {.run = NULL},
};
