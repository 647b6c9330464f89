/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <baton/report.h>

#include "report/report.h"

static const struct bt_rule rule = {
    .code = BT_STR_INIT("A"), .severity = BT_SEVERITY_HARD, .stage = BT_STAGE_READ};

static enum bt_verdict judge(const enum bt_severity *severities, size_t count,
                             enum bt_severity fail_level)
{
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_non_null(findings);
    for (size_t i = 0; i < count; i++) {
        struct bt_finding finding = bt_finding_from_rule(&rule);
        finding.severity = severities[i];
        assert_int_equal(bt_findings_add(findings, &finding), BT_OK);
    }
    const enum bt_verdict verdict = bt_verdict_of(findings, fail_level);
    bt_arena_free(&arena);
    return verdict;
}

static void a_finding_at_or_above_the_fail_level_rejects(void **state)
{
    (void)state;
    static const struct {
        enum bt_severity severities[3];
        size_t count;
        enum bt_severity fail_level;
        enum bt_verdict verdict;
    } rows[] = {
        {{BT_SEVERITY_HARD}, 0, BT_SEVERITY_HARD, BT_VERDICT_ACCEPTED},
        {{BT_SEVERITY_HARD}, 0, BT_SEVERITY_INFO, BT_VERDICT_ACCEPTED},
        {{BT_SEVERITY_HARD}, 1, BT_SEVERITY_HARD, BT_VERDICT_REJECTED},
        {{BT_SEVERITY_WARN, BT_SEVERITY_INFO}, 2, BT_SEVERITY_HARD, BT_VERDICT_ACCEPTED},
        {{BT_SEVERITY_INFO, BT_SEVERITY_WARN, BT_SEVERITY_HARD},
         3,
         BT_SEVERITY_HARD,
         BT_VERDICT_REJECTED},
        {{BT_SEVERITY_HARD, BT_SEVERITY_INFO}, 2, BT_SEVERITY_HARD, BT_VERDICT_REJECTED},
        {{BT_SEVERITY_WARN}, 1, BT_SEVERITY_WARN, BT_VERDICT_REJECTED},
        {{BT_SEVERITY_INFO}, 1, BT_SEVERITY_WARN, BT_VERDICT_ACCEPTED},
        {{BT_SEVERITY_HARD}, 1, BT_SEVERITY_WARN, BT_VERDICT_REJECTED},
        {{BT_SEVERITY_INFO}, 1, BT_SEVERITY_INFO, BT_VERDICT_REJECTED},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(judge(rows[i].severities, rows[i].count, rows[i].fail_level),
                         rows[i].verdict);
    }
}

static void cleared_memory_is_no_verdict(void **state)
{
    (void)state;
    assert_int_equal(BT_VERDICT_NONE, 0);
    assert_str(bt_verdict_name(BT_VERDICT_NONE), "undecided");
    assert_str(bt_verdict_name(BT_VERDICT_ACCEPTED), "accepted");
    assert_str(bt_verdict_name(BT_VERDICT_REJECTED), "rejected");
    assert_str(bt_verdict_name(BT_VERDICT_RECORDED), "recorded");
    assert_str(bt_verdict_name((enum bt_verdict)99), "undecided");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_at_or_above_the_fail_level_rejects),
        cmocka_unit_test(cleared_memory_is_no_verdict),
    };
    return RUN_TESTS(tests);
}
