/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_deliver.c - a submission and what follows from it: all of it, or nothing.
 */
#include "test.h"

#include "deliver/inbox.h"
#include "deliver/task.h"
#include "engine/submit.h"
#include "ledger/admin.h"
#include "made.h"

enum { ARENA_BYTES = 16 << 20, STEP_BYTES = 509, LIMIT_BYTES_MAX = 2 << 20 };

struct scene {
    struct made made;
    struct bt_ledger *ledger;
    struct bt_arena arena;
    struct bt_judgement judged;
    struct bt_submission submission;
    struct bt_idempotency once;
    const struct bt_transaction_hooks *beside;
    bool has_webhook;
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

static enum bt_status compose(void *context, struct bt_idempotency *once)
{
    struct scene *scene = context;
    once->status = 201;
    return bt_arena_printf(&scene->arena, &once->body, "[%.*s]",
                           BT_STR_ARG(scene->submission.delivery.message));
}

static struct bt_deliver deliver_of(struct scene *scene)
{
    return (struct bt_deliver){.ledger = scene->ledger,
                               .env = &scene->made.env,
                               .arena = &scene->arena,
                               .actor = BT_STR("test"),
                               .alarms = bt_findings_new(&scene->arena)};
}

/* What commits with the decision: a task that names it. */
static enum bt_status keep_task(void *context, struct bt_ledger_transaction *recording,
                                const struct bt_decision_record *decided, struct bt_error *error)
{
    const struct bt_task_message *message = context;
    const struct bt_task task = {.id = BT_STR("t"),
                                 .principal = message->principal,
                                 .context = BT_STR("c"),
                                 .message_ids = BT_STR("[]"),
                                 .state = decided->record,
                                 .artifacts = BT_STR("[]"),
                                 .history = BT_STR("[]"),
                                 .seq = decided->seq};
    return bt_task_save_in_transaction(recording, &task, message, error);
}

static enum bt_status submit(struct scene *scene, const char *text, const char *key)
{
    scene->once = (struct bt_idempotency){.principal = BT_STR("test"),
                                          .path = BT_STR("p"),
                                          .key = bt_str_of(key),
                                          .request = bt_str_of(text),
                                          .seconds = 60,
                                          .compose = compose,
                                          .context = scene};
    const struct bt_deliver deliver = deliver_of(scene);
    struct bt_findings *findings = bt_findings_new(&scene->arena);
    if (!deliver.alarms || !findings) {
        return BT_ENOMEM;
    }
    scene->judged = (struct bt_judgement){.path = BT_STR("document"),
                                          .dialect = BT_DIALECT_UNIVERSAL,
                                          .source = bt_str_of(text),
                                          .verdict = BT_VERDICT_ACCEPTED,
                                          .findings = findings};
    struct bt_submission *submission = &scene->submission;
    bt_submission_init(submission, &scene->arena, &scene->judged, BT_STR("test"), bt_str_of(text),
                       UINT64_MAX);
    submission->entry.source = BT_STR("a");
    submission->entry.target = BT_STR("b");
    submission->delivery.has_inbox = true;
    submission->delivery.has_webhook = scene->has_webhook;
    submission->once = key ? &scene->once : NULL;
    submission->hooks = scene->beside;
    return bt_submit(&deliver, &submission, 1, &scene->error);
}

static struct bt_inbox_items take_from(struct scene *scene, bool is_webhook)
{
    const struct bt_inbox_lease_options wish = {.agent = BT_STR("b"),
                                                .max = 10,
                                                .lease_seconds = 60,
                                                .attempts_max = 5,
                                                .is_webhook = is_webhook};
    const struct bt_deliver deliver = deliver_of(scene);
    struct bt_inbox_items items = {NULL, 0};
    assert_int_equal(bt_inbox_lease(&deliver, &wish, &items, &scene->error), BT_OK);
    return items;
}

static size_t take(struct scene *scene)
{
    return take_from(scene, false).count;
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
    assert_int_equal(scene.once.outcome, BT_IDEMPOTENCY_FIRST);
    assert_str(scene.submission.delivery.message, "h0");
    assert_int_equal(submit(&scene, "{}", "k"), BT_OK);
    assert_int_equal(scene.once.outcome, BT_IDEMPOTENCY_REPEATED);
    assert_str(scene.once.body, "[h0]");
    assert_int_equal(submit(&scene, "{ }", "k"), BT_OK);
    assert_int_equal(scene.once.outcome, BT_IDEMPOTENCY_CONFLICT);
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
        const bool is_stored =
            status == BT_OK || scene.submission.durability == BT_DURABILITY_DURABLE;
        assert_int_equal(size_of(&scene), is_stored);
        if (is_stored) {
            break;
        }
        assert_int_equal(take(&scene), 0);
    }
    assert_true(failures > 0);
    assert_int_equal(take(&scene), 1);
    assert_int_equal(submit(&scene, "{}", "k"), BT_OK);
    assert_int_equal(scene.once.outcome, BT_IDEMPOTENCY_REPEATED);
    scene_close(&scene);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static enum bt_status find_message(struct scene *scene, const char *content,
                                   struct bt_task_message *out)
{
    *out = (struct bt_task_message){
        .principal = BT_STR("test"), .id = BT_STR("m"), .content = bt_str_of(content)};
    return bt_task_message_find(scene->ledger, &scene->arena, out, &scene->error);
}

static bool count(void *context, const struct bt_task *task)
{
    size_t *tasks = context;
    assert_str(task->id, "t");
    (*tasks)++;
    return true;
}

static void a_task_is_kept_with_its_decision_and_its_message_is_known_again(void **state)
{
    (void)state;
    struct scene scene;
    struct bt_task_message message;
    struct bt_task task;
    size_t tasks = 0;
    scene_open(&scene);
    assert_int_equal(find_message(&scene, "hello", &message), BT_ENOENT);
    const struct bt_transaction_hooks beside = {.after = keep_task, .context = &message};
    scene.beside = &beside;
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_int_equal(bt_task_get(scene.ledger, &scene.arena, BT_STR("t"), &task, &scene.error),
                     BT_OK);
    assert_int_equal(task.seq, 0);
    assert_true(bt_str_starts_with(task.state, BT_STR("{\"seq\":0,\"ref\":\"")));
    assert_int_equal(find_message(&scene, "hello", &message), BT_OK);
    assert_true(message.is_same);
    assert_str(message.task, "t");
    assert_int_equal(find_message(&scene, "other", &message), BT_OK);
    assert_false(message.is_same);
    assert_int_equal(bt_task_each(scene.ledger, BT_STR("test"), count, &tasks, &scene.error),
                     BT_OK);
    assert_int_equal(bt_task_each(scene.ledger, BT_STR("else"), count, &tasks, &scene.error),
                     BT_OK);
    assert_int_equal(tasks, 1);
    scene_close(&scene);
}

static enum bt_status prevent(void *context, struct bt_ledger_transaction *recording,
                              bool *out_is_over, struct bt_error *error)
{
    (void)context;
    (void)recording;
    (void)error;
    *out_is_over = true;
    return BT_OK;
}

static void what_comes_before_a_decision_can_prevent_it(void **state)
{
    (void)state;
    struct scene scene;
    const struct bt_transaction_hooks beside = {.before = prevent};
    scene_open(&scene);
    scene.beside = &beside;
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_false(scene.submission.durability == BT_DURABILITY_DURABLE);
    assert_int_equal(size_of(&scene), 0);
    scene.beside = NULL;
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_int_equal(size_of(&scene), 1);
    scene_close(&scene);
}

static const char *state_of(struct scene *scene, const char *message)
{
    const struct bt_deliver deliver = deliver_of(scene);
    struct bt_inbox_item_state look;
    bt_str text;
    const enum bt_status status =
        bt_inbox_get_state(&deliver, bt_str_of(message), &look, &scene->error);
    if (status != BT_OK) {
        return "none";
    }
    assert_int_equal(bt_arena_printf(&scene->arena, &text, "%.*s%c", BT_STR_ARG(look.state), 0),
                     BT_OK);
    return text.ptr;
}

static bool cancel(struct scene *scene, const char *message)
{
    const struct bt_deliver deliver = deliver_of(scene);
    bool is_done = false;
    assert_int_equal(bt_inbox_cancel(&deliver, bt_str_of(message), &is_done, &scene->error), BT_OK);
    return is_done;
}

static void only_what_nobody_has_taken_can_be_cancelled(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_string_equal(state_of(&scene, "h0"), "queued");
    assert_true(cancel(&scene, "h0"));
    assert_string_equal(state_of(&scene, "h0"), "cancelled");
    assert_int_equal(size_of(&scene), 2); /* which is recorded */
    assert_false(cancel(&scene, "h0"));
    assert_int_equal(take(&scene), 0);
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_int_equal(take(&scene), 1);
    assert_string_equal(state_of(&scene, "h2"), "taken");
    assert_false(cancel(&scene, "h2"));
    assert_false(cancel(&scene, "h9"));
    assert_string_equal(state_of(&scene, "h9"), "none");
    assert_int_equal(size_of(&scene), 3);
    scene_close(&scene);
}

static enum bt_inbox_finish_result refuse(struct scene *scene, const struct bt_inbox_item *item,
                                          bool is_webhook)
{
    const struct bt_deliver deliver = deliver_of(scene);
    struct bt_inbox_finish_item finish = {.agent = BT_STR("b"),
                                          .is_webhook = is_webhook,
                                          .message = item->message,
                                          .lease = item->lease,
                                          .pause_ms = 2000,
                                          .attempts_max = 5};
    assert_int_equal(bt_inbox_finish_item(&deliver, &finish, 1, &scene->error), BT_OK);
    return finish.end;
}

static void what_is_owed_to_a_webhook_is_taken_from_a_queue_of_its_own(void **state)
{
    (void)state;
    static const bt_instant later[] = {{.seconds = 1777881601}, {.seconds = 1777881603}};
    struct scene scene;
    scene_open(&scene);
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_int_equal(take_from(&scene, true).count, 0);
    scene.has_webhook = true;
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    const struct bt_inbox_items owed = take_from(&scene, true);
    assert_int_equal(owed.count, 1);
    assert_true(bt_str_eq(owed.items[0].message, BT_STR("w1")));
    assert_true(bt_str_eq(owed.items[0].bytes, BT_STR("{}")));
    assert_int_equal(take_from(&scene, true).count, 0);
    assert_int_equal(take(&scene), 2);
    assert_int_equal(refuse(&scene, &owed.items[0], false), BT_INBOX_NOT_FOUND);
    assert_int_equal(refuse(&scene, &owed.items[0], true), BT_INBOX_FINISHED);
    bt_env_pin_clock(&scene.made.env, &later[0]);
    assert_int_equal(take_from(&scene, true).count, 0); /* it rests */
    bt_env_pin_clock(&scene.made.env, &later[1]);
    assert_int_equal(take_from(&scene, true).count, 1);
    scene_close(&scene);
}

static void a_handoff_is_taken_back_from_its_webhook_or_not_at_all(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    scene.has_webhook = true;
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_true(cancel(&scene, "h0"));
    assert_int_equal(size_of(&scene), 3);
    assert_int_equal(take_from(&scene, true).count, 0);
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    assert_int_equal(take_from(&scene, true).count, 1);
    assert_false(cancel(&scene, "h3"));
    assert_string_equal(state_of(&scene, "h3"), "queued");
    scene_close(&scene);
}

static void a_redaction_ends_what_nobody_has_taken_and_says_so(void **state)
{
    (void)state;
    static const char text[] = "{\"secret\":1}";
    struct scene scene;
    struct bt_ledger_entries entries = {0};
    scene_open(&scene);
    assert_int_equal(submit(&scene, text, NULL), BT_OK);
    assert_int_equal(submit(&scene, "{}", NULL), BT_OK);
    struct bt_findings *alarms = bt_findings_new(&scene.arena);
    struct bt_ledger_redact_options redaction = {
        .by_seq = true, .seq = 0, .reason = BT_STR("erasure"), .actor = BT_STR("test")};
    const struct bt_ledger_filter deliveries = {.count = 10,
                                                .from = BT_LEDGER_SEQ_NONE,
                                                .kind = BT_STR("delivery"),
                                                .verdict = BT_STR(""),
                                                .handoff_id = BT_STR(""),
                                                .trace_id = BT_STR("")};
    assert_non_null(alarms);
    assert_int_equal(bt_ledger_redact(scene.ledger, &scene.made.env, &scene.arena, &redaction,
                                      alarms, &scene.error),
                     BT_OK);
    assert_true(redaction.done.is_recorded);
    assert_int_equal(bt_ledger_list_entries(scene.ledger, &scene.arena, &deliveries, alarms,
                                            &entries, &scene.error),
                     BT_OK);
    assert_int_equal(entries.count, 1);
    assert_int_equal(entries.items[0].seq, 3); /* behind both handoffs and the redaction */
    assert_non_null(strstr(entries.items[0].text.ptr, "\"event\":\"dead\""));
    assert_non_null(strstr(entries.items[0].text.ptr, "\"parent\":0,\"reason\":\"redacted\""));
    assert_int_equal(take(&scene), 1); /* the other one */
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeat_is_told_the_same_and_another_request_is_refused),
        cmocka_unit_test(entry_item_and_answer_are_stored_together_or_not_at_all),
        cmocka_unit_test(a_task_is_kept_with_its_decision_and_its_message_is_known_again),
        cmocka_unit_test(what_comes_before_a_decision_can_prevent_it),
        cmocka_unit_test(only_what_nobody_has_taken_can_be_cancelled),
        cmocka_unit_test(what_is_owed_to_a_webhook_is_taken_from_a_queue_of_its_own),
        cmocka_unit_test(a_handoff_is_taken_back_from_its_webhook_or_not_at_all),
        cmocka_unit_test(a_redaction_ends_what_nobody_has_taken_and_says_so),
    };
    return RUN_TESTS(tests);
}
