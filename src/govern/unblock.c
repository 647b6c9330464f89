/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unblock.c - a block is lifted by reconciliation plus a person, never by either alone.
 */
#include <assert.h>
#include <string.h>

#include "govern/case.h"
#include "store/rows.h"

struct lifting {
    struct bt_deciding deciding;
    struct bt_unblocking *asked;
    struct bt_roster roster;
    struct bt_findings *findings;
    struct bt_recorded *recorded;
};

static enum bt_status say_unknown(struct lifting *lifting)
{
    struct bt_remark remark;
    bt_governed_remark(&remark, "INVALID_AGENT_REFERENCE", (struct bt_spot){NULL, NULL});
    bt_buf_put_text(&remark.message, "the manifest has no agent ");
    bt_put_quoted(&remark.message, lifting->asked->agent_id);
    bt_emit_member_string(&remark.emit, "agent_id", lifting->asked->agent_id);
    bt_roster_put_unknown(&lifting->roster, lifting->asked->agent_id, &remark.emit);
    return bt_remark_end(&remark, lifting->findings);
}

static enum bt_status say_lock(struct lifting *lifting)
{
    const bt_str detail = bt_root_fault_name(lifting->roster.lock.fault);
    struct bt_remark remark;
    bt_governed_remark(&remark, "HASH_VERIFICATION_FAILURE", (struct bt_spot){NULL, NULL});
    bt_buf_printf(&remark.message, "the lock cannot be used: %.*s", BT_STR_ARG(detail));
    bt_emit_member_string(&remark.emit, "agent_id", lifting->asked->agent_id);
    bt_emit_member_string(&remark.emit, "reason", BT_STR("lock_unavailable"));
    bt_emit_member_string(&remark.emit, "detail", detail);
    return bt_remark_end(&remark, lifting->findings);
}

/* Whether the agent is known, and whether lock and file agree about it. */
static enum bt_status judge_identity(struct lifting *lifting, bool *out_known)
{
    struct bt_roster *roster = &lifting->roster;
    BT_TRY(bt_roster_read(roster));
    *out_known = false;
    if (roster->manifest.fault != BT_ROOT_FINE) {
        return bt_roster_say_manifest(roster, lifting->findings);
    }
    *out_known = bt_roster_find(roster, lifting->asked->agent_id) != BT_NO_AGENT;
    return *out_known ? BT_OK : say_unknown(lifting);
}

static enum bt_status judge_integrity(struct lifting *lifting)
{
    struct bt_roster *roster = &lifting->roster;
    struct bt_agent *agent = &roster->agents[bt_roster_find(roster, lifting->asked->agent_id)];
    if (roster->lock.fault != BT_ROOT_FINE) {
        return say_lock(lifting);
    }
    BT_TRY(bt_agent_examine(roster, agent));
    return bt_agent_say_integrity(roster, agent, false, lifting->findings);
}

/* Words of a person stand in the entry when they can, else they are its document. */
static enum bt_status put_reason(const struct lifting *lifting, struct bt_entry *entry)
{
    char digest[BT_SHA256_HEX_BYTES];
    const bt_str reason = lifting->asked->reason;
    entry->refs.reason = reason;
    if (bt_entry_text_is_valid(reason)) {
        return BT_OK;
    }
    entry->refs.reason = BT_STR("see-document");
    entry->document.size = reason.len;
    BT_TRY(bt_sha256_hex(reason, digest));
    return bt_arena_copy(lifting->deciding.govern->arena, bt_str_of(digest),
                         &entry->document.sha256);
}

static enum bt_status lift(struct lifting *lifting, const struct bt_cell *row,
                           struct bt_recorded *out)
{
    struct bt_deciding *deciding = &lifting->deciding;
    struct bt_entry *entry = bt_govern_entry(deciding->govern, "unblock");
    if (!entry) {
        return BT_ENOMEM;
    }
    entry->refs.agent = lifting->asked->agent_id;
    entry->refs.parent = (uint64_t)row[BT_BLOCKED_SINCE].number;
    BT_TRY(put_reason(lifting, entry));
    BT_TRY(bt_recording_add(deciding->recording, entry,
                            entry->document.sha256.len > 0 ? &lifting->asked->reason : NULL, out,
                            deciding->error));
    struct bt_cell cells[BT_BLOCKED_COLUMNS];
    memcpy(cells, row, sizeof(cells));
    cells[BT_BLOCKED_CLEARED] = bt_cell_number(out->entry.seq);
    cells[BT_BLOCKED_UPDATED] = bt_cell_number(out->entry.seq);
    return bt_store_row_put(deciding->store, BT_TABLE_BLOCKED, cells, deciding->error);
}

/* Within the transaction; *out_lifted: there is something to commit. */
static enum bt_status try_to_lift(struct lifting *lifting, bool *out_lifted)
{
    const struct bt_cell *row = NULL;
    *out_lifted = false;
    const enum bt_status status = bt_blocks_row(&lifting->deciding, lifting->asked->agent_id, &row);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    BT_TRY(judge_integrity(lifting));
    if (bt_findings_count(lifting->findings) > 0) {
        return BT_OK;
    }
    BT_TRY(lift(lifting, row, lifting->recorded));
    *out_lifted = true;
    return BT_OK;
}

/* Within the transaction, from the beginning each time. */
static enum bt_status act(struct bt_recording *recording, void *context, struct bt_error *error)
{
    struct lifting *lifting = context;
    (void)error;
    lifting->asked->is_unblocked = false;
    BT_TRY(try_to_lift(lifting, &lifting->asked->is_unblocked));
    /* Before the commit, which may keep an answer about it. */
    return lifting->asked->is_unblocked
               ? bt_recording_keep(recording, lifting->recorded, &lifting->asked->record)
               : BT_OK;
}

static enum bt_status record(struct lifting *lifting)
{
    const struct bt_deciding *deciding = &lifting->deciding;
    const enum bt_status status = bt_recording_run(deciding->recording, act, lifting,
                                                   deciding->govern->alarms, deciding->error);
    lifting->asked->is_recorded = deciding->recording->is_recorded;
    lifting->asked->is_unknown = deciding->recording->is_unknown;
    lifting->asked->is_unblocked = status == BT_OK && lifting->asked->is_unblocked;
    return status;
}

enum bt_status bt_govern_unblock(const struct bt_govern *govern, struct bt_governed *governed,
                                 struct bt_unblocking *unblocking, struct bt_error *error)
{
    assert(govern);
    assert(unblocking);
    assert(unblocking->reason.len > 0);
    struct bt_findings *findings = bt_findings_new(govern->arena);
    struct bt_recording recording = {
        .ledger = govern->ledger, .env = govern->env, .arena = govern->arena};
    struct lifting lifting = {
        .deciding = {.govern = govern,
                     .store = govern->ledger->store,
                     .recording = &recording,
                     .error = error},
        .asked = unblocking,
        .roster = {.governed = governed, .options = unblocking->options, .arena = govern->arena},
        .findings = findings,
        .recorded = BT_NEW(govern->arena, struct bt_recorded),
    };
    bool is_known = false;
    if (!findings || !lifting.recorded) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    unblocking->is_unblocked = false;
    unblocking->record = BT_STR("");
    unblocking->findings = findings;
    BT_TRY(judge_identity(&lifting, &is_known));
    if (is_known) {
        BT_TRY(record(&lifting));
    }
    return bt_findings_finish(findings, BT_STR(""));
}
