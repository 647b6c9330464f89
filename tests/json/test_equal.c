/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_equal.c - values are equal by what they mean, not by how they are written.
 */
#include "json_test.h"

#include "base/buf.h"

static void meaning_decides(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        bool equal;
    } rows[] = {
        {"null", "null", true},
        {"null", "false", false},
        {"true", "false", false},
        {"true", "1", false},
        {"\"1\"", "1", false},
        {"1", "1.0", true},
        {"100", "1e2", true},
        {"-0", "0", true},
        {"0.0", "-0e5", true},
        {"1", "2", false},
        {"9007199254740992", "9007199254740993", false},
        {"9007199254740993", "9007199254740993.0", true},
        {"1e400", "1e401", false},
        {"1e400", "10e399", true},
        {"-1e400", "1e400", false},
        {"0.1", "0.10000000000000000001", false},
        {"\"a\\u00e9\"", "\"\\u0061\xc3\xa9\"", true},
        {"\"a\"", "\"b\"", false},
        {"\"a\"", "\"ab\"", false},
        {"\"\\ud800\"", "\"\\uD800\"", true},
        {"[]", "{}", false},
        {"[]", "[]", true},
        {"{}", "{}", true},
        {"[]", "[null]", false},
        {"[1,2]", "[1.0,2.0]", true},
        {"[1,2]", "[2,1]", false},
        {"[[1],[2]]", "[[1],[3]]", false},
        {"[[],[[]]]", "[[],[[]]]", true},
        {"[[],[[]]]", "[[[]],[]]", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
        {"{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}", false},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
        {"{\"a\":1,\"b\":1}", "{\"a\":1,\"c\":1}", false},
        {"{\"a\":{\"x\":[1,{\"p\":0,\"q\":1}],\"y\":2}}",
         "{\"a\":{\"y\":2,\"x\":[1,{\"q\":1,\"p\":0}]}}", true},
        {"{\"a\":{\"x\":[1,{\"p\":0,\"q\":1}],\"y\":2}}",
         "{\"a\":{\"y\":2,\"x\":[1,{\"q\":1,\"p\":2}]}}", false},
        {"[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2}]", "[{\"b\":2,\"a\":1},{\"a\":1,\"b\":3}]", false},
        {"{\"\\u0061\":1}", "{\"a\":1}", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        const struct bt_json_doc *a = read_literal(&arena, rows[i].a);
        const struct bt_json_doc *b = read_literal(&arena, rows[i].b);
        if (documents_equal(a, b) != rows[i].equal || documents_equal(b, a) != rows[i].equal) {
            fail_msg("%s against %s", rows[i].a, rows[i].b);
        }
        assert_true(documents_equal(a, a));
        bt_arena_free(&arena);
    }
}

/* An object of `count` members in the order i * step mod count, each holding a small object. */
static const struct bt_json_doc *large_object(struct bt_arena *arena, struct bt_buf *text,
                                              size_t count, size_t step, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        const size_t k = i * step % count;
        bt_buf_printf(text, "%c\"k%zu\":{\"v\":[%zu]}", i ? ',' : '{', k, k);
    }
    bt_buf_put_char(text, '}');
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = TEST_BUF_BYTES;
    options.hash_seed[0] = seed;
    options.hash_seed[1] = ~seed;
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(arena, bt_buf_str(text), &options, &result), BT_OK);
    assert_non_null(result.document);
    return result.document;
}

/* Sizes around the one at which matching goes another way, and a large one; seeds alike or not. */
static void order_and_seed_do_not_matter(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 3, 15, 16, 17, 18, 40, 1000, 100003};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            struct bt_arena arena;
            struct bt_buf texts[3];
            bt_arena_init(&arena, TEST_ARENA_BYTES);
            for (size_t k = 0; k < 3; k++) {
                bt_buf_init(&texts[k], TEST_BUF_BYTES);
            }
            const size_t step = counts[i] % 7 == 0 ? 5 : 7;
            const struct bt_json_doc *a = large_object(&arena, &texts[0], counts[i], 1, 0);
            const struct bt_json_doc *b = large_object(&arena, &texts[1], counts[i], step, seed);
            assert_true(documents_equal(a, b));
            /* One name, and one value deep below, changed. */
            bt_buf_put(&texts[2], bt_buf_str(&texts[1]));
            char *digit = strchr(texts[2].ptr, 'k') + 1;
            *digit = 'x';
            assert_false(documents_equal(a, read_text(&arena, bt_buf_str(&texts[2]))));
            *digit = '0';
            digit = strchr(texts[2].ptr, '[') + 1;
            assert_int_equal(*digit, '0');
            *digit = '8';
            assert_false(documents_equal(a, read_text(&arena, bt_buf_str(&texts[2]))));
            for (size_t k = 0; k < 3; k++) {
                bt_buf_free(&texts[k]);
            }
            bt_arena_free(&arena);
        }
    }
}

static void deep_values_are_compared_to_the_end(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    struct bt_arena arena;
    char texts[2][2 * DEPTH + 2];
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    for (size_t i = 0; i < 2; i++) {
        memset(texts[i], '[', DEPTH);
        texts[i][DEPTH] = (char)('0' + i);
        memset(texts[i] + DEPTH + 1, ']', DEPTH);
        texts[i][2 * DEPTH + 1] = '\0';
    }
    const struct bt_json_doc *a = read_literal(&arena, texts[0]);
    const struct bt_json_doc *b = read_literal(&arena, texts[1]);
    assert_false(documents_equal(a, b));
    assert_true(documents_equal(b, read_literal(&arena, texts[1])));
    bt_arena_free(&arena);
}

static void running_out_of_memory_is_no_answer(void **state)
{
    (void)state;
    struct bt_arena documents;
    bt_arena_init(&documents, TEST_ARENA_BYTES);
    struct bt_buf texts[2];
    bt_buf_init(&texts[0], TEST_BUF_BYTES);
    bt_buf_init(&texts[1], TEST_BUF_BYTES);
    const struct bt_json_doc *a = large_object(&documents, &texts[0], 40, 1, 0);
    const struct bt_json_doc *b = large_object(&documents, &texts[1], 40, 7, 1);
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 0; status != BT_OK; limit += 16) {
        assert_true(limit < 100000);
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        bool equal = false;
        status = bt_json_equal(a, bt_json_root(a), b, bt_json_root(b), &arena, &equal);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        assert_int_equal(equal, status == BT_OK);
        bt_arena_free(&arena);
    }
    bt_buf_free(&texts[1]);
    bt_buf_free(&texts[0]);
    bt_arena_free(&documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meaning_decides),
        cmocka_unit_test(order_and_seed_do_not_matter),
        cmocka_unit_test(deep_values_are_compared_to_the_end),
        cmocka_unit_test(running_out_of_memory_is_no_answer),
    };
    return RUN_TESTS(tests);
}
