/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bloom_filter.c - four bits of one word for each key.
 *
 * The upper 24 bits of a key select the word, the others four of its bits. With four keys per word
 * one in two hundred others appears to be a member, with one key per word hardly any.
 */
#include "store/bloom_filter.h"

#include <assert.h>

enum {
    MARK_BITS = 48,
    WORD_BITS = 24,
    PICKS = 4,
    PICK_BITS = 6,
    MARKS_PER_WORD = 4,
    WORDS_MIN = 1 << 12,
    WORDS_MAX = 1 << 23, /* 64 MiB, enough for 32 million keys */
};

void bt_bloom_filter_init(struct bt_bloom_filter *filter)
{
    assert(filter);
    *filter = (struct bt_bloom_filter){.words = NULL};
    bt_arena_init(&filter->arena, WORDS_MAX * sizeof(uint64_t) + (1 << 16));
}

void bt_bloom_filter_free(struct bt_bloom_filter *filter)
{
    assert(filter);
    bt_arena_free(&filter->arena);
    filter->words = NULL;
    filter->count = 0;
}

bool bt_bloom_filter_is_narrow(const struct bt_bloom_filter *filter, uint64_t marks)
{
    assert(filter);
    return filter->count < WORDS_MAX && marks / MARKS_PER_WORD >= filter->count;
}

enum bt_status bt_bloom_filter_reserve(struct bt_bloom_filter *filter, uint64_t marks)
{
    assert(filter);
    size_t count = WORDS_MIN;
    while (count < marks && count < WORDS_MAX) {
        count *= 2;
    }
    bt_arena_free(&filter->arena);
    bt_bloom_filter_init(filter);
    filter->words = BT_NEW_ARRAY(&filter->arena, uint64_t, count);
    if (!filter->words) {
        return BT_ENOMEM;
    }
    filter->count = count;
    return BT_OK;
}

static uint64_t bits_of(uint64_t mark)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < PICKS; i++) {
        bits |= UINT64_C(1) << (mark >> (i * PICK_BITS) & ((1 << PICK_BITS) - 1));
    }
    return bits;
}

static size_t word_of(const struct bt_bloom_filter *filter, uint64_t mark)
{
    assert(mark >> MARK_BITS == 0);
    return (size_t)(mark >> WORD_BITS) & (filter->count - 1);
}

void bt_bloom_filter_add(struct bt_bloom_filter *filter, uint64_t mark)
{
    assert(filter);
    assert(filter->words);
    filter->words[word_of(filter, mark)] |= bits_of(mark);
}

bool bt_bloom_filter_may_have(const struct bt_bloom_filter *filter, uint64_t mark)
{
    assert(filter);
    assert(filter->words);
    const uint64_t bits = bits_of(mark);
    return (filter->words[word_of(filter, mark)] & bits) == bits;
}
