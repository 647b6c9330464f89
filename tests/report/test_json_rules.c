/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"
#include "test.h"

#include "json/options.h"
#include "report/json_rules.h"

struct desk {
    struct bt_arena arena;
    struct bt_findings *findings;
    bt_str source;
};

/* Read `source` as a checker does, and finish the findings. */
static enum bt_status examine(struct bt_findings *findings, bt_str source,
                              const struct bt_json_options *options)
{
    struct bt_json_read_result result = {0};
    BT_TRY(bt_json_read(bt_findings_arena(findings), source, options, &result));
    if (result.document) {
        BT_TRY(bt_findings_add_lone(findings, result.document));
    } else {
        BT_TRY(bt_findings_add_json(findings, &result, source));
    }
    return bt_findings_finish(findings, source);
}

static void open_desk(struct desk *desk, bt_str source, const struct bt_json_options *options)
{
    bt_arena_init(&desk->arena, SIZE_MAX);
    desk->findings = bt_findings_new(&desk->arena);
    desk->source = source;
    assert_non_null(desk->findings);
    assert_int_equal(examine(desk->findings, source, options), BT_OK);
}

static void close_desk(struct desk *desk)
{
    bt_arena_free(&desk->arena);
}

static const struct bt_finding *only_finding(const struct desk *desk)
{
    assert_int_equal(bt_findings_count(desk->findings), 1);
    return bt_findings_at(desk->findings, 0);
}

static bool is_json_rule(const struct bt_rule *rule)
{
    return bt_str_eq(rule->dialect, BT_STR("json")) &&
           bt_str_starts_with(rule->code, BT_STR("JSON_"));
}

static void rows_are_complete(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (!is_json_rule(rule)) {
            continue;
        }
        count++;
        assert_str(rule->dialect, "json");
        assert_true(rule->meaning.len > 0);
        assert_true(rule->explanation.len > rule->meaning.len);
        assert_int_not_equal(rule->severity, BT_SEVERITY_NONE);
        assert_int_not_equal(rule->stage, BT_STAGE_NONE);
        assert_false(rule->security);
        assert_int_equal(rule->bad.len > 0, rule->good.len > 0);
    }
    assert_int_equal(count, 8);
}

static void every_code_of_the_reader_has_a_row(void **state)
{
    (void)state;
    for (int code = BT_JSON_ERROR_SYNTAX; code <= BT_JSON_ERROR_TOO_LARGE; code++) {
        const struct bt_json_read_result result = {.code = (enum bt_json_error)code,
                                                   .pointer = BT_STR("/a"),
                                                   .detail = "",
                                                   .limit_name = BT_STR("depth")};
        struct bt_arena arena;
        bt_arena_init(&arena, SIZE_MAX);
        struct bt_findings *findings = bt_findings_new(&arena);
        assert_non_null(findings);
        assert_int_equal(bt_findings_add_json(findings, &result, BT_STR("x")), BT_OK);
        assert_int_equal(bt_findings_count(findings), 1);
        const struct bt_rule *rule = bt_findings_at(findings, 0)->rule;
        assert_true(is_json_rule(rule));
        assert_int_equal(rule->severity, BT_SEVERITY_HARD);
        assert_int_equal(rule->stage, BT_STAGE_READ);
        bt_arena_free(&arena);
    }
}

/* Whether the canonical form refuses a text, or a patch of {} is refused. */
static bool is_refused(const struct bt_rule *rule, bt_str text)
{
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, SIZE_MAX);
    bt_buf_init(&buf, SIZE_MAX);
    struct bt_json_read_result read = {0};
    struct bt_json_read_result empty = {0};
    assert_int_equal(bt_json_read(&arena, text, NULL, &read), BT_OK);
    assert_int_equal(bt_json_read(&arena, BT_STR("{}"), NULL, &empty), BT_OK);
    assert_non_null(read.document);
    assert_non_null(empty.document);
    bool refused = false;
    if (bt_str_eq(rule->code, BT_STR("JSON_NOT_CANONICAL"))) {
        refused = bt_json_write(&buf, read.document, bt_json_root(read.document),
                                BT_JSON_FORM_CANONICAL, &arena, NULL) == BT_EINVAL;
    } else {
        const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT};
        struct bt_json_patch_result result = {0};
        assert_int_equal(
            bt_json_patch(&buf, empty.document, read.document, &options, &arena, &result), BT_OK);
        refused = result.code != BT_JSON_PATCH_OK;
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return refused;
}

static void bad_examples_break_their_rule_and_good_ones_none(void **state)
{
    (void)state;
    size_t shown = 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (!is_json_rule(rule) || rule->bad.len == 0) {
            continue;
        }
        shown++;
        struct desk desk;
        open_desk(&desk, rule->good, NULL);
        assert_int_equal(bt_findings_count(desk.findings), 0);
        close_desk(&desk);
        if (bt_str_eq(rule->code, BT_STR("JSON_NOT_CANONICAL")) ||
            bt_str_eq(rule->code, BT_STR("JSON_PATCH_REFUSED"))) {
            assert_true(is_refused(rule, rule->bad));
            assert_false(is_refused(rule, rule->good));
            continue;
        }
        open_desk(&desk, rule->bad, NULL);
        assert_ptr_equal(only_finding(&desk)->rule, rule);
        close_desk(&desk);
    }
    assert_int_equal(shown, 6);
}

static void a_refused_text_is_one_finding_that_names_place_and_byte(void **state)
{
    (void)state;
    static const struct {
        bt_str source;
        const char *code;
        const char *message; /* its end */
        const char *hint;    /* a part of it */
        struct bt_position place;
    } rows[] = {
        {BT_STR_INIT(""),
         "JSON_SYNTAX",
         "at line 1, column 1, found an empty document",
         "complete",
         {1, 1}},
        {BT_STR_INIT("[1,\n 2,\n]"),
         "JSON_SYNTAX",
         "at line 3, column 1, found \"]\"",
         "remove the comma",
         {3, 1}},
        {BT_STR_INIT("{'a':1}"), "JSON_SYNTAX", "found \"'\"", "double quotes", {1, 2}},
        {BT_STR_INIT("[1] // x"), "JSON_SYNTAX", "found \"/\"", "comment", {1, 5}},
        {BT_STR_INIT("[NaN]"), "JSON_SYNTAX", "found \"N\"", "NaN", {1, 2}},
        {BT_STR_INIT("[True]"), "JSON_SYNTAX", "found \"T\"", "lower case", {1, 2}},
        {BT_STR_INIT("```json\n{}\n```"), "JSON_SYNTAX", "found \"`\"", "fence", {1, 1}},
        {BT_STR_INIT("[\"a\nb\"]"), "JSON_SYNTAX", "found \"\\n\"", "escapes", {1, 4}},
        {BT_STR_INIT("[1"), "JSON_SYNTAX", "found the end of the document", "too early", {1, 3}},
        {BT_STR_INIT("\xef\xbb\xbf[]"),
         "JSON_SYNTAX",
         "found \"\\u{feff}\"",
         "byte order mark",
         {1, 1}},
        {BT_STR_INIT("[] \xe5\xae\x9b"),
         "JSON_SYNTAX",
         "found \"\xe5\xae\x9b\"",
         "RFC 8259",
         {1, 4}},
        {BT_STR_INIT("[\"a\xff\"]"),
         "JSON_UTF8",
         "the byte \"\\xff\" at line 1, column 4 begins no UTF-8 character",
         "UTF-8",
         {1, 4}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct desk desk;
        open_desk(&desk, rows[i].source, NULL);
        const struct bt_finding *finding = only_finding(&desk);
        assert_true(bt_str_eq(finding->rule->code, bt_str_of(rows[i].code)));
        if (!bt_str_ends_with(finding->message, bt_str_of(rows[i].message))) {
            fail_msg("row %zu says '%.*s'", i, BT_STR_ARG(finding->message));
        }
        char hint[200];
        (void)snprintf(hint, sizeof(hint), "%.*s", BT_STR_ARG(finding->hint));
        assert_non_null(strstr(hint, rows[i].hint));
        assert_int_equal(finding->severity, BT_SEVERITY_HARD);
        assert_str(finding->pointer, "");
        assert_int_equal(finding->position.line, rows[i].place.line);
        assert_int_equal(finding->position.column, rows[i].place.column);
        close_desk(&desk);
    }
}

static void a_repeated_name_is_named_as_it_reads_not_as_it_is_pointed_at(void **state)
{
    (void)state;
    struct desk desk;
    open_desk(&desk, BT_STR("{\"x\":[{\"a~/\":1,\n\"\\u0061~/\":2}]}"), NULL);
    const struct bt_finding *finding = only_finding(&desk);
    assert_str(finding->rule->code, "JSON_DUPLICATE_KEY");
    assert_str(finding->pointer, "/x/0/a~0~1");
    assert_str(test_params(finding), "{\"name\":\"a~/\"}");
    assert_str(finding->message,
               "the object has a member \"a~/\" already; it comes again at line 2, column 1");
    assert_int_equal(finding->position.line, 2);
    assert_int_equal(finding->position.column, 1);
    close_desk(&desk);
}

static void a_repeated_name_may_be_empty_long_or_hostile(void **state)
{
    (void)state;
    struct desk desk;
    open_desk(&desk, BT_STR("{\"\":1,\"\":2}"), NULL);
    assert_str(test_params(only_finding(&desk)), "{\"name\":\"\"}");
    close_desk(&desk);
    open_desk(&desk, BT_STR("{\"\\u001b[31m\":1,\"\\u001b[31m\":2}"), NULL);
    assert_str(test_params(only_finding(&desk)), "{\"name\":\"\\u001b[31m\"}");
    assert_str(
        only_finding(&desk)->message,
        "the object has a member \"\\x1b[31m\" already; it comes again at line 1, column 17");
    close_desk(&desk);
}

static void every_limit_is_named_with_its_value(void **state)
{
    (void)state;
    static const struct {
        bt_str source;
        struct bt_json_options options;
        const char *code;
        const char *params;
    } rows[] = {
        {BT_STR_INIT("[1,2,3,4]"),
         {.document_bytes_max = 8, .string_bytes_max = 100, .nodes_max = 100, .depth_max = 100},
         "JSON_TOO_LARGE",
         "{\"limit\":8,\"name\":\"document_bytes\"}"},
        {BT_STR_INIT("[\"abcdef\"]"),
         {.document_bytes_max = 100, .string_bytes_max = 5, .nodes_max = 100, .depth_max = 100},
         "JSON_TOO_LARGE",
         "{\"limit\":5,\"name\":\"string_bytes\"}"},
        {BT_STR_INIT("{\"abcdef\":1}"),
         {.document_bytes_max = 100, .string_bytes_max = 5, .nodes_max = 100, .depth_max = 100},
         "JSON_TOO_LARGE",
         "{\"limit\":5,\"name\":\"string_bytes\"}"},
        {BT_STR_INIT("[1,2,3,4]"),
         {.document_bytes_max = 100, .string_bytes_max = 100, .nodes_max = 3, .depth_max = 100},
         "JSON_TOO_LARGE",
         "{\"limit\":3,\"name\":\"nodes\"}"},
        {BT_STR_INIT("[[[]]]"),
         {.document_bytes_max = 100, .string_bytes_max = 100, .nodes_max = 100, .depth_max = 2},
         "JSON_TOO_DEEP",
         "{\"limit\":2,\"name\":\"depth\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct desk desk;
        open_desk(&desk, rows[i].source, &rows[i].options);
        const struct bt_finding *finding = only_finding(&desk);
        assert_true(bt_str_eq(finding->rule->code, bt_str_of(rows[i].code)));
        if (!bt_str_eq(test_params(finding), bt_str_of(rows[i].params))) {
            fail_msg("row %zu has params %.*s", i, BT_STR_ARG(test_params(finding)));
        }
        assert_true(finding->hint.len > 0);
        close_desk(&desk);
    }
}

static void a_lone_surrogate_is_reported_where_it_stands(void **state)
{
    (void)state;
    struct desk desk;
    open_desk(&desk,
              BT_STR("{\"a\":[1,\"x\\ud800\"],\n \"k\\udc00~/\":{\"n\\ud801\":\"v\\ud802\"},\n"
                     " \"ok\xed\x9f\xbf\":\"\\ud83d\\ude00 \xed\x9f\xbf\"}"),
              NULL);
    static const struct {
        const char *pointer;
        const char *params;
        const char *message;
        struct bt_position place;
    } rows[] = {
        {"/a/1",
         "{\"in\":\"string\"}",
         "the string \"x\\u{d800}\" holds half of a surrogate pair",
         {1, 9}},
        {"/k\xed\xb0\x80~0~1",
         "{\"in\":\"name\"}",
         "the name \"k\\u{dc00}~/\" holds half of a surrogate pair",
         {2, 2}},
        {"/k\xed\xb0\x80~0~1/n\xed\xa0\x81",
         "{\"in\":\"name\"}",
         "the name \"n\\u{d801}\" holds half of a surrogate pair",
         {2, 15}},
        {"/k\xed\xb0\x80~0~1/n\xed\xa0\x81",
         "{\"in\":\"string\"}",
         "the string \"v\\u{d802}\" holds half of a surrogate pair",
         {2, 25}},
    };
    assert_int_equal(bt_findings_count(desk.findings), COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_finding *finding = bt_findings_at(desk.findings, i);
        assert_str(finding->rule->code, "JSON_LONE_SURROGATE");
        assert_int_equal(finding->severity, BT_SEVERITY_WARN);
        assert_false(finding->security);
        assert_true(bt_str_eq(finding->pointer, bt_str_of(rows[i].pointer)));
        assert_true(bt_str_eq(test_params(finding), bt_str_of(rows[i].params)));
        assert_true(bt_str_eq(finding->message, bt_str_of(rows[i].message)));
        assert_int_equal(finding->position.line, rows[i].place.line);
        assert_int_equal(finding->position.column, rows[i].place.column);
    }
    close_desk(&desk);
}

static void a_lone_surrogate_may_be_the_whole_document(void **state)
{
    (void)state;
    struct desk desk;
    open_desk(&desk, BT_STR(" \"\\ud800\""), NULL);
    assert_str(only_finding(&desk)->pointer, "");
    assert_int_equal(only_finding(&desk)->position.column, 2);
    close_desk(&desk);
}

static void the_deepest_document_is_walked(void **state)
{
    (void)state;
    enum {
        DEPTH = 1000,
    };
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < DEPTH / 2; i++) {
        bt_buf_put_text(&text, "[0,{\"a\":");
    }
    bt_buf_put_text(&text, "\"\\ud800\"");
    for (size_t i = 0; i < DEPTH / 2; i++) {
        bt_buf_put_text(&text, "}]");
    }
    struct bt_json_options options = bt_json_options_default();
    options.depth_max = DEPTH;
    struct desk desk;
    open_desk(&desk, bt_buf_str(&text), &options);
    const bt_str pointer = only_finding(&desk)->pointer;
    assert_int_equal(pointer.len, DEPTH / 2 * strlen("/1/a"));
    assert_true(bt_str_starts_with(pointer, BT_STR("/1/a/1/a")));
    close_desk(&desk);
    bt_buf_free(&text);
}

static void many_lone_surrogates_are_all_reported(void **state)
{
    (void)state;
    enum {
        COUNT = 100000,
    };
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < COUNT; i++) {
        bt_buf_put_text(&text, i == 0 ? "[\"\\ud800\"" : ",\"\\ud800\"");
    }
    bt_buf_put_char(&text, ']');
    struct desk desk;
    open_desk(&desk, bt_buf_str(&text), NULL);
    assert_int_equal(bt_findings_count(desk.findings), COUNT);
    assert_str(bt_findings_at(desk.findings, COUNT - 1)->pointer, "/99999");
    assert_int_equal(bt_findings_at(desk.findings, 1)->position.column, 11);
    close_desk(&desk);
    bt_buf_free(&text);
}

static void running_out_of_memory_is_reported_never_passed(void **state)
{
    (void)state;
    static const bt_str sources[] = {BT_STR_INIT("[1,]"), BT_STR_INIT("{\"a\":1,\"a\":2}"),
                                     BT_STR_INIT("{\"\\ud800\":[\"\\ud800\",\"\\ud801\"]}")};
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        enum bt_status status = BT_ENOMEM;
        size_t refused = 0;
        for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 16) {
            struct bt_arena arena;
            bt_arena_init(&arena, limit);
            struct bt_findings *findings = bt_findings_new(&arena);
            status = findings ? examine(findings, sources[i], NULL) : BT_ENOMEM;
            assert_true(status == BT_OK || status == BT_ENOMEM);
            refused += status == BT_ENOMEM;
            bt_arena_free(&arena);
        }
        assert_int_equal(status, BT_OK);
        assert_true(refused > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(every_code_of_the_reader_has_a_row),
        cmocka_unit_test(bad_examples_break_their_rule_and_good_ones_none),
        cmocka_unit_test(a_refused_text_is_one_finding_that_names_place_and_byte),
        cmocka_unit_test(a_repeated_name_is_named_as_it_reads_not_as_it_is_pointed_at),
        cmocka_unit_test(a_repeated_name_may_be_empty_long_or_hostile),
        cmocka_unit_test(every_limit_is_named_with_its_value),
        cmocka_unit_test(a_lone_surrogate_is_reported_where_it_stands),
        cmocka_unit_test(a_lone_surrogate_may_be_the_whole_document),
        cmocka_unit_test(the_deepest_document_is_walked),
        cmocka_unit_test(many_lone_surrogates_are_all_reported),
        cmocka_unit_test(running_out_of_memory_is_reported_never_passed),
    };
    return RUN_TESTS(tests);
}
