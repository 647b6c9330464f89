/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - a configuration for programs and for people, without its secrets.
 */
#include "config/config_internal.h"

#include <assert.h>

#include <baton/json.h>

#include "json/emit.h"
#include "report/render.h"
#include "select/select.h"

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

/* The word of a severity or level: as JSON has it, or as people read it. */
static bt_str level_word(const struct bt_config_row *row, bt_str text, bool is_yaml)
{
    enum bt_select_level level = BT_SELECT_LEVEL_NONE;
    if (!is_yaml || bt_select_level_parse(text, &level) != BT_OK || level == BT_SELECT_LEVEL_OFF) {
        return bt_config_canonical(row, text);
    }
    return bt_str_of(bt_render_severity(bt_select_severity_of(level)));
}

/* Where values go to, and in which vocabulary. */
struct config_emit {
    struct bt_emit *emit;
    bool is_yaml;
};

static void emit_scalar(struct config_emit *out, const struct bt_config_row *row,
                        const struct bt_yaml_node *node)
{
    struct bt_emit *emit = out->emit;
    bt_str digits = node->text;
    if (row->is_level) {
        bt_emit_string(emit, level_word(row, node->text, out->is_yaml));
        return;
    }
    if (row->type == BT_CONFIG_DECIMAL) {
        bt_emit_string(emit, node->text);
        return;
    }
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

/* A value without rows of its own: a scalar, a list of them, or a map to them. */
static void emit_plain(struct config_emit *out, const struct bt_config_row *row,
                       const struct bt_yaml_node *node)
{
    if (node->kind == BT_YAML_SCALAR) {
        emit_scalar(out, row, node);
        return;
    }
    if (node->kind == BT_YAML_MAPPING) {
        bt_emit_begin_object(out->emit);
    } else {
        bt_emit_begin_array(out->emit);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == BT_YAML_MAPPING) {
            bt_emit_name_str(out->emit, node->entries[i].key);
            emit_scalar(out, row, &node->entries[i].value);
        } else {
            emit_scalar(out, row, &node->items[i]);
        }
    }
    bt_emit_end(out->emit);
}

typedef void config_emit_fn(struct config_emit *out, const struct bt_config_row *row,
                            const struct bt_yaml_node *node);

/* A mapping that has a row for each of its members. */
static void emit_members(struct config_emit *out, const struct bt_config_row *row,
                         const struct bt_yaml_node *node, config_emit_fn *emit_member)
{
    bt_emit_begin_object(out->emit);
    for (size_t i = 0; i < node->count; i++) {
        size_t member = 0;
        while (!bt_str_eq(row->list.members[member].name, node->entries[i].key)) {
            member++;
            assert(member < row->list.member_count);
        }
        bt_emit_name_str(out->emit, node->entries[i].key);
        emit_member(out, &row->list.members[member], &node->entries[i].value);
    }
    bt_emit_end(out->emit);
}

/* A member of a mapping, which may be a group or a list of mappings. */
static void emit_member(struct config_emit *out, const struct bt_config_row *row,
                        const struct bt_yaml_node *node)
{
    if (row->type == BT_CONFIG_GROUP && node->kind == BT_YAML_MAPPING) {
        emit_members(out, row, node, emit_plain);
    } else if (row->type == BT_CONFIG_MAPPINGS && node->kind == BT_YAML_SEQUENCE) {
        bt_emit_begin_array(out->emit);
        for (size_t i = 0; i < node->count; i++) {
            emit_members(out, row, &node->items[i], emit_plain);
        }
        bt_emit_end(out->emit);
    } else {
        emit_plain(out, row, node);
    }
}

/* Every member of a group, with its default where it is not given. */
static void emit_group(struct config_emit *out, const struct bt_config_row *row,
                       const struct bt_yaml_node *node)
{
    bt_emit_begin_object(out->emit);
    for (size_t i = 0; i < row->list.member_count; i++) {
        const struct bt_config_row *member = &row->list.members[i];
        const struct bt_yaml_node *given = bt_yaml_get(node, member->name);
        bt_emit_name_str(out->emit, member->name);
        emit_plain(out, member, given ? given : &member->otherwise);
    }
    bt_emit_end(out->emit);
}

static void emit_value(struct config_emit *out, size_t index, const struct bt_yaml_node *node)
{
    const struct bt_config_row *row = &bt_config_rows[index];
    if (row->type == BT_CONFIG_GROUPS) {
        bt_emit_begin_object(out->emit);
        for (size_t i = 0; i < node->count; i++) {
            bt_emit_name_str(out->emit, node->entries[i].key);
            emit_members(out, row, &node->entries[i].value, emit_member);
        }
        bt_emit_end(out->emit);
    } else if (row->type == BT_CONFIG_GROUP && !row->list.is_limit) {
        emit_group(out, row, node);
    } else if (row->type == BT_CONFIG_MAPPINGS) {
        bt_emit_begin_array(out->emit);
        for (size_t i = 0; i < node->count; i++) {
            emit_members(out, row, &node->items[i], emit_member);
        }
        bt_emit_end(out->emit);
    } else {
        emit_member(out, row, node);
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
    struct config_emit out = {emit, false};
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
        emit_value(&out, row, bt_config_value(config, row));
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
        struct config_emit out = {&emit, true};
        bt_emit_init(&emit, buf, false);
        emit_value(&out, row, bt_config_value(config, row));
        bt_buf_put_char(buf, '\n');
    }
}
