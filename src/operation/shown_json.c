/* SPDX-License-Identifier: Apache-2.0 */
/* shown_json.c - an entry of the ledger as JSON. */
#include "operation/shown_json.h"

#include <inttypes.h>

#include <baton/json.h>

#include "json/emit.h"

const char *bt_entry_view_state(enum bt_document_state state)
{
    static const char *const names[] = {
        [BT_DOCUMENT_ABSENT] = "none",
        [BT_DOCUMENT_STORED] = "kept",
        [BT_DOCUMENT_NOT_STORED] = "not_kept",
        [BT_DOCUMENT_REDACTED] = "redacted",
    };
    return names[state];
}

static void put_document(struct bt_emit *emit, const struct bt_ledger_entry_view *shown)
{
    bt_emit_name(emit, "document");
    bt_emit_begin_object(emit);
    if (shown->state != BT_DOCUMENT_ABSENT) {
        bt_emit_member_string(emit, "sha256", shown->sha256);
        bt_emit_member_u64(emit, "size", shown->size);
    }
    bt_emit_member_string(emit, "state", bt_str_of(bt_entry_view_state(shown->state)));
    bt_emit_end(emit);
}

void bt_emit_entry_view(struct bt_buf *buf, bt_str origin, const struct bt_ledger_entry_view *shown)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", origin);
    bt_emit_member_u64(&emit, "seq", shown->entry.seq);
    bt_emit_name(&emit, "ref");
    bt_emit_raw(&emit, BT_STR("\""));
    bt_buf_printf(buf, "%.*s#%" PRIu64 "\"", BT_STR_ARG(origin), shown->entry.seq);
    bt_emit_member_string(&emit, "leaf_hash", shown->entry.leaf_hash);
    bt_emit_name(&emit, "entry");
    bt_emit_raw(&emit, shown->entry.text);
    bt_emit_member_string(&emit, "canonical", shown->entry.text);
    put_document(&emit, shown);
    bt_emit_end(&emit);
}
