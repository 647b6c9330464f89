/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - check an element against its type: attributes, text, fields in order, values.
 *
 * Elements nest at most 128 levels; those whose children are being checked are in an array.
 */
#include "dialect/xml/value.h"

#include <assert.h>
#include <string.h>

#include "base/uninitialized.h"

/* An element whose children are being looked at. */
struct message_value_frame {
    struct bt_xml_node *element;
    const struct bt_payload_type *type;
    bool is_item;               /* the item inside a dict */
    struct bt_xml_node *next;   /* the child that comes next */
    size_t place;               /* the first field that may still come */
    bool *seen;                 /* by field: taken, or told as out of order */
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
    struct bt_finding_builder remark;
    const enum bt_status status =
        bt_message_check_remark(message, &remark, "XML_FIELD_TYPE", element);
    bt_buf_put_quoted(&remark.message, actual);
    bt_buf_put_text(&remark.message, " is not of type ");
    bt_buf_put(&remark.message, expected);
    bt_emit_member_string(&remark.emit, "expected", expected);
    bt_emit_member_string(&remark.emit, "actual", actual);
    BT_TRY(bt_message_add_finding(message, &remark));
    return status;
}

static enum bt_status add_facet_finding(struct bt_message_check *message,
                                        const struct bt_xml_node *element, const char *facet)
{
    return bt_message_add_text_finding(message, "XML_FIELD_FACET", element, "facet",
                                       bt_str_of(facet));
}

static enum bt_status add_missing_finding(struct bt_message_check *message,
                                          const struct bt_xml_node *parent, bt_str field)
{
    return bt_message_add_text_finding(message, "XML_FIELD_MISSING", parent, "field", field);
}

static enum bt_status add_unexpected_finding(struct bt_message_check *message,
                                             struct bt_xml_node *element, const char *reason,
                                             const struct bt_payload_type *ordered_by)
{
    struct bt_finding_builder remark;
    const enum bt_status status =
        bt_message_check_remark(message, &remark, "XML_FIELD_UNEXPECTED", element);
    bt_buf_put_text(&remark.message, "the field ");
    bt_buf_put_quoted(&remark.message, element->name);
    bt_buf_put_text(&remark.message, " is not expected here: ");
    bt_buf_put_text(&remark.message, reason);
    bt_emit_member_string(&remark.emit, "field", element->name);
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    remark.finding.fix = ordered_by ? BT_FIX_SAFE : BT_FIX_NONE;
    BT_TRY(bt_message_add_finding(message, &remark));
    BT_TRY(status);
    return ordered_by ? bt_message_add_edit(message,
                                            (struct bt_message_edit){.code = "XML_FIELD_UNEXPECTED",
                                                                     .kind = BT_FIX_SAFE,
                                                                     .node = element,
                                                                     .type = ordered_by})
                      : BT_OK;
}

static enum bt_status check_leaf(struct bt_message_check *message,
                                 const struct bt_xml_node *element,
                                 const struct bt_payload_type *type)
{
    bt_str text;
    const char *wrong = NULL;
    if (element->has_elements) {
        return add_type_finding(message, element, type->name, BT_STR("elements"));
    }
    BT_TRY(bt_xml_text(message->arena, element, &text));
    if (type->kind == BT_TYPE_XSD_SIMPLE) {
        BT_TRY(bt_xsd_judge(message->arena, type->simple, text, &wrong));
    } else {
        wrong = bt_message_value_matches(type->kind, text) ? NULL : "type";
    }
    if (!wrong) {
        return BT_OK;
    }
    return strcmp(wrong, "type") == 0 ? add_type_finding(message, element, type->name, text)
                                      : add_facet_finding(message, element, wrong);
}

static bool is_leaf(const struct bt_payload_type *type)
{
    return bt_type_is_simple(type) || type->kind == BT_TYPE_XSD_SIMPLE;
}

/* Begin with an element: leaves are judged at once, others pushed. */
static enum bt_status open_element(struct message_value_walk *walk, struct bt_xml_node *element,
                                   const struct bt_payload_type *type, bool is_item)
{
    struct bt_message_check *message = walk->message;
    BT_TRY(bt_message_check_attributes(message, "XML_ATTRIBUTE_UNEXPECTED", element));
    if (is_leaf(type)) {
        return check_leaf(message, element, type);
    }
    if (element->has_text) {
        BT_TRY(
            bt_message_add_text_finding(message, "XML_TEXT_UNEXPECTED", element, NULL, BT_STR("")));
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

/* Whether the children stand in declared places; else they are items of one kind. */
static bool has_places(const struct message_value_frame *frame)
{
    return frame->type->kind == BT_TYPE_RECORD || frame->type->kind == BT_TYPE_TUPLE ||
           frame->is_item;
}

/* What described content lacks at its end. */
static enum bt_status close_described(struct bt_message_check *message,
                                      const struct message_value_frame *frame)
{
    bt_str field;
    for (size_t i = 0; bt_xsd_match_missing(frame->match, i, &field); i++) {
        BT_TRY(field.len > 0 ? add_missing_finding(message, frame->element, field)
                             : add_facet_finding(message, frame->element, "choice"));
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

static size_t field_named(const struct bt_payload_type *type, bt_str name)
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
    const size_t i = field_named(type, child->name);
    if (i == type->count) {
        return add_unexpected_finding(walk->message, child, "undeclared", NULL);
    }
    if (i >= frame->place) {
        frame->place = i + 1;
        frame->seen[i] = true;
        return open_element(walk, child, type->parts[i].type, false);
    }
    if (frame->seen[i]) {
        return add_unexpected_finding(walk->message, child, "duplicate", NULL);
    }
    frame->seen[i] = true;
    return add_unexpected_finding(walk->message, child, "order", type);
}

static enum bt_status open_item(struct message_value_walk *walk,
                                const struct message_value_frame *frame, struct bt_xml_node *child)
{
    const struct bt_payload_type *type = frame->type;
    const bool is_dict = type->kind == BT_TYPE_DICT;
    if (!bt_str_eq(child->name, is_dict ? BT_STR("item") : type->parts[0].name)) {
        return add_unexpected_finding(walk->message, child, "undeclared", NULL);
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
        return add_unexpected_finding(walk->message, child, "duplicate", NULL);
    case BT_XSD_ORDER:
        return add_unexpected_finding(walk->message, child, "order", NULL);
    case BT_XSD_CHOICE:
        return add_facet_finding(walk->message, child, "choice");
    case BT_XSD_UNDECLARED:
        break;
    }
    return add_unexpected_finding(walk->message, child, "undeclared", NULL);
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
        return add_unexpected_finding(walk->message, child, "namespace", NULL);
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
