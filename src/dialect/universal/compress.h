/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress.h - make a handoff fit its budget.
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
    bool no_files;             /* move nothing out to files */
    bool shows_files;          /* the facts have the files' texts, because they are not written */
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

/* A file that the document refers to. */
struct bt_universal_compress_file {
    struct bt_universal_spill spill; /* spill.path is "" when there is none */
    bt_str name;                     /* in its folder */
};

struct bt_universal_compress_outcome {
    bool literal;
    bool shows_files;
    bool fits;   /* within options->budget now; the revision is settled */
    bool unsafe; /* nothing could be moved out; the notes have SESSION_PATH_UNSAFE */
    struct bt_universal_compress_size before;
    struct bt_universal_compress_size after;
    struct bt_universal_compress_step *steps;
    size_t step_count;
    size_t step_capacity;
    struct bt_universal_compress_file session; /* that was moved out */
    struct bt_universal_compress_file texts;   /* the whole of those that were shortened */
    struct bt_universal_write_dir site;        /* the folder of the files */
    bt_str wanted_folder; /* where they should have gone when `site` is the fallback; else "" */
};

/*
 * Compress in the order that `how` says until revision->text fits options->budget; nothing is done
 * when it does already. The document must have no HARD finding but TOKENS_OVER_BUDGET and those at
 * token_count. COMPRESS_REMOVED, COMPRESS_SHORTENED and COMPRESS_LOSSY, WRITE_FALLBACK and
 * SESSION_PATH_UNSAFE are added to `notes`. On BT_OK *out is ended with
 * bt_universal_compress_end(); its texts live in revision->arena.
 *
 * When it does not fit in the end, the revision is in the smallest form that was tried, not
 * settled. BT_ELIMIT: so many long texts in so large a document are not shortened one by one.
 */
BT_MUST_USE enum bt_status bt_universal_compress_revision(
    struct bt_universal_revision *revision, const struct bt_universal_options *options,
    const struct bt_universal_compress_plan *how, struct bt_findings *notes,
    struct bt_universal_compress_outcome *out);

/* True when the document refers to a file that must be written. */
bool bt_universal_compress_has_files(const struct bt_universal_compress_outcome *outcome);

/*
 * Write the files that the document refers to, if any, and make them durable. Call it when the
 * document that refers to them is accepted and before it is written or shown. BT_ENOENT: their
 * folder cannot be created or written to; compress again from the start with how->fallback.
 * BT_EEXIST: another process took a name in the meantime. BT_EDENIED: the folder became unsafe.
 * BT_EIO: the system failed.
 */
BT_MUST_USE enum bt_status
bt_universal_compress_write_spill(const struct bt_universal_compress_outcome *outcome,
                                  struct bt_error *error);

void bt_universal_compress_end(struct bt_universal_compress_outcome *outcome);

/* Put facts.compress and, as far as there are any, facts.spilled and facts.spilled_text, as members
 * of an object. */
BT_MUST_USE enum bt_status
bt_universal_compress_put_facts(const struct bt_universal_compress_outcome *outcome,
                                struct bt_emit *emit);

#endif
