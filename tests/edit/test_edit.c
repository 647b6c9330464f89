/* SPDX-License-Identifier: Apache-2.0 */
/* test_edit.c - lists of edits: applied, sorted, joined, found between two texts. */
#include "test.h"

#include "base/arena.h"
#include "edit/edit.h"

enum { ARENA_BYTES = 1 << 20, TEXT_MAX = 40, EDITS_MAX = 4, RUNS = 20000 };

static struct bt_edit_list list_of(struct bt_edit *items, size_t count)
{
    return (struct bt_edit_list){items, count, count};
}

static bt_str apply(struct bt_arena *arena, const struct bt_edit_list *edits, bt_str source)
{
    bt_str text = BT_STR("");
    assert_int_equal(bt_edit_list_apply(edits, source, arena, &text), BT_OK);
    return text;
}

static void edits_change_their_bytes_alone(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    struct bt_edit items[] = {
        {0, 0, BT_STR_INIT("<")}, {2, 3, BT_STR_INIT("C")}, {3, 5, BT_STR_INIT("")}};
    const struct bt_edit_list edits = list_of(items, COUNT_OF(items));
    assert_str(apply(&arena, &edits, BT_STR("abcdef")), "<abCf");
    const struct bt_edit_list none = {0};
    const bt_str source = BT_STR("abcdef");
    assert_ptr_equal(apply(&arena, &none, source).ptr, source.ptr);
    bt_arena_free(&arena);
}

static void edits_are_sorted_and_do_not_overlap(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    struct bt_edit items[] = {{3, 5, BT_STR_INIT("b")},
                              {3, 3, BT_STR_INIT("a1")},
                              {3, 3, BT_STR_INIT("a2")},
                              {0, 3, BT_STR_INIT("c")}};
    struct bt_edit_list edits = list_of(items, COUNT_OF(items));
    assert_int_equal(bt_edit_list_sort(&edits, &arena), BT_OK);
    assert_str(edits.items[0].text, "c");
    assert_str(edits.items[1].text, "a1");
    assert_str(edits.items[2].text, "a2");
    assert_str(edits.items[3].text, "b");
    struct bt_edit overlapping[] = {{3, 5, BT_STR_INIT("")}, {0, 4, BT_STR_INIT("")}};
    edits = list_of(overlapping, COUNT_OF(overlapping));
    assert_int_equal(bt_edit_list_sort(&edits, &arena), BT_EINVAL);
    bt_arena_free(&arena);
}

/* ---- Joining --------------------------------------------------------------------------------- */

static uint32_t next_number(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* Some edits of a text of `size` bytes. */
static struct bt_edit_list random_edits(uint32_t *seed, size_t size, struct bt_edit *items)
{
    static const bt_str texts[] = {BT_STR_INIT(""), BT_STR_INIT("x"), BT_STR_INIT("YZ"),
                                   BT_STR_INIT("1234")};
    struct bt_edit_list edits = {items, 0, EDITS_MAX};
    size_t from = 0;
    while (edits.count < EDITS_MAX && from <= size) {
        const size_t begin = from + next_number(seed, 6);
        const size_t end = begin + next_number(seed, 5);
        if (end > size) {
            break;
        }
        items[edits.count++] = (struct bt_edit){begin, end, texts[next_number(seed, 4)]};
        from = end + next_number(seed, 2);
    }
    return edits;
}

static void joined_edits_do_what_both_lists_do(void **state)
{
    (void)state;
    uint32_t seed = 7;
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t run = 0; run < RUNS; run++) {
        char text[TEXT_MAX];
        const size_t size = next_number(&seed, TEXT_MAX);
        for (size_t i = 0; i < size; i++) {
            text[i] = (char)('a' + i % 26);
        }
        const bt_str source = {text, size};
        struct bt_edit first_items[EDITS_MAX];
        struct bt_edit second_items[EDITS_MAX];
        const struct bt_edit_list first = random_edits(&seed, size, first_items);
        const bt_str middle = apply(&arena, &first, source);
        const struct bt_edit_list second = random_edits(&seed, middle.len, second_items);
        const bt_str wanted = apply(&arena, &second, middle);
        struct bt_edit_list both;
        assert_int_equal(bt_edit_list_compose(&first, middle, &second, &arena, &both), BT_OK);
        assert_true(both.count <= first.count + second.count);
        assert_int_equal(bt_edit_list_sort(&both, &arena), BT_OK);
        const bt_str got = apply(&arena, &both, source);
        if (!bt_str_eq(got, wanted)) {
            fail_msg("run %zu: got '%.*s', expected '%.*s'", run, BT_STR_ARG(got),
                     BT_STR_ARG(wanted));
        }
        bt_arena_reset(&arena);
    }
    bt_arena_free(&arena);
}

static void offsets_lead_back_to_the_source(void **state)
{
    (void)state;
    struct bt_edit items[] = {
        {0, 0, BT_STR_INIT("<<")}, {2, 3, BT_STR_INIT("CC")}, {4, 6, BT_STR_INIT("")}};
    const struct bt_edit_list edits = list_of(items, COUNT_OF(items)); /* abcdefg -> <<abCCdg */
    static const size_t sources[] = {0, 0, 0, 1, 2, 2, 3, 6, 7};
    struct bt_edit_cursor cursor = bt_edit_cursor_begin(&edits);
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        assert_int_equal(bt_edit_cursor_find(&cursor, i), sources[i]);
    }
    for (size_t i = COUNT_OF(sources); i-- > 0;) {
        assert_int_equal(bt_edit_cursor_find(&cursor, i), sources[i]);
    }
}

/* ---- Two texts ------------------------------------------------------------------------------- */

static void edit_between_texts_splits_no_character(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        const char *after;
        size_t begin;
        size_t end;
        const char *text;
    } rows[] = {
        {"abc", "axc", 1, 2, "x"},
        {"abc", "abcc", 3, 3, "c"},
        {"aaa", "aa", 2, 3, ""},
        {"", "a", 0, 0, "a"},
        {"a\303\251b", "a\303\250b", 1, 3, "\303\250"}, /* e with two accents */
        {"a\303\251", "a\304\251", 1, 3, "\304\251"},
        {"a\r\nb", "a\nb", 1, 3, "\n"},
        {"a\rb", "a\r\nb", 1, 2, "\r\n"},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_edit_list edits;
        const bt_str before = bt_str_of(rows[i].before);
        const bt_str after = bt_str_of(rows[i].after);
        assert_int_equal(bt_edit_list_between(before, after, &arena, &edits), BT_OK);
        assert_int_equal(edits.count, 1);
        assert_int_equal(edits.items[0].begin, rows[i].begin);
        assert_int_equal(edits.items[0].end, rows[i].end);
        assert_true(bt_str_eq(edits.items[0].text, bt_str_of(rows[i].text)));
        assert_true(bt_str_eq(apply(&arena, &edits, before), after));
    }
    struct bt_edit_list none;
    assert_int_equal(bt_edit_list_between(BT_STR("ab"), BT_STR("ab"), &arena, &none), BT_OK);
    assert_int_equal(none.count, 0);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_change_their_bytes_alone),
        cmocka_unit_test(edits_are_sorted_and_do_not_overlap),
        cmocka_unit_test(joined_edits_do_what_both_lists_do),
        cmocka_unit_test(offsets_lead_back_to_the_source),
        cmocka_unit_test(edit_between_texts_splits_no_character),
    };
    return RUN_TESTS(tests);
}
