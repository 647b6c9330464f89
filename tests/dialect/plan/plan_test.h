/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_test.h - what the tests of plans share: a world, and plans made in it.
 */
#ifndef BATON_TESTS_DIALECT_PLAN_PLAN_TEST_H
#define BATON_TESTS_DIALECT_PLAN_PLAN_TEST_H

#include "dialect/plan/plan.h"
#include "test.h"

struct world {
    struct bt_env env;
    struct bt_plan_checker *plans;
    struct bt_arena arena;
};

static inline void world_begin(struct world *world)
{
    assert_int_equal(bt_env_init(&world->env), BT_OK);
    assert_int_equal(bt_plan_checker_create(&world->env, &world->plans), BT_OK);
    bt_arena_init(&world->arena, (size_t)1 << 30);
}

static inline void world_end(struct world *world)
{
    bt_arena_free(&world->arena);
    bt_plan_checker_destroy(world->plans);
}

static inline bool has_code(const struct bt_findings *findings, const char *code)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        if (bt_str_eq(bt_findings_at(findings, i)->rule->code, bt_str_of(code))) {
            return true;
        }
    }
    return false;
}

#endif
