/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - findings about ledgers, and the check of checkpoints from outside. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <baton/json.h>

#include "ledger/ledger_internal.h"

enum { MESSAGE_BYTES_MAX = 600 };

enum bt_status bt_ledger_add_finding(struct bt_findings *findings, const char *code, bt_str pointer,
                                     bt_str params, const char *format, ...)
{
    assert(findings);
    char message[MESSAGE_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    assert(size >= 0);
    struct bt_buf visible;
    bt_buf_init(&visible, (size_t)4 * MESSAGE_BYTES_MAX);
    bt_buf_put_printable(&visible, bt_str_of(message), sizeof(message));
    enum bt_status status = visible.status;
    if (status == BT_OK) {
        struct bt_finding finding = bt_ledger_finding(code);
        finding.pointer = pointer;
        finding.params = params;
        finding.message = bt_buf_str(&visible);
        status = bt_findings_add(findings, &finding);
    }
    bt_buf_free(&visible);
    return status;
}

enum bt_status bt_ledger_hex(struct bt_arena *arena, const struct bt_merkle_hash *hash, bt_str *out)
{
    char hex[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(hash, hex);
    return bt_arena_copy(arena, bt_str_of(hex), out);
}

/* A hash as a JSON string, or null. */
static void put_hash(struct bt_buf *buf, const struct bt_merkle_hash *hash)
{
    char hex[BT_HASH_HEX_BYTES];
    if (!hash) {
        bt_buf_put_text(buf, "null");
        return;
    }
    bt_merkle_hash_hex(hash, hex);
    bt_buf_printf(buf, "\"%s\"", hex);
}

enum bt_status bt_ledger_hash_params(struct bt_arena *arena, const struct bt_merkle_hash *expected,
                                     const struct bt_merkle_hash *actual, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, "{\"expected\":");
    put_hash(&buf, expected);
    bt_buf_put_text(&buf, ",\"actual\":");
    put_hash(&buf, actual);
    bt_buf_put_text(&buf, "}");
    const enum bt_status status = bt_buf_copy(&buf, arena, out);
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_ledger_add_leaf_finding(struct bt_findings *findings, uint64_t seq, bt_str stored,
                                          const struct bt_merkle_hash *computed)
{
    struct bt_arena *arena = bt_findings_arena(findings);
    struct bt_merkle_hash leaf;
    bt_str pointer;
    bt_str params;
    const bool is_hash = stored.len == BT_HASH_BYTES;
    if (is_hash) {
        memcpy(leaf.bytes, stored.ptr, BT_HASH_BYTES);
    }
    BT_TRY(bt_arena_printf(arena, &pointer, "/entries/%" PRIu64, seq));
    BT_TRY(bt_ledger_hash_params(arena, is_hash ? &leaf : NULL, computed, &params));
    return bt_ledger_add_finding(findings, "LEDGER_LEAF_MISMATCH", pointer, params,
                                 "entry %" PRIu64 " does not hash to its leaf", seq);
}

/* A params object with strings: name, value, name, value ... */
static enum bt_status put_params(struct bt_arena *arena, const bt_str *pairs, size_t count,
                                 bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < count; i += 2) {
        bt_emit_name_str(&emit, pairs[i]);
        bt_emit_string(&emit, pairs[i + 1]);
    }
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, arena, out);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status add_origin_finding(const struct bt_checkpoint_input *shown,
                                         struct bt_findings *findings, bt_str actual)
{
    const bt_str expected = shown->origin.len > 0        ? shown->origin
                            : shown->log_keys->count > 0 ? bt_vkey_name(shown->log_keys->items)
                                                         : BT_STR("");
    bt_str params;
    const bt_str pairs[] = {BT_STR("expected"), expected, BT_STR("actual"), actual};
    BT_TRY(put_params(bt_findings_arena(findings), pairs, 4, &params));
    return bt_ledger_add_finding(findings, "LEDGER_ORIGIN_MISMATCH", shown->pointer, params,
                                 "the checkpoint belongs to the log %.*s, not to %.*s",
                                 BT_STR_ARG(bt_str_slice(actual, 0, 80)),
                                 BT_STR_ARG(bt_str_slice(expected, 0, 80)));
}

enum bt_status bt_ledger_key_params(struct bt_arena *arena, const struct bt_vkey *vkey, bt_str *out)
{
    char id[2 * BT_KEY_ID_BYTES + 1];
    bt_vkey_id_hex(vkey, id);
    return bt_arena_printf(arena, out, "{\"key\":\"%.*s+%s\"}", BT_STR_ARG(bt_vkey_name(vkey)), id);
}

/* The keys that did sign, as a params object. */
static enum bt_status put_signers(struct bt_arena *arena, const struct bt_checkpoint *checkpoint,
                                  bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "keys");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < checkpoint->line_count; i++) {
        struct bt_vkey vkey = {0};
        char id[2 * BT_KEY_ID_BYTES + 1];
        for (size_t j = 0; j < BT_KEY_ID_BYTES; j++) {
            vkey.id[j] = checkpoint->lines[i].id[j];
        }
        bt_vkey_id_hex(&vkey, id);
        struct bt_buf name;
        bt_buf_init(&name, SIZE_MAX);
        bt_buf_put(&name, checkpoint->lines[i].name);
        bt_buf_printf(&name, "+%s", id);
        bt_emit_string(&emit, bt_buf_str(&name));
        buf.status = buf.status == BT_OK ? name.status : buf.status;
        bt_buf_free(&name);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, arena, out);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status add_trust_finding(const struct bt_checkpoint_input *shown,
                                        struct bt_findings *findings,
                                        const struct bt_checkpoint *checkpoint,
                                        const struct bt_checkpoint_trust_result *trusted)
{
    bt_str params = BT_STR("");
    struct bt_arena *arena = bt_findings_arena(findings);
    if (trusted->trust == BT_CHECKPOINT_TRUST_ORIGIN) {
        return add_origin_finding(shown, findings, checkpoint->origin);
    }
    if (trusted->trust == BT_CHECKPOINT_TRUST_KEY) {
        BT_TRY(put_signers(arena, checkpoint, &params));
        return bt_ledger_add_finding(findings, "LEDGER_KEY_UNKNOWN", shown->pointer, params,
                                     "no key that is trusted here signed this checkpoint");
    }
    BT_TRY(bt_ledger_key_params(arena, trusted->culprit, &params));
    return bt_ledger_add_finding(findings, "LEDGER_SIGNATURE_INVALID", shown->pointer, params,
                                 "the signature of %.*s does not fit the text of the checkpoint",
                                 BT_STR_ARG(bt_vkey_name(trusted->culprit)));
}

enum bt_status bt_ledger_add_syntax_finding(struct bt_findings *findings, bt_str pointer,
                                            const char *reason)
{
    bt_str params;
    const bt_str pairs[] = {BT_STR("reason"), bt_str_of(reason)};
    BT_TRY(put_params(bt_findings_arena(findings), pairs, 2, &params));
    return bt_ledger_add_finding(findings, "LEDGER_CHECKPOINT_SYNTAX", pointer, params,
                                 "this is not a checkpoint: %s", reason);
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
        return bt_ledger_add_syntax_finding(findings, shown->pointer, reason);
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
