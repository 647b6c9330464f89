/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - the order of the stages, and nothing else.
 *
 *     bytes -> (which dialect?) -> its reader and checks -> findings in order -> verdict
 */
#include <baton/check.h>

#include <assert.h>

#include "engine/dialect.h"

/* Later stages are skipped after a HARD finding of reading. Plain JSON has no later ones. */
static uint32_t skipped_after_reading(const struct bt_findings *findings,
                                      enum bt_dialect_id dialect)
{
    for (size_t i = 0; dialect != BT_DIALECT_JSON && i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->rule->stage == BT_STAGE_READ && finding->severity == BT_SEVERITY_HARD) {
            return 1U << BT_SKIPPED_AFTER_READ_FAILED;
        }
    }
    return 0;
}

/* Judge with a checker that already exists. */
static enum bt_status run_dialect(const struct bt_judge_input *judging, enum bt_dialect_id dialect,
                                  bt_str path, struct bt_judgement *out)
{
    const struct bt_dialect *row = judging->row;
    bt_str facts = BT_STR("");
    struct bt_findings *findings = judging->findings;
    const enum bt_severity fail_level = judging->options->fail_level;
    BT_TRY(row->judge(judging, &facts));
    BT_TRY(bt_findings_finish(findings, judging->content));
    *out = (struct bt_judgement){
        .path = path,
        .dialect = row->reported_as ? row->reported_as : dialect,
        .source = *judging->excerpt_text,
        .verdict = bt_verdict_of(findings, fail_level ? fail_level : BT_SEVERITY_HARD),
        .findings = findings,
        .facts = facts,
        .document = *judging->document,
        .identity = *judging->identity,
        .tokens = *judging->tokens,
    };
    if (judging->options->lists_skipped) {
        out->skipped = *judging->skipped | skipped_after_reading(findings, dialect);
    }
    return BT_OK;
}

enum bt_status bt_check_document(struct bt_env *env, struct bt_arena *arena, bt_str path,
                                 bt_str content, const struct bt_check_options *options,
                                 struct bt_judgement *out)
{
    assert(env);
    assert(arena);
    assert(out);
    static const struct bt_check_options by_default = {.fail_level = BT_SEVERITY_HARD};
    const struct bt_check_options *wanted = options ? options : &by_default;
    const enum bt_dialect_id dialect =
        wanted->dialect ? wanted->dialect : bt_dialect_recognise(path, content);
    if (!dialect || !bt_dialect_row(dialect)->judge) { /* a core build has no judge for YAML */
        return BT_ENOENT;
    }
    const struct bt_json_doc *document = NULL;
    struct bt_identity identity = {0};
    uint32_t skipped = 0;
    uint64_t tokens = 0;
    struct bt_judge_input judging = {
        .env = env,
        .row = bt_dialect_row(dialect),
        .checker = wanted->checker ? wanted->checker : bt_checker_create(env),
        .options = wanted,
        .path = path,
        .content = content,
        .findings = bt_findings_new(arena),
        .excerpt_text = &content,
        .document = &document,
        .identity = &identity,
        .skipped = &skipped,
        .tokens = &tokens,
    };
    const enum bt_status status =
        judging.findings && judging.checker ? run_dialect(&judging, dialect, path, out) : BT_ENOMEM;
    if (judging.checker != wanted->checker) {
        bt_checker_destroy(judging.checker);
    }
    return status;
}
