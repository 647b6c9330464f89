/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hop_budget.c - the budget of a chain of handoffs beside that of the hop before, which is the last
 * accepted universal handoff of the same trace in the ledger.
 *
 * Finding the hop before reads the index of traces, an entry and a document. Most chains have no
 * budget, so traces with one are counted, and the others do not come here.
 */
#include "decide/hop_budget.h"

#include <assert.h>

#include "dialect/universal/universal.h"
#include "ledger/entry.h"
#include "ledger/transaction.h"
#include "report/rules.h"

enum { REDACTED_HOPS_MAX = 1000 }; /* that are passed over */

/* The search for an accepted hop whose document was kept. */
struct hop_search {
    size_t skip; /* so many are passed over, because their documents are gone */
    bool is_found;
    struct bt_merkle_hash digest; /* of its document */
};

static bool take_hop(void *context, const struct bt_store_entry *row)
{
    struct hop_search *search = context;
    struct bt_entry entry;
    if (!bt_str_eq(row->verdict, BT_STR("accepted")) || !bt_entry_read(row->entry, &entry) ||
        !bt_str_eq(entry.dialect, bt_dialect_name(BT_DIALECT_UNIVERSAL)) ||
        entry.document.kept != BT_TRUE ||
        !bt_merkle_hash_from_hex(entry.document.sha256, &search->digest)) {
        return true;
    }
    search->is_found = search->skip == 0;
    search->skip -= search->is_found ? 0 : 1;
    return !search->is_found;
}

/* The document of the last accepted hop of a trace whose document is kept; "" when there is none.
 */
static enum bt_status load_document(const struct bt_ledger_transaction *transaction,
                                    bt_str trace_id, bt_str *out, struct bt_error *error)
{
    struct bt_store *store = transaction->ledger->store;
    const struct bt_store_scan scan = {.order = BT_STORE_BY_TRACE_DOWN, .key = trace_id};
    *out = BT_STR("");
    for (size_t skip = 0; skip < REDACTED_HOPS_MAX; skip++) {
        struct hop_search search = {.skip = skip};
        struct bt_store_document document = {0};
        BT_TRY(bt_store_entry_scan(store, &scan, take_hop, &search, error));
        if (!search.is_found) {
            return BT_OK;
        }
        const bt_str key = {(const char *)search.digest.bytes, BT_HASH_BYTES};
        const enum bt_status status =
            bt_store_document_get(store, transaction->arena, key, &document, error);
        if (status == BT_OK && document.has_bytes) {
            *out = document.bytes;
            return BT_OK;
        }
        BT_TRY(status == BT_ENOENT ? BT_OK : status);
    }
    return BT_OK;
}

/* Load the hop before; *out_is_there is false when there is none that can be read. */
static enum bt_status load_hop(const struct bt_ledger_transaction *transaction, bt_str trace_id,
                               struct bt_universal_hop *out, bool *out_is_there,
                               struct bt_error *error)
{
    bt_str text;
    *out_is_there = false;
    BT_TRY(load_document(transaction, trace_id, &text, error));
    if (text.len == 0) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_universal_hop_read(transaction->env, transaction->arena, text, out, NULL);
    *out_is_there = status == BT_OK;
    return status == BT_EINVAL ? BT_OK : status;
}

/* Reject a handoff that gives itself more than the hop before left. */
static enum bt_status compare_hops(struct bt_submission *submission,
                                   const struct bt_universal_hop *before,
                                   const struct bt_universal_hop *now)
{
    struct bt_judgement *judged = submission->judged;
    struct bt_findings *findings = bt_findings_new(submission->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    const size_t count = bt_findings_count(judged->findings);
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(judged->findings, i)));
    }
    BT_TRY(bt_universal_hop_compare(findings, before, now));
    if (bt_findings_count(findings) > count) {
        BT_TRY(bt_findings_finish(findings, judged->source));
        judged->findings = findings;
        judged->verdict = BT_VERDICT_REJECTED;
    }
    return bt_universal_facts_name_ledger(submission->arena, judged->facts, &judged->facts);
}

/* Count the trace of a handoff with a budget. Whether it is accepted is not known yet: a trace that
 * is counted is searched for, nothing more. */
static enum bt_status count_budget(const struct bt_ledger_transaction *transaction, bt_str trace_id,
                                   struct bt_error *error)
{
    const bt_str key[2] = {bt_store_count_space_name(BT_STORE_COUNT_BUDGET), trace_id};
    return bt_store_count_add(transaction->ledger->store, key, 1, transaction->state.tree.size,
                              error);
}

enum bt_status bt_hop_budget_check(struct bt_submission *submission,
                                   struct bt_ledger_transaction *transaction,
                                   struct bt_error *error)
{
    assert(submission);
    const struct bt_judgement *judged = submission->judged;
    const bt_str trace_id = submission->entry.trace_id;
    struct bt_universal_hop before;
    struct bt_universal_hop now;
    bool is_there = false;
    if (!judged->document || bt_universal_hop_of(judged->document, &now) != BT_OK) {
        return BT_OK;
    }
    if (judged->identity.sets_budget && submission->mode != BT_SUBMIT_DRY_RUN) {
        BT_TRY(count_budget(transaction, trace_id, error));
    }
    BT_TRY(load_hop(transaction, trace_id, &before, &is_there, error));
    return is_there ? compare_hops(submission, &before, &now) : BT_OK;
}
