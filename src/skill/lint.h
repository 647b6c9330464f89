/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - a SKILL.md that is being judged, for the files that judge it.
 */
#ifndef BATON_SRC_SKILL_LINT_H
#define BATON_SRC_SKILL_LINT_H

#include "report/finding_builder.h"
#include "skill/skill_internal.h"

struct bt_skill_lint {
    const struct bt_skill_catalogue *catalogue;
    const struct bt_skill_file *file;
    struct bt_findings *findings;
    const struct bt_yaml_node *front;
    const struct bt_yaml_node *handoff; /* may be NULL */
};

/* A field of the front matter. */
struct bt_skill_lint_field {
    const char *key;
    bool is_in_handoff;
};

/* Begin a finding about `node`, or about the whole file. */
void bt_skill_lint_begin(const struct bt_skill_lint *lint, struct bt_finding_builder *remark,
                         const char *code, const struct bt_yaml_node *node);
void bt_skill_lint_put_pointer(struct bt_finding_builder *remark,
                               const struct bt_skill_lint_field *field);

/* Message, params and hint of what is also told outside of lint. */
void bt_skill_lint_add_duplicate(struct bt_finding_builder *remark,
                                 const struct bt_skill_file *file);
void bt_skill_lint_add_unreadable(struct bt_finding_builder *remark,
                                  const struct bt_skill_file *file);
void bt_skill_lint_add_registry(struct bt_finding_builder *remark,
                                const struct bt_skill_registry *registry);

/* Judge the items of lists: edges, requirements, categories. */
BT_MUST_USE enum bt_status bt_skill_lint_lists(const struct bt_skill_lint *lint);

#endif
