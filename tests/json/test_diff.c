/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_diff.c - the difference of two documents, applied to the first, gives the second.
 */
#include "json_test.h"

#include "base/buf.h"

static bt_str diff_of(struct bt_buf *buf, const struct bt_json_doc *a, const struct bt_json_doc *b,
                      struct bt_arena *arena)
{
    bt_buf_clear(buf);
    const struct bt_arena_mark before = bt_arena_mark(arena);
    assert_int_equal(bt_json_diff(buf, a, b, arena), BT_OK);
    assert_ptr_equal(bt_arena_mark(arena).next, before.next);
    return bt_buf_str(buf);
}

/* Apply the difference of a and b to a, and see that it leads to b. */
static void check_leads_there(const struct bt_json_doc *a, const struct bt_json_doc *b)
{
    struct bt_arena arena;
    struct bt_buf patch;
    struct bt_buf patched;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&patch, TEST_BUF_BYTES);
    bt_buf_init(&patched, TEST_BUF_BYTES);
    const struct bt_json_doc *steps = read_text(&arena, diff_of(&patch, a, b, &arena));
    assert_int_equal(documents_equal(a, b), bt_json_count(bt_json_root(steps)) == 0);
    const struct bt_json_options limits = {.document_bytes_max = TEST_BUF_BYTES};
    const struct bt_json_patch_options options = {.result = &limits};
    struct bt_json_patch_result result = {0};
    assert_int_equal(bt_json_patch(&patched, a, steps, &options, &arena, &result), BT_OK);
    if (result.code != BT_JSON_PATCH_OK) {
        fail_msg("operation %zu: %s", result.operation, result.detail);
    }
    assert_true(documents_equal(read_text(&arena, bt_buf_str(&patched)), b));
    bt_buf_free(&patched);
    bt_buf_free(&patch);
    bt_arena_free(&arena);
}

static void differences_are_small_and_readable(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        const char *patch;
    } rows[] = {
        {"1", "1.0", "[]"},
        {"{\"a\":[1,2],\"b\":0}", "{\"b\":-0,\"a\":[1e0,2]}", "[]"},
        {"1", "2", "[{\"op\":\"replace\",\"path\":\"\",\"value\":2}]"},
        {"9007199254740992", "9007199254740993",
         "[{\"op\":\"replace\",\"path\":\"\",\"value\":9007199254740993}]"},
        {"[]", "{}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":{}}]"},
        {"{\"a\":1}", "{\"a\":2}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":2}]"},
        {"{\"a\":1,\"b\":2}", "{\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]"},
        {"{\"a\":1}", "{\"a\":1,\"b\":[]}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":[]}]"},
        {"{\"a\":1}", "{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]"},
        {"{\"a\":{\"b\":{\"c\":1,\"d\":2}},\"e\":3}", "{\"a\":{\"b\":{\"c\":1,\"d\":4}},\"e\":3}",
         "[{\"op\":\"replace\",\"path\":\"/a/b/d\",\"value\":4}]"},
        {"{\"a/b\":{\"~\\\"\\n\":1,\"x\":0}}", "{\"a/b\":{\"~\\\"\\n\":2,\"x\":0}}",
         "[{\"op\":\"replace\",\"path\":\"/a~1b/~0\\\"\\n\",\"value\":2}]"},
        {"{\"\":{\"\":1}}", "{\"\":{\"\":2}}",
         "[{\"op\":\"replace\",\"path\":\"//\",\"value\":2}]"},
        {"{\"\\ud800\":1}", "{\"\\ud800\":2}",
         "[{\"op\":\"replace\",\"path\":\"/\\ud800\",\"value\":2}]"},
        /* Arrays: what stays is found. */
        {"[1,2,3]", "[1,2,3,4]", "[{\"op\":\"add\",\"path\":\"/3\",\"value\":4}]"},
        {"[1,2,3]", "[0,1,2,3]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":0}]"},
        {"[1,2,3]", "[1,3]", "[{\"op\":\"remove\",\"path\":\"/1\"}]"},
        {"[1,2,3]", "[1,5,3]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":5}]"},
        {"[1,2,3,4,5,6]", "[2,3,9,5,6,7]",
         "[{\"op\":\"remove\",\"path\":\"/0\"},{\"op\":\"replace\",\"path\":\"/2\",\"value\":9},"
         "{\"op\":\"add\",\"path\":\"/5\",\"value\":7}]"},
        {"[[1,2],[3]]", "[[1,2,0],[3]]", "[{\"op\":\"add\",\"path\":\"/0/2\",\"value\":0}]"},
        {"[{\"id\":1,\"v\":1},{\"id\":2,\"v\":2}]",
         "[{\"id\":0,\"v\":0},{\"id\":1,\"v\":1},{\"id\":2,\"v\":3}]",
         "[{\"op\":\"add\",\"path\":\"/0\",\"value\":{\"id\":0,\"v\":0}},"
         "{\"op\":\"replace\",\"path\":\"/2/v\",\"value\":3}]"},
        /* Where nothing stays, the whole is replaced. */
        {"{\"x\":[1,2,3],\"y\":0}", "{\"x\":[4,5],\"y\":0}",
         "[{\"op\":\"replace\",\"path\":\"/x\",\"value\":[4,5]}]"},
        {"{\"x\":{\"a\":1,\"b\":2}}", "{\"x\":{\"c\":1}}",
         "[{\"op\":\"replace\",\"path\":\"/x\",\"value\":{\"c\":1}}]"},
        {"{\"x\":[]}", "{\"x\":[1,2]}", "[{\"op\":\"replace\",\"path\":\"/x\",\"value\":[1,2]}]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_buf buf;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        bt_buf_init(&buf, TEST_BUF_BYTES);
        const struct bt_json_doc *a = read_literal(&arena, rows[i].a);
        const struct bt_json_doc *b = read_literal(&arena, rows[i].b);
        const bt_str patch = diff_of(&buf, a, b, &arena);
        if (!bt_str_eq(patch, bt_str_of(rows[i].patch))) {
            fail_msg("%s to %s gives %.*s", rows[i].a, rows[i].b, BT_STR_ARG(patch));
        }
        check_leads_there(a, b);
        check_leads_there(b, a);
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
}

/*
 * Random documents from a small alphabet. What stands in a place follows from the place's seed
 * alone, so that with the same seed and some `twists` a document comes out that is much like the
 * first.
 */
struct making {
    struct bt_buf *buf;
    struct rng *twists; /* NULL: none */
};

static bool twisted(const struct making *making)
{
    return making->twists && rng_below(making->twists, 15) == 0;
}

static void put_leaf(const struct making *making, struct rng *rng)
{
    static const char *const leaves[] = {
        "0",    "1",     "1.0",   "-0",    "1e400",       "9007199254740993",
        "\"\"", "\"a\"", "\"~\"", "null",  "true",        "false",
        "[]",   "{}",    "[0]",   "1.5e1", "\"\\ud800\"", "\"a\\n\"",
    };
    bt_buf_put_text(making->buf, leaves[rng_below(rng, COUNT_OF(leaves))]);
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is small and given by the test */
static void put_random(const struct making *making, uint64_t seed, size_t depth)
{
    static const char *const names[] = {"a",  "b", "c", "",    "~",      "/",
                                        "~1", "0", "-", "\\n", "\\udc00"};
    struct rng rng = {seed};
    if (making->twists && twisted(making)) {
        rng.state = rng_next(making->twists);
    }
    const size_t kind = rng_below(&rng, 3);
    if (depth == 0 || kind == 0) {
        put_leaf(making, &rng);
        return;
    }
    const bool object = kind == 1;
    const size_t count = object ? COUNT_OF(names) : rng_below(&rng, 12);
    const size_t shift = object ? rng_below(&rng, count) : 0;
    size_t put = 0;
    bt_buf_put_char(making->buf, object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        const uint64_t child = rng_next(&rng);
        if ((object && child % 2 == 0) || twisted(making)) {
            continue;
        }
        bt_buf_put_text(making->buf, put++ ? "," : "");
        if (object) {
            bt_buf_printf(making->buf, "\"%s\":", names[(i + shift) % count]);
        } else if (twisted(making)) {
            bt_buf_put_text(making->buf, "7,"); /* one more item */
        }
        put_random(making, child, depth - 1);
    }
    bt_buf_put_char(making->buf, object ? '}' : ']');
}

static void random_documents_lead_to_each_other(void **state)
{
    (void)state;
    size_t alike = 0;
    struct rng twists = {7};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct bt_arena arena;
        struct bt_buf texts[2];
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        for (size_t i = 0; i < 2; i++) {
            bt_buf_init(&texts[i], TEST_BUF_BYTES);
            const struct making making = {&texts[i], i == 0 ? NULL : &twists};
            put_random(&making, seed, 4);
        }
        const struct bt_json_doc *a = read_text(&arena, bt_buf_str(&texts[0]));
        const struct bt_json_doc *b = read_text(&arena, bt_buf_str(&texts[1]));
        alike += documents_equal(a, b);
        check_leads_there(a, b);
        check_leads_there(b, a);
        bt_buf_free(&texts[1]);
        bt_buf_free(&texts[0]);
        bt_arena_free(&arena);
    }
    assert_in_range(alike, 100, 2500); /* else the documents are no good for this */
}

/* The number of operations that turn `a` into `b`. */
static size_t count_operations(bt_str a_text, bt_str b_text)
{
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    const struct bt_json_doc *a = read_text(&arena, a_text);
    const struct bt_json_doc *b = read_text(&arena, b_text);
    const struct bt_json_doc *patch = read_text(&arena, diff_of(&buf, a, b, &arena));
    const size_t count = bt_json_count(bt_json_root(patch));
    check_leads_there(a, b);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return count;
}

/* {"id":i + offset} for each i below count, but every `hole`-th left out (0: none). */
static void put_row(struct bt_buf *buf, size_t count, size_t offset, size_t hole)
{
    bt_buf_put_char(buf, '[');
    for (size_t i = 0, put = 0; i < count; i++) {
        if (hole == 0 || i % hole != hole - 1) {
            bt_buf_printf(buf, "%s{\"id\":%zu}", put++ ? "," : "", i + offset);
        }
    }
    bt_buf_put_char(buf, ']');
}

static void large_arrays_are_aligned_where_that_is_affordable(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        size_t offset;
        size_t hole;
        size_t operations_min;
        size_t operations_max;
    } rows[] = {
        {20000, 0, 0, 0, 0},       /* equal */
        {20000, 1, 0, 2, 2},       /* one gone in front, one new behind */
        {20000, 0, 200, 100, 100}, /* a hundred gone */
        {400, 200, 0, 400, 400},   /* half gone in front, half new behind */
        {6000, 0, 2, 3000, 6000},  /* too much for the search: item by item */
        {3000, 5000, 0, 1, 3000},  /* nothing in common */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf a;
        struct bt_buf b;
        bt_buf_init(&a, TEST_BUF_BYTES);
        bt_buf_init(&b, TEST_BUF_BYTES);
        put_row(&a, rows[i].count, 0, 0);
        put_row(&b, rows[i].count, rows[i].offset, rows[i].hole);
        assert_in_range(count_operations(bt_buf_str(&a), bt_buf_str(&b)), rows[i].operations_min,
                        rows[i].operations_max);
        (void)count_operations(bt_buf_str(&b), bt_buf_str(&a));
        bt_buf_free(&b);
        bt_buf_free(&a);
    }
}

/* For short arrays the number of removals and additions is as small as it can be: a table that
 * knows the longest common subsequence says so. */
static void short_arrays_are_aligned_at_best(void **state)
{
    (void)state;
    struct rng rng = {8};
    for (size_t round = 0; round < 3000; round++) {
        enum { MOST = 12 };
        size_t items[2][MOST];
        size_t counts[2];
        size_t table[MOST + 1][MOST + 1] = {{0}};
        struct bt_buf texts[2];
        for (size_t side = 0; side < 2; side++) {
            bt_buf_init(&texts[side], TEST_BUF_BYTES);
            counts[side] = rng_below(&rng, MOST + 1);
            /* 99 at both ends, so that the whole is never replaced. */
            bt_buf_put_text(&texts[side], "[99");
            for (size_t i = 0; i < counts[side]; i++) {
                items[side][i] = rng_below(&rng, 4);
                bt_buf_printf(&texts[side], ",%zu", items[side][i]);
            }
            bt_buf_put_text(&texts[side], "]");
        }
        for (size_t i = counts[0]; i-- > 0;) {
            for (size_t j = counts[1]; j-- > 0;) {
                const size_t skip =
                    table[i + 1][j] > table[i][j + 1] ? table[i + 1][j] : table[i][j + 1];
                table[i][j] = items[0][i] == items[1][j] ? table[i + 1][j + 1] + 1 : skip;
            }
        }
        /* A removal and an addition side by side are one replacement. */
        const size_t most = counts[0] + counts[1] - 2 * table[0][0];
        const size_t operations = count_operations(bt_buf_str(&texts[0]), bt_buf_str(&texts[1]));
        assert_in_range(operations, (most + 1) / 2, most);
        bt_buf_free(&texts[1]);
        bt_buf_free(&texts[0]);
    }
}

static void running_out_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    struct bt_arena documents;
    bt_arena_init(&documents, TEST_ARENA_BYTES);
    const struct bt_json_doc *a =
        read_literal(&documents, "{\"a\":[1,{\"b\":2,\"c\":3},4],\"d\":{},\"e\":0}");
    const struct bt_json_doc *b =
        read_literal(&documents, "{\"d\":{},\"f\":[],\"a\":[{\"c\":3,\"b\":0},4]}");
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 0; status != BT_OK; limit += 16) {
        assert_true(limit < 100000);
        struct bt_arena arena;
        struct bt_buf buf;
        bt_arena_init(&arena, limit);
        bt_buf_init(&buf, limit / 8);
        status = bt_json_diff(&buf, a, b, &arena);
        assert_true(status == BT_OK || status == BT_ENOMEM || status == BT_ELIMIT);
        assert_int_equal(buf.len > 0, status == BT_OK);
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
    bt_arena_free(&documents);
}

static void deep_documents_need_no_stack(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    struct bt_buf texts[2];
    for (size_t side = 0; side < 2; side++) {
        bt_buf_init(&texts[side], TEST_BUF_BYTES);
        bt_buf_put_repeat(&texts[side], '[', DEPTH);
        bt_buf_printf(&texts[side], "%zu", side);
        bt_buf_put_repeat(&texts[side], ']', DEPTH);
    }
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    const bt_str patch = diff_of(&buf, read_text(&arena, bt_buf_str(&texts[0])),
                                 read_text(&arena, bt_buf_str(&texts[1])), &arena);
    const struct bt_json_doc *steps = read_text(&arena, patch);
    assert_int_equal(bt_json_count(bt_json_root(steps)), 1);
    const bt_json_value *path = bt_json_resolve(steps, bt_json_root(steps), BT_STR("/0/path"));
    assert_non_null(path);
    assert_int_equal(bt_json_text(path).len, 2 * DEPTH);
    bt_buf_free(&buf);
    bt_buf_free(&texts[1]);
    bt_buf_free(&texts[0]);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_small_and_readable),
        cmocka_unit_test(random_documents_lead_to_each_other),
        cmocka_unit_test(large_arrays_are_aligned_where_that_is_affordable),
        cmocka_unit_test(short_arrays_are_aligned_at_best),
        cmocka_unit_test(running_out_is_reported_and_leaves_nothing),
        cmocka_unit_test(deep_documents_need_no_stack),
    };
    return RUN_TESTS(tests);
}
