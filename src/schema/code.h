/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - nodes -> blocks of instructions.
 *
 * A node is emitted in up to four *variants*: plain or tracked (it marks the children that it
 * evaluates), and each of them once more with its resource entered first, when dynamic
 * references exist and somebody comes from another resource. Variants are emitted after those
 * that they apply in place, so what these can accept is known, and short ones are copied instead
 * of called. Children of the value may be judged by any variant, also by the one that is being
 * emitted: tables name variants by number until all are linked.
 */
#ifndef BATON_SRC_SCHEMA_CODE_H
#define BATON_SRC_SCHEMA_CODE_H

#include "schema/frame.h"
#include "schema/program.h"

enum { BT_VARIANT_TRACKED = 1, BT_VARIANT_ENTERED = 2, BT_VARIANTS = 4 };

enum bt_schema_block_state {
    BT_SCHEMA_BLOCK_UNKNOWN = 0,
    BT_SCHEMA_BLOCK_OPEN,
    BT_SCHEMA_BLOCK_DONE
};

struct bt_schema_block {
    uint32_t start;
    uint32_t length;  /* without its END */
    uint16_t accepts; /* types that may pass: a superset */
    uint8_t state;    /* enum bt_schema_block_state */
    bool has_marks;
    bool is_queued;
};

/* A name that dynamic references use. */
struct bt_schema_register_name {
    bt_str name;
    bool is_recursive; /* $recursiveRef, which has no name */
};

/* Nodes that dynamic references may lead to. */
struct bt_schema_dynamic_candidates {
    struct bt_schema_dynamic_target *targets; /* in the arena */
    uint32_t *nodes;
    uint32_t *registers;
    bool *binds; /* by resource: it has a candidate */
    size_t count;
};

struct bt_schema_coder {
    struct bt_schema_frame *frame;
    struct bt_arena *arena;
    struct bt_arena *scratch;
    struct bt_schema_compile_errors *problems;
    const struct bt_schema_options *options;

    BT_VEC(struct bt_schema_instr) code;
    BT_VEC(struct bt_schema_origin) origins; /* by instruction */
    struct bt_schema_block *blocks;          /* by variant */
    uint32_t *applied;                       /* by node: how often it is applied */
    BT_VEC(uint32_t) queue; /* variants to be emitted, in the order they were asked for */
    BT_VEC(struct bt_schema_block_ref *) uses; /* to be linked */

    BT_VEC(struct bt_schema_register_name) registers;
    struct bt_schema_dynamic_candidates candidates;

    struct bt_map by_pattern;                /* the patterns that were compiled ... */
    BT_VEC(const struct bt_regex *) regexes; /* ... by the number of their entry */

    bool has_circle; /* nothing can be emitted */

    /* The variant that is being emitted. */
    uint32_t variant;
    uint32_t node;
    bool is_tracked; /* its children in place are tracked */
};

/* Emit everything that the root applies, and link it. */
BT_MUST_USE enum bt_status bt_schema_code_all(struct bt_schema_coder *coder,
                                              struct bt_schema *schema);

/* ---- For the files of the coder ---- */

/* The node that is being emitted, and the value of one of its keywords, or NULL. */
const struct bt_schema_node *bt_schema_code_node(const struct bt_schema_coder *coder);
const bt_json_value *bt_schema_code_keyword(const struct bt_schema_coder *coder,
                                            enum bt_schema_keyword keyword);
const struct bt_json_doc *bt_schema_code_doc(const struct bt_schema_coder *coder);
enum bt_schema_draft bt_schema_code_draft(const struct bt_schema_coder *coder);

BT_MUST_USE enum bt_status bt_schema_code_instr(struct bt_schema_coder *coder,
                                                struct bt_schema_instr instr);
/* Let `use`, which stays where it is, apply a schema to a child (tracked false) or in place. */
BT_MUST_USE enum bt_status bt_schema_code_use(struct bt_schema_coder *coder,
                                              const bt_json_value *schema, bool is_tracked,
                                              struct bt_schema_block_ref *use);
/* Let `use`, which stays where it is, apply a node to a child (tracked false) or in place. */
BT_MUST_USE enum bt_status bt_schema_code_use_node(struct bt_schema_coder *coder, uint32_t node,
                                                   bool is_tracked,
                                                   struct bt_schema_block_ref *use);
/* Let `use`, which stays where it is, apply a variant. */
BT_MUST_USE enum bt_status bt_schema_code_use_variant(struct bt_schema_coder *coder,
                                                      uint32_t variant,
                                                      struct bt_schema_block_ref *use);
/* Apply a node in place: its instructions are copied, or called. */
BT_MUST_USE enum bt_status bt_schema_code_in_place(struct bt_schema_coder *coder, uint32_t node);
/* The number under which the present node applies another. */
uint32_t bt_schema_code_variant(const struct bt_schema_coder *coder, uint32_t from, uint32_t to,
                                bool is_tracked);
/* Ask for a variant to be emitted some time. */
BT_MUST_USE enum bt_status bt_schema_code_find(struct bt_schema_coder *coder, uint32_t variant);
/* Compile a pattern, at most once; *out is NULL when it is refused, which has been reported. */
BT_MUST_USE enum bt_status bt_schema_code_regex(struct bt_schema_coder *coder,
                                                const bt_json_value *at, bt_str pattern,
                                                const struct bt_regex **out);
BT_MUST_USE enum bt_status bt_schema_code_problem(struct bt_schema_coder *coder,
                                                  bt_schema_add_problem_fn *add,
                                                  const bt_json_value *at, bt_str ref,
                                                  const char *reason);

/* The types that may pass what `use` applies, which is emitted already: a superset. */
unsigned bt_schema_code_accepts(const struct bt_schema_coder *coder,
                                const struct bt_schema_block_ref *use);
/* Find the member by which the branches of a choice, the items of `list`, can be told apart. */
BT_MUST_USE enum bt_status bt_schema_code_switch(struct bt_schema_coder *coder,
                                                 struct bt_schema_choice *choice,
                                                 const bt_json_value *list);
/* The types that the value of `type` names: a set of enum bt_schema_type_set. */
unsigned bt_schema_code_type_mask(const struct bt_schema_coder *coder, const bt_json_value *value);
unsigned bt_schema_code_types_of(bt_str name, enum bt_schema_draft draft);
/* Draft 3: whether schemas stand among the types. */
bool bt_schema_code_is_union(const bt_json_value *type);

/* One file each. */
BT_MUST_USE enum bt_status bt_schema_code_type(struct bt_schema_coder *coder);
BT_MUST_USE enum bt_status bt_schema_code_scalars(struct bt_schema_coder *coder);
BT_MUST_USE enum bt_status bt_schema_code_object(struct bt_schema_coder *coder);
BT_MUST_USE enum bt_status bt_schema_code_array(struct bt_schema_coder *coder);
BT_MUST_USE enum bt_status bt_schema_code_choices(struct bt_schema_coder *coder);
BT_MUST_USE enum bt_status bt_schema_code_references(struct bt_schema_coder *coder);
BT_MUST_USE enum bt_status bt_schema_code_find_registers(struct bt_schema_coder *coder);
/* The block that enters the variant's resource, then applies it. */
BT_MUST_USE enum bt_status bt_schema_code_entered(struct bt_schema_coder *coder);
/* Whether a resource binds any register. */
bool bt_schema_code_binds(const struct bt_schema_coder *coder, uint32_t resource);

/* order.c: call `emit` for each variant that the queue leads to, children in place first. */
typedef enum bt_status bt_code_fn(struct bt_schema_coder *coder, uint32_t variant);
BT_MUST_USE enum bt_status bt_order_run(struct bt_schema_coder *coder, bt_code_fn *emit);

/* Whether what the variant applies in place is tracked. */
bool bt_schema_code_tracks(const struct bt_schema_coder *coder, uint32_t variant);

/* link.c: numbers of variants -> addresses. */
BT_MUST_USE enum bt_status bt_schema_link_all(struct bt_schema_coder *coder,
                                              struct bt_schema *schema);

#endif
