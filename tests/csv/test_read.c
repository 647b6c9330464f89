/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_read.c - what is read, what is refused, and where everything stood.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "csv/csv.h"
#include "test.h"

enum { ARENA_BYTES = 64 << 20 };

static struct bt_arena arena;

static int begin(void **state)
{
    (void)state;
    bt_arena_init(&arena, ARENA_BYTES);
    return 0;
}

static int end(void **state)
{
    (void)state;
    bt_arena_free(&arena);
    return 0;
}

static struct bt_csv_read_result judge(bt_str text, const struct bt_csv_options *options)
{
    struct bt_csv_read_result result;
    assert_int_equal(bt_csv_read(&arena, text, options, &result), BT_OK);
    assert_true((result.table != NULL) == (result.code == BT_CSV_ERROR_NONE));
    return result;
}

/* Cells in brackets, rows one after the other. */
static void put_table(struct bt_buf *buf, const struct bt_csv_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        for (size_t j = 0; j < table->rows[i].count; j++) {
            bt_buf_printf(buf, "[%.*s]", BT_STR_ARG(table->rows[i].cells[j].text));
        }
        bt_buf_put_char(buf, ';');
    }
}

static void texts_are_read_in_one_way(void **state)
{
    (void)state;
    static const struct row {
        bt_str text;
        const char *expected;
    } rows[] = {
        {BT_STR_INIT("a"), "[a];"},
        {BT_STR_INIT("a,b\n"), "[a][b];"},
        {BT_STR_INIT("a,\n"), "[a][];"},
        {BT_STR_INIT(","), "[][];"},
        {BT_STR_INIT("\n\r\na\n\n"), "[a];"},
        {BT_STR_INIT("a\r\nb\n"), "[a];[b];"},
        {BT_STR_INIT("\xef\xbb\xbf"
                     "a,b"),
         "[a][b];"},
        {BT_STR_INIT("\"\""), "[];"},
        {BT_STR_INIT("\"a,\"\"b\"\"\r\nc\",d"), "[a,\"b\"\r\nc][d];"},
        {BT_STR_INIT("\"\"\"\""), "[\"];"},
        {BT_STR_INIT(" a ,\tb"), "[ a ][\tb];"},
        {BT_STR_INIT("a\x0b\x0c\xc2\x85\xe2\x80\xa8z"), "[a\x0b\x0c\xc2\x85\xe2\x80\xa8z];"},
        {BT_STR_INIT("\"a\rb\""), "[a\rb];"},
        {BT_STR_INIT("a;b"), "[a;b];"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_csv_read_result result = judge(rows[i].text, NULL);
        struct bt_buf buf;
        bt_buf_init(&buf, 1 << 16);
        assert_non_null(result.table);
        put_table(&buf, result.table);
        bt_buf_put_char(&buf, '\0');
        assert_string_equal(buf.ptr, rows[i].expected);
        bt_buf_free(&buf);
    }
}

static void a_doubtful_text_is_refused_at_its_byte(void **state)
{
    (void)state;
    static const struct row {
        bt_str text;
        enum bt_csv_error code;
        size_t offset;
        size_t row;
        size_t cell;
    } rows[] = {
        {BT_STR_INIT(""), BT_CSV_EMPTY, 0, 0, 0},
        {BT_STR_INIT("\xef\xbb\xbf"), BT_CSV_EMPTY, 0, 0, 0},
        {BT_STR_INIT("\n\r\n\n"), BT_CSV_EMPTY, 0, 0, 0},
        {BT_STR_INIT("a\xff"), BT_CSV_UTF8, 1, 0, 0},
        {BT_STR_INIT("a\xed\xa0\x80"), BT_CSV_UTF8, 1, 0, 0},
        {BT_STR_INIT("\"open\0"), BT_CSV_NUL, 5, 0, 0},
        {BT_STR_INIT("a\rb"), BT_CSV_BARE_CR, 1, 0, 0},
        {BT_STR_INIT("a\n\r"), BT_CSV_BARE_CR, 2, 1, 0},
        {BT_STR_INIT("\"a\"\rb"), BT_CSV_BARE_CR, 3, 0, 0},
        {BT_STR_INIT("a,b\"c"), BT_CSV_QUOTE_BARE, 3, 0, 1},
        {BT_STR_INIT("a\nb, \"c\""), BT_CSV_QUOTE_BARE, 5, 1, 1},
        {BT_STR_INIT("\"a\"b"), BT_CSV_QUOTE_TRAILING, 3, 0, 0},
        {BT_STR_INIT("\"a\" ,"), BT_CSV_QUOTE_TRAILING, 3, 0, 0},
        {BT_STR_INIT("a\n1,\"x\n2,y\n"), BT_CSV_QUOTE_UNTERMINATED, 4, 1, 1},
        {BT_STR_INIT("\""), BT_CSV_QUOTE_UNTERMINATED, 0, 0, 0},
        {BT_STR_INIT("\"a\"\""), BT_CSV_QUOTE_UNTERMINATED, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_csv_read_result result = judge(rows[i].text, NULL);
        assert_int_equal(result.code, rows[i].code);
        assert_int_equal(result.offset, rows[i].offset);
        assert_int_equal(result.row, rows[i].row);
        assert_int_equal(result.cell, rows[i].cell);
        assert_true((result.header != NULL) == (rows[i].row > 0));
    }
}

static void a_value_equal_to_its_limit_passes_and_one_more_does_not(void **state)
{
    (void)state;
    static const struct row {
        struct bt_csv_options options;
        bt_str fits;
        bt_str exceeds;
        enum bt_csv_limit kind;
        uint64_t actual;
    } rows[] = {
        {{5, 9, 9, 9}, BT_STR_INIT("a,b\nc"), BT_STR_INIT("a,b\ncd"), BT_CSV_LIMIT_DOCUMENT, 6},
        {{99, 5, 9, 9},
         BT_STR_INIT("\"a\",b\r\n"),
         BT_STR_INIT("\"a\",bc\r\n"),
         BT_CSV_LIMIT_ROW,
         6},
        {{99, 99, 3, 9},
         BT_STR_INIT("\"a\"\"b\""),
         BT_STR_INIT("\"a\"\"bc\""),
         BT_CSV_LIMIT_CELL,
         4},
        {{99, 3, 3, 9}, BT_STR_INIT("abc"), BT_STR_INIT("abcd"), BT_CSV_LIMIT_CELL, 4},
        {{99, 99, 9, 3}, BT_STR_INIT("a,b\nc"), BT_STR_INIT("a,b\nc,d"), BT_CSV_LIMIT_CELLS, 4},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_non_null(judge(rows[i].fits, &rows[i].options).table);
        const struct bt_csv_read_result result = judge(rows[i].exceeds, &rows[i].options);
        assert_int_equal(result.code, BT_CSV_TOO_LARGE);
        assert_int_equal(result.limit_kind, rows[i].kind);
        assert_int_equal(result.actual, rows[i].actual);
    }
}

static void places_and_record_ends_are_kept(void **state)
{
    (void)state;
    const bt_str text = BT_STR("\xef\xbb\xbfid,x\r\n\n\"1\",\"a\nb\"\n2,");
    const struct bt_csv_table *table = judge(text, NULL).table;
    assert_non_null(table);
    assert_true(table->has_bom);
    assert_int_equal(table->count, 3);
    assert_int_equal(table->blank_lines, 1);
    assert_int_equal(table->crlf_count, 1);
    assert_int_equal(table->lf_count, 1);
    assert_int_equal(table->rows[0].begin, 3);
    assert_int_equal(table->rows[0].end, 7);
    assert_int_equal(table->rows[1].cells[0].begin, 10);
    assert_true(table->rows[1].cells[0].is_quoted);
    assert_int_equal(table->rows[1].cells[1].begin, 14);
    assert_int_equal(table->rows[1].cells[1].end, 19);
    assert_int_equal(table->rows[2].cells[1].begin, text.len);
}

static void cells_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 10);
    bt_csv_put_cell(&buf, BT_STR("a\"b"), false);
    bt_csv_put_cell(&buf, BT_STR("plain"), false);
    bt_csv_put_cell(&buf, BT_STR("plain"), true);
    assert_str(bt_buf_str(&buf), "\"a\"\"b\"plain\"plain\"");
    bt_buf_free(&buf);
}

/* The text lies against a page that may not be read. */
static void nothing_behind_the_text_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"a", "a,", "\"a\"", "\"a", "a\r", "\"a\"\"", "\r", "a\n"};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const size_t length = strlen(texts[i]);
        memcpy(memory + page - length, texts[i], length);
        const bt_str text = {memory + page - length, length};
        (void)judge(text, NULL);
    }
    assert_int_equal(munmap(memory, 2 * page), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_read_in_one_way, begin, end),
        cmocka_unit_test_setup_teardown(a_doubtful_text_is_refused_at_its_byte, begin, end),
        cmocka_unit_test_setup_teardown(a_value_equal_to_its_limit_passes_and_one_more_does_not,
                                        begin, end),
        cmocka_unit_test_setup_teardown(places_and_record_ends_are_kept, begin, end),
        cmocka_unit_test(cells_are_quoted_where_they_must_be),
        cmocka_unit_test_setup_teardown(nothing_behind_the_text_is_read, begin, end),
    };
    return RUN_TESTS(tests);
}
