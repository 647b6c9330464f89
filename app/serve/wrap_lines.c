/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_lines.c - messages between several clients and one server: ids replaced and put back. */
#include <assert.h>

#include "serve/wrap_channels.h"

static const bt_str subscription_key = BT_STR_INIT("io.modelcontextprotocol/subscriptionId");

/* ---- Writing --------------------------------------------------------------------------------- */

/* The edits that replace something, in the order of the text. Returns their number. */
static size_t sort_edits(const struct bt_json_doc *document, const struct serve_wrap_edit *edits,
                         size_t count, struct serve_wrap_edit out[SERVE_WRAP_EDITS_MAX])
{
    size_t kept = 0;
    assert(count <= SERVE_WRAP_EDITS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!edits[i].value) {
            continue;
        }
        size_t at = kept++;
        for (; at > 0 && bt_json_span(document, out[at - 1].value).begin >
                             bt_json_span(document, edits[i].value).begin;
             at--) {
            out[at] = out[at - 1];
        }
        out[at] = edits[i];
    }
    return kept;
}

void serve_wrap_put_line(struct bt_buf *out, const struct bt_json_doc *document,
                         const struct serve_wrap_edit *edits, size_t count)
{
    const bt_str text = bt_json_source(document);
    const size_t begin = out->len;
    struct serve_wrap_edit sorted[SERVE_WRAP_EDITS_MAX];
    const size_t edit_count = sort_edits(document, edits, count, sorted);
    size_t from = 0;
    for (size_t i = 0; i < edit_count; i++) {
        const struct bt_json_span span = bt_json_span(document, sorted[i].value);
        bt_buf_put(out, bt_str_slice(text, from, span.begin));
        bt_buf_put(out, sorted[i].text);
        from = span.end;
    }
    bt_buf_put(out, bt_str_slice(text, from, text.len));
    /* Line breaks in JSON are white space between values: strings have none. */
    for (size_t i = begin; i < out->len; i++) {
        if (out->ptr[i] == '\n' || out->ptr[i] == '\r') {
            out->ptr[i] = ' ';
        }
    }
    bt_buf_put_char(out, '\n');
}

/* ---- Reading --------------------------------------------------------------------------------- */

uint64_t serve_wrap_number_of(const struct bt_json_doc *document, const bt_json_value *value)
{
    struct bt_wrap_id id;
    uint64_t number = 0;
    if (!value || !bt_wrap_id_read(document, value, &id)) {
        return 0;
    }
    if (id.is_text) { /* some servers write the ids of subscriptions as texts */
        return bt_str_to_u64((bt_str){id.text, id.size}, &number) == BT_OK ? number : 0;
    }
    return id.number > 0 ? (uint64_t)id.number : 0;
}

static const bt_json_value *find_subscription(const struct bt_wrap_message *message,
                                              const bt_json_value *owner)
{
    const bt_json_value *metadata = bt_json_get(message->document, owner, BT_STR("_meta"));
    return bt_json_get(message->document, metadata, subscription_key);
}

struct serve_wrap_route serve_wrap_route_of(const struct bt_wrap_message *message, bool is_legacy)
{
    const struct bt_json_doc *document = message->document;
    struct serve_wrap_route route = {0};
    if (message->kind == BT_WRAP_MESSAGE_RESPONSE) {
        const bt_json_value *id = bt_json_get(document, bt_json_root(document), BT_STR("id"));
        route.number = message->id.is_text ? 0 : serve_wrap_number_of(document, id);
        route.values[0] = id;
        route.values[2] = message->result ? find_subscription(message, message->result) : NULL;
        return route;
    }
    if (message->kind != BT_WRAP_MESSAGE_NOTIFICATION || !message->params) {
        return route;
    }
    if (bt_str_eq(message->method, BT_STR("notifications/progress"))) {
        route.values[1] = bt_json_get(document, message->params, BT_STR("progressToken"));
        route.number = serve_wrap_number_of(document, route.values[1]);
    } else if (bt_str_eq(message->method, BT_STR("notifications/cancelled")) && !is_legacy) {
        route.values[0] = bt_json_get(document, message->params, BT_STR("requestId"));
        route.number = serve_wrap_number_of(document, route.values[0]);
    } else {
        route.values[2] = find_subscription(message, message->params);
        route.number = serve_wrap_number_of(document, route.values[2]);
    }
    return route;
}
