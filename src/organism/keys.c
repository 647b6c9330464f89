/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - the group of checks that covers each key on its own: known, present, of the right type
 * and in range.
 *
 * Mappings of the file nest like the table, four levels at most, so the walk keeps its position in
 * an array.
 */
#include "organism/keys.h"

#include <assert.h>

#include "schema/nearest.h"

/* Keys of similar systems, and what replaces them here. */
static const struct organism_foreign_key {
    bt_str key;
    bt_str reason;
} elsewhere[] = {
    {BT_STR_INIT("llm"), BT_STR_INIT("Baton calls no model; handlers do")},
    {BT_STR_INIT("llm_backends"), BT_STR_INIT("Baton calls no model; handlers do")},
    {BT_STR_INIT("platform"), BT_STR_INIT("Baton calls no model; handlers do")},
    {BT_STR_INIT("model"), BT_STR_INIT("Baton calls no model; handlers do")},
    {BT_STR_INIT("server"), BT_STR_INIT("see organism.port and clients")},
    {BT_STR_INIT("auth"), BT_STR_INIT("see organism.port and clients")},
    {BT_STR_INIT("max_concurrent_pipelines"), BT_STR_INIT("unknown stage")},
    {BT_STR_INIT("broadcast"), BT_STR_INIT("use group")},
    {BT_STR_INIT("tools"), BT_STR_INIT("use allow")},
    {BT_STR_INIT("tool_config"), BT_STR_INIT("use allow")},
    {BT_STR_INIT("allowed_tools"), BT_STR_INIT("use allow")},
    {BT_STR_INIT("blocked_tools"), BT_STR_INIT("use allow")},
    {BT_STR_INIT("type"), BT_STR_INIT("use command")},
    {BT_STR_INIT("script"), BT_STR_INIT("use command")},
    {BT_STR_INIT("tool"), BT_STR_INIT("use command")},
    {BT_STR_INIT("gateway"), BT_STR_INIT("use gateways")},
    {BT_STR_INIT("trusted"), BT_STR_INIT("every handler has its own process and none is trusted")},
    {BT_STR_INIT("cpu_bound"),
     BT_STR_INIT("every handler has its own process and none is trusted")},
};

static const struct organism_foreign_key *find_foreign(bt_str key)
{
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        if (bt_str_eq(elsewhere[i].key, key)) {
            return &elsewhere[i];
        }
    }
    return NULL;
}

bool bt_organism_key_is_foreign(bt_str key)
{
    return find_foreign(key) != NULL;
}

static bt_str key_name_at(const void *context, size_t index)
{
    const struct bt_organism_key *key = (const struct bt_organism_key *)context + index;
    return key->kind == BT_ORGANISM_KEY_NETWORK ? BT_STR("") : key->name;
}

/* The key of this place that was probably meant, or BT_STR_ABSENT. */
static bt_str nearest_key(const struct bt_organism_key_table *keys, bt_str name)
{
    size_t count = 0;
    while (keys->rows[count].name.len > 0) {
        count++;
    }
    const size_t found = bt_nearest_word(name, key_name_at, keys->rows, count);
    return name.len > 0 && found < count ? keys->rows[found].name : BT_STR_ABSENT;
}

static enum bt_status add_unknown_key_finding(struct bt_organism_reader *reader,
                                              const struct bt_organism_key_table *keys,
                                              const struct bt_yaml_entry *entry)
{
    const struct organism_foreign_key *foreign = find_foreign(entry->key);
    return bt_add_pump_key_unknown(reader->findings, bt_organism_locate(reader, &entry->value),
                                   entry->key, foreign ? foreign->reason : BT_STR_ABSENT,
                                   nearest_key(keys, entry->key));
}

static bt_str value_shown(const struct bt_yaml_node *node)
{
    return node->kind == BT_YAML_SCALAR ? node->text : BT_STR_ABSENT;
}

static enum bt_status wrong_type(struct bt_organism_reader *reader, const struct bt_yaml_node *node,
                                 const char *expected)
{
    return bt_add_pump_key_type(reader->findings, bt_organism_locate(reader, node),
                                bt_str_of(expected), value_shown(node));
}

static enum bt_status wrong_value(struct bt_organism_reader *reader,
                                  const struct bt_yaml_node *node, bt_str expected)
{
    return bt_add_pump_key_value(reader->findings, bt_organism_locate(reader, node), expected,
                                 value_shown(node));
}

/* Whether a byte is in a set such as "a-z0-9._-". */
static bool is_in(const char *set, char byte)
{
    for (; *set; set++) {
        if (set[1] == '-' && set[2]) {
            if (byte >= set[0] && byte <= set[2]) {
                return true;
            }
            set += 2;
        } else if (byte == *set) {
            return true;
        }
    }
    return false;
}

static bool is_of_form(const struct bt_organism_key *key, bt_str text)
{
    if ((key->bytes_max > 0 && text.len > key->bytes_max) || text.len < (size_t)key->min) {
        return false;
    }
    if (!key->first) {
        return true;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (!is_in(key->rest, text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0 && is_in(key->first, text.ptr[0]);
}

static enum bt_status check_string(struct bt_organism_reader *reader,
                                   const struct bt_organism_key *key,
                                   const struct bt_yaml_node *node)
{
    if (!bt_organism_node_is_string(node)) {
        return wrong_type(reader, node, "string");
    }
    return is_of_form(key, node->text) ? BT_OK
                                       : wrong_value(reader, node, bt_str_of(key->expected));
}

static enum bt_status check_boolean(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node)
{
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    return type == BT_YAML_TYPE_TRUE || type == BT_YAML_TYPE_FALSE
               ? BT_OK
               : wrong_type(reader, node, "boolean");
}

static enum bt_status check_integer(struct bt_organism_reader *reader,
                                    const struct bt_organism_key *key,
                                    const struct bt_yaml_node *node)
{
    int64_t number = 0;
    if (bt_yaml_type_of(node) != BT_YAML_TYPE_INTEGER) {
        return wrong_type(reader, node, "integer");
    }
    return bt_organism_node_integer(node, &number) && number >= key->min && number <= key->max
               ? BT_OK
               : wrong_value(reader, node, bt_str_of(key->expected));
}

static enum bt_status check_number(struct bt_organism_reader *reader,
                                   const struct bt_organism_key *key,
                                   const struct bt_yaml_node *node)
{
    const enum bt_yaml_type type = bt_yaml_type_of(node);
    int64_t thousandths = 0;
    if (type != BT_YAML_TYPE_INTEGER && type != BT_YAML_TYPE_NUMBER) {
        return wrong_type(reader, node, "number");
    }
    return bt_organism_node_thousandths(node, &thousandths) && thousandths >= key->min &&
                   thousandths <= key->max
               ? BT_OK
               : wrong_value(reader, node, bt_str_of(key->expected));
}

enum { EXPECTED_BYTES_MAX = 128 };

static enum bt_status check_word(struct bt_organism_reader *reader,
                                 const struct bt_organism_key *key, const struct bt_yaml_node *node)
{
    if (!bt_organism_node_is_string(node)) {
        return wrong_type(reader, node, "string");
    }
    struct bt_buf expected;
    bt_buf_init(&expected, EXPECTED_BYTES_MAX);
    bool is_known = false;
    for (size_t i = 0; key->words[i]; i++) {
        is_known = is_known || bt_str_eq(node->text, bt_str_of(key->words[i]));
        bt_buf_printf(&expected, "%s%s", i > 0 ? ", " : "", key->words[i]);
    }
    const enum bt_status status = is_known ? BT_OK
                                  : expected.status != BT_OK
                                      ? expected.status
                                      : wrong_value(reader, node, bt_buf_str(&expected));
    bt_buf_free(&expected);
    return status;
}

/* One item of a list, or one value of a mapping, of a kind that holds many. */
static enum bt_status check_part(struct bt_organism_reader *reader,
                                 const struct bt_organism_key *key, const struct bt_yaml_node *node)
{
    if (key->kind == BT_ORGANISM_KEY_INTEGERS) {
        return check_integer(reader, key, node);
    }
    if (key->kind == BT_ORGANISM_KEY_WORDS) {
        return check_word(reader, key, node);
    }
    if (key->kind == BT_ORGANISM_KEY_SCALARS) {
        return node->kind == BT_YAML_SCALAR ? BT_OK : wrong_type(reader, node, "scalar");
    }
    return bt_organism_node_is_string(node) ? BT_OK : wrong_type(reader, node, "string");
}

static enum bt_status check_list(struct bt_organism_reader *reader,
                                 const struct bt_organism_key *key, const struct bt_yaml_node *node)
{
    if (node->kind != BT_YAML_SEQUENCE) {
        return wrong_type(reader, node, "list");
    }
    if (key->kind == BT_ORGANISM_KEY_STRINGS && node->count < (size_t)key->min) {
        return wrong_value(reader, node, bt_str_of(key->expected));
    }
    for (size_t i = 0; i < node->count; i++) {
        BT_TRY(check_part(reader, key, &node->items[i]));
    }
    return BT_OK;
}

static enum bt_status check_map(struct bt_organism_reader *reader,
                                const struct bt_organism_key *key, const struct bt_yaml_node *node)
{
    if (node->kind != BT_YAML_MAPPING) {
        return wrong_type(reader, node, "mapping");
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct bt_yaml_node *value = &node->entries[i].value;
        if (bt_yaml_type_of(value) != BT_YAML_TYPE_NULL) {
            BT_TRY(check_part(reader, key, value));
        }
    }
    return BT_OK;
}

static enum bt_status check_fields(struct bt_organism_reader *reader,
                                   const struct bt_yaml_node *node)
{
    const struct bt_payload_type *type = NULL;
    return node->kind == BT_YAML_MAPPING ? bt_organism_node_fields(reader, node, BT_STR(""), &type)
                                         : wrong_type(reader, node, "mapping");
}

static enum bt_status check_replies(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node)
{
    if (node->kind != BT_YAML_MAPPING) {
        return wrong_type(reader, node, "mapping");
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct bt_yaml_node *value = &node->entries[i].value;
        const struct bt_payload_type *type = NULL;
        if (value->kind == BT_YAML_MAPPING) {
            BT_TRY(bt_organism_node_fields(reader, value, BT_STR(""), &type));
        } else if (bt_yaml_type_of(value) != BT_YAML_TYPE_NULL &&
                   !(value->kind == BT_YAML_SCALAR && bt_payload_type_simple(value->text))) {
            BT_TRY(bt_add_pump_type_unsupported(reader->findings, bt_organism_locate(reader, value),
                                                value->text));
        }
    }
    return BT_OK;
}

/* Check the value of one key that is not a mapping with keys of its own. */
static enum bt_status value_of(struct bt_organism_reader *reader, const struct bt_organism_key *key,
                               const struct bt_yaml_node *node)
{
    switch (key->kind) {
    case BT_ORGANISM_KEY_STRING:
        return check_string(reader, key, node);
    case BT_ORGANISM_KEY_BOOL:
        return check_boolean(reader, node);
    case BT_ORGANISM_KEY_INTEGER:
        return check_integer(reader, key, node);
    case BT_ORGANISM_KEY_NUMBER:
        return check_number(reader, key, node);
    case BT_ORGANISM_KEY_WORD:
        return check_word(reader, key, node);
    case BT_ORGANISM_KEY_STRINGS:
    case BT_ORGANISM_KEY_INTEGERS:
    case BT_ORGANISM_KEY_WORDS:
        return check_list(reader, key, node);
    case BT_ORGANISM_KEY_SCALARS:
    case BT_ORGANISM_KEY_TEXTS:
        return check_map(reader, key, node);
    case BT_ORGANISM_KEY_FIELDS:
        return check_fields(reader, node);
    case BT_ORGANISM_KEY_REPLIES:
        return check_replies(reader, node);
    case BT_ORGANISM_KEY_NETWORK:
        return bt_add_pump_oob_network(reader->findings, bt_organism_locate(reader, node));
    case BT_ORGANISM_KEY_MAPPING:
    case BT_ORGANISM_KEY_MAPPINGS:
        break;
    }
    return BT_OK;
}

enum { LEVELS_MAX = 8 };

/* A mapping, or a list of mappings, whose children are being checked. */
struct organism_keys_level {
    const struct bt_organism_key_table *keys;
    const struct bt_yaml_node *node;
    size_t next;
};

const struct bt_organism_key *bt_organism_key_named(const struct bt_organism_key_table *keys,
                                                    bt_str name)
{
    for (const struct bt_organism_key *key = keys->rows; key->name.len > 0; key++) {
        if (bt_str_eq(key->name, name)) {
            return key;
        }
    }
    return NULL;
}

static enum bt_status check_required_keys(struct bt_organism_reader *reader,
                                          const struct organism_keys_level *level)
{
    for (const struct bt_organism_key *key = level->keys->rows; key->name.len > 0; key++) {
        if (key->is_required && !bt_organism_node_get(level->node, key->name.ptr)) {
            BT_TRY(bt_add_pump_key_missing(reader->findings,
                                           bt_organism_locate(reader, level->node), key->name));
        }
    }
    return level->keys->whole ? level->keys->whole(reader, level->node) : BT_OK;
}

/* Check an entry; *out is set when its value has keys of its own, which are checked next. */
static enum bt_status check_entry(struct bt_organism_reader *reader,
                                  const struct bt_organism_key_table *keys,
                                  const struct bt_yaml_entry *entry,
                                  const struct bt_organism_key **out)
{
    const struct bt_organism_key *key = bt_organism_key_named(keys, entry->key);
    if (!key) {
        return add_unknown_key_finding(reader, keys, entry);
    }
    if (bt_yaml_type_of(&entry->value) == BT_YAML_TYPE_NULL) {
        return BT_OK;
    }
    if (!key->keys) {
        return value_of(reader, key, &entry->value);
    }
    const bool is_list = key->kind == BT_ORGANISM_KEY_MAPPINGS;
    if (entry->value.kind != (is_list ? BT_YAML_SEQUENCE : BT_YAML_MAPPING)) {
        return wrong_type(reader, &entry->value, is_list ? "list" : "mapping");
    }
    *out = key;
    return BT_OK;
}

/* Check the next child of a level; *out_opens: its own children are checked next. */
static enum bt_status check_next_child(struct bt_organism_reader *reader,
                                       struct organism_keys_level *top,
                                       struct organism_keys_level *below, bool *out_opens)
{
    const size_t i = top->next++;
    if (top->node->kind == BT_YAML_SEQUENCE) {
        const struct bt_yaml_node *item = &top->node->items[i];
        *below = (struct organism_keys_level){.keys = top->keys, .node = item};
        *out_opens = item->kind == BT_YAML_MAPPING;
        BT_TRY(*out_opens ? check_required_keys(reader, below)
                          : wrong_type(reader, item, "mapping"));
    } else {
        const struct bt_yaml_entry *entry = &top->node->entries[i];
        const struct bt_organism_key *key = NULL;
        *below = (struct organism_keys_level){.node = &entry->value};
        BT_TRY(check_entry(reader, top->keys, entry, &key));
        *out_opens = key != NULL;
        below->keys = key ? key->keys : NULL;
        if (key && key->kind == BT_ORGANISM_KEY_MAPPING) {
            BT_TRY(check_required_keys(reader, below));
        }
    }
    return BT_OK;
}

enum bt_status bt_organism_check_keys(struct bt_organism_reader *reader)
{
    struct organism_keys_level levels[LEVELS_MAX] = {
        {.keys = &bt_organism_key_table, .node = reader->document}};
    size_t depth = 1;
    BT_TRY(check_required_keys(reader, &levels[0]));
    while (depth > 0) {
        struct organism_keys_level *top = &levels[depth - 1];
        bool opens = false;
        if (top->next == top->node->count) {
            depth--;
            continue;
        }
        assert(depth < LEVELS_MAX);
        BT_TRY(check_next_child(reader, top, &levels[depth], &opens));
        depth += opens;
    }
    return BT_OK;
}
