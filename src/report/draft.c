/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.c - a finding whose texts are being written.
 */
#include "report/draft.h"

#include <assert.h>

enum { VALUE_SHOWN = 80 }; /* bytes of an offending value in a message */

void bt_draft_begin(struct bt_draft *draft, const struct bt_rule *rule)
{
    assert(draft);
    draft->finding = bt_finding_of(rule);
    bt_buf_init(&draft->message, SIZE_MAX);
    bt_buf_init(&draft->params, SIZE_MAX);
    bt_emit_init(&draft->emit, &draft->params, false);
    bt_emit_object(&draft->emit);
}

enum bt_status bt_draft_end(struct bt_draft *draft, struct bt_findings *findings)
{
    assert(draft);
    bt_emit_end(&draft->emit);
    enum bt_status status =
        draft->message.status != BT_OK ? draft->message.status : draft->params.status;
    if (status == BT_OK) {
        if (draft->message.len > 0) {
            draft->finding.message = bt_buf_str(&draft->message);
        }
        if (draft->params.len > sizeof("{}") - 1) {
            draft->finding.params = bt_buf_str(&draft->params);
        }
        status = bt_findings_add(findings, &draft->finding);
    }
    bt_buf_free(&draft->message);
    bt_buf_free(&draft->params);
    return status;
}

void bt_put_quoted(struct bt_buf *buf, bt_str text)
{
    bt_buf_put_char(buf, '"');
    bt_buf_put_visible(buf, text, VALUE_SHOWN);
    bt_buf_put_char(buf, '"');
}
