/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespaces.h - which prefix stands for which namespace here: looked up in constant time, however
 * many declarations a hostile text piles up.
 */
#ifndef BATON_SRC_XML_NAMESPACES_H
#define BATON_SRC_XML_NAMESPACES_H

#include <baton/base.h>

#include "base/map.h"
#include "base/vec.h"

#define BT_XML_SPACE_XML BT_STR("http://www.w3.org/XML/1998/namespace")
#define BT_XML_SPACE_XMLNS BT_STR("http://www.w3.org/2000/xmlns/")

struct bt_xml_namespaces {
    struct bt_arena *arena;
    struct bt_map prefixes; /* an entry's number is the prefix's number */
    BT_VEC(bt_str) bound;   /* by number: the namespace in force; ptr NULL: unbound */
};

/* What a declaration replaced. */
struct bt_xml_namespace_undo {
    struct bt_xml_namespace_undo *next;
    uint32_t prefix;
    bt_str bound;
};

BT_MUST_USE enum bt_status bt_xml_namespaces_init(struct bt_xml_namespaces *spaces,
                                                  struct bt_arena *arena, const uint64_t seed[2]);
/* The number of a prefix, which gets one if it has none. */
BT_MUST_USE enum bt_status bt_xml_namespaces_number(struct bt_xml_namespaces *spaces, bt_str prefix,
                                                    uint32_t *out);
/* Bind a prefix, and note in *undo what stood there. */
BT_MUST_USE enum bt_status bt_xml_namespaces_bind(struct bt_xml_namespaces *spaces, uint32_t prefix,
                                                  bt_str space,
                                                  struct bt_xml_namespace_undo **undo);
/* Take back everything that is noted. */
void bt_xml_namespaces_undo(struct bt_xml_namespaces *spaces,
                            const struct bt_xml_namespace_undo *undo);

#endif
