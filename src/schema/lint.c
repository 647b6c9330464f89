/* SPDX-License-Identifier: Apache-2.0 */
/* lint.c - schemas that are valid but probably not intended: run the rules over each node. */
#include "schema/lint.h"

#include <assert.h>

#include "report/findings.h"
#include "schema/options.h"

enum {
    COMPARES_MAX = 100000000,
    MATCHES_MAX = 1000,
    NEAREST_MAX = 100,
};

static bt_lint_fn *const rules[] = {bt_schema_lint_unique_items, bt_schema_lint_pattern,
                                    bt_schema_lint_required, bt_schema_lint_branches};

/* Only the schema itself is checked; the documents it refers to are checked on their own. */
static enum bt_status run_rules(struct bt_schema_lint_run *lint)
{
    const struct bt_schema_frame *frame = &lint->frame;
    for (size_t i = 0; i < frame->nodes.count; i++) {
        const struct bt_schema_node *node = &frame->nodes.items[i];
        const bool is_own = frame->resources.items[node->resource].document == 0;
        for (size_t k = 0; is_own && k < sizeof(rules) / sizeof(rules[0]); k++) {
            BT_TRY(rules[k](lint, node));
        }
    }
    return BT_OK;
}

static enum bt_status lint_schema(struct bt_schema_lint_run *lint, const struct bt_json_doc *schema)
{
    BT_TRY(bt_schema_frame_build(&lint->frame, schema));
    BT_TRY(bt_schema_lint_run_find_types(lint));
    return run_rules(lint);
}

enum bt_status bt_schema_lint(const struct bt_json_doc *schema,
                              const struct bt_schema_options *options, struct bt_findings *findings)
{
    assert(schema);
    assert(findings);
    struct bt_schema_options known;
    BT_TRY(bt_schema_options_complete(options, &known));
    options = &known;
    struct bt_schema_compile_errors problems = {0};
    struct bt_arena arena;
    struct bt_arena scratch;
    bt_arena_init(&arena, options->memory_bytes_max);
    bt_arena_init(&scratch, options->memory_bytes_max);
    struct bt_schema_lint_run lint = {
        .frame = {.arena = &arena, .scratch = &scratch, .options = options, .problems = &problems},
        .findings = findings,
        .compares_left = COMPARES_MAX,
        .matches_left = MATCHES_MAX,
        .nearest_left = NEAREST_MAX,
    };
    bt_regex_matcher_init(&lint.matcher, NULL);
    const enum bt_status status = lint_schema(&lint, schema);
    bt_regex_matcher_free(&lint.matcher);
    bt_arena_free(&arena);
    bt_arena_free(&scratch);
    BT_TRY(status == BT_ELIMIT ? BT_OK : status); /* too large: compiling it says so */
    return bt_findings_publish_own(findings, bt_json_source(schema));
}
