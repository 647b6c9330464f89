/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the order of the steps; and what is created once and used for many messages: the
 * compiled schema of INPUT envelopes. It is compiled for the first envelope; messages of agents do
 * not need it.
 */
#include <assert.h>
#include <string.h>

#include "dialect/contract/contract_check.h"
#include "json/options.h"
#include "report/findings.h"
#include "schema/builtin.h"
#include "schema/options.h"

bool bt_contract_check_is_rejected(const struct bt_contract_check *check)
{
    const enum bt_severity level = check->fail_level ? check->fail_level : BT_SEVERITY_HARD;
    for (size_t i = 0; i < bt_findings_count(check->findings); i++) {
        if (bt_findings_at(check->findings, i)->severity >= level) {
            return true;
        }
    }
    return false;
}

bt_str bt_contract_check_action(const struct bt_contract_check *check)
{
    if (!bt_contract_check_is_rejected(check)) {
        return BT_STR("none");
    }
    const bool known =
        check->options->runtime_agent_id.len > 0 || (check->agent_id.len > 0 && !check->mismatch);
    return known ? BT_STR("resume_same_agent_contract_repair") : BT_STR("escalate_contract_repair");
}

enum bt_status bt_contract_check_record(struct bt_contract_check *check)
{
    const struct bt_contract_view view = {.findings = check->findings,
                                          .arena = check->arena,
                                          .document = check->document,
                                          .evidence = check->parts.evidence,
                                          .is_complete =
                                              check->plan_status == BT_CONTRACT_STATUS_COMPLETE,
                                          .base = check->block.base};
    return check->options->compare ? check->options->compare(check->options->compare_context, &view,
                                                             &check->tokens.evidence)
                                   : BT_OK;
}

enum bt_status bt_contract_check_judge(struct bt_contract_check *check)
{
    assert(check);
    assert(check->contract);
    assert(check->options);
    static bt_contract_check_fn *const steps[] = {
        bt_contract_check_status,       bt_contract_check_evidence, bt_contract_check_consolidation,
        bt_contract_check_members,      bt_contract_check_marks,    bt_contract_check_approval,
        bt_contract_check_verification, bt_contract_check_loop,     bt_contract_check_advisory,
        bt_contract_check_updates,      bt_contract_check_record,
    };
    check->arena = bt_findings_arena(check->findings);
    bt_findings_limit_codes(check->findings, BT_CONTRACT_FINDINGS_PER_CODE);
    check->demanded = check->options->input && check->options->input->consolidation_required;
    check->block.body = BT_STR("");
    check->agent_id = BT_STR("");
    check->tokens.alias = BT_STR("");
    check->tokens.evidence = BT_STR("");
    BT_TRY(bt_contract_check_read(check));
    if (!check->document) {
        bt_contract_check_add_missing_status(check); /* no contract: all five have one cause */
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        BT_TRY(steps[i](check));
    }
    return BT_OK;
}

enum bt_status bt_contract_check_finish(struct bt_contract_check *check, bt_str path,
                                        const struct bt_contract_edits *fixed,
                                        struct bt_judgement *out)
{
    struct bt_judgement judged = {
        .path = path, .dialect = BT_DIALECT_CONTRACT, .findings = check->findings};
    BT_TRY(bt_contract_check_facts(check, fixed, &judged.facts));
    BT_TRY(bt_contract_check_excerpt_text(check, &judged.source));
    BT_TRY(bt_findings_finish(check->findings, check->text));
    judged.verdict = bt_verdict_of(check->findings, BT_SEVERITY_HARD);
    *out = judged;
    return BT_OK;
}

enum {
    OWN_BYTES_MAX = 1 << 20,
    FINDINGS_MAX = 10000, /* of the schema; more are of no use to a reader */
};

enum bt_status bt_contract_schema(struct bt_contract_checker *contract)
{
    if (contract->runner) {
        return BT_OK;
    }
    const struct bt_json_options reading = bt_json_options_default();
    struct bt_json_read_result read = {0};
    /* from: built-in text */
    BT_TRY(bt_json_read(&contract->arena, bt_schema_builtin_of("contract-input"), &reading, &read));
    assert(read.document);
    struct bt_schema_options options = bt_schema_options_default();
    options.skip_metaschema = true; /* a test judges it by its meta-schema */
    memcpy(options.hash_seed, contract->env->hash_seed, sizeof(options.hash_seed));
    if (!contract->schema) {
        BT_TRY(bt_schema_compile(read.document, &options, NULL, &contract->schema));
    }
    assert(contract->schema);
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.findings_max = FINDINGS_MAX;
    contract->runner = bt_schema_runner_with(&limits);
    return contract->runner ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_contract_checker_create(struct bt_env *env, struct bt_contract_checker **out)
{
    assert(env);
    assert(out);
    struct bt_arena arena;
    bt_arena_init(&arena, OWN_BYTES_MAX);
    struct bt_contract_checker *contract = BT_NEW(&arena, struct bt_contract_checker);
    BT_TRY(contract ? BT_OK : BT_ENOMEM);
    contract->env = env;
    contract->arena = arena;
    *out = contract;
    return BT_OK;
}

void bt_contract_checker_destroy(struct bt_contract_checker *contract)
{
    if (!contract) {
        return;
    }
    bt_schema_runner_destroy(contract->runner);
    bt_schema_destroy(contract->schema);
    struct bt_arena arena = contract->arena; /* this lies in it itself */
    bt_arena_free(&arena);
}
