/* SPDX-License-Identifier: Apache-2.0 */
/* select_test.h - findings, settings and their results as texts, for the tests of select. */
#ifndef BATON_TESTS_SELECT_SELECT_TEST_H
#define BATON_TESTS_SELECT_SELECT_TEST_H

#include "test.h"

#include "report/rules.h"
#include "select/select.h"

enum { BYTES_MAX = 64 << 20 };

#define FOLDER "/w/project"

static inline void add_finding(struct bt_findings *findings, unsigned code,
                               enum bt_severity severity, const char *pointer)
{
    struct bt_finding finding = bt_finding_from_rule(&bt_rules[bt_rules_first[code]]);
    finding.severity = severity ? severity : finding.severity;
    finding.pointer = bt_str_of(pointer);
    finding.offset = bt_findings_count(findings); /* so that none is dropped as a repetition */
    assert_int_equal(bt_findings_add(findings, &finding), BT_OK);
}

/* "CODE@SEVERITY ..." of the findings in force, then "-CODE by" of the suppressed ones. */
static inline bt_str describe(struct bt_arena *arena, const struct bt_select_result *result)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < bt_findings_count(result->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(result->findings, i);
        bt_buf_printf(&buf, "%.*s@%.*s ", BT_STR_ARG(finding->rule->code),
                      BT_STR_ARG(bt_severity_name(finding->severity)));
        if (finding->default_severity) {
            bt_buf_printf(&buf, "(%.*s) ", BT_STR_ARG(bt_severity_name(finding->default_severity)));
        }
    }
    for (size_t i = 0; result->suppressed && i < result->suppressed->count; i++) {
        const struct bt_suppressed_finding *item = &result->suppressed->items[i];
        bt_buf_printf(&buf, "-%.*s %.*s ", BT_STR_ARG(item->finding->rule->code),
                      BT_STR_ARG(bt_suppressed_by_name(item->by)));
    }
    assert_int_equal(bt_buf_copy(&buf, arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

static inline bt_str apply(struct bt_arena *arena, const struct bt_select *select, const char *path,
                           const struct bt_findings *findings)
{
    struct bt_select_result result;
    assert_int_equal(bt_select_apply(select, arena, bt_str_of(path), findings, &result), BT_OK);
    return describe(arena, &result);
}

static inline struct bt_ignore_list patterns(struct bt_arena *arena, const char *pattern)
{
    struct bt_ignore_list list = {.folder = BT_STR(FOLDER)};
    assert_int_equal(bt_ignore_add(arena, &list, bt_str_of(pattern)), BT_OK);
    return list;
}

static inline struct bt_select_ignore ignore_of(struct bt_arena *arena, const char *code,
                                                const char *pattern)
{
    struct bt_select_ignore entry = {.code = bt_str_of(code),
                                     .paths = patterns(arena, pattern),
                                     .reason = BT_STR("kept for the audit")};
    assert_int_equal(bt_select_find_codes(entry.code, &entry.codes), BT_OK);
    return entry;
}

static inline const struct bt_select_baseline *baseline_of(struct bt_arena *arena, const char *text)
{
    const struct bt_select_baseline *baseline = NULL;
    struct bt_error error = {0};
    const enum bt_status status =
        bt_select_baseline_read(arena, BT_STR(FOLDER), bt_str_of(text), &baseline, &error);
    if (status != BT_OK) {
        fail_msg("%s", error.text);
    }
    return baseline;
}

#endif
