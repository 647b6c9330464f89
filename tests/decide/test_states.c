/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_states.c - which status may follow which, how often a report may be bad, what is kept.
 */
#include "test.h"

#include "scene.h"

static const char *const words[] = {"IN_PROGRESS", "APPROVAL_REQUEST", "COMPLETE", "BLOCKED",
                                    "NEEDS_INPUT"};
static const char request[] = ",\"approval_request\":{\"rollback\":\"r\",\"verification\":\"v\"}";

static struct scene_report report_of(const char *status)
{
    return (struct scene_report){.status = status,
                                 .more = status && strcmp(status, "APPROVAL_REQUEST") == 0 ? request
                                                                                           : NULL};
}

static enum bt_contract_outcome outcome_of(struct scene *scene, const char *status)
{
    const struct scene_report report = report_of(status);
    return scene_decide(scene, &report).outcome;
}

static void resume(struct scene *scene, uint64_t expected)
{
    const struct bt_contract_agent_filter filter = {.agent_id = BT_STR(SCENE_AGENT)};
    uint64_t resumed = 0;
    const uint64_t before = scene_size(scene);
    (void)scene_states(scene);
    assert_int_equal(bt_contract_agents_resume(&scene->gate, &filter, &resumed, &scene->error),
                     BT_OK);
    assert_int_equal(resumed, expected);
    assert_int_equal(scene_size(scene), before); /* no decision, no entry */
}

/* One status after another. */
static void try_pair(size_t from, size_t to, bool is_strict, bool is_resumed)
{
    struct scene scene;
    scene_open(&scene);
    assert_int_equal(outcome_of(&scene, words[from]), BT_CONTRACT_OUTCOME_ACCEPTED);
    if (is_resumed) {
        resume(&scene, 1);
    }
    struct scene_report next = report_of(words[to]);
    next.is_strict = is_strict;
    const struct scene_decision decision = scene_decide(&scene, &next);
    const bool is_legal = from == 0 || to == 0 || is_resumed;
    const bool is_accepted = is_legal || !is_strict;
    assert_int_equal(decision.outcome,
                     is_accepted ? BT_CONTRACT_OUTCOME_ACCEPTED : BT_CONTRACT_OUTCOME_RETRY);
    assert_int_equal(scene_says(&decision, "ILLEGAL_TRANSITION"), !is_legal);
    const struct bt_contract_agent_list states = scene_states(&scene);
    assert_int_equal(states.count, 1);
    assert_true(bt_str_eq(bt_contract_status_name(states.items[0].state),
                          bt_str_of(words[is_accepted ? to : from])));
    assert_false(states.items[0].is_resumed);
    scene_close(&scene);
}

static void only_in_progress_follows_what_ends_a_turn_unless_it_is_resumed(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT_OF(words); from++) {
        for (size_t to = 0; to < COUNT_OF(words); to++) {
            for (unsigned how = 0; how < 4; how++) {
                try_pair(from, to, how % 2 != 0, how / 2 != 0);
            }
        }
    }
}

static void an_agent_without_a_state_is_not_resumed(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    resume(&scene, 0);
    const struct scene_report bad = {.host_id = SCENE_AGENT};
    assert_int_equal(scene_decide(&scene, &bad).outcome, BT_CONTRACT_OUTCOME_RETRY);
    resume(&scene, 0);
    assert_false(scene_states(&scene).items[0].is_resumed);
    scene_close(&scene);
}

static void the_fourth_in_progress_in_a_row_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    const struct scene_report going = report_of("IN_PROGRESS");
    const struct scene_decision first = scene_decide(&scene, &going);
    assert_false(scene_says(&first, "IN_PROGRESS_RETRY"));
    for (size_t i = 0; i < 2; i++) {
        const struct scene_decision retry = scene_decide(&scene, &going);
        assert_true(scene_says(&retry, "IN_PROGRESS_RETRY"));
        assert_int_equal(retry.outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct scene_decision fourth = scene_decide(&scene, &going);
        assert_true(scene_says(&fourth, "IN_PROGRESS_RETRY_CAP"));
        assert_false(scene_says(&fourth, "ILLEGAL_TRANSITION"));
        assert_int_equal(scene_states(&scene).items[0].in_progress, 3);
        resume(&scene, 1); /* that gives no further retry */
    }
    assert_int_equal(outcome_of(&scene, "COMPLETE"), BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_states(&scene).items[0].in_progress, 0);
    assert_int_equal(outcome_of(&scene, "IN_PROGRESS"), BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_states(&scene).items[0].in_progress, 1);
    scene_close(&scene);
}

static void a_bad_report_is_sent_back_until_the_limit(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    const struct scene_report bad = {.host_id = SCENE_AGENT, .limit = 2};
    for (uint64_t i = 1; i <= 2; i++) {
        const struct scene_decision back = scene_decide(&scene, &bad);
        assert_int_equal(back.outcome, BT_CONTRACT_OUTCOME_RETRY);
        assert_int_equal(back.attempt, i);
        assert_true(back.prompt.len > 0);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct scene_decision last = scene_decide(&scene, &bad);
        assert_int_equal(last.outcome, BT_CONTRACT_OUTCOME_ESCALATED);
        assert_int_equal(last.attempt, 3);
        assert_true(scene_says(&last, "CONTRACT_REJECTION_LIMIT"));
    }
    assert_true(scene_states(&scene).items[0].is_escalated);
    assert_int_equal(scene_states(&scene).items[0].rejections, 2);
    assert_int_equal(outcome_of(&scene, "COMPLETE"), BT_CONTRACT_OUTCOME_ACCEPTED);
    const struct bt_contract_agent_list states = scene_states(&scene);
    assert_false(states.items[0].is_escalated);
    assert_int_equal(states.items[0].rejections, 0);
    scene_close(&scene);
}

static void an_agent_nobody_knows_is_counted_until_somebody_reports_well(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    const struct scene_report bad = {.status = NULL};
    assert_str(scene_decide(&scene, &bad).agent_id, "-");
    assert_int_equal(scene_states(&scene).count, 1);
    assert_int_equal(outcome_of(&scene, "COMPLETE"), BT_CONTRACT_OUTCOME_ACCEPTED);
    const struct bt_contract_agent_list states = scene_states(&scene);
    assert_int_equal(states.count, 1);
    assert_str(states.items[0].agent_id, SCENE_AGENT);
    scene_close(&scene);
}

static void a_claim_to_be_another_agent_changes_nothing_of_that_one(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    assert_int_equal(outcome_of(&scene, "COMPLETE"), BT_CONTRACT_OUTCOME_ACCEPTED);
    const struct scene_report lie = {.status = "COMPLETE", .host_id = "a00000000000000002"};
    const struct scene_decision decision = scene_decide(&scene, &lie);
    assert_true(scene_says(&decision, "AGENT_ID_MISMATCH"));
    assert_false(scene_says(&decision, "ILLEGAL_TRANSITION"));
    assert_str(decision.agent_id, "a00000000000000002");
    const struct bt_contract_agent_list states = scene_states(&scene);
    assert_int_equal(states.count, 2);
    assert_int_equal(states.items[1].rejections, 0);
    scene_close(&scene);
}

static void sessions_are_kept_apart(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    const struct scene_report here = {.status = "COMPLETE", .session = "a", .is_strict = true};
    const struct scene_report there = {.status = "COMPLETE", .session = "b"};
    assert_int_equal(scene_decide(&scene, &here).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_decide(&scene, &there).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_decide(&scene, &here).outcome, BT_CONTRACT_OUTCOME_RETRY);
    scene_close(&scene);
}

static void a_dry_run_leaves_no_trace_and_an_observer_only_an_entry(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    struct scene_report report = report_of("COMPLETE");
    report.mode = BT_SUBMIT_DRY_RUN;
    assert_int_equal(scene_decide(&scene, &report).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_size(&scene), 0);
    report.mode = BT_SUBMIT_OBSERVE;
    assert_int_equal(scene_decide(&scene, &report).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_size(&scene), 1);
    assert_int_equal(scene_states(&scene).count, 0);
    report.mode = BT_SUBMIT_RECORD;
    assert_int_equal(scene_decide(&scene, &report).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_size(&scene), 2);
    assert_int_equal(scene_states(&scene).count, 1);
    scene_close(&scene);
}

static void what_is_cleared_is_forgotten_and_recorded_once(void **state)
{
    (void)state;
    struct scene scene;
    uint64_t cleared = 0;
    const struct bt_contract_agent_filter filter = {.agent_id = BT_STR(SCENE_AGENT)};
    scene_open(&scene);
    assert_int_equal(outcome_of(&scene, "COMPLETE"), BT_CONTRACT_OUTCOME_ACCEPTED);
    const uint64_t before = scene_size(&scene);
    assert_int_equal(bt_contract_agents_clear(&scene.gate, &filter, &cleared, &scene.error), BT_OK);
    assert_int_equal(cleared, 1);
    assert_int_equal(scene_size(&scene), before + 1);
    assert_int_equal(bt_contract_agents_clear(&scene.gate, &filter, &cleared, &scene.error), BT_OK);
    assert_int_equal(cleared, 0);
    assert_int_equal(scene_size(&scene), before + 1);
    assert_int_equal(outcome_of(&scene, "COMPLETE"), BT_CONTRACT_OUTCOME_ACCEPTED);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_in_progress_follows_what_ends_a_turn_unless_it_is_resumed),
        cmocka_unit_test(an_agent_without_a_state_is_not_resumed),
        cmocka_unit_test(the_fourth_in_progress_in_a_row_is_refused),
        cmocka_unit_test(a_bad_report_is_sent_back_until_the_limit),
        cmocka_unit_test(an_agent_nobody_knows_is_counted_until_somebody_reports_well),
        cmocka_unit_test(a_claim_to_be_another_agent_changes_nothing_of_that_one),
        cmocka_unit_test(sessions_are_kept_apart),
        cmocka_unit_test(a_dry_run_leaves_no_trace_and_an_observer_only_an_entry),
        cmocka_unit_test(what_is_cleared_is_forgotten_and_recorded_once),
    };
    return RUN_TESTS(tests);
}
