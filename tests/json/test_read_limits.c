/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_read_limits.c - limits to the exact count, memory to the last byte, and texts made to hurt.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "json/reading.h"

#include <sys/mman.h>
#include <unistd.h>

static enum bt_json_error code_of(bt_str text, const struct bt_json_options *options,
                                  size_t *out_offset)
{
    enum bt_json_error code = BT_JSON_ERROR_NONE;
    bool first = true;
    FOR_EACH_KERNEL(kernel)
    {
        struct bt_arena arena;
        bt_arena_init(&arena, (size_t)1 << 30);
        const struct bt_json_read_result result = read_with(kernel, &arena, text, options);
        if (!first) {
            assert_int_equal(result.code, code);
            assert_int_equal(result.offset, *out_offset);
        }
        first = false;
        code = result.code;
        *out_offset = result.offset;
        bt_arena_free(&arena);
    }
    return code;
}

static void depth_is_counted_from_the_root_container(void **state)
{
    (void)state;
    struct bt_json_options options = bt_json_options_default();
    size_t offset = 0;
    for (uint32_t depth = 1; depth <= 5; depth++) {
        options.depth_max = depth;
        assert_int_equal(code_of(BT_STR("[{\"a\":[1]}]"), &options, &offset),
                         depth >= 3 ? BT_JSON_ERROR_NONE : BT_JSON_ERROR_TOO_DEEP);
        assert_int_equal(offset, depth >= 3 ? 0 : depth == 1 ? 1 : 6);
    }
    options.depth_max = 1000;
    char text[4000];
    memset(text, '[', 1001);
    memset(text + 1001, ']', 1001);
    assert_int_equal(code_of((bt_str){text + 1, 2000}, &options, &offset), BT_JSON_ERROR_NONE);
    assert_int_equal(code_of((bt_str){text, 2002}, &options, &offset), BT_JSON_ERROR_TOO_DEEP);
    assert_int_equal(offset, 1000);
}

static void members_and_items_are_counted(void **state)
{
    (void)state;
    struct bt_json_options options = bt_json_options_default();
    size_t offset = 0;
    static const struct {
        const char *text;
        uint64_t nodes; /* as many as there are */
        size_t last;    /* where the last of them stands */
    } rows[] = {
        {"[1,2,3]", 3, 5},
        {"{\"a\":1,\"b\":[2,3]}", 4, 14},
        {"{\"a\":\"x\",\"b\":\"y\"}", 2, 13},
        {"[[],[],{}]", 3, 7},
        {"[[[[\"a\"]]]]", 4, 4},
        {"[null,{\"a\":{\"b\":-1}}]", 4, 16},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        options.nodes_max = rows[i].nodes;
        assert_int_equal(code_of(bt_str_of(rows[i].text), &options, &offset), BT_JSON_ERROR_NONE);
        options.nodes_max = rows[i].nodes - 1;
        assert_int_equal(code_of(bt_str_of(rows[i].text), &options, &offset),
                         BT_JSON_ERROR_TOO_LARGE);
        assert_int_equal(offset, rows[i].last);
    }
    /* What is wrong before the value too many comes first; what is wrong after it, does not. */
    options.nodes_max = 2;
    assert_int_equal(code_of(BT_STR("[1 2,3,4]"), &options, &offset), BT_JSON_ERROR_SYNTAX);
    assert_int_equal(code_of(BT_STR("[1,2,3 4]"), &options, &offset), BT_JSON_ERROR_TOO_LARGE);
    assert_int_equal(code_of(BT_STR("{\"a\":1,\"a\":2,\"b\":3}"), &options, &offset),
                     BT_JSON_ERROR_DUPLICATE_KEY);
    assert_int_equal(code_of(BT_STR("{\"a\":1,\"b\":2,\"a\":3}"), &options, &offset),
                     BT_JSON_ERROR_DUPLICATE_KEY); /* the name stands before its value */
    assert_int_equal(code_of(BT_STR("{\"a\":1,\"b\":2,\"c\":3,\"a\":1}"), &options, &offset),
                     BT_JSON_ERROR_TOO_LARGE);
}

static void strings_are_measured_as_written(void **state)
{
    (void)state;
    struct bt_json_options options = bt_json_options_default();
    size_t offset = 0;
    options.string_bytes_max = 6;
    assert_int_equal(code_of(BT_STR("[\"123456\"]"), &options, &offset), BT_JSON_ERROR_NONE);
    assert_int_equal(code_of(BT_STR("[\"1234567\"]"), &options, &offset), BT_JSON_ERROR_TOO_LARGE);
    assert_int_equal(offset, 1);
    assert_int_equal(code_of(BT_STR("{\"1234567\":1}"), &options, &offset),
                     BT_JSON_ERROR_TOO_LARGE);
    assert_int_equal(code_of(BT_STR("[\"\\u0041\"]"), &options, &offset), BT_JSON_ERROR_NONE);
    assert_int_equal(code_of(BT_STR("[\"\\u0041b\"]"), &options, &offset), BT_JSON_ERROR_TOO_LARGE);
    options.string_bytes_max = UINT64_MAX;
    assert_int_equal(code_of(BT_STR("[\"a"), &options, &offset), BT_JSON_ERROR_SYNTAX);
    assert_int_equal(offset, 3);
}

static void size_comes_before_everything(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result result = {0};
    options.document_bytes_max = 4;
    assert_int_equal(bt_json_read(&arena, BT_STR("\xff\xff\xff\xff"), &options, &result), BT_OK);
    assert_int_equal(result.code, BT_JSON_ERROR_UTF8);
    assert_int_equal(bt_json_read(&arena, BT_STR("\xff\xff\xff\xff\xff"), &options, &result),
                     BT_OK);
    assert_int_equal(result.code, BT_JSON_ERROR_TOO_LARGE);
    assert_int_equal(result.limit, 4);
    options.depth_max = 0; /* the default */
    assert_int_equal(bt_json_read(&arena, BT_STR("1"), &options, &result), BT_OK);
    options.depth_max = 1001;
    assert_int_equal(bt_json_read(&arena, BT_STR("1"), &options, &result), BT_EINVAL);
    bt_arena_free(&arena);
}

/* More names than the short road takes. */
#define MANY_NAMES                                                                                 \
    "{\"a\":0,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":5,\"g\":6,\"h\":7,\"i\":8,\"j\":9,\"k\":1,"    \
    "\"l\":1,\"m\":1,\"n\":2,\"o\":3,\"p\":4,\"q\":5}"

static const char *const samples[] = {
    "{\"a\":[1,2.5,{\"b\":\"x\\ny\",\"c\":null}],\"long name of a member\":true}",
    "[\"\\u00e9\\ud800\",\"\xc3\xa9\",12345678901234567890,-0.5e-10]",
    "{\"a\":1,\"b\":{\"c\":2,\"d\":[{\"e\":1,\"e\":2}]}}",
    MANY_NAMES,
    "[tru]",
    "\"root\"",
    "-17",
};

/* Every memory limit from nothing up, until reading succeeds: a status, never a wrong answer. */
static void running_out_of_memory_is_reported_never_passed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const bt_str text = bt_str_of(samples[i]);
        struct bt_arena large;
        struct bt_json_read_result expected = {0};
        bt_arena_init(&large, 1 << 20);
        assert_int_equal(bt_json_read(&large, text, NULL, &expected), BT_OK);
        for (int split = 0; split < 2; split++) {
            enum bt_status status = BT_ENOMEM;
            for (size_t limit = 16; status != BT_OK && limit < 1 << 16; limit += 16) {
                struct bt_arena arena;
                struct bt_arena scratch;
                struct bt_json_read_result result = {.offset = 77};
                struct bt_json_options options = bt_json_options_default();
                bt_arena_init(&arena, limit);
                bt_arena_init(&scratch, split ? limit : 0);
                options.scratch = split ? &scratch : NULL;
                status = bt_json_read(&arena, text, &options, &result);
                assert_true(status == BT_OK || status == BT_ENOMEM);
                if (status == BT_OK) {
                    assert_int_equal(result.code, expected.code);
                    assert_int_equal(result.offset, expected.offset);
                } else {
                    assert_int_equal(result.offset, 77);
                }
                bt_arena_free(&arena);
                bt_arena_free(&scratch);
            }
            assert_int_equal(status, BT_OK);
        }
        bt_arena_free(&large);
    }
}

/* The text lies between two pages that cannot be read, first against the one behind, then against
 * the one before; a single byte read too far faults. */
static void nothing_beyond_the_text_is_read(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    char *text = pages + page;
    assert_int_equal(mprotect(text, page, PROT_READ | PROT_WRITE), 0);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const size_t whole = strlen(samples[i]);
        for (size_t size = 0; size <= whole; size++) { /* every prefix: all ways to end too early */
            for (int behind = 0; behind < 2; behind++) {
                char *at = behind ? text + page - size : text;
                memcpy(at, samples[i], size);
                FOR_EACH_KERNEL(kernel)
                {
                    struct bt_arena arena;
                    bt_arena_init(&arena, 1 << 20);
                    const struct bt_json_read_result result =
                        read_with(kernel, &arena, (bt_str){at, size}, NULL);
                    assert_true(result.offset <= size);
                    bt_arena_free(&arena);
                }
            }
        }
    }
    assert_int_equal(munmap(pages, 3 * page), 0);
}

static char *repeat(const char *head, const char *body, size_t count, const char *tail)
{
    const size_t size = strlen(head) + strlen(body) * count + strlen(tail) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    char *at = text + snprintf(text, size, "%s", head);
    for (size_t i = 0; i < count; i++) {
        memcpy(at, body, strlen(body));
        at += strlen(body);
    }
    (void)snprintf(at, size - (size_t)(at - text), "%s", tail);
    return text;
}

/* Who knows the seed can compute names that collide: eight zero bytes in front make the
 * multiplication zero. The answer must be right all the same, and come in the same test run. */
static void colliding_names_neither_hang_nor_deceive(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    const size_t row = 64;
    char *text = malloc(COUNT * row);
    assert_non_null(text);
    for (int twice = 0; twice < 2; twice++) {
        size_t size = 0;
        text[size++] = '{';
        for (int i = 0; i < COUNT; i++) {
            size += (size_t)snprintf(text + size, row,
                                     "\"\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000"
                                     "%08d\":1,",
                                     twice && i == COUNT - 1 ? 7 : i);
        }
        text[size - 1] = '}';
        struct bt_arena arena;
        struct bt_json_read_result result = {0};
        struct bt_json_options options = bt_json_options_default();
        options.hash_seed[0] = 0x243f6a8885a308d3; /* takes back the constant of hash.h */
        bt_arena_init(&arena, (size_t)1 << 30);
        assert_int_equal(bt_json_read(&arena, (bt_str){text, size}, &options, &result), BT_OK);
        assert_int_equal(result.code, twice ? BT_JSON_ERROR_DUPLICATE_KEY : BT_JSON_ERROR_NONE);
        if (!twice) {
            const struct bt_json_member *members = bt_json_root(result.document)->as.members;
            assert_int_equal(members[0].name_hash, members[1].name_hash); /* they do collide */
        }
        bt_arena_free(&arena);
    }
    free(text);
}

static void pathological_texts_are_judged(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        const char *body;
        size_t count;
        const char *tail;
        enum bt_json_error code;
    } rows[] = {
        {"", "[", 4000000, "", BT_JSON_ERROR_TOO_DEEP},
        {"", "{\"a\":", 1000000, "", BT_JSON_ERROR_TOO_DEEP},
        {"[", "1,", 3000000, "1]", BT_JSON_ERROR_TOO_LARGE},
        {"[", "\"\",", 900000, "1]", BT_JSON_ERROR_NONE},
        {"\"", "x", 4000000, "\"", BT_JSON_ERROR_NONE},
        {"\"", "\\n", 2000000, "\"", BT_JSON_ERROR_NONE},
        {"\"", "\\", 4000000, "\"", BT_JSON_ERROR_NONE},
        {"\"", "\\", 4000001, "\"", BT_JSON_ERROR_SYNTAX},
        {"", "9", 8000000, "", BT_JSON_ERROR_NONE},
        {"1e", "9", 8000000, "", BT_JSON_ERROR_NONE},
        {"0.", "0", 8000000, "1", BT_JSON_ERROR_NONE},
        {"", " ", 8000000, "", BT_JSON_ERROR_SYNTAX},
        {"", "\"", 8000000, "", BT_JSON_ERROR_SYNTAX},
        {"[", "[],", 900000, "1]", BT_JSON_ERROR_NONE},
        {"[", "\\", 8000000, "]", BT_JSON_ERROR_SYNTAX},
        {"\"", "\xe2\x82\xac", 1300000, "\"", BT_JSON_ERROR_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = repeat(rows[i].head, rows[i].body, rows[i].count, rows[i].tail);
        size_t offset = 0;
        const enum bt_json_error code = code_of(bt_str_of(text), NULL, &offset);
        if (code != rows[i].code) {
            fail_msg("%zu times '%s': code %d at %zu", rows[i].count, rows[i].body, code, offset);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_counted_from_the_root_container),
        cmocka_unit_test(members_and_items_are_counted),
        cmocka_unit_test(strings_are_measured_as_written),
        cmocka_unit_test(size_comes_before_everything),
        cmocka_unit_test(running_out_of_memory_is_reported_never_passed),
        cmocka_unit_test(nothing_beyond_the_text_is_read),
        cmocka_unit_test(colliding_names_neither_hang_nor_deceive),
        cmocka_unit_test(pathological_texts_are_judged),
    };
    return RUN_TESTS(tests);
}
