/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - the places of nodes, and whether a finding ends the run. */
#include <assert.h>

#include <baton/json.h>

#include "organism/organism.h"

static const struct bt_yaml_node *child_at(const struct bt_yaml_node *parent, size_t index)
{
    return parent->kind == BT_YAML_MAPPING ? &parent->entries[index].value : &parent->items[index];
}

/* The child that is the node or holds it: the last that begins at or before it, since children
 * stand in the order of the source. A null value may end where the empty key after it begins. */
static size_t find_child(const struct bt_yaml_node *parent, const struct bt_yaml_node *node)
{
    size_t from = 0;
    size_t to = parent->count;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        const size_t begin = parent->kind == BT_YAML_MAPPING ? parent->entries[middle].key_offset
                                                             : parent->items[middle].offset;
        from = begin <= node->offset ? middle : from;
        to = begin <= node->offset ? to : middle;
    }
    return from > 0 && child_at(parent, from - 1) == node ? from - 1 : from;
}

/* Put the pointer of a node: descend from the root to the child that holds it. */
static void put_pointer(struct bt_buf *path, const struct bt_yaml_node *root,
                        const struct bt_yaml_node *node)
{
    for (const struct bt_yaml_node *at = root; at != node && at->count > 0;) {
        const size_t i = find_child(at, node);
        if (at->kind == BT_YAML_MAPPING) {
            bt_json_pointer_put(path, at->entries[i].key);
        } else {
            bt_json_pointer_put_index(path, i);
        }
        at = child_at(at, i);
    }
}

struct bt_location bt_organism_locate(struct bt_organism_reader *reader,
                                      const struct bt_yaml_node *node)
{
    bt_buf_clear(&reader->path);
    put_pointer(&reader->path, reader->document, node);
    return (struct bt_location){.pointer = bt_buf_str(&reader->path),
                                .offset = node->offset,
                                .status = reader->path.status};
}

struct bt_location bt_organism_locate_key(struct bt_organism_reader *reader,
                                          const struct bt_yaml_node *mapping, const char *key)
{
    const struct bt_yaml_node *node = bt_organism_node_get(mapping, key);
    struct bt_location at = bt_organism_locate(reader, mapping);
    bt_json_pointer_put(&reader->path, bt_str_of(key));
    at.pointer = bt_buf_str(&reader->path);
    at.offset = node ? node->offset : BT_OFFSET_NONE;
    at.status = reader->path.status;
    return at;
}

bool bt_organism_reader_has_hard(const struct bt_organism_reader *reader)
{
    for (size_t i = 0; i < bt_findings_count(reader->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(reader->findings, i);
        if (finding->severity == BT_SEVERITY_HARD &&
            bt_str_starts_with(finding->pointer, reader->only)) {
            return true;
        }
    }
    return false;
}
