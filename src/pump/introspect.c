/* SPDX-License-Identifier: Apache-2.0 */
/* introspect.c - introspection of a client: only what it may call exists for it. */
#include <assert.h>
#include <stdlib.h>

#include "pump/ingress.h"

#define META_SPACE "https://xml-pipeline.org/ns/meta/v1"

static int by_name(const void *left, const void *right)
{
    return bt_str_compare(*(const bt_str *)left, *(const bt_str *)right);
}

/* The listeners and groups that the client may call, sorted. */
static enum bt_status put_list(const struct bt_message_check *message, struct bt_buf *buf)
{
    const struct bt_organism *organism = message->options->organism;
    const size_t most = organism->listeners_count + organism->groups_count;
    bt_str *names = BT_NEW_ARRAY(message->arena, bt_str, most + 1);
    size_t count = 0;
    if (!names) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < most; i++) {
        const bt_str name = i < organism->listeners_count
                                ? organism->listeners[i].takes.name
                                : organism->groups[i - organism->listeners_count].name;
        if (bt_organism_client_may_call(message->client, name)) {
            names[count++] = name;
        }
    }
    qsort(names, count, sizeof(names[0]), by_name);
    bt_buf_put_text(buf, "<capabilities xmlns=\"" META_SPACE "\">");
    for (size_t i = 0; i < count; i++) {
        bt_pump_put_leaf(buf, "capability", names[i]);
    }
    bt_buf_put_text(buf, "</capabilities>");
    return buf->status;
}

/* A text about a listener; for a group, about its first member. */
static enum bt_status put_text(const struct bt_message_check *message, const char *element,
                               enum bt_organism_text text, struct bt_buf *buf)
{
    const struct bt_organism *organism = message->options->organism;
    bt_str written;
    bt_str name;
    struct bt_buf content;
    BT_TRY(bt_xml_text(message->arena, bt_xml_first(message->payload), &written));
    BT_TRY(bt_ascii_lower_copy(message->arena, bt_xml_trim(written), &name));
    const struct bt_organism_group *group = bt_organism_group(organism, name);
    bt_buf_init(&content, SIZE_MAX);
    const enum bt_status status = bt_organism_put_text(
        &content, message->arena, organism, group ? group->first->takes.name : name, text);
    bt_buf_printf(buf, "<%s xmlns=\"" META_SPACE "\">", element);
    bt_pump_put_leaf(buf, "capability", name);
    bt_pump_put_leaf(buf, "content", bt_buf_str(&content));
    bt_buf_printf(buf, "</%s>", element);
    bt_buf_free(&content);
    return status == BT_OK ? buf->status : status;
}

enum bt_status bt_pump_ingress_introspect(const struct bt_message_check *message,
                                          struct bt_buf *buf, bt_str *out_tag)
{
    static const struct pump_introspect_row {
        bt_str request;
        bt_str answer;
        enum bt_organism_text text;
    } rows[] = {
        {BT_STR_INIT("request-schema"), BT_STR_INIT("schema"), BT_ORGANISM_TEXT_SCHEMA},
        {BT_STR_INIT("request-example"), BT_STR_INIT("example"), BT_ORGANISM_TEXT_EXAMPLE},
        {BT_STR_INIT("request-prompt"), BT_STR_INIT("prompt"), BT_ORGANISM_TEXT_PROMPT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(message->payload->name, rows[i].request)) {
            *out_tag = rows[i].answer;
            return put_text(message, rows[i].answer.ptr, rows[i].text, buf);
        }
    }
    *out_tag = BT_STR("capabilities");
    return put_list(message, buf);
}
