/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the judged documents of one run, the failures, and the totals. */
#include "report/report.h"

#include <assert.h>
#include <string.h>

#include "base/sized.h"
#include "base/vec.h"
#include "report/suppressed.h"

struct bt_report {
    struct bt_arena *arena;
    struct bt_arena own; /* in which the report lies; empty for one in the arena of its maker */
    BT_VEC(const struct bt_judgement *) documents;
    BT_VEC(struct bt_failure) failures;
    bool has_lost_failure;    /* there was no memory for one */
    bool has_baseline;        /* a baseline is in use */
    struct bt_report *joined; /* reports whose documents it has, newest first */
    bt_str notes;
};

struct bt_report *bt_report_new(struct bt_arena *arena)
{
    assert(arena);
    struct bt_report *report = BT_NEW(arena, struct bt_report);
    if (report) {
        report->arena = arena;
    }
    return report;
}

struct bt_report *bt_report_create(size_t limit)
{
    struct bt_arena arena;
    bt_arena_init(&arena, limit);
    struct bt_report *report = BT_NEW(&arena, struct bt_report);
    if (report) {
        report->own = arena;
        report->arena = &report->own;
    }
    return report;
}

void bt_report_destroy(struct bt_report *report)
{
    while (report) {
        struct bt_report *next = report->joined;
        struct bt_arena own = report->own; /* the report lies in it */
        bt_arena_free(&own);
        report = next;
    }
}

enum bt_status bt_report_join(struct bt_report *report, struct bt_report *more)
{
    assert(report);
    assert(more);
    assert(report != more);
    struct bt_report *last = more;
    BT_TRY(bt_vec_reserve(report->arena, &report->documents, more->documents.count));
    for (size_t i = 0; i < more->documents.count; i++) {
        report->documents.items[report->documents.count++] = more->documents.items[i];
    }
    while (last->joined) {
        last = last->joined;
    }
    last->joined = report->joined;
    report->joined = more;
    return BT_OK;
}

enum bt_status bt_report_keep(struct bt_report *report, const struct bt_judgement *document)
{
    assert(report);
    assert(document);
    assert(document->findings);
    assert(document->verdict != BT_VERDICT_NONE);
    return bt_vec_push(report->arena, &report->documents, document);
}

enum bt_status bt_report_add(struct bt_report *report, const struct bt_judgement *document)
{
    assert(report);
    assert(document);
    struct bt_judgement *copy = BT_NEW(report->arena, struct bt_judgement);
    BT_TRY(copy ? BT_OK : BT_ENOMEM);
    *copy = *document;
    return bt_report_keep(report, copy);
}

struct bt_arena *bt_report_arena(struct bt_report *report)
{
    assert(report);
    return report->arena;
}

size_t bt_report_count(const struct bt_report *report)
{
    assert(report);
    return report->documents.count;
}

const struct bt_judgement *bt_report_at(const struct bt_report *report, size_t index)
{
    assert(report);
    assert(index < report->documents.count);
    return report->documents.items[index];
}

void bt_report_set_baseline(struct bt_report *report)
{
    assert(report);
    report->has_baseline = true;
}

bool bt_report_has_baseline(const struct bt_report *report)
{
    assert(report);
    return report->has_baseline;
}

void bt_report_set_notes(struct bt_report *report, bt_str lines)
{
    assert(report);
    report->notes = lines;
}

bt_str bt_report_notes(const struct bt_report *report)
{
    assert(report);
    return report->notes;
}

bt_str bt_failure_reason_name(enum bt_failure_reason reason)
{
    static const bt_str names[BT_FAILURE__MAX] = {
        [BT_FAILURE_NONE] = BT_STR_INIT(""),
        [BT_FAILURE_NOT_FOUND] = BT_STR_INIT("not_found"),
        [BT_FAILURE_PERMISSION] = BT_STR_INIT("permission"),
        [BT_FAILURE_NOT_A_FILE] = BT_STR_INIT("not_a_file"),
        [BT_FAILURE_IO] = BT_STR_INIT("io"),
        [BT_FAILURE_UNRECOGNISED] = BT_STR_INIT("unrecognised"),
        [BT_FAILURE_NEEDS_ROOT] = BT_STR_INIT("needs_root"),
        [BT_FAILURE_NO_DOCUMENTS] = BT_STR_INIT("no_documents"),
        [BT_FAILURE_WALK_LIMIT] = BT_STR_INIT("walk_limit"),
        [BT_FAILURE_MEMORY] = BT_STR_INIT("memory"),
        [BT_FAILURE_CONFIG] = BT_STR_INIT("config"),
    };
    return (size_t)reason < BT_FAILURE__MAX ? names[reason] : BT_STR("");
}

static enum bt_status add_failure(struct bt_report *report, const struct bt_failure *failure)
{
    struct bt_failure copy = *failure;
    BT_TRY(bt_arena_copy(report->arena, failure->path, &copy.path));
    BT_TRY(bt_arena_copy(report->arena, failure->message, &copy.message));
    return bt_vec_push(report->arena, &report->failures, copy);
}

void bt_report_fail(struct bt_report *report, const struct bt_failure *failure)
{
    assert(report);
    assert(failure);
    assert(failure->reason != BT_FAILURE_NONE);
    if (add_failure(report, failure) != BT_OK) {
        report->has_lost_failure = true;
    }
}

size_t bt_report_failure_count(const struct bt_report *report)
{
    assert(report);
    return report->failures.count + report->has_lost_failure;
}

const struct bt_failure *bt_report_failure_at(const struct bt_report *report, size_t index)
{
    static const struct bt_failure lost = {BT_STR_INIT(""), BT_FAILURE_MEMORY,
                                           BT_STR_INIT("no memory to list every failure")};
    assert(index < bt_report_failure_count(report));
    return index < report->failures.count ? &report->failures.items[index] : &lost;
}

struct bt_report_totals bt_report_get_totals(const struct bt_report *report)
{
    assert(report);
    struct bt_report_totals summary = {.documents = report->documents.count,
                                       .failures = bt_report_failure_count(report)};
    for (size_t i = 0; i < report->documents.count; i++) {
        const struct bt_judgement *document = report->documents.items[i];
        const bool rejected = document->verdict == BT_VERDICT_REJECTED;
        summary.rejected += rejected;
        summary.accepted += !rejected;
        summary.fixed += document->fixed;
        summary.suppressed += document->suppressed ? document->suppressed->count : 0;
        for (size_t j = 0; j < bt_findings_count(document->findings); j++) {
            const enum bt_severity severity = bt_findings_at(document->findings, j)->severity;
            summary.hard += severity == BT_SEVERITY_HARD;
            summary.warn += severity == BT_SEVERITY_WARN;
            summary.info += severity == BT_SEVERITY_INFO;
        }
    }
    return summary;
}

enum bt_status bt_report_count_totals(const struct bt_report *report, struct bt_report_totals *out)
{
    assert(out);
    const struct bt_sized_layout layout = BT_SIZED_FIRST(struct bt_report_totals);
    BT_TRY(bt_sized_check(out, layout));
    const struct bt_report_totals totals = bt_report_get_totals(report);
    bt_sized_write(out, layout, &totals);
    return BT_OK;
}
