/* SPDX-License-Identifier: Apache-2.0 */
/* test_names.c - names of an entry come from the bytes that are recorded, whoever has read them. */
#include "test.h"

#include <baton/check.h>
#include <baton/ledger.h>

enum { ARENA_BYTES = 1 << 20 };

static const char ours[] =
    "{\"handoff\":{\"trace_id\":\"t-1\",\"source\":{\"skill\":\"plan\\u006eer\"},"
    "\"target\":{\"skill\":\"builder\"}}}";
static const char theirs[] =
    "{\"handoff\":{\"trace_id\":\"t-2\",\"source\":{\"skill\":\"str\\u0061nger\"},"
    "\"target\":{\"skill\":\"\"}}}";

struct world {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
};

static void judge(struct world *world, bt_str text)
{
    const struct bt_check_options options = {.dialect = bt_dialect_find(BT_STR("universal"))};
    assert_int_equal(bt_env_init(&world->env), BT_OK);
    bt_arena_init(&world->arena, ARENA_BYTES);
    assert_int_equal(
        bt_check(&world->env, &world->arena, BT_STR("x"), text, &options, &world->judged), BT_OK);
}

static struct bt_submission lift(struct world *world, bt_str bytes)
{
    struct bt_submission item = {.judged = &world->judged,
                                 .bytes = bytes,
                                 .trace_id = BT_STR(""),
                                 .source = BT_STR(""),
                                 .target = BT_STR("")};
    assert_int_equal(bt_ledger_find_names(&world->env, &world->arena, &item), BT_OK);
    return item;
}

static void the_judge_has_read_the_names(void **state)
{
    (void)state;
    struct world world;
    judge(&world, bt_str_of(ours));
    assert_non_null(world.judged.document);
    const char *before = world.arena.next;
    const struct bt_submission item = lift(&world, world.judged.source);
    assert_str(item.trace_id, "t-1");
    assert_str(item.source, "planner");
    assert_str(item.target, "builder");
    assert_ptr_equal(world.arena.next, before); /* it was not read again */
    bt_arena_free(&world.arena);
}

static void other_bytes_are_read_whatever_was_judged(void **state)
{
    (void)state;
    struct world world;
    judge(&world, bt_str_of(ours));
    const struct bt_submission item = lift(&world, bt_str_of(theirs));
    assert_str(item.trace_id, "t-2");
    assert_str(item.source, "stranger");
    assert_str(item.target, " "); /* it is there, and no name */
    bt_arena_free(&world.arena);
}

static void what_nobody_has_read_is_read(void **state)
{
    (void)state;
    struct world world;
    judge(&world, bt_str_of(ours));
    world.judged.document = NULL;
    assert_str(lift(&world, world.judged.source).source, "planner");
    bt_arena_free(&world.arena);
}

static void what_cannot_be_read_has_no_names(void **state)
{
    (void)state;
    struct world world;
    judge(&world, BT_STR("{\"handoff\":{\"trace_id\":\"t-1\""));
    assert_null(world.judged.document);
    assert_str(lift(&world, world.judged.source).trace_id, "");
    bt_arena_free(&world.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_judge_has_read_the_names),
        cmocka_unit_test(other_bytes_are_read_whatever_was_judged),
        cmocka_unit_test(what_nobody_has_read_is_read),
        cmocka_unit_test(what_cannot_be_read_has_no_names),
    };
    return RUN_TESTS(tests);
}
