/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_write.c - the four written forms of a document.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "json_test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "json/layout.h"
#include "json/write.h"

/* Write a form of `text` to `buf`; BT_EINVAL names the culprit's text in *out_culprit. */
static enum bt_status write_form(struct bt_buf *buf, bt_str text, enum bt_json_form form,
                                 bt_str *out_culprit)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *document = read_text(&arena, text);
    const bt_json_value *culprit = NULL;
    const enum bt_status status =
        bt_json_write(buf, document, bt_json_root(document), form, &arena, &culprit);
    assert_int_equal(status == BT_EINVAL, culprit != NULL);
    if (culprit && out_culprit) {
        const struct bt_json_span span = bt_json_span(document, culprit);
        *out_culprit = bt_str_slice(text, span.begin, span.end);
    }
    bt_arena_free(&arena);
    return status;
}

static void check_form(const char *text, enum bt_json_form form, const char *expected)
{
    struct bt_buf buf;
    bt_buf_init(&buf, TEST_BUF_BYTES);
    assert_int_equal(write_form(&buf, bt_str_of(text), form, NULL), BT_OK);
    bt_buf_put_char(&buf, '\0');
    assert_string_equal(buf.ptr, expected);
    bt_buf_free(&buf);
}

static void compact_keeps_order_and_numbers(void **state)
{
    (void)state;
    check_form(" { \"b\" : [ 1.0 , 1e3 , -0 , 0.30, 1E+400 ] , \"10\" : \"x\" ,\t\"2\":{ } , "
               "\"a\": [\n] } \n",
               BT_JSON_FORM_COMPACT,
               "{\"b\":[1.0,1e3,-0,0.30,1E+400],\"10\":\"x\",\"2\":{},\"a\":[]}");
    check_form(
        "[\"caf\\u00e9 \\/ \\u2028 \\u007f \\u001F \\ud83d\\ude00 \\uD800\", \"\", \"\\\"\"]",
        BT_JSON_FORM_COMPACT,
        "[\"caf\xc3\xa9 / \xe2\x80\xa8 \x7f \\u001f \xf0\x9f\x98\x80 \\ud800\",\"\",\"\\\"\"]");
    check_form("{\"\\uDFFF\\n\":{\"\":null}}", BT_JSON_FORM_COMPACT,
               "{\"\\udfff\\n\":{\"\":null}}");
    check_form(" true ", BT_JSON_FORM_COMPACT, "true");
    check_form("\"x\"", BT_JSON_FORM_COMPACT, "\"x\"");
}

static void pretty_adds_white_space_only(void **state)
{
    (void)state;
    check_form("{\"a\":[1,{\"b\":null,\"c\":[]},[[2]]],\"d\":{}}", BT_JSON_FORM_PRETTY,
               "{\n"
               "  \"a\": [\n"
               "    1,\n"
               "    {\n"
               "      \"b\": null,\n"
               "      \"c\": []\n"
               "    },\n"
               "    [\n"
               "      [\n"
               "        2\n"
               "      ]\n"
               "    ]\n"
               "  ],\n"
               "  \"d\": {}\n"
               "}\n");
    check_form("[]", BT_JSON_FORM_PRETTY, "[]\n");
    check_form("1.50", BT_JSON_FORM_PRETTY, "1.50\n");
}

static void canonical_is_what_rfc_8785_says(void **state)
{
    (void)state;
    /* Sections 3.2.2 and 3.2.3. */
    check_form(
        "{\"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],"
        "\"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\","
        "\"literals\": [null, true, false]}",
        BT_JSON_FORM_CANONICAL,
        "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
        "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
    check_form(
        "{\"\\u20ac\": \"Euro Sign\", \"\\r\": \"Carriage Return\","
        "\"\\ufb33\": \"Hebrew Letter Dalet With Dagesh\", \"1\": \"One\","
        "\"\\ud83d\\ude00\": \"Emoji: Grinning Face\", \"\\u0080\": \"Control\","
        "\"\\u00f6\": \"Latin Small Letter O With Diaeresis\"}",
        BT_JSON_FORM_CANONICAL,
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
        "\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\","
        "\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\","
        "\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
    /* Behind the first four bytes, a prefix first, and again where code units and points differ. */
    check_form(
        "{\"abcd\\uffff\":1,\"abcd\\ud800\\udc00\":2,\"abcdz\":3,\"abcd\":4,\"abc\":5,\"\":6,"
        "\"abc\\u0000\":7}",
        BT_JSON_FORM_CANONICAL,
        "{\"\":6,\"abc\":5,\"abc\\u0000\":7,\"abcd\":4,\"abcdz\":3,"
        "\"abcd\xf0\x90\x80\x80\":2,\"abcd\xef\xbf\xbf\":1}");
    check_form("[-0,-0.0,9007199254740993,1e-400,-5]", BT_JSON_FORM_CANONICAL,
               "[0,0,9007199254740992,0,-5]");
}

static void what_has_no_canonical_form_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *culprit;
    } rows[] = {
        {"1e309", "1e309"},
        {"{\"b\":[1,-1e400],\"a\":2}", "-1e400"},
        {"[\"ok\",\"\\uD800x\"]", "\"\\uD800x\""},
        {"{\"a\":1,\"\\uDC00\":{\"x\":[]}}", "{\"x\":[]}"},
        {"[[[{\"k\":{\"a\":0,\"z\\udfff\":7}}]]]", "7"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, TEST_BUF_BYTES);
        bt_buf_put_text(&buf, "before");
        bt_str culprit = BT_STR("");
        const bt_str text = bt_str_of(rows[i].text);
        assert_int_equal(write_form(&buf, text, BT_JSON_FORM_CANONICAL, &culprit), BT_EINVAL);
        assert_true(bt_str_eq(culprit, bt_str_of(rows[i].culprit)));
        assert_str(bt_buf_str(&buf), "before");
        assert_int_equal(buf.status, BT_OK);
        assert_int_equal(write_form(&buf, text, BT_JSON_FORM_STRINGIFY, NULL), BT_OK);
        bt_buf_free(&buf);
    }
}

/* The rows of the payload seal, with their sizes. */
static void stringify_is_what_javascript_prints(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *form;
        size_t bytes;
    } rows[] = {
        {"{\"working\":{}}", "{\"working\":{}}", 14},
        {"{\"working\":{\"b\":1,\"10\":\"x\",\"2\":\"y\",\"01\":\"z\"}}",
         "{\"working\":{\"2\":\"y\",\"10\":\"x\",\"b\":1,\"01\":\"z\"}}", 45},
        {"{\"working\":{\"n\":[1.0,1e3,-0,0.30,1e21,1e-7,12345678901234567890,1e400]}}",
         "{\"working\":{\"n\":[1,1000,0,0.3,1e+21,1e-7,12345678901234567000,null]}}", 69},
        {"{\"working\":{\"s\":\"caf\\u00e9 \\/ \\u2028 \\u007f \\u001F \\ud83d\\ude00 \\uD800\"}}",
         "{\"working\":{\"s\":\"caf\xc3\xa9 / \xe2\x80\xa8 \x7f \\u001f \xf0\x9f\x98\x80 "
         "\\ud800\"}}",
         52},
        {"{\"working\":{\"4294967295\":1,\"4294967294\":{\"b\":0,\"0\":5e-324}}}",
         "{\"working\":{\"4294967294\":{\"0\":5e-324,\"b\":0},\"4294967295\":1}}", 60},
        {"{\"-1\":0,\"1.5\":1,\"00\":2,\"99999999999\":3,\"7\":4,\"x\":5,\"0\":6,\"\":7}",
         "{\"0\":6,\"7\":4,\"-1\":0,\"1.5\":1,\"00\":2,\"99999999999\":3,\"x\":5,\"\":7}", 62},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_form(rows[i].text, BT_JSON_FORM_STRINGIFY, rows[i].form);
        assert_int_equal(strlen(rows[i].form), rows[i].bytes);
    }
}

static void a_part_can_be_written(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    const struct bt_json_doc *document = read_literal(&arena, "{\"a\":[{\"z\":1,\"y\":2},3]}");
    const bt_json_value *part = bt_json_resolve(document, bt_json_root(document), BT_STR("/a/0"));
    assert_non_null(part);
    assert_int_equal(bt_json_write(&buf, document, part, BT_JSON_FORM_CANONICAL, &arena, NULL),
                     BT_OK);
    assert_str(bt_buf_str(&buf), "{\"y\":2,\"z\":1}");
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void nesting_needs_no_stack(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    struct bt_buf text;
    bt_buf_init(&text, TEST_BUF_BYTES);
    for (size_t i = 0; i < DEPTH / 2; i++) {
        bt_buf_put_text(&text, "[{\"b\":0,\"a\":");
    }
    bt_buf_put_text(&text, "1");
    for (size_t i = 0; i < DEPTH / 2; i++) {
        bt_buf_put_text(&text, "}]");
    }
    for (int form = BT_JSON_FORM_COMPACT; form <= BT_JSON_FORM_STRINGIFY; form++) {
        struct bt_buf buf;
        bt_buf_init(&buf, TEST_BUF_BYTES);
        assert_int_equal(write_form(&buf, bt_buf_str(&text), (enum bt_json_form)form, NULL), BT_OK);
        assert_true(form == BT_JSON_FORM_PRETTY || buf.len == text.len);
        assert_int_equal(bt_str_eq(bt_buf_str(&buf), bt_buf_str(&text)),
                         form == BT_JSON_FORM_COMPACT || form == BT_JSON_FORM_STRINGIFY);
        bt_buf_free(&buf);
    }
    bt_buf_free(&text);
}

/* 200,000 members, against the order. */
static void large_objects_are_sorted(void **state)
{
    (void)state;
    enum { MEMBERS = 200000 };
    struct bt_buf text;
    struct bt_buf expected;
    struct bt_buf buf;
    bt_buf_init(&text, TEST_BUF_BYTES);
    bt_buf_init(&expected, TEST_BUF_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    for (size_t i = 0; i < MEMBERS; i++) {
        bt_buf_printf(&text, "%c\"%zu\":%zu", i ? ',' : '{', MEMBERS - 1 - i, i);
        bt_buf_printf(&expected, "%c\"%zu\":%zu", i ? ',' : '{', i, MEMBERS - 1 - i);
    }
    bt_buf_put_char(&text, '}');
    bt_buf_put_char(&expected, '}');
    assert_int_equal(write_form(&buf, bt_buf_str(&text), BT_JSON_FORM_STRINGIFY, NULL), BT_OK);
    assert_true(bt_str_eq(bt_buf_str(&buf), bt_buf_str(&expected)));
    bt_buf_free(&buf);
    bt_buf_free(&expected);
    bt_buf_free(&text);
}

static const char awkward[] =
    "{\"z\":[1.5,{\"b\":\"\\n\\u20ac\",\"a\":[[],{}]}],\"y\":{\"2\":0,\"1\":1,\"x\":null}}";

/* Every limit of arena and buffer, from nothing up to what is enough. */
static void running_out_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    for (int form = BT_JSON_FORM_COMPACT; form <= BT_JSON_FORM_STRINGIFY; form++) {
        struct bt_arena document_arena;
        bt_arena_init(&document_arena, TEST_ARENA_BYTES);
        const struct bt_json_doc *document = read_literal(&document_arena, awkward);
        enum bt_status status = BT_ENOMEM;
        for (size_t limit = 0; status != BT_OK; limit += 16) {
            assert_true(limit < 100000);
            struct bt_arena arena;
            struct bt_buf buf;
            bt_arena_init(&arena, limit);
            bt_buf_init(&buf, limit);
            bt_buf_put(&buf, limit > 0 ? BT_STR("!") : BT_STR(""));
            const size_t before = buf.len;
            status = bt_json_write(&buf, document, bt_json_root(document), (enum bt_json_form)form,
                                   &arena, NULL);
            assert_true(status == BT_OK || status == BT_ENOMEM || status == BT_ELIMIT);
            assert_true(status == BT_OK || buf.len == before);
            bt_buf_free(&buf);
            bt_arena_free(&arena);
        }
        bt_arena_free(&document_arena);
    }
}

static void the_arena_is_given_back(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    const struct bt_json_doc *document = read_literal(&arena, awkward);
    const struct bt_arena_mark before = bt_arena_mark(&arena);
    for (int form = BT_JSON_FORM_COMPACT; form <= BT_JSON_FORM_STRINGIFY; form++) {
        assert_int_equal(bt_json_write(&buf, document, bt_json_root(document),
                                       (enum bt_json_form)form, &arena, NULL),
                         BT_OK);
        const struct bt_arena_mark after = bt_arena_mark(&arena);
        assert_ptr_equal(before.chunk, after.chunk);
        assert_ptr_equal(before.next, after.next);
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void white_space_tells_the_style(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool minified;
    } rows[] = {
        {"{\"a\":[1,2]}", true},
        {"{\"a b\":\" \\\" \"}", true},
        {"[1]\n", true},
        {"[1] \t\r\n", true},
        {"[1, 2]", false},
        {" [1]", false},
        {"{\"a\" :1}", false},
        {"[\"\\\\\" ,1]", false},
        {"1", true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        assert_int_equal(bt_json_is_minified(read_literal(&arena, rows[i].text)), rows[i].minified);
        bt_arena_free(&arena);
    }
}

static void a_source_that_is_written_already_is_seen(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool compact;
        bool stringify;
    } rows[] = {
        {"{\"a\":[1,-2,true,null,\" \"],\"b\":{}}", true, true},
        {"[123456789012345]", true, true},
        {"[1234567890123456]", true, false}, /* may be rounded */
        {"[-0]", true, false},
        {"[1.0]", true, false},
        {"[0.5,-0.25,12.75]", true, true},
        {"[0.000001]", true, true},
        {"[0.0000001]", true, false}, /* 1e-7 */
        {"[0.123456789012345]", true, true},
        {"[0.1234567890123456]", true, false}, /* may be rounded */
        {"[1234567890.123456]", true, false},  /* ... */
        {"[0.50]", true, false},
        {"[0.5e1]", true, false},
        {"[-0.0]", true, false},
        {"[1e2]", true, false},
        {"[0]", true, true},
        {"{\"b\":1,\"1\":2}", true, false}, /* JavaScript puts 1 first */
        {"{\"b\":\"1\",\"c\":[\"2\",\"0\"]}", true, true},
        {"{\"b\":{\"2\":\"x\"}}", true, false},
        {"[1, 2]", false, false},
        {"[\"\\u0041\"]", false, false},
        {"\"x y\"", true, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        const struct bt_json_doc *document = read_literal(&arena, rows[i].text);
        const bt_json_value *root = bt_json_root(document);
        bt_str text = BT_STR("");
        assert_int_equal(bt_json_source_has_form(document, root, BT_JSON_FORM_COMPACT, &text),
                         rows[i].compact);
        assert_true(!rows[i].compact || bt_str_eq(text, bt_str_of(rows[i].text)));
        assert_int_equal(bt_json_source_has_form(document, root, BT_JSON_FORM_STRINGIFY, &text),
                         rows[i].stringify);
        bt_arena_free(&arena);
    }
}

/* Whatever stands around it. */
static void a_value_is_seen_in_a_document_that_is_written_otherwise(void **state)
{
    (void)state;
    static const char *const texts[] = {"{ \"a\":[1,\"2\"]}", "{\"a\":[1,\"2\"],\"b\":1e2}",
                                        "{\"a\":[1,\"2\"],\"\\n\":-0}", "{\"a\":[1,\"2\"]} "};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        const struct bt_json_doc *document = read_literal(&arena, texts[i]);
        const bt_json_value *value = bt_json_get(document, bt_json_root(document), BT_STR("a"));
        bt_str text = BT_STR("");
        assert_true(bt_json_source_has_form(document, value, BT_JSON_FORM_STRINGIFY, &text));
        assert_str(text, "[1,\"2\"]");
        assert_false(bt_json_source_has_form(document, bt_json_root(document),
                                             BT_JSON_FORM_STRINGIFY, &text) &&
                     text.len == strlen(texts[i]));
        bt_arena_free(&arena);
    }
}

/* What bt_json_write() puts, and what it puts value by value. */
static void check_source_form(const struct bt_json_doc *document, enum bt_json_form form,
                              struct bt_arena *arena)
{
    struct bt_json_writer writer;
    struct bt_buf whole;
    struct bt_buf pieces;
    const bt_json_value *root = bt_json_root(document);
    bt_buf_init(&whole, TEST_BUF_BYTES);
    bt_buf_init(&pieces, TEST_BUF_BYTES);
    bt_buf_put_text(&whole, "before ");
    bt_buf_put_text(&pieces, "before ");
    bt_json_writer_init(&writer, &pieces, form, NULL, arena);
    assert_int_equal(bt_json_writer_put(&writer, (bt_ref){document, root}), BT_OK);
    assert_int_equal(bt_json_write(&whole, document, root, form, arena, NULL), BT_OK);
    assert_true(bt_str_eq(bt_buf_str(&whole), bt_buf_str(&pieces)));
    bt_buf_free(&pieces);
    bt_buf_free(&whole);
}

/* White space of every length up to 200 bytes, which moves what follows it over the bounds of a
 * block; the text ends where memory does. */
static void a_source_without_escapes_is_written_as_its_values_are(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"a b\":[1,%\" , \",true%],\"  c\":{%}%}",
                                        "[%0.50,1e2%,\"   , \",%{\"2\":%1,\"1\":\"\"}]%",
                                        "%[\"a\\n b\"%,1 ,-0%]", "%\" x \"%", "%12345678%"};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        for (size_t blanks = 0; blanks <= 200; blanks++) {
            struct bt_arena arena;
            struct bt_buf buf;
            bt_arena_init(&arena, TEST_ARENA_BYTES);
            bt_buf_init(&buf, page);
            for (const char *at = texts[i]; *at; at++) {
                bt_buf_put_repeat(&buf, *at == '%' ? " \n\t\r"[blanks % 4] : *at,
                                  *at == '%' ? blanks : 1);
            }
            char *text = pages + page - buf.len;
            memcpy(text, buf.ptr, buf.len);
            const struct bt_json_doc *document = read_text(&arena, (bt_str){text, buf.len});
            check_source_form(document, BT_JSON_FORM_COMPACT, &arena);
            check_source_form(document, BT_JSON_FORM_STRINGIFY, &arena);
            bt_buf_free(&buf);
            bt_arena_free(&arena);
        }
    }
    assert_int_equal(munmap(pages, 2 * page), 0);
}

static void a_written_text_is_laid_out_as_pretty(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "1.50",
        "\"a, b: {c} \\\" [d]\\\\\"",
        "[1,-2e+3,true,null,[],{},[[]],{\"a\":{}}]",
        " { \"a\" : [ 1 , { \"b\" : null } ] , \"c\":{ } , \"d\" : [\n] } ",
        "{\"a\":{\"b\":{\"c\":[[{\"d\":\"\"}]]}},\"e\":[\"x\",\"y\"]}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct bt_buf written;
        struct bt_buf laid_out;
        bt_buf_init(&written, TEST_BUF_BYTES);
        bt_buf_init(&laid_out, TEST_BUF_BYTES);
        assert_int_equal(write_form(&written, bt_str_of(texts[i]), BT_JSON_FORM_PRETTY, NULL),
                         BT_OK);
        bt_json_put_layout(&laid_out, bt_str_of(texts[i]));
        bt_buf_put_char(&written, '\0');
        bt_buf_put_char(&laid_out, '\0');
        assert_string_equal(laid_out.ptr, written.ptr);
        for (size_t end = 0; end < strlen(texts[i]); end++) {
            bt_buf_clear(&laid_out);
            bt_json_put_layout(&laid_out, (bt_str){texts[i], end}); /* a part of it does no harm */
        }
        bt_buf_free(&written);
        bt_buf_free(&laid_out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_keeps_order_and_numbers),
        cmocka_unit_test(pretty_adds_white_space_only),
        cmocka_unit_test(canonical_is_what_rfc_8785_says),
        cmocka_unit_test(what_has_no_canonical_form_is_named),
        cmocka_unit_test(stringify_is_what_javascript_prints),
        cmocka_unit_test(a_part_can_be_written),
        cmocka_unit_test(nesting_needs_no_stack),
        cmocka_unit_test(large_objects_are_sorted),
        cmocka_unit_test(running_out_is_reported_and_leaves_nothing),
        cmocka_unit_test(the_arena_is_given_back),
        cmocka_unit_test(white_space_tells_the_style),
        cmocka_unit_test(a_source_that_is_written_already_is_seen),
        cmocka_unit_test(a_value_is_seen_in_a_document_that_is_written_otherwise),
        cmocka_unit_test(a_source_without_escapes_is_written_as_its_values_are),
        cmocka_unit_test(a_written_text_is_laid_out_as_pretty),
    };
    return RUN_TESTS(tests);
}
