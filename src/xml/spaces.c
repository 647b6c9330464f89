/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spaces.c - prefixes, numbered; the namespace in force for each stands in an array by number.
 */
#include "xml/spaces.h"

#include <assert.h>
#include <string.h>

#include "json/text_hash.h"
#include "xml/xml.h"

enum { FIRST_CAPACITY = 4 };

static size_t slot_of(const struct bt_xml_namespaces *spaces, bt_str prefix)
{
    const size_t mask = spaces->capacity * 2 - 1;
    size_t slot = bt_json_hash_text(spaces->seed, prefix) & mask;
    while (spaces->slots[slot] != 0 &&
           !bt_str_eq(spaces->prefixes[spaces->slots[slot] - 1], prefix)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Twice the room, or the first. */
static enum bt_status grow_table(struct bt_xml_namespaces *spaces)
{
    const struct bt_xml_namespaces old = *spaces;
    const size_t capacity = old.capacity > 0 ? old.capacity * 2 : FIRST_CAPACITY;
    spaces->prefixes = BT_NEW_ARRAY(spaces->arena, bt_str, capacity);
    spaces->bound = BT_NEW_ARRAY(spaces->arena, bt_str, capacity);
    spaces->slots = BT_NEW_ARRAY(spaces->arena, uint32_t, capacity * 2);
    if (!spaces->prefixes || !spaces->bound || !spaces->slots) {
        return BT_ENOMEM;
    }
    spaces->capacity = capacity;
    for (size_t i = 0; i < old.count; i++) {
        spaces->prefixes[i] = old.prefixes[i];
        spaces->bound[i] = old.bound[i];
        spaces->slots[slot_of(spaces, old.prefixes[i])] = (uint32_t)i + 1;
    }
    return BT_OK;
}

enum bt_status bt_xml_namespaces_number(struct bt_xml_namespaces *spaces, bt_str prefix,
                                        uint32_t *out)
{
    assert(spaces);
    assert(out);
    if (prefix.len == 0 && spaces->count > BT_XML_NO_PREFIX) {
        *out = BT_XML_NO_PREFIX; /* what most names have */
        return BT_OK;
    }
    size_t slot = slot_of(spaces, prefix);
    if (spaces->slots[slot] == 0) {
        if (spaces->count == spaces->capacity) {
            BT_TRY(grow_table(spaces));
            slot = slot_of(spaces, prefix);
        }
        spaces->prefixes[spaces->count] = prefix;
        spaces->slots[slot] = (uint32_t)++spaces->count;
    }
    *out = spaces->slots[slot] - 1;
    return BT_OK;
}

enum bt_status bt_xml_namespaces_init(struct bt_xml_namespaces *spaces, struct bt_arena *arena,
                                      uint64_t seed)
{
    assert(spaces);
    uint32_t number = 0;
    *spaces = (struct bt_xml_namespaces){.arena = arena, .seed = seed};
    BT_TRY(grow_table(spaces));
    BT_TRY(bt_xml_namespaces_number(spaces, BT_STR(""), &number));
    assert(number == BT_XML_NO_PREFIX);
    spaces->bound[number] = BT_STR("");
    BT_TRY(bt_xml_namespaces_number(spaces, BT_STR("xml"), &number));
    assert(number == BT_XML_PREFIX_XML);
    spaces->bound[number] = BT_XML_SPACE_XML;
    return BT_OK;
}

enum bt_status bt_xml_namespaces_bind(struct bt_xml_namespaces *spaces, uint32_t prefix,
                                      bt_str space, struct bt_xml_namespace_undo **undo)
{
    assert(prefix < spaces->count);
    struct bt_xml_namespace_undo *made = BT_NEW(spaces->arena, struct bt_xml_namespace_undo);
    if (!made) {
        return BT_ENOMEM;
    }
    *made = (struct bt_xml_namespace_undo){*undo, prefix, spaces->bound[prefix]};
    spaces->bound[prefix] = space;
    *undo = made;
    return BT_OK;
}

void bt_xml_namespaces_undo(struct bt_xml_namespaces *spaces,
                            const struct bt_xml_namespace_undo *undo)
{
    for (; undo; undo = undo->next) {
        spaces->bound[undo->prefix] = undo->bound;
    }
}
