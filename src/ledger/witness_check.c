/* SPDX-License-Identifier: Apache-2.0 */
/* witness_check.c - cosignatures in a checkpoint: checked, counted, reported. */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/entry.h"
#include "ledger/ledger_internal.h"

enum bt_status bt_ledger_add_cosignature_finding(struct bt_findings *findings,
                                                 const struct bt_vkey *witness)
{
    bt_str pointer;
    struct bt_buf buf;
    bt_buf_init(&buf, 1024);
    bt_buf_put_text(&buf, "/cosignature");
    bt_json_pointer_put(&buf, bt_vkey_name(witness));
    BT_TRY(bt_buf_finish(&buf, bt_findings_arena(findings), &pointer));
    return bt_ledger_add_signature_finding(findings, pointer, witness,
                                           BT_LEDGER_SIGNATURE_INVALID_SUBJECT_COSIGNATURE);
}

enum bt_status bt_ledger_add_entry_finding(struct bt_findings *findings, struct bt_location at,
                                           const struct bt_entry_check_result *judged)
{
    return judged->judgement == BT_ENTRY_NEWER
               ? bt_add_ledger_entry_version(findings, at, judged->v)
               : bt_add_ledger_entry_invalid(findings, at, bt_str_of(judged->rule),
                                             bt_str_of(judged->why));
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
            out->signers[out->count++] = cosigned.witness;
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
    const struct bt_vkey_list *keys = witnesses ? &witnesses->keys : &none;
    *out = (struct bt_checkpoint_witnesses){
        .fine = true,
        .signers =
            BT_NEW_ARRAY(bt_findings_arena(findings), const struct bt_vkey *, keys->count + 1)};
    if (!out->signers) {
        return BT_ENOMEM;
    }
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    enum bt_status status = judge_all(checkpoint, keys, findings, &emit, out);
    bt_emit_end(&emit);
    if (status == BT_OK) {
        status = bt_buf_copy(&buf, bt_findings_arena(findings), &out->list);
    }
    bt_buf_free(&buf);
    return status;
}
