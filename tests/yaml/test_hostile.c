/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hostile.c - bounds, memory that runs out, and texts made to cost.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "test.h"
#include "yaml/yaml.h"

enum {
    ARENA_BYTES = 256 << 20,
    TEXT_BYTES = 1 << 20,
};

static struct bt_yaml_read_result judge(struct bt_arena *arena, bt_str text,
                                        const struct bt_yaml_options *options)
{
    struct bt_yaml_read_result result;
    assert_int_equal(bt_yaml_read(arena, text, options, &result), BT_OK);
    return result;
}

static void every_bound_has_a_name_and_holds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct bt_yaml_options options;
        const char *name; /* "": within bounds */
        size_t offset;
    } rows[] = {
        {"abc", {3, 10, 10}, "", 0},
        {"abcd", {3, 10, 10}, "bytes", 3},
        {"[[[]]]", {100, 10, 3}, "", 0},
        {"[[[[]]]]", {100, 10, 3}, "depth", 3},
        {"a:\n  b:\n    c: d\n", {100, 10, 3}, "", 0},
        {"a:\n  b:\n    c: d\n", {100, 10, 2}, "depth", 12},
        {"[1,2,3]", {100, 3, 10}, "", 0},
        {"[1,2,3,4]", {100, 3, 10}, "nodes", 7},
        {"a: 1\nb: [1]\n", {100, 3, 10}, "", 0},
        {"a: 1\nb: [1, {c: d}]\n", {100, 3, 10}, "nodes", 12},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, ARENA_BYTES);
        const struct bt_yaml_read_result result =
            judge(&arena, bt_str_of(rows[i].text), &rows[i].options);
        assert_int_equal(result.code, rows[i].name[0] ? BT_YAML_LIMIT : BT_YAML_ERROR_NONE);
        assert_true(bt_str_eq(result.limit_name, bt_str_of(rows[i].name)));
        assert_int_equal(result.offset, rows[i].offset);
        bt_arena_free(&arena);
    }
}

static void a_bound_out_of_range_is_the_callers_mistake(void **state)
{
    (void)state;
    static const struct bt_yaml_options rows[] = {{10, 10, 0}, {10, 10, 1001}, {10, 10000001, 10}};
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_yaml_read_result result;
        assert_int_equal(bt_yaml_read(&arena, BT_STR("a"), &rows[i], &result), BT_EINVAL);
    }
    bt_arena_free(&arena);
}

/* `piece` over and over, between two texts. */
static bt_str repeated(char *room, const char *before, const char *piece, const char *behind)
{
    size_t size = strlen(before);
    memcpy(room, before, size);
    while (size + strlen(piece) + strlen(behind) <= TEXT_BYTES) {
        memcpy(room + size, piece, strlen(piece));
        size += strlen(piece);
    }
    memcpy(room + size, behind, strlen(behind));
    return (bt_str){room, size + strlen(behind)};
}

static void a_megabyte_of_anything_is_judged(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        const char *piece;
        const char *behind;
        enum bt_yaml_error code;
    } rows[] = {
        {"", "[", "", BT_YAML_LIMIT},
        {"", "{", "", BT_YAML_UNSUPPORTED},
        {"", "{a: ", "", BT_YAML_LIMIT},
        {"", "- ", "", BT_YAML_LIMIT},
        {"", "? ", "", BT_YAML_UNSUPPORTED},
        {"", ": ", "", BT_YAML_LIMIT},
        {"", "[\n", "", BT_YAML_LIMIT},
        {"[", "a,", "]", BT_YAML_LIMIT},
        {"[", "aaaaaaaaaaaa,", "]", BT_YAML_ERROR_NONE},
        {"", "k: v\n", "", BT_YAML_LIMIT},
        {"", "kkkkkkkkkkk: v\n", "", BT_YAML_DUPLICATE_KEY},
        {"", "x", "", BT_YAML_ERROR_NONE},
        {"a: |\n", "  x\n", "", BT_YAML_ERROR_NONE},
        {"a: >\n", " \n", "", BT_YAML_LIMIT},
        {"a: x", "\r", "", BT_YAML_SYNTAX},
        {"a: \"x", "\r\n", "\"", BT_YAML_LIMIT},
        {"a: |\n", "  x\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "", BT_YAML_ERROR_NONE},
        {"\"", "\\u00e9", "\"", BT_YAML_ERROR_NONE},
        {"'", "''", "", BT_YAML_SYNTAX},
        {"", "#", "", BT_YAML_ERROR_NONE},
        {"", " ", "", BT_YAML_ERROR_NONE},
        {"", "\t", "", BT_YAML_SYNTAX},
        {"", "&a ", "", BT_YAML_UNSUPPORTED},
        {"", "---\n", "", BT_YAML_UNSUPPORTED},
        {"", "%A\n", "", BT_YAML_UNSUPPORTED},
    };
    char *room = malloc(TEXT_BYTES);
    assert_non_null(room);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, ARENA_BYTES);
        const bt_str text = repeated(room, rows[i].before, rows[i].piece, rows[i].behind);
        const struct bt_yaml_read_result result = judge(&arena, text, NULL);
        if (result.code != rows[i].code) {
            fail_msg("%s%s: code %d at %zu", rows[i].before, rows[i].piece, (int)result.code,
                     result.offset);
        }
        bt_arena_free(&arena);
    }
    free(room);
}

static void nested_anchors_cost_nothing(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_yaml_read_result result =
        judge(&arena,
              BT_STR("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                     "c: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"),
              NULL);
    assert_int_equal(result.code, BT_YAML_UNSUPPORTED);
    assert_str(result.feature, "anchor");
    bt_arena_free(&arena);
}

/* Give the reader every memory limit from nothing up, until it succeeds. */
static void running_out_of_memory_is_a_status_never_a_judgement(void **state)
{
    (void)state;
    const bt_str texts[] = {BT_STR("a: [1, {b: c}]\nd: 'e'\n"), BT_STR("a: [\n"),
                            BT_STR("a: {b: 1, b: 2}\n")};
    const enum bt_yaml_error codes[] = {BT_YAML_ERROR_NONE, BT_YAML_SYNTAX, BT_YAML_DUPLICATE_KEY};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        enum bt_status status = BT_ENOMEM;
        size_t failed = 0;
        for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 16) {
            struct bt_arena arena;
            struct bt_yaml_read_result result;
            bt_arena_init(&arena, limit);
            status = bt_yaml_read(&arena, texts[i], NULL, &result);
            assert_true(status == BT_OK || status == BT_ENOMEM);
            assert_true(status != BT_OK || result.code == codes[i]);
            failed += status != BT_OK;
            bt_arena_free(&arena);
        }
        assert_int_equal(status, BT_OK);
        assert_true(failed > 0);
    }
}

/* Put each text against a page that may not be touched: a byte too far is the end. */
static void nothing_is_read_past_the_end(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    static const char *const texts[] = {
        "a: [1, 'x', \"y\\n\", &b c]",
        "a: |\n  b\n  c",
        "a: >-\n  b",
        "- a\n-",
        "a:",
        "'x",
        "\"\\",
        "\"\\u12",
        "# c",
        "a #",
        "%YAML 1.2\n---",
        "---",
        "...",
        "? a",
        "\xc3\xa9: \xf0\x9f\x98\x80",
        "[a, b",
        "a: b\r",
        "{\"a\":1}",
        "a: *b",
        "!t",
        ":\r:",
        "a: |2",
        "a: b\n \n\t",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            struct bt_arena arena;
            bt_arena_init(&arena, ARENA_BYTES);
            char *text = pages + page - size;
            memcpy(text, texts[i], size);
            (void)judge(&arena, (bt_str){text, size}, NULL);
            bt_arena_free(&arena);
        }
    }
    assert_int_equal(munmap(pages, 2 * page), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bound_has_a_name_and_holds),
        cmocka_unit_test(a_bound_out_of_range_is_the_callers_mistake),
        cmocka_unit_test(a_megabyte_of_anything_is_judged),
        cmocka_unit_test(nested_anchors_cost_nothing),
        cmocka_unit_test(running_out_of_memory_is_a_status_never_a_judgement),
        cmocka_unit_test(nothing_is_read_past_the_end),
    };
    return RUN_TESTS(tests);
}
