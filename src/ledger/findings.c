/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - findings about ledgers, and the check of checkpoints from outside. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <baton/json.h>

#include "base/hex.h"
#include "ledger/ledger_internal.h"

enum { POINTER_BYTES_MAX = 200 };

struct bt_location bt_ledger_location(struct bt_arena *arena, const char *format, ...)
{
    struct bt_location at = bt_location_whole();
    char pointer[POINTER_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(pointer, sizeof(pointer), format, arguments);
    va_end(arguments);
    at.status = bt_arena_copy(arena, bt_str_of(pointer), &at.pointer);
    return at;
}

bt_str bt_merkle_hash_text(const struct bt_merkle_hash *hash, char out[BT_HASH_HEX_BYTES])
{
    if (!hash) {
        return BT_STR_ABSENT;
    }
    bt_merkle_hash_hex(hash, out);
    return bt_str_of(out);
}

enum bt_status bt_ledger_hex(struct bt_arena *arena, const struct bt_merkle_hash *hash, bt_str *out)
{
    char hex[BT_HASH_HEX_BYTES];
    return bt_arena_copy(arena, bt_merkle_hash_text(hash, hex), out);
}

enum bt_status bt_ledger_add_leaf_finding(struct bt_findings *findings, uint64_t seq, bt_str stored,
                                          const struct bt_merkle_hash *computed)
{
    struct bt_merkle_hash leaf;
    char expected[BT_HASH_HEX_BYTES];
    char actual[BT_HASH_HEX_BYTES];
    const bool is_hash = stored.len == BT_HASH_BYTES;
    if (is_hash) {
        memcpy(leaf.bytes, stored.ptr, BT_HASH_BYTES);
    }
    return bt_add_ledger_leaf_mismatch(
        findings, bt_ledger_location(bt_findings_arena(findings), "/entries/%" PRIu64, seq),
        bt_merkle_hash_text(is_hash ? &leaf : NULL, expected),
        bt_merkle_hash_text(computed, actual), &seq);
}

enum bt_status bt_ledger_add_signature_finding(struct bt_findings *findings, bt_str pointer,
                                               const struct bt_vkey *vkey,
                                               enum bt_ledger_signature_invalid_subject subject)
{
    char key[BT_VKEY_TEXT_MAX];
    return bt_add_ledger_signature_invalid(findings, bt_ledger_part(pointer),
                                           bt_vkey_id_text(vkey, key), bt_vkey_name(vkey), subject);
}

/* The names and ids of the keys that did sign. */
static enum bt_status list_signers(struct bt_arena *arena, const struct bt_checkpoint *checkpoint,
                                   struct bt_str_list *out)
{
    bt_str *items = BT_NEW_ARRAY(arena, bt_str, checkpoint->line_count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < checkpoint->line_count; i++) {
        const struct bt_note_signature *line = &checkpoint->lines[i];
        char id[2 * BT_KEY_ID_BYTES + 1] = "";
        bt_hex_put(line->id, BT_KEY_ID_BYTES, id);
        BT_TRY(bt_arena_printf(arena, &items[i], "%.*s+%s", BT_STR_ARG(line->name), id));
    }
    *out = (struct bt_str_list){items, checkpoint->line_count};
    return BT_OK;
}

static enum bt_status add_trust_finding(const struct bt_checkpoint_input *shown,
                                        struct bt_findings *findings,
                                        const struct bt_checkpoint *checkpoint,
                                        const struct bt_checkpoint_trust_result *trusted)
{
    const struct bt_location at = bt_ledger_part(shown->pointer);
    struct bt_str_list signers;
    if (trusted->trust == BT_CHECKPOINT_TRUST_ORIGIN) {
        const bool is_other =
            shown->origin.len > 0 && !bt_str_eq(shown->origin, checkpoint->origin);
        return bt_add_ledger_origin_mismatch(findings, at,
                                             is_other ? shown->origin
                                             : shown->log_keys->count > 0
                                                 ? bt_vkey_name(shown->log_keys->items)
                                                 : BT_STR(""),
                                             checkpoint->origin);
    }
    if (trusted->trust == BT_CHECKPOINT_TRUST_KEY) {
        BT_TRY(list_signers(bt_findings_arena(findings), checkpoint, &signers));
        return bt_add_ledger_key_unknown(findings, at, signers,
                                         BT_LEDGER_KEY_UNKNOWN_SUBJECT_CHECKPOINT);
    }
    return bt_ledger_add_signature_finding(findings, shown->pointer, trusted->culprit,
                                           BT_LEDGER_SIGNATURE_INVALID_SUBJECT_CHECKPOINT);
}

enum bt_status bt_ledger_check_checkpoint(const struct bt_checkpoint_input *shown,
                                          struct bt_findings *findings, struct bt_checkpoint *out,
                                          bool *out_fine)
{
    assert(shown);
    assert(out);
    assert(out_fine);
    struct bt_checkpoint_trust_result trusted = {0};
    *out_fine = false;
    const char *reason = bt_checkpoint_read(shown->note, out);
    if (reason) {
        return bt_add_ledger_checkpoint_syntax(findings, bt_ledger_part(shown->pointer),
                                               bt_str_of(reason));
    }
    if (shown->origin.len > 0 && !bt_str_eq(out->origin, shown->origin)) {
        trusted.trust = BT_CHECKPOINT_TRUST_ORIGIN;
        return add_trust_finding(shown, findings, out, &trusted);
    }
    BT_TRY(bt_checkpoint_judge(out, shown->log_keys, &trusted));
    if (trusted.trust != BT_TRUSTED) {
        return add_trust_finding(shown, findings, out, &trusted);
    }
    *out_fine = true;
    return BT_OK;
}
