/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_deliver.c - a submission and what follows from it: all of it, or nothing.
 */
#include "test.h"

#include <baton/deliver.h>

#include "made.h"

enum { ARENA_BYTES = 16 << 20, STEP_BYTES = 509, LIMIT_BYTES_MAX = 2 << 20 };

struct scene {
    struct made made;
    struct bt_ledger *ledger;
    struct bt_arena arena;
    struct bt_judged judged;
    struct bt_ledger_item item;
    struct bt_deliver_submission submission;
    struct bt_error error;
};

static void scene_open(struct scene *scene)
{
    static const bt_instant now = {.seconds = 1777881600};
    *scene = (struct scene){0};
    made_open(&scene->made);
    bt_env_pin_clock(&scene->made.env, &now);
    scene->ledger = made_ledger(&scene->made, true);
    bt_arena_init(&scene->arena, ARENA_BYTES);
}

static void scene_close(struct scene *scene)
{
    bt_ledger_close(scene->ledger);
    bt_arena_free(&scene->arena);
    assert_true(made_verifies(&scene->made));
    made_close(&scene->made);
}

static enum bt_status compose(void *context, const struct bt_deliver_submission *submission,
                              bt_str *out)
{
    struct scene *scene = context;
    return bt_arena_printf(&scene->arena, out, "[%.*s]", BT_STR_ARG(submission->message));
}

static struct bt_deliver deliver_of(struct scene *scene)
{
    return (struct bt_deliver){.ledger = scene->ledger,
                               .env = &scene->made.env,
                               .arena = &scene->arena,
                               .actor = BT_STR("test"),
                               .alarms = bt_findings_new(&scene->arena)};
}

static enum bt_status submit(struct scene *scene, const char *text, const char *key)
{
    const struct bt_deliver_key named = {BT_STR("test"), BT_STR("p"), bt_str_of(key),
                                         bt_str_of(text), 60};
    const struct bt_deliver deliver = deliver_of(scene);
    struct bt_findings *findings = bt_findings_new(&scene->arena);
    if (!deliver.alarms || !findings) {
        return BT_ENOMEM;
    }
    scene->judged = (struct bt_judged){.path = BT_STR("document"),
                                       .dialect = BT_STR("universal"),
                                       .source = bt_str_of(text),
                                       .verdict = BT_ACCEPTED,
                                       .findings = findings};
    scene->item = (struct bt_ledger_item){.judged = &scene->judged,
                                          .kind = BT_STR("handoff"),
                                          .actor = BT_STR("test"),
                                          .bytes = bt_str_of(text),
                                          .handoff_id = BT_STR(""),
                                          .id_pointer = BT_STR(""),
                                          .trace_id = BT_STR(""),
                                          .source = BT_STR("a"),
                                          .target = BT_STR("b")};
    scene->submission = (struct bt_deliver_submission){
        .item = &scene->item, .has_inbox = true, .key = key ? &named : NULL};
    return bt_deliver_submit(&deliver, &scene->submission, compose, scene, &scene->error);
}

static size_t take(struct scene *scene)
{
    const struct bt_inbox_wish wish = {BT_STR("b"), 10, 60, 5};
    const struct bt_deliver deliver = deliver_of(scene);
    struct bt_inbox_items items = {NULL, 0};
    assert_int_equal(bt_inbox_take(&deliver, &wish, &items, &scene->error), BT_OK);
    return items.count;
}

static uint64_t size_of(struct scene *scene)
{
    struct bt_findings *alarms = bt_findings_new(&scene->arena);
    struct bt_ledger_head head;
    assert_int_equal(bt_ledger_head(scene->ledger, &scene->arena, alarms, &head, &scene->error),
                     BT_OK);
    return head.size;
}

static void a_repeat_is_told_the_same_and_another_request_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    assert_int_equal(submit(&scene, "{}", "k"), BT_OK);
    assert_int_equal(scene.submission.outcome, BT_DELIVER_DECIDED);
    assert_str(scene.submission.message, "h0");
    assert_int_equal(submit(&scene, "{}", "k"), BT_OK);
    assert_int_equal(scene.submission.outcome, BT_DELIVER_REPEATED);
    assert_str(scene.submission.body, "[h0]");
    assert_int_equal(submit(&scene, "{ }", "k"), BT_OK);
    assert_int_equal(scene.submission.outcome, BT_DELIVER_REUSED);
    assert_int_equal(size_of(&scene), 1);
    assert_int_equal(take(&scene), 1);
    assert_int_equal(take(&scene), 0);
    scene_close(&scene);
}

/* Memory runs out at every place in turn. */
static void entry_item_and_answer_are_stored_together_or_not_at_all(void **state)
{
    (void)state;
    struct scene scene;
    enum bt_status status = BT_ENOMEM;
    size_t failures = 0;
    scene_open(&scene);
    for (size_t limit = 0; limit < LIMIT_BYTES_MAX && status != BT_OK; limit += STEP_BYTES) {
        bt_arena_free(&scene.arena);
        bt_arena_init(&scene.arena, limit);
        status = submit(&scene, "{}", "k");
        assert_true(status == BT_OK || status == BT_ENOMEM);
        failures += status != BT_OK;
        bt_arena_free(&scene.arena);
        bt_arena_init(&scene.arena, ARENA_BYTES);
        const bool is_stored = status == BT_OK || scene.submission.is_recorded;
        assert_int_equal(size_of(&scene), is_stored);
        if (is_stored) {
            break;
        }
        assert_int_equal(take(&scene), 0);
    }
    assert_true(failures > 0);
    assert_int_equal(take(&scene), 1);
    assert_int_equal(submit(&scene, "{}", "k"), BT_OK);
    assert_int_equal(scene.submission.outcome, BT_DELIVER_REPEATED);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeat_is_told_the_same_and_another_request_is_refused),
        cmocka_unit_test(entry_item_and_answer_are_stored_together_or_not_at_all),
    };
    return RUN_TESTS(tests);
}
