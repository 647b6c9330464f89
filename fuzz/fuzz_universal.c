/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_universal.c - a text taken for a universal handoff, and perhaps, parted by the record
 * separator of RFC 7464, another taken for a model's answer. It is fixed, repaired and answered.
 *
 * Promises: the changes that are listed turn what was given into what came out, and say rightly
 * what was there before; a fix made twice changes nothing the second time, and none is promised for
 * what it leaves; edits alone change the text, and a single finding can be fixed; what is called
 * accepted is; what is escalated is left alone; consent is never invented, and a false seal never
 * becomes a true one; findings are the same without facts.
 */
#include "dialect/universal/universal_check.h"

#include <limits.h>

#include "fuzz.h"
#include "report/findings.h"
#include "report/fixes.h"

#define SEPARATOR 0x1e
#define APPROVED BT_STR("/handoff/meta/user_approved")

struct bench {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_universal_checker *universal;
    struct bt_universal_options options;
};

static const bt_json_value *at(const struct bt_json_doc *document, bt_str pointer)
{
    return bt_json_resolve(document, bt_json_root(document), pointer);
}

static bool has(const struct bt_judgement *judged, const char *code)
{
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        if (bt_str_eq(bt_findings_at(judged->findings, i)->rule->code, bt_str_of(code))) {
            return true;
        }
    }
    return false;
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* The document after one operation. */
static const struct bt_json_doc *step(struct bench *bench, const struct bt_json_doc *document,
                                      bt_str operation)
{
    const struct bt_json_options limits = {.document_bytes_max = FUZZ_BUF_BYTES,
                                           .string_bytes_max = FUZZ_BUF_BYTES};
    const struct bt_json_patch_options options = {.result = &limits};
    struct bt_json_patch_result result = {0};
    struct bt_buf buf;
    bt_str text = BT_STR("");
    bt_str patch = BT_STR("");
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    PROMISE(bt_arena_printf(&bench->arena, &patch, "[%.*s]", BT_STR_ARG(operation)) == BT_OK);
    PROMISE(bt_json_patch(&buf, document, fuzz_reread(&bench->arena, patch), &options,
                          &bench->arena, &result) == BT_OK);
    PROMISE(result.code == BT_JSON_PATCH_OK);
    PROMISE(bt_buf_copy(&buf, &bench->arena, &text) == BT_OK);
    bt_buf_free(&buf);
    return fuzz_reread(&bench->arena, text);
}

/* `was` is there exactly where something is lost, and says what. */
static void was_is_right(const struct bt_json_doc *before, const struct bt_json_doc *facts,
                         const bt_json_value *operation)
{
    const bt_str op = bt_json_text(bt_json_get(facts, operation, BT_STR("op")));
    const bt_json_value *was = bt_json_get(facts, operation, BT_STR("was"));
    const bool drops = bt_str_eq(op, BT_STR("remove")) || bt_str_eq(op, BT_STR("replace"));
    const bt_str path = bt_json_text(bt_json_get(facts, operation, BT_STR("path")));
    PROMISE(drops == (was != NULL));
    PROMISE(!drops || fuzz_equal(facts, was, before, at(before, path)));
    PROMISE(drops || !at(before, path)); /* nothing is overwritten unsaid */
    PROMISE(bt_json_get(facts, operation, BT_STR("why")));
}

/* What facts.changes makes of the given text; NULL when there are no facts about changes. */
static const struct bt_json_doc *replayed(struct bench *bench, bt_str given, bt_str facts_text)
{
    const struct bt_json_doc *facts = fuzz_reread(&bench->arena, facts_text);
    const bt_json_value *changes = at(facts, BT_STR("/changes"));
    if (!changes) {
        return NULL;
    }
    const struct bt_json_doc *document = fuzz_reread(&bench->arena, given);
    for (size_t i = 0; i < bt_json_count(changes); i++) {
        const bt_json_value *operation = &bt_json_items(changes)[i];
        const struct bt_json_span span = bt_json_span(facts, operation);
        was_is_right(document, facts, operation);
        document = step(bench, document, bt_str_slice(facts_text, span.begin, span.end));
    }
    return document;
}

/* ---- What never happens ---------------------------------------------------------------------- */

static void consent_is_not_invented(const struct bt_json_doc *before,
                                    const struct bt_json_doc *after)
{
    const bt_json_value *now = at(after, APPROVED);
    const bt_json_value *then = at(before, APPROVED);
    PROMISE(!now || bt_json_type(now) != BT_JSON_TRUE ||
            (then && bt_json_type(then) == BT_JSON_TRUE) || !at(before, BT_STR("/handoff/meta")));
}

static void changes_are_told(struct bench *bench, bt_str given,
                             const struct bt_universal_result *result)
{
    const struct bt_json_doc *document = replayed(bench, given, result->judged.facts);
    if (document) {
        const struct bt_json_doc *came_out = fuzz_reread(&bench->arena, result->text);
        PROMISE(fuzz_same(document, came_out));
        consent_is_not_invented(fuzz_reread(&bench->arena, given), came_out);
    }
}

/* Nothing but the edits changes the text. */
static void edits_lead_there(struct bench *bench, bt_str given,
                             const struct bt_universal_result *result)
{
    bt_str text = BT_STR("");
    PROMISE(bt_edit_list_apply(&result->edits, given, &bench->arena, &text) == BT_OK);
    PROMISE(bt_str_eq(text, result->text));
}

static struct bt_universal_result fix(struct bench *bench, bt_str text, bool unsafe)
{
    const struct bt_universal_input input = {BT_STR("h.json"), text, &bench->options};
    const struct bt_fix_choice choice = {.unsafe = unsafe};
    struct bt_universal_result result;
    PROMISE(bt_universal_fix(bench->universal, &bench->arena, &input, &choice, &result) == BT_OK);
    PROMISE(bt_str_eq(result.text, text) == (result.outcome == BT_UNIVERSAL_UNCHANGED));
    edits_lead_there(bench, text, &result);
    return result;
}

static void count_stays(struct bench *bench, bt_str before, bt_str after)
{
    const struct bt_json_doc *given = fuzz_reread(&bench->arena, before);
    const struct bt_json_doc *fixed = fuzz_reread(&bench->arena, after);
    const bt_json_value *then = at(given, BT_STR("/handoff/meta/token_count"));
    const bt_json_value *now = at(fixed, BT_STR("/handoff/meta/token_count"));
    PROMISE(!then || !now || fuzz_equal(given, then, fixed, now));
}

static struct bt_universal_result fix_one(struct bench *bench, bt_str text,
                                          const struct bt_finding *finding)
{
    const struct bt_universal_input input = {BT_STR("h.json"), text, &bench->options};
    const struct bt_fix_choice choice = {.only = finding};
    struct bt_universal_result result;
    PROMISE(bt_universal_fix(bench->universal, &bench->arena, &input, &choice, &result) == BT_OK);
    edits_lead_there(bench, text, &result);
    return result;
}

/* The fix of a single finding changes something, and leaves token_count to others. */
static void findings_are_fixed_alone(struct bench *bench, bt_str text)
{
    const struct bt_finding none = {.code = UINT_MAX, .pointer = BT_STR("")};
    const struct bt_universal_result given = fix_one(bench, text, &none);
    PROMISE(given.edits.count == 0);
    for (size_t i = 0; i < bt_findings_count(given.judged.findings) && i < 20; i++) {
        const struct bt_finding *finding = bt_findings_at(given.judged.findings, i);
        if (finding->fix == BT_FIX_NONE) {
            continue;
        }
        const struct bt_universal_result result = fix_one(bench, text, finding);
        PROMISE(result.edits.count > 0);
        if (!bt_str_starts_with(finding->pointer, BT_STR("/handoff/meta"))) {
            count_stays(bench, text, result.text);
        }
    }
}

static void nothing_is_left_to_fix(const struct bt_judgement *judged, bool unsafe)
{
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const enum bt_fix left = bt_findings_at(judged->findings, i)->fix;
        PROMISE(left == BT_FIX_NONE || (!unsafe && left == BT_FIX_UNSAFE));
    }
}

/* The seal says the same as before; where it was false, it stays false. */
static void seal_is_not_mended(struct bench *bench, bt_str given,
                               const struct bt_universal_result *result)
{
    const struct bt_universal_result before = fix(bench, given, false);
    if (before.outcome == BT_UNIVERSAL_UNCHANGED && has(&before.judged, "PAYLOAD_HASH_MISMATCH")) {
        PROMISE(result->judged.verdict == BT_VERDICT_REJECTED);
        PROMISE(result->outcome != BT_UNIVERSAL_REPAIRED);
    }
}

static void fixes_hold(struct bench *bench, bt_str text, bool unsafe)
{
    const struct bt_universal_result once = fix(bench, text, unsafe);
    changes_are_told(bench, text, &once);
    nothing_is_left_to_fix(&once.judged, unsafe);
    PROMISE(fix(bench, once.text, unsafe).outcome == BT_UNIVERSAL_UNCHANGED);
    seal_is_not_mended(bench, text, &once);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static const struct bt_findings *judge(struct bench *bench, bt_str text, bool no_facts)
{
    struct bt_findings *findings = bt_findings_new(&bench->arena);
    struct bt_universal_check handoff;
    bench->options.no_facts = no_facts;
    PROMISE(findings);
    PROMISE(bt_universal_check_judge(bench->universal, text, &bench->options, findings, &handoff) ==
            BT_OK);
    PROMISE(bt_findings_finish(findings, text) == BT_OK);
    return findings;
}

static void facts_change_no_finding(struct bench *bench, bt_str text, uint64_t budget)
{
    const struct bt_universal_options before = bench->options;
    bench->options.budget = budget;
    const struct bt_findings *with = judge(bench, text, false);
    const struct bt_findings *without = judge(bench, text, true);
    bench->options = before;
    PROMISE(bt_findings_count(with) == bt_findings_count(without));
    for (size_t i = 0; i < bt_findings_count(with); i++) {
        const struct bt_finding *one = bt_findings_at(with, i);
        const struct bt_finding *other = bt_findings_at(without, i);
        PROMISE(one->rule == other->rule);
        PROMISE(bt_str_eq(one->message, other->message));
    }
}

/* ---- Repair ---------------------------------------------------------------------------------- */

static void outcome_holds(struct bench *bench, bt_str given,
                          const struct bt_universal_result *result)
{
    if (result->outcome == BT_UNIVERSAL_ESCALATED) {
        PROMISE(result->judged.verdict == BT_VERDICT_REJECTED);
        PROMISE(bt_str_eq(result->text, given));
        return;
    }
    PROMISE(result->judged.verdict == BT_VERDICT_ACCEPTED);
    PROMISE(fix(bench, result->text, false).judged.verdict == BT_VERDICT_ACCEPTED);
    changes_are_told(bench, given, result);
    seal_is_not_mended(bench, given, result);
}

static void repair_holds(struct bench *bench, bt_str text, bt_str answer)
{
    const struct bt_universal_input input = {BT_STR("h.json"), text, &bench->options};
    const struct bt_universal_repair_options how = {.no_spill = true,
                                                    .roots = {.temporary = BT_STR("/tmp")}};
    struct bt_universal_repair_run *repair = NULL;
    struct bt_universal_result result;
    struct bt_universal_prompt prompt;
    enum bt_universal_answer_result kind = BT_UNIVERSAL_ANSWER_NONE;
    PROMISE(bt_universal_repair_open(bench->universal, &input, &how, &repair) == BT_OK);
    if (bt_universal_repair_can_prompt(repair)) {
        PROMISE(bt_universal_repair_write_prompt(repair, &bench->arena, &prompt) == BT_OK);
        PROMISE(bt_utf8_check(prompt.text) == prompt.text.len);
        (void)fuzz_reread(&bench->arena, prompt.json);
        PROMISE(bt_universal_repair_apply_answer(repair, answer, &kind) == BT_OK);
        PROMISE((kind == BT_UNIVERSAL_ANSWER_ACCEPTED) == bt_universal_repair_is_done(repair));
    }
    PROMISE(bt_universal_repair_finish(repair, &bench->arena, true, &result, NULL) == BT_OK);
    outcome_holds(bench, text, &result);
    bt_universal_repair_close(repair);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str whole = fuzz_text(data, size);
    const size_t middle = bt_str_find_byte(whole, SEPARATOR, 0);
    const bt_str text = bt_str_slice(whole, 0, middle);
    struct bench bench;
    PROMISE(bt_env_init(&bench.env) == BT_OK);
    bt_env_pin_clock(&bench.env, &(bt_instant){1776157200, 0});
    bt_env_pin_seed(&bench.env, 1);
    bt_arena_init(&bench.arena, 4 * FUZZ_ARENA_BYTES);
    PROMISE(bt_universal_checker_create(&bench.env, &bench.universal) == BT_OK);
    bench.options = bt_universal_options_default();
    bench.options.no_refs = true;
    bench.options.encoding = BT_ENCODING_CHARS4;
    bench.options.budget = 300;

    fixes_hold(&bench, text, false);
    fixes_hold(&bench, text, true);
    findings_are_fixed_alone(&bench, text);
    facts_change_no_finding(&bench, text, 50);
    facts_change_no_finding(&bench, text, bench.options.budget);
    repair_holds(&bench, text, bt_str_slice(whole, middle + 1, size));

    bt_universal_checker_destroy(bench.universal);
    bt_arena_free(&bench.arena);
    return 0;
}
