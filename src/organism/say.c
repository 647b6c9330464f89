/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say.c - findings about the node that is being looked at.
 */
#include <assert.h>

#include <baton/json.h>

#include "organism/organism.h"
#include "report/remark.h"

size_t bt_reading_down(struct bt_reading *reading, bt_str key)
{
    const size_t length = reading->path.len;
    bt_pointer_put(&reading->path, key);
    return length;
}

size_t bt_reading_down_to(struct bt_reading *reading, size_t index)
{
    const size_t length = reading->path.len;
    bt_pointer_put_index(&reading->path, index);
    return length;
}

void bt_reading_up(struct bt_reading *reading, size_t length)
{
    assert(length <= reading->path.len);
    reading->path.len = length;
}

void bt_reading_remark(struct bt_reading *reading, struct bt_remark *remark, const char *code,
                       const struct bt_yaml_node *node)
{
    bt_remark_begin(remark, bt_organism_rule(code));
    bt_buf_put(&remark->pointer, bt_buf_str(&reading->path));
    remark->finding.offset = node ? node->offset : BT_NO_OFFSET;
}

enum bt_status bt_reading_say(struct bt_reading *reading, struct bt_remark *remark)
{
    if (reading->only.len > 0 && !bt_str_starts(bt_buf_str(&remark->pointer), reading->only)) {
        bt_remark_drop(remark);
        return reading->path.status;
    }
    reading->hard += remark->finding.severity == BT_HARD;
    const enum bt_status status = bt_remark_end(remark, reading->findings);
    return status != BT_OK ? status : reading->path.status;
}

enum bt_status bt_reading_tell(struct bt_reading *reading, const char *code,
                               const struct bt_yaml_node *node, const char *name, bt_str value)
{
    struct bt_remark remark;
    bt_reading_remark(reading, &remark, code, node);
    if (name) {
        bt_buf_put(&remark.message, remark.finding.rule->meaning);
        bt_buf_put_text(&remark.message, ": ");
        bt_put_quoted(&remark.message, value);
        bt_emit_member_string(&remark.emit, name, value);
    }
    return bt_reading_say(reading, &remark);
}
