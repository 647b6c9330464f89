/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vectors.c - the counts that the reference tokenizers give, all of them, in both encodings.
 */
#include "token/counting.h"

#include <baton/json.h>

#include "base/file.h"

enum { VECTORS_MIN = 600, LINE_BYTES_MAX = 80 };

struct vectors {
    struct bt_arena arena;
    bt_str lines;
};

static int load(void **state)
{
    static struct vectors vectors;
    bt_arena_init(&vectors.arena, (size_t)64 << 20);
    *state = &vectors;
    return bt_file_read(&vectors.arena, BT_STR(TOKEN_TESTS "/vectors.jsonl"), 16 << 20,
                        &vectors.lines, NULL) == BT_OK
               ? 0
               : 1;
}

static int unload(void **state)
{
    struct vectors *vectors = *state;
    bt_arena_free(&vectors->arena);
    return 0;
}

/* Count the texts of all lines with one counter, or with a fresh one for each. */
static void check(struct vectors *vectors, enum bt_encoding encoding, bool is_fresh)
{
    struct bt_tokens counter;
    size_t seen = 0;
    bt_tokens_init(&counter, encoding);
    for (size_t at = 0; at < vectors->lines.len;) {
        const size_t end = bt_str_find_byte(vectors->lines, '\n', at);
        struct bt_json_read_result read = {0};
        assert_int_equal(
            bt_json_read(&vectors->arena, bt_str_slice(vectors->lines, at, end), NULL, &read),
            BT_OK);
        assert_non_null(read.document);
        const bt_json_value *root = bt_json_root(read.document);
        const bt_str text = bt_json_text(bt_json_get(read.document, root, BT_STR("text")));
        const double expected =
            bt_json_to_double(bt_json_get(read.document, root, bt_encoding_name(encoding)));
        uint64_t count = 0;
        assert_int_equal(bt_tokens_count(&counter, text, &count), BT_OK);
        if (is_fresh) {
            bt_tokens_free(&counter);
        }
        if ((double)count != expected) {
            fail_msg("%.*s: %llu tokens", (int)(end - at < 200 ? end - at : 200),
                     vectors->lines.ptr + at, (unsigned long long)count);
        }
        seen++;
        at = end + 1;
    }
    bt_tokens_free(&counter);
    assert_true(seen >= VECTORS_MIN);
}

static void all_vectors_hold_in_o200k(void **state)
{
    check(*state, BT_ENCODING_O200K_BASE, true);
    check(*state, BT_ENCODING_O200K_BASE, false);
}

static void all_vectors_hold_in_cl100k(void **state)
{
    check(*state, BT_ENCODING_CL100K_BASE, true);
    check(*state, BT_ENCODING_CL100K_BASE, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_vectors_hold_in_o200k),
        cmocka_unit_test(all_vectors_hold_in_cl100k),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
