/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.c - the values of const and enum.
 *
 * Few values are compared one by one. Many are found by their hash, which takes the schema's seed:
 * who does not know it cannot choose values that collide.
 */
#include "schema/set.h"

#include <assert.h>

#include "json/equal.h"
#include "json/text_hash.h"
#include "schema/value_hash.h"

enum { FEW = 6 };

/* The hash of a string in a table. Most are short: two words that overlap hold all of them. */
static uint64_t text_hash(uint64_t seed, bt_str text)
{
    const char *begin = text.ptr;
    const char *end = text.ptr + text.len;
    if (text.len > 16) {
        return bt_json_hash_text(seed, text);
    }
    if (text.len >= 8) {
        return bt_json_hash_combine(bt_name_word(begin) ^ seed, bt_name_word(end - 8) + text.len);
    }
    if (text.len >= 4) {
        return bt_json_hash_combine(bt_name_half(begin) ^ seed,
                                    (uint64_t)bt_name_half(end - 4) << 32 | text.len);
    }
    uint64_t few = text.len;
    for (size_t i = 0; i < text.len; i++) {
        few = few << 8 | (unsigned char)begin[i];
    }
    return bt_json_hash_combine(seed, few);
}

/* ... of any value. */
static enum bt_status hash_of(struct bt_arena *arena, const struct bt_schema_set *set,
                              const bt_json_value *value, uint64_t *out)
{
    if (bt_json_type(value) == BT_JSON_STRING) {
        *out = text_hash(set->document->seed[0], bt_json_text(value));
        return BT_OK;
    }
    uint64_t nodes = 0;
    return bt_schema_value_hash(set->document, value, set->document->seed, arena, out, &nodes);
}

static enum bt_status make_table(struct bt_arena *arena, struct bt_schema_set *set)
{
    uint32_t size = 16;
    while (size < 2 * set->count) {
        size *= 2;
    }
    uint64_t *hashes = BT_NEW_ARRAY(arena, uint64_t, set->count);
    uint32_t *table = BT_NEW_ARRAY(arena, uint32_t, size);
    if (!hashes || !table) {
        return BT_ENOMEM;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        BT_TRY(hash_of(arena, set, &set->values[i], &hashes[i]));
        uint32_t at = (uint32_t)hashes[i] & (size - 1);
        while (table[at] != 0) {
            at = (at + 1) & (size - 1);
        }
        table[at] = 1 + i;
    }
    set->mask = size - 1;
    set->table = table;
    set->hashes = hashes;
    return BT_OK;
}

enum bt_status bt_schema_set_make(struct bt_arena *arena, const struct bt_json_doc *document,
                                  const bt_json_value *values, uint32_t count,
                                  const struct bt_schema_set **out)
{
    struct bt_schema_set *set = BT_NEW(arena, struct bt_schema_set);
    if (!set) {
        return BT_ENOMEM;
    }
    *set = (struct bt_schema_set){.document = document, .values = values, .count = count};
    if (count > FEW) {
        BT_TRY(make_table(arena, set));
    }
    *out = set;
    return BT_OK;
}

uint16_t bt_schema_set_types(const struct bt_schema_set *set)
{
    unsigned types = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const unsigned type = 1U << set->values[i].type;
        types |= (type & BT_SCHEMA_TYPE_SET_NUMBER) != 0 ? BT_SCHEMA_TYPE_SET_NUMBER : type;
    }
    return (uint16_t)types;
}

uint32_t bt_schema_set_find_hashed(const struct bt_schema_set *set, bt_str text)
{
    const uint64_t hash = text_hash(set->document->seed[0], text);
    for (uint32_t at = (uint32_t)hash & set->mask; set->table[at] != 0; at = (at + 1) & set->mask) {
        const uint32_t i = set->table[at] - 1;
        const bt_json_value *value = &set->values[i];
        if (set->hashes[i] == hash && bt_json_type(value) == BT_JSON_STRING &&
            value->size == text.len && bt_name_equal(value->as.text, text.ptr, text.len)) {
            return i;
        }
    }
    return BT_NOT_IN_SET;
}

uint32_t bt_schema_set_find_scalar(const struct bt_schema_set *set,
                                   const struct bt_json_doc *document, const bt_json_value *value)
{
    if (bt_json_type(value) == BT_JSON_STRING) {
        return bt_schema_set_find_text(set, bt_json_text(value));
    }
    const bt_ref mine = {document, value};
    if (set->mask == 0) {
        for (uint32_t i = 0; i < set->count; i++) {
            if (bt_json_compare_shallow(mine, (bt_ref){set->document, &set->values[i]}) ==
                BT_ALIKE) {
                return i;
            }
        }
        return BT_NOT_IN_SET;
    }
    const uint64_t hash = bt_schema_scalar_hash(document, value, set->document->seed[0]);
    for (uint32_t at = (uint32_t)hash & set->mask; set->table[at] != 0; at = (at + 1) & set->mask) {
        const uint32_t i = set->table[at] - 1;
        if (set->hashes[i] == hash &&
            bt_json_compare_shallow(mine, (bt_ref){set->document, &set->values[i]}) == BT_ALIKE) {
            return i;
        }
    }
    return BT_NOT_IN_SET;
}

/* Whether value and member i are equal. */
static enum bt_schema_result compare_member(struct bt_schema_machine *run,
                                            const struct bt_schema_set *set, uint32_t i,
                                            const bt_json_value *value)
{
    const bt_ref mine = {run->document, value};
    const bt_ref other = {set->document, &set->values[i]};
    const enum bt_json_similarity likeness = bt_json_compare_shallow(mine, other);
    if (likeness != BT_JSON_SIMILARITY_OPEN) {
        return likeness == BT_ALIKE ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
    }
    const struct bt_json_span span = bt_json_span(run->document, value);
    if (!bt_schema_run_charge(run, (span.end - span.begin) / 8)) {
        return BT_SCHEMA_UNDECIDED;
    }
    bool equal = false;
    if (bt_ref_equal(mine, other, &run->scratch, &equal) != BT_OK) {
        return bt_schema_run_out_of_memory(run);
    }
    return equal ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

static enum bt_schema_result find_few(struct bt_schema_machine *run,
                                      const struct bt_schema_set *set, const bt_json_value *value,
                                      uint32_t *out_index)
{
    *out_index = BT_NOT_IN_SET;
    for (uint32_t i = 0; i < set->count; i++) {
        const enum bt_schema_result answer = compare_member(run, set, i, value);
        if (answer != BT_SCHEMA_INVALID) {
            *out_index = i;
            return answer;
        }
    }
    return BT_SCHEMA_INVALID;
}

static enum bt_schema_result find_hashed(struct bt_schema_machine *run,
                                         const struct bt_schema_set *set,
                                         const bt_json_value *value, uint32_t *out_index)
{
    *out_index = BT_NOT_IN_SET;
    uint64_t hash = 0;
    uint64_t nodes = 0;
    if (bt_schema_value_hash(run->document, value, set->document->seed, &run->scratch, &hash,
                             &nodes) != BT_OK) {
        return bt_schema_run_out_of_memory(run);
    }
    if (!bt_schema_run_charge(run, nodes)) {
        return BT_SCHEMA_UNDECIDED;
    }
    for (uint32_t at = (uint32_t)hash & set->mask; set->table[at] != 0; at = (at + 1) & set->mask) {
        const uint32_t i = set->table[at] - 1;
        if (set->hashes[i] != hash) {
            continue;
        }
        const enum bt_schema_result answer = compare_member(run, set, i, value);
        if (answer != BT_SCHEMA_INVALID) {
            *out_index = i;
            return answer;
        }
    }
    return BT_SCHEMA_INVALID;
}

enum bt_schema_result bt_schema_set_find(struct bt_schema_machine *run,
                                         const struct bt_schema_set *set,
                                         const bt_json_value *value, uint32_t *out_index)
{
    if (bt_json_type(value) == BT_JSON_STRING) {
        *out_index = bt_schema_set_find_text(set, bt_json_text(value));
        return *out_index == BT_NOT_IN_SET ? BT_SCHEMA_INVALID : BT_SCHEMA_VALID;
    }
    return set->mask == 0 ? find_few(run, set, value, out_index)
                          : find_hashed(run, set, value, out_index);
}
