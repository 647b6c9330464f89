/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_unblock.c - an agent is unblocked by reconciliation and a person, never by only one of
 * them.
 */
#include <assert.h>
#include <string.h>

#include "decide/governed_decide.h"
#include "report/rules.h"
#include "store/rows.h"

struct agent_unblock_state {
    struct bt_governed_decision_state deciding;
    struct bt_agent_unblock_options *options;
    struct bt_governed_root governed_root;
    struct bt_findings *findings;
    struct bt_ledger_record *recorded;
};

/* Check whether the agent is known, and whether lock and file agree about it. */
static enum bt_status judge_identity(struct agent_unblock_state *state, bool *out_known)
{
    struct bt_governed_root *governed_root = &state->governed_root;
    BT_TRY(bt_governed_root_read(governed_root));
    *out_known = false;
    if (governed_root->manifest.fault != BT_ROOT_FINE) {
        return bt_governed_root_add_manifest_finding(governed_root, state->findings);
    }
    *out_known = bt_governed_root_find(governed_root, state->options->agent_id) != BT_NO_AGENT;
    return *out_known ? BT_OK
                      : bt_governed_root_add_unknown_finding(governed_root, state->findings,
                                                             bt_location_whole(), BT_STR_ABSENT,
                                                             state->options->agent_id);
}

static enum bt_status judge_integrity(struct agent_unblock_state *state)
{
    struct bt_governed_root *governed_root = &state->governed_root;
    struct bt_governed_agent *agent =
        &governed_root->agents[bt_governed_root_find(governed_root, state->options->agent_id)];
    if (governed_root->lock.fault != BT_ROOT_FINE) {
        return bt_add_hash_verification_failure_unlock(
            state->findings, bt_location_whole(), state->options->agent_id,
            BT_HASH_VERIFICATION_FAILURE_UNLOCK_REASON_LOCK_UNAVAILABLE,
            bt_governed_file_error_name(governed_root->lock.fault));
    }
    BT_TRY(bt_governed_agent_check_integrity(governed_root, agent));
    return bt_governed_agent_add_integrity_findings(governed_root, agent, false, state->findings);
}

/* The reason of a person goes into the entry when it fits, else it is the entry's document. */
static enum bt_status put_reason(const struct agent_unblock_state *state, struct bt_entry *entry)
{
    char digest[BT_SHA256_HEX_BYTES];
    const bt_str reason = state->options->reason;
    entry->refs.reason = reason;
    if (bt_entry_text_is_valid(reason)) {
        return BT_OK;
    }
    entry->refs.reason = BT_STR("see-document");
    entry->document.size = reason.len;
    BT_TRY(bt_sha256_hex(reason, digest));
    return bt_arena_copy(state->deciding.govern->arena, bt_str_of(digest), &entry->document.sha256);
}

static enum bt_status record_unblock(struct agent_unblock_state *state,
                                     const struct bt_store_cell *row, struct bt_ledger_record *out)
{
    struct bt_governed_decision_state *deciding = &state->deciding;
    struct bt_entry *entry = bt_governed_add_entry(deciding->govern, "unblock");
    if (!entry) {
        return BT_ENOMEM;
    }
    entry->refs.agent = state->options->agent_id;
    entry->refs.parent = (uint64_t)row[BT_BLOCKED_SINCE].number;
    BT_TRY(put_reason(state, entry));
    BT_TRY(bt_ledger_transaction_add_entry(
        deciding->recording, entry, entry->document.sha256.len > 0 ? &state->options->reason : NULL,
        out, deciding->error));
    struct bt_store_cell cells[BT_BLOCKED_COLUMNS];
    memcpy(cells, row, sizeof(cells));
    cells[BT_BLOCKED_CLEARED] = bt_store_cell_number(out->entry.seq);
    cells[BT_BLOCKED_UPDATED] = bt_store_cell_number(out->entry.seq);
    return bt_store_row_put(deciding->store, BT_TABLE_BLOCKED, cells, deciding->error);
}

/* Runs within the transaction; *out_lifted: there is something to commit. */
static enum bt_status unblock_if_intact(struct agent_unblock_state *state, bool *out_lifted)
{
    const struct bt_store_cell *row = NULL;
    *out_lifted = false;
    const enum bt_status status =
        bt_agent_block_load(&state->deciding, state->options->agent_id, &row);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    BT_TRY(judge_integrity(state));
    if (bt_findings_count(state->findings) > 0) {
        return BT_OK;
    }
    BT_TRY(record_unblock(state, row, state->recorded));
    *out_lifted = true;
    return BT_OK;
}

/* Runs within the transaction, from the beginning each time. */
static enum bt_status unblock_in_transaction(struct bt_ledger_transaction *recording, void *context,
                                             struct bt_error *error)
{
    struct agent_unblock_state *state = context;
    (void)error;
    state->options->is_unblocked = false;
    BT_TRY(unblock_if_intact(state, &state->options->is_unblocked));
    state->options->seq = state->options->is_unblocked ? state->recorded->entry.seq : 0;
    /* Before the commit, which may store a response about it. */
    return state->options->is_unblocked ? bt_ledger_transaction_copy_record(
                                              recording, state->recorded, &state->options->record)
                                        : BT_OK;
}

static enum bt_status run_transaction(struct agent_unblock_state *state)
{
    const struct bt_governed_decision_state *deciding = &state->deciding;
    const enum bt_status status =
        bt_ledger_transaction_run(deciding->recording, unblock_in_transaction, state,
                                  deciding->govern->alarms, deciding->error);
    state->options->is_recorded = deciding->recording->is_recorded;
    state->options->is_unknown = deciding->recording->is_unknown;
    state->options->is_unblocked = status == BT_OK && state->options->is_unblocked;
    return status;
}

enum bt_status bt_agent_unblock(const struct bt_governed_state *govern,
                                struct bt_governed_checker *governed,
                                struct bt_agent_unblock_options *unblocking, struct bt_error *error)
{
    assert(govern);
    assert(unblocking);
    assert(unblocking->reason.len > 0);
    struct bt_findings *findings = bt_findings_new(govern->arena);
    struct bt_ledger_transaction recording = {
        .ledger = govern->ledger, .env = govern->env, .arena = govern->arena};
    struct agent_unblock_state state = {
        .deciding = {.govern = govern,
                     .store = govern->ledger->store,
                     .recording = &recording,
                     .error = error},
        .options = unblocking,
        .governed_root = {.governed = governed,
                          .options = unblocking->options,
                          .arena = govern->arena},
        .findings = findings,
        .recorded = BT_NEW(govern->arena, struct bt_ledger_record),
    };
    bool is_known = false;
    if (!findings || !state.recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    unblocking->is_unblocked = false;
    unblocking->record = BT_STR("");
    unblocking->findings = findings;
    BT_TRY(judge_identity(&state, &is_known));
    if (is_known) {
        BT_TRY(run_transaction(&state));
    }
    return bt_findings_finish(findings, BT_STR(""));
}
