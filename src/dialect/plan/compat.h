/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat.h - is every payload of schema A also one of schema B?
 *
 *     graph -> prove (a table of all pairs) -> refute (candidates, validated by both) -> finding
 *
 * Schemas are nodes of an acyclic graph, so whether a is covered by b can be told from nodes that
 * come earlier in the order of both: the table is filled once, without recursion, and its size
 * bounds the work however often a definition is referred to.
 */
#ifndef BATON_SRC_DIALECT_PLAN_COMPAT_H
#define BATON_SRC_DIALECT_PLAN_COMPAT_H

#include "dialect/plan/payload.h"

/* Two schemas that stand nowhere; then come those of the positions. */
enum { BT_ANYTHING = 0, BT_NOTHING = 1, BT_NODES_BEFORE = 2 };

/* One of the two schemas. */
struct bt_payload_side {
    const struct bt_payload *payload; /* without its annotations */
    size_t count;                     /* of nodes */
    size_t *targets;                  /* by node: where its $ref leads, or BT_ABSENT */
    size_t *order;                    /* all nodes, each after those that it leads to */
    struct bt_schema **compiled;      /* by node, made when needed */
};

struct bt_payload_compat {
    struct bt_plan_checker *plans;
    struct bt_arena *arena;
    struct bt_schema_runner *runner;
    struct bt_payload_side *a; /* whose payloads must be covered ... */
    struct bt_payload_side *b; /* ... by this one */
    uint8_t *proven;           /* by node of a, then of b */
    uint64_t runs;             /* validations so far */
};

/* Make the graph of a schema. Ended with bt_payload_side_end(). */
BT_MUST_USE enum bt_status bt_payload_side_begin(struct bt_payload_side *side,
                                                 const struct bt_payload *payload,
                                                 struct bt_arena *arena);
void bt_payload_side_end(struct bt_payload_side *side);

/* The schema of a node; NULL for the two that stand nowhere. */
const bt_json_value *bt_payload_side_schema(const struct bt_payload_side *side, size_t node);
/* Its member `name`, or NULL. */
const bt_json_value *bt_payload_side_get(const struct bt_payload_side *side, size_t node,
                                         const char *name);
/* The node of a schema that stands in the document. */
size_t bt_payload_side_node(const struct bt_payload_side *side, const bt_json_value *schema);
/* The node behind references that have nothing beside them. */
size_t bt_payload_side_resolve(const struct bt_payload_side *side, size_t node);
bool bt_payload_side_is_anything(const struct bt_payload_side *side, size_t node);
bool bt_payload_side_is_nothing(const struct bt_payload_side *side, size_t node);
/* The schema for the member `name` of an object; "" with a NULL ptr: for all other names. */
size_t bt_payload_side_property(const struct bt_payload_side *side, size_t node, bt_str name);
/* The schema for the item at `index` of an array. */
size_t bt_payload_side_item(const struct bt_payload_side *side, size_t node, size_t index);
/* How many items have a schema of their own. */
size_t bt_payload_side_items(const struct bt_payload_side *side, size_t node);
/* Whether the object that requires names requires `name`. */
bool bt_payload_side_requires(const struct bt_payload_side *side, size_t node, bt_str name);

/* The types that `type` admits, as bits of enum bt_payload_type_bit. */
enum bt_payload_type_bit {
    BT_TYPE_NULL = 1,
    BT_TYPE_BOOLEAN = 2,
    BT_TYPE_INTEGER = 4,
    BT_TYPE_FRACTION = 8,
    BT_TYPE_STRING = 16,
    BT_TYPE_ARRAY = 32,
    BT_TYPE_OBJECT = 64,
    BT_TYPE_ALL = 127,
};
unsigned bt_payload_side_types(const struct bt_payload_side *side, size_t node);

/* Whether a value is valid under a node; NULL is undecided. BT_SCHEMA_LIMIT: too much work. */
BT_MUST_USE enum bt_status bt_payload_side_validate(struct bt_payload_compat *compat,
                                                    struct bt_payload_side *side, size_t node,
                                                    const struct bt_json_doc *value,
                                                    enum bt_schema_result *out);
/* Read a sample into compat->arena; *out is NULL when it cannot be read. */
BT_MUST_USE enum bt_status bt_payload_sample_read(struct bt_payload_compat *compat, bt_str sample,
                                                  const struct bt_json_doc **out);

/* Fill the table. BT_ELIMIT: it would be too large. */
BT_MUST_USE enum bt_status bt_payload_compat_prove(struct bt_payload_compat *compat);
bool bt_payload_compat_is_proven(const struct bt_payload_compat *compat, size_t a, size_t b);

/* Where a proof failed, and what shows it. */
struct bt_payload_counterexample {
    size_t a; /* the nodes */
    size_t b;
    bt_str payload; /* "": none was found */
};

/* Look for a payload that a accepts and b rejects; each was validated by both. */
BT_MUST_USE enum bt_status bt_payload_compat_refute(struct bt_payload_compat *compat,
                                                    struct bt_payload_counterexample *out);

/* Values for a node of a that b might reject, as JSON texts. */
struct bt_payload_samples {
    struct bt_arena *arena;
    bt_str *items;
    size_t count;
};

enum { BT_CANDIDATES_MAX = 2048 };

/* One small value for each node of a side, or "" where none was found; by node. */
BT_MUST_USE enum bt_status bt_payload_samples_make(struct bt_payload_compat *compat,
                                                   struct bt_payload_side *side, bt_str *samples);
/* Values of a that lie where b may end. */
BT_MUST_USE enum bt_status bt_payload_samples_find(struct bt_payload_compat *compat,
                                                   const bt_str *samples, size_t a, size_t b,
                                                   struct bt_payload_samples *out);
/* A member of an object that is made. */
struct bt_payload_sample_member {
    bt_str name; /* ptr NULL: none */
    bt_str value;
};

/* Put an object of a node with all it requires and `member`. */
void bt_payload_put_object(const struct bt_payload_side *side, const bt_str *samples, size_t node,
                           const struct bt_payload_sample_member *member, struct bt_buf *buf);
/* Put an array of samples, at least as long as the schema wants and `at` says, with `value` at
 * `at`. */
void bt_payload_put_array(const struct bt_payload_side *side, const bt_str *samples, size_t node,
                          size_t at, bt_str value, struct bt_buf *buf);

#endif
