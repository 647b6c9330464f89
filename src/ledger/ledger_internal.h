/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_internal.h - an open ledger as the files of this folder see it, and what they share.
 */
#ifndef BATON_SRC_LEDGER_LEDGER_INTERNAL_H
#define BATON_SRC_LEDGER_LEDGER_INTERNAL_H

#include <pthread.h>

#include <baton/ledger_proof.h>

#include "base/ascii.h"
#include "ledger/checkpoint.h"
#include "ledger/entry.h"
#include "ledger/proof.h"
#include "ledger/rules.h"
#include "ledger/tile.h"
#include "store/store.h"

/* Which file a path led to when it was last looked at. */
struct bt_ledger_file {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t changed_s;
    int64_t changed_ns;
};

struct bt_ledger {
    struct bt_arena arena; /* holds the ledger itself */
    struct bt_store *store;
    struct bt_vkey vkey;           /* as the store names it ... */
    bt_str first_vkey;             /* ... as a text */
    bt_str vkey_text;              /* of the key to verify by: the newest */
    struct bt_verifier_keys *keys; /* all that have ever been its own, as the file beside it says */
    struct bt_ledger_file vkey_seen;
    bt_str vkey_file; /* paths of the files beside the store */
    bt_str head_file;
    bt_str key_file; /* of the private keys in use */
    bool is_test_key;
    bool is_writing;
    pthread_mutex_t keys_lock; /* of what follows; see bt_ledger_lock_keys() */
    struct bt_ledger_file key_seen;
    struct bt_signing_key key;
    bool is_rotating;           /* two keys sign, ... */
    struct bt_signing_key next; /* ... and this will be the only one */
    bool
        /* a state that this process verified or signed, better than any head file */
        has_known_tree;
    struct bt_merkle_tree known_tree;
    struct bt_merkle_hash known_root;
    unsigned other_writers_ttl; /* transactions until it is expected that nobody else adds to it */
    bool is_unknown;            /* the last commit failed, but may have taken effect */
    bool defers_head; /* a writer replaces the head file, beside the next transaction ... */
    bt_str
        pending_head_note; /* ... with this note, which lives as long as the transaction's arena */
    struct bt_idempotency *idempotency; /* the request that the next transaction answers, or NULL */
    bt_ledger_event_fn *observer;       /* of events that are durable; NULL: nobody */
    void *observer_context;
    uint32_t withheld; /* names that entries always leave out */
};

static inline void bt_progress_report(const struct bt_progress *progress, uint64_t done,
                                      uint64_t total)
{
    if (progress->report) {
        progress->report(progress->context, done, total);
    }
}

struct bt_verifier_keys {
    struct bt_arena *arena;
    enum bt_signing_key_type type;
    struct bt_vkey_list keys;
    struct bt_vkey *items;
    size_t capacity;
};

/* Paths of a place's files, each BASE and an ending. */
BT_MUST_USE enum bt_status bt_ledger_companion_path(struct bt_arena *arena,
                                                    const struct bt_store_location *place,
                                                    const char *ending, bt_str *out);
/* Where the options say the store is. `upwards`: it may lie in a folder above. */
BT_MUST_USE enum bt_status bt_ledger_find_store(struct bt_arena *arena,
                                                const struct bt_ledger_options *options,
                                                bool upwards, struct bt_store_location *out,
                                                struct bt_error *error);
/* Read and check a private key file, which holds two keys while they are rotated: *out_two.
 * *out_is_open: others may read it; then BT_EDENIED unless that is what the caller asks about (not
 * NULL). */
BT_MUST_USE enum bt_status bt_ledger_read_key_file(const char *path, struct bt_signing_key out[2],
                                                   bool *out_two, bool *out_is_open,
                                                   struct bt_error *error);

/* Read the public keys, or read them again if their file was replaced. */
BT_MUST_USE enum bt_status bt_ledger_reload_public_keys(struct bt_ledger *ledger,
                                                        struct bt_error *error);
/* Read the private keys of a ledger that is to write; `key_file` NULL: those beside the store. */
BT_MUST_USE enum bt_status
bt_ledger_load_private_keys(struct bt_ledger *ledger, const char *key_file, struct bt_error *error);
void bt_ledger_wipe_keys(struct bt_ledger *ledger);
/* To sign, in any thread: lock the private keys, read again if their file was replaced. BT_EIO: the
 * file cannot be used, and nothing is locked. */
BT_MUST_USE enum bt_status bt_ledger_lock_keys(struct bt_ledger *ledger, struct bt_error *error);
void bt_ledger_unlock_keys(struct bt_ledger *ledger);

/* ---- Tiles ----------------------------------------------------------------------------------- */

enum { BT_BUNDLE_BYTES_MAX = BT_TILE_WIDTH * (2 + BT_ENTRY_BYTES_MAX) };

/* Put the first `width` hashes or entries of a tile, which the log has. An entry that does not hash
 * to its leaf is a finding in `alarms`. */
BT_MUST_USE enum bt_status bt_tile_put(struct bt_ledger *ledger, struct bt_tile tile,
                                       uint32_t width, struct bt_findings *alarms,
                                       struct bt_buf *out, struct bt_error *error);

/* ---- Findings -------------------------------------------------------------------------------- */

/* Add a finding about the ledger: `pointer`, `params` (a JSON object or "") and a sentence. */
BT_MUST_USE enum bt_status bt_ledger_add_finding(struct bt_findings *findings, const char *code,
                                                 bt_str pointer, bt_str params, const char *format,
                                                 ...) BT_PRINTF(5, 6);

/* {"key":"NAME+ID"} */
BT_MUST_USE enum bt_status bt_ledger_key_params(struct bt_arena *arena, const struct bt_vkey *vkey,
                                                bt_str *out);
/* LEDGER_CHECKPOINT_SYNTAX. */
BT_MUST_USE enum bt_status bt_ledger_add_syntax_finding(struct bt_findings *findings,
                                                        bt_str pointer, const char *reason);
/* {"expected":HEX,"actual":HEX}; NULL for a hash that there is none of gives null. */
BT_MUST_USE enum bt_status bt_ledger_hash_params(struct bt_arena *arena,
                                                 const struct bt_merkle_hash *expected,
                                                 const struct bt_merkle_hash *actual, bt_str *out);
/* The bytes of entry `seq` give another leaf than the one that is stored. */
BT_MUST_USE enum bt_status bt_ledger_add_leaf_finding(struct bt_findings *findings, uint64_t seq,
                                                      bt_str stored,
                                                      const struct bt_merkle_hash *computed);

/* A checkpoint that somebody shows, and what they may expect. */
struct bt_checkpoint_input {
    bt_str note;
    bt_str pointer; /* of findings about it: "/head" ... */
    const struct bt_vkey_list *log_keys;
    bt_str origin; /* that it must have; "" when the keys decide */
};

/* Read and judge a checkpoint, and say what is wrong with it. *out_fine tells whether *out can be
 * used. */
BT_MUST_USE enum bt_status bt_ledger_check_checkpoint(const struct bt_checkpoint_input *shown,
                                                      struct bt_findings *findings,
                                                      struct bt_checkpoint *out, bool *out_fine);

/* How many of the witnesses have validly cosigned. */
struct bt_checkpoint_witnesses {
    size_t count;
    bt_str list; /* JSON array of {name, time} */
    bool fine;   /* no line of a known witness failed */
};

/* Judge the cosignatures of a checkpoint; a line of a known witness that does not verify is a
 * finding. `witnesses` may be NULL. */
BT_MUST_USE enum bt_status bt_ledger_check_witnesses(const struct bt_checkpoint *checkpoint,
                                                     const struct bt_verifier_keys *witnesses,
                                                     struct bt_findings *findings,
                                                     struct bt_checkpoint_witnesses *out);
/* LEDGER_WITNESS_MISSING. */
BT_MUST_USE enum bt_status bt_ledger_add_witness_finding(struct bt_findings *findings,
                                                         uint64_t required, uint64_t found);
/* LEDGER_SIGNATURE_INVALID at /cosignature/NAME. */
BT_MUST_USE enum bt_status bt_ledger_add_cosignature_finding(struct bt_findings *findings,
                                                             const struct bt_vkey *witness);
/* LEDGER_ENTRY_INVALID or LEDGER_ENTRY_VERSION about an entry that is not fine. */
struct bt_entry_check_result;
BT_MUST_USE enum bt_status bt_ledger_add_entry_finding(struct bt_findings *findings, bt_str pointer,
                                                       const struct bt_entry_check_result *judged);

/* ---- The state of the log -------------------------------------------------------------------- */

/* The newest signed state. */
struct bt_ledger_state {
    struct bt_merkle_tree tree;
    struct bt_merkle_hash root;
    bt_str note;
};

/* Read it, within a transaction, and judge it (rule D11). Findings: it cannot be believed. */
BT_MUST_USE enum bt_status bt_ledger_state(struct bt_ledger *ledger, struct bt_arena *arena,
                                           struct bt_findings *alarms, struct bt_ledger_state *out,
                                           struct bt_error *error);
/* Compare the store with the head file (rule D9). */
BT_MUST_USE enum bt_status bt_ledger_check_head_file(struct bt_ledger *ledger,
                                                     struct bt_arena *arena,
                                                     const struct bt_ledger_state *state,
                                                     struct bt_findings *alarms,
                                                     struct bt_error *error);
/* Remember a state that was judged, or signed here and committed. */
void bt_ledger_remember_head(struct bt_ledger *ledger, const struct bt_ledger_state *state);
/* Replace the head file. */
BT_MUST_USE enum bt_status bt_ledger_write_head_file(const struct bt_ledger *ledger, bt_str note,
                                                     struct bt_error *error);
/* The log in the store as proofs see it; a hash that is missing is BT_ECORRUPT. */
struct bt_merkle_subtrees bt_ledger_subtrees(struct bt_ledger *ledger);

/* ---- Recording ------------------------------------------------------------------------------- */

/* A batch that grows while its transaction is under way. */
struct bt_ledger_group_commit {
    struct bt_ledger_batch batch; /* its items have room for `room` */
    size_t room;
    /* Put what has come up meanwhile behind the items, if there is anything. NULL: nothing ever. */
    void (*take_more)(void *context, struct bt_ledger_batch *batch);
    /* What items point at is about to be used, and is no longer: it is not while the batch is
     * committed. Held again, an item may be told to skip itself. NULL: nobody takes it away. */
    void (*lock_items)(void *context, struct bt_ledger_batch *batch);
    void (*unlock_items)(void *context);
    void *context;
};

/* As bt_ledger_append(): what comes up before the commit is recorded along. */
BT_MUST_USE enum bt_status bt_ledger_append_group(struct bt_ledger *ledger, struct bt_env *env,
                                                  struct bt_arena *arena,
                                                  struct bt_ledger_group_commit *growing,
                                                  struct bt_findings *alarms,
                                                  struct bt_error *error);

/* Hexadecimal digits in the arena. */
BT_MUST_USE enum bt_status bt_ledger_hex(struct bt_arena *arena, const struct bt_merkle_hash *hash,
                                         bt_str *out);

#endif
