/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - a SKILL.md that is being judged, for the files that judge it.
 */
#ifndef BATON_SRC_CATALOGUE_LINT_H
#define BATON_SRC_CATALOGUE_LINT_H

#include "catalogue/catalogue.h"
#include "report/remark.h"

struct bt_lint {
    const struct bt_catalogue *catalogue;
    const struct bt_skill_file *file;
    struct bt_findings *findings;
    const struct bt_yaml_node *front;
    const struct bt_yaml_node *handoff; /* may be NULL */
};

/* A field of the front matter. */
struct bt_lint_field {
    const char *key;
    bool is_in_handoff;
};

/* Begin a finding about `node`, or about the whole file. */
void bt_lint_begin(const struct bt_lint *lint, struct bt_remark *remark, const char *code,
                   const struct bt_yaml_node *node);
void bt_lint_put_pointer(struct bt_remark *remark, const struct bt_lint_field *field);

/* Message, params and hint of what is also told outside of lint. */
void bt_lint_put_twin(struct bt_remark *remark, const struct bt_skill_file *file);
void bt_lint_put_unreadable(struct bt_remark *remark, const struct bt_skill_file *file);
void bt_lint_put_registry(struct bt_remark *remark, const struct bt_registry *registry);

/* Judge the items of lists: edges, requirements, categories. */
BT_MUST_USE enum bt_status bt_lint_lists(const struct bt_lint *lint);

#endif
