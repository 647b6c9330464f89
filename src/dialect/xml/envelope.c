/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.c - message, meta, from, to, thread: each present, in the right position, and plain. */
#include <assert.h>

#include "base/ascii.h"
#include "base/vec.h"
#include "dialect/xml/message_check.h"

enum { FROM = 0, TO, THREAD, CHILDREN, ID_BYTES_MAX = 128 };

static const bt_str child_names[CHILDREN] = {
    [FROM] = BT_STR_INIT("from"),
    [TO] = BT_STR_INIT("to"),
    [THREAD] = BT_STR_INIT("thread"),
};

/* What was found in `meta`. */
struct message_meta {
    struct bt_xml_node *element;
    struct bt_xml_node *children[CHILDREN]; /* those in the right position */
    bool is_reported[CHILDREN];             /* as out of order */
    size_t next;                            /* the first child that may still come */
    bool has_extension;                     /* after one, no child may come */
    struct bt_xml_node *id;
};

static bool is_privileged(const struct bt_xml_node *element)
{
    bool found = bt_str_eq(element->space, BT_SPACE_PRIV);
    for (size_t i = 0; i < element->attributes_count; i++) {
        found = found || bt_str_eq(element->attributes[i].space, BT_SPACE_PRIV);
    }
    return found;
}

static const struct bt_xml_node *find_privileged(const struct bt_xml_node *root)
{
    for (const struct bt_xml_node *node = root; node; node = bt_xml_next_element(node, root)) {
        if (!node->is_text && is_privileged(node)) {
            return node;
        }
    }
    return NULL;
}

static enum bt_status add_meta_finding(struct bt_message_check *message,
                                       const struct bt_xml_node *where, bt_str element,
                                       enum bt_xml_envelope_meta_reason reason)
{
    return bt_add_xml_envelope_meta(message->findings, bt_message_locate(message, where), element,
                                    reason);
}

static size_t child_index(const struct bt_xml_node *child)
{
    size_t i = 0;
    while (i < CHILDREN && !bt_str_eq(child->name, child_names[i])) {
        i++;
    }
    return i;
}

static enum bt_status envelope_child(struct bt_message_check *message, struct message_meta *meta,
                                     struct bt_xml_node *child)
{
    const size_t i = child_index(child);
    if (i == CHILDREN) {
        return add_meta_finding(message, child, child->name, BT_XML_ENVELOPE_META_REASON_CHILD);
    }
    if (i >= meta->next && !meta->has_extension) {
        meta->children[i] = child;
        meta->next = i + 1;
        return BT_OK;
    }
    if (meta->children[i] || meta->is_reported[i]) {
        return add_meta_finding(message, child, child->name, BT_XML_ENVELOPE_META_REASON_DUPLICATE);
    }
    meta->is_reported[i] = true;
    return add_meta_finding(message, child, child->name, BT_XML_ENVELOPE_META_REASON_ORDER);
}

static enum bt_status read_extension(struct bt_message_check *message, struct message_meta *meta,
                                     struct bt_xml_node *child)
{
    meta->has_extension = true;
    if (!bt_str_eq(child->space, BT_SPACE_BATON)) {
        return BT_OK;
    }
    if (!bt_str_eq(child->name, BT_STR("id"))) {
        return add_meta_finding(message, child, child->name, BT_XML_ENVELOPE_META_REASON_CHILD);
    }
    if (meta->id) {
        return add_meta_finding(message, child, child->name, BT_XML_ENVELOPE_META_REASON_DUPLICATE);
    }
    meta->id = child;
    return BT_OK;
}

static enum bt_status meta_children(struct bt_message_check *message, struct message_meta *meta)
{
    for (struct bt_xml_node *child = bt_xml_first(meta->element); child;
         child = bt_xml_next(child)) {
        if (child->space.len == 0) {
            BT_TRY(add_meta_finding(message, child, child->name,
                                    BT_XML_ENVELOPE_META_REASON_NAMESPACE));
        } else if (bt_str_eq(child->space, BT_SPACE_ENV)) {
            BT_TRY(envelope_child(message, meta, child));
        } else {
            BT_TRY(read_extension(message, meta, child));
        }
    }
    for (size_t i = 0; i < CHILDREN; i++) {
        if (i != TO && !meta->children[i] && !meta->is_reported[i]) {
            BT_TRY(add_meta_finding(message, meta->element, child_names[i],
                                    BT_XML_ENVELOPE_META_REASON_MISSING));
        }
    }
    return BT_OK;
}

/* The trimmed text of from, to or thread. */
static enum bt_status plain_text(struct bt_message_check *message,
                                 const struct bt_xml_node *element, bt_str *out)
{
    bt_str text;
    BT_TRY(bt_message_check_attributes(message, element, false));
    if (element->has_elements || element->is_dressed) {
        return add_meta_finding(message, element, element->name,
                                BT_XML_ENVELOPE_META_REASON_CONTENT);
    }
    BT_TRY(bt_xml_text(message->arena, element, &text));
    *out = bt_xml_trim(text);
    return out->len == 0
               ? bt_add_xml_envelope_empty(message->findings, bt_message_locate(message, element))
               : BT_OK;
}

static bool is_id(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!bt_ascii_is_alnum(byte) && byte != '.' && byte != '_' && byte != ':' && byte != '-') {
            return false;
        }
    }
    return text.len > 0 && text.len <= ID_BYTES_MAX;
}

static enum bt_status take_id(struct bt_message_check *message, const struct bt_xml_node *element)
{
    struct bt_message_envelope *envelope = &message->envelope;
    BT_TRY(bt_xml_text(message->arena, element, &envelope->id));
    envelope->has_id = !element->has_elements && !element->is_dressed && is_id(envelope->id);
    return envelope->has_id
               ? BT_OK
               : bt_add_xml_envelope_id(message->findings, bt_message_locate(message, element));
}

static enum bt_status meta_values(struct bt_message_check *message, const struct message_meta *meta)
{
    struct bt_message_envelope *envelope = &message->envelope;
    if (meta->children[FROM]) {
        BT_TRY(plain_text(message, meta->children[FROM], &envelope->from));
    }
    if (meta->children[TO]) {
        envelope->has_to = true;
        BT_TRY(plain_text(message, meta->children[TO], &envelope->to));
    }
    if (meta->children[THREAD]) {
        message->thread_node = meta->children[THREAD];
        BT_TRY(plain_text(message, meta->children[THREAD], &envelope->thread));
    }
    return meta->id ? take_id(message, meta->id) : BT_OK;
}

static enum bt_status check_text(struct bt_message_check *message,
                                 const struct bt_xml_node *element)
{
    return element->has_text
               ? bt_add_xml_envelope_text(message->findings, bt_message_locate(message, element))
               : BT_OK;
}

static enum bt_status message_children(struct bt_message_check *message, struct message_meta *meta)
{
    size_t payloads = 0;
    for (struct bt_xml_node *child = bt_xml_first(message->root); child;
         child = bt_xml_next(child)) {
        const bool is_meta = bt_xml_is(child, BT_SPACE_ENV, BT_STR("meta"));
        if (!is_meta) {
            message->payload = message->payload ? message->payload : child;
            payloads++;
        } else if (meta->element) {
            BT_TRY(add_meta_finding(message, child, child->name,
                                    BT_XML_ENVELOPE_META_REASON_DUPLICATE));
        } else {
            meta->element = child;
            if (payloads > 0) {
                BT_TRY(add_meta_finding(message, child, child->name,
                                        BT_XML_ENVELOPE_META_REASON_POSITION));
            }
        }
    }
    if (!meta->element) {
        BT_TRY(add_meta_finding(message, message->root, BT_STR("meta"),
                                BT_XML_ENVELOPE_META_REASON_MISSING));
    }
    return payloads == 1
               ? BT_OK
               : bt_add_xml_envelope_payload(message->findings,
                                             bt_message_locate(message, message->root), payloads);
}

enum bt_status bt_message_check_envelope(struct bt_message_check *message)
{
    struct message_meta meta = {.element = NULL};
    const struct bt_xml_node *privileged = find_privileged(message->root);
    if (privileged) {
        return bt_add_xml_privileged(message->findings, bt_message_locate(message, privileged));
    }
    if (!bt_xml_is(message->root, BT_SPACE_ENV, BT_STR("message"))) {
        return bt_add_xml_envelope_root(
            message->findings, bt_message_locate(message, message->root), message->root->name);
    }
    BT_TRY(bt_message_check_attributes(message, message->root, false));
    BT_TRY(check_text(message, message->root));
    BT_TRY(message_children(message, &meta));
    if (meta.element) {
        BT_TRY(bt_message_check_attributes(message, meta.element, false));
        BT_TRY(check_text(message, meta.element));
        BT_TRY(meta_children(message, &meta));
        BT_TRY(meta_values(message, &meta));
    }
    if (bt_message_has_hard(message) || bt_uuid_is_v4(message->envelope.thread)) {
        return BT_OK;
    }
    const struct bt_location at = bt_message_locate(message, message->thread_node);
    BT_TRY(bt_add_xml_thread_replaced(message->findings, at, message->envelope.thread));
    return bt_vec_push(message->arena, &message->edits,
                       (struct bt_message_edit){.code = BT_CODE_XML_THREAD_REPLACED,
                                                .pointer = at.pointer,
                                                .kind = BT_FIX_UNSAFE,
                                                .node = message->thread_node});
}
