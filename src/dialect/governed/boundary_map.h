/* SPDX-License-Identifier: Apache-2.0 */
/* boundary_map.h - a catalogue with all lists and candidates loaded, and its output formats. */
#ifndef BATON_SRC_DIALECT_GOVERNED_BOUNDARY_MAP_H
#define BATON_SRC_DIALECT_GOVERNED_BOUNDARY_MAP_H

#include "dialect/governed/governed_check.h"

/* Read the catalogue and examine every agent. *out_answers: manifest and lists can be used; if not,
 * a finding at "" says why. */
BT_MUST_USE enum bt_status bt_governed_map_read(struct bt_governed_root *governed_root,
                                                enum bt_governed_boundary_lists source,
                                                struct bt_findings *findings, bool *out_answers);

/* Whether both are candidates and the first may hand to the second. */
bool bt_governed_map_allows(const struct bt_governed_root *governed_root, size_t from, size_t to);

/* Put the map. Ids are letters, digits and dashes, so no form needs to escape them. */
typedef void bt_map_fn(const struct bt_governed_root *governed_root, struct bt_buf *buf);

bt_map_fn bt_governed_map_put_text;
bt_map_fn bt_governed_map_put_mermaid;
bt_map_fn bt_governed_map_put_dot;
bt_map_fn bt_governed_map_put_svg;
bt_map_fn bt_governed_map_put_json;
bt_map_fn bt_governed_map_put_file;

#endif
