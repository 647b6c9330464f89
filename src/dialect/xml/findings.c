/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - findings about elements, and the fixes that would settle them.
 */
#include <assert.h>

#include "dialect/xml/message_check.h"

enum bt_status bt_message_check_remark(struct bt_message_check *message,
                                       struct bt_finding_builder *remark, const char *code,
                                       const struct bt_xml_node *element)
{
    bt_finding_builder_begin(remark, bt_xml_rule(code));
    if (!element) {
        return BT_OK;
    }
    remark->finding.offset = element->offset;
    return bt_xml_put_path(&remark->pointer, message->arena, element);
}

enum bt_status bt_message_add_finding(struct bt_message_check *message,
                                      struct bt_finding_builder *remark)
{
    message->hard += remark->finding.severity == BT_SEVERITY_HARD;
    return bt_finding_builder_end(remark, message->findings);
}

enum bt_status bt_message_add_text_finding(struct bt_message_check *message, const char *code,
                                           const struct bt_xml_node *element, const char *name,
                                           bt_str value)
{
    struct bt_finding_builder remark;
    const enum bt_status status = bt_message_check_remark(message, &remark, code, element);
    if (name) {
        bt_buf_put(&remark.message, remark.finding.rule->meaning);
        bt_buf_put_text(&remark.message, ": ");
        bt_buf_put_quoted(&remark.message, value);
        bt_emit_member_string(&remark.emit, name, value);
    }
    const enum bt_status end_status = bt_message_add_finding(message, &remark);
    return status != BT_OK ? status : end_status;
}

enum bt_status bt_message_check_attributes(struct bt_message_check *message, const char *code,
                                           const struct bt_xml_node *element)
{
    for (size_t i = 0; i < element->attributes_count; i++) {
        struct bt_finding_builder remark;
        const enum bt_status status = bt_message_check_remark(message, &remark, code, element);
        bt_buf_put_text(&remark.pointer, "/@");
        bt_buf_put(&remark.pointer, element->attributes[i].name);
        bt_buf_put_text(&remark.message, "the attribute ");
        bt_buf_put_quoted(&remark.message, element->attributes[i].name);
        bt_buf_put_text(&remark.message, " does not belong here");
        BT_TRY(bt_message_add_finding(message, &remark));
        BT_TRY(status);
    }
    return BT_OK;
}

enum bt_status bt_message_add_edit(struct bt_message_check *message, struct bt_message_edit edit)
{
    struct bt_message_edit *made = BT_NEW(message->arena, struct bt_message_edit);
    struct bt_buf path;
    bt_buf_init(&path, SIZE_MAX);
    enum bt_status status = made ? bt_xml_put_path(&path, message->arena, edit.node) : BT_ENOMEM;
    if (status == BT_OK) {
        status = bt_buf_copy(&path, message->arena, &edit.pointer);
    }
    bt_buf_free(&path);
    BT_TRY(status);
    *made = edit;
    made->next = NULL;
    if (message->last_edit) {
        message->last_edit->next = made;
    } else {
        message->edits = made;
    }
    message->last_edit = made;
    return BT_OK;
}
