/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_json.c - results of the ledger as JSON. */
#include "operation/ledger_json.h"

#include "json/emit.h"

void bt_emit_checkpoint(struct bt_buf *buf, const struct bt_ledger_head *head,
                        const struct bt_ledger_checkpoint *checkpoint)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", head->origin);
    bt_emit_member_u64(&emit, "size", checkpoint->size);
    bt_emit_member_string(&emit, "root", checkpoint->root);
    bt_emit_member_string(&emit, "vkey", head->vkey);
    bt_emit_member_string(&emit, "checkpoint", checkpoint->note);
    bt_emit_name(&emit, "signatures");
    bt_emit_raw(&emit, checkpoint->signatures);
    bt_emit_end(&emit);
}

void bt_emit_consistency(struct bt_buf *buf, bt_str origin,
                         const struct bt_consistency_result *growth)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", origin);
    bt_emit_member_u64(&emit, "old", growth->old_size);
    bt_emit_member_u64(&emit, "new", growth->new_size);
    bt_emit_member_string(&emit, "old_root", growth->old_root);
    bt_emit_member_string(&emit, "new_root", growth->new_root);
    bt_emit_name(&emit, "proof");
    bt_emit_raw(&emit, growth->proof);
    bt_emit_member_string(&emit, "checkpoint", growth->checkpoint);
    bt_emit_end(&emit);
}

void bt_entry_fields_emit(struct bt_emit *emit, const struct bt_ledger_entry *entry)
{
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "seq", entry->seq);
    bt_emit_member_string(emit, "leaf_hash", entry->leaf_hash);
    bt_emit_name(emit, "entry");
    bt_emit_raw(emit, entry->text);
    bt_emit_end(emit);
}

void bt_emit_entries(struct bt_buf *buf, const struct bt_ledger_head *head,
                     const struct bt_ledger_entries *entries)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", head->origin);
    bt_emit_member_u64(&emit, "size", head->size);
    bt_emit_member_string(&emit, "root", head->root);
    bt_emit_name(&emit, "entries");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < entries->count; i++) {
        bt_entry_fields_emit(&emit, &entries->items[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

void bt_emit_holds(struct bt_buf *buf, const struct bt_ledger_holds *holds,
                   const struct bt_ledger_hold_options *done)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "holds");
    for (size_t i = 0; i < holds->count; i++) {
        const struct bt_ledger_hold *hold = &holds->items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "by", hold->by);
        bt_emit_member_string(&emit, "value", hold->value);
        bt_emit_member_string(&emit, "reason", hold->reason);
        bt_emit_member_string(&emit, "since", hold->since);
        bt_emit_member_u64(&emit, "since_seq", hold->since_seq);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    if (done) {
        bt_emit_member_bool(&emit, "already", done->was_there);
    }
    if (done && done->record.len > 0) {
        bt_emit_member_raw(&emit, "record", done->record);
    }
    bt_emit_end(&emit);
}

void bt_emit_redaction(struct bt_buf *buf, const struct bt_ledger_redact_result *redacted)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "redacted");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "sha256", redacted->sha256);
    bt_emit_member_u64(&emit, "size", redacted->size);
    bt_emit_name(&emit, "entries");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < redacted->count; i++) {
        bt_emit_u64(&emit, redacted->seqs[i]);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "approvals");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < redacted->approval_count; i++) {
        bt_emit_string(&emit, redacted->approvals[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_name(&emit, "already");
    bt_emit_bool(&emit, redacted->was_redacted);
    if (redacted->record.len > 0) {
        bt_emit_name(&emit, "record");
        bt_emit_raw(&emit, redacted->record);
    }
    bt_emit_end(&emit);
}
