/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_merge.c - pieces are joined as the plain rule says, by every way there is.
 */
#include "token/merge.h"
#include "token/naive.h"

enum { PIECES = 3000, RUN_BLOCK = 2048 };

struct bench {
    const char *name;
    const struct bt_token_table *table;
    struct naive naive;
    struct bt_arena arena;
    struct bt_token_lanes lanes;
    struct bt_token_queue *queue;
};

static struct bench benches[2];

static int set_up(void **state)
{
    benches[0] = (struct bench){.name = "o200k_base", .table = &bt_token_o200k_base};
    benches[1] = (struct bench){.name = "cl100k_base", .table = &bt_token_cl100k_base};
    for (size_t i = 0; i < COUNT_OF(benches); i++) {
        naive_load(&benches[i].naive, benches[i].name);
        bt_arena_init(&benches[i].arena, (size_t)256 << 20);
        bt_token_lanes_init(&benches[i].lanes);
        benches[i].queue = bt_token_queue_new(&benches[i].arena, benches[i].table);
        assert_non_null(benches[i].queue);
    }
    *state = benches;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *all = *state;
    for (size_t i = 0; i < COUNT_OF(benches); i++) {
        naive_free(&all[i].naive);
        bt_arena_free(&all[i].arena);
    }
    return 0;
}

static uint32_t merge_short(struct bench *bench, bt_str piece)
{
    struct bt_token_piece one = {(const uint8_t *)piece.ptr, (uint32_t)piece.len, 0};
    bt_token_merge_short(bench->table, &bench->lanes, &one, 1);
    return one.count;
}

static uint64_t merge_long(struct bench *bench, bt_str piece)
{
    uint64_t count = 0;
    assert_int_equal(bt_token_merge_long(bench->queue, &bench->arena, piece, &count), BT_OK);
    return count;
}

static uint64_t shortened(struct bench *bench, bt_str piece)
{
    uint64_t count = 0;
    const struct bt_arena_mark mark = bt_arena_mark(&bench->arena);
    assert_int_equal(bt_token_shorten(bench->table, &bench->arena, &piece, &count), BT_OK);
    count += merge_long(bench, piece);
    bt_arena_rewind(&bench->arena, mark);
    return count;
}

/* The same numbers in every run. */
static uint32_t rng(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)*state * below) >> 32);
}

static void every_token_is_one_token(void **state)
{
    struct bench *all = *state;
    for (size_t i = 0; i < COUNT_OF(benches); i++) {
        const struct naive *naive = &all[i].naive;
        assert_int_equal(naive->count, all[i].table->count);
        for (size_t rank = 0; rank < naive->count; rank++) {
            assert_int_equal(merge_short(&all[i], naive->tokens[rank]), 1);
        }
    }
}

static bool is_found(const struct bt_token_table *table, bt_str text)
{
    uint8_t padded[BT_WORD_BYTES] = {0};
    memcpy(padded, text.ptr, text.len);
    const struct bt_token_word word = bt_token_word(padded, text.len);
    return bt_token_is_at(bt_token_find(table, bt_token_word_hash(word), text.len), word);
}

static void a_token_of_up_to_16_bytes_is_found_by_its_bytes_and_nothing_else_is(void **state)
{
    struct bench *all = *state;
    uint32_t seed = 7;
    size_t found = 0;
    for (size_t i = 0; i < COUNT_OF(benches); i++) {
        const struct naive *naive = &all[i].naive;
        for (size_t rank = i; rank < naive->count; rank += 3) {
            const bt_str token = naive->tokens[rank];
            if (token.len > BT_WORD_BYTES || token.ptr[token.len - 1] == 0) {
                continue;
            }
            assert_true(is_found(all[i].table, token));
            char changed[BT_WORD_BYTES];
            memcpy(changed, token.ptr, token.len);
            changed[rng(&seed, (uint32_t)token.len)] = (char)(1 + rng(&seed, 255));
            const bt_str other = {changed, token.len};
            const bool is_token = naive_count(naive, other) == 1;
            assert_int_equal(is_found(all[i].table, other), is_token);
            found += is_token;
        }
    }
    assert_true(found > 1000); /* both answers came up */
}

/* Pieces over small alphabets, where neighbours compete for the same bytes. */
static size_t random_piece(uint32_t *seed, char *out, size_t length_max)
{
    static const char *const alphabets[] = {
        "a",    "ab",       "aeinorst",         " etaoinshrdlu",        "-=",
        "/ \n", "0123456x", "\xe4\xb8\xad\xe5", "\xf0\x9f\x98\x80\x82", "-",
    };
    const char *alphabet = alphabets[rng(seed, COUNT_OF(alphabets))];
    const size_t length = 1 + rng(seed, (uint32_t)length_max);
    const uint32_t letters = (uint32_t)strlen(alphabet);
    for (size_t i = 0; i < length; i++) {
        out[i] = rng(seed, 40) == 0 ? (char)rng(seed, 256) : alphabet[rng(seed, letters)];
    }
    return length;
}

static void pieces_are_joined_as_the_plain_rule_says(void **state)
{
    struct bench *all = *state;
    uint32_t seed = 1;
    for (size_t i = 0; i < PIECES; i++) {
        struct bench *bench = &all[i % COUNT_OF(benches)];
        char text[BT_LANE_BYTES];
        const size_t room = i % 10 == 0 ? BT_LANE_BYTES : 24;
        const bt_str piece = {text, random_piece(&seed, text, room)};
        const size_t expected = naive_count(&bench->naive, piece);
        assert_int_equal(merge_short(bench, piece), expected);
        assert_int_equal(merge_long(bench, piece), expected);
    }
}

static void many_pieces_at_once_are_joined_as_one_by_one(void **state)
{
    struct bench *all = *state;
    static char texts[BT_MERGE_MAX][BT_LANE_BYTES];
    uint32_t seed = 3;
    for (size_t turn = 0; turn < 50; turn++) {
        struct bench *bench = &all[turn % COUNT_OF(benches)];
        struct bt_token_piece pieces[BT_MERGE_MAX];
        const size_t count = rng(&seed, BT_MERGE_MAX + 1);
        for (size_t i = 0; i < count; i++) {
            const size_t length = random_piece(&seed, texts[i], i % 4 ? 15 : BT_LANE_BYTES);
            pieces[i] = (struct bt_token_piece){(const uint8_t *)texts[i], (uint32_t)length, 0};
        }
        bt_token_merge_short(bench->table, &bench->lanes, pieces, count);
        for (size_t i = 0; i < count; i++) {
            const bt_str piece = {texts[i], pieces[i].length};
            assert_int_equal(pieces[i].count, merge_long(bench, piece));
        }
    }
}

/* Every byte, every length modulo that of the longest token, and something at either end. */
static void a_shortened_run_counts_what_the_whole_run_does(void **state)
{
    struct bench *all = *state;
    static const char *const ends[] = {"", " ", "x", "-", "\n", "==", "aab"};
    static char text[4 * RUN_BLOCK];
    uint32_t seed = 5;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t i = 0; i < 24; i++) {
            struct bench *bench = &all[i % COUNT_OF(benches)];
            const char *head = ends[rng(&seed, COUNT_OF(ends))];
            const char *tail = ends[rng(&seed, COUNT_OF(ends))];
            const size_t run = 2 * RUN_BLOCK + rng(&seed, RUN_BLOCK + 512);
            size_t length = strlen(head);
            memcpy(text, head, length);
            memset(text + length, (int)byte, run);
            memcpy(text + length + run, tail, strlen(tail));
            length += run + strlen(tail);
            const bt_str piece = {text, length};
            assert_int_equal(shortened(bench, piece), merge_long(bench, piece));
        }
    }
}

static void a_run_of_any_length_is_joined_as_the_plain_rule_says(void **state)
{
    struct bench *all = *state;
    static const char bytes[] = "a -=/\n.0";
    char text[300];
    for (size_t i = 0; i < COUNT_OF(benches); i++) {
        for (const char *byte = bytes; *byte; byte++) {
            memset(text, *byte, sizeof(text));
            for (size_t length = 1; length <= sizeof(text); length += length < 70 ? 1 : 23) {
                const bt_str piece = {text, length};
                assert_int_equal(merge_long(&all[i], piece), naive_count(&all[i].naive, piece));
            }
        }
    }
}

/* Texts that make other tokenizers slow. */
static void fill(char *text, size_t length, size_t kind)
{
    static const char *const patterns[] = {"ab",       "a",      "\xf0\x9f\x98\x80",
                                           "\xcc\x81", "abcabd", "=-"};
    uint32_t seed = 11;
    const size_t period = kind < COUNT_OF(patterns) ? strlen(patterns[kind]) : 0;
    for (size_t i = 0; i < length; i++) {
        text[i] = period > 0 ? patterns[kind][i % period] : (char)('a' + rng(&seed, 26));
    }
}

static void work_grows_with_the_length_and_no_faster(void **state)
{
    struct bench *all = *state;
    static char text[1 << 18];
    for (size_t kind = 0; kind < 7; kind++) {
        for (size_t i = 0; i < COUNT_OF(benches); i++) {
            uint64_t steps[2];
            for (size_t twice = 0; twice < 2; twice++) {
                const size_t length = sizeof(text) / 2 * (twice + 1);
                const uint64_t before = bt_token_queue_steps(all[i].queue);
                fill(text, length, kind);
                (void)merge_long(&all[i], (bt_str){text, length});
                steps[twice] = bt_token_queue_steps(all[i].queue) - before;
                assert_true(steps[twice] >= length);
                assert_true(steps[twice] <= 5 * length);
            }
            assert_true(steps[1] <= steps[0] * 2 + steps[0] / 50);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_is_one_token),
        cmocka_unit_test(a_token_of_up_to_16_bytes_is_found_by_its_bytes_and_nothing_else_is),
        cmocka_unit_test(pieces_are_joined_as_the_plain_rule_says),
        cmocka_unit_test(many_pieces_at_once_are_joined_as_one_by_one),
        cmocka_unit_test(a_shortened_run_counts_what_the_whole_run_does),
        cmocka_unit_test(a_run_of_any_length_is_joined_as_the_plain_rule_says),
        cmocka_unit_test(work_grows_with_the_length_and_no_faster),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
