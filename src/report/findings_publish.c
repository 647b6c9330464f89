/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_publish.c - lists of findings that callers of the library hold and read.
 */
#include <assert.h>
#include <stdlib.h>

#include "report/findings.h"

enum { LIST_BYTES_MAX = 256 << 20, PARAMS_BYTES_MAX = 64 << 20 };

struct bt_findings *bt_findings_create(void)
{
    struct bt_arena *arena = bt_arena_create(LIST_BYTES_MAX);
    struct bt_findings *findings = arena ? bt_findings_new(arena) : NULL;
    if (!findings) {
        bt_arena_destroy(arena);
        return NULL;
    }
    findings->own = arena;
    return findings;
}

void bt_findings_destroy(struct bt_findings *findings)
{
    if (findings) {
        assert(findings->own); /* a report has the other ones */
        bt_arena_destroy(findings->own);
    }
}

static int compare_offsets(const void *a, const void *b)
{
    const size_t left = (*(struct bt_finding *const *)a)->offset;
    const size_t right = (*(struct bt_finding *const *)b)->offset;
    return (left > right) - (left < right);
}

/* Find the positions in one pass over the source. */
static enum bt_status set_positions(struct bt_findings *findings, bt_str source)
{
    const size_t count = findings->count - findings->published;
    struct bt_finding **sorted = BT_NEW_ARRAY(findings->arena, struct bt_finding *, count);
    struct bt_line_cursor cursor = bt_line_cursor_begin(source);
    if (!sorted) {
        return BT_ENOMEM;
    }
    memcpy(sorted, findings->items + findings->published, count * sizeof(struct bt_finding *));
    qsort(sorted, count, sizeof(struct bt_finding *), compare_offsets);
    for (size_t i = 0; i < count && sorted[i]->offset != BT_OFFSET_NONE; i++) {
        sorted[i]->position = bt_line_cursor_find(&cursor, sorted[i]->offset);
    }
    return BT_OK;
}

static enum bt_status write_params(struct bt_findings *findings, struct bt_finding *finding)
{
    struct bt_buf buf;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_finding_put_params(finding, &buf);
    return bt_buf_finish(&buf, findings->arena, &finding->params);
}

enum bt_status bt_findings_publish(struct bt_findings *findings, bt_str source)
{
    assert(findings);
    if (findings->published < findings->count && !findings->finished && source.len > 0) {
        BT_TRY(set_positions(findings, source));
    }
    for (; findings->published < findings->count; findings->published++) {
        BT_TRY(write_params(findings, findings->items[findings->published]));
    }
    return BT_OK;
}

enum bt_status bt_findings_publish_own(struct bt_findings *findings, bt_str source)
{
    return findings && findings->own ? bt_findings_publish(findings, source) : BT_OK;
}
