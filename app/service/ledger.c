/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.c - the log itself: checkpoints, proofs, entries, tiles, redaction.
 */
#include "service/ledger_json.h"
#include "service/records.h"

bool ledger_head(struct work *work, struct bt_ledger_head *out)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    if (alarms &&
        bt_ledger_head(work->service->ledger, work->arena, alarms, out, &error) == BT_OK &&
        bt_findings_count(alarms) == 0) {
        return true;
    }
    (void)answer_failed(work, "STORE_UNAVAILABLE: the ledger cannot be read");
    return false;
}

/* ---- Checkpoints and proofs ------------------------------------------------------------------ */

static bool newest(struct work *work, struct bt_ledger_head *head, struct bt_ledger_checkpoint *out)
{
    struct bt_error error;
    if (!ledger_head(work, head)) {
        return false;
    }
    if (bt_ledger_checkpoint(work->service->ledger, work->arena, BT_LEDGER_NONE, out, &error) !=
        BT_OK) {
        (void)answer_failed(work, "STORE_UNAVAILABLE: the ledger cannot be read");
        return false;
    }
    return true;
}

enum bt_status op_checkpoint(struct work *work)
{
    struct bt_ledger_checkpoint checkpoint;
    struct bt_ledger_head head;
    if (!newest(work, &head, &checkpoint)) {
        return BT_OK;
    }
    checkpoint_put(&work->answer->body, &head, &checkpoint);
    return answer_done(work);
}

enum bt_status op_note(struct work *work)
{
    struct bt_ledger_checkpoint checkpoint;
    struct bt_ledger_head head;
    if (!newest(work, &head, &checkpoint)) {
        return BT_OK;
    }
    bt_buf_put(&work->answer->body, checkpoint.note);
    return answer_done(work);
}

enum bt_status op_prove_consistency(struct work *work, uint64_t old_size, uint64_t size)
{
    struct bt_ledger_growth growth;
    struct bt_ledger_head head;
    struct bt_error error;
    if (!ledger_head(work, &head)) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_ledger_prove_growth(work->service->ledger, work->arena, old_size, size, &growth, &error);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return answer_unusable(work, "NOT_FOUND: there is no such proof");
    }
    if (status != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: the ledger cannot be read");
    }
    growth_put(&work->answer->body, head.origin, &growth);
    return answer_done(work);
}

static enum bt_status add_lines(struct work *work, bt_str lines,
                                const struct bt_ledger_keys *witnesses)
{
    struct bt_findings *findings = bt_findings_new(work->arena);
    struct bt_error error;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (bt_ledger_add_cosignatures(work->service->ledger, BT_LEDGER_NONE, lines, witnesses,
                                   findings, &error) != BT_OK) {
        return answer_failed(work, "STORE_UNAVAILABLE: nothing was kept");
    }
    BT_TRY(bt_findings_finish(findings, BT_STR("")));
    if (bt_findings_count(findings) > 0) {
        answer_refuse(work, bt_findings_at(findings, 0), findings, BT_STR(""));
        work->answer->status = 422;
        return BT_OK;
    }
    return op_checkpoint(work);
}

enum bt_status op_cosignatures(struct work *work, bt_str lines, const bt_str *vkeys, size_t count)
{
    struct bt_ledger_keys *witnesses = bt_ledger_keys_new(work->arena, BT_LEDGER_WITNESS_KEY);
    struct bt_error error;
    if (!witnesses) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (bt_ledger_keys_add(witnesses, vkeys[i], &error) != BT_OK) {
            return answer_unusable(work, "PARAMETER_INVALID at /witness_key: it is no key of a "
                                         "witness");
        }
    }
    return count > 0 ? add_lines(work, lines, witnesses)
                     : answer_unusable(work, "PARAMETER_INVALID at /witness_key: name the keys of "
                                             "the witnesses");
}

/* ---- Entries --------------------------------------------------------------------------------- */

enum bt_status op_entries(struct work *work, const struct bt_ledger_filter *filter)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_entries found;
    struct bt_ledger_head head;
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    if (!ledger_head(work, &head)) {
        return BT_OK;
    }
    if (bt_ledger_tail(work->service->ledger, work->arena, filter, alarms, &found, &error) !=
            BT_OK ||
        bt_findings_count(alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: the ledger cannot be read");
    }
    entries_put(&work->answer->body, &head, &found);
    return answer_done(work);
}

enum bt_status op_tile(struct work *work, bt_str path)
{
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_error error;
    struct tile_memory *tiles = work->service->tiles;
    if (!alarms) {
        return BT_ENOMEM;
    }
    if (tiles && tiles_recall(tiles, path, &work->answer->body)) {
        return answer_done(work);
    }
    const enum bt_status status = bt_ledger_put_tile(work->service->ledger, work->arena, path,
                                                     alarms, &work->answer->body, &error);
    if (status == BT_ENOENT) {
        return answer_unusable(work, "NOT_FOUND: there is no such tile");
    }
    if (status != BT_OK || bt_findings_count(alarms) > 0) {
        return answer_failed(work, "STORE_UNAVAILABLE: the ledger cannot be read");
    }
    if (tiles) {
        tiles_remember(tiles, path, bt_buf_str(&work->answer->body));
    }
    return answer_done(work);
}

/* ---- Redaction ------------------------------------------------------------------------------- */

static enum bt_status put_redacted(struct work *work, void *context)
{
    const struct bt_ledger_redaction *asked = context;
    bt_buf_clear(&work->answer->body);
    redacted_put(&work->answer->body, &asked->done);
    work->answer->status = 200;
    return answer_done(work);
}

enum bt_status op_redact(struct work *work, const struct bt_ledger_redaction *asked)
{
    struct service *service = work->service;
    struct bt_findings *alarms = bt_findings_new(work->arena);
    struct bt_ledger_redaction redaction = *asked;
    struct deciding deciding;
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    redaction.actor = work->caller->actor;
    deciding_begin(&deciding, work, put_redacted, &redaction);
    deciding_watch(&deciding);
    const enum bt_status status =
        bt_ledger_redact(service->ledger, service->env, work->arena, &redaction, alarms, &error);
    const bool is_done =
        (status == BT_OK || redaction.done.is_recorded) && bt_findings_count(alarms) == 0;
    BT_TRY(deciding_end(&deciding, is_done, "STORE_UNAVAILABLE: nothing was deleted"));
    if (status == BT_ENOENT) {
        return answer_unusable(work, "NOT_FOUND: there is no such document");
    }
    return status == BT_EINVAL && deciding.once.outcome == 0
               ? answer_unusable(work, "PARAMETER_INVALID at /reason: 1 to 200 of "
                                       "[A-Za-z0-9 ._:/@+,-]; a digest is 64 hexadecimal digits")
               : BT_OK;
}
