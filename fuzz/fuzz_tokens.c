/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_tokens.c - any bytes as a text.
 *
 * Promises: a warm counter, a fresh one and the plain way (each piece joined alone, long or short)
 * count the same; from any cut on, a text counts what is left of it; a budget is answered as a
 * count would be; there are no more tokens than bytes.
 */
#include <baton/tokens.h>

#include "fuzz.h"
#include "token/merge.h"
#include "token/split.h"
#include "token/tokens.h"

#define TEXT_BYTES_MAX 4096

struct way {
    enum bt_encoding encoding;
    const struct bt_token_table *table;
    bt_token_split_fn *split;
};

static uint64_t count(struct bt_tokens *counter, bt_str text)
{
    uint64_t tokens = 0;
    PROMISE(bt_tokens_count(counter, text, &tokens) == BT_OK);
    PROMISE(tokens <= text.len);
    return tokens;
}

/* A cut near the middle, and how many tokens are before it. */
struct cut {
    size_t offset;
    uint64_t tokens;
};

/* Queues are large, so each encoding has one for ever. */
static struct bt_token_queue *queue_of(const struct way *way)
{
    static struct bt_arena arenas[2];
    static struct bt_token_queue *queues[2];
    if (!queues[way->encoding]) {
        bt_arena_init(&arenas[way->encoding], FUZZ_ARENA_BYTES);
        queues[way->encoding] = bt_token_queue_new(&arenas[way->encoding], way->table);
        PROMISE(queues[way->encoding]);
    }
    return queues[way->encoding];
}

/* Each piece joined alone. */
static uint64_t count_plainly(const struct way *way, bt_str text, struct cut *out_cut)
{
    const uint8_t *at = (const uint8_t *)text.ptr;
    const uint8_t *end = at + text.len;
    struct bt_arena arena;
    struct bt_token_queue *queue = queue_of(way);
    uint64_t sum = 0;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    *out_cut = (struct cut){0};
    while (at < end) {
        struct bt_token_block block;
        uint64_t tokens = 0;
        way->split(at, end, &block);
        const uint8_t *to = at + bt_token_block_first(&block);
        PROMISE(to > at);
        PROMISE(to <= end);
        PROMISE(bt_token_merge_long(queue, &arena, fuzz_text(at, (size_t)(to - at)), &tokens) ==
                BT_OK);
        sum += tokens;
        at = to;
        const size_t offset = (size_t)(at - (const uint8_t *)text.ptr);
        *out_cut = offset <= text.len / 2 ? (struct cut){offset, sum} : *out_cut;
    }
    bt_arena_free(&arena);
    return sum;
}

static void judge(const struct way *way, bt_str text)
{
    struct bt_tokens counter;
    struct cut cut;
    bool within = false;
    bt_tokens_init(&counter, way->encoding);
    const uint64_t tokens = count(&counter, text);
    PROMISE(count(&counter, text) == tokens);
    PROMISE(count_plainly(way, text, &cut) == tokens);
    const bt_str rest = bt_str_slice(text, cut.offset, text.len);
    PROMISE(count(&counter, rest) == tokens - cut.tokens);
    for (uint64_t budget = tokens > 1 ? tokens - 2 : 0; budget < tokens + 2; budget++) {
        PROMISE(bt_tokens_fit_budget(&counter, text, budget, &within) == BT_OK);
        PROMISE(within == (tokens <= budget));
    }
    bt_tokens_free(&counter);
}

/* What callers have checked: well-formed UTF-8. What is not becomes a question mark. */
static size_t tidy(const uint8_t *data, size_t size, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < size && length < TEXT_BYTES_MAX; i++) {
        out[length++] = (char)data[i];
    }
    for (size_t bad = bt_utf8_check((bt_str){out, length}); bad < length;
         bad = bt_utf8_check((bt_str){out, length})) {
        out[bad] = '?';
    }
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct way ways[] = {
        {BT_ENCODING_O200K_BASE, &bt_token_o200k_base, bt_token_split_o200k},
        {BT_ENCODING_CL100K_BASE, &bt_token_cl100k_base, bt_token_split_cl100k},
    };
    static char text[TEXT_BYTES_MAX];
    const size_t length = tidy(data, size, text);
    for (size_t i = 0; i < 2; i++) {
        struct bt_tokens raw;
        judge(&ways[i], (bt_str){text, length});
        /* Other bytes have no count that means something, but do no harm. */
        bt_tokens_init(&raw, ways[i].encoding);
        (void)count(&raw, fuzz_text(data, size));
        bt_tokens_free(&raw);
    }
    return 0;
}
