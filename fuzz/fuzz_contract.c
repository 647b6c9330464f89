/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_contract.c - any bytes, judged as the message of an agent.
 *
 * Promises: the judgement is the same twice; text before the last block changes nothing but what is
 * said about the fences, and places; a fixed message has nothing left that could be fixed safely,
 * and fixing it again changes nothing; prompts keep their limit and no secret gets into them.
 */
#include <baton/check.h>

#include "dialect/contract/contract.h"
#include "engine/check.h"
#include "fence/fence.h"
#include "fuzz.h"
#include "report/add.h"
#include "report/fixes.h"

static const bt_str tag = BT_STR_INIT("agent_contract_handoff");

static struct bt_judgement judge(struct bt_env *env, struct bt_arena *arena, bt_str text)
{
    const struct bt_check_options options = {.dialect = bt_dialect_find(BT_STR("contract"))};
    struct bt_judgement judged;
    PROMISE(bt_check_document(env, arena, BT_STR("m.md"), text, &options, &judged) == BT_OK);
    PROMISE(judged.verdict != BT_VERDICT_NONE);
    (void)fuzz_reread(arena, judged.facts);
    return judged;
}

/* What is said about the fences, which depends on the text around the block. */
static bool is_about_fences(const struct bt_finding *finding)
{
    return bt_str_eq(finding->rule->code, BT_STR("CONTRACT_BLOCK_DUPLICATE")) ||
           bt_str_eq(finding->rule->code, BT_STR("CONTRACT_BLOCK_NOT_LAST"));
}

/* The next finding about the block itself, or NULL. */
static const struct bt_finding *next_own(const struct bt_findings *findings, size_t *at)
{
    while (*at < bt_findings_count(findings)) {
        const struct bt_finding *finding = bt_findings_at(findings, (*at)++);
        if (!is_about_fences(finding)) {
            return finding;
        }
    }
    return NULL;
}

/* Everything that is said about the block is said of both, `offset` bytes apart. */
static void say_the_same(const struct bt_findings *a, const struct bt_findings *b, size_t offset)
{
    size_t at_a = 0;
    size_t at_b = 0;
    for (;;) {
        const struct bt_finding *one = next_own(a, &at_a);
        const struct bt_finding *other = next_own(b, &at_b);
        PROMISE(!one == !other);
        if (!one || !other) {
            return;
        }
        PROMISE(one->rule == other->rule);
        PROMISE(one->severity == other->severity);
        PROMISE(bt_str_eq(one->pointer, other->pointer));
        PROMISE(bt_finding_compare_params(one, other) == 0);
        PROMISE(one->offset == BT_OFFSET_NONE || one->offset == other->offset + offset);
    }
}

static void only_the_last_block_counts(struct bt_env *env, struct bt_arena *arena, bt_str text,
                                       const struct bt_judgement *judged)
{
    struct bt_fence fence = {.text = text, .tag = tag};
    struct bt_fence_block block;
    bool found = false;
    while (bt_fence_next(&fence, &block)) {
        found = true;
    }
    if (!found || bt_utf8_check(text) < text.len || text.len > env->limits.document_bytes) {
        return;
    }
    const bt_str alone = bt_str_slice(text, block.open, text.len);
    const struct bt_judgement again = judge(env, arena, alone);
    PROMISE(again.verdict == judged->verdict);
    say_the_same(judged->findings, again.findings, block.open);
}

static void fixes_are_done_at_once(struct bt_env *env, struct bt_arena *arena, bt_str text)
{
    struct bt_contract_checker *contract = NULL;
    const struct bt_contract_document document = {.path = BT_STR("m.md"), .text = text};
    struct bt_contract_fix_result once;
    struct bt_contract_fix_result twice;
    const struct bt_fix_choice choice = {.unsafe = true};
    bt_str edited = BT_STR("");
    PROMISE(bt_contract_checker_create(env, &contract) == BT_OK);
    PROMISE(bt_contract_fix(contract, arena, &document, &choice, &once) == BT_OK);
    PROMISE((once.count == 0) == bt_str_eq(once.text, text));
    PROMISE(once.before.len == text.len);
    PROMISE(bt_edit_list_apply(&once.edits, text, arena, &edited) == BT_OK);
    PROMISE(bt_str_eq(edited, once.text));
    const struct bt_contract_document again = {.path = BT_STR("m.md"), .text = once.text};
    PROMISE(bt_contract_fix(contract, arena, &again, &choice, &twice) == BT_OK);
    PROMISE(twice.count == 0);
    PROMISE(bt_str_eq(twice.text, once.text));
    (void)fuzz_reread(arena, once.judged.facts);
    bt_contract_checker_destroy(contract);
}

static void prompts_are_bounded(struct bt_env *env, struct bt_arena *arena, bt_str text)
{
    enum { PROMPT_BYTES_MAX = 8192 };
    struct bt_contract_checker *contract = NULL;
    const struct bt_contract_document document = {.path = BT_STR("m.md"), .text = text};
    struct bt_contract_repair_prompt repair;
    PROMISE(bt_contract_checker_create(env, &contract) == BT_OK);
    PROMISE(bt_contract_write_repair_prompt(contract, arena, &document,
                                            (struct bt_contract_attempt){1, 3}, &repair) == BT_OK);
    PROMISE((repair.prompt.len == 0) == (repair.judged.verdict == BT_VERDICT_ACCEPTED));
    PROMISE(repair.prompt.len <= PROMPT_BYTES_MAX);
    for (size_t i = 0; i < repair.prompt.len; i++) {
        const unsigned char byte = (unsigned char)repair.prompt.ptr[i];
        PROMISE(byte == '\n' || (byte >= 0x20 && byte != 0x7f));
    }
    struct bt_buf members;
    bt_buf_init(&members, FUZZ_BUF_BYTES);
    bt_buf_put_char(&members, '{');
    bt_buf_put(&members, repair.members);
    bt_buf_put_char(&members, '}');
    (void)fuzz_reread(arena, bt_buf_str(&members));
    bt_buf_free(&members);
    bt_contract_checker_destroy(contract);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_arena arena;
    struct bt_env env;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_env_init(&env) == BT_OK);
    const struct bt_judgement judged = judge(&env, &arena, text);
    const struct bt_judgement again = judge(&env, &arena, text);
    PROMISE(bt_str_eq(judged.facts, again.facts));
    PROMISE(judged.source.len == text.len);
    say_the_same(judged.findings, again.findings, 0);
    only_the_last_block_counts(&env, &arena, text, &judged);
    fixes_are_done_at_once(&env, &arena, text);
    prompts_are_bounded(&env, &arena, text);
    bt_arena_free(&arena);
    return 0;
}
