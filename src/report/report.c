/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - the judged documents of one run, and their sums.
 */
#include <baton/report.h>

#include <assert.h>
#include <string.h>

enum { CAPACITY_FIRST = 8 };

struct bt_report {
    struct bt_arena *arena;
    struct bt_judged *items;
    size_t count;
    size_t capacity;
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

static enum bt_status make_room(struct bt_report *report)
{
    if (report->count < report->capacity) {
        return BT_OK;
    }
    if (report->capacity > SIZE_MAX / 2) {
        return BT_ENOMEM;
    }
    const size_t capacity = report->capacity > 0 ? report->capacity * 2 : CAPACITY_FIRST;
    struct bt_judged *items = BT_NEW_ARRAY(report->arena, struct bt_judged, capacity);
    if (!items) {
        return BT_ENOMEM;
    }
    if (report->count > 0) {
        memcpy(items, report->items, report->count * sizeof(*items));
    }
    report->items = items;
    report->capacity = capacity;
    return BT_OK;
}

enum bt_status bt_report_add(struct bt_report *report, const struct bt_judged *document)
{
    assert(report);
    assert(document);
    assert(document->findings);
    assert(document->verdict != BT_UNDECIDED);
    BT_TRY(make_room(report));
    report->items[report->count++] = *document;
    return BT_OK;
}

struct bt_arena *bt_report_arena(struct bt_report *report)
{
    assert(report);
    return report->arena;
}

size_t bt_report_count(const struct bt_report *report)
{
    assert(report);
    return report->count;
}

const struct bt_judged *bt_report_at(const struct bt_report *report, size_t index)
{
    assert(report);
    assert(index < report->count);
    return &report->items[index];
}

struct bt_summary bt_report_summary(const struct bt_report *report)
{
    assert(report);
    struct bt_summary summary = {.documents = report->count};
    for (size_t i = 0; i < report->count; i++) {
        const struct bt_judged *document = &report->items[i];
        const bool rejected = document->verdict == BT_REJECTED;
        summary.rejected += rejected;
        summary.accepted += !rejected;
        for (size_t j = 0; j < bt_findings_count(document->findings); j++) {
            const enum bt_severity severity = bt_findings_at(document->findings, j)->severity;
            summary.hard += severity == BT_HARD;
            summary.warn += severity == BT_WARN;
            summary.info += severity == BT_INFO;
        }
    }
    return summary;
}
