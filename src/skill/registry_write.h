/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry_write.h - YAML as the registry is written: strings in double quotes, lists and unknown
 * values on one line.
 */
#ifndef BATON_SRC_SKILL_REGISTRY_WRITE_H
#define BATON_SRC_SKILL_REGISTRY_WRITE_H

#include "skill/skill_internal.h"

/* How a field is written. */
enum bt_skill_registry_field_kind {
    BT_AS_IT_IS,
    BT_AS_TEXT,    /* in quotes, whatever it looks like */
    BT_AS_LIST,    /* of texts; one text is a list of one */
    BT_AS_PATH,    /* where the SKILL.md lies */
    BT_AS_HANDOFF, /* the fields below handoff */
};

/* Lists of fields end with an empty key. */
struct bt_skill_registry_field {
    bt_str key;
    enum bt_skill_registry_field_kind shape;
};

/* Put a node on one line, as JSON would write it; scalars that are not strings stay plain. */
void bt_skill_registry_put_node(struct bt_buf *buf, const struct bt_yaml_node *node);

/* Put an entry of `workflows`: what `front` says, what `entry` adds; either may be NULL. `path` is
 * where the SKILL.md lies, or "". */
void bt_skill_registry_put_entry(struct bt_buf *buf, const struct bt_yaml_node *front,
                                 const struct bt_yaml_node *entry, bt_str path);

/* Put the entries of `mapping` (may be NULL) that are not among `known`, one a line. */
void bt_skill_registry_put_others(struct bt_buf *buf, const struct bt_yaml_node *mapping,
                                  const struct bt_skill_registry_field *known, size_t indent);

#endif
