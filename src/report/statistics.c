/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - how often each code occurs in a report: by count, then code. */
#include "report/statistics.h"

#include <inttypes.h>
#include <stdio.h>

#include "json/emit.h"
#include "report/broken.h"
#include "report/sort.h"

enum { ARENA_BYTES_MAX = 1 << 30 };

struct report_statistics_row {
    const struct bt_rule *rule;
    enum bt_severity severity; /* the highest one */
    uint64_t count;
    uint64_t documents;
    uint64_t fixable;
    size_t last_document; /* 1 + index of the last one that was counted */
};

struct report_statistics {
    struct report_statistics_row *rows;
    size_t *order;
    size_t count;
};

/* By count, the highest first. Rows are sorted by code already, and the order of equals stays. */
static int compare_counts(const void *context, size_t a, size_t b)
{
    const struct report_statistics_row *rows = context;
    return rows[a].count < rows[b].count ? 1 : rows[a].count > rows[b].count ? -1 : 0;
}

static void count_finding(struct report_statistics_row *row, const struct bt_finding *finding,
                          size_t document)
{
    row->count++;
    row->fixable += finding->fix == BT_FIX_SAFE;
    row->severity = finding->severity > row->severity ? finding->severity : row->severity;
    row->documents += row->last_document != document + 1;
    row->last_document = document + 1;
}

static enum bt_status count_codes(const struct bt_report *report, struct bt_arena *arena,
                                  struct report_statistics *out)
{
    struct bt_report_broken broken;
    BT_TRY(bt_report_broken_find(report, arena, &broken));
    size_t *scratch = BT_NEW_ARRAY(arena, size_t, broken.count + 1);
    *out = (struct report_statistics){
        .rows = BT_NEW_ARRAY(arena, struct report_statistics_row, broken.count + 1),
        .order = BT_NEW_ARRAY(arena, size_t, broken.count + 1),
        .count = broken.count};
    if (!scratch || !out->rows || !out->order) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < broken.count; i++) {
        out->rows[i].rule = broken.rules[i];
        out->order[i] = i;
    }
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_findings *findings = bt_report_at(report, i)->findings;
        for (size_t j = 0; j < bt_findings_count(findings); j++) {
            const struct bt_finding *finding = bt_findings_at(findings, j);
            const size_t index = bt_report_broken_index(&broken, finding->rule->code);
            count_finding(&out->rows[index], finding, i);
        }
    }
    bt_sort_indices(out->order, scratch, out->count, compare_counts, out->rows);
    return BT_OK;
}

static void emit_row(struct bt_emit *emit, const struct report_statistics_row *row)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "code", row->rule->code);
    bt_emit_member_string(emit, "severity", bt_severity_name(row->severity));
    bt_emit_member_u64(emit, "count", row->count);
    bt_emit_member_u64(emit, "documents", row->documents);
    bt_emit_member_u64(emit, "fixable", row->fixable);
    bt_emit_end(emit);
}

void bt_statistics_emit(struct bt_emit *emit, const struct bt_report *report)
{
    struct bt_arena arena;
    struct report_statistics statistics;
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    const enum bt_status status = count_codes(report, &arena, &statistics);
    bt_emit_member_array(emit, "statistics");
    for (size_t i = 0; status == BT_OK && i < statistics.count; i++) {
        emit_row(emit, &statistics.rows[statistics.order[i]]);
    }
    bt_emit_end(emit);
    if (emit->buf->status == BT_OK) {
        emit->buf->status = status;
    }
    bt_arena_free(&arena);
}

/* The columns of the widest count and code. */
struct report_statistics_widths {
    int count;
    int fixable;
    int code;
};

static int digits_of(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static struct report_statistics_widths find_widths(const struct report_statistics *statistics)
{
    struct report_statistics_widths widths = {0};
    for (size_t i = 0; i < statistics->count; i++) {
        const struct report_statistics_row *row = &statistics->rows[i];
        const int count = digits_of(row->count);
        const int fixable = digits_of(row->fixable);
        const int code = (int)row->rule->code.len;
        widths.count = count > widths.count ? count : widths.count;
        widths.fixable = fixable > widths.fixable ? fixable : widths.fixable;
        widths.code = code > widths.code ? code : widths.code;
    }
    return widths;
}

void bt_statistics_put_lines(struct bt_buf *buf, const struct bt_report *report)
{
    struct bt_arena arena;
    struct report_statistics statistics;
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    const enum bt_status status = count_codes(report, &arena, &statistics);
    if (status == BT_OK) {
        const struct report_statistics_widths widths = find_widths(&statistics);
        for (size_t i = 0; i < statistics.count; i++) {
            const struct report_statistics_row *row = &statistics.rows[statistics.order[i]];
            bt_buf_printf(buf, "%*" PRIu64 "  %-*.*s  %*" PRIu64 " fixable  %.*s\n", widths.count,
                          row->count, widths.code, BT_STR_ARG(row->rule->code), widths.fixable,
                          row->fixable, BT_STR_ARG(row->rule->meaning));
        }
    } else if (buf->status == BT_OK) {
        buf->status = status;
    }
    bt_arena_free(&arena);
}
