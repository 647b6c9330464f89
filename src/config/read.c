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

enum { DEPTH_MAX = 16, KEY_BYTES_SHOWN = 200, ALLOWED_MAX = 40 };

struct config_reader {
    struct bt_arena *arena;
    struct bt_findings *findings;
    struct bt_config *config;
    enum bt_config_kind kind;
};

/* A value, and where it stands. */
struct config_value_position {
    const struct bt_yaml_node *node;
    bt_str pointer;
    const struct bt_config_row *row;
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

/* The words that may stand for a value; none when it has another form. */
static enum bt_status allowed_words(struct bt_arena *arena, const struct bt_config_row *row,
                                    struct bt_str_list *out)
{
    size_t count = 0;
    bt_str *words = BT_NEW_ARRAY(arena, bt_str, ALLOWED_MAX);
    BT_TRY(words ? BT_OK : BT_ENOMEM);
    for (; row->words && row->words[count]; count++) {
        assert(count < ALLOWED_MAX);
        words[count] = bt_str_of(row->words[count]);
    }
    for (; row->word && row->word(count).len > 0; count++) {
        assert(count < ALLOWED_MAX);
        words[count] = row->word(count);
    }
    *out = (struct bt_str_list){count > 0 ? words : NULL, count};
    return BT_OK;
}

static enum bt_status add_value_finding(struct config_reader *reader,
                                        const struct config_value_position *place, bt_str expected,
                                        struct bt_str_list allowed)
{
    bt_str key;
    BT_TRY(key_of(reader->arena, place, &key));
    return bt_add_config_key_value(reader->findings, location_of(place), expected, key, allowed);
}

/* Add a finding about a value that is not what its row expects. */
static enum bt_status add_row_finding(struct config_reader *reader,
                                      const struct config_value_position *place)
{
    struct bt_str_list allowed = {0};
    if (place->node->kind == BT_YAML_SCALAR) { /* a list has the wrong number of items */
        BT_TRY(allowed_words(reader->arena, place->row, &allowed));
    }
    return add_value_finding(reader, place, bt_str_of(place->row->expected), allowed);
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
        const bt_str wanted = bt_config_canonical(row, text);
        const char *const *word = row->words;
        while (*word && !bt_str_eq(bt_config_canonical(row, bt_str_of(*word)), wanted)) {
            word++;
        }
        return *word != NULL;
    }
    return row->form ? row->form(text) : text.len > 0;
}

/* Judge a text; `name` is that of the entry of a map, else "". */
static enum bt_status judge_text(struct config_reader *reader,
                                 const struct config_value_position *place, bt_str name)
{
    const struct bt_config_row *row = place->row;
    if (bt_yaml_type_of(place->node) != BT_YAML_TYPE_STRING) {
        return add_type_finding(reader, place, "string");
    }
    if (!is_allowed_text(row, place->node->text)) {
        BT_TRY(add_row_finding(reader, place));
    }
    return row->judge ? row->judge(reader->findings, location_of(place), name, place->node->text)
                      : BT_OK;
}

static enum bt_status judge_number(struct config_reader *reader,
                                   const struct config_value_position *place)
{
    bt_str digits = place->node->text;
    uint64_t number = 0;
    if (bt_yaml_type_of(place->node) != BT_YAML_TYPE_INTEGER) {
        return add_type_finding(reader, place, "integer");
    }
    if (bt_str_starts_with(digits, BT_STR("+"))) {
        digits = bt_str_slice(digits, 1, digits.len);
    }
    const bool is_number = bt_str_to_u64(digits, &number) == BT_OK;
    return is_number && number >= place->row->low && number <= place->row->high
               ? BT_OK
               : add_row_finding(reader, place);
}

static enum bt_status judge_decimal(struct config_reader *reader,
                                    const struct config_value_position *place)
{
    const enum bt_yaml_type type = bt_yaml_type_of(place->node);
    if (type != BT_YAML_TYPE_STRING && type != BT_YAML_TYPE_INTEGER &&
        type != BT_YAML_TYPE_NUMBER) {
        return add_type_finding(reader, place, "decimal");
    }
    return place->row->form(place->node->text) ? BT_OK : add_row_finding(reader, place);
}

static bool has_allowed_count(const struct config_value_position *place)
{
    const struct bt_config_list *list = &place->row->list;
    return place->node->count >= list->count_min &&
           (list->count_max == 0 || place->node->count <= list->count_max);
}

/* The item of a list, or the value of an entry of a map, with this index; *out_name is the name of
 * the entry, else "". */
static enum bt_status find_item(struct config_reader *reader,
                                const struct config_value_position *place, size_t index,
                                struct config_value_position *out, bt_str *out_name)
{
    const bool is_map = place->node->kind == BT_YAML_MAPPING;
    char digits[24];
    const int length = snprintf(digits, sizeof(digits), "%zu", index);
    assert(length > 0);
    *out_name = is_map ? place->node->entries[index].key : BT_STR("");
    *out = (struct config_value_position){.node = is_map ? &place->node->entries[index].value
                                                         : &place->node->items[index],
                                          .row = place->row};
    return pointer_to(reader->arena, place->pointer, is_map ? *out_name : bt_str_of(digits),
                      &out->pointer);
}

/* Judge the texts of a list or map, of which one is too many when there are more than allowed. */
static enum bt_status judge_texts(struct config_reader *reader,
                                  const struct config_value_position *place)
{
    if (!has_allowed_count(place)) {
        return add_row_finding(reader, place);
    }
    for (size_t i = 0; i < place->node->count; i++) {
        struct config_value_position item;
        bt_str name;
        BT_TRY(find_item(reader, place, i, &item, &name));
        BT_TRY(judge_text(reader, &item, name));
    }
    return BT_OK;
}

/* Judge a value of any type but mappings with members. */
static enum bt_status check_plain(struct config_reader *reader,
                                  const struct config_value_position *place)
{
    const enum bt_yaml_type type = bt_yaml_type_of(place->node);
    switch (place->row->type) {
    case BT_CONFIG_TEXT:
        return judge_text(reader, place, BT_STR(""));
    case BT_CONFIG_NUMBER:
        return judge_number(reader, place);
    case BT_CONFIG_SWITCH:
        return type == BT_YAML_TYPE_TRUE || type == BT_YAML_TYPE_FALSE
                   ? BT_OK
                   : add_type_finding(reader, place, "boolean");
    case BT_CONFIG_LIST:
        return place->node->kind == BT_YAML_SEQUENCE ? judge_texts(reader, place)
                                                     : add_type_finding(reader, place, "list");
    case BT_CONFIG_TEXT_OR_LIST:
        return place->node->kind == BT_YAML_SEQUENCE ? judge_texts(reader, place)
                                                     : judge_text(reader, place, BT_STR(""));
    case BT_CONFIG_MAP:
        return place->node->kind == BT_YAML_MAPPING ? judge_texts(reader, place)
                                                    : add_type_finding(reader, place, "mapping");
    case BT_CONFIG_DECIMAL:
        return judge_decimal(reader, place);
    case BT_CONFIG_MAPPINGS:
    case BT_CONFIG_GROUP:
    case BT_CONFIG_GROUPS:
        break;
    }
    return BT_OK;
}

typedef enum bt_status config_judge_member_fn(struct config_reader *reader,
                                              const struct config_value_position *place);

static bt_str member_at(const void *context, size_t index)
{
    const struct bt_config_list *list = context;
    return list->members[index].name;
}

/* Judge the members of a mapping that has a row for each of them. */
static enum bt_status judge_members(struct config_reader *reader,
                                    const struct config_value_position *place,
                                    config_judge_member_fn *judge)
{
    const struct bt_config_list *list = &place->row->list;
    if (place->node->kind != BT_YAML_MAPPING) {
        return add_type_finding(reader, place, "mapping");
    }
    for (size_t i = 0; i < place->node->count; i++) {
        const struct bt_yaml_entry *entry = &place->node->entries[i];
        struct config_value_position member = {.node = &entry->value};
        size_t row = 0;
        BT_TRY(pointer_to(reader->arena, place->pointer, entry->key, &member.pointer));
        while (row < list->member_count && !bt_str_eq(list->members[row].name, entry->key)) {
            row++;
        }
        if (row == list->member_count) {
            const size_t near = bt_nearest_word(entry->key, member_at, list, list->member_count);
            BT_TRY(add_unknown_key_finding(reader, entry, member.pointer,
                                           near < list->member_count ? member_at(list, near)
                                                                     : BT_STR("")));
            continue;
        }
        member.row = &list->members[row];
        BT_TRY(is_null(member.node) ? BT_OK : judge(reader, &member));
    }
    return BT_OK;
}

static bool has_value(const struct bt_yaml_node *node, bt_str key)
{
    const struct bt_yaml_node *value = bt_yaml_get(node, key);
    return value && !is_null(value);
}

/* Add a finding when a mapping does not have what it needs: "a mapping with target and url". */
static enum bt_status check_needed(struct config_reader *reader,
                                   const struct config_value_position *place)
{
    const struct bt_config_list *list = &place->row->list;
    struct bt_buf buf;
    bt_str expected;
    bool is_whole = true;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, "a mapping with ");
    for (size_t i = 0; i < list->needed; i++) {
        const bool is_last = i + 1 == list->needed;
        is_whole = is_whole && has_value(place->node, list->members[i].name);
        bt_buf_put_text(&buf, i == 0 ? "" : is_last ? " and " : ", ");
        bt_buf_put(&buf, list->members[i].name);
    }
    BT_TRY(bt_buf_finish(&buf, reader->arena, &expected));
    return is_whole ? BT_OK : add_value_finding(reader, place, expected, (struct bt_str_list){0});
}

/* Judge a list or a mapping: its kind, how many items it has, each item, and all together. */
static enum bt_status judge_items(struct config_reader *reader,
                                  const struct config_value_position *place, enum bt_yaml_kind kind,
                                  config_judge_member_fn *judge)
{
    const struct bt_config_row *row = place->row;
    if (place->node->kind != kind) {
        return add_type_finding(reader, place, kind == BT_YAML_SEQUENCE ? "list" : "mapping");
    }
    if (!has_allowed_count(place)) {
        return add_row_finding(reader, place);
    }
    for (size_t i = 0; i < place->node->count; i++) {
        struct config_value_position item;
        bt_str name;
        BT_TRY(find_item(reader, place, i, &item, &name));
        if (row->list.name_form && !row->list.name_form(name)) {
            BT_TRY(add_row_finding(reader, &item));
        }
        BT_TRY(judge(reader, &item));
    }
    return row->list.fits && !row->list.fits(place->node) ? add_row_finding(reader, place) : BT_OK;
}

/* An item of a list of mappings that stands in a mapping itself. */
static enum bt_status judge_inner_mapping(struct config_reader *reader,
                                          const struct config_value_position *place)
{
    BT_TRY(judge_members(reader, place, check_plain));
    return place->node->kind == BT_YAML_MAPPING ? check_needed(reader, place) : BT_OK;
}

/* Judge a member of a mapping, which may be a group or a list of mappings. */
static enum bt_status check_member(struct config_reader *reader,
                                   const struct config_value_position *place)
{
    const enum bt_config_type type = place->row->type;
    return type == BT_CONFIG_GROUP ? judge_members(reader, place, check_plain)
           : type == BT_CONFIG_MAPPINGS
               ? judge_items(reader, place, BT_YAML_SEQUENCE, judge_inner_mapping)
               : check_plain(reader, place);
}

/* An item of a list of mappings. */
static enum bt_status judge_mapping(struct config_reader *reader,
                                    const struct config_value_position *place)
{
    BT_TRY(judge_members(reader, place, check_member));
    return place->node->kind == BT_YAML_MAPPING ? check_needed(reader, place) : BT_OK;
}

/* A group of limits has at least one member with a value. */
static enum bt_status judge_group(struct config_reader *reader,
                                  const struct config_value_position *place)
{
    const struct bt_config_list *list = &place->row->list;
    const bool is_mapping = place->node->kind == BT_YAML_MAPPING; /* else a finding of its own */
    bool has_one = !list->is_limit || !is_mapping;
    for (size_t i = 0; i < list->member_count; i++) {
        has_one = has_one || has_value(place->node, list->members[i].name);
    }
    BT_TRY(judge_members(reader, place, check_member));
    if (list->judge && is_mapping) {
        BT_TRY(list->judge(reader->findings, place->pointer, place->node));
    }
    return has_one ? BT_OK : add_row_finding(reader, place);
}

static enum bt_status check_value(struct config_reader *reader,
                                  const struct config_value_position *place)
{
    const enum bt_config_type type = place->row->type;
    return type == BT_CONFIG_MAPPINGS ? judge_items(reader, place, BT_YAML_SEQUENCE, judge_mapping)
           : type == BT_CONFIG_GROUP  ? judge_group(reader, place)
           : type == BT_CONFIG_GROUPS ? judge_items(reader, place, BT_YAML_MAPPING, judge_group)
                                      : check_plain(reader, place);
}

/* Judge a value, and take it unless something is wrong with it. */
static enum bt_status read_value(struct config_reader *reader,
                                 const struct config_value_position *place)
{
    const size_t before = bt_findings_count(reader->findings);
    BT_TRY(check_value(reader, place));
    if (bt_findings_count(reader->findings) == before) {
        reader->config->given[place->row - bt_config_rows] = place->node;
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
    reader->config->has_budget = reader->config->has_budget || bt_str_eq(group, BT_STR("budget"));
    for (size_t i = 0; i < place->node->count; i++) {
        const struct bt_yaml_entry *entry = &place->node->entries[i];
        struct config_value_position member = {.node = &entry->value};
        bt_str name;
        BT_TRY(bt_arena_printf(reader->arena, &name, "%.*s.%.*s", BT_STR_ARG(group),
                               BT_STR_ARG(bt_str_slice(entry->key, 0, KEY_BYTES_SHOWN))));
        BT_TRY(pointer_to(reader->arena, place->pointer, entry->key, &member.pointer));
        const size_t row = bt_config_row(name);
        if (row == bt_config_rows_count) {
            BT_TRY(refuse_key(reader, group, entry, member.pointer));
        } else if (!is_null(&entry->value)) {
            member.row = &bt_config_rows[row];
            BT_TRY(read_value(reader, &member));
        }
    }
    return BT_OK;
}

/* Whether a file is of a user or of the system, and counts for documents anywhere. */
static bool is_of_operator(enum bt_config_kind kind)
{
    return kind == BT_CONFIG_USER || kind == BT_CONFIG_SYSTEM;
}

static enum bt_status take_keys(struct config_reader *reader, const struct bt_yaml_node *root)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct bt_yaml_entry *entry = &root->entries[i];
        const size_t row = bt_config_row(entry->key);
        struct config_value_position place = {.node = &entry->value};
        BT_TRY(pointer_to(reader->arena, BT_STR(""), entry->key, &place.pointer));
        if (is_group(entry->key)) {
            BT_TRY(take_group(reader, entry->key, &place));
        } else if (row == bt_config_rows_count ||
                   bt_str_find_byte(entry->key, '.', 0) < entry->key.len) {
            BT_TRY(refuse_key(reader, BT_STR(""), entry, place.pointer));
        } else if (bt_config_rows[row].is_for_projects && is_of_operator(reader->kind)) {
            BT_TRY(add_unknown_key_finding(reader, entry, place.pointer, BT_STR("")));
        } else if (!is_null(&entry->value)) {
            place.row = &bt_config_rows[row];
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
    struct config_reader reader = {arena, findings, config, source->kind};
    BT_TRY(config ? BT_OK : BT_ENOMEM);
    config->folders[source->kind] = folder_of(source->path);
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        config->kinds[row] = source->kind;
    }
    BT_TRY(read_text(&reader, source->text));
    config->rules[source->kind] = config->given[bt_config_row(BT_STR("rules"))];
    BT_TRY(bt_config_add_expired(config, source->today, findings));
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
