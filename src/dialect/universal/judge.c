/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - is this text a universal handoff, from whom and for whom; the order of the stages, and
 * what they all use.
 */
#include <assert.h>
#include <string.h>

#include "dialect/universal/fix_table.h"
#include "dialect/universal/universal.h"
#include "dialect/universal/universal_check.h"
#include "json/options.h"
#include "report/identity.h"
#include "report/json_rules.h"
#include "report/rules.h"

/* Whether the schema found fault with the value itself, as opposed to what it has or lacks. */
static bool failed_itself(const struct bt_universal_check *handoff, const bt_json_value *value)
{
    if (handoff->schema_failures == 0) {
        return false;
    }
    const size_t offset = bt_json_span(handoff->document, value).begin;
    for (size_t i = 0; i < handoff->schema_failures; i++) {
        const struct bt_finding *finding =
            bt_findings_at(handoff->findings, handoff->schema_from + i);
        if (finding->offset == offset && finding->code != BT_CODE_SCHEMA_REQUIRED &&
            finding->code != BT_CODE_SCHEMA_UNEVALUATED_PROPERTIES) {
            return true;
        }
    }
    return false;
}

const bt_json_value *bt_universal_check_usable(const struct bt_universal_check *handoff,
                                               const bt_json_value *object, const char *name)
{
    const bt_json_value *value = bt_json_get(handoff->document, object, bt_str_of(name));
    return value && !failed_itself(handoff, value) ? value : NULL;
}

bool bt_universal_check_usable_text(const struct bt_universal_check *handoff,
                                    const bt_json_value *object, const char *name, bt_str *out)
{
    const bt_json_value *value = bt_universal_check_usable(handoff, object, name);
    if (!value || bt_json_type(value) != BT_JSON_STRING) {
        return false;
    }
    *out = bt_json_text(value);
    return true;
}

bool bt_universal_check_integer(const struct bt_universal_check *handoff,
                                const bt_json_value *value, uint64_t *out)
{
    const double end = 9007199254740992.0; /* 2^53 */
    if (!bt_json_is_number(value) ||
        !bt_json_decimal_is_integer(bt_json_number_text(handoff->document, value))) {
        return false;
    }
    const double number = bt_json_to_double(value);
    if (!(number >= 0 && number <= end)) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

struct bt_location bt_universal_locate(const struct bt_universal_check *handoff,
                                       const bt_json_value *value)
{
    return bt_location_value(handoff->document, value);
}

static const bt_json_value *object_in(const struct bt_universal_check *handoff,
                                      const bt_json_value *object, const char *name)
{
    const bt_json_value *value = bt_json_get(handoff->document, object, bt_str_of(name));
    return value && bt_json_type(value) == BT_JSON_OBJECT ? value : NULL;
}

static void find_parts(struct bt_universal_check *handoff)
{
    handoff->parts.handoff = object_in(handoff, bt_json_root(handoff->document), "handoff");
    handoff->parts.source = object_in(handoff, handoff->parts.handoff, "source");
    handoff->parts.target = object_in(handoff, handoff->parts.handoff, "target");
    handoff->parts.context = object_in(handoff, handoff->parts.handoff, "context");
    handoff->parts.payload = object_in(handoff, handoff->parts.handoff, "payload");
    handoff->parts.meta = object_in(handoff, handoff->parts.handoff, "meta");
    handoff->parts.tracing = object_in(handoff, handoff->parts.handoff, "tracing");
}

static enum bt_status stage_read(struct bt_universal_check *handoff)
{
    const struct bt_json_options options = bt_json_options_from_env(handoff->universal->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(handoff->arena, handoff->text, &options, &read));
    if (!read.document) {
        return bt_findings_add_json(handoff->findings, &read, handoff->text);
    }
    handoff->document = read.document;
    find_parts(handoff);
    return bt_findings_add_lone(handoff->findings, read.document);
}

static enum bt_status run_stage(struct bt_universal_check *handoff, enum bt_stage stage,
                                bt_stage_fn *run)
{
    const size_t before = bt_findings_count(handoff->findings);
    handoff->stages.run |= 1U << stage;
    BT_TRY(run(handoff));
    if (bt_findings_have_hard(handoff->findings, before)) {
        handoff->stages.failed |= 1U << stage;
    }
    return BT_OK;
}

enum bt_status bt_universal_check_judge(struct bt_universal_checker *universal, bt_str text,
                                        const struct bt_universal_options *options,
                                        struct bt_findings *findings,
                                        struct bt_universal_check *out)
{
    assert(universal);
    assert(options);
    static const struct universal_judge_stage {
        enum bt_stage stage;
        bt_stage_fn *run;
    } stages[] = {
        {BT_STAGE_READ, stage_read},
        {BT_STAGE_SCHEMA, bt_universal_stage_schema},
        {BT_STAGE_BUDGET, bt_universal_stage_budget},
        {BT_STAGE_SEMANTICS, bt_universal_stage_semantics},
        {BT_STAGE_GOVERNANCE, bt_universal_stage_governance},
    };
    struct bt_universal_check handoff = {.universal = universal,
                                         .options = options,
                                         .findings = findings,
                                         .arena = bt_findings_arena(findings),
                                         .text = text};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        if (stages[i].stage == BT_STAGE_GOVERNANCE && !options->catalogue) {
            continue;
        }
        BT_TRY(run_stage(&handoff, stages[i].stage, stages[i].run));
        if (!handoff.document || (options->fail_fast && handoff.stages.failed != 0)) {
            break;
        }
    }
    const enum bt_stage last = options->catalogue ? BT_STAGE_GOVERNANCE : BT_STAGE_SEMANTICS;
    handoff.stages.has_stopped =
        handoff.document && options->fail_fast && (handoff.stages.run >> last & 1) == 0;
    handoff.stages.skips_artifacts =
        !options->verify_artifacts && bt_universal_check_has_checksum(&handoff);
    *out = handoff;
    return bt_universal_mark_fixable(&handoff);
}

void bt_universal_check_identify(const struct bt_universal_check *handoff, struct bt_identity *out)
{
    assert(handoff);
    assert(out);
    if (handoff->document) {
        bt_identity_read_name(handoff->document, BT_STR("/handoff/trace_id"), &out->trace_id);
        bt_identity_read_name(handoff->document, BT_STR("/handoff/source/skill"), &out->source);
        bt_identity_read_name(handoff->document, BT_STR("/handoff/target/skill"), &out->target);
        out->sets_budget = bt_universal_budget_is_set(&handoff->budget);
    }
}
