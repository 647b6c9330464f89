/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simple_types.c - the texts of simple types, and when two values are equal.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/xml/message_check.h"

enum { INT_DIGITS_MAX = 24, FLOAT_DIGITS_MAX = 40 };

static bt_str without_sign(bt_str text)
{
    return bt_str_starts_with(text, BT_STR("+")) || bt_str_starts_with(text, BT_STR("-"))
               ? bt_str_slice(text, 1, text.len)
               : text;
}

static bool is_int(bt_str text)
{
    const bt_str digits = without_sign(text);
    return digits.len > 0 && digits.len <= INT_DIGITS_MAX &&
           bt_ascii_all(digits, bt_ascii_is_digit);
}

static bool is_float(bt_str text)
{
    const bt_str number = without_sign(text);
    size_t digits = 0;
    size_t points = 0;
    for (size_t i = 0; i < number.len; i++) {
        const bool is_point = number.ptr[i] == '.';
        if (!is_point && !bt_ascii_is_digit(number.ptr[i])) {
            return false;
        }
        points += is_point;
        digits += !is_point;
    }
    return points <= 1 && digits > 0 && digits <= FLOAT_DIGITS_MAX;
}

static bool is_true(bt_str text)
{
    return bt_str_eq(text, BT_STR("true")) || bt_str_eq(text, BT_STR("1"));
}

bool bt_message_value_matches(enum bt_payload_type_kind kind, bt_str text)
{
    const bt_str trimmed = bt_xml_trim(text);
    if (kind == BT_TYPE_INT) {
        return is_int(trimmed);
    }
    if (kind == BT_TYPE_FLOAT) {
        return is_float(trimmed);
    }
    if (kind == BT_TYPE_BOOL) {
        return is_true(trimmed) || bt_str_eq(trimmed, BT_STR("false")) ||
               bt_str_eq(trimmed, BT_STR("0"));
    }
    return true;
}

/* A number without plus, leading zeros and the zeros at the end of a fraction; zero has no sign. */
static void put_number(struct bt_buf *buf, bt_str text)
{
    bt_str number = without_sign(text);
    const size_t point = bt_str_find_byte(number, '.', 0);
    size_t from = 0;
    size_t to = number.len;
    while (from < point && number.ptr[from] == '0') {
        from++;
    }
    while (point < number.len && to > point && (number.ptr[to - 1] == '0' || to == point + 1)) {
        to--;
    }
    number = bt_str_slice(number, from, to);
    if (bt_str_starts_with(text, BT_STR("-")) && number.len > 0) {
        bt_buf_put_char(buf, '-');
    }
    bt_buf_put(buf, number);
}

/* Put a text that is equal for elements with equal values. */
static enum bt_status put_key(struct bt_message_check *message, struct bt_buf *buf,
                              const struct bt_xml_node *element, const struct bt_payload_type *type)
{
    bt_str text;
    if (!bt_type_is_simple(type)) {
        return bt_xml_put_canonical(buf, message->arena, message->document, element);
    }
    BT_TRY(bt_xml_text(message->arena, element, &text));
    if (type->kind == BT_TYPE_STR) {
        bt_buf_put(buf, text);
    } else if (type->kind == BT_TYPE_BOOL) {
        bt_buf_put_text(buf, is_true(bt_xml_trim(text)) ? "1" : "0");
    } else {
        put_number(buf, bt_xml_trim(text));
    }
    return buf->status;
}

/* An item, and the text by which it is compared. */
struct message_value_item {
    struct bt_xml_node *element;
    bt_str key;
};

static int compare_items(const void *a, const void *b)
{
    const struct message_value_item *left = a;
    const struct message_value_item *right = b;
    const int order = bt_str_compare(left->key, right->key);
    return order != 0 ? order
                      : (left->element->offset > right->element->offset) -
                            (left->element->offset < right->element->offset);
}

/* The element that an item is compared by: itself, or its key in a dict. NULL: none. */
static const struct bt_xml_node *keyed_by(const struct bt_xml_node *item,
                                          const struct bt_payload_type *type)
{
    if (type->kind == BT_TYPE_SET) {
        return bt_xml_is(item, BT_STR(""), type->parts[0].name) ? item : NULL;
    }
    const struct bt_xml_node *key = bt_xml_first(item);
    return bt_xml_is(item, BT_STR(""), BT_STR("item")) && key &&
                   bt_xml_is(key, BT_STR(""), BT_STR("key"))
               ? key
               : NULL;
}

static enum bt_status take_items(struct bt_message_check *message,
                                 const struct bt_xml_node *element,
                                 const struct bt_payload_type *type,
                                 struct message_value_item *items, size_t *out_count)
{
    size_t count = 0;
    for (struct bt_xml_node *node = bt_xml_first(element); node; node = bt_xml_next(node)) {
        const struct bt_xml_node *by = keyed_by(node, type);
        if (by) {
            struct bt_buf buf;
            bt_buf_init(&buf, SIZE_MAX);
            BT_TRY(bt_buf_finish_if(put_key(message, &buf, by, type->parts[0].type), &buf,
                                    message->arena, &items[count].key));
            items[count++].element = node;
        }
    }
    *out_count = count;
    return BT_OK;
}

enum bt_status bt_message_values_unique(struct bt_message_check *message,
                                        struct bt_xml_node *element,
                                        const struct bt_payload_type *type)
{
    size_t count = 0;
    for (struct bt_xml_node *node = bt_xml_first(element); node; node = bt_xml_next(node)) {
        count++;
    }
    struct message_value_item *items =
        BT_NEW_ARRAY(message->arena, struct message_value_item, count);
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    BT_TRY(take_items(message, element, type, items, &count));
    qsort(items, count, sizeof(items[0]), compare_items);
    for (size_t i = 1; i < count; i++) {
        if (bt_str_eq(items[i].key, items[i - 1].key)) {
            BT_TRY(bt_add_xml_field_facet(message->findings,
                                          bt_message_locate(message, items[i].element),
                                          BT_XML_FIELD_FACET_FACET_UNIQUE));
        }
    }
    return BT_OK;
}
