/* SPDX-License-Identifier: Apache-2.0 */
/* suppressed.c - what settings removed from the findings of a document, counted for its facts. */
#include "report/suppressed.h"

#include <assert.h>

#include "json/emit.h"
#include "report/sort.h"

bt_str bt_suppressed_by_name(enum bt_suppressed_by by)
{
    static const bt_str names[] = {
        [BT_SUPPRESSED_BY_NONE] = BT_STR_INIT(""),
        [BT_SUPPRESSED_BY_BASELINE] = BT_STR_INIT("baseline"),
        [BT_SUPPRESSED_BY_IGNORE] = BT_STR_INIT("ignore"),
        [BT_SUPPRESSED_BY_RULES] = BT_STR_INIT("rules"),
    };
    return (size_t)by < sizeof(names) / sizeof(names[0]) ? names[by] : BT_STR("");
}

static int compare_items(const void *context, size_t a, size_t b)
{
    const struct bt_suppressed *suppressed = context;
    const struct bt_suppressed_finding *one = &suppressed->items[a];
    const struct bt_suppressed_finding *other = &suppressed->items[b];
    int order = bt_str_compare(one->finding->rule->code, other->finding->rule->code);
    order = order != 0 ? order : (int)one->by - (int)other->by;
    return order != 0 ? order : bt_str_compare(one->reason, other->reason);
}

/* Put one item for `count` findings that are equal in what is shown. */
static void put_group(struct bt_emit *emit, const struct bt_suppressed_finding *item, size_t count)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "code", item->finding->rule->code);
    bt_emit_member_string(emit, "by", bt_suppressed_by_name(item->by));
    bt_emit_member_u64(emit, "count", count);
    if (item->by == BT_SUPPRESSED_BY_IGNORE) {
        bt_emit_member_string(emit, "reason", item->reason);
    }
    bt_emit_end(emit);
}

void bt_suppressed_emit(struct bt_emit *emit, const struct bt_suppressed *suppressed)
{
    struct bt_arena arena;
    const size_t *order = NULL;
    bt_arena_init(&arena, SIZE_MAX);
    const enum bt_status status =
        bt_sort_indices_new(&arena, suppressed->count, compare_items, suppressed, &order);
    bt_emit_begin_array(emit);
    for (size_t i = 0, count = 0; status == BT_OK && i < suppressed->count; i += count) {
        count = 1;
        while (i + count < suppressed->count &&
               compare_items(suppressed, order[i], order[i + count]) == 0) {
            count++;
        }
        put_group(emit, &suppressed->items[order[i]], count);
    }
    bt_emit_end(emit);
    emit->buf->status = emit->buf->status == BT_OK ? status : emit->buf->status;
    bt_arena_free(&arena);
}
