/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointer_find.h - the location of a finding: the value, its container, and the subschemas of both.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_POINTER_FIND_H
#define BATON_SRC_DIALECT_UNIVERSAL_POINTER_FIND_H

#include "dialect/universal/universal_check.h"

struct bt_universal_location {
    const bt_json_value *value;
    const bt_json_value *subschema;      /* what judges it, or NULL */
    const struct bt_json_member *member; /* when it is a member of an object, else NULL */
    const bt_json_value *holder; /* the object or array it stands in; NULL: it is the root */
    const bt_json_value *holder_subschema;
    size_t depth; /* so many containers hold it */
};

/*
 * Find the value that begins at `offset` of the document's source. False when none does. Takes time
 * logarithmic in the number of children at each level, so that a document with a million findings
 * costs no more than a million of these.
 */
bool bt_universal_find_pointer(const struct bt_universal_check *handoff, size_t offset,
                               struct bt_universal_location *out);

#endif
