/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespaces.c - prefixes, numbered; the namespace in force for each stands in an array by number.
 */
#include "xml/namespaces.h"

#include <assert.h>

#include "xml/xml.h"

enum bt_status bt_xml_namespaces_number(struct bt_xml_namespaces *spaces, bt_str prefix,
                                        uint32_t *out)
{
    assert(spaces);
    assert(out);
    if (prefix.len == 0 && spaces->bound.count > BT_XML_NO_PREFIX) {
        *out = BT_XML_NO_PREFIX; /* what most names have */
        return BT_OK;
    }
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_vec_reserve(spaces->arena, &spaces->bound, 1));
    BT_TRY(bt_map_add(&spaces->prefixes, bt_map_text(prefix), &entry));
    spaces->bound.count = spaces->prefixes.count; /* a new one is unbound */
    *out = bt_map_index(&spaces->prefixes, entry);
    return BT_OK;
}

enum bt_status bt_xml_namespaces_init(struct bt_xml_namespaces *spaces, struct bt_arena *arena,
                                      const uint64_t seed[2])
{
    assert(spaces);
    uint32_t number = 0;
    *spaces = (struct bt_xml_namespaces){.arena = arena};
    bt_map_init(&spaces->prefixes, arena, seed);
    BT_TRY(bt_xml_namespaces_number(spaces, BT_STR(""), &number));
    assert(number == BT_XML_NO_PREFIX);
    spaces->bound.items[number] = BT_STR("");
    BT_TRY(bt_xml_namespaces_number(spaces, BT_STR("xml"), &number));
    assert(number == BT_XML_PREFIX_XML);
    spaces->bound.items[number] = BT_XML_SPACE_XML;
    return BT_OK;
}

enum bt_status bt_xml_namespaces_bind(struct bt_xml_namespaces *spaces, uint32_t prefix,
                                      bt_str space, struct bt_xml_namespace_undo **undo)
{
    assert(prefix < spaces->bound.count);
    struct bt_xml_namespace_undo *made = BT_NEW(spaces->arena, struct bt_xml_namespace_undo);
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    *made = (struct bt_xml_namespace_undo){*undo, prefix, spaces->bound.items[prefix]};
    spaces->bound.items[prefix] = space;
    *undo = made;
    return BT_OK;
}

void bt_xml_namespaces_undo(struct bt_xml_namespaces *spaces,
                            const struct bt_xml_namespace_undo *undo)
{
    for (; undo; undo = undo->next) {
        spaces->bound.items[undo->prefix] = undo->bound;
    }
}
