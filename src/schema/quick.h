/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quick.h - a quick look at a number or a string, in front of a block of bounds, lengths and words.
 *
 * A value that passes the look passes the block. One that does not is left to the block unless the
 * look knows all that the block asks of such a value.
 */
#ifndef BATON_SRC_SCHEMA_QUICK_H
#define BATON_SRC_SCHEMA_QUICK_H

#include "schema/names.h"
#include "schema/run.h"

/* Whether the block of `length` instructions is one that a quick look can stand for. */
bool bt_schema_quick_fits(const struct bt_schema_instr *code, uint32_t length);
/* The quick look for such a block; NULL: no memory. */
const struct bt_schema_quick *
bt_schema_quick_new(struct bt_arena *arena, const struct bt_schema_instr *code, uint32_t length);

/* Whether a value is a string that stands in the source without escapes, and of which 16 bytes can
 * be read. */
static inline bool bt_schema_quick_reaches(const struct bt_schema_machine *run,
                                           const bt_json_value *value)
{
    return value->type == BT_JSON_STRING &&
           (uintptr_t)value->as.text - run->source < run->source_reach;
}

static inline bool bt_schema_quick_text_passes(const struct bt_schema_machine *run,
                                               const struct bt_schema_quick *quick,
                                               const bt_json_value *value)
{
    if (!quick->has_words) {
        return (value->flags & BT_JSON_FLAG_NON_ASCII) == 0 &&
               value->size - quick->size_low <= quick->size_span;
    }
    if (!bt_schema_quick_reaches(run, value)) {
        return false;
    }
    for (uint32_t i = 0; i < quick->words_count; i++) {
        const struct bt_schema_word *word = &quick->words[i];
        if (word->size == value->size &&
            !bt_schema_heads_differ(word->head, word->beyond, value->as.text)) {
            return true;
        }
    }
    return false;
}

/* Whether a value of a type that the block accepts passes at once. */
static inline bool bt_schema_quick_passes(const struct bt_schema_machine *run,
                                          const struct bt_schema_quick *quick,
                                          const bt_json_value *value)
{
    if (value->type == BT_JSON_STRING) {
        return bt_schema_quick_text_passes(run, quick, value);
    }
    if (value->type == BT_JSON_INTEGER) {
        return quick->has_integers &&
               (uint64_t)value->as.integer - (uint64_t)quick->low <= quick->span;
    }
    /* Rounding keeps the order, so a double within doubles is a number within numbers. */
    if (value->type == BT_JSON_NUMBER) {
        return value->as.real > quick->low_real && value->as.real < quick->high_real;
    }
    return (quick->types >> value->type & 1) != 0;
}

/* Whether a value that does not pass certainly does not pass the block either. */
static inline bool bt_schema_quick_decides(const struct bt_schema_machine *run,
                                           const struct bt_schema_quick *quick,
                                           const bt_json_value *value)
{
    if (quick->has_words) {
        return quick->is_exact && bt_schema_quick_reaches(run, value);
    }
    return value->type == BT_JSON_INTEGER ||
           (value->type == BT_JSON_STRING && (value->flags & BT_JSON_FLAG_NON_ASCII) == 0);
}

#endif
