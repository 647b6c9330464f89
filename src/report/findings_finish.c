/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_finish.c - findings in the order they were made -> the list that is shown.
 *
 * Three steps, none of them slower than O(n log n) whatever a document does: sort, drop what was
 * said before, walk the source once beside the sorted offsets to find lines and columns.
 */
#include "report/findings.h"

#include <assert.h>
#include <string.h>

#include "report/add.h"
#include "report/sort.h"

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* BT_OFFSET_NONE wraps to zero, so findings without a position come first. */
static size_t get_sort_position(const struct bt_finding *finding)
{
    return finding->offset + 1;
}

static int compare_shown(const void *context, size_t a_index, size_t b_index)
{
    const struct bt_findings *findings = context;
    const struct bt_finding *a = findings->items[a_index];
    const struct bt_finding *b = findings->items[b_index];
    int order = compare_sizes(a->rule->stage, b->rule->stage);
    order = order != 0 ? order : compare_sizes(get_sort_position(a), get_sort_position(b));
    order = order != 0 ? order : bt_str_compare(a->rule->code, b->rule->code);
    return order != 0 ? order : bt_str_compare(a->pointer, b->pointer);
}

/* Zero for findings that say the same. Sorting by it, not hashing: hostile pointers cannot make a
 * sort slow. */
static int compare_content(const void *context, size_t a_index, size_t b_index)
{
    const struct bt_findings *findings = context;
    const struct bt_finding *a = findings->items[a_index];
    const struct bt_finding *b = findings->items[b_index];
    int order = bt_str_compare(a->rule->code, b->rule->code);
    order = order != 0 ? order : bt_str_compare(a->pointer, b->pointer);
    return order != 0 ? order : bt_finding_compare_params(a, b);
}

struct report_finish_work {
    size_t *shown;      /* indexes in the order in which they are shown */
    size_t *by_content; /* the order in which equal findings are adjacent, the first shown first */
    size_t *scratch;    /* for sorting */
    bool *repeated;     /* by index */
    struct bt_finding **kept;
};

static enum bt_status work_new(struct bt_arena *arena, size_t count, struct report_finish_work *out)
{
    const struct report_finish_work work = {
        .shown = BT_NEW_ARRAY(arena, size_t, count),
        .by_content = BT_NEW_ARRAY(arena, size_t, count),
        .scratch = BT_NEW_ARRAY(arena, size_t, count),
        .repeated = BT_NEW_ARRAY(arena, bool, count),
        .kept = BT_NEW_ARRAY(arena, struct bt_finding *, count),
    };
    if (!work.shown || !work.by_content || !work.scratch || !work.repeated || !work.kept) {
        return BT_ENOMEM;
    }
    *out = work;
    return BT_OK;
}

static void mark_repeated(const struct bt_findings *findings, const struct report_finish_work *work)
{
    memcpy(work->by_content, work->shown, findings->count * sizeof(*work->by_content));
    bt_sort_indices(work->by_content, work->scratch, findings->count, compare_content, findings);
    for (size_t i = 1; i < findings->count; i++) {
        work->repeated[work->by_content[i]] =
            compare_content(findings, work->by_content[i - 1], work->by_content[i]) == 0;
    }
}

static void sort_and_drop(struct bt_findings *findings, const struct report_finish_work *work)
{
    for (size_t i = 0; i < findings->count; i++) {
        work->shown[i] = i;
    }
    bt_sort_indices(work->shown, work->scratch, findings->count, compare_shown, findings);
    mark_repeated(findings, work);
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++) {
        if (!work->repeated[work->shown[i]]) {
            work->kept[kept++] = findings->items[work->shown[i]];
        }
    }
    memcpy(findings->items, work->kept, kept * sizeof(struct bt_finding *));
    findings->count = kept;
}

struct bt_line_cursor bt_line_cursor_begin(bt_str source)
{
    /* A byte order mark is not part of the first line's columns. */
    const size_t mark = bt_str_starts_with(source, BT_STR("\xef\xbb\xbf")) ? 3 : 0;
    return (struct bt_line_cursor){.source = source, .line = 1, .line_begin = mark};
}

struct bt_position bt_line_cursor_find(struct bt_line_cursor *cursor, size_t offset)
{
    const bt_str before = bt_str_slice(cursor->source, 0, offset);
    if (before.len < cursor->at) {
        *cursor = bt_line_cursor_begin(cursor->source);
    }
    while ((cursor->at = bt_str_find_byte(before, '\n', cursor->at)) < before.len) {
        cursor->line++;
        cursor->line_begin = ++cursor->at;
    }
    const size_t column = cursor->at < cursor->line_begin ? 1 : cursor->at - cursor->line_begin + 1;
    return (struct bt_position){cursor->line, (uint32_t)column};
}

/* Offsets rise within a stage, so the cursor starts over once per stage at most. */
static void find_places(const struct bt_findings *findings, bt_str source)
{
    struct bt_line_cursor cursor = bt_line_cursor_begin(source);
    for (size_t i = 0; i < findings->count; i++) {
        struct bt_finding *finding = findings->items[i];
        if (finding->offset != BT_OFFSET_NONE) {
            finding->position = bt_line_cursor_find(&cursor, finding->offset);
        }
    }
}

enum bt_status bt_findings_finish(struct bt_findings *findings, bt_str source)
{
    assert(findings);
    assert(!findings->finished);
    BT_TRY(bt_findings_add_omitted_counts(findings));
    if (findings->count > 0) {
        const struct bt_arena_mark mark = bt_arena_mark(findings->arena);
        struct report_finish_work work;
        const enum bt_status status = work_new(findings->arena, findings->count, &work);
        if (status == BT_OK) {
            sort_and_drop(findings, &work);
            find_places(findings, source);
        }
        bt_arena_rewind(findings->arena, mark);
        BT_TRY(status);
    }
    findings->finished = true;
    return BT_OK;
}

void bt_findings_shift_lines(struct bt_findings *findings, uint32_t lines)
{
    assert(findings);
    assert(findings->finished);
    for (size_t i = 0; i < findings->count; i++) {
        struct bt_position *place = &findings->items[i]->position;
        place->line += place->line > 0 ? lines : 0;
    }
}
