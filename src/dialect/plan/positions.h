/* SPDX-License-Identifier: Apache-2.0 */
/*
 * positions.h - the positions of schemas in a payload schema: used by strip, lint, the search for
 * cycles and the forbidden keywords, in both drafts.
 */
#ifndef BATON_SRC_DIALECT_PLAN_POSITIONS_H
#define BATON_SRC_DIALECT_PLAN_POSITIONS_H

#include <baton/json.h>
#include <baton/schema.h>

/* A schema: an object or a boolean where a keyword has one. */
struct bt_payload_schema_position {
    const bt_json_value *schema;
    size_t offset; /* of the schema in the source; rises from one position to the next */
    size_t end;    /* index of the first position that is not below this one */
    bool is_root;
    bool is_property; /* the value of a name in `properties` */
};

struct bt_payload_schema_positions {
    const struct bt_json_doc *document;
    const struct bt_payload_schema_position
        *items; /* each before those below it, in document order */
    size_t count;
};

/* Find all of them. A document that is an array is an array of schemas; any other that is neither
 * object nor boolean has none. */
BT_MUST_USE enum bt_status
bt_payload_schema_positions_find(const struct bt_json_doc *document, struct bt_arena *arena,
                                 struct bt_payload_schema_positions *out);
/* The index of the position that `value` is, or SIZE_MAX. */
size_t bt_payload_schema_positions_index(const struct bt_payload_schema_positions *positions,
                                         const bt_json_value *value);

/* Whether a name is one of the words, of which the last is "". */
bool bt_payload_is_listed(bt_str name, const bt_str *words);
/* Whether the value can be a schema. */
bool bt_payload_is_schema(const bt_json_value *value);
/* Whether one of the keywords has schemas in its value, in any shape. */
bool bt_payload_keyword_has_schemas(bt_str name);
/* Whether a draft defines a keyword; `$defs` and `definitions` count as defined in both. */
bool bt_payload_keyword_is_defined(bt_str name, enum bt_schema_draft draft);
/* Whether it is one of the four that are removed before a model sees a schema. */
bool bt_payload_keyword_is_prose(bt_str name);

#endif
