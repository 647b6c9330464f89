/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - everything about a case that needs no store.
 */
#include <assert.h>

#include "govern/case.h"

/* Whether the text is a UUID of version 4, in whatever letters; *out is it in small ones. */
static enum bt_status take_id(struct bt_arena *arena, bt_str text, bt_str *out)
{
    bt_str folded;
    *out = BT_STR("");
    BT_TRY(bt_ascii_lower_copy(arena, text, &folded));
    if (bt_uuid_is_v4(folded)) {
        *out = folded;
    }
    return BT_OK;
}

static enum bt_status take_ids(struct bt_case *item)
{
    const struct bt_ruling *ruling = &item->ruling;
    const bool is_handoff = item->document.kind == BT_CASE_HANDOFF;
    const bt_str own =
        bt_ruling_text(ruling, is_handoff ? BT_STR("/handoff_id") : BT_STR("/response_id"));
    BT_TRY(take_id(item->arena,
                   is_handoff ? own : bt_ruling_text(ruling, BT_STR("/request_context/request_id")),
                   &item->handoff_id));
    if (is_handoff || own.len == 0) {
        return bt_ascii_lower_copy(item->arena, own, &item->id);
    }
    bt_str folded;
    BT_TRY(bt_ascii_lower_copy(item->arena, own, &folded));
    return bt_arena_printf(item->arena, &item->id, "response:%.*s",
                           BT_STR_ARG(bt_str_slice(folded, 0, 256)));
}

enum bt_status bt_case_read(struct bt_case *item)
{
    struct bt_governed *governed = item->ruling.governed;
    struct bt_findings *findings = bt_findings_new(item->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    item->ruling = (struct bt_ruling){
        .governed = governed,
        .options = item->document.options,
        .kind = item->document.kind == BT_CASE_HANDOFF ? BT_GOVERNED_HANDOFF : BT_GOVERNED_RESPONSE,
        .findings = findings,
        .text = item->document.text};
    BT_TRY(bt_ruling_open(&item->ruling));
    return take_ids(item);
}

enum bt_status bt_case_open(struct bt_governed *governed, struct bt_arena *arena,
                            const struct bt_case_document *document, struct bt_case **out)
{
    assert(governed);
    assert(document->options->root);
    assert(out);
    struct bt_case *item = BT_NEW(arena, struct bt_case);
    if (!item) {
        return BT_ENOMEM;
    }
    item->document = *document;
    item->arena = arena;
    item->ruling.governed = governed;
    BT_TRY(bt_case_read(item));
    *out = item;
    return BT_OK;
}

const struct bt_case_decision *bt_case_decision(const struct bt_case *item)
{
    assert(item);
    return &item->decision;
}

void bt_case_note_record(struct bt_case *item, bt_str record)
{
    assert(item);
    item->decision.record = record;
}
