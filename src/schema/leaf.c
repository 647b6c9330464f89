/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaf.c - instructions that are judged on the spot.
 *
 * Leaves within leaves are judged by calls within calls. How deep these go is fixed when the schema
 * is linked, to BT_RANK_MAX blocks, whatever the document: see link.c.
 */
#include "schema/leaf.h"

#include <assert.h>

#include "base/str.h"
#include "json/decimal.h"
#include "regex/regex.h"
#include "schema/machine.h"
#include "schema/number.h"
#include "schema/set.h"

bool bt_schema_type_set_number_ok(const struct bt_json_doc *document, unsigned types,
                                  const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_NUMBER) {
        return false;
    }
    const bt_str text = bt_json_number_text(document, value);
    if ((types & BT_SCHEMA_TYPE_SET_WHOLE) != 0) {
        return bt_json_decimal_is_integer(text);
    }
    return bt_str_find_byte(text, '.', 0) == text.len &&
           bt_str_find_byte(text, 'e', 0) == text.len && bt_str_find_byte(text, 'E', 0) == text.len;
}

static enum bt_schema_result answer_of(bool holds)
{
    return holds ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

/* Each of these is apart from the loop over instructions, which then has little to remember. */

static __attribute__((noinline)) enum bt_schema_result
check_points(struct bt_schema_machine *run, const struct bt_schema_instr *at,
             const bt_json_value *value)
{
    if (!bt_schema_run_charge(run, value->size / 32)) {
        return BT_SCHEMA_UNDECIDED;
    }
    const uint64_t length = bt_utf8_count(bt_json_text(value));
    return answer_of(length >= at->number && length <= at->as.limit);
}

static inline enum bt_schema_result check_length(struct bt_schema_machine *run,
                                                 const struct bt_schema_instr *at,
                                                 const bt_json_value *value)
{
    return (value->flags & BT_JSON_FLAG_NON_ASCII) != 0
               ? check_points(run, at, value)
               : answer_of(value->size >= at->number && value->size <= at->as.limit);
}

/* By a tier that may need memory, or give up. */
static __attribute__((noinline)) enum bt_schema_result
match_any(struct bt_schema_machine *run, const struct bt_regex *regex, bt_str text)
{
    const uint64_t before = run->matcher.steps;
    const enum bt_regex_match_result answer = bt_regex_match(regex, &run->matcher, text);
    if (answer == BT_REGEX_UNDECIDED) {
        const bool system_refused = run->matcher.arena.system_refused;
        return bt_run_stop(run, system_refused ? BT_SCHEMA_LIMIT_SYSTEM : BT_SCHEMA_LIMIT_WORK);
    }
    if (!bt_schema_run_charge(run, run->matcher.steps - before + text.len / 32)) {
        return BT_SCHEMA_UNDECIDED;
    }
    return answer_of(answer == BT_REGEX_MATCH);
}

enum bt_schema_result bt_schema_leaf_match(struct bt_schema_machine *run,
                                           const struct bt_regex *regex, bt_str text)
{
    /* Most patterns are chains, which always answer. */
    if (BT_SCHEMA_IS_SMALL || regex->tier != BT_RE_TIER_CHAIN) {
        return match_any(run, regex, text);
    }
    return bt_schema_run_charge(run, text.len + regex->chain->count + 1 + text.len / 32)
               ? answer_of(bt_re_chain_match(regex->chain, &regex->programs.alphabet, text))
               : BT_SCHEMA_UNDECIDED;
}

static __attribute__((noinline)) enum bt_schema_result
check_real(const struct bt_schema_machine *run, const struct bt_schema_bounds *bounds,
           const bt_json_value *value)
{
    return answer_of(bt_schema_bounds_low_ok(bounds, run->document, value) &&
                     bt_schema_bounds_high_ok(bounds, run->document, value));
}

static inline enum bt_schema_result check_range(const struct bt_schema_machine *run,
                                                const struct bt_schema_bounds *bounds,
                                                const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_INTEGER) {
        return check_real(run, bounds, value);
    }
    const int64_t integer = value->as.integer;
    return answer_of(integer >= bounds->low && integer <= bounds->high);
}

static __attribute__((noinline)) enum bt_schema_result check_text(const struct bt_schema_set *set,
                                                                  const bt_json_value *value)
{
    return answer_of(bt_schema_set_find_text(set, bt_json_text(value)) != BT_NOT_IN_SET);
}

static __attribute__((noinline)) enum bt_schema_result check_set(struct bt_schema_machine *run,
                                                                 const struct bt_schema_set *set,
                                                                 const bt_json_value *value)
{
    uint32_t index = 0;
    return bt_schema_set_find(run, set, value, &index);
}

/* Run one plain leaf that applies to values of this type; other instructions are not handled
 * here. */
static inline __attribute__((always_inline)) enum bt_schema_result
check_leaf(struct bt_schema_machine *run, const struct bt_schema_instr *at,
           const bt_json_value *value)
{
    switch ((enum bt_schema_op)at->op) {
    case BT_SCHEMA_OP_FAIL:
        return BT_SCHEMA_INVALID;
    case BT_SCHEMA_OP_TYPE:
    case BT_SCHEMA_OP_QUICK:
        return BT_SCHEMA_VALID;
    case BT_SCHEMA_OP_LENGTH:
        return check_length(run, at, value);
    case BT_SCHEMA_OP_PATTERN:
        return bt_schema_leaf_match(run, at->as.regex, bt_json_text(value));
    case BT_SCHEMA_OP_FORMAT:
        return bt_schema_leaf_format(run, at->as.format, bt_json_text(value));
    case BT_SCHEMA_OP_CONTENT:
        return bt_schema_leaf_content(run, at->number, bt_json_text(value));
    case BT_SCHEMA_OP_RANGE:
        return check_range(run, at->as.bounds, value);
    case BT_SCHEMA_OP_MULTIPLE:
        return answer_of(bt_schema_multiple_ok(at->as.multiple, run->document, value));
    case BT_SCHEMA_OP_SET:
        return bt_json_type(value) == BT_JSON_STRING ? check_text(at->as.set, value)
                                                     : check_set(run, at->as.set, value);
    case BT_SCHEMA_OP_COUNT:
        return answer_of(value->size >= at->number && value->size <= at->as.limit);
    case BT_SCHEMA_OP_UNIQUE:
        return bt_schema_leaf_unique(run, value, NULL, NULL);
    case BT_SCHEMA_OP_END:
    case BT_SCHEMA_OP_ANY:
    case BT_SCHEMA_OP_ONE:
    case BT_SCHEMA_OP_NOT:
    case BT_SCHEMA_OP_IF:
    case BT_SCHEMA_OP_OBJECT:
    case BT_SCHEMA_OP_NAMES:
    case BT_SCHEMA_OP_ITEMS:
    case BT_SCHEMA_OP_CONTAINS:
    case BT_SCHEMA_OP_CALL:
    case BT_SCHEMA_OP_DYNAMIC:
    case BT_SCHEMA_OP_SCOPE:
    case BT_SCHEMA_OP_WHEN:
    case BT_SCHEMA_OP_MEMO:
    case BT_SCHEMA_OP_MARKS:
    case BT_SCHEMA_OP_UNEVALUATED:
    case BT_SCHEMA_OP__MAX:
        break;
    }
    assert(false); /* bt_leaf_is() says what may come here */
    return BT_SCHEMA_UNDECIDED;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as BT_RANK_MAX, whatever the document; see link.c */

uint64_t bt_schema_switch_open(const struct bt_schema_machine *run,
                               const struct bt_schema_switch *key, const bt_json_value *object)
{
    const struct bt_json_member *member = bt_run_member(run, object, key->name, key->name_hash);
    if (!member) {
        return key->absent;
    }
    if (bt_json_type(&member->value) >= BT_JSON_ARRAY) {
        return key->other;
    }
    const uint32_t index = bt_schema_set_find_scalar(key->values, run->document, &member->value);
    return index == BT_NOT_IN_SET ? key->other : key->branches[index];
}

const struct bt_schema_block_ref *bt_schema_choice_only(const struct bt_schema_machine *run,
                                                        const struct bt_schema_choice *choice,
                                                        const bt_json_value *value)
{
    if (BT_SCHEMA_IS_SMALL || !choice->key || bt_json_type(value) != BT_JSON_OBJECT) {
        return NULL;
    }
    const struct bt_json_member *member =
        bt_run_member(run, value, choice->key->name, choice->key->name_hash);
    if (!member || bt_json_type(&member->value) >= BT_JSON_ARRAY) {
        return NULL;
    }
    const uint32_t index =
        bt_schema_set_find_scalar(choice->key->values, run->document, &member->value);
    const uint64_t branch = index == BT_NOT_IN_SET ? 0 : choice->key->branches[index];
    return branch == 0 ? NULL : &choice->branches[branch - 1];
}

/* Check a choice that is not pruned: anyOf until the first passes, oneOf until the second does. */
static enum bt_schema_result check_all(struct bt_schema_machine *run,
                                       const struct bt_schema_choice *choice,
                                       const bt_json_value *value, uint32_t enough)
{
    const struct bt_schema_block_ref *only = bt_schema_choice_only(run, choice, value);
    if (only) {
        return bt_use_run(run, only, value);
    }
    uint32_t passed = 0;
    for (uint32_t i = 0; i < choice->count && passed < enough; i++) {
        const enum bt_schema_result answer = bt_use_run(run, &choice->branches[i], value);
        if (answer == BT_SCHEMA_UNDECIDED) {
            return answer;
        }
        passed += answer == BT_SCHEMA_VALID;
    }
    return answer_of(passed == 1);
}

/* Check a choice, trying only the branches that can pass. */
static enum bt_schema_result check_branches(struct bt_schema_machine *run,
                                            const struct bt_schema_choice *choice,
                                            const bt_json_value *value, uint32_t enough)
{
    if (!choice->is_pruned) {
        return check_all(run, choice, value, enough);
    }
    uint64_t open = bt_schema_choice_open(run, choice, value);
    if (open != 0 && (open & (open - 1)) == 0) {
        return bt_use_run(run, &choice->branches[__builtin_ctzll(open)], value);
    }
    uint32_t passed = 0;
    for (; open != 0 && passed < enough; open &= open - 1) {
        const enum bt_schema_result answer =
            bt_use_run(run, &choice->branches[__builtin_ctzll(open)], value);
        if (answer == BT_SCHEMA_UNDECIDED) {
            return answer;
        }
        passed += answer == BT_SCHEMA_VALID;
    }
    return answer_of(passed == 1);
}

static enum bt_schema_result check_if(struct bt_schema_machine *run,
                                      const struct bt_schema_condition *condition,
                                      const bt_json_value *value)
{
    const enum bt_schema_result test = bt_use_run(run, &condition->test, value);
    if (test == BT_SCHEMA_UNDECIDED) {
        return test;
    }
    return bt_use_run(run, test == BT_SCHEMA_VALID ? &condition->then : &condition->otherwise,
                      value);
}

static enum bt_schema_result check_not(struct bt_schema_machine *run,
                                       const struct bt_schema_choice *choice,
                                       const bt_json_value *value)
{
    const enum bt_schema_result answer = bt_use_run(run, &choice->branches[0], value);
    return answer == BT_SCHEMA_UNDECIDED ? answer : answer_of(answer == BT_SCHEMA_INVALID);
}

static enum bt_schema_result check_contains(struct bt_schema_machine *run,
                                            const struct bt_schema_contains *contains,
                                            const bt_json_value *value)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < value->size && count <= contains->high; i++) {
        if (count >= contains->low && contains->high == BT_NO_LIMIT) {
            break;
        }
        if (!bt_schema_run_charge(run, 1)) {
            return BT_SCHEMA_UNDECIDED;
        }
        const enum bt_schema_result answer = bt_use_run(run, &contains->use, &value->as.items[i]);
        if (answer == BT_SCHEMA_UNDECIDED) {
            return answer;
        }
        count += answer == BT_SCHEMA_VALID;
    }
    return answer_of(count >= contains->low && count <= contains->high);
}

/* One leaf that applies others. */
static enum bt_schema_result check_blocks(struct bt_schema_machine *run,
                                          const struct bt_schema_instr *at,
                                          const bt_json_value *value)
{
    switch (at->op) {
    case BT_SCHEMA_OP_OBJECT:
        return bt_schema_leaf_object(run, at, value);
    case BT_SCHEMA_OP_ITEMS:
        return bt_schema_leaf_items(run, at, value);
    case BT_SCHEMA_OP_NAMES:
        return (enum bt_schema_result)bt_schema_step_names(run, at, value);
    default:
        break;
    }
    if (!bt_schema_run_charge(run, 1)) {
        return BT_SCHEMA_UNDECIDED;
    }
    switch (at->op) {
    case BT_SCHEMA_OP_ANY:
        return check_branches(run, at->as.choice, value, 1);
    case BT_SCHEMA_OP_ONE:
        return check_branches(run, at->as.choice, value, 2);
    case BT_SCHEMA_OP_NOT:
        return check_not(run, at->as.choice, value);
    case BT_SCHEMA_OP_IF:
        return check_if(run, at->as.condition, value);
    case BT_SCHEMA_OP_CONTAINS:
        return check_contains(run, at->as.contains, value);
    case BT_SCHEMA_OP_CALL:
        return bt_schema_leaf_run(run, at->as.code, value);
    default:
        assert(at->op == BT_SCHEMA_OP_WHEN);
        return bt_schema_guard_holds(run, at->as.when, value)
                   ? bt_use_run(run, &at->as.when->use, value)
                   : BT_SCHEMA_VALID;
    }
}

/* A TYPE instruction, and a value that has none of its types. */
static __attribute__((noinline)) enum bt_schema_result
check_number(const struct bt_schema_machine *run, const struct bt_schema_instr *at,
             const bt_json_value *value)
{
    return answer_of(bt_types_ok(run->document, at->types, value));
}

enum bt_schema_result bt_schema_leaf_one(struct bt_schema_machine *run,
                                         const struct bt_schema_instr *at,
                                         const bt_json_value *value)
{
    if ((at->types >> value->type & 1) == 0) {
        return at->op == BT_SCHEMA_OP_TYPE ? check_number(run, at, value) : BT_SCHEMA_VALID;
    }
    return at->op >= BT_SCHEMA_OP_ANY ? check_blocks(run, at, value) : check_leaf(run, at, value);
}

enum bt_schema_result bt_schema_leaf_run(struct bt_schema_machine *run,
                                         const struct bt_schema_instr *at,
                                         const bt_json_value *value)
{
    for (; at->op != BT_SCHEMA_OP_END; at++) {
        enum bt_schema_result answer = BT_SCHEMA_VALID;
        if ((at->types >> value->type & 1) != 0) {
            answer = at->op >= BT_SCHEMA_OP_ANY ? check_blocks(run, at, value)
                                                : check_leaf(run, at, value);
        } else if (at->op == BT_SCHEMA_OP_TYPE) {
            answer = check_number(run, at, value);
        }
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    }
    return BT_SCHEMA_VALID;
}

/* NOLINTEND(misc-no-recursion) */
