/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle.h - one file for a supervisor, a court or a customer: some entries of a log with their
 * documents, one proof for all of them, and what is needed to understand them.
 *
 * A bundle is JSON (schema `bundle`), alone or inside a page that shows and checks it in a browser.
 * Results are as described in ledger.h.
 */
#ifndef BATON_SRC_LEDGER_BUNDLE_H
#define BATON_SRC_LEDGER_BUNDLE_H

#include "ledger/audit.h"

enum {
    BT_LEDGER_BUNDLE_BYTES_MAX = 64 << 20,
    BT_LEDGER_BUNDLE_ENTRIES_MAX = 100000,
    BT_LEDGER_BUNDLE_DOCUMENT_BYTES_MAX = 1 << 20,
    BT_LEDGER_BUNDLE_TITLE_BYTES_MAX = 200,
};

/* What selects entries. */
enum bt_ledger_bundle_by {
    BT_LEDGER_BUNDLE_ALL = 0,
    BT_LEDGER_BUNDLE_HANDOFF,
    BT_LEDGER_BUNDLE_TRACE,
    BT_LEDGER_BUNDLE_AGENT,
};

struct bt_ledger_bundle_options {
    struct bt_ledger_bound from;
    struct bt_ledger_bound to;
    enum bt_ledger_bundle_by by;
    bt_str value; /* the id or name, unless all are selected */
    bool no_documents;
    uint64_t document_bytes_max; /* of documents to include */
    bt_str title;                /* "": none */
    bt_instant now;
    uint64_t silence_s; /* as for bt_ledger_audit() */
    bool is_page;       /* else JSON alone */
};

/* What became of the documents of the disclosed entries. */
enum bt_ledger_bundle_state {
    BT_LEDGER_BUNDLE_INCLUDED = 0,
    BT_LEDGER_BUNDLE_REDACTED,
    BT_LEDGER_BUNDLE_NOT_KEPT,
    BT_LEDGER_BUNDLE_LEFT_OUT,
    BT_LEDGER_BUNDLE_STATE__MAX,
};

/* What a bundle has. */
struct bt_ledger_bundle_counts {
    bool is_empty; /* the log has no entries; `from` and `to` are not set */
    uint64_t from; /* the range, both ends included */
    uint64_t to;
    uint64_t disclosed;
    uint64_t documents[BT_LEDGER_BUNDLE_STATE__MAX];
};

struct bt_ledger_bundle_result {
    uint64_t size; /* of the log */
    struct bt_ledger_bundle_counts counts;
};

/*
 * Put a bundle of at most BT_LEDGER_BUNDLE_BYTES_MAX bytes. BT_ENOENT: no entry matches. BT_EINVAL:
 * no entry is in the range, or an option is out of range. BT_ELIMIT: it would be larger than the
 * limits; `error` says what to narrow. BT_ECORRUPT: the log is damaged. The same store, options and
 * time give the same bytes.
 */
BT_MUST_USE enum bt_status bt_ledger_put_bundle(struct bt_ledger *ledger, struct bt_arena *arena,
                                                const struct bt_ledger_bundle_options *options,
                                                struct bt_buf *buf,
                                                struct bt_ledger_bundle_result *out,
                                                struct bt_error *error);

/* Put the members `disclosed`, `undisclosed` and `documents`. */
struct bt_emit;
void bt_ledger_bundle_put_counts(struct bt_emit *emit,
                                 const struct bt_ledger_bundle_counts *counts);
/* Put the bytes of a document as the member `text`, or `base64` where they are not UTF-8. */
void bt_ledger_put_bytes(struct bt_emit *emit, bt_str bytes);

struct bt_ledger_bundle_judge_options {
    const struct bt_verifier_keys *keys; /* those inside the bundle are never trusted */
    const struct bt_verifier_keys *witnesses;
    uint64_t witnesses_required;
    const struct bt_witness_policy *policy; /* whose quorum decides; NULL: none */
};

/*
 * Verify a bundle offline. `path` is its name in messages. The judgement has the dialect `bundle`
 * and lives in the arena.
 */
BT_MUST_USE enum bt_status
bt_ledger_bundle_judge(struct bt_arena *arena, bt_str path, bt_str bytes,
                       const struct bt_ledger_bundle_judge_options *options,
                       struct bt_judgement *out);

#endif
