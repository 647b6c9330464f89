/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - read the values of a node of the file. */
#include <assert.h>

#include <baton/json.h>

#include "organism/organism.h"

const struct bt_yaml_node *bt_organism_node_get(const struct bt_yaml_node *mapping, const char *key)
{
    const struct bt_yaml_node *node = bt_yaml_get(mapping, bt_str_of(key));
    return node && bt_yaml_type_of(node) != BT_YAML_TYPE_NULL ? node : NULL;
}

bt_str bt_organism_node_text(const struct bt_yaml_node *mapping, const char *key)
{
    const struct bt_yaml_node *node = bt_organism_node_get(mapping, key);
    return node ? node->text : BT_STR("");
}

bool bt_organism_node_is_string(const struct bt_yaml_node *node)
{
    return bt_yaml_type_of(node) == BT_YAML_TYPE_STRING;
}

/* Digits after an optional sign; false beyond int64. */
static bool take_integer(bt_str text, int64_t *out)
{
    const bool is_negative = bt_str_starts_with(text, BT_STR("-"));
    const bool is_signed = is_negative || bt_str_starts_with(text, BT_STR("+"));
    uint64_t digits = 0;
    if (bt_str_to_u64(bt_str_slice(text, is_signed, text.len), &digits) != BT_OK ||
        digits > INT64_MAX) {
        return false;
    }
    *out = is_negative ? -(int64_t)digits : (int64_t)digits;
    return true;
}

bool bt_organism_node_integer(const struct bt_yaml_node *node, int64_t *out)
{
    return bt_yaml_type_of(node) == BT_YAML_TYPE_INTEGER && take_integer(node->text, out);
}

enum { NUMBER_BYTES_MAX = 64 };

bool bt_organism_node_thousandths(const struct bt_yaml_node *node, int64_t *out)
{
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    if ((type != BT_YAML_TYPE_INTEGER && type != BT_YAML_TYPE_NUMBER) ||
        node->text.len >= NUMBER_BYTES_MAX) {
        return false;
    }
    /* YAML may begin with a plus or a point; a decimal of JSON may not. */
    char text[NUMBER_BYTES_MAX + 1];
    size_t length = 0;
    for (size_t i = 0; i < node->text.len; i++) {
        const char byte = node->text.ptr[i];
        const bool follows_digit = length > 0 && bt_ascii_is_digit(text[length - 1]);
        if (byte == '+' && length == 0) {
            continue;
        }
        if (byte == '.' && !follows_digit) {
            text[length++] = '0';
        }
        text[length++] = byte;
        if (length >= NUMBER_BYTES_MAX) {
            return false;
        }
    }
    const double number = bt_json_decimal_to_double((bt_str){text, length});
    if (!(number > -1e12 && number < 1e12)) {
        return false;
    }
    *out = (int64_t)(number * 1000.0 + (number < 0 ? -0.5 : 0.5));
    return true;
}
