/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.h - a finding whose texts are being written.
 *
 *     struct bt_draft draft;
 *     bt_draft_begin(&draft, rule);
 *     bt_buf_put_text(&draft.message, "the skill ");
 *     bt_put_quoted(&draft.message, name);
 *     bt_emit_member_string(&draft.emit, "skill", name);
 *     return bt_draft_end(&draft, findings);
 */
#ifndef BATON_SRC_REPORT_DRAFT_H
#define BATON_SRC_REPORT_DRAFT_H

#include <baton/json.h>
#include <baton/report.h>

struct bt_draft {
    struct bt_finding finding;
    struct bt_buf message;
    struct bt_buf params;
    struct bt_emit emit; /* writes the members of params */
};

/* A finding of `rule`; its message and params are empty. Every draft that begins is ended. */
void bt_draft_begin(struct bt_draft *draft, const struct bt_rule *rule);
/* Add the finding, and end the draft. A message that stayed empty is the rule's meaning. */
BT_MUST_USE enum bt_status bt_draft_end(struct bt_draft *draft, struct bt_findings *findings);

/* Put an offending value in quotes, for the eyes of a person, cut at 80 bytes. */
void bt_put_quoted(struct bt_buf *buf, bt_str text);

#endif
