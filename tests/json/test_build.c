/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_build.c - the second stage of reading, by every kernel: strings of each kind, with and
 * without an end, and repeated names.
 */
#include "json/json_test.h"
#include "json/reading.h"

#include "json/doc.h"

enum { STRINGS = 60, STRING_BYTES_MAX = 90 };

/* What was put, as it must be read. */
struct made_string {
    size_t begin;
    size_t size; /* in the source */
    bool has_escape;
    bool has_wide;
};

static struct made_string put_string(struct rng *rng, char *text, size_t *at)
{
    static const char *const escapes[] = {"\\n", "\\\"", "\\u0041", "\\\\"};
    struct made_string made = {.begin = *at};
    const size_t kind = rng_below(rng, 8); /* most have neither escape nor wide character */
    const size_t pieces = rng_below(rng, rng_below(rng, 4) == 0 ? 70 : 12);
    text[(*at)++] = '"';
    for (size_t i = 0; i < pieces; i++) {
        const bool is_odd = rng_below(rng, 8) == 0;
        const char *piece = "x";
        if (is_odd && (kind == 0 || kind == 2)) {
            piece = escapes[rng_below(rng, COUNT_OF(escapes))];
            made.has_escape = true;
        } else if (is_odd && (kind == 1 || kind == 2)) {
            piece = "\xc3\xa4";
            made.has_wide = true;
        }
        memcpy(text + *at, piece, strlen(piece));
        *at += strlen(piece);
    }
    made.size = *at - made.begin - 1;
    text[(*at)++] = '"';
    return made;
}

static void check_strings(const struct bt_json_doc *document, const struct made_string *made)
{
    const bt_json_value *items = bt_json_root(document)->as.items;
    for (size_t i = 0; i < STRINGS; i++) {
        const bool is_escaped = (items[i].flags & BT_JSON_FLAG_ESCAPED) != 0;
        const bool is_wide = (items[i].flags & BT_JSON_FLAG_NON_ASCII) != 0;
        if (is_escaped != made[i].has_escape || is_wide != made[i].has_wide ||
            (!is_escaped && items[i].size != made[i].size) ||
            bt_json_span(document, &items[i]).begin != made[i].begin) {
            fail_msg("string %zu of %.*s", i, (int)document->source.len, document->source.ptr);
        }
    }
}

static void each_string_is_taken_for_what_it_is(void **state)
{
    (void)state;
    struct rng rng = {7};
    struct bt_json_options options = bt_json_options_default();
    for (size_t turn = 0; turn < 2000; turn++) {
        char text[STRINGS * 500];
        struct made_string made[STRINGS];
        size_t at = 0;
        size_t first_long = 0;
        options.string_bytes_max = turn % 2 == 0 ? 1 + rng_below(&rng, STRING_BYTES_MAX) : 1000;
        for (size_t i = 0; i < STRINGS; i++) {
            text[at++] = i == 0 ? '[' : ',';
            made[i] = put_string(&rng, text, &at);
            if (first_long == 0 && made[i].size > options.string_bytes_max) {
                first_long = made[i].begin;
            }
        }
        text[at++] = ']';
        FOR_EACH_KERNEL(kernel)
        {
            struct bt_arena arena;
            bt_arena_init(&arena, 1 << 20);
            const struct bt_json_read_result result =
                read_with(kernel, &arena, (bt_str){text, at}, &options);
            assert_int_equal(result.code,
                             first_long > 0 ? BT_JSON_ERROR_TOO_LARGE : BT_JSON_ERROR_NONE);
            assert_int_equal(result.offset, first_long);
            if (result.document) {
                check_strings(result.document, made);
            }
            bt_arena_free(&arena);
        }
    }
}

/* A text cut within a string, wherever the string stands in its block. */
static void a_string_without_an_end_is_found_by_every_kernel(void **state)
{
    (void)state;
    static const char *const fronts[] = {"[\"", "{\"", "{\"a\":\"", "[\"\xc3\xa4\",\"", "\""};
    for (size_t i = 0; i < COUNT_OF(fronts) * 150; i++) {
        char text[200];
        const char *front = fronts[i / 150];
        const size_t size = strlen(front) + i % 150;
        memset(text, 'x', sizeof(text));
        memcpy(text, front, strlen(front));
        FOR_EACH_KERNEL(kernel)
        {
            struct bt_arena arena;
            bt_arena_init(&arena, 1 << 20);
            const struct bt_json_read_result result =
                read_with(kernel, &arena, (bt_str){text, size}, NULL);
            assert_int_equal(result.code, BT_JSON_ERROR_SYNTAX);
            assert_int_equal(result.offset, size);
            bt_arena_free(&arena);
        }
    }
}

static size_t put_member(char *text, size_t size, size_t room, size_t i, size_t name)
{
    const int put = snprintf(text + size, room - size, "%s\"n%zu\":%s", i == 0 ? "{" : ",", name,
                             i % 5 == 3 ? "{\"n0\":[{}],\"n1\":2}" : "1");
    return size + (size_t)put;
}

/* The name at `second` repeats the one at `first`; when they are equal, none does. */
static void check_repeated(size_t count, size_t first, size_t second)
{
    char text[2000];
    size_t size = 0;
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        offset = i == second && first != second ? size + 1 : offset;
        size = put_member(text, size, sizeof(text), i, i == second ? first : i);
    }
    text[size++] = '}';
    FOR_EACH_KERNEL(kernel)
    {
        struct bt_arena arena;
        bt_arena_init(&arena, 1 << 20);
        const struct bt_json_read_result result =
            read_with(kernel, &arena, (bt_str){text, size}, NULL);
        assert_int_equal(result.code,
                         first == second ? BT_JSON_ERROR_NONE : BT_JSON_ERROR_DUPLICATE_KEY);
        assert_int_equal(result.offset, offset);
        bt_arena_free(&arena);
    }
}

static void a_repeated_name_is_found_at_every_distance(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 40; count++) {
        for (size_t second = 0; second < count; second++) {
            for (size_t first = 0; first <= second; first += first + 3 < second ? 3 : 1) {
                check_repeated(count, first, second);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_string_is_taken_for_what_it_is),
        cmocka_unit_test(a_string_without_an_end_is_found_by_every_kernel),
        cmocka_unit_test(a_repeated_name_is_found_at_every_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
