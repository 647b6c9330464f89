/* SPDX-License-Identifier: Apache-2.0 */
/* test_make_table.c - tables that are made from a merge list equal those of the build. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "token/make_table.h"
#include "token/tokens.h"

#define ARENA_BYTES_MAX ((size_t)256 << 20)

static bt_str read_list(struct bt_arena *arena, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s.merges", TOKEN_DATA, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = bt_arena_alloc(arena, 1 << 20);
    assert_non_null(bytes);
    const size_t size = fread(bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return (bt_str){bytes, size};
}

static void compare_sets(const struct bt_token_set *made, const struct bt_token_set *built,
                         size_t width)
{
    assert_int_equal(made->seed_bits, built->seed_bits);
    assert_int_equal(made->slot_count, built->slot_count);
    assert_memory_equal(made->seeds, built->seeds, sizeof(*made->seeds) << made->seed_bits);
    assert_memory_equal(made->slots, built->slots, made->slot_count * width * sizeof(*made->slots));
}

static void a_list_gives_the_tables_of_the_build(void **state)
{
    static const enum bt_encoding encodings[] = {BT_ENCODING_O200K_BASE, BT_ENCODING_CL100K_BASE};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bt_arena arena;
        struct bt_token_tables made;
        const struct bt_token_table *built = bt_token_table_builtin(encodings[i]);
        bt_arena_init(&arena, ARENA_BYTES_MAX);
        const bt_str list = read_list(&arena, bt_encoding_name(encodings[i]).ptr);
        assert_int_equal(bt_token_tables_make(&arena, &arena, list, &made), BT_OK);
        assert_int_equal(made.table.count, built->count);
        assert_memory_equal(made.table.bytes, built->bytes, 256 * sizeof(*built->bytes));
        assert_memory_equal(made.table.byte_pairs, built->byte_pairs,
                            65536 * sizeof(*built->byte_pairs));
        assert_memory_equal(made.table.filter, built->filter, ((size_t)1 << BT_FILTER_BITS) / 8);
        assert_memory_equal(made.table.crossings, built->crossings,
                            ((size_t)1 << BT_CROSSING_BITS) / 8);
        compare_sets(&made.table.pairs, &built->pairs, 1);
        compare_sets(&made.table.words[0], &built->words[0], 1);
        compare_sets(&made.table.words[1], &built->words[1], 2);
        bt_arena_free(&arena);
    }
}

/* Whether each place in the token where a character of three bytes or more begins is known to be
 * crossed, whatever stands around the token. */
static bool is_crossed(const struct bt_token_table *table, const struct bt_token_entry *token)
{
    static const uint8_t around[] = {0x80, 0x9f, 0xbf};
    for (size_t i = 0; i < COUNT_OF(around) * token->length; i++) {
        const size_t at = 2 + i / COUNT_OF(around);
        uint8_t text[2 + BT_TOKEN_BYTES_MAX + 2];
        memset(text, around[i % COUNT_OF(around)], sizeof(text));
        memcpy(text + 2, token->bytes, token->length);
        if (at > 2 && text[at] >= BT_LONG_CHAR && !bt_token_may_cross(table, text + at)) {
            return false;
        }
    }
    return true;
}

static void no_token_is_cut_at_a_character(void **state)
{
    static const char *const names[] = {"o200k_base", "cl100k_base"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct bt_arena arena;
        struct bt_token_tables made;
        bt_arena_init(&arena, ARENA_BYTES_MAX);
        assert_int_equal(bt_token_tables_make(&arena, &arena, read_list(&arena, names[i]), &made),
                         BT_OK);
        for (uint32_t rank = 0; rank < made.table.count; rank++) {
            assert_true(is_crossed(&made.table, &made.tokens[rank]));
        }
        const uint8_t apart[] = "\xe7\x9a\x84\xf0\x9f\xa6\x84";
        assert_false(bt_token_may_cross(&made.table, apart + 3));
        bt_arena_free(&arena);
    }
}

static void a_list_that_was_changed_is_refused(void **state)
{
    struct bt_arena arena;
    struct bt_token_tables made;
    const struct bt_token_table *table = NULL;
    struct bt_error error;
    (void)state;
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    bt_str list = read_list(&arena, "cl100k_base");
    assert_int_equal(bt_token_table_load(&arena, BT_ENCODING_CL100K_BASE, list, &table, &error),
                     BT_OK);
    assert_int_equal(bt_token_table_load(&arena, BT_ENCODING_O200K_BASE, list, &table, &error),
                     BT_ECORRUPT);
    assert_int_equal(bt_token_table_load(&arena, BT_ENCODING_CHARS4, list, &table, &error),
                     BT_EINVAL);
    char *bytes = (char *)(uintptr_t)list.ptr;
    bytes[5000] = (char)(bytes[5000] ^ 1);
    assert_int_equal(bt_token_table_load(&arena, BT_ENCODING_CL100K_BASE, list, &table, &error),
                     BT_ECORRUPT);
    for (size_t size = 0; size < 300; size += 7) {
        const bt_str part = bt_str_slice(list, 0, size);
        assert_int_equal(bt_token_tables_make(&arena, &arena, part, &made), BT_ECORRUPT);
    }
    list.len--;
    assert_int_equal(bt_token_tables_make(&arena, &arena, list, &made), BT_ECORRUPT);
    bt_arena_free(&arena);
}

static void no_memory_is_a_status(void **state)
{
    struct bt_arena source;
    (void)state;
    bt_arena_init(&source, ARENA_BYTES_MAX);
    const bt_str list = read_list(&source, "cl100k_base");
    for (size_t limit = 1 << 20; limit < (size_t)8 << 20; limit <<= 1) {
        struct bt_arena arena;
        struct bt_token_tables made;
        bt_arena_init(&arena, limit);
        assert_int_equal(bt_token_tables_make(&arena, &arena, list, &made), BT_ENOMEM);
        bt_arena_free(&arena);
    }
    bt_arena_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_gives_the_tables_of_the_build),
        cmocka_unit_test(no_token_is_cut_at_a_character),
        cmocka_unit_test(a_list_that_was_changed_is_refused),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
