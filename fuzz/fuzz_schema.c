/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_schema.c - a character for the draft, a line that is the schema, the rest the instance.
 *
 * Promises: a schema compiles or there is a finding that says why not; the fast run, the diagnostic
 * run and the interpreter that takes schemas literally give the same answer, whether the schema was
 * judged by its meta-schema or not and whichever seed the names were hashed with; findings are
 * there just when the answer is not valid; no run takes more fuel than it was given.
 */
#include "fuzz.h"
#include "schema/naive.h"

#include <baton/report.h>
#include <baton/schema.h>

#include "report/report.h"
#include "schema/options.h"

enum { FUEL = 200000, DEPTH_MAX = 24 };

/* Another seed in the same place: names must then be hashed again. */
static const struct bt_json_doc *read_text(struct bt_arena *arena, bt_str text, uint64_t seed)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result result = {0};
    options.depth_max = DEPTH_MAX;
    options.hash_seed[0] = seed;
    PROMISE(bt_json_read(arena, text, &options, &result) == BT_OK);
    return result.document;
}

static enum verdict verdict_of(enum bt_schema_result answer)
{
    return answer == BT_SCHEMA_VALID     ? VERDICT_VALID
           : answer == BT_SCHEMA_INVALID ? VERDICT_INVALID
                                         : VERDICT_NONE;
}

/* Two answers, of which either may be none. */
static bool agree(enum verdict a, enum verdict b)
{
    return a == b || a == VERDICT_NONE || b == VERDICT_NONE;
}

static struct bt_schema *compile(const struct bt_json_doc *schema,
                                 const struct judge_options *judge, bool unchecked)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    struct bt_findings *findings = bt_findings_new(&arena);
    PROMISE(findings);
    struct bt_schema_options options = bt_schema_options_default();
    options.draft = judge->draft;
    options.assert_formats = judge->assert_formats;
    options.skip_metaschema = unchecked;
    options.instructions_max = 10000;
    options.regex_states_max = 1000;
    struct bt_schema *compiled = NULL;
    PROMISE(bt_schema_compile(schema, &options, findings, &compiled) == BT_OK);
    PROMISE((compiled != NULL) == (bt_findings_count(findings) == 0));
    bt_arena_free(&arena);
    return compiled;
}

/* What both runs say, which must be the same. */
static enum verdict judge(const struct bt_schema *schema, const struct bt_json_doc *instance)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = FUEL;
    struct bt_schema_runner *runner = bt_schema_runner_with(&limits);
    PROMISE(runner);
    const enum verdict fast = verdict_of(bt_schema_run(schema, runner, instance));
    PROMISE(bt_schema_work_used(runner) <= FUEL);
    PROMISE((fast == VERDICT_NONE) == (bt_schema_limit_reached(runner) != BT_SCHEMA_LIMIT_NONE));

    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    struct bt_findings *findings = bt_findings_new(&arena);
    enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
    PROMISE(findings);
    PROMISE(bt_schema_explain(schema, runner, instance, findings, &answer) == BT_OK);
    PROMISE((bt_findings_count(findings) == 0) == (answer == BT_SCHEMA_VALID));
    PROMISE(agree(fast, verdict_of(answer)));
    bt_arena_free(&arena);
    bt_schema_runner_destroy(runner);
    return fast;
}

static void contend(struct bt_arena *arena, const struct judge_options *options, bt_str schema,
                    bt_str instance)
{
    const struct bt_json_doc *schema_document = read_text(arena, schema, 0);
    const struct bt_json_doc *document = read_text(arena, instance, 0);
    if (!schema_document || !document) {
        return;
    }
    struct bt_schema *checked = compile(schema_document, options, false);
    struct bt_schema *unchecked = compile(schema_document, options, true);
    PROMISE(!checked || unchecked);
    if (unchecked) {
        const enum verdict verdict = judge(unchecked, document);
        PROMISE(agree(verdict, judge(unchecked, read_text(arena, instance, 1))));
        if (checked) {
            PROMISE(judge(checked, document) == verdict);
            PROMISE(agree(verdict, naive_validate(schema_document, options, document)));
        }
    }
    bt_schema_destroy(checked);
    bt_schema_destroy(unchecked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum bt_schema_draft drafts[] = {
        BT_SCHEMA_DRAFT_3,       BT_SCHEMA_DRAFT_4,       BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_7,
        BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_V1};
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    if (!line || line == data) {
        return 0;
    }
    /* '0' to '6'; '@' to 'F' with formats. */
    const struct judge_options options = {.draft = drafts[(data[0] & 15U) % 7],
                                          .assert_formats = data[0] >= '@'};
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    contend(&arena, &options, fuzz_text(data + 1, (size_t)(line - data) - 1),
            fuzz_text(line + 1, size - (size_t)(line - data) - 1));
    bt_arena_free(&arena);
    return 0;
}
