/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - unusual tool names, and names of tools that another server has. */
#include "base/arena.h"
#include "base/ascii.h"
#include "base/map.h"
#include "json/get.h"
#include "report/rules.h"
#include "wrap/texts.h"

enum { NAME_BYTES_MAX = 128 };

static bool is_name_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '_' || byte == '.' || byte == '-';
}

static enum bt_status fold_name(struct bt_arena *arena, bt_str name, bt_str *out)
{
    char *folded = bt_arena_alloc(arena, name.len + 1);
    BT_TRY(folded ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < name.len; i++) {
        folded[i] = name.ptr[i] == '-' ? '_' : bt_ascii_lower(name.ptr[i]);
    }
    *out = (bt_str){folded, name.len};
    return BT_OK;
}

/* The first of a name is kept. */
static enum bt_status add_tool(struct bt_map *map, bt_str key, struct bt_wrap_other_tool *tool)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(map, bt_map_text(key), &entry));
    entry->value.pointer = entry->value.pointer ? entry->value.pointer : tool;
    return BT_OK;
}

static enum bt_status add_tools(struct bt_arena *arena, struct bt_wrap_other_tools *others,
                                const struct bt_wrap_entry *entry)
{
    const struct bt_wrap_items *tools = &entry->items[BT_WRAP_TOOL];
    for (size_t i = 0; i < tools->list.count; i++) {
        const bt_str name = tools->list.items[i].key;
        struct bt_wrap_other_tool *tool = BT_NEW(arena, struct bt_wrap_other_tool);
        bt_str folded;
        BT_TRY(tool ? BT_OK : BT_ENOMEM);
        *tool = (struct bt_wrap_other_tool){entry->name, name};
        BT_TRY(fold_name(arena, name, &folded));
        BT_TRY(add_tool(&others->exact, name, tool));
        BT_TRY(add_tool(&others->folded, folded, tool));
    }
    return BT_OK;
}

/* Find a tool in the lock, else among those that are shown. */
static bool find_tool(const struct bt_wrap_other_tools *others, bt_str key, bool is_folded,
                      struct bt_wrap_other_tool *out)
{
    const struct bt_map_entry *entry =
        bt_map_find(is_folded ? &others->folded : &others->exact, bt_map_text(key));
    if (entry) {
        *out = *(const struct bt_wrap_other_tool *)entry->value.pointer;
        return true;
    }
    return others->shared && others->shared->find(others->shared->context, key, is_folded, out);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static enum bt_status check_name(struct bt_arena *arena, const struct bt_wrap_other_tools *others,
                                 bt_str pointer, bt_str name, struct bt_findings *findings)
{
    const struct bt_location at = bt_location_pointer(pointer, BT_OFFSET_NONE);
    struct bt_wrap_other_tool other;
    bt_str folded;
    if (name.len == 0 || name.len > NAME_BYTES_MAX || !bt_ascii_all(name, is_name_byte)) {
        BT_TRY(bt_add_wrap_name_unusual(findings, at, name));
    }
    BT_TRY(fold_name(arena, name, &folded));
    if (others->shared) {
        others->shared->add(others->shared->context, name, folded);
    }
    return find_tool(others, folded, true, &other)
               ? bt_add_wrap_name_shadowed(findings, at, other.server, other.tool)
               : BT_OK;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The word at or behind *at, without dots at its end; "" at the end of the text. */
static bt_str next_word(bt_str text, size_t *at)
{
    while (*at < text.len && !is_name_byte(text.ptr[*at])) {
        (*at)++;
    }
    const size_t from = *at;
    while (*at < text.len && is_name_byte(text.ptr[*at])) {
        (*at)++;
    }
    bt_str word = bt_str_slice(text, from, *at);
    while (bt_str_ends_with(word, BT_STR("."))) {
        word.len--;
    }
    return word;
}

/* True for a name that is hardly a word of a language. */
static bool is_distinct(bt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char byte = name.ptr[i];
        if (byte == '_' || byte == '-' || bt_ascii_is_digit(byte) ||
            (i > 0 && bt_ascii_is_upper(byte))) {
            return true;
        }
    }
    return false;
}

static enum bt_status check_words(const struct bt_wrap_other_tools *others, bt_str pointer,
                                  bt_str text, struct bt_findings *findings)
{
    const struct bt_location where = bt_location_pointer(pointer, BT_OFFSET_NONE);
    for (size_t at = 0; at < text.len;) {
        const bt_str word = next_word(text, &at);
        size_t behind = at;
        struct bt_wrap_other_tool other;
        if (word.len > 0 && find_tool(others, word, false, &other) &&
            (is_distinct(word) || bt_str_eq(next_word(text, &behind), BT_STR("tool")))) {
            BT_TRY(bt_add_wrap_tool_reference(findings, where, other.server, other.tool));
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_check_tool_names(struct bt_arena *arena,
                                        const struct bt_wrap_other_tools *others,
                                        const struct bt_wrap_item *tool,
                                        struct bt_findings *findings)
{
    static const bt_str texts[] = {BT_STR_INIT("title"), BT_STR_INIT("description")};
    bt_str pointer;
    BT_TRY(bt_wrap_item_pointer(arena, BT_WRAP_TOOL, tool->key, &pointer));
    BT_TRY(check_name(arena, others, pointer, tool->key, findings));
    for (size_t i = 0; i < BT_COUNT_OF(texts); i++) {
        const bt_str text =
            bt_json_get_text(tool->document, bt_json_root(tool->document), texts[i]);
        bt_str place;
        BT_TRY(
            bt_arena_printf(arena, &place, "%.*s/%.*s", BT_STR_ARG(pointer), BT_STR_ARG(texts[i])));
        BT_TRY(check_words(others, place, text, findings));
    }
    return BT_OK;
}

enum bt_status bt_wrap_other_tools_find(const struct bt_wrap_memory *memory,
                                        const struct bt_wrap_lock *lock, bt_str server,
                                        struct bt_wrap_other_tools *out)
{
    bt_map_init(&out->exact, memory->arena, memory->env->hash_seed);
    bt_map_init(&out->folded, memory->arena, memory->env->hash_seed);
    out->shared = NULL;
    for (size_t i = 0; lock && i < lock->entries.count; i++) {
        if (!bt_str_eq(lock->entries.items[i].name, server)) {
            BT_TRY(add_tools(memory->arena, out, &lock->entries.items[i]));
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_check_names(const struct bt_wrap_memory *memory,
                                   const struct bt_wrap_lock *lock,
                                   const struct bt_wrap_entry *entry, struct bt_findings *findings)
{
    const struct bt_wrap_items *tools = &entry->items[BT_WRAP_TOOL];
    struct bt_wrap_other_tools others;
    BT_TRY(bt_wrap_other_tools_find(memory, lock, entry->name, &others));
    for (size_t i = 0; i < tools->list.count; i++) {
        BT_TRY(bt_wrap_check_tool_names(memory->arena, &others, &tools->list.items[i], findings));
    }
    return BT_OK;
}
