/* SPDX-License-Identifier: Apache-2.0 */
/* test_usage.c - each answer counts once, whatever the host repeats. */
#include "test.h"

#include "transcript/usage.h"

static const uint64_t SEED[2] = {1, 2};

/* The counter of a test, and the events that it gets. */
struct counting {
    struct bt_arena arena;
    struct bt_usage usage;
    struct bt_transcript_state state;
};

static void begin_counting(struct counting *counting)
{
    *counting = (struct counting){0};
    bt_arena_init(&counting->arena, 64 << 20);
    bt_usage_init(&counting->usage, &counting->arena, SEED);
    counting->usage.file = 1;
}

static void end_counting(struct counting *counting)
{
    bt_usage_free(&counting->usage);
    bt_arena_free(&counting->arena);
}

static void add_answer(struct counting *counting, const char *agent, const char *id, uint64_t input,
                       uint64_t output)
{
    const struct bt_transcript_event event = {
        .kind = BT_TRANSCRIPT_USAGE,
        .agent = bt_str_of(agent),
        .as.usage = {.model = BT_STR("m"),
                     .message_id = bt_str_of(id),
                     .count = {.input = input, .output = output}}};
    assert_int_equal(bt_usage_add(&counting->usage, &counting->state, &event), BT_OK);
}

static void add_total(struct counting *counting, struct bt_token_usage total,
                      struct bt_token_usage last)
{
    const struct bt_transcript_event event = {
        .kind = BT_TRANSCRIPT_USAGE,
        .agent = BT_STR("-"),
        .as.usage = {.model = BT_STR("m"), .count = total, .last = last, .is_total = true}};
    assert_int_equal(bt_usage_add(&counting->usage, &counting->state, &event), BT_OK);
}

static struct bt_token_usage counted(const struct counting *counting, size_t agent)
{
    assert_true(agent < counting->usage.agents.count);
    assert_int_equal(counting->usage.agents.items[agent].models.count, 1);
    return counting->usage.agents.items[agent].models.items[0].count;
}

static void lines_of_one_answer_count_once_by_their_largest_numbers(void **state)
{
    (void)state;
    struct counting counting;
    begin_counting(&counting);
    add_answer(&counting, "-", "m1", 10, 1);
    add_answer(&counting, "-", "m1", 9, 50);
    add_answer(&counting, "-", "m1", 10, 50);
    add_answer(&counting, "-", "", 1, 1);
    add_answer(&counting, "-", "", 1, 1);
    add_answer(&counting, "a1", "m1", 12, 50); /* two more than before, of whoever had it first */
    assert_int_equal(counting.usage.agents.count, 1);
    assert_int_equal(counted(&counting, 0).input, 14);
    assert_int_equal(counted(&counting, 0).output, 52);
    end_counting(&counting);
}

static void main_agents_of_two_files_are_two_agents(void **state)
{
    (void)state;
    struct counting counting;
    begin_counting(&counting);
    add_answer(&counting, "-", "m1", 1, 0);
    add_answer(&counting, "a1", "m2", 2, 0);
    counting.usage.file = 2;
    add_answer(&counting, "-", "m3", 4, 0);
    add_answer(&counting, "a1", "m4", 8, 0);
    assert_int_equal(counting.usage.agents.count, 3);
    assert_int_equal(counted(&counting, 1).input, 10);
    assert_int_equal(counted(&counting, 2).input, 4);
    end_counting(&counting);
}

/* One answer more than are remembered: the first one is forgotten, the second is not. */
static void only_the_last_answers_are_remembered(void **state)
{
    (void)state;
    struct counting counting;
    char id[32];
    begin_counting(&counting);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < BT_USAGE_MESSAGES_MAX + 1; i++) {
            (void)snprintf(id, sizeof(id), "m%zu", i);
            add_answer(&counting, "-", id, round == 0 || i == 0 ? 1 : 0, 0);
        }
    }
    assert_int_equal(counted(&counting, 0).input, BT_USAGE_MESSAGES_MAX + 2);
    add_answer(&counting, "-", "m9", 1, 0);
    assert_int_equal(counted(&counting, 0).input, BT_USAGE_MESSAGES_MAX + 2);
    assert_int_equal(counting.usage.messages.count, BT_USAGE_MESSAGES_MAX);
    end_counting(&counting);
}

/* More ids than the map of ids may have: it is made anew and still finds the remembered ones. */
static void forgotten_answers_cost_no_memory(void **state)
{
    (void)state;
    struct counting counting;
    char id[32];
    begin_counting(&counting);
    for (size_t i = 0; i < 5 * BT_USAGE_MESSAGES_MAX; i++) {
        (void)snprintf(id, sizeof(id), "m%zu", i);
        add_answer(&counting, "-", id, 1, 0);
        add_answer(&counting, "-", id, 1, 0);
    }
    assert_int_equal(counted(&counting, 0).input, 5 * BT_USAGE_MESSAGES_MAX);
    assert_true(counting.usage.ids.count <= 2 * BT_USAGE_MESSAGES_MAX);
    end_counting(&counting);
}

static void totals_count_by_their_growth(void **state)
{
    (void)state;
    struct counting counting;
    begin_counting(&counting);
    add_total(&counting, (struct bt_token_usage){100, 10, 40, 5}, (struct bt_token_usage){0});
    add_total(&counting, (struct bt_token_usage){100, 10, 40, 5},
              (struct bt_token_usage){9, 9, 9, 9});
    assert_int_equal(counted(&counting, 0).input, 55);
    assert_int_equal(counted(&counting, 0).cache_read, 40);
    assert_int_equal(counted(&counting, 0).cache_write, 5);
    add_total(&counting, (struct bt_token_usage){110, 10, 60, 5}, (struct bt_token_usage){0});
    assert_int_equal(counted(&counting, 0).input, 55); /* not below 0 */
    add_total(&counting, (struct bt_token_usage){7, 1, 0, 0}, (struct bt_token_usage){3, 1, 0, 0});
    assert_int_equal(counted(&counting, 0).input, 58);
    assert_int_equal(counted(&counting, 0).output, 11);
    end_counting(&counting);
}

static void a_child_without_marks_is_uncertain_without_its_parent(void **state)
{
    (void)state;
    struct counting counting;
    begin_counting(&counting);
    counting.state.parent = BT_STR("p");
    add_total(&counting, (struct bt_token_usage){100, 10, 0, 0}, (struct bt_token_usage){0});
    assert_true(counting.usage.agents.items[0].is_uncertain);
    assert_int_equal(counting.usage.agents.items[0].models.count, 0);
    counting.state.has_parent_mark = true; /* the twin that tells which lines are inherited */
    add_total(&counting, (struct bt_token_usage){120, 10, 0, 0}, (struct bt_token_usage){0});
    assert_int_equal(counted(&counting, 0).input, 20);
    end_counting(&counting);
}

static void sums_do_not_wrap(void **state)
{
    (void)state;
    struct counting counting;
    begin_counting(&counting);
    for (size_t i = 0; i < 3; i++) {
        add_answer(&counting, "-", "", INT64_MAX, 0);
    }
    assert_true(counted(&counting, 0).input == UINT64_MAX);
    end_counting(&counting);
}

static void running_out_of_memory_is_a_status(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    size_t failures = 0;
    for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 64) {
        struct counting counting = {0};
        const struct bt_transcript_event event = {
            .kind = BT_TRANSCRIPT_USAGE,
            .agent = BT_STR("a1"),
            .as.usage = {.model = BT_STR("m"), .message_id = BT_STR("x"), .count = {.input = 1}}};
        bt_arena_init(&counting.arena, limit);
        bt_usage_init(&counting.usage, &counting.arena, SEED);
        status = bt_usage_add(&counting.usage, &counting.state, &event);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        failures += status == BT_ENOMEM ? 1 : 0;
        end_counting(&counting);
    }
    assert_int_equal(status, BT_OK);
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_one_answer_count_once_by_their_largest_numbers),
        cmocka_unit_test(main_agents_of_two_files_are_two_agents),
        cmocka_unit_test(only_the_last_answers_are_remembered),
        cmocka_unit_test(forgotten_answers_cost_no_memory),
        cmocka_unit_test(totals_count_by_their_growth),
        cmocka_unit_test(a_child_without_marks_is_uncertain_without_its_parent),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(running_out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
