/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - the signed size and root of a log: a C2SP checkpoint in a C2SP signed note.
 *
 *     ORIGIN LF SIZE LF BASE64(root) LF [extension LF]...
 *     LF
 *     U+2014 NAME base64(key id || signature) LF ...
 */
#ifndef BATON_SRC_LEDGER_CHECKPOINT_H
#define BATON_SRC_LEDGER_CHECKPOINT_H

#include "ledger/hash.h"
#include "ledger/signing_key.h"

enum {
    BT_NOTE_BYTES_MAX = 64 * 1024,
    BT_NOTE_LINES_MAX = 64,
    BT_COSIGNATURE_BYTES = 8 + BT_SIGNATURE_BYTES, /* the time comes first */
};

/* One signature line; everything points into the note. */
struct bt_note_signature {
    bt_str line; /* without its line feed */
    bt_str name;
    bt_str encoded; /* base64 of the id and the signature */
    uint8_t id[BT_KEY_ID_BYTES];
};

struct bt_checkpoint {
    bt_str note;
    bt_str text; /* the signed part */
    bt_str origin;
    uint64_t size;
    struct bt_merkle_hash root;
    size_t line_count;
    struct bt_note_signature lines[BT_NOTE_LINES_MAX];
};

/* Read a note, strictly. Returns NULL, or an explanation of what is wrong with it; then *out
 * must not be used. The result points into `note`. */
BT_MUST_USE const char *bt_checkpoint_read(bt_str note, struct bt_checkpoint *out);

/* Read one signature line, without its line feed. Returns NULL, or what is wrong with it. */
BT_MUST_USE const char *bt_note_signature_read(bt_str line, struct bt_note_signature *out);

/* Trusted keys. */
struct bt_vkey_list {
    size_t count;
    const struct bt_vkey *items;
};

enum bt_checkpoint_trust {
    BT_CHECKPOINT_TRUST_UNDECIDED = 0,
    BT_TRUSTED,
    BT_CHECKPOINT_TRUST_ORIGIN,    /* no known log key has the origin's name */
    BT_CHECKPOINT_TRUST_KEY,       /* no line is by a known log key of that name */
    BT_CHECKPOINT_TRUST_SIGNATURE, /* the line of a known key does not fit the text */
};

/* Whether a note can be trusted, and if not, the key at fault. */
struct bt_checkpoint_trust_result {
    enum bt_checkpoint_trust trust;
    const struct bt_vkey *culprit;
};

/* Check the signatures: lines of unknown keys are ignored, those of known ones must fit, and one
 * must be by a log key with the name of the origin. */
BT_MUST_USE enum bt_status bt_checkpoint_judge(const struct bt_checkpoint *checkpoint,
                                               const struct bt_vkey_list *log_keys,
                                               struct bt_checkpoint_trust_result *out);

/* A witness that has signed. */
struct bt_checkpoint_cosigner {
    const struct bt_vkey *witness;
    uint64_t time;
    bool valid;
};

/* Check whether `line` is by the witness and, if so, whether it fits the text, with a time up to
 * the year 9999. BT_ENOENT: it is not by the witness. */
BT_MUST_USE enum bt_status bt_cosignature_judge(const struct bt_checkpoint *checkpoint,
                                                const struct bt_note_signature *line,
                                                const struct bt_vkey *witness,
                                                struct bt_checkpoint_cosigner *out);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Put the text that gets signed. */
void bt_checkpoint_put_text(struct bt_buf *buf, bt_str origin, uint64_t size,
                            const struct bt_merkle_hash *root);
/* Put what a witness signs: a fixed line, the time, and the text of the checkpoint. */
void bt_cosignature_put_signed(struct bt_buf *buf, bt_str text, uint64_t time);

/* Put the complete note with the log's signature; `origin` is the name of the key. */
BT_MUST_USE enum bt_status bt_checkpoint_put(struct bt_buf *buf, bt_str origin,
                                             const struct bt_signing_key *key, uint64_t size,
                                             const struct bt_merkle_hash *root,
                                             struct bt_error *error);
/* Add a signature by another key of this name to the checkpoint, which must be all that the buffer
 * holds. */
BT_MUST_USE enum bt_status bt_checkpoint_put_more(struct bt_buf *buf, bt_str origin,
                                                  const struct bt_signing_key *key,
                                                  struct bt_error *error);
/* Put the witness's signature line (with its line feed) over a checkpoint's text. */
BT_MUST_USE enum bt_status bt_cosignature_put(struct bt_buf *buf,
                                              const struct bt_signing_key *witness, bt_str text,
                                              uint64_t time);

#endif
