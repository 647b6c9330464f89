/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_post.c - send one POST request to a collector. */
#include <stdlib.h>
#include <string.h>

#include "serve/otlp.h"

enum { FIELDS_BYTES_MAX = 32768 };

/* ---- Destination ----------------------------------------------------------------------------- */

static bool is_name(bt_str text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        if (!is_letter && !(byte >= '0' && byte <= '9') && !(byte && strchr(others, byte))) {
            return false;
        }
    }
    return text.len > 0;
}

static enum bt_status put_fields(struct bt_arena *arena, const struct bt_config *config,
                                 struct bt_buf *buf, struct bt_error *error)
{
    for (size_t i = 0; i < bt_config_count(config, "otlp.header_env"); i++) {
        const bt_str name = bt_config_item_name(config, "otlp.header_env", i);
        bt_str variable;
        BT_TRY(bt_arena_copy(arena, bt_config_item(config, "otlp.header_env", i), &variable));
        const bt_str value = bt_str_of(getenv(variable.ptr));
        if (!is_name(name) || !bt_http_field_value_is_valid(value)) {
            return bt_error_set(error, BT_EINVAL,
                                "otlp.header_env: the variable %.*s is not set, or its value is "
                                "not allowed in a header field",
                                BT_STR_ARG(variable));
        }
        bt_buf_printf(buf, "%.*s: %.*s\r\n", BT_STR_ARG(name), BT_STR_ARG(value));
    }
    return buf->status;
}

enum bt_status collector_read(struct bt_arena *arena, const struct bt_config *config,
                              struct serve_otlp_collector *out, struct bt_error *error)
{
    const bt_str url = bt_config_text(config, "otlp.endpoint");
    struct bt_buf fields;
    *out = (struct serve_otlp_collector){.fields = BT_STR_INIT("")};
    if (url.len == 0) {
        return BT_OK;
    }
    if (bt_http_url_parse(arena, url, &out->where) != BT_OK) {
        return bt_error_set(error, BT_EINVAL, "otlp.endpoint is not a usable URL");
    }
    bt_buf_init(&fields, FIELDS_BYTES_MAX);
    bt_buf_put_text(&fields, "Content-Type: application/json\r\n");
    enum bt_status status = put_fields(arena, config, &fields, error);
    if (status == BT_OK) {
        status = bt_buf_copy(&fields, arena, &out->fields);
    }
    bt_buf_free(&fields);
    return status;
}

unsigned collector_post(const struct serve_otlp_collector *collector, bt_str body,
                        uint64_t until_ms, const _Atomic uint64_t *end_ms)
{
    const struct http_client_post post = {.where = &collector->where,
                                          .path = "/v1/traces",
                                          .fields = collector->fields,
                                          .body = body,
                                          .until_ms = until_ms,
                                          .end_ms = end_ms};
    return bt_http_client_post(&post, NULL);
}
