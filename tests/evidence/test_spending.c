/* SPDX-License-Identifier: Apache-2.0 */
/* test_spending.c - what the transcript of a child spent beside that of its parent. */
#include "test.h"

#include "evidence/spending.h"

#define TOTAL(n)                                                                                   \
    "{\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":{"                     \
    "\"total_token_usage\":{\"input_tokens\":" #n ",\"output_tokens\":0}}}}\n"

static char child[256];
static char parent[256];

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Count the child; the deadline holds for what is read after its first event. */
static struct bt_usage_agent count_child(struct bt_env *env, struct bt_arena *arena,
                                         uint64_t deadline_ms)
{
    const struct bt_evidence_source source = {
        .path = bt_str_of(child), .agent = BT_STR("-"), .owned_only = true};
    const struct bt_evidence_spent kept = {BT_STR_INIT(""), BT_STR_INIT(""), BT_STR_INIT("")};
    struct bt_evidence_follow follow;
    struct bt_transcript_event event;
    struct bt_spending spending;
    bt_evidence_follow_init(&follow, env, &source);
    assert_int_equal(bt_evidence_follow_open(&follow, NULL), BT_OK);
    assert_int_equal(bt_spending_begin(&spending, arena, env, &kept), BT_OK);
    spending.parent = bt_str_of(parent);
    follow.source.deadline_ms = deadline_ms;
    do {
        assert_int_equal(bt_evidence_follow_next(&follow, &event), BT_OK);
        assert_int_equal(
            event.kind == BT_TRANSCRIPT_END ? BT_OK : bt_spending_add(&spending, &follow, &event),
            BT_OK);
    } while (event.kind != BT_TRANSCRIPT_END);
    const struct bt_usage_agent agent = spending.usage.agents.items[0];
    bt_spending_free(&spending);
    bt_evidence_follow_free(&follow);
    return agent;
}

static void a_parent_is_read_within_the_deadline(void **state)
{
    (void)state;
    struct bt_env env;
    struct bt_arena arena;
    (void)snprintf(child, sizeof(child), "%s/test-child-%d.jsonl", test_place(), (int)getpid());
    (void)snprintf(parent, sizeof(parent), "%s/test-parent-%d.jsonl", test_place(), (int)getpid());
    write_file(child, "{\"type\":\"session_meta\",\"payload\":{\"id\":\"c\",\"forked_from_id\":"
                      "\"p\"}}\n" TOTAL(100) TOTAL(130) TOTAL(150));
    write_file(parent,
               "{\"type\":\"session_meta\",\"payload\":{\"id\":\"p\"}}\n" TOTAL(100) TOTAL(130));
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, 1 << 24);
    struct bt_usage_agent agent = count_child(&env, &arena, 0);
    assert_false(agent.is_uncertain);
    assert_int_equal(agent.models.count, 1);
    assert_int_equal(agent.models.items[0].count.input, 20);
    agent = count_child(&env, &arena, 1); /* long ago */
    assert_true(agent.is_uncertain);
    assert_int_equal(agent.models.count, 0);
    bt_arena_free(&arena);
    assert_int_equal(remove(child), 0);
    assert_int_equal(remove(parent), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parent_is_read_within_the_deadline),
    };
    return RUN_TESTS(tests);
}
