/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - the path of the current node, and findings that end the run. */
#include <assert.h>

#include <baton/json.h>

#include "organism/organism.h"

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

struct bt_location bt_organism_locate(const struct bt_organism_reader *reading,
                                      const struct bt_yaml_node *node)
{
    return (struct bt_location){.pointer = bt_buf_str(&reading->path),
                                .offset = node ? node->offset : BT_OFFSET_NONE,
                                .status = reading->path.status};
}

bool bt_organism_reader_has_hard(const struct bt_organism_reader *reading)
{
    for (size_t i = 0; i < bt_findings_count(reading->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(reading->findings, i);
        if (finding->severity == BT_SEVERITY_HARD &&
            bt_str_starts_with(finding->pointer, reading->only)) {
            return true;
        }
    }
    return false;
}
