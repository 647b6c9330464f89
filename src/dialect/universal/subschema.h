/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subschema.h - look up the part of the dialect's schema that judges a value.
 *
 * The schema is plain: properties, items, additionalProperties, no references. So the part that
 * judges a value is found by walking both in parallel. Each function takes and returns a value of
 * the schema document; a NULL subschema has no parts.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_SUBSCHEMA_H
#define BATON_SRC_DIALECT_UNIVERSAL_SUBSCHEMA_H

#include <baton/json.h>

#include "dialect/universal/universal_check.h"

struct bt_universal_checker;

/* What `subschema`, which may be NULL, says about the children of what it judges. */
struct bt_universal_children bt_universal_subschema_children(const bt_json_value *subschema);
/* What judges the member `name` of an object whose children are judged so, or NULL. */
const bt_json_value *bt_universal_child_called(const struct bt_universal_checker *universal,
                                               const struct bt_universal_children *children,
                                               bt_str name);
/* What judges the member `name` of an object judged by `subschema`, or NULL. */
const bt_json_value *bt_universal_subschema_of_member(const struct bt_universal_checker *universal,
                                                      const bt_json_value *subschema, bt_str name);
/* What judges the items of an array judged by it, or NULL. */
const bt_json_value *bt_universal_subschema_of_item(const struct bt_universal_checker *universal,
                                                    const bt_json_value *subschema);
bool bt_universal_subschema_requires(const struct bt_universal_checker *universal,
                                     const bt_json_value *subschema, bt_str name);

/* ---- Values and what judges them ------------------------------------------------------------- */

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
