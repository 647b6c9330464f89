/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_read.c - what is accepted, what is refused and where, the same by every kernel.
 */
#include "json/reading.h"

#include <math.h>
#include <stdlib.h>

#include "json/doc.h"
#include "json/json_test.h"

/* A row: the text, the code, the offset where reading could not go on, the pointer. */
static const struct refused {
    const char *text;
    enum bt_json_error code;
    size_t offset;
    const char *pointer;
} refused[] = {
    {"", BT_JSON_ERROR_SYNTAX, 0, ""},
    {" \n", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"\xef\xbb\xbf{}", BT_JSON_ERROR_SYNTAX, 0, ""},
    {"{", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"[", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"]", BT_JSON_ERROR_SYNTAX, 0, ""},
    {"[1", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[1,", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[1,]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[,1]", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"[1 2]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[1}", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[1]]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[1] x", BT_JSON_ERROR_SYNTAX, 4, ""},
    {"1 2", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"{\"a\"}", BT_JSON_ERROR_SYNTAX, 4, ""},
    {"{\"a\" 1}", BT_JSON_ERROR_SYNTAX, 5, ""},
    {"{\"a\":}", BT_JSON_ERROR_SYNTAX, 5, ""},
    {"{\"a\":1,}", BT_JSON_ERROR_SYNTAX, 7, ""},
    {"{\"a\":1]", BT_JSON_ERROR_SYNTAX, 6, ""},
    {"{\"a\":1 \"b\":2}", BT_JSON_ERROR_SYNTAX, 7, ""},
    {"{a:1}", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"{1:1}", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"{,}", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"{\"a\"", BT_JSON_ERROR_SYNTAX, 4, ""},
    {"{\"a\":", BT_JSON_ERROR_SYNTAX, 5, ""},
    {"tru", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[tru]", BT_JSON_ERROR_SYNTAX, 4, ""},
    {"[trux]", BT_JSON_ERROR_SYNTAX, 4, ""},
    {"[truex]", BT_JSON_ERROR_SYNTAX, 5, ""},
    {"[fals\x01]", BT_JSON_ERROR_SYNTAX, 5, ""},
    {"NaN", BT_JSON_ERROR_SYNTAX, 0, ""},
    {"[nan]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[-Infinity]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[01]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[-01]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[+1]", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"[.5]", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"[1.]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[1.e1]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[1e]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[1e+]", BT_JSON_ERROR_SYNTAX, 4, ""},
    {"[-]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"-", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"[1x]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[0x1]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[1\f]", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[\f1]", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"[1\x1a"
     "2]",
     BT_JSON_ERROR_SYNTAX, 2, ""},
    {"[\"a", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"\"", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"\"\\", BT_JSON_ERROR_SYNTAX, 2, ""},
    {"\"\\\"", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[\"a\nb\"]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[\"a\tb", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[\"\\x\"]", BT_JSON_ERROR_SYNTAX, 3, ""},
    {"[\"\\u12\"]", BT_JSON_ERROR_SYNTAX, 6, ""},
    {"[\"\\u12G4\"]", BT_JSON_ERROR_SYNTAX, 6, ""},
    {"[\"\\ud800\\u12\"]", BT_JSON_ERROR_SYNTAX, 12, ""},
    {"/* */1", BT_JSON_ERROR_SYNTAX, 0, ""},
    {"['a']", BT_JSON_ERROR_SYNTAX, 1, ""},
    {"\xc2\xa0[]", BT_JSON_ERROR_SYNTAX, 0, ""},
    {"[\xff]", BT_JSON_ERROR_UTF8, 1, ""},
    {"[x,\"\xc3(\"]", BT_JSON_ERROR_UTF8, 4, ""}, /* UTF-8 of the whole text comes first */
    {"[\"\xed\xa0\x80\"]", BT_JSON_ERROR_UTF8, 2, ""},
    {"[\"\xe2\x82", BT_JSON_ERROR_UTF8, 2, ""},
    {"{\"a\":1,\"a\":2}", BT_JSON_ERROR_DUPLICATE_KEY, 7, "/a"},
    {"{\"a\":1,\"\\u0061\":2}", BT_JSON_ERROR_DUPLICATE_KEY, 7, "/a"},
    {"{\"\":1,\"\":2}", BT_JSON_ERROR_DUPLICATE_KEY, 6, "/"},
    {"{\"a/b~\":1,\"a/b~\":2}", BT_JSON_ERROR_DUPLICATE_KEY, 10, "/a~1b~0"},
    {"{\"x\":[0,{\"a\":1,\"b\":2,\"a\":3}]}", BT_JSON_ERROR_DUPLICATE_KEY, 21, "/x/1/a"},
    {"[[],{\"a\":1,\"a\":1}]", BT_JSON_ERROR_DUPLICATE_KEY, 11, "/1/a"},
    /* The first problem in reading order wins, whichever is noticed first. */
    {"{\"a\":1,\"a\":{\"x\":1,\"x\":2}}", BT_JSON_ERROR_DUPLICATE_KEY, 7, "/a"},
    {"{\"b\":{\"x\":1,\"x\":2},\"b\":1}", BT_JSON_ERROR_DUPLICATE_KEY, 12, "/b/x"},
    {"{\"a\":1,\"a\":tru}", BT_JSON_ERROR_DUPLICATE_KEY, 7, "/a"},
    {"{\"a\":1,\"a\" 1}", BT_JSON_ERROR_DUPLICATE_KEY, 7, "/a"},
    {"{\"a\":1,\"a", BT_JSON_ERROR_SYNTAX, 9, ""},
    {"{\"a\":1,\"b\":[{\"a\":1,\"c\":2,\"c\"", BT_JSON_ERROR_DUPLICATE_KEY, 25, "/b/0/c"},
    {"{\"a\":1 2,\"a\":3}", BT_JSON_ERROR_SYNTAX, 7, ""},
};

static void refusals_are_placed_at_the_byte_by_every_kernel(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        for (size_t i = 0; i < COUNT_OF(refused); i++) {
            /* Blanks in front move the text through all alignments of a block. */
            for (size_t blanks = 0; blanks < 130; blanks += 13) {
                char text[256];
                memset(text, ' ', blanks);
                const size_t size = strlen(refused[i].text);
                memcpy(text + blanks, refused[i].text, size);
                struct bt_arena arena;
                bt_arena_init(&arena, 1 << 20);
                const struct bt_json_read_result result =
                    read_with(kernel, &arena, (bt_str){text, blanks + size}, NULL);
                const bool moved_mark = blanks > 0 && (unsigned char)refused[i].text[0] == 0xef;
                if (result.code != refused[i].code ||
                    (result.offset != refused[i].offset + blanks && !moved_mark) ||
                    !bt_str_eq(result.pointer, bt_str_of(refused[i].pointer))) {
                    fail_msg("%s, %zu blanks, '%s': code %d at %zu, pointer '%.*s'", kernel->name,
                             blanks, refused[i].text, result.code, result.offset,
                             BT_STR_ARG(result.pointer));
                }
                bt_arena_free(&arena);
            }
        }
    }
}

/* An object of `count` members n0, n1 ... whose values nest (with names of their own, since
 * equal hashes anywhere lead to the thorough check); member `second` repeats `first`. Returns the
 * offset of the repeated name. */
static size_t write_object(char *text, size_t room, size_t count, size_t first, size_t second)
{
    static const char *const values[] = {"1", "{\"m0\":1,\"m1\":2}", "[{\"m0\":{}},[]]", "\"n0\""};
    size_t size = (size_t)snprintf(text, room, "{");
    size_t repeated = 0;
    for (size_t i = 0; i < count; i++) {
        repeated = i == second ? size : repeated;
        size += (size_t)snprintf(text + size, room - size, "\"n%zu\":%s%s", i == second ? first : i,
                                 values[i % COUNT_OF(values)], i + 1 < count ? "," : "}");
    }
    assert_true(size < room);
    return repeated;
}

/* Long objects take another road than short ones; each place of the repetition must be found. */
static void a_repeated_name_is_found_at_every_place(void **state)
{
    (void)state;
    FOR_EACH_KERNEL(kernel)
    {
        for (size_t count = 2; count <= 24; count++) {
            for (size_t first = 0; first < count; first++) {
                for (size_t second = first; second < count; second++) {
                    char text[2048];
                    const size_t expected = write_object(text, sizeof(text), count, first, second);
                    struct bt_arena arena;
                    bt_arena_init(&arena, 1 << 20);
                    const struct bt_json_read_result result =
                        read_with(kernel, &arena, bt_str_of(text), NULL);
                    const bool repeats = first != second;
                    if (result.code !=
                            (repeats ? BT_JSON_ERROR_DUPLICATE_KEY : BT_JSON_ERROR_NONE) ||
                        result.offset != (repeats ? expected : 0)) {
                        fail_msg("%s, '%s': code %d at %zu", kernel->name, text, result.code,
                                 result.offset);
                    }
                    bt_arena_free(&arena);
                }
            }
        }
    }
}

static void values_have_their_types_and_texts(void **state)
{
    (void)state;
    const bt_str text =
        BT_STR("[null,false,true,0,-7,9223372036854775807,-9223372036854775808,"
               "9223372036854775808,1.5,-0,1e400,-1e400,0.1e1,\"a\",\"\",\"\\u00e9\\n\","
               "\"\xc3\xa9\",[],{},\"\\ud83d\\ude00\",\"\\ud83d\",123456789012345678]");
    FOR_EACH_KERNEL(kernel)
    {
        struct bt_arena arena;
        bt_arena_init(&arena, 1 << 20);
        const struct bt_json_read_result result = read_with(kernel, &arena, text, NULL);
        const bt_json_value *root = bt_json_root(result.document);
        assert_int_equal(bt_json_type(root), BT_JSON_ARRAY);
        assert_int_equal(bt_json_count(root), 22);
        const bt_json_value *item = root->as.items;
        static const uint8_t types[] = {
            BT_JSON_NULL,    BT_JSON_FALSE,   BT_JSON_TRUE,   BT_JSON_INTEGER, BT_JSON_INTEGER,
            BT_JSON_INTEGER, BT_JSON_INTEGER, BT_JSON_NUMBER, BT_JSON_NUMBER,  BT_JSON_INTEGER,
            BT_JSON_NUMBER,  BT_JSON_NUMBER,  BT_JSON_NUMBER, BT_JSON_STRING,  BT_JSON_STRING,
            BT_JSON_STRING,  BT_JSON_STRING,  BT_JSON_ARRAY,  BT_JSON_OBJECT,  BT_JSON_STRING,
            BT_JSON_STRING,  BT_JSON_INTEGER};
        for (size_t i = 0; i < COUNT_OF(types); i++) {
            assert_int_equal(item[i].type, types[i]);
        }
        assert_true(item[5].as.integer == INT64_MAX);
        assert_true(item[6].as.integer == INT64_MIN);
        assert_true(bt_json_to_double(&item[7]) == 9223372036854775808.0);
        assert_true(bt_json_to_double(&item[8]) == 1.5);
        assert_true(bt_json_to_double(&item[10]) == HUGE_VAL);
        assert_true(bt_json_to_double(&item[11]) == -HUGE_VAL);
        assert_str(bt_json_number_text(result.document, &item[10]), "1e400");
        assert_string_equal(bt_json_type_name(result.document, &item[12]), "integer");
        assert_string_equal(bt_json_type_name(result.document, &item[8]), "number");
        assert_str(bt_json_text(&item[13]), "a");
        assert_str(bt_json_text(&item[15]), "\xc3\xa9\n");
        assert_int_equal(item[15].flags, BT_JSON_FLAG_ESCAPED | BT_JSON_FLAG_NON_ASCII);
        assert_str(bt_json_text(&item[16]), "\xc3\xa9");
        assert_int_equal(item[16].flags, BT_JSON_FLAG_NON_ASCII);
        assert_str(bt_json_text(&item[19]), "\xf0\x9f\x98\x80");
        assert_str(bt_json_text(&item[20]), "\xed\xa0\xbd");
        assert_true(item[20].flags & BT_JSON_FLAG_LONE_SURROGATE);
        assert_true(bt_json_has_lone_surrogate(result.document));
        assert_true(item[21].as.integer == 123456789012345678);
        assert_int_equal(bt_json_node_count(result.document), 22);
        bt_arena_free(&arena);
    }
}

static void a_document_knows_whether_it_has_a_long_number(void **state)
{
    static const struct {
        const char *text;
        bool has;
    } rows[] = {
        {"[1, -2, 1234567, 12345678, 0.5, 123456789012345, 0.1234567890123, \"1e5\"]", false},
        {"[1234567890123456]", true},
        {"[-123456789012345]", true},
        {"[0.12345678901234]", true},
        {"{\"a\":[{\"b\":1e5}]}", true},
        {"[1E5]", true},
        {"-0.0", false},
        {"1e0", true},
        {"{\"1e5\": 1}", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_json_read_result result = {0};
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, bt_str_of(rows[i].text), NULL, &result), BT_OK);
        assert_int_equal(bt_json_has_long_number(result.document), rows[i].has);
        bt_arena_free(&arena);
    }
}

/* A number as programs write it, or nearly: digits, a point, seldom an exponent or a fault. */
static void put_number(struct rng *rng, char *out, size_t room)
{
    static const char *const ends[] = {"e5", "E-3", ".", "x", "-", ".e1", "e", ".5.5"};
    size_t at = 0; /* "-" may be all there is */
    if (rng_below(rng, 3) == 0) {
        out[at++] = '-';
    }
    const bool is_zero = rng_below(rng, 4) == 0;
    for (size_t digits = is_zero ? 1 : rng_below(rng, 21) + (at == 0); digits > 0; digits--) {
        out[at++] = (char)('0' + (is_zero ? 0 : rng_below(rng, 10)));
    }
    if (rng_below(rng, 3) != 0) {
        out[at++] = '.';
        const size_t zeros = rng_below(rng, 3) == 0 ? rng_below(rng, 9) : 0;
        for (size_t digits = rng_below(rng, 20), i = 0; i < digits; i++) {
            out[at++] = (char)('0' + (i < zeros ? 0 : rng_below(rng, 10)));
        }
    }
    const char *end = rng_below(rng, 12) == 0 ? ends[rng_below(rng, COUNT_OF(ends))] : "";
    (void)snprintf(out + at, room - at, "%s", end);
}

/* The first item of both, and what strtod() says. */
static void compare_numbers(const struct bt_json_doc *slow, const struct bt_json_doc *quick,
                            const char *number)
{
    const bt_json_value *a = bt_json_root(slow)->as.items;
    const bt_json_value *b = bt_json_root(quick)->as.items;
    const double real = strtod(number, NULL);
    if (a->type != b->type || memcmp(&a->as, &b->as, sizeof(a->as)) != 0 ||
        slow->has_long_number != quick->has_long_number ||
        slow->is_stringified != quick->is_stringified ||
        (a->type == BT_JSON_NUMBER && memcmp(&real, &a->as.real, sizeof(real)) != 0) ||
        (a->type == BT_JSON_INTEGER && (double)a->as.integer != real)) {
        fail_msg("%s", number);
    }
}

/* At the end of a text numbers are scanned byte by byte; before it, 8 or 16 digits at a time. */
static void numbers_are_read_alike_in_two_ways(void **state)
{
    (void)state;
    static const char behind[] =
        "\"................................................................\"";
    struct rng rng = {1};
    size_t accepted = 0;
    for (size_t i = 0; i < 60000; i++) {
        struct bt_arena arena;
        char number[64];
        char near[128];
        char far[192];
        struct bt_json_read_result slow = {0};
        put_number(&rng, number, sizeof(number));
        const char *blank = i % 2 == 0 ? "" : " "; /* then no number need be plain */
        (void)snprintf(near, sizeof(near), "[%s%s]", blank, number);
        (void)snprintf(far, sizeof(far), "[%s%s,%s]", blank, number, behind);
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, bt_str_of(near), NULL, &slow), BT_OK);
        FOR_EACH_KERNEL(kernel)
        {
            const struct bt_json_read_result quick =
                read_with(kernel, &arena, bt_str_of(far), NULL);
            assert_int_equal(slow.code, quick.code);
            assert_int_equal(slow.offset, quick.offset);
            if (slow.document) {
                compare_numbers(slow.document, quick.document, number);
            }
        }
        accepted += slow.document != NULL;
        bt_arena_free(&arena);
    }
    assert_true(accepted > 40000 && accepted < 59000);
}

static void every_value_and_name_knows_its_place(void **state)
{
    (void)state;
    const bt_str text = BT_STR(" {\"a\" : [1, true ,{} ],\n \"b\\n\":\"x\\ty\", \"c\":-1.5e3} ");
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(&arena, text, NULL, &result), BT_OK);
    const struct bt_json_doc *doc = result.document;
    const bt_json_value *root = bt_json_root(doc);
    const struct bt_json_member *members = root->as.members;
    const bt_json_value *items = members[0].value.as.items;
    const struct {
        struct bt_json_span span;
        const char *expected;
    } rows[] = {
        {bt_json_span(doc, root), "{\"a\" : [1, true ,{} ],\n \"b\\n\":\"x\\ty\", \"c\":-1.5e3}"},
        {bt_json_member_name_span(doc, &members[0]), "\"a\""},
        {bt_json_span(doc, &members[0].value), "[1, true ,{} ]"},
        {bt_json_span(doc, &items[0]), "1"},
        {bt_json_span(doc, &items[1]), "true"},
        {bt_json_span(doc, &items[2]), "{}"},
        {bt_json_member_name_span(doc, &members[1]), "\"b\\n\""},
        {bt_json_span(doc, &members[1].value), "\"x\\ty\""},
        {bt_json_member_name_span(doc, &members[2]), "\"c\""},
        {bt_json_span(doc, &members[2].value), "-1.5e3"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bt_str run = bt_str_slice(text, rows[i].span.begin, rows[i].span.end);
        if (!bt_str_eq(run, bt_str_of(rows[i].expected))) {
            fail_msg("row %zu: '%.*s'", i, BT_STR_ARG(run));
        }
    }
    bt_arena_free(&arena);
}

static void members_are_found_by_name(void **state)
{
    (void)state;
    char text[4096] = "{";
    size_t size = 1;
    for (int i = 0; i < 60; i++) {
        /* Names of 1 to 60 bytes: every road of the hash. */
        size += (size_t)snprintf(text + size, sizeof(text) - size, "\"%0*d\":%d%s", i + 1, i % 10,
                                 i, i < 59 ? "," : "}");
    }
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    struct bt_json_options options = bt_json_options_default();
    options.hash_seed[0] = 0x0123456789abcdef;
    options.hash_seed[1] = 0xfedcba9876543210;
    struct bt_json_read_result result = {0};
    assert_int_equal(bt_json_read(&arena, (bt_str){text, size}, &options, &result), BT_OK);
    const bt_json_value *root = bt_json_root(result.document);
    for (int i = 0; i < 60; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "%0*d", i + 1, i % 10);
        const bt_json_value *value = bt_json_get(result.document, root, bt_str_of(name));
        assert_non_null(value);
        assert_true(value->as.integer == i);
        name[i] = 'x';
        assert_null(bt_json_get(result.document, root, bt_str_of(name)));
    }
    assert_null(bt_json_get(result.document, root, BT_STR("")));
    assert_null(bt_json_get(result.document, NULL, BT_STR("a")));
    assert_null(
        bt_json_get(result.document, bt_json_get(result.document, root, BT_STR("0")), BT_STR("a")));
    bt_arena_free(&arena);
}

static void repeated_names_may_be_allowed_and_the_last_counts(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    struct bt_json_options options = bt_json_options_default();
    options.duplicates_allowed = true;
    FOR_EACH_KERNEL(kernel)
    {
        const struct bt_json_read_result result =
            read_with(kernel, &arena, BT_STR("{\"a\":1,\"b\":2,\"a\":3}"), &options);
        const bt_json_value *root = bt_json_root(result.document);
        assert_int_equal(bt_json_count(root), 3);
        const bt_json_value *last = bt_json_get(result.document, root, BT_STR("a"));
        assert_non_null(last);
        assert_true(last->as.integer == 3);
        assert_int_equal(read_with(kernel, &arena, BT_STR("{\"a\":1,\"a\":tru}"), &options).code,
                         BT_JSON_ERROR_SYNTAX);
    }
    bt_arena_free(&arena);
}

static void minified_means_no_blank_outside_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool minified;
    } rows[] = {{"{\"a b\":1}", true}, {"{\"a\":1}\n", true},   {"{\"a\": 1}", false},
                {" 1", false},         {"[\"\\\" \",1]", true}, {"[\"\\\\\", 1]", false},
                {"[1,\n2]", false},    {"\" \"", true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, 1 << 20);
        struct bt_json_read_result result = {0};
        assert_int_equal(bt_json_read(&arena, bt_str_of(rows[i].text), NULL, &result), BT_OK);
        assert_int_equal(bt_json_is_minified(result.document), rows[i].minified);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_are_placed_at_the_byte_by_every_kernel),
        cmocka_unit_test(a_repeated_name_is_found_at_every_place),
        cmocka_unit_test(values_have_their_types_and_texts),
        cmocka_unit_test(a_document_knows_whether_it_has_a_long_number),
        cmocka_unit_test(numbers_are_read_alike_in_two_ways),
        cmocka_unit_test(every_value_and_name_knows_its_place),
        cmocka_unit_test(members_are_found_by_name),
        cmocka_unit_test(repeated_names_may_be_allowed_and_the_last_counts),
        cmocka_unit_test(minified_means_no_blank_outside_strings),
    };
    return RUN_TESTS(tests);
}
