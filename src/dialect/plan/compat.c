/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat.c - two versions of a payload schema: proven, refuted or left open, in each direction.
 */
#include "dialect/plan/compat.h"

#include <assert.h>

#include "base/buf.h"
#include "json/emit.h"
#include "json/get.h"
#include "json/layout.h"
#include "json/value_pointer.h"
#include "json/write.h"
#include "report/rules.h"
#include "schema/options.h"

enum { SHOWN_BYTES_MAX = 1 << 30, FUEL = 1000000 };

/* A version, as it came and without its annotations. */
struct plan_compat_version {
    struct bt_payload given;
    struct bt_payload plain;
    struct bt_payload_side side;
};

struct plan_compat_comparison;

/* Put what a comparison found. A callback, so that a build without `schema diff` has no patches. */
typedef enum bt_status plan_compat_put_fn(const struct plan_compat_comparison *comparison,
                                          struct bt_plan_result *result);

struct plan_compat_comparison {
    plan_compat_put_fn *put;
    struct bt_plan_checker *plans;
    struct bt_arena *arena;
    const struct bt_payload_compat_input *input;
    struct bt_findings *findings;    /* about the new version ... */
    struct bt_findings *differences; /* ... and its differences: the same list, or one aside */
    struct plan_compat_version old_version;
    struct plan_compat_version new_version;
    struct bt_payload_compat_result results[2]; /* backward, forward */
};

static const char *const directions[] = {"backward", "forward"};

static enum bt_status load_version(struct plan_compat_comparison *comparison,
                                   struct plan_compat_version *version,
                                   const struct bt_payload_schema_input *input,
                                   struct bt_findings *findings)
{
    bt_payload_begin(&version->given, comparison->plans, findings);
    BT_TRY(bt_payload_get(&version->given, input));
    return bt_payload_judge(&version->given);
}

/* Drop the annotations, and make the graph of what is left. */
static enum bt_status simplify_version(struct plan_compat_comparison *comparison,
                                       struct plan_compat_version *version)
{
    const struct bt_payload_schema_input input = {.path = BT_STR(""), .text = version->given.bytes};
    struct bt_plan_result stripped;
    struct bt_findings *aside = bt_findings_new(comparison->arena);
    BT_TRY(aside ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_payload_schema_strip(comparison->plans, comparison->arena, &input, &stripped));
    bt_payload_begin(&version->plain, comparison->plans, aside);
    BT_TRY(bt_payload_read(&version->plain, stripped.text, BT_STR("")));
    assert(version->plain.document);
    version->plain.draft = version->given.draft;
    return bt_payload_side_begin(&version->side, &version->plain, comparison->arena);
}

/* The pointer of a node, or of the nearest one that stands somewhere: the root. */
static enum bt_status node_pointer(const struct plan_compat_comparison *comparison,
                                   const struct bt_payload_side *side, size_t node, bt_str *out)
{
    const bt_json_value *schema = bt_payload_side_schema(side, node);
    *out = BT_STR("");
    return schema ? bt_json_value_pointer(side->payload->document, schema, comparison->arena, out)
                  : BT_OK;
}

/* Where a pointer of the plain version leads in the version as it came. */
static size_t offset_of(const struct plan_compat_version *version, bt_str pointer)
{
    const struct bt_json_doc *document = version->given.document;
    const bt_json_value *value = bt_json_resolve(document, bt_json_root(document), pointer);
    return bt_json_span(document, value ? value : bt_json_root(document)).begin;
}

static enum bt_status add_counterexample_finding(struct plan_compat_comparison *comparison,
                                                 size_t direction,
                                                 const struct bt_payload_counterexample *found)
{
    const size_t new_node = direction == 0 ? found->b : found->a;
    const size_t old_node = direction == 0 ? found->a : found->b;
    bt_str old_pointer;
    bt_str new_pointer;
    BT_TRY(node_pointer(comparison, &comparison->old_version.side, old_node, &old_pointer));
    BT_TRY(node_pointer(comparison, &comparison->new_version.side, new_node, &new_pointer));
    const struct bt_location at =
        bt_location_pointer(new_pointer, offset_of(&comparison->new_version, new_pointer));
    return found->payload.len > 0
               ? bt_add_compat_breaking(comparison->differences, at,
                                        direction == 0 ? BT_COMPAT_BREAKING_DIRECTION_BACKWARD
                                                       : BT_COMPAT_BREAKING_DIRECTION_FORWARD,
                                        old_pointer, found->payload, found->payload)
               : bt_add_compat_undecided(comparison->differences, at,
                                         bt_str_of(directions[direction]), old_pointer);
}

static enum bt_status check_ids(struct plan_compat_comparison *comparison)
{
    const struct bt_json_doc *documents[] = {comparison->old_version.given.document,
                                             comparison->new_version.given.document};
    struct bt_payload_reference ids[2];
    const bt_json_value *id = NULL;
    for (size_t i = 0; i < 2; i++) {
        id = bt_json_get(documents[i], bt_json_root(documents[i]), BT_STR("$id"));
        ids[i] = bt_plan_reference_read(bt_json_text(id));
        assert(!ids[i].refuse);
    }
    if (bt_str_eq(ids[0].slug, ids[1].slug) &&
        bt_payload_version_compare(ids[1].version, ids[0].version) > 0) {
        return BT_OK;
    }
    return bt_add_compat_id(comparison->differences,
                            bt_payload_location(&comparison->new_version.given, id),
                            bt_json_text(id));
}

static enum bt_status decide_direction(struct plan_compat_comparison *comparison,
                                       struct bt_payload_compat *compat, size_t direction)
{
    struct bt_payload_counterexample found = {BT_NODES_BEFORE, BT_NODES_BEFORE, BT_STR("")};
    const enum bt_status status = bt_payload_compat_prove(compat);
    if (status == BT_OK && bt_payload_compat_is_proven(compat, BT_NODES_BEFORE, BT_NODES_BEFORE)) {
        comparison->results[direction].answer = BT_PAYLOAD_COMPAT_ANSWER_COMPATIBLE;
        return BT_OK;
    }
    if (status != BT_ELIMIT) { /* else the table would be too large to look for anything */
        BT_TRY(status);
        BT_TRY(bt_payload_compat_refute(compat, &found));
    }
    comparison->results[direction] = (struct bt_payload_compat_result){
        .answer = found.payload.len > 0 ? BT_PAYLOAD_COMPAT_ANSWER_INCOMPATIBLE
                                        : BT_PAYLOAD_COMPAT_ANSWER_UNDECIDED,
        .counterexample = found.payload};
    return add_counterexample_finding(comparison, direction, &found);
}

static enum bt_status compare_direction(struct plan_compat_comparison *comparison, size_t direction)
{
    struct bt_payload_side *old_side = &comparison->old_version.side;
    struct bt_payload_side *new_side = &comparison->new_version.side;
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.work_max = FUEL;
    struct bt_payload_compat compat = {.plans = comparison->plans,
                                       .arena = comparison->arena,
                                       .runner = bt_schema_runner_with(&limits),
                                       .a = direction == 0 ? old_side : new_side,
                                       .b = direction == 0 ? new_side : old_side};
    BT_TRY(compat.runner ? BT_OK : BT_ENOMEM);
    const enum bt_status status = decide_direction(comparison, &compat, direction);
    bt_schema_runner_destroy(compat.runner);
    return status;
}

bt_str bt_payload_compat_answer_name(enum bt_payload_compat_answer answer)
{
    static const bt_str names[] = {BT_STR_INIT(""), BT_STR_INIT("compatible"),
                                   BT_STR_INIT("incompatible"), BT_STR_INIT("undecided")};
    return names[answer];
}

static void emit_results(const struct plan_compat_comparison *comparison, struct bt_emit *emit)
{
    for (size_t i = 0; i < 2; i++) {
        if (comparison->results[i].answer != BT_PAYLOAD_COMPAT_ANSWER_NONE) {
            bt_emit_member_string(emit, directions[i],
                                  bt_payload_compat_answer_name(comparison->results[i].answer));
        }
    }
    bt_emit_member_object(emit, "counterexamples");
    for (size_t i = 0; i < 2; i++) {
        if (comparison->results[i].counterexample.len > 0) {
            bt_emit_member_raw(emit, directions[i], comparison->results[i].counterexample);
        }
    }
    bt_emit_end(emit);
}

static enum bt_status put_member(const struct plan_compat_comparison *comparison, bt_str *out)
{
    static const bt_str modes[] = {BT_STR_INIT(""), BT_STR_INIT("backward"), BT_STR_INIT("forward"),
                                   BT_STR_INIT("full")};
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SHOWN_BYTES_MAX, "compat");
    bt_emit_member_string(emit, "mode", modes[comparison->input->mode]);
    emit_results(comparison, emit);
    return bt_object_text_finish(&text, BT_OK, comparison->arena, out);
}

/* ---- Changes --------------------------------------------------------------------------------- */

static bt_str id_of(const struct plan_compat_version *version)
{
    const struct bt_json_doc *document = version->given.document;
    return bt_json_get_text(document, bt_json_root(document), BT_STR("$id"));
}

/* The patch from one version to the other, both without their annotations. */
static enum bt_status find_patch(const struct plan_compat_comparison *comparison,
                                 const struct bt_json_doc **out)
{
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    enum bt_status status = bt_json_diff(&buf, comparison->old_version.plain.document,
                                         comparison->new_version.plain.document, comparison->arena);
    status = status == BT_OK ? bt_buf_copy(&buf, comparison->arena, &text) : status;
    bt_buf_free(&buf);
    BT_TRY(status);
    BT_TRY(bt_json_read(comparison->arena, text, NULL, &read)); /* from: bt_json_diff() */
    *out = read.document;
    return read.document ? BT_OK : BT_ELIMIT;
}

/* `diff`, and the same as lines for people. */
static enum bt_status put_changes(const struct plan_compat_comparison *comparison,
                                  struct bt_plan_result *result)
{
    const struct bt_json_doc *patch = NULL;
    struct bt_object_text text;
    struct bt_buf lines;
    BT_TRY(find_patch(comparison, &patch));
    const bt_str old_id = id_of(&comparison->old_version);
    const bt_str new_id = id_of(&comparison->new_version);
    struct bt_emit *emit = bt_object_text_begin(&text, SHOWN_BYTES_MAX, "diff");
    bt_buf_init(&lines, SHOWN_BYTES_MAX);
    bt_buf_printf(&lines, "%.*s -> %.*s\n", BT_STR_ARG(old_id), BT_STR_ARG(new_id));
    bt_emit_member_string(emit, "old", old_id);
    bt_emit_member_string(emit, "new", new_id);
    bt_emit_name(emit, "changes");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < bt_json_count(bt_json_root(patch)); i++) {
        const bt_json_value *change = &bt_json_items(bt_json_root(patch))[i];
        const bt_str op = bt_json_get_text(patch, change, BT_STR("op"));
        const bt_str pointer = bt_json_get_text(patch, change, BT_STR("path"));
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "op", op);
        bt_emit_member_string(emit, "pointer", pointer);
        bt_emit_end(emit);
        bt_buf_printf(&lines, "  %.*s ", BT_STR_ARG(op));
        bt_buf_put_printable(&lines, pointer, SIZE_MAX);
        bt_buf_put_char(&lines, '\n');
    }
    bt_emit_end(emit);
    emit_results(comparison, emit);
    for (size_t i = 0; i < 2; i++) {
        const struct bt_payload_compat_result *found = &comparison->results[i];
        bt_buf_printf(&lines, "  %s: %.*s%s", directions[i],
                      BT_STR_ARG(bt_payload_compat_answer_name(found->answer)),
                      found->counterexample.len > 0 ? ", as this payload shows: " : "");
        bt_buf_put_printable(&lines, found->counterexample, SIZE_MAX);
        bt_buf_put_char(&lines, '\n');
    }
    const enum bt_status status = bt_buf_finish(&lines, comparison->arena, &result->text);
    return bt_object_text_finish(&text, status, comparison->arena, &result->members);
}

/* The first counterexample, laid out for reading. */
static enum bt_status lay_out(const struct plan_compat_comparison *comparison, bt_str *out)
{
    const struct bt_payload_compat_result *found = comparison->results;
    const bt_str payload =
        found[0].counterexample.len > 0 ? found[0].counterexample : found[1].counterexample;
    struct bt_buf buf;
    *out = BT_STR("");
    if (payload.len == 0) {
        return BT_OK;
    }
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_json_put_layout(&buf, payload);
    return bt_buf_finish(&buf, comparison->arena, out);
}

/* `compat`, and the first counterexample. */
static enum bt_status put_compat(const struct plan_compat_comparison *comparison,
                                 struct bt_plan_result *result)
{
    BT_TRY(lay_out(comparison, &result->text));
    return put_member(comparison, &result->members);
}

static enum bt_status compare_both(struct plan_compat_comparison *comparison,
                                   struct bt_plan_result *result)
{
    BT_TRY(check_ids(comparison));
    BT_TRY(simplify_version(comparison, &comparison->old_version));
    BT_TRY(simplify_version(comparison, &comparison->new_version));
    for (size_t i = 0; i < 2; i++) {
        if ((comparison->input->mode >> i & 1) != 0) {
            BT_TRY(compare_direction(comparison, i));
        }
    }
    return comparison->put(comparison, result);
}

static enum bt_status run_comparison(struct plan_compat_comparison *comparison,
                                     struct bt_findings *about_old, struct bt_plan_result *out,
                                     struct bt_judgement *out_old)
{
    const struct bt_payload_compat_input *input = comparison->input;
    struct bt_plan_result result = {0};
    struct bt_judgement old_judged = {0};
    BT_TRY(load_version(comparison, &comparison->old_version, &input->old_schema, about_old));
    BT_TRY(load_version(comparison, &comparison->new_version, &input->new_schema,
                        comparison->findings));
    const bool old_passed = comparison->old_version.given.step == BT_PAYLOAD_PASSED;
    const bool new_passed = comparison->new_version.given.step == BT_PAYLOAD_PASSED;
    if (old_passed && new_passed) {
        BT_TRY(compare_both(comparison, &result));
    }
    BT_TRY(bt_plan_finish(comparison->findings, input->new_schema.path,
                          comparison->new_version.given.bytes, &result.judged));
    if (!old_passed) {
        BT_TRY(bt_plan_finish(about_old, input->old_schema.path,
                              comparison->old_version.given.bytes, &old_judged));
    }
    *out = result;
    *out_old = old_judged;
    return BT_OK;
}

/* Compare two versions. `differences` gets what differs; NULL: the judgement has it. */
static enum bt_status compare_versions(struct plan_compat_comparison *comparison,
                                       struct bt_findings *differences, struct bt_plan_result *out,
                                       struct bt_judgement *out_old)
{
    struct bt_findings *about_old = bt_findings_new(comparison->arena);
    comparison->findings = bt_findings_new(comparison->arena);
    comparison->differences = differences ? differences : comparison->findings;
    BT_TRY(about_old && comparison->findings ? BT_OK : BT_ENOMEM);
    const enum bt_status status = run_comparison(comparison, about_old, out, out_old);
    bt_payload_side_end(&comparison->old_version.side);
    bt_payload_side_end(&comparison->new_version.side);
    bt_payload_end(&comparison->old_version.given);
    bt_payload_end(&comparison->new_version.given);
    return status;
}

enum bt_status bt_payload_schema_compare(struct bt_plan_checker *plans, struct bt_arena *arena,
                                         const struct bt_payload_compat_input *input,
                                         struct bt_plan_result *out, struct bt_judgement *out_old)
{
    assert(plans);
    assert(input);
    assert(out);
    assert(out_old);
    struct plan_compat_comparison comparison = {
        .put = put_compat, .plans = plans, .arena = arena, .input = input};
    return compare_versions(&comparison, NULL, out, out_old);
}

enum bt_status bt_payload_schema_diff(struct bt_plan_checker *plans, struct bt_arena *arena,
                                      const struct bt_payload_compat_input *input,
                                      struct bt_plan_result *out, struct bt_judgement *out_old)
{
    assert(plans);
    assert(input);
    assert(out);
    assert(out_old);
    struct plan_compat_comparison comparison = {
        .put = put_changes, .plans = plans, .arena = arena, .input = input};
    struct bt_findings *aside = bt_findings_new(arena);
    BT_TRY(aside ? BT_OK : BT_ENOMEM);
    return compare_versions(&comparison, aside, out, out_old);
}

/* ---- Schemas that are not payload schemas ---------------------------------------------------- */

static bool is_closed_by_default(const struct bt_json_doc *document, const bt_json_value *schema)
{
    static const bt_str others[] = {BT_STR_INIT("additionalProperties"),
                                    BT_STR_INIT("patternProperties"),
                                    BT_STR_INIT("unevaluatedProperties")};
    bool is_closed = bt_json_get(document, schema, BT_STR("properties")) != NULL;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        is_closed = is_closed && !bt_json_get(document, schema, others[i]);
    }
    return is_closed;
}

/* Say in each object schema with properties that there are no others. */
static enum bt_status close_objects(const struct bt_payload *payload, struct bt_arena *arena,
                                    bt_str *out)
{
    struct bt_buf buf;
    size_t copied = 0;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    for (size_t i = 0; i < payload->positions.count; i++) {
        const struct bt_payload_schema_position *position = &payload->positions.items[i];
        if (is_closed_by_default(payload->document, position->schema)) {
            bt_buf_put(&buf, bt_str_slice(payload->bytes, copied, position->offset + 1));
            bt_buf_put(&buf, BT_STR("\"additionalProperties\":false,"));
            copied = position->offset + 1;
        }
    }
    bt_buf_put(&buf, bt_str_slice(payload->bytes, copied, payload->bytes.len));
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status load_foreign(struct plan_compat_comparison *comparison,
                                   struct plan_compat_version *version, bt_str text)
{
    struct bt_payload open;
    bt_payload_begin(&open, comparison->plans, comparison->findings);
    bt_payload_begin(&version->given, comparison->plans, comparison->findings);
    version->given.is_foreign = true;
    BT_TRY(bt_payload_read(&open, text, BT_STR("")));
    if (!open.document) {
        return BT_OK;
    }
    BT_TRY(close_objects(&open, comparison->arena, &text));
    BT_TRY(bt_payload_read(&version->given, text, BT_STR("")));
    return bt_payload_judge(&version->given);
}

static enum bt_status compare_foreign(struct plan_compat_comparison *comparison, bt_str old_schema,
                                      bt_str new_schema)
{
    BT_TRY(load_foreign(comparison, &comparison->old_version, old_schema));
    BT_TRY(load_foreign(comparison, &comparison->new_version, new_schema));
    comparison->results[0].answer = BT_PAYLOAD_COMPAT_ANSWER_UNDECIDED;
    comparison->results[1].answer = BT_PAYLOAD_COMPAT_ANSWER_UNDECIDED;
    if (comparison->old_version.given.step != BT_PAYLOAD_PASSED ||
        comparison->new_version.given.step != BT_PAYLOAD_PASSED) {
        return BT_OK;
    }
    BT_TRY(simplify_version(comparison, &comparison->old_version));
    BT_TRY(simplify_version(comparison, &comparison->new_version));
    BT_TRY(compare_direction(comparison, 0));
    return compare_direction(comparison, 1);
}

enum bt_status bt_payload_compare_foreign(struct bt_plan_checker *plans, struct bt_arena *arena,
                                          bt_str old_schema, bt_str new_schema,
                                          struct bt_payload_compat_result out[2])
{
    struct plan_compat_comparison comparison = {
        .plans = plans, .arena = arena, .findings = bt_findings_new(arena)};
    comparison.differences = comparison.findings;
    BT_TRY(comparison.findings ? BT_OK : BT_ENOMEM);
    const enum bt_status status = compare_foreign(&comparison, old_schema, new_schema);
    bt_payload_side_end(&comparison.old_version.side);
    bt_payload_side_end(&comparison.new_version.side);
    bt_payload_end(&comparison.old_version.given);
    bt_payload_end(&comparison.new_version.given);
    if (status == BT_OK) {
        out[0] = comparison.results[0];
        out[1] = comparison.results[1];
    }
    return status;
}
