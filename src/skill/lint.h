/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - a SKILL.md that is being judged, for the files that judge it.
 */
#ifndef BATON_SRC_SKILL_LINT_H
#define BATON_SRC_SKILL_LINT_H

#include "report/add.h"
#include "skill/skill_internal.h"

struct bt_skill_lint {
    const struct bt_skill_catalogue *catalogue;
    const struct bt_skill_file *file;
    struct bt_findings *findings;
    const struct bt_yaml_node *front;
    const struct bt_yaml_node *handoff; /* may be NULL */
};

/* The node at a pointer of one or two tokens, or NULL. */
const struct bt_yaml_node *bt_skill_lint_node(const struct bt_skill_lint *lint, bt_str pointer);
/* The location of a node of the front matter. */
struct bt_location bt_skill_lint_location(const struct bt_skill_lint *lint, bt_str pointer,
                                          const struct bt_yaml_node *node);
/* The name of the field at a pointer: its last token. */
bt_str bt_skill_lint_field(bt_str pointer);

/* Findings that are also made without lint, which has no offset for them. */
BT_MUST_USE enum bt_status bt_skill_add_duplicate(struct bt_findings *findings,
                                                  const struct bt_skill_file *file, size_t offset);
BT_MUST_USE enum bt_status bt_skill_add_unreadable(struct bt_findings *findings,
                                                   const struct bt_skill_file *file, size_t offset);
BT_MUST_USE enum bt_status bt_skill_add_registry(struct bt_findings *findings,
                                                 const struct bt_skill_registry *registry,
                                                 size_t offset);

/* Judge the items of lists: edges, requirements, categories. */
BT_MUST_USE enum bt_status bt_skill_lint_lists(const struct bt_skill_lint *lint);

#endif
