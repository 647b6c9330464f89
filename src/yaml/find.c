/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - what was read, asked for: entries by key, scalars by type.
 */
#include "yaml/yaml.h"

#include "base/ascii.h"

const struct bt_yaml_entry *bt_yaml_find_entry(const struct bt_yaml_node *mapping, bt_str key)
{
    if (!mapping || mapping->kind != BT_YAML_MAPPING) {
        return NULL;
    }
    for (size_t i = 0; i < mapping->count; i++) {
        if (bt_str_eq(mapping->entries[i].key, key)) {
            return &mapping->entries[i];
        }
    }
    return NULL;
}

const struct bt_yaml_node *bt_yaml_get(const struct bt_yaml_node *mapping, bt_str key)
{
    const struct bt_yaml_entry *entry = bt_yaml_find_entry(mapping, key);
    return entry ? &entry->value : NULL;
}

/* The offset of the first byte from `at` on that is not a decimal digit. */
static size_t after_digits(bt_str text, size_t at)
{
    while (at < text.len && bt_ascii_is_digit(text.ptr[at])) {
        at++;
    }
    return at;
}

static size_t after_sign(bt_str text, size_t at)
{
    return at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+') ? at + 1 : at;
}

/* Digits with at most one point among, before or behind them, then perhaps an exponent. */
static enum bt_yaml_type number_type(bt_str text)
{
    const size_t begin = after_sign(text, 0);
    size_t at = after_digits(text, begin);
    size_t digits = at - begin;
    if (at == text.len) {
        return digits > 0 ? BT_YAML_TYPE_INTEGER : BT_YAML_TYPE_STRING;
    }
    if (text.ptr[at] == '.') {
        const size_t end = after_digits(text, at + 1);
        digits += end - at - 1;
        at = end;
    }
    if (digits == 0) {
        return BT_YAML_TYPE_STRING;
    }
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        const size_t exponent = after_sign(text, at + 1);
        at = after_digits(text, exponent);
        if (at == exponent) {
            return BT_YAML_TYPE_STRING;
        }
    }
    return at == text.len ? BT_YAML_TYPE_NUMBER : BT_YAML_TYPE_STRING;
}

enum bt_yaml_type bt_yaml_type_of(const struct bt_yaml_node *node)
{
    /* clang-format off */
    static const struct yaml_scalar_word {
        bt_str text;
        enum bt_yaml_type type;
    } words[] = {
        {BT_STR_INIT(""), BT_YAML_TYPE_NULL},      {BT_STR_INIT("~"), BT_YAML_TYPE_NULL},
        {BT_STR_INIT("null"), BT_YAML_TYPE_NULL},  {BT_STR_INIT("false"), BT_YAML_TYPE_FALSE},
        {BT_STR_INIT("true"), BT_YAML_TYPE_TRUE},
    };
    /* clang-format on */
    if (!node || node->kind != BT_YAML_SCALAR) {
        return BT_YAML_TYPE_NONE;
    }
    if (node->style != BT_YAML_STYLE_PLAIN) {
        return BT_YAML_TYPE_STRING;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (bt_str_eq(words[i].text, node->text)) {
            return words[i].type;
        }
    }
    return number_type(node->text);
}
