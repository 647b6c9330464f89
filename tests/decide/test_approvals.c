/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_approvals.c - requests for consent: asked for, decided, used, over.
 */
#include "test.h"

#include "scene.h"

static const char request[] =
    ",\"approval_request\":{\"operation\":\"o\",\"exact_content\":\"run\","
    "\"scope\":\"s\",\"risk_level\":\"LOW\",\"rollback\":\"r\","
    "\"verification\":\"v\"}";
static const char several[] = ",\"approval_request\":{\"operation\":\"o\",\"exact_content\":\"x\","
                              "\"scope\":\"s\",\"risk_level\":\"LOW\",\"rollback\":\"r\","
                              "\"verification\":\"v\",\"command_set\":[\"one\",\"two\"]}";

/* The only request there is, as it stands. */
static struct bt_approval only(struct scene *scene)
{
    const struct bt_approval_filter all = {.status = BT_STR(""), .workspace = BT_STR("")};
    struct bt_approval_list found;
    (void)scene_states(scene);
    assert_int_equal(bt_approvals_list(&scene->gate, &all, &found, &scene->error), BT_OK);
    assert_int_equal(found.count, 1);
    return found.items[0];
}

static void ask(struct scene *scene, const char *what)
{
    const struct scene_report report = {.status = "APPROVAL_REQUEST", .more = what};
    const struct scene_decision decision = scene_decide(scene, &report);
    assert_int_equal(decision.outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
}

/* The code of the refusal, or "" when it is done. */
static bt_str do_it(struct scene *scene, struct bt_approval_action_options wish, const char *actor)
{
    struct bt_approval_result answer;
    char id[64];
    char fingerprint[128];
    const struct bt_approval approval = only(scene);
    (void)snprintf(id, sizeof(id), "%.*s", BT_STR_ARG(approval.id));
    (void)snprintf(fingerprint, sizeof(fingerprint), "%.*s", BT_STR_ARG(approval.fingerprint));
    wish.id = bt_str_of(id);
    wish.fingerprint = wish.fingerprint.len > 0 ? wish.fingerprint : bt_str_of(fingerprint);
    wish.seconds = wish.seconds > 0 ? wish.seconds : 60;
    scene->gate.actor = bt_str_of(actor);
    assert_int_equal(bt_approval_run_action(&scene->gate, &wish, &answer, &scene->error), BT_OK);
    return bt_findings_count(answer.findings) == 0 ? BT_STR("")
                                                   : bt_findings_at(answer.findings, 0)->rule->code;
}

static bt_str act(struct scene *scene, enum bt_approval_action what)
{
    return do_it(scene, (struct bt_approval_action_options){.act = what}, "user:ana");
}

static bt_str use(struct scene *scene, const char *command)
{
    return do_it(scene,
                 (struct bt_approval_action_options){.act = BT_APPROVAL_ACTION_USE,
                                                     .command = bt_str_of(command)},
                 "cli");
}

static void a_grant_is_used_once_for_its_bytes(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    ask(&scene, request);
    assert_str(use(&scene, "run"), "APPROVAL_NOT_APPROVED");
    assert_str(act(&scene, BT_APPROVAL_ACTION_GRANT), "");
    assert_str(act(&scene, BT_APPROVAL_ACTION_GRANT), "APPROVAL_NOT_PENDING");
    assert_str(use(&scene, "run "), "APPROVAL_MISMATCH");
    assert_str(use(&scene, "run"), "");
    assert_str(use(&scene, "run"), "APPROVAL_CONSUMED");
    assert_str(act(&scene, BT_APPROVAL_ACTION_REVOKE), "APPROVAL_CONSUMED");
    assert_str(only(&scene).grant, "consumed");
    scene_close(&scene);
}

static void commands_of_a_set_are_used_in_order(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    ask(&scene, several);
    assert_str(act(&scene, BT_APPROVAL_ACTION_GRANT), "");
    assert_str(use(&scene, "two"), "APPROVAL_MISMATCH");
    assert_str(use(&scene, "one"), "");
    assert_str(use(&scene, "one"), "APPROVAL_MISMATCH");
    assert_str(only(&scene).grant, "active");
    assert_str(use(&scene, "two"), "");
    assert_str(only(&scene).grant, "consumed");
    scene_close(&scene);
}

static void an_agent_decides_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    ask(&scene, request);
    static const enum bt_approval_action acts[] = {
        BT_APPROVAL_ACTION_GRANT, BT_APPROVAL_ACTION_DENY, BT_APPROVAL_ACTION_REVOKE};
    static const char *const agents[] = {SCENE_AGENT, "serve/" SCENE_AGENT};
    for (size_t i = 0; i < COUNT_OF(acts); i++) {
        for (size_t j = 0; j < COUNT_OF(agents); j++) {
            const struct bt_approval_action_options wish = {.act = acts[i]};
            assert_str(do_it(&scene, wish, agents[j]), "APPROVAL_SELF");
        }
    }
    assert_str(only(&scene).status, "pending");
    scene_close(&scene);
}

static void another_fingerprint_grants_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    ask(&scene, request);
    const struct bt_approval_action_options wish = {
        .act = BT_APPROVAL_ACTION_GRANT,
        .fingerprint = BT_STR("0000000000000000000000000000000000000000000000000000000000000000")};
    assert_str(do_it(&scene, wish, "user:ana"), "APPROVAL_TAMPERED");
    assert_str(only(&scene).status, "pending");
    scene_close(&scene);
}

static void a_deadline_ends_a_request_and_a_grant_to_the_second(void **state)
{
    (void)state;
    static const int64_t day = 86400;
    struct scene scene;
    scene_open(&scene);
    ask(&scene, request);
    scene_clock(&scene, day - 1);
    assert_str(only(&scene).status, "pending");
    assert_str(act(&scene, BT_APPROVAL_ACTION_GRANT), "");
    scene_clock(&scene, day - 1 + 59);
    assert_str(only(&scene).grant, "active");
    scene_clock(&scene, day - 1 + 60);
    const uint64_t before = scene_size(&scene);
    assert_str(use(&scene, "run"), "APPROVAL_EXPIRED");
    assert_int_equal(scene_size(&scene), before + 2); /* the end, and the refusal */
    assert_str(only(&scene).status, "expired");
    assert_str(only(&scene).grant, "expired");
    scene_close(&scene);
}

static void a_report_notices_deadlines_too(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    ask(&scene, request);
    const uint64_t before = scene_size(&scene);
    scene_clock(&scene, 2 * 86400);
    struct scene_report other = {
        .agent = "a00000000000000002", .status = "COMPLETE", .mode = BT_SUBMIT_OBSERVE};
    assert_int_equal(scene_decide(&scene, &other).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_size(&scene), before + 1); /* an observer ends nothing */
    other.mode = BT_SUBMIT_RECORD;
    assert_int_equal(scene_decide(&scene, &other).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_size(&scene), before + 3);
    assert_str(only(&scene).status, "expired");
    scene_close(&scene);
}

static void what_cannot_be_matched_is_not_asked_for(void **state)
{
    (void)state;
    static const char *const vague[] = {
        ",\"approval_request\":{\"exact_content\":[\"run\"],\"rollback\":\"r\","
        "\"verification\":\"v\"}",
        ",\"approval_request\":{\"exact_content\":\" \",\"rollback\":\"r\",\"verification\":\"v\"}",
        ",\"approval_request\":{\"exact_content\":\"x\",\"command_set\":[],\"rollback\":\"r\","
        "\"verification\":\"v\"}",
        ",\"approval_request\":{\"exact_content\":\"x\",\"command_set\":[\"a\",1],"
        "\"rollback\":\"r\",\"verification\":\"v\"}",
    };
    for (size_t i = 0; i < COUNT_OF(vague); i++) {
        struct scene scene;
        const struct bt_approval_filter all = {.status = BT_STR(""), .workspace = BT_STR("")};
        struct bt_approval_list found;
        scene_open(&scene);
        const struct scene_report report = {.status = "APPROVAL_REQUEST", .more = vague[i]};
        const struct scene_decision decision = scene_decide(&scene, &report);
        assert_int_equal(decision.outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
        assert_true(scene_says(&decision, "APPROVAL_NOT_GRANTABLE"));
        assert_int_equal(bt_approvals_list(&scene.gate, &all, &found, &scene.error), BT_OK);
        assert_int_equal(found.count, 0);
        scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grant_is_used_once_for_its_bytes),
        cmocka_unit_test(commands_of_a_set_are_used_in_order),
        cmocka_unit_test(an_agent_decides_nothing),
        cmocka_unit_test(another_fingerprint_grants_nothing),
        cmocka_unit_test(a_deadline_ends_a_request_and_a_grant_to_the_second),
        cmocka_unit_test(a_report_notices_deadlines_too),
        cmocka_unit_test(what_cannot_be_matched_is_not_asked_for),
    };
    return RUN_TESTS(tests);
}
