/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - texts cut into pieces, pieces counted: tokens by one probe, others by joining.
 *
 * Nine pieces of ten are a token each. The counts of the others are kept in a small memory that
 * forgets by overwriting, since a text and its sections are counted in a row.
 */
#include <baton/tokens.h>

#include <assert.h>

#include "token/merge.h"
#include "token/split.h"
#include "token/table.h"

enum {
    MEMO_BITS = 12,
    MEMO_WORD_BYTES = BT_WORD_BYTES - 1, /* the byte behind them holds the count */
    COUNT_SHIFT = 56,
    TOKEN_BYTES_MAX = 128, /* in either encoding */
    WORK_KEPT_MAX = 1 << 20,
};

#define ARENA_BYTES_MAX ((size_t)2 << 20)
#define WORK_BYTES_MAX (SIZE_MAX / 2)

struct bt_tokens_memory {
    struct bt_token_word memo[(size_t)1 << MEMO_BITS];
    struct bt_token_queue *queue; /* made by the first long piece */
};

struct coding {
    const struct bt_token_table *table;
    bt_token_split_fn *split;
};

static const struct coding codings[] = {
    [BT_O200K_BASE] = {&bt_token_o200k_base, bt_token_split_o200k},
    [BT_CL100K_BASE] = {&bt_token_cl100k_base, bt_token_split_cl100k},
};

/* A count on its way. */
struct tally {
    struct bt_tokens *counter;
    struct coding coding;
    uint64_t limit; /* above which nobody wants to know more */
    uint64_t count;
};

void bt_tokens_init(struct bt_tokens *counter, enum bt_encoding encoding)
{
    assert(counter);
    assert(encoding < BT_ENCODING__MAX);
    *counter = (struct bt_tokens){.encoding = encoding};
    bt_arena_init(&counter->arena, ARENA_BYTES_MAX);
    bt_arena_init(&counter->work, WORK_BYTES_MAX);
}

void bt_tokens_free(struct bt_tokens *counter)
{
    assert(counter);
    counter->memory = NULL;
    bt_arena_free(&counter->arena);
    bt_arena_free(&counter->work);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static enum bt_status count_long(struct tally *tally, bt_str piece)
{
    struct bt_tokens *counter = tally->counter;
    struct bt_tokens_memory *memory = counter->memory;
    if (!memory->queue) {
        memory->queue = bt_token_queue_new(&counter->arena, tally->coding.table);
    }
    if (!memory->queue) {
        return BT_ENOMEM;
    }
    uint64_t count = 0;
    BT_TRY(bt_token_merge_long(memory->queue, &counter->work, piece, &count));
    tally->count += count;
    return BT_OK;
}

/* A piece that fits into a word and whose last byte is not zero. */
static uint32_t count_word(struct tally *tally, const uint8_t *at, struct bt_token_word word,
                           size_t length)
{
    const struct bt_token_table *table = tally->coding.table;
    const uint64_t hash = bt_token_word_hash(word);
    if (bt_token_has(table, word, hash, length)) {
        return 1;
    }
    if (length > MEMO_WORD_BYTES) {
        return bt_token_merge_short(table, at, length);
    }
    struct bt_token_word *kept = &tally->counter->memory->memo[hash >> (64 - MEMO_BITS)];
    if (kept->low == word.low && kept->high << 8 == word.high << 8) {
        return (uint32_t)(kept->high >> COUNT_SHIFT);
    }
    const uint32_t count = bt_token_merge_short(table, at, length);
    *kept = (struct bt_token_word){word.low, word.high | (uint64_t)count << COUNT_SHIFT};
    return count;
}

static enum bt_status count_piece(struct tally *tally, const uint8_t *at, const uint8_t *to,
                                  const uint8_t *end)
{
    const size_t length = (size_t)(to - at);
    if (length > BT_MERGE_SHORT_BYTES) {
        return count_long(tally, (bt_str){(const char *)at, length});
    }
    if (length > BT_WORD_BYTES || to[-1] == 0) {
        tally->count += bt_token_merge_short(tally->coding.table, at, length);
        return BT_OK;
    }
    if ((size_t)(end - at) >= BT_WORD_BYTES) {
        tally->count += count_word(tally, at, bt_token_word(at, length), length);
    } else {
        uint8_t padded[BT_WORD_BYTES] = {0};
        memcpy(padded, at, length);
        tally->count += count_word(tally, at, bt_token_word(padded, length), length);
    }
    return BT_OK;
}

static enum bt_status count_pieces(struct tally *tally, bt_str text)
{
    const uint8_t *at = (const uint8_t *)text.ptr;
    const uint8_t *end = at + text.len;
    while (at < end && tally->count <= tally->limit) {
        const uint8_t *to = tally->coding.split(at, end);
        BT_TRY(count_piece(tally, at, to, end));
        at = to;
    }
    return BT_OK;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The offset of the next surrogate at or after `from`, or text.len. */
static size_t find_surrogate(bt_str text, size_t from)
{
    for (size_t at = bt_str_find(text, '\xed', from); at + 2 < text.len;
         at = bt_str_find(text, '\xed', at + 1)) {
        if ((uint8_t)text.ptr[at + 1] >= 0xa0) {
            return at;
        }
    }
    return text.len;
}

/* The text with U+FFFD in the place of surrogates, which are three bytes too. */
static enum bt_status replace_surrogates(struct bt_arena *arena, bt_str *text)
{
    size_t at = find_surrogate(*text, 0);
    if (at == text->len) {
        return BT_OK;
    }
    char *copy = bt_arena_alloc(arena, text->len);
    if (!copy) {
        return BT_ENOMEM;
    }
    memcpy(copy, text->ptr, text->len);
    for (; at < text->len; at = find_surrogate(*text, at + 3)) {
        memcpy(copy + at, "\xef\xbf\xbd", 3);
    }
    text->ptr = copy;
    return BT_OK;
}

static enum bt_status count_text(struct tally *tally, bt_str text)
{
    struct bt_tokens *counter = tally->counter;
    tally->coding = codings[counter->encoding];
    if (!counter->memory) {
        counter->memory = BT_NEW(&counter->arena, struct bt_tokens_memory);
    }
    if (!counter->memory) {
        return BT_ENOMEM;
    }
    enum bt_status status = replace_surrogates(&counter->work, &text);
    if (status == BT_OK) {
        status = count_pieces(tally, text);
    }
    if (counter->work.taken > WORK_KEPT_MAX) {
        bt_arena_free(&counter->work);
    } else {
        bt_arena_reset(&counter->work);
    }
    return status;
}

enum bt_status bt_tokens_count(struct bt_tokens *counter, bt_str text, uint64_t *out_count)
{
    assert(counter);
    assert(out_count);
    if (counter->encoding == BT_CHARS4) {
        *out_count = bt_tokens_estimate(text);
        return BT_OK;
    }
    struct tally tally = {.counter = counter, .limit = UINT64_MAX};
    BT_TRY(count_text(&tally, text));
    *out_count = tally.count;
    return BT_OK;
}

/* Whether there are more pieces than `budget`, which needs no table. */
static bool has_more_pieces(const struct bt_tokens *counter, bt_str text, uint64_t budget)
{
    bt_token_split_fn *split = codings[counter->encoding].split;
    const uint8_t *at = (const uint8_t *)text.ptr;
    const uint8_t *end = at + text.len;
    uint64_t pieces = 0;
    while (at < end && pieces <= budget) {
        at = split(at, end);
        pieces++;
    }
    return pieces > budget;
}

enum bt_status bt_tokens_within(struct bt_tokens *counter, bt_str text, uint64_t budget,
                                bool *out_within)
{
    assert(counter);
    assert(out_within);
    if (counter->encoding == BT_CHARS4) {
        *out_within = bt_tokens_estimate(text) <= budget;
        return BT_OK;
    }
    if (text.len <= budget) {
        *out_within = true;
        return BT_OK;
    }
    /* Where the estimate is above the budget, a look at the pieces alone is worth it. */
    const bool is_hopeless = (text.len - 1) / TOKEN_BYTES_MAX >= budget;
    const bool is_doubtful = bt_tokens_estimate(text) > budget;
    if (is_hopeless || (is_doubtful && has_more_pieces(counter, text, budget))) {
        *out_within = false;
        return BT_OK;
    }
    struct tally tally = {.counter = counter, .limit = budget};
    BT_TRY(count_text(&tally, text));
    *out_within = tally.count <= budget;
    return BT_OK;
}
