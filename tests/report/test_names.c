/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <baton/report.h>

#include "report/report.h"

static void severities_have_names_that_read_back(void **state)
{
    (void)state;
    static const struct {
        enum bt_severity severity;
        const char *name;
    } rows[] = {{BT_SEVERITY_INFO, "INFO"}, {BT_SEVERITY_WARN, "WARN"}, {BT_SEVERITY_HARD, "HARD"}};
    static const struct {
        enum bt_severity severity;
        const char *word;
    } words[] = {{BT_SEVERITY_INFO, "info"},    {BT_SEVERITY_WARN, "warn"},
                 {BT_SEVERITY_WARN, "Warning"}, {BT_SEVERITY_HARD, "hard"},
                 {BT_SEVERITY_HARD, "error"},   {BT_SEVERITY_HARD, "ERROR"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum bt_severity severity = BT_SEVERITY_NONE;
        assert_true(bt_str_eq(bt_severity_name(rows[i].severity), bt_str_of(rows[i].name)));
        assert_int_equal(bt_severity_parse(bt_str_of(rows[i].name), &severity), BT_OK);
        assert_int_equal(severity, rows[i].severity);
    }
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        enum bt_severity severity = BT_SEVERITY_NONE;
        assert_int_equal(bt_severity_parse(bt_str_of(words[i].word), &severity), BT_OK);
        assert_int_equal(severity, words[i].severity);
    }
    assert_str(bt_severity_name(BT_SEVERITY_NONE), "");
    assert_str(bt_severity_name((enum bt_severity)99), "");
}

static void a_word_that_is_no_severity_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"", "fatal", "HARD ", "HAR", "NONE", "off"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        enum bt_severity severity = BT_SEVERITY_WARN;
        assert_int_equal(bt_severity_parse(bt_str_of(words[i]), &severity), BT_EINVAL);
        assert_int_equal(severity, BT_SEVERITY_WARN);
    }
}

static void stages_are_named_in_the_order_they_are_passed(void **state)
{
    (void)state;
    static const char *const names[] = {"",          "read",       "schema", "budget",
                                        "semantics", "governance", "record", "deliver"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_true(bt_str_eq(bt_stage_name((enum bt_stage)i), bt_str_of(names[i])));
    }
    assert_int_equal(BT_STAGE_DELIVER, COUNT_OF(names) - 1);
    assert_str(bt_stage_name((enum bt_stage)COUNT_OF(names)), "");
}

static void fixes_have_names(void **state)
{
    (void)state;
    assert_str(bt_fix_name(BT_FIX_NONE), "");
    assert_str(bt_fix_name(BT_FIX_SAFE), "safe");
    assert_str(bt_fix_name(BT_FIX_UNSAFE), "unsafe");
    assert_str(bt_fix_name((enum bt_fix)3), "");
}

static void formats_have_names_that_read_back(void **state)
{
    (void)state;
    static const char *const names[] = {"full",   "concise", "json",  "jsonl",
                                        "github", "junit",   "sarif", "markdown"};
    assert_int_equal(COUNT_OF(names), BT_REPORT_FORMAT__MAX);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        enum bt_report_format format = BT_REPORT_FORMAT__MAX;
        assert_true(
            bt_str_eq(bt_report_format_name((enum bt_report_format)i), bt_str_of(names[i])));
        assert_int_equal(bt_report_format_parse(bt_str_of(names[i]), &format), BT_OK);
        assert_int_equal(format, i);
    }
    enum bt_report_format format = BT_REPORT_FORMAT_JSON;
    assert_int_equal(bt_report_format_parse(BT_STR("xml"), &format), BT_EINVAL);
    assert_int_equal(bt_report_format_parse(BT_STR(""), &format), BT_EINVAL);
    assert_int_equal(format, BT_REPORT_FORMAT_JSON);
    assert_str(bt_report_format_name(BT_REPORT_FORMAT__MAX), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(severities_have_names_that_read_back),
        cmocka_unit_test(a_word_that_is_no_severity_is_refused),
        cmocka_unit_test(stages_are_named_in_the_order_they_are_passed),
        cmocka_unit_test(fixes_have_names),
        cmocka_unit_test(formats_have_names_that_read_back),
    };
    return RUN_TESTS(tests);
}
