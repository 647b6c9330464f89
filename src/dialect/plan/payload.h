/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.h - one payload schema: found, read, judged step by step.
 *
 *     text -> open -> read -> shape -> depth -> draft -> closed -> valid -> regex -> refs
 *
 * The first step that has a finding is the last. Findings point into the schema; to report them at
 * another location (the cell of a plan, a payload) they are copied with bt_payload_copy_finding().
 */
#ifndef BATON_SRC_DIALECT_PLAN_PAYLOAD_H
#define BATON_SRC_DIALECT_PLAN_PAYLOAD_H

#include <baton/json.h>
#include <baton/schema.h>

#include "dialect/plan/plan_check.h"
#include "dialect/plan/references.h"

/* ---- Positions of schemas -------------------------------------------------------------------- */

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

enum bt_payload_step {
    BT_PAYLOAD_UNDECIDED = 0,
    BT_PAYLOAD_TEXT,
    BT_PAYLOAD_OPEN,
    BT_PAYLOAD_READ,
    BT_PAYLOAD_SHAPE,
    BT_PAYLOAD_DEPTH,
    BT_PAYLOAD_DRAFT,
    BT_PAYLOAD_CLOSED,
    BT_PAYLOAD_VALID,
    BT_PAYLOAD_REGEX,
    BT_PAYLOAD_REFS,
    BT_PAYLOAD_PASSED,
};

struct bt_payload {
    struct bt_plan_checker *plans;
    struct bt_findings *findings;
    struct bt_arena *arena;    /* of the findings */
    enum bt_payload_step step; /* that refused it, or BT_PAYLOAD_PASSED */
    bt_str reference;
    bt_str id;    /* that belongs to its name; "" when it has none */
    bt_str file;  /* beneath the root, or "" */
    bt_str shown; /* {"id":...,"file":...} when it is kept */
    bt_str bytes;
    const struct bt_json_doc *document; /* NULL: it could not be read */
    struct bt_payload_schema_positions positions;
    enum bt_schema_draft draft;
    size_t depth; /* of the deepest value */
    size_t refs;
    bool is_foreign;          /* not a payload schema: it need not be closed, nor have a name */
    struct bt_schema *schema; /* compiled; destroyed by bt_payload_end() */
};

/* A payload schema with its memory. */
struct bt_payload_schema {
    struct bt_arena arena;
    struct bt_payload payload;
};

/* Begin a schema whose findings go to `findings`. Every payload that begins is ended. */
void bt_payload_begin(struct bt_payload *payload, struct bt_plan_checker *plans,
                      struct bt_findings *findings);
void bt_payload_end(struct bt_payload *payload);

/* Steps 1 to 3. BT_EDENIED: the file may not be read; `error` says why. */
BT_MUST_USE enum bt_status bt_payload_fetch(struct bt_payload *payload, const struct bt_dir *root,
                                            bt_str reference);
/* Steps 1 to 3, by reference or by text. */
BT_MUST_USE enum bt_status bt_payload_get(struct bt_payload *payload,
                                          const struct bt_payload_schema_input *input);
/* Step 3 alone, for a text that is called `name` ("" when it is unknown). */
BT_MUST_USE enum bt_status bt_payload_read(struct bt_payload *payload, bt_str text, bt_str name);
/* Steps 4 to 10, unless an earlier one refused. */
BT_MUST_USE enum bt_status bt_payload_judge(struct bt_payload *payload);

/* What the steps are made of; each adds what it finds. */
typedef enum bt_status bt_payload_fn(struct bt_payload *payload);
bt_payload_fn bt_payload_check_closed;
bt_payload_fn bt_payload_check_patterns;
bt_payload_fn bt_payload_check_refs;

/* The location of a value of the schema. */
struct bt_location bt_payload_location(const struct bt_payload *payload,
                                       const bt_json_value *value);

/* Where a finding about a schema is reported. */
struct bt_payload_finding_target {
    bt_str pointer;
    size_t offset;
    bt_str reference;
    bt_str cells; /* a JSON array, or "" */
};

/* Add the findings about `payload`, which are finished, to `to` at another place: their own places
 * become params. */
BT_MUST_USE enum bt_status bt_payload_copy_finding(const struct bt_payload *payload,
                                                   const struct bt_payload_finding_target *target,
                                                   struct bt_findings *to);

/* The value that a local reference leads to from `root`, or NULL. */
const bt_json_value *bt_payload_ref_target(const struct bt_payload *payload, bt_str ref,
                                           const bt_json_value *root);
/* Put the pointer of a value as a URI fragment. */
void bt_payload_put_fragment(const struct bt_payload *payload, const bt_json_value *value,
                             struct bt_buf *buf);

/* Add PAYLOAD_SCHEMA_TEXT for each string that strip would leave. */
BT_MUST_USE enum bt_status bt_payload_find_text(const struct bt_payload *payload,
                                                struct bt_findings *findings);
/* How many members strip removes. */
size_t bt_payload_removable(const struct bt_payload *payload);

/* Members `id`, `file`, `draft` ... of the facts. */
BT_MUST_USE enum bt_status bt_payload_facts(const struct bt_payload *payload, bool with_removable,
                                            bt_str *out);

#endif
