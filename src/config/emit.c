/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - a configuration for programs and for people, without its secrets.
 */
#include "config/config_internal.h"

#include <baton/json.h>

#include "json/emit.h"

enum { TEXT_BYTES_MAX = 2 << 20 };

static void emit_text(struct bt_emit *emit, bt_str text)
{
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_buf_put_masked(&buf, text);
    if (buf.status != BT_OK) {
        emit->buf->status = buf.status; /* it fails as a whole */
    }
    bt_emit_string(emit, bt_buf_str(&buf));
    bt_buf_free(&buf);
}

static void emit_scalar(struct bt_emit *emit, const struct bt_yaml_node *node)
{
    bt_str digits = node->text;
    switch (bt_yaml_type_of(node)) {
    case BT_YAML_TYPE_NONE:
    case BT_YAML_TYPE_NULL:
        bt_emit_null(emit);
        return;
    case BT_YAML_TYPE_FALSE:
    case BT_YAML_TYPE_TRUE:
        bt_emit_bool(emit, bt_yaml_type_of(node) == BT_YAML_TYPE_TRUE);
        return;
    case BT_YAML_TYPE_INTEGER: {
        uint64_t number = 0;
        digits =
            bt_str_starts_with(digits, BT_STR("+")) ? bt_str_slice(digits, 1, digits.len) : digits;
        if (bt_str_to_u64(digits, &number) == BT_OK) { /* as every number of a key is */
            bt_emit_u64(emit, number);
            return;
        }
        break;
    }
    case BT_YAML_TYPE_NUMBER:
    case BT_YAML_TYPE_STRING:
        break;
    }
    emit_text(emit, node->text);
}

/* A member of a mapping: a scalar, or a list of them. */
static void emit_member(struct bt_emit *emit, const struct bt_yaml_node *node)
{
    if (node->kind != BT_YAML_SEQUENCE) {
        emit_scalar(emit, node);
        return;
    }
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < node->count; i++) {
        emit_scalar(emit, &node->items[i]);
    }
    bt_emit_end(emit);
}

static void emit_mapping(struct bt_emit *emit, const struct bt_yaml_node *node)
{
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < node->count; i++) {
        bt_emit_name_str(emit, node->entries[i].key);
        emit_member(emit, &node->entries[i].value);
    }
    bt_emit_end(emit);
}

static void emit_value(struct bt_emit *emit, const struct bt_yaml_node *node)
{
    if (node->kind == BT_YAML_MAPPING) {
        emit_mapping(emit, node);
    } else if (node->kind == BT_YAML_SEQUENCE) {
        bt_emit_begin_array(emit);
        for (size_t i = 0; i < node->count; i++) {
            if (node->items[i].kind == BT_YAML_MAPPING) {
                emit_mapping(emit, &node->items[i]);
            } else {
                emit_scalar(emit, &node->items[i]);
            }
        }
        bt_emit_end(emit);
    } else {
        emit_scalar(emit, node);
    }
}

static bt_str group_of(size_t row)
{
    const bt_str name = bt_config_rows[row].name;
    const size_t dot = bt_str_find_byte(name, '.', 0);
    return dot < name.len ? bt_str_slice(name, 0, dot) : BT_STR("");
}

/* What follows the group. */
static bt_str last_of(size_t row)
{
    const bt_str name = bt_config_rows[row].name;
    const bt_str group = group_of(row);
    return group.len > 0 ? bt_str_slice(name, group.len + 1, name.len) : name;
}

static bt_str origin_of(const struct bt_config *config, size_t row)
{
    if (!config->given[row]) {
        return BT_STR("default");
    }
    const bool is_outer = config->given[row] == &config->store && config->store_is_outer;
    static const bt_str names[BT_CONFIG_KINDS] = {BT_STR_INIT("file"), BT_STR_INIT("project"),
                                                  BT_STR_INIT("user"), BT_STR_INIT("system")};
    return is_outer ? BT_STR("environment") : names[config->kinds[row]];
}

void bt_config_emit(const struct bt_config *config, struct bt_emit *emit)
{
    bt_str group = BT_STR("");
    bt_emit_member_object(emit, "config");
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        if (!bt_str_eq(group, group_of(row))) {
            if (group.len > 0) {
                bt_emit_end(emit);
            }
            group = group_of(row);
            if (group.len > 0) {
                bt_emit_name_str(emit, group);
                bt_emit_begin_object(emit);
            }
        }
        bt_emit_name_str(emit, last_of(row));
        emit_value(emit, bt_config_value(config, row));
    }
    if (group.len > 0) {
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_member_object(emit, "origin");
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        bt_emit_name_str(emit, bt_config_rows[row].name);
        bt_emit_string(emit, origin_of(config, row));
    }
    bt_emit_end(emit);
}

void bt_config_put_yaml(const struct bt_config *config, struct bt_buf *buf)
{
    bt_str group = BT_STR("");
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        if (!bt_str_eq(group, group_of(row))) {
            group = group_of(row);
            if (group.len > 0) {
                bt_buf_put(buf, group);
                bt_buf_put_text(buf, ":\n");
            }
        }
        bt_buf_put_text(buf, group.len > 0 ? "  " : "");
        bt_buf_put(buf, last_of(row));
        bt_buf_put_text(buf, ": ");
        struct bt_emit emit; /* a JSON text is a YAML text */
        bt_emit_init(&emit, buf, false);
        emit_value(&emit, bt_config_value(config, row));
        bt_buf_put_char(buf, '\n');
    }
}
