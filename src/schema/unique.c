/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unique.c - uniqueItems, in time near linear in the size of the array.
 *
 * A few items are compared pair by pair. Many are hashed with the document's seed and put into an
 * open table; only items with equal hashes are compared.
 */
#include <assert.h>

#include "json/equal.h"
#include "schema/leaf.h"
#include "schema/value_hash.h"

enum { FEW = 16 };

/* Whether two values are seen to differ by their types, their sizes or how they begin. */
static inline bool differ_at_once(const bt_json_value *a, const bt_json_value *b)
{
    if (a->type != b->type) {
        return !bt_json_is_number(a) || !bt_json_is_number(b);
    }
    if (bt_json_type(a) == BT_JSON_STRING) {
        return a->size != b->size || (a->size > 0 && *a->as.text != *b->as.text);
    }
    return bt_json_type(a) >= BT_JSON_ARRAY && a->size != b->size;
}

static bool are_unlike(const struct bt_json_doc *document, const bt_json_value *a,
                       const bt_json_value *b)
{
    return differ_at_once(a, b) ||
           bt_json_compare_shallow((bt_ref){document, a}, (bt_ref){document, b}) == BT_UNLIKE;
}

/* Whether two objects of one size are seen to differ: members at the same place have one name and
 * values that are not alike. Names must not repeat. */
static bool differ_in_place(const struct bt_json_doc *document, const bt_json_value *a,
                            const bt_json_value *b)
{
    if (bt_json_type(a) != BT_JSON_OBJECT || document->last_wins) {
        return false;
    }
    for (uint32_t i = 0; i < a->size; i++) {
        const struct bt_json_member *left = &a->as.members[i];
        const struct bt_json_member *right = &b->as.members[i];
        if (left->name_hash == right->name_hash &&
            are_unlike(document, &left->value, &right->value) &&
            bt_str_eq(bt_json_name(left), bt_json_name(right))) {
            return true;
        }
    }
    return false;
}

/* Two items, equal or not. */
static enum bt_schema_result compare_items(struct bt_schema_machine *run, const bt_json_value *a,
                                           const bt_json_value *b)
{
    const bt_ref left = {run->document, a};
    const bt_ref right = {run->document, b};
    const bool are_open = a->type == b->type && bt_json_type(a) >= BT_JSON_ARRAY &&
                          a->size == b->size && a->size > 0 && a != b;
    if (!are_open) {
        return bt_json_compare_shallow(left, right) == BT_ALIKE ? BT_SCHEMA_INVALID
                                                                : BT_SCHEMA_VALID;
    }
    const struct bt_json_span span = bt_json_span(run->document, a);
    if (!bt_schema_run_charge(run, (span.end - span.begin) / 8)) {
        return BT_SCHEMA_UNDECIDED;
    }
    if (!BT_SCHEMA_IS_SMALL && differ_in_place(run->document, a, b)) {
        return BT_SCHEMA_VALID;
    }
    bool equal = false;
    if (bt_ref_equal(left, right, &run->scratch, &equal) != BT_OK) {
        return bt_schema_run_out_of_memory(run);
    }
    return equal ? BT_SCHEMA_INVALID : BT_SCHEMA_VALID;
}

/* Where two equal items stand. */
struct schema_unique_pair {
    uint32_t first;
    uint32_t second;
};

static enum bt_schema_result check_pairs(struct bt_schema_machine *run, const bt_json_value *array,
                                         struct schema_unique_pair *out)
{
    for (uint32_t i = 1; i < array->size; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (differ_at_once(&array->as.items[k], &array->as.items[i])) {
                continue;
            }
            const enum bt_schema_result answer =
                compare_items(run, &array->as.items[k], &array->as.items[i]);
            if (answer != BT_SCHEMA_VALID) {
                *out = (struct schema_unique_pair){k, i};
                return answer;
            }
        }
    }
    return BT_SCHEMA_VALID;
}

struct schema_unique_table {
    uint64_t *hashes;  /* by item */
    uint32_t *numbers; /* 1 + item, by place; 0 is free */
    uint32_t mask;
};

/* Put item i into the table, unless one that is equal is there. */
static enum bt_schema_result insert_item(struct bt_schema_machine *run,
                                         const struct schema_unique_table *table,
                                         const bt_json_value *array, uint32_t i,
                                         struct schema_unique_pair *out)
{
    uint64_t nodes = 0;
    if (bt_schema_value_hash(run->document, &array->as.items[i], run->document->seed, &run->scratch,
                             &table->hashes[i], &nodes) != BT_OK) {
        return bt_schema_run_out_of_memory(run);
    }
    if (!bt_schema_run_charge(run, nodes)) {
        return BT_SCHEMA_UNDECIDED;
    }
    uint32_t at = (uint32_t)(table->hashes[i] >> 32 ^ table->hashes[i]) & table->mask;
    for (; table->numbers[at] != 0; at = (at + 1) & table->mask) {
        const uint32_t other = table->numbers[at] - 1;
        if (!bt_schema_run_charge(run, 1)) {
            return BT_SCHEMA_UNDECIDED;
        }
        if (table->hashes[other] != table->hashes[i]) {
            continue;
        }
        const enum bt_schema_result answer =
            compare_items(run, &array->as.items[other], &array->as.items[i]);
        if (answer != BT_SCHEMA_VALID) {
            *out = (struct schema_unique_pair){other, i};
            return answer;
        }
    }
    table->numbers[at] = 1 + i;
    return BT_SCHEMA_VALID;
}

static enum bt_schema_result check_table(struct bt_schema_machine *run, const bt_json_value *array,
                                         struct schema_unique_pair *out)
{
    uint32_t size = 4 * FEW;
    while (size / 2 < array->size) {
        size *= 2;
    }
    const struct schema_unique_table table = {
        .hashes = BT_NEW_ARRAY(&run->scratch, uint64_t, array->size),
        .numbers = BT_NEW_ARRAY(&run->scratch, uint32_t, size),
        .mask = size - 1};
    if (!table.hashes || !table.numbers) {
        return bt_schema_run_out_of_memory(run);
    }
    for (uint32_t i = 0; i < array->size; i++) {
        const enum bt_schema_result answer = insert_item(run, &table, array, i, out);
        if (answer != BT_SCHEMA_VALID) {
            return answer;
        }
    }
    return BT_SCHEMA_VALID;
}

enum bt_schema_result bt_schema_leaf_unique(struct bt_schema_machine *run,
                                            const bt_json_value *array, uint32_t *out_first,
                                            uint32_t *out_second)
{
    struct schema_unique_pair pair = {0, 0};
    enum bt_schema_result answer = BT_SCHEMA_VALID;
    if (array->size < 2) {
        return answer;
    }
    if (array->size <= FEW) {
        answer = check_pairs(run, array, &pair);
    } else {
        const struct bt_arena_mark mark = bt_arena_mark(&run->scratch);
        answer = check_table(run, array, &pair);
        bt_arena_rewind(&run->scratch, mark);
    }
    if (answer == BT_SCHEMA_INVALID && out_first && out_second) {
        *out_first = pair.first;
        *out_second = pair.second;
    }
    return answer;
}
