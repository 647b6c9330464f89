/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress.h - make a handoff fit its budget, one step after the other.
 *
 *     struct bt_universal_compress_outcome outcome;
 *     bt_universal_compress_revision(&revision, options, &how, notes, &outcome);
 *     if (outcome.fits) {
 *         ... judge revision.text; if it is accepted:
 *         bt_universal_compress_write_spill(&outcome, &error);
 *         ... now the document may be written or shown
 *     }
 *
 * Nothing is written before bt_universal_compress_write_spill(): a document that is not accepted
 * leaves no trace.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_COMPRESS_H
#define BATON_SRC_DIALECT_UNIVERSAL_COMPRESS_H

#include "dialect/universal/revision.h"
#include "dialect/universal/write_dir.h"

struct bt_universal_compress_plan {
    bool literal;
    bool fallback;             /* the session's folder cannot be used: spill to the fallback */
    enum bt_encoding encoding; /* that the document was counted with: bt_handoff.encoding */
    const struct bt_universal_write_dirs *roots;
};

struct bt_universal_compress_size {
    uint64_t count; /* tokens */
    uint64_t bytes;
};

/* A step that was carried out, and the size of the document after it. */
struct bt_universal_compress_step {
    const char *step; /* minify, remove, spill, shorten */
    bt_str pointer;   /* ptr is NULL for a step without a single place */
    struct bt_universal_compress_size size;
};

struct bt_universal_compress_outcome {
    bool literal;
    bool fits;   /* within options->budget now; the revision is settled */
    bool unsafe; /* the session could not be moved out; the notes have SESSION_PATH_UNSAFE */
    struct bt_universal_compress_size before;
    struct bt_universal_compress_size after;
    struct bt_universal_compress_step *steps;
    size_t step_count;
    size_t step_capacity;
    struct bt_universal_spill spill;    /* spill.path is "" when nothing was moved out */
    bt_str spill_name;                  /* of the file, in its folder */
    struct bt_universal_write_dir site; /* the folder; open when spill.path is not "" */
};

/*
 * Compress in the order that `how` says until revision->text fits options->budget; nothing is done
 * when it does already. The document must have no HARD finding but TOKENS_OVER_BUDGET and those at
 * token_count. COMPRESS_REMOVED and COMPRESS_LOSSY, WRITE_FALLBACK and SESSION_PATH_UNSAFE are
 * added to `notes`. On BT_OK *out is ended with bt_universal_compress_end(); its texts live in
 * revision->arena.
 *
 * When it does not fit in the end, the revision is in the state of the last step, not settled.
 * BT_ELIMIT: so many long texts in so large a document are not shortened one by one.
 */
BT_MUST_USE enum bt_status bt_universal_compress_revision(
    struct bt_universal_revision *revision, const struct bt_universal_options *options,
    const struct bt_universal_compress_plan *how, struct bt_findings *notes,
    struct bt_universal_compress_outcome *out);

/*
 * Write the file of a session that was moved out, if one was, and make it durable. Call it when the
 * document that refers to it is accepted and before it is written or shown. BT_ENOENT: its folder
 * cannot be created or written to; compress again from the start with how->fallback. BT_EEXIST:
 * another process took the name in the meantime. BT_EDENIED: the folder became unsafe. BT_EIO: the
 * system failed.
 */
BT_MUST_USE enum bt_status
bt_universal_compress_write_spill(const struct bt_universal_compress_outcome *outcome,
                                  struct bt_error *error);

void bt_universal_compress_end(struct bt_universal_compress_outcome *outcome);

/* Put facts.compress and, if there is one, facts.spilled, as members of an object. */
BT_MUST_USE enum bt_status
bt_universal_compress_put_facts(const struct bt_universal_compress_outcome *outcome,
                                struct bt_emit *emit);

#endif
