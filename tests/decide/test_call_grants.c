/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_call_grants.c - two users of one store who both know of one grant, and use it for a call.
 *
 * A grant is used up under the condition that it is still active in the transaction that uses it.
 * The control is the same file of the program with that condition taken out: it believes what was
 * read before the transaction began.
 */
#include "test.h"

#include "decide/call_grants.h"
#include "decide/contract_decide.h"
#include "scene.h"

/* What a user has read before its transaction. */
static struct bt_approval_list known;

static enum bt_status list_known(const struct bt_contract_state *gate, struct bt_approval_list *out,
                                 struct bt_error *error)
{
    (void)gate;
    (void)error;
    *out = known;
    return BT_OK;
}

typedef enum bt_status grant_use_fn(const struct bt_contract_state *gate,
                                    const struct bt_call_request *request,
                                    struct bt_call_grant *out, struct bt_error *error);

static grant_use_fn use_without_condition;

/* The names of the copy differ from those of the program. */
#define bt_call_grant_use use_without_condition
#define bt_approval_list_granted list_known
#include "../../src/decide/call_grants.c"
#undef bt_call_grant_use
#undef bt_approval_list_granted

/* One of two processes: a handle of its own on the same store. */
struct grant_user {
    struct bt_ledger *ledger;
    struct bt_arena arena;
    struct bt_contract_state gate;
    struct bt_approval_list known;
};

static const struct bt_call_request REQUEST = {
    .workspace = BT_STR_INIT("w"),
    .session = BT_STR_INIT("s"),
    .agent_id = BT_STR_INIT("wrap/s"),
    .payload = BT_STR_INIT("{\"exact_content\":\"x\",\"operation\":\"o\",\"risk_level\":\"HIGH\","
                           "\"rollback\":\"r\",\"scope\":\"s\",\"verification\":\"v\"}"),
    .pending_max = 9};

static void open_user(struct scene *scene, struct grant_user *user)
{
    *user = (struct grant_user){.ledger = made_ledger(&scene->made, true)};
    bt_arena_init(&user->arena, 64 << 20);
    user->gate = (struct bt_contract_state){.ledger = user->ledger,
                                            .contract = scene->contract,
                                            .arena = &user->arena,
                                            .actor = BT_STR("wrap/s"),
                                            .alarms = bt_findings_new(&user->arena)};
}

static void close_user(struct grant_user *user)
{
    bt_ledger_close(user->ledger);
    bt_arena_free(&user->arena);
}

static enum bt_call_consent use_grant(struct scene *scene, struct grant_user *user,
                                      grant_use_fn *use)
{
    struct bt_call_grant grant;
    known = user->known;
    assert_int_equal(use(&user->gate, &REQUEST, &grant, &scene->error), BT_OK);
    assert_int_equal(bt_findings_count(user->gate.alarms), 0);
    return grant.consent;
}

/* Ask for a grant and give it. */
static void make_grant(struct scene *scene, struct grant_user *user)
{
    struct bt_call_grant asked;
    struct bt_approval_result result;
    assert_int_equal(bt_call_grant_use(&user->gate, &REQUEST, &asked, &scene->error), BT_OK);
    assert_int_equal(asked.consent, BT_CALL_CONSENT_PENDING);
    const struct bt_approval_action_options grant = {.act = BT_APPROVAL_ACTION_GRANT,
                                                     .id = asked.approval.id,
                                                     .fingerprint = asked.approval.fingerprint,
                                                     .reason = BT_STR(""),
                                                     .command = BT_STR(""),
                                                     .agent_id = BT_STR(""),
                                                     .workspace = BT_STR(""),
                                                     .seconds = 60};
    struct bt_contract_state person = user->gate;
    person.actor = BT_STR("user:ana");
    assert_int_equal(bt_approval_run_action(&person, &grant, &result, &scene->error), BT_OK);
    assert_int_equal(bt_findings_count(result.findings), 0);
}

/* How many of two users who both know of the grant may make the call. */
static size_t count_granted(grant_use_fn *use)
{
    struct scene scene;
    struct grant_user users[2];
    size_t granted = 0;
    scene_open(&scene);
    for (size_t i = 0; i < 2; i++) {
        open_user(&scene, &users[i]);
    }
    make_grant(&scene, &users[0]);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(bt_approval_list_granted(&users[i].gate, &users[i].known, &scene.error),
                         BT_OK);
        assert_int_equal(users[i].known.count, 1);
    }
    for (size_t i = 0; i < 2; i++) {
        granted += use_grant(&scene, &users[i], use) == BT_CALL_CONSENT_GRANTED;
    }
    for (size_t i = 0; i < 2; i++) {
        close_user(&users[i]);
    }
    scene_close(&scene);
    return granted;
}

static void of_two_users_who_know_of_a_grant_one_may_make_the_call(void **state)
{
    (void)state;
    assert_int_equal(count_granted(bt_call_grant_use), 1);
}

static void without_the_condition_both_would_make_it(void **state)
{
    (void)state;
    assert_int_equal(count_granted(use_without_condition), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_users_who_know_of_a_grant_one_may_make_the_call),
        cmocka_unit_test(without_the_condition_both_would_make_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
