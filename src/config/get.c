/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - what is in force, key by key.
 */
#include "config/config_internal.h"

#include <assert.h>

static const struct bt_config defaults;

const struct bt_config *bt_config_defaults(void)
{
    return &defaults;
}

size_t bt_config_texts(const struct bt_yaml_node *node)
{
    return node->kind == BT_YAML_SCALAR ? 1 : node->count;
}

bt_str bt_config_text_at(const struct bt_yaml_node *node, size_t index)
{
    assert(index < bt_config_texts(node));
    return node->kind == BT_YAML_SCALAR     ? node->text
           : node->kind == BT_YAML_SEQUENCE ? node->items[index].text
                                            : node->entries[index].value.text;
}

bool bt_config_allows_any_name(const struct bt_config *config)
{
    const struct bt_yaml_node *node = config->given[bt_config_row(BT_STR("listen"))];
    struct bt_listen_address listen;
    for (size_t i = 0; node && i < bt_config_texts(node); i++) {
        if (bt_listen_address_parse(bt_config_text_at(node, i), &listen) == BT_OK &&
            !listen.is_local) {
            return true;
        }
    }
    return false;
}

const struct bt_yaml_node *bt_config_value(const struct bt_config *config, size_t row)
{
    static const struct bt_yaml_node empty_list = {.kind = BT_YAML_SEQUENCE};
    assert(row < bt_config_rows_count);
    const bt_str name = bt_config_rows[row].name;
    if (config->given[row]) {
        return config->given[row];
    }
    if (bt_str_eq(name, BT_STR("auth.anonymous")) && bt_config_allows_any_name(config)) {
        return &empty_list;
    }
    if (bt_str_eq(name, BT_STR("limits.document_bytes"))) {
        const size_t body = bt_config_row(BT_STR("limits.body_bytes"));
        const struct bt_yaml_node *limit =
            config->given[body] ? config->given[body] : &bt_config_rows[body].otherwise;
        uint64_t bytes = 0;
        uint64_t usual = 0;
        const bool known = bt_str_to_u64(limit->text, &bytes) == BT_OK &&
                           bt_str_to_u64(bt_config_rows[row].otherwise.text, &usual) == BT_OK;
        return known && bytes < usual ? limit : &bt_config_rows[row].otherwise;
    }
    return &bt_config_rows[row].otherwise;
}

static const struct bt_yaml_node *value_of(const struct bt_config *config, const char *key)
{
    assert(config);
    return bt_config_value(config, bt_config_row(bt_str_of(key)));
}

bool bt_config_has(const struct bt_config *config, const char *key)
{
    const size_t row = bt_config_row(bt_str_of(key));
    assert(row < bt_config_rows_count);
    return config->given[row] != NULL;
}

bool bt_config_has_group(const struct bt_config *config, const char *group)
{
    const bt_str name = bt_str_of(group);
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        const bt_str key = bt_config_rows[row].name;
        if (config->given[row] && bt_str_starts_with(key, name) && key.len > name.len &&
            key.ptr[name.len] == '.') {
            return true;
        }
    }
    return false;
}

bool bt_config_has_gate(const struct bt_config *config)
{
    return config->has_gate;
}

bool bt_config_has_budget(const struct bt_config *config)
{
    return config->has_budget;
}

bt_str bt_config_text(const struct bt_config *config, const char *key)
{
    const struct bt_yaml_node *value = value_of(config, key);
    assert(value->kind == BT_YAML_SCALAR);
    return value->text;
}

bool bt_config_is_of_project(const struct bt_config *config, const char *key)
{
    const size_t row = bt_config_row(bt_str_of(key));
    assert(row < bt_config_rows_count);
    return config->given[row] && config->kinds[row] == BT_CONFIG_PROJECT;
}

uint64_t bt_config_text_number(bt_str text)
{
    bt_str digits = text;
    uint64_t number = 0;
    digits = bt_str_starts_with(digits, BT_STR("+")) ? bt_str_slice(digits, 1, digits.len) : digits;
    const bool is_number = bt_str_to_u64(digits, &number) == BT_OK;
    assert(is_number);
    (void)is_number;
    return number;
}

uint64_t bt_config_u64(const struct bt_config *config, const char *key)
{
    return bt_config_text_number(bt_config_text(config, key));
}

bool bt_config_bool(const struct bt_config *config, const char *key)
{
    return bt_yaml_type_of(value_of(config, key)) == BT_YAML_TYPE_TRUE;
}

uint64_t bt_config_seconds(const struct bt_config *config, const char *key)
{
    return bt_config_text_seconds(bt_config_text(config, key));
}

uint64_t bt_config_retain_seconds(const struct bt_config *config)
{
    return bt_config_has(config, "retain.min") ? bt_config_seconds(config, "retain.min") : 0;
}

uint64_t bt_config_heartbeat_seconds(const struct bt_config *config)
{
    const bt_str text = bt_config_text(config, "ledger.heartbeat");
    return bt_str_eq(text, BT_STR("off")) ? 0 : bt_config_text_seconds(text);
}

uint64_t bt_config_text_seconds(bt_str text)
{
    static const uint64_t seconds[] = {1, 60, 3600, 86400};
    assert(text.len > 1);
    const size_t unit = bt_str_find_byte(BT_STR("smhd"), text.ptr[text.len - 1], 0);
    uint64_t number = 0;
    const bool is_number = bt_str_to_u64(bt_str_slice(text, 0, text.len - 1), &number) == BT_OK;
    assert(is_number && unit < 4);
    (void)is_number;
    return number * seconds[unit];
}

/* The folder that a path in the value of a key starts at; "" when that is the current one. */
static bt_str start_of(const struct bt_config *config, size_t row, bt_str path)
{
    const bool is_outer = config->store_is_outer && config->given[row] == &config->store;
    const bool is_relative = path.len > 0 && path.ptr[0] != '/';
    return is_relative && !is_outer ? config->folders[config->kinds[row]] : BT_STR("");
}

/* A path as it is seen from where we are, and not from the folder of the file. A store may be an
 * address, with or without a path in it. */
static enum bt_status seen_from_here(const struct bt_config *config, const char *key, bt_str text,
                                     struct bt_arena *arena, bt_str *out)
{
    const size_t row = bt_config_row(bt_str_of(key));
    const bool is_store = bt_str_eq(bt_str_of(key), BT_STR("store"));
    const bt_str sqlite =
        is_store && bt_str_starts_with(text, BT_STR("sqlite:")) ? BT_STR("sqlite:") : BT_STR("");
    if (is_store && bt_str_starts_with(text, BT_STR("postgres")) &&
        bt_str_find_byte(text, ':', 0) < text.len) {
        return bt_arena_copy(arena, text, out);
    }
    const bt_str path = bt_str_slice(text, sqlite.len, text.len);
    return bt_arena_printf(arena, out, "%.*s%.*s%.*s", BT_STR_ARG(sqlite),
                           BT_STR_ARG(start_of(config, row, path)), BT_STR_ARG(path));
}

enum bt_status bt_config_path(const struct bt_config *config, const char *key,
                              struct bt_arena *arena, bt_str *out)
{
    return seen_from_here(config, key, bt_config_text(config, key), arena, out);
}

enum bt_status bt_config_item_path(const struct bt_config *config, const char *key, size_t index,
                                   struct bt_arena *arena, bt_str *out)
{
    return seen_from_here(config, key, bt_config_item(config, key, index), arena, out);
}

enum bt_status bt_config_issuer(const struct bt_config *config, size_t index,
                                struct bt_arena *arena, struct bt_config_issuer *out)
{
    static const char key[] = "scitt.issuers";
    out->name = bt_config_item_member(config, key, index, "iss");
    return seen_from_here(config, key, bt_config_item_member(config, key, index, "key"), arena,
                          &out->key);
}

bt_str bt_config_folder(const struct bt_config *config, const char *key)
{
    return config->folders[config->kinds[bt_config_row(bt_str_of(key))]];
}

size_t bt_config_count(const struct bt_config *config, const char *key)
{
    return bt_config_texts(value_of(config, key));
}

bt_str bt_config_item(const struct bt_config *config, const char *key, size_t index)
{
    return bt_config_text_at(value_of(config, key), index);
}

bt_str bt_config_item_name(const struct bt_config *config, const char *key, size_t index)
{
    const struct bt_yaml_node *value = value_of(config, key);
    assert(value->kind == BT_YAML_MAPPING);
    assert(index < value->count);
    return value->entries[index].key;
}

/* The text of a member; "" when it is absent or null. */
static bt_str member_text(const struct bt_yaml_node *mapping, const char *member)
{
    const struct bt_yaml_node *found = bt_yaml_get(mapping, bt_str_of(member));
    const bool is_there = found && bt_yaml_type_of(found) != BT_YAML_TYPE_NULL;
    return is_there ? found->text : BT_STR("");
}

bt_str bt_config_member(const struct bt_config *config, const char *key, const char *member)
{
    return member_text(value_of(config, key), member);
}

bt_str bt_config_item_member(const struct bt_config *config, const char *key, size_t index,
                             const char *member)
{
    const struct bt_yaml_node *value = value_of(config, key);
    assert(value->kind != BT_YAML_SCALAR);
    assert(index < value->count);
    return member_text(value->kind == BT_YAML_SEQUENCE ? &value->items[index]
                                                       : &value->entries[index].value,
                       member);
}

struct bt_limits bt_config_limits(const struct bt_config *config)
{
    return (struct bt_limits){
        .document_bytes = bt_config_u64(config, "limits.document_bytes"),
        .depth = bt_config_u64(config, "limits.nesting"),
        .nodes = bt_config_u64(config, "limits.members"),
        .string_bytes = bt_config_u64(config, "limits.string_bytes"),
        .row_bytes = bt_config_u64(config, "limits.csv_row_bytes"),
        .cell_bytes = bt_config_u64(config, "limits.csv_cell_bytes"),
        .xml_bytes = bt_config_u64(config, "limits.xml_bytes"),
        .xml_depth = bt_config_u64(config, "limits.xml_depth"),
        .schema_depth = bt_config_u64(config, "limits.schema_depth"),
    };
}
