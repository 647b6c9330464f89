/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - check an element against its type: attributes, text, fields in order, values.
 *
 * Elements nest at most 128 levels; those whose children are being checked are in an array.
 */
#include "dialect/xml/message_check.h"

#include <assert.h>

#include "base/uninitialized.h"
#include "base/vec.h"

/* An element whose children are being checked. */
struct message_value_frame {
    struct bt_xml_node *element;
    const struct bt_payload_type *type;
    bool is_item;               /* the item inside a dict */
    struct bt_xml_node *next;   /* the child that comes next */
    size_t place;               /* the first field that may still come */
    bool *seen;                 /* by field: present, or reported as out of order */
    struct bt_xsd_match *match; /* of content that an XSD describes, else NULL */
};

struct message_value_walk {
    struct bt_message_check *message;
    struct message_value_frame *frames; /* room for BT_XML_DEPTH_MAX */
    size_t depth;
};

static enum bt_status add_type_finding(struct bt_message_check *message,
                                       const struct bt_xml_node *element, bt_str expected,
                                       bt_str actual)
{
    return bt_add_xml_field_type(message->findings, bt_message_locate(message, element), expected,
                                 actual);
}

static enum bt_status add_facet_finding(struct bt_message_check *message,
                                        const struct bt_xml_node *element,
                                        enum bt_xml_field_facet_facet facet)
{
    return bt_add_xml_field_facet(message->findings, bt_message_locate(message, element), facet);
}

static enum bt_status add_missing_finding(struct bt_message_check *message,
                                          const struct bt_xml_node *parent, bt_str field)
{
    return bt_add_xml_field_missing(message->findings, bt_message_locate(message, parent), field);
}

static enum bt_status add_unexpected_finding(struct bt_message_check *message,
                                             struct bt_xml_node *element,
                                             enum bt_xml_field_unexpected_reason reason,
                                             const struct bt_payload_type *ordered_by)
{
    const enum bt_fix fix = ordered_by ? BT_FIX_SAFE : BT_FIX_NONE;
    const struct bt_location at = bt_message_locate(message, element);
    BT_TRY(bt_add_xml_field_unexpected(message->findings, fix, at, element->name, reason));
    const struct bt_message_edit edit = {.code = BT_CODE_XML_FIELD_UNEXPECTED,
                                         .pointer = at.pointer,
                                         .kind = fix,
                                         .node = element,
                                         .type = ordered_by};
    return ordered_by ? bt_vec_push(message->arena, &message->edits, edit) : BT_OK;
}

static enum bt_status check_leaf(struct bt_message_check *message,
                                 const struct bt_xml_node *element,
                                 const struct bt_payload_type *type)
{
    bt_str text;
    bool is_of_type = true;
    enum bt_xml_field_facet_facet facet = BT_XML_FIELD_FACET_FACET__NONE;
    if (element->has_elements) {
        return add_type_finding(message, element, type->name, BT_STR("elements"));
    }
    BT_TRY(bt_xml_text(message->arena, element, &text));
    if (type->kind == BT_TYPE_XSD_SIMPLE) {
        BT_TRY(bt_xsd_judge(message->arena, type->simple, text, &is_of_type, &facet));
    } else {
        is_of_type = bt_message_value_matches(type->kind, text);
    }
    if (!is_of_type) {
        return add_type_finding(message, element, type->name, text);
    }
    return facet ? add_facet_finding(message, element, facet) : BT_OK;
}

static bool is_leaf(const struct bt_payload_type *type)
{
    return bt_type_is_simple(type) || type->kind == BT_TYPE_XSD_SIMPLE;
}

/* Check a leaf at once; push an element with children. */
static enum bt_status open_element(struct message_value_walk *walk, struct bt_xml_node *element,
                                   const struct bt_payload_type *type, bool is_item)
{
    struct bt_message_check *message = walk->message;
    BT_TRY(bt_message_check_attributes(message, element, true));
    if (is_leaf(type)) {
        return check_leaf(message, element, type);
    }
    if (element->has_text) {
        BT_TRY(bt_add_xml_text_unexpected(message->findings, bt_message_locate(message, element)));
    }
    assert(walk->depth < BT_XML_DEPTH_MAX);
    struct message_value_frame frame = {
        .element = element, .type = type, .is_item = is_item, .next = bt_xml_first(element)};
    if (type->kind == BT_TYPE_XSD_COMPLEX) {
        BT_TRY(bt_xsd_match_begin(message->arena, type->content, &frame.match));
    } else {
        frame.seen = BT_NEW_ARRAY(message->arena, bool, type->count);
    }
    if (!frame.match && !frame.seen) {
        return BT_ENOMEM;
    }
    walk->frames[walk->depth++] = frame;
    return BT_OK;
}

/* True when the children have declared positions; otherwise they are items of one type. */
static bool has_places(const struct message_value_frame *frame)
{
    return frame->type->kind == BT_TYPE_RECORD || frame->type->kind == BT_TYPE_TUPLE ||
           frame->is_item;
}

/* Report what is missing at the end of content that an XSD describes. */
static enum bt_status close_described(struct bt_message_check *message,
                                      const struct message_value_frame *frame)
{
    bt_str field;
    for (size_t i = 0; bt_xsd_match_missing(frame->match, i, &field); i++) {
        BT_TRY(field.len > 0
                   ? add_missing_finding(message, frame->element, field)
                   : add_facet_finding(message, frame->element, BT_XML_FIELD_FACET_FACET_CHOICE));
    }
    return BT_OK;
}

static enum bt_status close_element(struct message_value_walk *walk)
{
    const struct message_value_frame *frame = &walk->frames[--walk->depth];
    const struct bt_payload_type *type = frame->type;
    if (frame->match) {
        return close_described(walk->message, frame);
    }
    if (!has_places(frame)) {
        return type->kind == BT_TYPE_LIST
                   ? BT_OK
                   : bt_message_values_unique(walk->message, frame->element, type);
    }
    for (size_t i = 0; i < type->count; i++) {
        if (!frame->seen[i] && !type->parts[i].is_optional) {
            BT_TRY(add_missing_finding(walk->message, frame->element, type->parts[i].name));
        }
    }
    return BT_OK;
}

size_t bt_message_field_named(const struct bt_payload_type *type, bt_str name)
{
    size_t i = 0;
    while (i < type->count && !bt_str_eq(type->parts[i].name, name)) {
        i++;
    }
    return i;
}

static enum bt_status placed_child(struct message_value_walk *walk,
                                   struct message_value_frame *frame, struct bt_xml_node *child)
{
    const struct bt_payload_type *type = frame->type;
    const size_t i = bt_message_field_named(type, child->name);
    if (i == type->count) {
        return add_unexpected_finding(walk->message, child,
                                      BT_XML_FIELD_UNEXPECTED_REASON_UNDECLARED, NULL);
    }
    if (i >= frame->place) {
        frame->place = i + 1;
        frame->seen[i] = true;
        return open_element(walk, child, type->parts[i].type, false);
    }
    if (frame->seen[i]) {
        return add_unexpected_finding(walk->message, child,
                                      BT_XML_FIELD_UNEXPECTED_REASON_DUPLICATE, NULL);
    }
    frame->seen[i] = true;
    return add_unexpected_finding(walk->message, child, BT_XML_FIELD_UNEXPECTED_REASON_ORDER, type);
}

static enum bt_status open_item(struct message_value_walk *walk,
                                const struct message_value_frame *frame, struct bt_xml_node *child)
{
    const struct bt_payload_type *type = frame->type;
    const bool is_dict = type->kind == BT_TYPE_DICT;
    if (!bt_str_eq(child->name, is_dict ? BT_STR("item") : type->parts[0].name)) {
        return add_unexpected_finding(walk->message, child,
                                      BT_XML_FIELD_UNEXPECTED_REASON_UNDECLARED, NULL);
    }
    return open_element(walk, child, is_dict ? type : type->parts[0].type, is_dict);
}

static enum bt_status described_child(struct message_value_walk *walk,
                                      const struct message_value_frame *frame,
                                      struct bt_xml_node *child)
{
    const struct bt_payload_type *type = NULL;
    switch (bt_xsd_match_child(frame->match, child->name, &type)) {
    case BT_XSD_FITS:
        return open_element(walk, child, type, false);
    case BT_XSD_DUPLICATE:
        return add_unexpected_finding(walk->message, child,
                                      BT_XML_FIELD_UNEXPECTED_REASON_DUPLICATE, NULL);
    case BT_XSD_ORDER:
        return add_unexpected_finding(walk->message, child, BT_XML_FIELD_UNEXPECTED_REASON_ORDER,
                                      NULL);
    case BT_XSD_CHOICE:
        return add_facet_finding(walk->message, child, BT_XML_FIELD_FACET_FACET_CHOICE);
    case BT_XSD_UNDECLARED:
        break;
    }
    return add_unexpected_finding(walk->message, child, BT_XML_FIELD_UNEXPECTED_REASON_UNDECLARED,
                                  NULL);
}

static enum bt_status check_next_child(struct message_value_walk *walk)
{
    struct message_value_frame *top = &walk->frames[walk->depth - 1];
    struct bt_xml_node *child = top->next;
    if (!child) {
        return close_element(walk);
    }
    top->next = bt_xml_next(child);
    if (child->space.len > 0) {
        return add_unexpected_finding(walk->message, child,
                                      BT_XML_FIELD_UNEXPECTED_REASON_NAMESPACE, NULL);
    }
    if (top->match) {
        return described_child(walk, top, child);
    }
    return has_places(top) ? placed_child(walk, top, child) : open_item(walk, top, child);
}

enum bt_status bt_message_check_value(struct bt_message_check *message, struct bt_xml_node *element,
                                      const struct bt_payload_type *type)
{
    BT_UNCLEARED struct message_value_frame frames[BT_XML_DEPTH_MAX];
    struct message_value_walk walk = {.message = message, .frames = frames};
    BT_TRY(open_element(&walk, element, type, false));
    while (walk.depth > 0) {
        BT_TRY(check_next_child(&walk));
    }
    return BT_OK;
}
