/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say.c - findings about elements, and the fixes that would settle them.
 */
#include <assert.h>

#include "dialect/xml/message.h"

enum bt_status bt_message_remark(struct bt_message *message, struct bt_remark *remark,
                                 const char *code, const struct bt_xml_node *element)
{
    bt_remark_begin(remark, bt_xml_rule(code));
    if (!element) {
        return BT_OK;
    }
    remark->finding.offset = element->offset;
    return bt_xml_put_path(&remark->pointer, message->arena, element);
}

enum bt_status bt_message_say(struct bt_message *message, struct bt_remark *remark)
{
    message->hard += remark->finding.severity == BT_HARD;
    return bt_remark_end(remark, message->findings);
}

enum bt_status bt_message_tell(struct bt_message *message, const char *code,
                               const struct bt_xml_node *element, const char *name, bt_str value)
{
    struct bt_remark remark;
    const enum bt_status status = bt_message_remark(message, &remark, code, element);
    if (name) {
        bt_buf_put(&remark.message, remark.finding.rule->meaning);
        bt_buf_put_text(&remark.message, ": ");
        bt_put_quoted(&remark.message, value);
        bt_emit_member_string(&remark.emit, name, value);
    }
    const enum bt_status said = bt_message_say(message, &remark);
    return status != BT_OK ? status : said;
}

enum bt_status bt_message_attributes(struct bt_message *message, const char *code,
                                     const struct bt_xml_node *element)
{
    for (size_t i = 0; i < element->attributes_count; i++) {
        struct bt_remark remark;
        const enum bt_status status = bt_message_remark(message, &remark, code, element);
        bt_buf_put_text(&remark.pointer, "/@");
        bt_buf_put(&remark.pointer, element->attributes[i].name);
        bt_buf_put_text(&remark.message, "the attribute ");
        bt_put_quoted(&remark.message, element->attributes[i].name);
        bt_buf_put_text(&remark.message, " does not belong here");
        BT_TRY(bt_message_say(message, &remark));
        BT_TRY(status);
    }
    return BT_OK;
}

enum bt_status bt_message_mend(struct bt_message *message, struct bt_xml_mend mend)
{
    struct bt_xml_mend *made = BT_NEW(message->arena, struct bt_xml_mend);
    struct bt_buf path;
    bt_buf_init(&path, SIZE_MAX);
    enum bt_status status = made ? bt_xml_put_path(&path, message->arena, mend.node) : BT_ENOMEM;
    if (status == BT_OK) {
        status = bt_buf_keep(&path, message->arena, &mend.pointer);
    }
    bt_buf_free(&path);
    BT_TRY(status);
    *made = mend;
    made->next = NULL;
    if (message->last_mend) {
        message->last_mend->next = made;
    } else {
        message->mends = made;
    }
    message->last_mend = made;
    return BT_OK;
}
