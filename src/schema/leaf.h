/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaf.h - instructions that are judged on the spot, without the stack.
 */
#ifndef BATON_SRC_SCHEMA_LEAF_H
#define BATON_SRC_SCHEMA_LEAF_H

#include "schema/run.h"

/* True when a number that is not a BT_JSON_INTEGER counts as an integer here. */
bool bt_schema_type_set_number_ok(const struct bt_json_doc *document, unsigned types,
                                  const bt_json_value *value);

static inline bool bt_types_ok(const struct bt_json_doc *document, unsigned types,
                               const bt_json_value *value)
{
    if (__builtin_expect((types >> value->type & 1) != 0, 1)) {
        return true;
    }
    return (types & (BT_SCHEMA_TYPE_SET_WHOLE | BT_SCHEMA_TYPE_SET_UNBROKEN)) != 0 &&
           bt_schema_type_set_number_ok(document, types, value);
}

/* Whether a value passes what the use applies by its type alone. It may still pass if not. */
static inline bool bt_use_passes(const struct bt_schema_block_ref *use, const bt_json_value *value)
{
    return (use->passes >> value->type & 1) != 0;
}

/* All instructions of a leaf block, from `at` on. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_run(struct bt_schema_machine *run,
                                                     const struct bt_schema_instr *at,
                                                     const bt_json_value *value);
/* One instruction that is a leaf. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_one(struct bt_schema_machine *run,
                                                     const struct bt_schema_instr *at,
                                                     const bt_json_value *value);

/* Whether the instruction can be given to bt_schema_leaf_one(). */
static inline bool bt_leaf_is(const struct bt_schema_instr *at)
{
    return at->op < BT_SCHEMA_OP_ANY || (at->flags & BT_SCHEMA_INSTR_FLAG_LEAF) != 0;
}

/* An OBJECT instruction and a value that is an object. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_object(struct bt_schema_machine *run,
                                                        const struct bt_schema_instr *at,
                                                        const bt_json_value *value);
/* The items from `item` on, of which there is one, by a use that is one OBJECT instruction with the
 * plan BT_OBJECT_PLAIN or BT_OBJECT_FEW. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_objects(struct bt_schema_machine *run,
                                                         const struct bt_schema_block_ref *use,
                                                         const bt_json_value *item,
                                                         const bt_json_value *end);
/* An ITEMS instruction and a value that is an array. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_items(struct bt_schema_machine *run,
                                                       const struct bt_schema_instr *at,
                                                       const bt_json_value *value);

/* What a use says of a value that does not pass by its type alone. A block that needs the stack is
 * put there, and the answer is BT_SCHEMA_VALID for the time being. */
BT_MUST_USE enum bt_schema_result bt_schema_block_ref_enter(struct bt_schema_machine *run,
                                                            const struct bt_schema_block_ref *use,
                                                            const bt_json_value *value);

/* Apply a use to any value. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as BT_RANK_MAX; see link.c */
static inline enum bt_schema_result bt_use_run(struct bt_schema_machine *run,
                                               const struct bt_schema_block_ref *use,
                                               const bt_json_value *value)
{
    return __builtin_expect(bt_use_passes(use, value), 1)
               ? BT_SCHEMA_VALID
               : bt_schema_block_ref_enter(run, use, value);
}

/* Whether the pattern occurs in the text. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_match(struct bt_schema_machine *run,
                                                       const struct bt_regex *regex, bt_str text);

/* Whether a string is well-formed content: `number` of a CONTENT instruction. */
enum bt_schema_content { BT_SCHEMA_CONTENT_BASE64 = 1, BT_SCHEMA_CONTENT_JSON = 2 };

BT_MUST_USE enum bt_schema_result bt_schema_leaf_content(struct bt_schema_machine *run,
                                                         unsigned content, bt_str text);
BT_MUST_USE enum bt_schema_result bt_schema_leaf_format(struct bt_schema_machine *run,
                                                        const struct bt_schema_format *format,
                                                        bt_str text);
/* Whether no two items of an array are equal. Sets *out_first and *out_second (may be NULL) to two
 * that are. */
BT_MUST_USE enum bt_schema_result bt_schema_leaf_unique(struct bt_schema_machine *run,
                                                        const bt_json_value *array,
                                                        uint32_t *out_first, uint32_t *out_second);

/* The branches that can pass for an object, judged by one member. */
uint64_t bt_schema_switch_open(const struct bt_schema_machine *run,
                               const struct bt_schema_switch *key, const bt_json_value *object);
/* The only branch that can pass, of a choice that is not pruned; NULL when it is not known. */
const struct bt_schema_block_ref *bt_schema_choice_only(const struct bt_schema_machine *run,
                                                        const struct bt_schema_choice *choice,
                                                        const bt_json_value *value);

/* Whether more than one branch is open. */
static inline bool bt_schema_is_open_choice(uint64_t open)
{
    return (open & (open - 1)) != 0;
}

/* The branches of a choice that can pass, judged by type and by the member that tells them apart;
 * only when it is pruned. */
static inline uint64_t bt_schema_choice_open(const struct bt_schema_machine *run,
                                             const struct bt_schema_choice *choice,
                                             const bt_json_value *value)
{
    const uint64_t open = choice->by_type[value->type];
    return choice->key && bt_schema_is_open_choice(open) && bt_json_type(value) == BT_JSON_OBJECT
               ? open & bt_schema_switch_open(run, choice->key, value)
               : open;
}

#endif
