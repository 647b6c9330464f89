/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_baseline.c - any bytes at all, read as a baseline and used on a document.
 *
 * Promises: no baseline hides a finding of a protected rule, and none hides more findings than the
 * document has; a baseline that --baseline write makes is read again and hides the same findings;
 * scarce memory changes no result.
 */
#include "report/rules.h"
#include "select/select.h"

#include "fuzz.h"

#define FOLDER "/w"
#define DOCUMENT FOLDER "/a.json"

static const unsigned CODES[] = {BT_CODE_SCHEMA_ENUM, BT_CODE_TOKENS_DRIFT, BT_CODE_SCHEMA_ENUM,
                                 BT_CODE_PAYLOAD_HASH_MISMATCH};
enum { FINDINGS = sizeof(CODES) / sizeof(CODES[0]) };

static struct bt_findings *make_findings(struct bt_arena *arena)
{
    struct bt_findings *findings = bt_findings_new(arena);
    PROMISE(findings);
    for (size_t i = 0; i < FINDINGS; i++) {
        struct bt_finding finding = bt_finding_from_rule(&bt_rules[bt_rules_first[CODES[i]]]);
        finding.pointer = BT_STR("/p");
        PROMISE(bt_findings_add(findings, &finding) == BT_OK);
    }
    return findings;
}

static bool document_exists(void *context, bt_str path)
{
    (void)context;
    (void)path;
    return true;
}

/* Apply the baseline, and with WRITE put the new one into `buf`. Returns the number of findings. */
static size_t use_baseline(struct bt_arena *arena, enum bt_select_baseline_mode mode,
                           const struct bt_select_baseline *baseline, struct bt_buf *buf)
{
    const struct bt_select select = {.mode = mode, .baseline = baseline};
    struct bt_select_usage *usage = bt_select_usage_new(arena, &select);
    struct bt_findings *about = bt_findings_new(arena);
    struct bt_select_baseline_totals totals;
    struct bt_select_result result;
    bool has_protected = false;
    PROMISE(usage && about);
    PROMISE(bt_select_apply(&select, arena, BT_STR(DOCUMENT), make_findings(arena), &result) ==
            BT_OK);
    PROMISE(bt_select_usage_add(usage, BT_STR(DOCUMENT), &result) == BT_OK);
    PROMISE(bt_select_baseline_finish(usage, document_exists, NULL, about, buf, &totals) == BT_OK);
    const size_t left = bt_findings_count(result.findings);
    for (size_t i = 0; i < left; i++) {
        has_protected |= bt_findings_at(result.findings, i)->code == BT_CODE_PAYLOAD_HASH_MISMATCH;
    }
    PROMISE(has_protected);
    PROMISE(left + (result.suppressed ? result.suppressed->count : 0) == FINDINGS);
    PROMISE(totals.used + totals.stale <= totals.entries);
    return left;
}

static void scarce_memory_changes_nothing(bt_str text, enum bt_status expected)
{
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 64; status == BT_ENOMEM && limit <= FUZZ_ARENA_BYTES; limit *= 4) {
        struct bt_arena arena;
        const struct bt_select_baseline *baseline = NULL;
        bt_arena_init(&arena, limit);
        status = bt_select_baseline_read(&arena, BT_STR(FOLDER), text, &baseline, NULL);
        bt_arena_free(&arena);
    }
    PROMISE(status == expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    const struct bt_select_baseline *baseline = NULL;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    const enum bt_status status =
        bt_select_baseline_read(&arena, BT_STR(FOLDER), text, &baseline, NULL);
    PROMISE(status == BT_OK || status == BT_EINVAL);
    if (status == BT_OK) {
        (void)use_baseline(&arena, BT_SELECT_BASELINE_USE, baseline, &buf);
        PROMISE(buf.len == 0);
        const size_t left = use_baseline(&arena, BT_SELECT_BASELINE_WRITE, baseline, &buf);
        const struct bt_select_baseline *again = NULL;
        PROMISE(bt_select_baseline_read(&arena, BT_STR(FOLDER), bt_buf_str(&buf), &again, NULL) ==
                BT_OK);
        PROMISE(use_baseline(&arena, BT_SELECT_BASELINE_USE, again, &buf) == left);
    }
    scarce_memory_changes_nothing(text, status);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return 0;
}
