/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - texts cut into pieces, pieces counted: tokens by one probe, others by joining.
 *
 * Texts repeat themselves and each other, so the counts of short pieces are kept in a memory that
 * forgets by overwriting: it is small enough to stay near the processor, as the tables are not.
 */
#include <baton/tokens.h>

#include <assert.h>

#include "base/plain.h"
#include "base/uninitialized.h"
#include "token/ascii_split.h"
#include "token/memo.h"
#include "token/merge.h"
#include "token/split.h"
#include "token/table.h"
#include "token/tokens.h"

enum {
    BATCH = 128,
    WORK_KEPT_MAX = 1 << 20,
};

static_assert((int)BATCH <= (int)BT_MERGE_MAX, "a batch can be joined in one call");
static_assert((int)BT_PLAIN_BYTES == (int)BT_BLOCK_BYTES, "what is looked at is one block");

#define ARENA_BYTES_MAX ((size_t)2 << 20)
#define WORK_BYTES_MAX (SIZE_MAX / 2)

/* Pieces that are looked up together, so that the tables are waited for once. */
struct token_count_batch {
    size_t count;                      /* of them */
    struct bt_token_piece rest[BATCH]; /* pieces that are not counted yet */
    struct bt_token_word words[BATCH]; /* what each would be among the tokens, */
    const uint64_t *slots[BATCH];      /* and where */
    bool is_memo[BATCH];               /* its count is to be remembered */
};

/* What an encoding is counted with on this processor. */
struct token_count_coding {
    const struct bt_token_table *table;
    bt_token_split_fn *split;
    bt_token_count_known_fn *count_known;
    bt_token_count_memos_fn *count_memos;
};

struct bt_tokens_cache {
    struct token_count_coding coding;
    struct bt_token_word memo[BT_MEMO_COUNT];
    struct token_count_batch batch;
    struct bt_token_lanes lanes;
    struct bt_token_queue *queue; /* made by the first long piece */
};

static struct token_count_coding coding_of(const struct bt_tokens *counter)
{
    const struct bt_token_splitter *splitter = bt_token_splitter_best();
    const bool is_o200k = counter->encoding == BT_ENCODING_O200K_BASE;
    assert(counter->table);
    return (struct token_count_coding){
        counter->table, is_o200k ? splitter->o200k : splitter->cl100k,
        is_o200k ? splitter->o200k_known : splitter->cl100k_known, splitter->count_memos};
}

/* A count on its way. */
struct token_count_tally {
    struct bt_tokens *counter;
    struct token_count_coding coding;
    const uint8_t *end; /* of the text */
    uint64_t limit;     /* above which counting stops */
    uint64_t count;
};

void bt_tokens_init(struct bt_tokens *counter, enum bt_encoding encoding)
{
    assert(counter);
    assert(encoding < BT_ENCODING__MAX);
    *counter = (struct bt_tokens){.encoding = encoding, .table = bt_token_table_builtin(encoding)};
    bt_arena_init(&counter->arena, ARENA_BYTES_MAX);
    bt_arena_init(&counter->work, WORK_BYTES_MAX);
}

void bt_tokens_free(struct bt_tokens *counter)
{
    assert(counter);
    counter->cache = NULL;
    bt_arena_free(&counter->arena);
    bt_arena_free(&counter->work);
}

enum bt_status bt_tokens_create(enum bt_encoding encoding, struct bt_tokens **out)
{
    assert(out);
    if ((unsigned)encoding >= BT_ENCODING__MAX) {
        return BT_EINVAL;
    }
    struct bt_tokens *counter = bt_handle_create(sizeof(*counter));
    if (!counter) {
        return BT_ENOMEM;
    }
    bt_tokens_init(counter, encoding);
    *out = counter;
    return BT_OK;
}

void bt_tokens_destroy(struct bt_tokens *counter)
{
    if (counter) {
        bt_tokens_free(counter);
        bt_handle_destroy(counter);
    }
}

static enum bt_status merge_long(struct token_count_tally *tally, bt_str piece)
{
    struct bt_tokens *counter = tally->counter;
    struct bt_tokens_cache *memory = counter->cache;
    if (!memory->queue) {
        memory->queue = bt_token_queue_new(&counter->arena, tally->coding.table);
    }
    if (!memory->queue) {
        return BT_ENOMEM;
    }
    uint64_t count = 0;
    BT_TRY(bt_token_shorten(tally->coding.table, &counter->work, &piece, &tally->count));
    BT_TRY(bt_token_merge_long(memory->queue, &counter->work, piece, &count));
    tally->count += count;
    return BT_OK;
}

/* Fewer than 16 bytes can be read from the last pieces of a text. */
static inline struct bt_token_word word_at(const uint8_t *at, size_t length, const uint8_t *end)
{
    if ((size_t)(end - at) >= BT_WORD_BYTES) {
        return bt_token_word(at, length);
    }
    uint8_t padded[BT_WORD_BYTES] = {0};
    memcpy(padded, at, length);
    return bt_token_word(padded, length);
}

/* Add a piece to the batch, and begin to look where it would be, if it is a token. */
static void put_off(struct token_count_tally *tally, const uint8_t *bytes, size_t length)
{
    static const uint64_t nowhere[2]; /* which no word is equal to */
    struct bt_tokens_cache *memory = tally->counter->cache;
    struct token_count_batch *batch = &memory->batch;
    const size_t place = batch->count++;
    batch->rest[place] = (struct bt_token_piece){bytes, (uint32_t)length, 0};
    batch->is_memo[place] = false;
    if (length > BT_WORD_BYTES || bytes[length - 1] == 0) {
        batch->words[place] = (struct bt_token_word){~(uint64_t)0, ~(uint64_t)0};
        batch->slots[place] = nowhere;
        return;
    }
    const struct bt_token_word word = word_at(bytes, length, tally->end);
    const uint64_t hash = bt_token_word_hash(word);
    batch->is_memo[place] = length <= BT_MEMO_BYTES_MAX;
    batch->words[place] = word;
    batch->slots[place] = bt_token_find(tally->coding.table, hash, length);
    __builtin_prefetch(batch->slots[place]);
}

/* Put off the pieces of a block that are not remembered. */
static void put_off_missed(struct token_count_tally *tally, const struct bt_token_block *block)
{
    for (uint64_t missed = block->missed; missed; missed &= missed - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(missed);
        put_off(tally, block->from + at, (size_t)__builtin_ctzll(block->bounds >> at >> 1) + 1);
    }
}

/*
 * Those of `long_chars`, characters in up to 64 bytes of a text, that no token crosses. Texts
 * without blanks are cut there, because parts are short and often remembered. The first two bytes
 * and the last two are not looked at.
 */
static inline uint64_t find_seams(const struct token_count_tally *tally, const uint8_t *from,
                                  size_t length, uint64_t long_chars)
{
    uint64_t seams = 0;
    long_chars &= length > 2 ? ((UINT64_C(1) << (length - 2)) - 1) & ~UINT64_C(3) : 0;
    for (; long_chars; long_chars &= long_chars - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(long_chars);
        const uint64_t is_seam = !bt_token_may_cross(tally->coding.table, from + at);
        seams |= is_seam << at;
    }
    return seams;
}

/* The bytes from `from` to the end of the text, with zeros behind them. */
static void copy_end(const struct token_count_tally *tally, const uint8_t *from,
                     uint8_t out[BT_READ_BYTES])
{
    memset(out, 0, BT_READ_BYTES);
    memcpy(out, from, (size_t)(tally->end - from));
}

/* The seams in the next 64 bytes of a piece of which `left` are left. */
static uint64_t find_next_seams(const struct token_count_tally *tally, const uint8_t *from,
                                size_t left)
{
    BT_UNCLEARED uint8_t copy[BT_READ_BYTES];
    if (tally->end - from >= BT_BLOCK_BYTES) {
        return find_seams(tally, from, left < BT_BLOCK_BYTES ? left : BT_BLOCK_BYTES,
                          bt_token_find_long_chars(from));
    }
    copy_end(tally, from, copy);
    return find_seams(tally, from, left, bt_token_find_long_chars(copy));
}

/* Count the pieces that are easy or remembered; the others are put off. */
static inline void count_bytes(struct token_count_tally *tally, struct bt_token_block *block,
                               const uint8_t *bytes)
{
    const uint64_t starts = block->bounds ^ UINT64_C(1) << (block->end - block->from);
    const uint64_t count = tally->coding.count_memos(bytes, starts & ~block->easy, block->bounds,
                                                     tally->counter->cache->memo, &block->missed);
    tally->count += block->easy_count + count;
    put_off_missed(tally, block);
}

static __attribute__((noinline)) void count_near_end(struct token_count_tally *tally,
                                                     struct bt_token_block *block)
{
    BT_UNCLEARED uint8_t copy[BT_READ_BYTES];
    copy_end(tally, block->from, copy);
    count_bytes(tally, block, copy);
}

static void count_block(struct token_count_tally *tally, struct bt_token_block *block)
{
    if (tally->end - block->from >= BT_READ_BYTES) {
        count_bytes(tally, block, block->from);
    } else {
        count_near_end(tally, block);
    }
}

/* Count those of the batch that are tokens. Returns how many are left. */
static size_t count_tokens(struct token_count_tally *tally, struct token_count_batch *batch)
{
    struct bt_token_word *memos = tally->counter->cache->memo;
    size_t left = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (bt_token_is_at(batch->slots[i], batch->words[i])) {
            if (batch->is_memo[i]) {
                bt_token_memo_save(memos, batch->words[i], 1);
            }
            continue;
        }
        batch->rest[left] = batch->rest[i];
        batch->words[left] = batch->words[i];
        batch->is_memo[left++] = batch->is_memo[i];
    }
    tally->count += batch->count - left;
    return left;
}

/* Count the pieces of the batch, which is empty then. */
static void count_batch(struct token_count_tally *tally, struct token_count_batch *batch)
{
    struct bt_tokens_cache *memory = tally->counter->cache;
    const size_t count = count_tokens(tally, batch);
    const size_t at_once = BT_PLAIN_TOKEN_LANES ? 1 : count;
    for (size_t i = 0; i < count; i += at_once) {
        bt_token_merge_short(tally->coding.table, &memory->lanes, &batch->rest[i], at_once);
    }
    for (size_t i = 0; i < count; i++) {
        tally->count += batch->rest[i].count;
        if (batch->is_memo[i]) {
            bt_token_memo_save(memory->memo, batch->words[i], batch->rest[i].count);
        }
    }
    batch->count = 0;
}

/* Make room for the pieces of a block. */
static void keep_room(struct token_count_tally *tally)
{
    struct token_count_batch *batch = &tally->counter->cache->batch;
    if (batch->count > BATCH - BT_BLOCK_BYTES) {
        count_batch(tally, batch);
    }
}

/* The length of the first part of a piece, up to a seam. */
static size_t find_seam(const struct token_count_tally *tally, const uint8_t *from, size_t left)
{
    enum { STEP = BT_BLOCK_BYTES - 4 };
    for (size_t at = 0; at < left; at += STEP) {
        const uint64_t seams = find_next_seams(tally, from + at, left - at);
        if (seams) {
            return at + (size_t)__builtin_ctzll(seams);
        }
    }
    return left;
}

/* Count a piece that is too long for a block: as blocks, where it can be cut. */
static enum bt_status count_long_piece(struct token_count_tally *tally, const uint8_t *from,
                                       const uint8_t *end)
{
    while (from < end) {
        const size_t left = (size_t)(end - from);
        const uint64_t rest = left < BT_BLOCK_BYTES ? UINT64_C(1) << left : 0;
        const uint64_t bounds = find_next_seams(tally, from, left) | rest;
        const size_t size =
            bounds ? 63 - (size_t)__builtin_clzll(bounds) : find_seam(tally, from, left);
        if (bounds) {
            count_block(tally, &(struct bt_token_block){
                                   .from = from, .end = from + size, .bounds = bounds | 1});
        } else if (size > BT_LANE_BYTES) {
            BT_TRY(merge_long(tally, (bt_str){(const char *)from, size}));
        } else {
            put_off(tally, from, size);
        }
        keep_room(tally);
        from += size;
    }
    return BT_OK;
}

static enum bt_status count_pieces(struct token_count_tally *tally, bt_str text)
{
    struct token_count_batch *batch = &tally->counter->cache->batch;
    const uint8_t *at = (const uint8_t *)text.ptr;
    struct bt_token_block block;
    enum bt_status status = BT_OK;
    tally->end = at + text.len;
    while (status == BT_OK && at < tally->end && tally->count <= tally->limit) {
        tally->count += tally->coding.count_known(at, tally->end, tally->counter->cache->memo,
                                                  tally->limit - tally->count, &block);
        if (block.missed) {
            put_off_missed(tally, &block);
        } else if (block.end > block.from) {
            if (block.long_chars) {
                block.bounds |= find_seams(tally, block.from, (size_t)(block.end - block.from),
                                           block.long_chars);
            }
            count_block(tally, &block);
        }
        keep_room(tally);
        if (block.next > block.end) {
            status = count_long_piece(tally, block.end, block.next);
        }
        at = block.next;
    }
    if (batch->count > 0) {
        count_batch(tally, batch);
    }
    return status;
}

/* The offset of the next surrogate at or after `from`, or text.len. */
static size_t find_surrogate(bt_str text, size_t from)
{
    for (size_t at = bt_str_find_byte(text, '\xed', from); at + 2 < text.len;
         at = bt_str_find_byte(text, '\xed', at + 1)) {
        if ((uint8_t)text.ptr[at + 1] >= 0xa0) {
            return at;
        }
    }
    return text.len;
}

/* The text with U+FFFD in the place of surrogates, which are three bytes too. */
static enum bt_status replace_surrogates(struct bt_arena *arena, bt_str *text)
{
    static const uint8_t replacement[3] = {0xef, 0xbf, 0xbd};
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
        memcpy(copy + at, replacement, sizeof(replacement));
    }
    text->ptr = copy;
    return BT_OK;
}

static enum bt_status count_text(struct token_count_tally *tally, bt_str text)
{
    struct bt_tokens *counter = tally->counter;
    if (text.len == 0) {
        return BT_OK;
    }
    if (!counter->cache) {
        counter->cache = BT_NEW(&counter->arena, struct bt_tokens_cache);
        if (!counter->cache) {
            return BT_ENOMEM;
        }
        bt_token_lanes_init(&counter->cache->lanes);
        counter->cache->coding = coding_of(counter);
    }
    tally->coding = counter->cache->coding;
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
    if (counter->encoding == BT_ENCODING_CHARS4) {
        *out_count = bt_tokens_estimate(text);
        return BT_OK;
    }
    if (!counter->table) {
        return BT_ENOENT;
    }
    struct token_count_tally tally = {.counter = counter, .limit = UINT64_MAX};
    BT_TRY(count_text(&tally, text));
    *out_count = tally.count;
    return BT_OK;
}

/* Whether there are more pieces than `budget`, which needs no table. */
static bool has_more_pieces(const struct bt_tokens *counter, bt_str text, uint64_t budget)
{
    bt_token_split_fn *split = coding_of(counter).split;
    struct bt_token_block block;
    const uint8_t *at = (const uint8_t *)text.ptr;
    const uint8_t *end = at + text.len;
    uint64_t count = 0;
    while (at < end && count <= budget) {
        split(at, end, &block);
        count += bt_token_block_count(&block);
        at = block.next;
    }
    return count > budget;
}

enum bt_status bt_tokens_fit_budget(struct bt_tokens *counter, bt_str text, uint64_t budget,
                                    bool *out_within)
{
    assert(counter);
    assert(out_within);
    if (counter->encoding == BT_ENCODING_CHARS4) {
        *out_within = bt_tokens_estimate(text) <= budget;
        return BT_OK;
    }
    if (!counter->table) {
        return BT_ENOENT;
    }
    if (text.len <= budget) {
        *out_within = true;
        return BT_OK;
    }
    /* Where the estimate is above the budget, a look at the pieces alone is worth it. */
    const bool is_hopeless = (text.len - 1) / BT_TOKEN_BYTES_MAX >= budget;
    const bool is_doubtful = bt_tokens_estimate(text) > budget;
    if (is_hopeless || (is_doubtful && has_more_pieces(counter, text, budget))) {
        *out_within = false;
        return BT_OK;
    }
    struct token_count_tally tally = {.counter = counter, .limit = budget};
    BT_TRY(count_text(&tally, text));
    *out_within = tally.count <= budget;
    return BT_OK;
}
