/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding_builder.h - a finding whose texts are being written.
 *
 *     struct bt_finding_builder remark;
 *     bt_finding_builder_begin(&remark, rule);
 *     bt_buf_put_text(&remark.message, "the skill ");
 *     bt_buf_put_quoted(&remark.message, name);
 *     bt_emit_member_string(&remark.emit, "skill", name);
 *     return bt_finding_builder_end(&remark, findings);
 */
#ifndef BATON_SRC_REPORT_FINDING_BUILDER_H
#define BATON_SRC_REPORT_FINDING_BUILDER_H

#include <baton/json.h>
#include <baton/report.h>

struct bt_finding_builder {
    struct bt_finding finding;
    struct bt_buf pointer; /* when something is put here, it is the finding's pointer */
    struct bt_buf message;
    struct bt_buf params;
    struct bt_emit emit; /* writes the members of params */
};

/* A finding of `rule`; its message and params are empty. Every remark that begins is ended. */
void bt_finding_builder_begin(struct bt_finding_builder *remark, const struct bt_rule *rule);
/* Add the finding, and end the remark. A message that stayed empty is the rule's meaning. */
BT_MUST_USE enum bt_status bt_finding_builder_end(struct bt_finding_builder *remark,
                                                  struct bt_findings *findings);

/* End it without a finding. */
void bt_finding_builder_drop(struct bt_finding_builder *remark);

/* Put an offending value in quotes, for the eyes of a person, cut at 80 bytes. */
void bt_buf_put_quoted(struct bt_buf *buf, bt_str text);

#endif
