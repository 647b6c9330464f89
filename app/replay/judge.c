/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - one recorded document, judged again and compared with what was decided.
 *
 * Codes of rules that look at what a replay does not have are removed from both sides, so that a
 * difference is always one of the rules.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/civil_time.h"
#include "base/vec.h"
#include "engine/check.h"
#include "operation/rule_codes.h"
#include "replay/replay.h"

enum { CODES_MAX = 100 }; /* that an entry has at most */

/* ---- Codes ----------------------------------------------------------------------------------- */

static int compare_codes(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

/* True for a rule about receipts. A refused handoff has its code when a partner's receipt, which
 * came with the handoff and is not in it, was not a valid one. */
static bool is_about_receipts(const struct bt_rule *rule)
{
    return rule->dialect_id == BT_DIALECT_RECEIPT || rule->dialect_id == BT_DIALECT_LEDGER;
}

/* True when the rule looks at something that this run does not have. */
static bool is_unmet(const struct replay_settings *settings, bt_str code)
{
    const size_t row = bt_rules_find(code);
    const struct bt_rule *rule = row < bt_rules_count() ? bt_rules_at(row) : NULL;
    const struct replay_program *program = &settings->program;
    if (rule && ((rule->needs & ~settings->needs_met) != 0 || is_about_receipts(rule))) {
        return true;
    }
    return program->unmet_count > 0 && bsearch(&code, program->unmet, program->unmet_count,
                                               sizeof(bt_str), compare_codes) != NULL;
}

/* Sort codes, and drop repeated ones and those after the hundredth, as in an entry. */
static size_t sort_codes(bt_str *codes, size_t count)
{
    size_t kept = 0;
    if (count > 1) {
        qsort(codes, count, sizeof(bt_str), compare_codes);
    }
    for (size_t i = 0; i < count && kept < CODES_MAX; i++) {
        if (kept == 0 || !bt_str_eq(codes[kept - 1], codes[i])) {
            codes[kept++] = codes[i];
        }
    }
    return kept;
}

/* Keep the codes that both sides can have, in `arena`. */
static enum bt_status filter_codes(const struct replay_settings *settings, struct bt_arena *arena,
                                   const bt_str *codes, size_t count, struct replay_side *out)
{
    bt_str *kept = count > 0 ? BT_NEW_ARRAY(arena, bt_str, count) : NULL;
    *out = (struct replay_side){.codes = kept};
    if (count > 0 && !kept) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_unmet(settings, codes[i])) {
            kept[out->code_count++] = codes[i];
        }
    }
    out->is_rejected = out->code_count > 0;
    return BT_OK;
}

static bool are_codes_equal(const struct replay_side *a, const struct replay_side *b)
{
    bool are_equal = a->code_count == b->code_count;
    for (size_t i = 0; i < a->code_count && are_equal; i++) {
        are_equal = bt_str_eq(a->codes[i], b->codes[i]);
    }
    return are_equal;
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* An answer is recorded as a governed handoff, and judged by the rules of answers. */
enum bt_dialect_id replay_dialect(const struct bt_recorded_handoff *handoff)
{
    const enum bt_dialect_id dialect = bt_dialect_find(handoff->dialect);
    return dialect == BT_DIALECT_GOVERNED && !handoff->is_attested ? BT_DIALECT_RESPONSE : dialect;
}

/* The codes of the findings that block, in the memory of work. */
static enum bt_status collect_codes(struct replay_worker *worker,
                                    const struct bt_findings *findings, const bt_str **out,
                                    size_t *out_count)
{
    const enum bt_severity level = worker->run->cli->options->fail_level;
    const size_t count = bt_findings_count(findings);
    bt_str *codes = count > 0 ? BT_NEW_ARRAY(&worker->memory.work, bt_str, count) : NULL;
    size_t used = 0;
    if (count > 0 && !codes) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity >= level) {
            codes[used++] = finding->rule->code;
        }
    }
    *out = codes;
    *out_count = sort_codes(codes, used);
    return BT_OK;
}

/* The time of the document is that at which it was decided, unless a flag pins one for all. */
static void pin_time(struct replay_worker *worker, const struct bt_recorded_handoff *handoff)
{
    const struct cli_options *options = worker->run->cli->options;
    const bt_instant now = options->now_given ? options->now : handoff->time;
    bt_env_pin_clock(&worker->env, &now);
    bt_env_pin_seed(&worker->env, 0);
    if (!options->today_given) {
        worker->plan.today_given = true;
        worker->plan.today = (bt_instant){now.seconds - now.seconds % BT_DAY_SECONDS, 0};
    }
}

static enum bt_status judge_here(struct replay_worker *worker,
                                 const struct bt_recorded_handoff *handoff, const bt_str **out,
                                 size_t *out_count)
{
    const struct replay_settings *settings = &worker->run->settings;
    struct bt_judgement judged;
    pin_time(worker, handoff);
    const struct bt_check_options options = {
        .dialect = replay_dialect(handoff),
        .fail_level = worker->run->cli->options->fail_level,
        .checker = worker->checker,
        .universal = &settings->universal,
        .contract = &settings->contract.options,
        .plan = &worker->plan,
        .xml = &settings->xml.options,
        .governed = &settings->governed.options,
    };
    BT_TRY(bt_check_document(&worker->env, &worker->memory.work, BT_STR("document"), handoff->bytes,
                             &options, &judged));
    return collect_codes(worker, judged.findings, out, out_count);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Why the document cannot be judged again; none when it can. */
static enum replay_reason find_reason(const struct replay_settings *settings,
                                      const struct bt_recorded_handoff *handoff,
                                      enum bt_dialect_id dialect, const struct replay_side *was)
{
    static const enum replay_reason reasons[] = {
        [BT_RECORDED_READ] = REPLAY_REASON_NONE,
        [BT_RECORDED_NOT_KEPT] = REPLAY_REASON_NOT_KEPT,
        [BT_RECORDED_REDACTED] = REPLAY_REASON_REDACTED,
        [BT_RECORDED_TRUNCATED] = REPLAY_REASON_TRUNCATED,
    };
    if (reasons[handoff->document] != REPLAY_REASON_NONE) {
        return reasons[handoff->document];
    }
    if (handoff->is_rejected && !was->is_rejected) {
        return REPLAY_REASON_STATEFUL;
    }
    /* only governed handoffs are recorded with the digests of their root */
    const bool is_other_root =
        dialect == BT_DIALECT_GOVERNED && (!bt_str_eq(handoff->manifest, settings->manifest) ||
                                           !bt_str_eq(handoff->lock, settings->lock));
    return is_other_root ? REPLAY_REASON_ROOT : REPLAY_REASON_NONE;
}

static enum bt_status copy_side(struct bt_arena *arena, const struct replay_side *side,
                                struct replay_side *out)
{
    bt_str *codes = side->code_count > 0 ? BT_NEW_ARRAY(arena, bt_str, side->code_count) : NULL;
    *out = (struct replay_side){side->is_rejected, codes, side->code_count};
    for (size_t i = 0; i < side->code_count; i++) {
        BT_TRY(codes ? bt_arena_copy(arena, side->codes[i], &codes[i]) : BT_ENOMEM);
    }
    return BT_OK;
}

static enum bt_status keep_change(struct replay_worker *worker,
                                  const struct bt_recorded_handoff *handoff,
                                  const struct replay_side *was, const struct replay_side *is)
{
    struct replay_span *span = worker->span;
    BT_TRY(bt_vec_reserve(&worker->results, span, 1));
    struct replay_change *change = &span->items[span->count];
    *change =
        (struct replay_change){.seq = handoff->seq, .dialect = bt_dialect_find(handoff->dialect)};
    BT_TRY(bt_arena_copy(&worker->results, handoff->handoff_id, &change->handoff_id));
    BT_TRY(copy_side(&worker->results, was, &change->was));
    BT_TRY(copy_side(&worker->results, is, &change->is));
    span->count++;
    span->counts.changed++;
    return BT_OK;
}

enum bt_status replay_judge(void *context, const struct bt_recorded_handoff *handoff)
{
    struct replay_worker *worker = context;
    const struct replay_settings *settings = &worker->run->settings;
    struct replay_counts *counts = &worker->span->counts;
    const enum bt_dialect_id dialect = bt_dialect_find(handoff->dialect);
    const bt_str *codes = NULL;
    size_t count = 0;
    struct replay_side was;
    struct replay_side is;
    assert(dialect);
    counts->candidates++;
    BT_TRY(filter_codes(settings, &worker->memory.work, handoff->codes, handoff->code_count, &was));
    enum replay_reason reason = find_reason(settings, handoff, dialect, &was);
    if (reason == REPLAY_REASON_NONE && !settings->program.path) {
        BT_TRY(judge_here(worker, handoff, &codes, &count));
    } else if (reason == REPLAY_REASON_NONE &&
               !replay_program_judge(worker, handoff, &codes, &count)) {
        reason = REPLAY_REASON_FAILED;
    }
    if (reason != REPLAY_REASON_NONE) {
        counts->unjudged[reason]++;
        return BT_OK;
    }
    counts->judged++;
    BT_TRY(filter_codes(settings, &worker->memory.work, codes, count, &is));
    if (was.is_rejected == is.is_rejected &&
        (!settings->compares_codes || are_codes_equal(&was, &is))) {
        counts->same++;
        return BT_OK;
    }
    return keep_change(worker, handoff, &was, &is);
}
