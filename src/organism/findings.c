/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - findings about the current node. */
#include <assert.h>

#include <baton/json.h>

#include "organism/organism.h"
#include "report/finding_builder.h"

size_t bt_organism_reader_enter_key(struct bt_organism_reader *reading, bt_str key)
{
    const size_t length = reading->path.len;
    bt_json_pointer_put(&reading->path, key);
    return length;
}

size_t bt_organism_reader_enter_index(struct bt_organism_reader *reading, size_t index)
{
    const size_t length = reading->path.len;
    bt_json_pointer_put_index(&reading->path, index);
    return length;
}

void bt_organism_reader_leave(struct bt_organism_reader *reading, size_t length)
{
    assert(length <= reading->path.len);
    reading->path.len = length;
}

void bt_organism_reader_remark(struct bt_organism_reader *reading,
                               struct bt_finding_builder *remark, const char *code,
                               const struct bt_yaml_node *node)
{
    bt_finding_builder_begin(remark, bt_organism_rule(code));
    bt_buf_put(&remark->pointer, bt_buf_str(&reading->path));
    remark->finding.offset = node ? node->offset : BT_OFFSET_NONE;
}

enum bt_status bt_organism_reader_add_finding(struct bt_organism_reader *reading,
                                              struct bt_finding_builder *remark)
{
    if (reading->only.len > 0 && !bt_str_starts_with(bt_buf_str(&remark->pointer), reading->only)) {
        bt_finding_builder_drop(remark);
        return reading->path.status;
    }
    reading->hard += remark->finding.severity == BT_SEVERITY_HARD;
    const enum bt_status status = bt_finding_builder_end(remark, reading->findings);
    return status != BT_OK ? status : reading->path.status;
}

enum bt_status bt_organism_reader_add_text_finding(struct bt_organism_reader *reading,
                                                   const char *code,
                                                   const struct bt_yaml_node *node,
                                                   const char *name, bt_str value)
{
    struct bt_finding_builder remark;
    bt_organism_reader_remark(reading, &remark, code, node);
    if (name) {
        bt_buf_put(&remark.message, remark.finding.rule->meaning);
        bt_buf_put_text(&remark.message, ": ");
        bt_buf_put_quoted(&remark.message, value);
        bt_emit_member_string(&remark.emit, name, value);
    }
    return bt_organism_reader_add_finding(reading, &remark);
}
