/* SPDX-License-Identifier: Apache-2.0 */
/* witness_check.c - cosignatures in a checkpoint: checked, counted, reported. */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "ledger/entry.h"
#include "ledger/ledger_internal.h"

enum bt_status bt_ledger_add_cosignature_finding(struct bt_findings *findings,
                                                 const struct bt_vkey *witness)
{
    bt_str pointer;
    bt_str params;
    struct bt_buf buf;
    struct bt_arena *arena = bt_findings_arena(findings);
    bt_buf_init(&buf, 1024);
    bt_buf_put_text(&buf, "/cosignature");
    bt_json_pointer_put(&buf, bt_vkey_name(witness));
    const enum bt_status status = bt_buf_copy(&buf, arena, &pointer);
    bt_buf_free(&buf);
    BT_TRY(status);
    BT_TRY(bt_ledger_key_params(arena, witness, &params));
    return bt_ledger_add_finding(findings, "LEDGER_SIGNATURE_INVALID", pointer, params,
                                 "the cosignature of %.*s does not fit this checkpoint",
                                 BT_STR_ARG(bt_vkey_name(witness)));
}

enum bt_status bt_ledger_add_witness_finding(struct bt_findings *findings, uint64_t required,
                                             uint64_t found)
{
    bt_str params;
    BT_TRY(bt_arena_printf(bt_findings_arena(findings), &params,
                           "{\"required\":%" PRIu64 ",\"found\":%" PRIu64 "}", required, found));
    return bt_ledger_add_finding(findings, "LEDGER_WITNESS_MISSING", BT_STR("/checkpoint"), params,
                                 "%" PRIu64
                                 " cosignatures of known witnesses are required, %" PRIu64 " found",
                                 required, found);
}

enum bt_status bt_ledger_add_entry_finding(struct bt_findings *findings, bt_str pointer,
                                           const struct bt_entry_check_result *judged)
{
    bt_str params;
    struct bt_arena *arena = bt_findings_arena(findings);
    if (judged->judgement == BT_ENTRY_NEWER) {
        BT_TRY(bt_arena_printf(arena, &params, "{\"v\":%.*s}", BT_STR_ARG(judged->v)));
        return bt_ledger_add_finding(findings, "LEDGER_ENTRY_VERSION", pointer, params,
                                     "the entry is of format %.*s; this program knows 1",
                                     BT_STR_ARG(bt_str_slice(judged->v, 0, 30)));
    }
    BT_TRY(bt_arena_printf(arena, &params, "{\"rule\":\"%s\"}", judged->rule));
    return bt_ledger_add_finding(findings, "LEDGER_ENTRY_INVALID", pointer, params,
                                 "the entry breaks rule %s: %s", judged->rule, judged->why);
}

/* Check the witness's line in the note, if there is one. */
static enum bt_status judge_witness(const struct bt_checkpoint *checkpoint,
                                    const struct bt_vkey *witness,
                                    struct bt_checkpoint_cosigner *out)
{
    *out = (struct bt_checkpoint_cosigner){.witness = NULL};
    for (size_t i = 0; i < checkpoint->line_count; i++) {
        struct bt_checkpoint_cosigner cosigned;
        const enum bt_status status =
            bt_cosignature_judge(checkpoint, &checkpoint->lines[i], witness, &cosigned);
        if (status == BT_ENOENT) {
            continue;
        }
        BT_TRY(status);
        if (!out->witness || !cosigned.valid) {
            *out = cosigned;
        }
    }
    return BT_OK;
}

/* Whether an earlier key in the list is the same. */
static bool is_repeated(const struct bt_vkey_list *keys, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (bt_vkey_eq(&keys->items[i], &keys->items[index])) {
            return true;
        }
    }
    return false;
}

static enum bt_status judge_all(const struct bt_checkpoint *checkpoint,
                                const struct bt_vkey_list *witnesses, struct bt_findings *findings,
                                struct bt_emit *emit, struct bt_checkpoint_witnesses *out)
{
    for (size_t i = 0; i < witnesses->count; i++) {
        struct bt_checkpoint_cosigner cosigned;
        if (is_repeated(witnesses, i)) {
            continue;
        }
        BT_TRY(judge_witness(checkpoint, &witnesses->items[i], &cosigned));
        if (cosigned.witness && !cosigned.valid) {
            out->fine = false;
            BT_TRY(bt_ledger_add_cosignature_finding(findings, cosigned.witness));
        } else if (cosigned.witness) {
            out->count++;
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "name", bt_vkey_name(cosigned.witness));
            bt_emit_member_u64(emit, "time", cosigned.time);
            bt_emit_end(emit);
        }
    }
    return BT_OK;
}

enum bt_status bt_ledger_check_witnesses(const struct bt_checkpoint *checkpoint,
                                         const struct bt_verifier_keys *witnesses,
                                         struct bt_findings *findings,
                                         struct bt_checkpoint_witnesses *out)
{
    assert(checkpoint);
    assert(out);
    static const struct bt_vkey_list none = {0, NULL};
    struct bt_buf buf;
    struct bt_emit emit;
    *out = (struct bt_checkpoint_witnesses){.fine = true};
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    enum bt_status status =
        judge_all(checkpoint, witnesses ? &witnesses->keys : &none, findings, &emit, out);
    bt_emit_end(&emit);
    if (status == BT_OK) {
        status = bt_buf_copy(&buf, bt_findings_arena(findings), &out->list);
    }
    bt_buf_free(&buf);
    return status;
}
