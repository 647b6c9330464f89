/* SPDX-License-Identifier: Apache-2.0 */
/* finding_builder.c - build a finding and its texts. */
#include "report/finding_builder.h"

#include <assert.h>

enum { VALUE_SHOWN = 80 }; /* bytes of an offending value in a message */

void bt_finding_builder_begin(struct bt_finding_builder *remark, const struct bt_rule *rule)
{
    assert(remark);
    remark->finding = bt_finding_from_rule(rule);
    bt_buf_init(&remark->pointer, SIZE_MAX);
    bt_buf_init(&remark->message, SIZE_MAX);
    bt_buf_init(&remark->params, SIZE_MAX);
    bt_emit_init(&remark->emit, &remark->params, false);
    bt_emit_begin_object(&remark->emit);
}

enum bt_status bt_finding_builder_end(struct bt_finding_builder *remark,
                                      struct bt_findings *findings)
{
    assert(remark);
    bt_emit_end(&remark->emit);
    enum bt_status status =
        remark->message.status != BT_OK ? remark->message.status : remark->params.status;
    status = status == BT_OK ? remark->pointer.status : status;
    if (status == BT_OK) {
        if (remark->pointer.len > 0) {
            remark->finding.pointer = bt_buf_str(&remark->pointer);
        }
        if (remark->message.len > 0) {
            remark->finding.message = bt_buf_str(&remark->message);
        }
        if (remark->params.len > sizeof("{}") - 1) {
            remark->finding.params = bt_buf_str(&remark->params);
        }
        status = bt_findings_add(findings, &remark->finding);
    }
    bt_finding_builder_drop(remark);
    return status;
}

void bt_finding_builder_drop(struct bt_finding_builder *remark)
{
    bt_buf_free(&remark->pointer);
    bt_buf_free(&remark->message);
    bt_buf_free(&remark->params);
}

void bt_buf_put_quoted(struct bt_buf *buf, bt_str text)
{
    bt_buf_put_char(buf, '"');
    bt_buf_put_printable(buf, text, VALUE_SHOWN);
    bt_buf_put_char(buf, '"');
}
