/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - what is kept of a judgement until the report.
 *
 * A folder may hold many documents. Judging one takes some times its size in memory, and memory
 * that is used for the first time takes longer than what is done with it. So documents are judged
 * in memory that is used again for the next one, and only their results are copied.
 */
#include "keep.h"

#include "base/arena.h"
#include "base/error.h"

static enum bt_status copy_changes(struct bt_arena *arena, const struct bt_report_changes *changes,
                                   const struct bt_report_changes **out)
{
    const size_t count = changes->count;
    struct bt_report_changes *copy = BT_NEW(arena, struct bt_report_changes);
    struct bt_report_change *items = BT_NEW_ARRAY(arena, struct bt_report_change, count + 1);
    BT_TRY(copy && items ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        items[i] = changes->items[i];
        BT_TRY(bt_arena_copy(arena, items[i].why, &items[i].why));
        BT_TRY(bt_arena_copy(arena, items[i].before, &items[i].before));
        BT_TRY(bt_arena_copy(arena, items[i].after, &items[i].after));
    }
    *copy = (struct bt_report_changes){items, count};
    *out = copy;
    return BT_OK;
}

enum bt_status check_keep(struct bt_arena *arena, bool shows_source, struct bt_judgement *judged)
{
    struct bt_findings *findings = NULL;
    const bool has_excerpts = shows_source && bt_findings_count(judged->findings) > 0;
    BT_TRY(bt_findings_copy(judged->findings, arena, &findings));
    judged->findings = findings;
    judged->document = NULL;
    judged->identity = (struct bt_identity){0};
    BT_TRY(bt_arena_copy(arena, judged->facts, &judged->facts));
    BT_TRY(bt_arena_copy(arena, judged->extra_members, &judged->extra_members));
    if (judged->changes) {
        BT_TRY(copy_changes(arena, judged->changes, &judged->changes));
    }
    judged->source = has_excerpts ? judged->source : BT_STR("");
    return has_excerpts ? bt_arena_copy(arena, judged->source, &judged->source) : BT_OK;
}
