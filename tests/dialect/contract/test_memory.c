/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_memory.c - contract blocks when memory runs out, and messages at the limits.
 */
#include "test.h"

#include <baton/check.h>

#include "dialect/contract/contract.h"
#include "engine/check.h"
#include "report/fixes.h"

/* Everything that takes memory of its own: spelling, tokens, a request, updates, references. */
static const char busy[] =
    "x\n```agent_contract_handoff\n"
    "{\"agent_status\":{\"plan_status\":\"complete.\",\"agent_id\":\"zzz\",\"pending_steps\":[1]},"
    "\"evidence_report\":{\"FILES_CHECKED\":null,\"commands_run\":[7],\"verification\":{}},"
    "\"approval_request\":{\"rollback\":\"r\",\"risk_level\":\"low\",\"approval_id\":\"P\"},"
    "\"loop_state\":{\"iteration\":1,\"max_iterations\":2,\"metric\":1,\"threshold\":2},"
    "\"memory_suggestions\":[1,{}],\"note\":1,\"update_contracts\":[{\"contract\":\"s\","
    "\"payload\":{\"a\":\"git@github.com:O/R.git:t/n\",\"b\":\"https://u:p@h/x\"}}]}\n```\nbye\n";

typedef enum bt_status work_fn(struct bt_env *env, struct bt_arena *arena);

static enum bt_status check(struct bt_env *env, struct bt_arena *arena)
{
    const struct bt_check_options options = {.dialect = bt_dialect_find(BT_STR("contract"))};
    struct bt_judgement judged;
    BT_TRY(bt_check_document(env, arena, BT_STR("m"), bt_str_of(busy), &options, &judged));
    assert_int_equal(judged.verdict, BT_VERDICT_REJECTED);
    assert_int_equal(bt_findings_count(judged.findings), 25);
    return BT_OK;
}

static enum bt_status with_contract(struct bt_env *env, struct bt_arena *arena, int which)
{
    const struct bt_contract_document document = {.path = BT_STR("m"), .text = bt_str_of(busy)};
    struct bt_contract_checker *contract = NULL;
    const struct bt_fix_choice all_fixes = {.unsafe = true};
    struct bt_contract_fix_result fixed;
    struct bt_contract_repair_prompt repair;
    assert_int_equal(bt_contract_checker_create(env, &contract), BT_OK);
    enum bt_status status = BT_OK;
    if (which == 0) {
        status = bt_contract_fix(contract, arena, &document, &all_fixes, &fixed);
        assert_true(status != BT_OK || fixed.count == 10);
    } else {
        status = bt_contract_write_repair_prompt(contract, arena, &document,
                                                 (struct bt_contract_attempt){1, 3}, &repair);
        assert_true(status != BT_OK || repair.prompt.len > 0);
    }
    bt_contract_checker_destroy(contract);
    return status;
}

static enum bt_status fix(struct bt_env *env, struct bt_arena *arena)
{
    return with_contract(env, arena, 0);
}

static enum bt_status repair(struct bt_env *env, struct bt_arena *arena)
{
    return with_contract(env, arena, 1);
}

static enum bt_status merge(struct bt_env *env, struct bt_arena *arena)
{
    static const char section[] = "{\"a\":{\"b\":[1,{\"name\":\"x\"}]},\"c\":1,\"d\":[]}";
    static const char change[] = "{\"a\":{\"b\":[2,{\"name\":\"x\",\"y\":1}]},\"c\":2,\"d\":{},"
                                 "\"e\":\"git@github.com:O/R.git:t/n\"}";
    const struct bt_contract_document payload = {.path = BT_STR("p"), .text = bt_str_of(change)};
    struct bt_arena own;
    struct bt_json_read_result stored = {0};
    struct bt_contract_checker *contract = NULL;
    struct bt_contract_merge_result merged;
    bt_arena_init(&own, 1 << 20);
    assert_int_equal(bt_json_read(&own, bt_str_of(section), NULL, &stored), BT_OK);
    assert_int_equal(bt_contract_checker_create(env, &contract), BT_OK);
    const enum bt_status status =
        bt_contract_merge_section(contract, arena, stored.document, &payload, &merged);
    if (status == BT_OK) {
        assert_str(merged.result, "{\"a\":{\"b\":[1,{\"name\":\"x\"},2,{\"name\":\"x\",\"y\":1}]},"
                                  "\"c\":2,\"d\":{},\"e\":\"github.com/o/r:t/n\"}");
    }
    bt_contract_checker_destroy(contract);
    bt_arena_free(&own);
    return status;
}

/* Give the work every limit from nothing up, until it succeeds; it must fail before that. */
static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    static work_fn *const works[] = {check, fix, repair, merge};
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    for (size_t i = 0; i < COUNT_OF(works); i++) {
        enum bt_status status = BT_ENOMEM;
        size_t failures = 0;
        for (size_t limit = 64; status != BT_OK && limit < 1 << 22; limit += 4096) {
            struct bt_arena arena;
            bt_arena_init(&arena, limit);
            status = works[i](&env, &arena);
            assert_true(status == BT_OK || status == BT_ENOMEM);
            failures += status != BT_OK;
            bt_arena_free(&arena);
        }
        assert_int_equal(status, BT_OK);
        assert_true(failures > 1);
    }
}

static struct bt_judgement judge(struct bt_env *env, struct bt_arena *arena, bt_str text)
{
    const struct bt_check_options options = {.dialect = bt_dialect_find(BT_STR("contract"))};
    struct bt_judgement judged;
    assert_int_equal(bt_check_document(env, arena, BT_STR("m"), text, &options, &judged), BT_OK);
    return judged;
}

static void a_message_beyond_the_limit_is_one_finding(void **state)
{
    (void)state;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_buf text;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, (size_t)256 << 20);
    bt_buf_init(&text, 16 << 20);
    bt_buf_put_repeat(&text, '`', 10 << 20);
    const struct bt_judgement judged = judge(&env, &arena, bt_buf_str(&text));
    assert_int_equal(bt_findings_count(judged.findings), 1);
    assert_str(bt_findings_at(judged.findings, 0)->rule->code, "JSON_TOO_LARGE");
    bt_buf_free(&text);
    bt_arena_free(&arena);
}

/* As many of everything as fit: work must stay in proportion, or this takes hours. */
static void the_largest_blocks_are_judged(void **state)
{
    (void)state;
    static const char *const fillers[] = {
        "{\"contract\":\"s\",\"payload\":{}},", "{\"contract\":5},", "7,",
        "{\"contract\":\"t\",\"payload\":{\"ip\":\"git@h.x:o/r:a/b\"}},"};
    struct bt_env env;
    assert_int_equal(bt_env_init(&env), BT_OK);
    for (size_t i = 0; i < COUNT_OF(fillers); i++) {
        struct bt_arena arena;
        struct bt_buf text;
        bt_arena_init(&arena, (size_t)1 << 30);
        bt_buf_init(&text, 8 << 20);
        bt_buf_put_text(&text, "```agent_contract_handoff\n{\"update_contracts\":[");
        for (size_t k = 0; k < 150000 && text.len < (7 << 20); k++) {
            bt_buf_put_text(&text, fillers[i]);
        }
        bt_buf_put_text(&text, "7]}\n```\n");
        assert_int_equal(text.status, BT_OK);
        const struct bt_judgement judged = judge(&env, &arena, bt_buf_str(&text));
        assert_int_equal(judged.verdict, BT_VERDICT_REJECTED);
        assert_true(bt_findings_count(judged.findings) <= 1000);
        bt_buf_free(&text);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(a_message_beyond_the_limit_is_one_finding),
        cmocka_unit_test(the_largest_blocks_are_judged),
    };
    return RUN_TESTS(tests);
}
