/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_long.c - pieces of any length, in linear time.
 *
 * Pairs wait in one list for each rank that they would join to, and a bit set tells which lists are
 * not empty. A join only ever makes pairs of a higher rank possible, so the ranks are gone through
 * once, upwards, and no heap is needed. Within a rank the order of joins matters only where a token
 * repeats (a a a), and such a run is joined from its left end as a whole.
 *
 * A part is known by the place of its first byte. Its length stands at its first and its last byte,
 * so both neighbours are found by adding or subtracting.
 */
#include "token/merge.h"

#include <assert.h>

#include "base/arena.h"

#define NOWHERE UINT32_MAX

struct bt_token_queue {
    const struct bt_token_table *table;
    uint32_t *heads;   /* for each rank, the first place of its list */
    uint64_t *waiting; /* bit r: list r is not empty */
    uint64_t *groups;  /* bit w: word w of `waiting` is not zero */
    size_t word_count;
    uint64_t steps;
};

/* The parts of one piece, by place. */
struct token_merge_long_piece {
    struct bt_token_queue *queue;
    uint32_t length;
    uint32_t *ranks;
    uint32_t *joins; /* what the part and its right neighbour join to */
    uint32_t *next;  /* in the list of that rank */
    uint32_t *previous;
    uint8_t *lengths;
};

struct bt_token_queue *bt_token_queue_new(struct bt_arena *arena,
                                          const struct bt_token_table *table)
{
    struct bt_token_queue *queue = BT_NEW(arena, struct bt_token_queue);
    if (!queue) {
        return NULL;
    }
    queue->table = table;
    queue->word_count = table->count / 64 + 1;
    queue->heads = BT_NEW_ARRAY(arena, uint32_t, table->count);
    queue->waiting = BT_NEW_ARRAY(arena, uint64_t, queue->word_count);
    queue->groups = BT_NEW_ARRAY(arena, uint64_t, queue->word_count / 64 + 1);
    if (!queue->heads || !queue->waiting || !queue->groups) {
        return NULL;
    }
    for (uint32_t rank = 0; rank < table->count; rank++) {
        queue->heads[rank] = NOWHERE;
    }
    return queue;
}

uint64_t bt_token_queue_steps(const struct bt_token_queue *queue)
{
    return queue->steps;
}

static void enqueue_pair(struct token_merge_long_piece *piece, uint32_t at, uint32_t join)
{
    struct bt_token_queue *queue = piece->queue;
    piece->joins[at] = join;
    queue->steps++;
    if (join == BT_RANK_NONE) {
        return;
    }
    const uint32_t head = queue->heads[join];
    piece->next[at] = head;
    piece->previous[at] = NOWHERE;
    queue->heads[join] = at;
    if (head != NOWHERE) {
        piece->previous[head] = at;
        return;
    }
    queue->waiting[join / 64] |= (uint64_t)1 << join % 64;
    queue->groups[join / 4096] |= (uint64_t)1 << join / 64 % 64;
}

/* Take the pair of this part out of its list; a list that gets empty is noticed when its turn
 * comes. */
static void dequeue_pair(struct token_merge_long_piece *piece, uint32_t at)
{
    const uint32_t join = piece->joins[at];
    if (join == BT_RANK_NONE) {
        return;
    }
    const uint32_t next = piece->next[at];
    const uint32_t previous = piece->previous[at];
    if (previous == NOWHERE) {
        piece->queue->heads[join] = next;
    } else {
        piece->next[previous] = next;
    }
    if (next != NOWHERE) {
        piece->previous[next] = previous;
    }
    piece->joins[at] = BT_RANK_NONE;
}

/* The lowest rank that is waiting, which then waits no more; BT_RANK_NONE after the last. */
static uint32_t next_rank(struct bt_token_queue *queue, size_t *group)
{
    const size_t group_count = queue->word_count / 64 + 1;
    for (; *group < group_count; ++*group) {
        const uint64_t words = queue->groups[*group];
        if (words == 0) {
            continue;
        }
        const size_t word = *group * 64 + (size_t)__builtin_ctzll(words);
        const uint64_t bits = queue->waiting[word];
        queue->waiting[word] = bits & (bits - 1);
        if (queue->waiting[word] == 0) {
            queue->groups[*group] = words & (words - 1);
        }
        return (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
    }
    return BT_RANK_NONE;
}

static uint32_t get_next_part(const struct token_merge_long_piece *piece, uint32_t at)
{
    return at + piece->lengths[at];
}

static uint32_t get_previous_part(const struct token_merge_long_piece *piece, uint32_t at)
{
    return at == 0 ? NOWHERE : at - piece->lengths[at - 1];
}

static uint32_t join_of(const struct token_merge_long_piece *piece, uint32_t left, uint32_t right)
{
    return bt_token_join(piece->queue->table, piece->ranks[left], piece->ranks[right]);
}

/* Join the part with its right neighbour. */
static void join_pair(struct token_merge_long_piece *piece, uint32_t at, uint32_t rank)
{
    const uint32_t right = get_next_part(piece, at);
    const uint32_t end = get_next_part(piece, right);
    const uint32_t left = get_previous_part(piece, at);
    dequeue_pair(piece, at);
    dequeue_pair(piece, right);
    piece->ranks[at] = rank;
    piece->lengths[at] = piece->lengths[end - 1] = (uint8_t)(end - at);
    enqueue_pair(piece, at, end < piece->length ? join_of(piece, at, end) : BT_RANK_NONE);
    if (left != NOWHERE) {
        dequeue_pair(piece, left);
        enqueue_pair(piece, left, join_of(piece, left, at));
    }
}

/* Join all that wait for this rank; gives back how many did. */
static uint32_t join_rank(struct token_merge_long_piece *piece, uint32_t rank)
{
    uint32_t *head = &piece->queue->heads[rank];
    uint32_t count = 0;
    while (*head != NOWHERE) {
        uint32_t at = *head;
        /* Walk to the left end of a run; it is joined at once, so no part is walked over twice. */
        for (uint32_t left = get_previous_part(piece, at);
             left != NOWHERE && piece->joins[left] == rank; left = get_previous_part(piece, at)) {
            at = left;
            piece->queue->steps++;
        }
        while (at < piece->length && piece->joins[at] == rank) {
            join_pair(piece, at, rank);
            at = get_next_part(piece, at);
            count++;
        }
    }
    return count;
}

static bool take_memory(struct token_merge_long_piece *piece, struct bt_arena *arena)
{
    const size_t size = (size_t)piece->length * sizeof(uint32_t);
    piece->ranks = bt_arena_alloc(arena, size);
    piece->joins = bt_arena_alloc(arena, size);
    piece->next = bt_arena_alloc(arena, size);
    piece->previous = bt_arena_alloc(arena, size);
    piece->lengths = bt_arena_alloc(arena, piece->length);
    return piece->ranks && piece->joins && piece->next && piece->previous && piece->lengths;
}

static uint32_t merge_piece(struct token_merge_long_piece *piece, const uint8_t *bytes)
{
    const struct bt_token_table *table = piece->queue->table;
    const uint32_t last = piece->length - 1;
    for (uint32_t i = 0; i <= last; i++) {
        piece->ranks[i] = table->bytes[bytes[i]];
        piece->lengths[i] = 1;
    }
    for (uint32_t i = 0; i < last; i++) {
        enqueue_pair(piece, i, table->byte_pairs[(size_t)bytes[i] << 8 | bytes[i + 1]]);
    }
    enqueue_pair(piece, last, BT_RANK_NONE);
    uint32_t count = piece->length;
    size_t group = 0;
    for (uint32_t rank = next_rank(piece->queue, &group); rank != BT_RANK_NONE;
         rank = next_rank(piece->queue, &group)) {
        count -= join_rank(piece, rank);
    }
    return count;
}

enum bt_status bt_token_merge_long(struct bt_token_queue *queue, struct bt_arena *arena,
                                   bt_str piece, uint64_t *out_count)
{
    assert(queue);
    assert(piece.len > 0);
    if (piece.len >= NOWHERE) {
        return BT_ENOMEM;
    }
    struct token_merge_long_piece parts = {.queue = queue, .length = (uint32_t)piece.len};
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    const bool has_memory = take_memory(&parts, arena);
    if (has_memory) {
        *out_count = merge_piece(&parts, (const uint8_t *)piece.ptr);
    }
    bt_arena_rewind(arena, mark);
    return has_memory ? BT_OK : BT_ENOMEM;
}
