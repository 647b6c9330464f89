/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - text -> configuration, and what is wrong with it, key by key.
 */
#include "config/config_internal.h"

#include <assert.h>
#include <stdio.h>

#include <baton/json.h>

#include "base/buf.h"
#include "report/rules.h"
#include "schema/nearest.h"

enum { DEPTH_MAX = 16, KEY_BYTES_SHOWN = 200 };

struct config_reader {
    struct bt_arena *arena;
    struct bt_findings *findings;
    struct bt_config *config;
};

/* A value, and where it stands. */
struct config_value_position {
    const struct bt_yaml_node *node;
    bt_str pointer;
    size_t row;
};

/* The key of a value, as the file has it. Values are not shown: a URL may hold a password. */
static enum bt_status key_of(struct bt_arena *arena, const struct config_value_position *place,
                             bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    for (size_t i = 1; i < place->pointer.len; i++) {
        bt_buf_put_char(&buf, place->pointer.ptr[i] == '/' ? '.' : place->pointer.ptr[i]);
    }
    return bt_buf_finish(&buf, arena, out);
}

static struct bt_location location_of(const struct config_value_position *place)
{
    return bt_location_pointer(place->pointer, place->node->offset);
}

static enum bt_status add_type_finding(struct config_reader *reader,
                                       const struct config_value_position *place,
                                       const char *expected)
{
    bt_str key;
    BT_TRY(key_of(reader->arena, place, &key));
    return bt_add_config_key_type(reader->findings, location_of(place), bt_str_of(expected), key);
}

static enum bt_status add_value_finding(struct config_reader *reader,
                                        const struct config_value_position *place,
                                        const char *expected)
{
    bt_str key;
    BT_TRY(key_of(reader->arena, place, &key));
    return bt_add_config_key_value(reader->findings, location_of(place), bt_str_of(expected), key,
                                   (struct bt_str_list){0});
}

/* An unknown key, and the known one that is like it ("": none is). */
static enum bt_status add_unknown_key_finding(struct config_reader *reader,
                                              const struct bt_yaml_entry *entry, bt_str pointer,
                                              bt_str nearest)
{
    const struct bt_location at = bt_location_pointer(pointer, entry->value.offset);
    const bt_str key =
        entry->key.len > 0 ? bt_str_slice(entry->key, 0, KEY_BYTES_SHOWN) : BT_STR_ABSENT;
    return bt_add_config_key_unknown(reader->findings, at, key,
                                     nearest.len > 0 ? nearest : BT_STR_ABSENT, entry->key);
}

static enum bt_status pointer_to(struct bt_arena *arena, bt_str above, bt_str key, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, above);
    bt_json_pointer_put(&buf, key);
    return bt_buf_finish(&buf, arena, out);
}

static bool is_null(const struct bt_yaml_node *node)
{
    return bt_yaml_type_of(node) == BT_YAML_TYPE_NULL;
}

static bool is_allowed_text(const struct bt_config_row *row, bt_str text)
{
    if (row->words) {
        const char *const *word = row->words;
        while (*word && !bt_str_eq(bt_str_of(*word), text)) {
            word++;
        }
        return *word != NULL;
    }
    return text.len > 0 && (!row->form || row->form(text));
}

static enum bt_status judge_text(struct config_reader *reader,
                                 const struct config_value_position *place,
                                 const struct bt_config_row *row)
{
    if (bt_yaml_type_of(place->node) != BT_YAML_TYPE_STRING) {
        return add_type_finding(reader, place, "string");
    }
    return is_allowed_text(row, place->node->text)
               ? BT_OK
               : add_value_finding(reader, place, row->expected);
}

static enum bt_status judge_number(struct config_reader *reader,
                                   const struct config_value_position *place)
{
    const struct bt_config_row *row = &bt_config_rows[place->row];
    bt_str digits = place->node->text;
    uint64_t number = 0;
    if (bt_yaml_type_of(place->node) != BT_YAML_TYPE_INTEGER) {
        return add_type_finding(reader, place, "integer");
    }
    if (bt_str_starts_with(digits, BT_STR("+"))) {
        digits = bt_str_slice(digits, 1, digits.len);
    }
    const bool is_number = bt_str_to_u64(digits, &number) == BT_OK;
    return is_number && number >= row->low && number <= row->high
               ? BT_OK
               : add_value_finding(reader, place, row->expected);
}

/* Judge a list of texts. */
static enum bt_status judge_texts(struct config_reader *reader,
                                  const struct config_value_position *place,
                                  const struct bt_config_row *row)
{
    if (place->node->kind != BT_YAML_SEQUENCE) {
        return add_type_finding(reader, place, "list");
    }
    for (size_t i = 0; i < place->node->count; i++) {
        struct config_value_position item = {.node = &place->node->items[i], .row = place->row};
        BT_TRY(bt_arena_printf(reader->arena, &item.pointer, "%.*s/%zu", BT_STR_ARG(place->pointer),
                               i));
        BT_TRY(judge_text(reader, &item, row));
    }
    return BT_OK;
}

static bt_str member_at(const void *context, size_t index)
{
    const struct bt_config_row *row = context;
    return row->members[index].name;
}

/* Judge one member of a mapping in a list. */
static enum bt_status judge_member(struct config_reader *reader, const struct bt_config_row *list,
                                   const struct bt_yaml_entry *entry, bt_str above)
{
    struct config_value_position place = {.node = &entry->value};
    size_t row = 0;
    BT_TRY(pointer_to(reader->arena, above, entry->key, &place.pointer));
    while (row < list->member_count && !bt_str_eq(list->members[row].name, entry->key)) {
        row++;
    }
    if (row == list->member_count) {
        const size_t found = bt_nearest_word(entry->key, member_at, list, list->member_count);
        return add_unknown_key_finding(reader, entry, place.pointer,
                                       found < list->member_count ? member_at(list, found)
                                                                  : BT_STR(""));
    }
    if (is_null(place.node)) {
        return BT_OK;
    }
    return list->members[row].type == BT_CONFIG_LIST
               ? judge_texts(reader, &place, &list->members[row])
               : judge_text(reader, &place, &list->members[row]);
}

static bool has_value(const struct bt_yaml_node *node, bt_str key)
{
    const struct bt_yaml_node *value = bt_yaml_get(node, key);
    return value && !is_null(value);
}

static enum bt_status judge_mapping(struct config_reader *reader,
                                    const struct config_value_position *place,
                                    const struct bt_config_row *list)
{
    const struct bt_yaml_node *node = place->node;
    if (node->kind != BT_YAML_MAPPING) {
        return add_type_finding(reader, place, "mapping");
    }
    bool is_whole = true;
    for (size_t i = 0; i < node->count; i++) {
        BT_TRY(judge_member(reader, list, &node->entries[i], place->pointer));
    }
    for (size_t i = 0; i < list->needed; i++) {
        is_whole = is_whole && has_value(node, list->members[i].name);
    }
    return is_whole           ? BT_OK
           : list->needed > 1 ? add_value_finding(reader, place, "a mapping with target and url")
                              : add_value_finding(reader, place, "a mapping with name");
}

static enum bt_status judge_items(struct config_reader *reader,
                                  const struct config_value_position *place)
{
    const struct bt_config_row *row = &bt_config_rows[place->row];
    const bool is_map = row->type == BT_CONFIG_MAP;
    const bool has_members = row->type == BT_CONFIG_MAPPINGS;
    for (size_t i = 0; i < place->node->count; i++) {
        char digits[24];
        const int length = snprintf(digits, sizeof(digits), "%zu", i);
        assert(length > 0);
        const bt_str key = is_map ? place->node->entries[i].key : bt_str_of(digits);
        struct config_value_position item = {.node = is_map ? &place->node->entries[i].value
                                                            : &place->node->items[i],
                                             .row = place->row};
        BT_TRY(pointer_to(reader->arena, place->pointer, key, &item.pointer));
        BT_TRY(has_members ? judge_mapping(reader, &item, row) : judge_text(reader, &item, row));
    }
    return row->fits && !row->fits(place->node) ? add_value_finding(reader, place, row->expected)
                                                : BT_OK;
}

static enum bt_status check_value(struct config_reader *reader,
                                  const struct config_value_position *place)
{
    const struct bt_config_row *row = &bt_config_rows[place->row];
    const enum bt_yaml_type type = bt_yaml_type_of(place->node);
    switch (row->type) {
    case BT_CONFIG_TEXT:
        return judge_text(reader, place, row);
    case BT_CONFIG_NUMBER:
        return judge_number(reader, place);
    case BT_CONFIG_SWITCH:
        return type == BT_YAML_TYPE_TRUE || type == BT_YAML_TYPE_FALSE
                   ? BT_OK
                   : add_type_finding(reader, place, "boolean");
    case BT_CONFIG_LIST:
    case BT_CONFIG_MAPPINGS:
        return place->node->kind == BT_YAML_SEQUENCE ? judge_items(reader, place)
                                                     : add_type_finding(reader, place, "list");
    case BT_CONFIG_TEXT_OR_LIST:
        if (place->node->kind != BT_YAML_SEQUENCE) {
            return judge_text(reader, place, row);
        }
        return place->node->count > 0 ? judge_items(reader, place)
                                      : add_value_finding(reader, place, row->expected);
    case BT_CONFIG_MAP:
        return place->node->kind == BT_YAML_MAPPING ? judge_items(reader, place)
                                                    : add_type_finding(reader, place, "mapping");
    }
    return BT_OK;
}

/* Judge a value, and take it unless something is wrong with it. */
static enum bt_status read_value(struct config_reader *reader,
                                 const struct config_value_position *place)
{
    const size_t before = bt_findings_count(reader->findings);
    BT_TRY(check_value(reader, place));
    if (bt_findings_count(reader->findings) == before) {
        reader->config->given[place->row] = place->node;
    }
    return BT_OK;
}

/* What could stand where an unknown key does: the names below a group, or the first parts. */
struct config_known_names {
    bt_str group; /* "" for the top */
};

static bt_str sibling_at(const void *context, size_t index)
{
    const struct config_known_names *siblings = context;
    const bt_str name = bt_config_rows[index].name;
    if (siblings->group.len == 0) {
        return bt_str_slice(name, 0, bt_str_find_byte(name, '.', 0));
    }
    const bool belongs = bt_str_starts_with(name, siblings->group) &&
                         name.len > siblings->group.len && name.ptr[siblings->group.len] == '.';
    return belongs ? bt_str_slice(name, siblings->group.len + 1, name.len) : BT_STR("");
}

static enum bt_status refuse_key(struct config_reader *reader, bt_str group,
                                 const struct bt_yaml_entry *entry, bt_str pointer)
{
    const struct config_known_names siblings = {group};
    const size_t found = bt_nearest_word(entry->key, sibling_at, &siblings, bt_config_rows_count);
    return add_unknown_key_finding(reader, entry, pointer,
                                   found < bt_config_rows_count ? sibling_at(&siblings, found)
                                                                : BT_STR(""));
}

static bool is_group(bt_str key)
{
    const struct config_known_names siblings = {key};
    size_t row = 0;
    while (row < bt_config_rows_count && sibling_at(&siblings, row).len == 0) {
        row++;
    }
    return row < bt_config_rows_count;
}

static enum bt_status take_group(struct config_reader *reader, bt_str group,
                                 const struct config_value_position *place)
{
    if (is_null(place->node)) {
        return BT_OK;
    }
    if (place->node->kind != BT_YAML_MAPPING) {
        return add_type_finding(reader, place, "mapping");
    }
    reader->config->has_gate = reader->config->has_gate || bt_str_eq(group, BT_STR("gate"));
    for (size_t i = 0; i < place->node->count; i++) {
        const struct bt_yaml_entry *entry = &place->node->entries[i];
        struct config_value_position member = {.node = &entry->value};
        bt_str name;
        BT_TRY(bt_arena_printf(reader->arena, &name, "%.*s.%.*s", BT_STR_ARG(group),
                               BT_STR_ARG(bt_str_slice(entry->key, 0, KEY_BYTES_SHOWN))));
        BT_TRY(pointer_to(reader->arena, place->pointer, entry->key, &member.pointer));
        member.row = bt_config_row(name);
        if (member.row == bt_config_rows_count) {
            BT_TRY(refuse_key(reader, group, entry, member.pointer));
        } else if (!is_null(&entry->value)) {
            BT_TRY(read_value(reader, &member));
        }
    }
    return BT_OK;
}

static enum bt_status take_keys(struct config_reader *reader, const struct bt_yaml_node *root)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct bt_yaml_entry *entry = &root->entries[i];
        struct config_value_position place = {.node = &entry->value,
                                              .row = bt_config_row(entry->key)};
        BT_TRY(pointer_to(reader->arena, BT_STR(""), entry->key, &place.pointer));
        if (is_group(entry->key)) {
            BT_TRY(take_group(reader, entry->key, &place));
        } else if (place.row == bt_config_rows_count ||
                   bt_str_find_byte(entry->key, '.', 0) < entry->key.len) {
            BT_TRY(refuse_key(reader, BT_STR(""), entry, place.pointer));
        } else if (!is_null(&entry->value)) {
            BT_TRY(read_value(reader, &place));
        }
    }
    return BT_OK;
}

static enum bt_status add_yaml_finding(struct config_reader *reader,
                                       const struct bt_yaml_read_result *read)
{
    const struct bt_location at = bt_location_pointer(read->pointer, read->offset);
    const bt_str key =
        read->key.len > 0 ? bt_str_slice(read->key, 0, KEY_BYTES_SHOWN) : BT_STR_ABSENT;
    switch (read->code) {
    case BT_YAML_UNSUPPORTED:
        return bt_add_config_yaml_unsupported(reader->findings, at, read->feature, read->detail);
    case BT_YAML_DUPLICATE_KEY:
        return bt_add_config_yaml_duplicate_key(reader->findings, at, key, read->detail);
    case BT_YAML_LIMIT:
        return bt_add_config_yaml_limit(reader->findings, at, read->limit, read->detail);
    case BT_YAML_ERROR_NONE:
    case BT_YAML_SYNTAX:
        break;
    }
    return bt_add_config_yaml_syntax(reader->findings, at, read->detail);
}

/* The folder of a path, with its slash. */
static bt_str folder_of(bt_str path)
{
    size_t end = path.len;
    while (end > 0 && path.ptr[end - 1] != '/') {
        end--;
    }
    return bt_str_slice(path, 0, end);
}

static enum bt_status read_text(struct config_reader *reader, bt_str text)
{
    struct bt_yaml_options options = bt_yaml_options_default();
    struct bt_yaml_read_result read;
    options.depth_max = DEPTH_MAX;
    BT_TRY(bt_yaml_read(reader->arena, text, &options, &read));
    if (!read.root) {
        return add_yaml_finding(reader, &read);
    }
    if (is_null(read.root)) {
        return BT_OK;
    }
    if (read.root->kind != BT_YAML_MAPPING) {
        return bt_add_config_yaml_syntax(reader->findings,
                                         bt_location_pointer(BT_STR(""), read.root->offset),
                                         BT_STR("a configuration is a mapping"));
    }
    return take_keys(reader, read.root);
}

enum bt_status bt_config_read(struct bt_arena *arena, const struct bt_config_source *source,
                              struct bt_findings *findings, const struct bt_config **out)
{
    assert(source);
    assert(findings);
    assert(out);
    const size_t before = bt_findings_count(findings);
    struct bt_config *config = BT_NEW(arena, struct bt_config);
    struct config_reader reader = {arena, findings, config};
    BT_TRY(config ? BT_OK : BT_ENOMEM);
    config->folders[source->kind] = folder_of(source->path);
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        config->kinds[row] = source->kind;
    }
    BT_TRY(read_text(&reader, source->text));
    if (source->kind == BT_CONFIG_FILE) { /* others are judged together, when they are merged */
        BT_TRY(bt_config_conflicts(config, findings));
    }
    if (source->store.len > 0) {
        config->store_is_outer = true;
        config->store = (struct bt_yaml_node){
            .kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_QUOTED, .text = source->store};
        config->given[bt_config_row(BT_STR("store"))] = &config->store;
    }
    *out = bt_findings_have_hard(findings, before) ? NULL : config;
    return BT_OK;
}
