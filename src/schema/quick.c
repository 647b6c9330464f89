/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quick.c - quick looks made from blocks.
 */
#include "schema/quick.h"

#include <math.h>

enum { COMPARISONS_MAX = 4, WORDS_MAX = 8, WORD_BYTES = 16 };

bool bt_schema_quick_fits(const struct bt_schema_instr *code, uint32_t length)
{
    uint32_t comparisons = 0;
    bool has_set = false;
    for (uint32_t i = 0; !BT_SCHEMA_IS_SMALL && i < length; i++) {
        if (code[i].op == BT_SCHEMA_OP_RANGE || code[i].op == BT_SCHEMA_OP_LENGTH) {
            comparisons++;
        } else if (code[i].op == BT_SCHEMA_OP_SET && code[i].as.set->count <= WORDS_MAX) {
            comparisons++;
            has_set = true;
        } else if (code[i].op == BT_SCHEMA_OP_TYPE && comparisons > 0) {
            return false; /* the look would pass it by: only types in front of it are asked */
        } else if (code[i].op != BT_SCHEMA_OP_TYPE && code[i].op != BT_SCHEMA_OP_MEMO) {
            return false;
        }
    }
    return comparisons > 0 && comparisons <= COMPARISONS_MAX && (!has_set || comparisons == 1);
}

/* Integers within, and other numbers strictly within, all bounds so far and these. */
static void add_bounds(struct bt_schema_quick *quick, int64_t *high,
                       const struct bt_schema_bounds *bounds)
{
    quick->low = bounds->low > quick->low ? bounds->low : quick->low;
    *high = bounds->high < *high ? bounds->high : *high;
    if (bounds->low_text.len > 0 && bounds->low_real > quick->low_real) {
        quick->low_real = bounds->low_real;
    }
    if (bounds->high_text.len > 0 && bounds->high_real < quick->high_real) {
        quick->high_real = bounds->high_real;
    }
}

/* The short words of a set; no number passes. */
static bool add_words(struct bt_arena *arena, const struct bt_schema_set *set,
                      struct bt_schema_quick *quick)
{
    struct bt_schema_word *words = BT_NEW_ARRAY(arena, struct bt_schema_word, set->count);
    if (!words) {
        return false;
    }
    quick->is_exact = true;
    for (uint32_t i = 0; i < set->count; i++) {
        const bt_json_value *value = &set->values[i];
        quick->types |= (uint16_t)(1U << value->type);
        if (bt_json_type(value) == BT_JSON_STRING && value->size > WORD_BYTES) {
            quick->is_exact = false;
        } else if (bt_json_type(value) == BT_JSON_STRING) {
            struct bt_schema_word *word = &words[quick->words_count++];
            memcpy(word->head, value->as.text, value->size);
            memset(word->beyond + value->size, 0xff, WORD_BYTES - value->size);
            word->size = value->size;
        }
    }
    quick->types &= BT_SCHEMA_TYPE_SET_NULL | BT_SCHEMA_TYPE_SET_BOOLEAN;
    quick->words = words;
    quick->has_words = true;
    quick->has_integers = false;
    quick->high_real = -INFINITY;
    return true;
}

const struct bt_schema_quick *
bt_schema_quick_new(struct bt_arena *arena, const struct bt_schema_instr *code, uint32_t length)
{
    struct bt_schema_quick *quick = BT_NEW(arena, struct bt_schema_quick);
    if (!quick) {
        return NULL;
    }
    *quick = (struct bt_schema_quick){
        .low = INT64_MIN, .low_real = -INFINITY, .high_real = INFINITY, .has_integers = true};
    int64_t high = INT64_MAX;
    uint64_t size_high = UINT32_MAX;
    for (uint32_t i = 0; i < length; i++) {
        const struct bt_schema_instr *instr = &code[i];
        if (instr->op == BT_SCHEMA_OP_RANGE) {
            add_bounds(quick, &high, instr->as.bounds);
        } else if (instr->op == BT_SCHEMA_OP_LENGTH) {
            quick->size_low = instr->number > quick->size_low ? instr->number : quick->size_low;
            size_high = instr->as.limit < size_high ? instr->as.limit : size_high;
        } else if (instr->op == BT_SCHEMA_OP_SET && !add_words(arena, instr->as.set, quick)) {
            return NULL;
        }
    }
    quick->has_integers = quick->has_integers && quick->low <= high;
    quick->span = (uint64_t)high - (uint64_t)quick->low;
    if (quick->size_low > size_high) {
        quick->size_low = UINT32_MAX; /* no string is so long */
        size_high = UINT32_MAX;
    }
    quick->size_span = (uint32_t)size_high - quick->size_low;
    return quick;
}
