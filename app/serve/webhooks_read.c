/* SPDX-License-Identifier: Apache-2.0 */
/* webhooks_read.c - read the configured receivers. */
#include <stdlib.h>

#include "serve/webhooks.h"

#define KEY "deliver.webhooks"

enum { PORT_MAX = 65535 };

/*
 * User information would not be sent, and a fragment never is, so a URL with one of these is a
 * mistake.
 */
static bool is_plain_url(bt_str url)
{
    const size_t from = bt_str_find_byte(url, '/', 0) + 2;
    const bt_str authority = bt_str_slice(url, from, bt_str_find_byte(url, '/', from));
    return bt_str_find_byte(authority, '@', 0) == authority.len &&
           bt_str_find_byte(authority, '?', 0) == authority.len &&
           bt_str_find_byte(url, '#', 0) == url.len;
}

static enum bt_status read_url(struct bt_arena *arena, bt_str url, struct serve_webhook *out,
                               struct bt_error *error)
{
    uint64_t port = 0;
    const enum bt_status status = bt_http_url_parse(arena, url, &out->where);
    if (status == BT_ENOMEM) {
        return status;
    }
    if (status != BT_OK || !is_plain_url(url) || bt_str_to_u64(out->where.port, &port) != BT_OK ||
        port == 0 || port > PORT_MAX) {
        return bt_error_set(error, BT_EINVAL,
                            KEY
                            ": the url for %.*s is not one of http or https without a user and a "
                            "fragment",
                            BT_STR_ARG(out->target));
    }
    const bool has_slash = out->where.path.len == 0 || bt_str_ends_with(url, BT_STR("/"));
    out->path = has_slash ? "/" : "";
    return BT_OK;
}

static enum bt_status read_token(struct bt_arena *arena, bt_str variable, struct serve_webhook *out,
                                 struct bt_error *error)
{
    static const bt_str type = BT_STR_INIT("Content-Type: application/json\r\n");
    out->fields = type;
    if (variable.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(arena, variable, &variable));
    const bt_str token = bt_str_of(getenv(variable.ptr));
    if (!bt_http_field_value_is_valid(token)) {
        return bt_error_set(
            error, BT_EINVAL,
            KEY ": the variable %.*s is not set, or its value is not allowed in a header field",
            BT_STR_ARG(variable));
    }
    return bt_arena_printf(arena, &out->fields, "%.*sAuthorization: Bearer %.*s\r\n",
                           BT_STR_ARG(type), BT_STR_ARG(token));
}

static bool is_named_before(const struct serve_webhook_list *list, bt_str target)
{
    for (size_t i = 0; i < list->count; i++) {
        if (bt_str_eq(list->items[i].target, target)) {
            return true;
        }
    }
    return false;
}

enum bt_status webhooks_read(struct bt_arena *arena, const struct bt_config *config,
                             struct serve_webhook_list *out, struct bt_error *error)
{
    const size_t count = bt_config_count(config, KEY);
    struct serve_webhook_list list = {.items = BT_NEW_ARRAY(arena, struct serve_webhook, count + 1),
                                      .attempts_max = bt_config_u64(config, "deliver.attempts")};
    if (!list.items) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (size_t i = 0; i < count; i++) {
        struct serve_webhook *hook = &list.items[i];
        const bt_str target = bt_config_item_member(config, KEY, i, "target");
        if (!bt_entry_name_is_valid(target) || is_named_before(&list, target)) {
            return bt_error_set(error, BT_EINVAL, KEY ": target %.*s is not a name, or comes twice",
                                BT_STR_ARG(target));
        }
        BT_TRY(bt_arena_copy(arena, target, &hook->target));
        BT_TRY(read_url(arena, bt_config_item_member(config, KEY, i, "url"), hook, error));
        BT_TRY(read_token(arena, bt_config_item_member(config, KEY, i, "token_env"), hook, error));
        list.count++;
    }
    *out = list;
    return BT_OK;
}
