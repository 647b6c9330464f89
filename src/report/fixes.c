/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixes.c - which fixes are wanted; what they have changed, as text output shows it.
 *
 *     fixed a.handoff.json
 *       5:18  TIMESTAMP_NOT_UTC  "2026-04-14T10:30:00+02:00" -> "2026-04-14T08:30:00Z"
 */
#include "report/fixes.h"

#include <inttypes.h>

#include "report/findings.h"
#include "report/render.h"
#include "report/sort.h"

enum { VALUE_SHOWN = 40 }; /* bytes of a value */

bool bt_fix_choice_has(const struct bt_fix_choice *choice, enum bt_fix fix, unsigned code,
                       bt_str pointer)
{
    if (choice->only) {
        return choice->only->code == code && bt_str_eq(choice->only->pointer, pointer);
    }
    for (size_t i = 0; choice->suppressed && i < choice->suppressed->count; i++) {
        const struct bt_finding *finding = choice->suppressed->items[i].finding;
        if (finding->code == code && bt_str_eq(finding->pointer, pointer)) {
            return false;
        }
    }
    return fix == BT_FIX_SAFE || (fix == BT_FIX_UNSAFE && choice->unsafe);
}

static int compare_changes(const void *context, size_t a, size_t b)
{
    const struct bt_report_change *changes = context;
    return (changes[a].offset > changes[b].offset) - (changes[a].offset < changes[b].offset);
}

enum bt_status bt_report_changes_finish(const struct bt_report_change_list *list, bt_str source,
                                        struct bt_arena *arena,
                                        const struct bt_report_changes **out)
{
    struct bt_report_changes *changes = BT_NEW(arena, struct bt_report_changes);
    struct bt_report_change *items = BT_NEW_ARRAY(arena, struct bt_report_change, list->count + 1);
    const size_t *order = NULL;
    struct bt_line_cursor cursor = bt_line_cursor_begin(source);
    BT_TRY(changes && items ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_sort_indices_new(arena, list->count, compare_changes, list->items, &order));
    for (size_t i = 0; i < list->count; i++) {
        items[i] = list->items[order[i]];
        items[i].position = bt_line_cursor_find(&cursor, items[i].offset);
    }
    *changes = (struct bt_report_changes){items, list->count};
    *out = changes;
    return BT_OK;
}

/* ---- As text --------------------------------------------------------------------------------- */

static void put_change(struct bt_buf *buf, const struct bt_report_change *change)
{
    bt_buf_printf(buf, "  %" PRIu32 ":%" PRIu32 "  ", change->position.line,
                  change->position.column);
    bt_buf_put(buf, change->why);
    if (change->before.len > 0 || change->after.len > 0) {
        bt_buf_put_text(buf, "  ");
    }
    bt_buf_put_printable(buf, change->before, VALUE_SHOWN);
    if (change->before.len > 0 && change->after.len > 0) {
        bt_buf_put_text(buf, " -> ");
    }
    bt_buf_put_printable(buf, change->after, VALUE_SHOWN);
    bt_buf_put_char(buf, '\n');
}

void bt_render_changes(struct bt_buf *buf, const struct bt_report *report)
{
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        const struct bt_report_changes *changes = document->changes;
        if (!changes || changes->count == 0) {
            continue;
        }
        bt_buf_put_text(buf, "fixed ");
        bt_buf_put_printable(buf, document->path, BT_PATH_SHOWN);
        bt_buf_put_char(buf, '\n');
        for (size_t j = 0; j < changes->count; j++) {
            put_change(buf, &changes->items[j]);
        }
    }
}

void bt_render_fix_totals(struct bt_buf *buf, const struct bt_report *report)
{
    const struct bt_report_totals totals = bt_report_get_totals(report);
    uint64_t changed = 0;
    uint64_t unsafe = 0;
    bool is_wanted = false;
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        is_wanted = is_wanted || document->changes;
        changed += document->fixed > 0;
        for (size_t j = 0; j < bt_findings_count(document->findings); j++) {
            unsafe += bt_findings_at(document->findings, j)->fix == BT_FIX_UNSAFE;
        }
    }
    if (is_wanted) {
        bt_buf_put_text(buf, "fixed ");
        bt_report_put_count(buf, totals.fixed, "finding");
        bt_buf_put_text(buf, " in ");
        bt_report_put_count(buf, changed, "document");
        bt_buf_printf(buf, "; %" PRIu64 " left, %" PRIu64 " of them with --unsafe-fixes\n",
                      totals.hard + totals.warn + totals.info, unsafe);
    }
}
