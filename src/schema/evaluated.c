/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluated.c - which children of a value have been evaluated: a bit each.
 *
 *     words:  [begin of the set before][bits ...][begin of the set before][bits ...]
 *                                                                          ^ begin   ^ top
 */
#include <assert.h>
#include <string.h>

#include "schema/machine.h"

enum { WORDS_FIRST = 64 };

static bool grow_words(struct bt_schema_machine *run, size_t need)
{
    struct bt_schema_evaluated *marks = &run->marks;
    if (need <= marks->capacity) {
        return true;
    }
    size_t capacity = marks->capacity > 0 ? marks->capacity : WORDS_FIRST;
    while (capacity < need) {
        capacity *= 2;
    }
    uint64_t *words = BT_NEW_ARRAY(&run->arena, uint64_t, capacity);
    if (!words) {
        (void)bt_schema_run_out_of_memory(run);
        return false;
    }
    if (marks->top > 0) {
        memcpy(words, marks->words, marks->top * sizeof(*words));
    }
    marks->words = words;
    marks->capacity = capacity;
    return true;
}

bool bt_schema_evaluated_push(struct bt_schema_machine *run, const bt_json_value *value)
{
    struct bt_schema_evaluated *marks = &run->marks;
    const size_t words = bt_json_count(value) / 64 + 1;
    if (!bt_schema_run_charge(run, words) || !grow_words(run, marks->top + 1 + words)) {
        return false;
    }
    marks->words[marks->top] = marks->begin;
    marks->begin = marks->top + 1;
    marks->top = marks->begin + words;
    memset(marks->words + marks->begin, 0, words * sizeof(*marks->words));
    return true;
}

void bt_schema_evaluated_pop(struct bt_schema_machine *run, bool keep)
{
    struct bt_schema_evaluated *marks = &run->marks;
    assert(marks->begin > 0);
    const size_t begin = marks->begin;
    const size_t words = marks->top - begin;
    marks->top = begin - 1;
    marks->begin = marks->words[begin - 1];
    if (keep) {
        assert(marks->top - marks->begin == words);
        for (size_t i = 0; i < words; i++) {
            marks->words[marks->begin + i] |= marks->words[begin + i];
        }
    }
}

void bt_schema_evaluated_set(struct bt_schema_machine *run, uint32_t index)
{
    run->marks.words[run->marks.begin + index / 64] |= UINT64_C(1) << index % 64;
}

void bt_schema_evaluated_set_first(struct bt_schema_machine *run, uint32_t count)
{
    uint64_t *words = run->marks.words + run->marks.begin;
    memset(words, 0xff, count / 64 * sizeof(*words));
    if (count % 64 != 0) {
        words[count / 64] |= ~UINT64_C(0) >> (64 - count % 64);
    }
}

bool bt_schema_evaluated_has(const struct bt_schema_machine *run, uint32_t index)
{
    return (run->marks.words[run->marks.begin + index / 64] >> index % 64 & 1) != 0;
}
