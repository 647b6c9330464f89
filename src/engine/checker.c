/* SPDX-License-Identifier: Apache-2.0 */
/* checker.c - the state that dialects create once and use for many documents. */
#include <assert.h>

#include <baton/check.h>

#include "dialect/contract/contract.h"
#include "dialect/governed/governed.h"
#include "dialect/plan/plan.h"
#include "dialect/universal/universal.h"
#include "engine/check.h"

enum { OWN_BYTES_MAX = 64 * 1024 };

struct bt_checker {
    struct bt_arena arena; /* holds this struct itself */
    struct bt_env *env;
    struct bt_universal_checker *universal; /* NULL: not needed yet */
    struct bt_contract_checker *contract;   /* NULL: not needed yet */
    struct bt_plan_checker *plans;          /* NULL: not needed yet */
    struct bt_governed_checker *governed;   /* NULL: not needed yet */
};

struct bt_checker *bt_checker_create(struct bt_env *env)
{
    assert(env);
    struct bt_arena arena;
    bt_arena_init(&arena, OWN_BYTES_MAX);
    struct bt_checker *checker = BT_NEW(&arena, struct bt_checker);
    if (checker) {
        checker->arena = arena;
        checker->env = env;
    }
    return checker;
}

void bt_checker_destroy(struct bt_checker *checker)
{
    if (checker) {
        bt_universal_checker_destroy(checker->universal);
        bt_contract_checker_destroy(checker->contract);
        bt_plan_checker_destroy(checker->plans);
        bt_governed_checker_destroy(checker->governed);
        struct bt_arena arena = checker->arena;
        bt_arena_free(&arena);
    }
}

enum bt_status bt_checker_universal(struct bt_checker *checker, struct bt_universal_checker **out)
{
    assert(checker);
    assert(out);
    if (!checker->universal) {
        BT_TRY(bt_universal_checker_create(checker->env, &checker->universal));
    }
    *out = checker->universal;
    return BT_OK;
}

enum bt_status bt_checker_contract(struct bt_checker *checker, struct bt_contract_checker **out)
{
    assert(checker);
    assert(out);
    if (!checker->contract) {
        BT_TRY(bt_contract_checker_create(checker->env, &checker->contract));
    }
    *out = checker->contract;
    return BT_OK;
}

enum bt_status bt_checker_plan(struct bt_checker *checker, struct bt_plan_checker **out)
{
    assert(checker);
    assert(out);
    if (!checker->plans) {
        BT_TRY(bt_plan_checker_create(checker->env, &checker->plans));
    }
    *out = checker->plans;
    return BT_OK;
}

enum bt_status bt_checker_governed(struct bt_checker *checker, struct bt_governed_checker **out)
{
    assert(checker);
    assert(out);
    if (!checker->governed) {
        BT_TRY(bt_governed_checker_create(checker->env, &checker->governed));
    }
    *out = checker->governed;
    return BT_OK;
}
