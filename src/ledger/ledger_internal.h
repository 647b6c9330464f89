/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_internal.h - an open ledger, and the functions that the files of this folder share. */
#ifndef BATON_SRC_LEDGER_LEDGER_INTERNAL_H
#define BATON_SRC_LEDGER_LEDGER_INTERNAL_H

#ifndef BT_PROFILE_CORE
#include <pthread.h>
#endif

#include "base/ascii.h"
#include "base/buf.h"
#include "ledger/checkpoint.h"
#include "ledger/entry.h"
#include "ledger/figures.h"
#include "ledger/proof.h"
#include "ledger/proof_api.h"
#include "ledger/tile.h"
#include "report/rules.h"
#include "store/store.h"

/* The identity of a file when it was last read. */
struct bt_ledger_file {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t changed_s;
    int64_t changed_ns;
};

/* The private keys. The lock protects all members; see bt_ledger_lock_keys(). */
struct bt_ledger_signing {
#ifndef BT_PROFILE_CORE
    pthread_mutex_t lock;
#endif
    struct bt_ledger_file seen;
    struct bt_signing_key key;
    bool is_rotating;           /* two keys sign ... */
    struct bt_signing_key next; /* ... and this one will replace the other */
    struct bt_key_agent agent;  /* of keys that are in none of the files */
};

enum { BT_VERIFIED_NOTE_BYTES_MAX = 1024 };

/* The checkpoint that was verified last, so that a reader verifies each one once. */
struct bt_ledger_verified_note {
    size_t len; /* of the text; 0: none, or a longer one */
    char text[BT_VERIFIED_NOTE_BYTES_MAX];
    struct bt_ledger_file keys; /* the file of the keys that it was verified with */
    uint64_t size;
    struct bt_merkle_hash root;
};

/* A state that this process verified or signed; it is newer than any head file. */
struct bt_ledger_known_state {
    bool is_set;
    struct bt_merkle_tree tree;
    struct bt_merkle_hash root;
    struct bt_ledger_verified_note verified;
};

/* The files beside the store, and the state file, which is elsewhere. */
struct bt_ledger_paths {
    bt_str vkey;
    bt_str head;
    bt_str key;                /* of the private keys in use */
    bt_str seen;               /* the state file; "": none */
    bt_str memories;           /* head and state file, for people */
    bool misses_head;          /* there was no head file although the log has entries */
    atomic_bool memory_failed; /* the state file could not be written */
};

/* What the entries of a ledger have. */
struct bt_ledger_entry_form {
    uint64_t version;               /* of the entries that are added; 0: statements of others */
    struct bt_entry_judge judge;    /* of handoffs of version 2; "" until the first */
    char policy[BT_HASH_HEX_BYTES]; /* a policy that the log has; "" until the first */
    uint32_t withheld;              /* names that are always withheld */
};

/* How a writer replaces the head file: concurrently with the next transaction. */
struct bt_ledger_head_file {
    bool is_deferred;
    bt_str pending_note; /* lives as long as the transaction's arena */
};

struct bt_ledger_observer {
    bt_ledger_event_fn *notify; /* called with durable events; NULL: none */
    void *context;
};

struct bt_ledger {
    struct bt_arena arena; /* holds the ledger itself */
    struct bt_store *store;
    struct bt_vkey vkey;           /* the first key, as the store names it ... */
    bt_str first_vkey;             /* ... as a text */
    bt_str origin;                 /* the name of that key */
    bt_str vkey_text;              /* the newest key to verify with */
    struct bt_verifier_keys *keys; /* all keys that the ledger ever had, from the file beside the
                                    * store */
    struct bt_ledger_file vkey_seen;
    struct bt_ledger_paths files;
    bool is_test_key;
    bool is_writing;
    struct bt_ledger_signing signing;
    struct bt_ledger_known_state known;
    unsigned other_writers_ttl; /* transactions left in which another node is expected to append */
    bool is_unknown;            /* the last commit failed, but may have taken effect */
    struct bt_ledger_head_file head_file;
    struct bt_idempotency *idempotency; /* the request that the next transaction answers, or NULL */
    struct bt_ledger_observer observer;
    struct bt_ledger_entry_form form;
    struct bt_figures_segment figures; /* of the entries that are added */
};

/* True when the leaves of the log are statements of others, and not Baton's entries. */
static inline bool bt_ledger_has_statements(const struct bt_ledger *ledger)
{
    return ledger->form.version == BT_STORE_ENTRIES_STATEMENTS;
}

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
    struct bt_vkey_list keys; /* the items, for readers */
    struct bt_vkey *items;
    size_t count;
    size_t capacity;
    struct bt_signature_host *host; /* of keys that are added; NULL: none */
};

/* Paths of a place's files, each BASE and an ending. */
BT_MUST_USE enum bt_status bt_ledger_companion_path(struct bt_arena *arena,
                                                    const struct bt_store_location *place,
                                                    const char *ending, bt_str *out);
/* The store that the options name. `upwards`: it may be in a parent folder. */
BT_MUST_USE enum bt_status bt_ledger_find_store(struct bt_arena *arena,
                                                const struct bt_ledger_options *options,
                                                bool upwards, struct bt_store_location *out,
                                                struct bt_error *error);
/* The socket of the SSH agent: the configured one, else SSH_AUTH_SOCK; NULL: none. */
const char *bt_ledger_agent_find(const char *configured);
/* The agent of the options, and how long it may take. */
struct bt_key_agent bt_ledger_key_agent(const struct bt_ledger_options *options);
/* Read and check a private key file, which holds two keys during a rotation: *out_two. Keys of
 * `agent` are in it by name. *out_is_open: it has a private key that others may read; then
 * BT_EDENIED, unless the caller asks for it (not NULL). */
BT_MUST_USE enum bt_status bt_ledger_read_key_file(const char *path,
                                                   const struct bt_key_agent *agent,
                                                   struct bt_signing_key out[2], bool *out_two,
                                                   bool *out_is_open, struct bt_error *error);

/* Read the public keys, again if their file was replaced. */
BT_MUST_USE enum bt_status bt_ledger_reload_public_keys(struct bt_ledger *ledger,
                                                        struct bt_error *error);
/* Read the private keys of a ledger opened for writing. */
BT_MUST_USE enum bt_status bt_ledger_load_private_keys(struct bt_ledger *ledger,
                                                       const struct bt_ledger_options *options,
                                                       struct bt_error *error);
void bt_ledger_wipe_keys(struct bt_ledger *ledger);
/* Lock the private keys for signing, on any thread; they are read again if their file was
 * replaced. BT_EIO: the file cannot be used, and nothing is locked. */
BT_MUST_USE enum bt_status bt_ledger_lock_keys(struct bt_ledger *ledger, struct bt_error *error);
void bt_ledger_unlock_keys(struct bt_ledger *ledger);
/* Say that nothing was signed, and `why`, whose text may be "". Returns the status. */
enum bt_status bt_ledger_sign_error(enum bt_status status, const struct bt_error *why,
                                    struct bt_error *error);

/* ---- Tiles ----------------------------------------------------------------------------------- */

enum { BT_BUNDLE_BYTES_MAX = BT_TILE_WIDTH * (2 + BT_ENTRY_BYTES_MAX) };

/* Put the first `width` hashes or entries of a tile, which the log has. An entry that does not hash
 * to its leaf is a finding in `alarms`. */
BT_MUST_USE enum bt_status bt_tile_put(struct bt_ledger *ledger, struct bt_tile tile,
                                       uint32_t width, struct bt_findings *alarms,
                                       struct bt_buf *out, struct bt_error *error);

/* ---- Findings -------------------------------------------------------------------------------- */

/* The part of a ledger, a receipt or a request that the pointer names. */
static inline struct bt_location bt_ledger_part(bt_str pointer)
{
    return bt_location_pointer(pointer, BT_OFFSET_NONE);
}
/* The part whose pointer is printed into the arena. */
struct bt_location bt_ledger_location(struct bt_arena *arena, const char *format, ...)
    BT_PRINTF(2, 3);
/* The hash as hexadecimal digits; absent without a hash. */
bt_str bt_merkle_hash_text(const struct bt_merkle_hash *hash, char out[BT_HASH_HEX_BYTES]);
/* LEDGER_SIGNATURE_INVALID. */
BT_MUST_USE enum bt_status
bt_ledger_add_signature_finding(struct bt_findings *findings, bt_str pointer,
                                const struct bt_vkey *vkey,
                                enum bt_ledger_signature_invalid_subject subject);
/* Add the finding that the bytes of entry `seq` do not hash to the stored leaf. */
BT_MUST_USE enum bt_status bt_ledger_add_leaf_finding(struct bt_findings *findings, uint64_t seq,
                                                      bt_str stored,
                                                      const struct bt_merkle_hash *computed);

/* A checkpoint from outside, and what is expected of it. */
struct bt_checkpoint_input {
    bt_str note;
    bt_str pointer; /* for its findings: "/head" ... */
    const struct bt_vkey_list *log_keys;
    bt_str origin; /* the required origin; "" when the keys decide */
};

/* Read and check a checkpoint, and add findings. *out_fine: *out can be used. */
BT_MUST_USE enum bt_status bt_ledger_check_checkpoint(const struct bt_checkpoint_input *shown,
                                                      struct bt_findings *findings,
                                                      struct bt_checkpoint *out, bool *out_fine);

/* The witnesses that have validly cosigned. */
struct bt_checkpoint_witnesses {
    size_t count;
    bt_str list;                    /* JSON array of {name, time} */
    const struct bt_vkey **signers; /* `count` of them */
    bool fine;                      /* no line of a known witness failed */
};

/* Check the cosignatures of a checkpoint; a line of a known witness that does not verify is a
 * finding. `witnesses` may be NULL. */
BT_MUST_USE enum bt_status bt_ledger_check_witnesses(const struct bt_checkpoint *checkpoint,
                                                     const struct bt_verifier_keys *witnesses,
                                                     struct bt_findings *findings,
                                                     struct bt_checkpoint_witnesses *out);
/* LEDGER_SIGNATURE_INVALID at /cosignature/NAME. */
BT_MUST_USE enum bt_status bt_ledger_add_cosignature_finding(struct bt_findings *findings,
                                                             const struct bt_vkey *witness);
/* LEDGER_ENTRY_INVALID or LEDGER_ENTRY_VERSION about an entry that is not valid. */
struct bt_entry_check_result;
BT_MUST_USE enum bt_status bt_ledger_add_entry_finding(struct bt_findings *findings,
                                                       struct bt_location at,
                                                       const struct bt_entry_check_result *judged);

/* ---- The state of the log -------------------------------------------------------------------- */

/* The newest signed state. */
struct bt_ledger_state {
    struct bt_merkle_tree tree;
    struct bt_merkle_hash root;
    bt_str note;
};

/* Read it, within a transaction, and check it (rule D11). Findings: it cannot be trusted. */
BT_MUST_USE enum bt_status bt_ledger_state(struct bt_ledger *ledger, struct bt_arena *arena,
                                           struct bt_findings *alarms, struct bt_ledger_state *out,
                                           struct bt_error *error);
/* Compare the store with the head file (rule D9). */
BT_MUST_USE enum bt_status bt_ledger_check_head_file(struct bt_ledger *ledger,
                                                     struct bt_arena *arena,
                                                     const struct bt_ledger_state *state,
                                                     struct bt_findings *alarms,
                                                     struct bt_error *error);
/* Remember a state that was checked, or signed here and committed. */
void bt_ledger_remember_head(struct bt_ledger *ledger, const struct bt_ledger_state *state);
/* Replace the head file. */
BT_MUST_USE enum bt_status bt_ledger_write_head_file(const struct bt_ledger *ledger, bt_str note,
                                                     struct bt_error *error);
/* The log in the store as proofs use it; a missing hash is BT_ECORRUPT. */
struct bt_merkle_subtrees bt_ledger_subtrees(struct bt_ledger *ledger);

/* ---- Recording ------------------------------------------------------------------------------- */

struct bt_writer_batch;

/* A batch that grows during its transaction. */
struct bt_ledger_group_commit {
    struct bt_ledger_batch batch; /* its items have room for `room` items */
    size_t room;
    /* what the writer takes from its queue; NULL: the items stay in place, and no others come */
    struct bt_writer_batch *group;
};

/* Like bt_ledger_append(), but what is submitted before the commit is recorded with it. */
BT_MUST_USE enum bt_status bt_ledger_append_group(struct bt_ledger *ledger, struct bt_env *env,
                                                  struct bt_arena *arena,
                                                  struct bt_ledger_group_commit *growing,
                                                  struct bt_findings *alarms,
                                                  struct bt_error *error);

/* The hash as hexadecimal digits in the arena. */
BT_MUST_USE enum bt_status bt_ledger_hex(struct bt_arena *arena, const struct bt_merkle_hash *hash,
                                         bt_str *out);

#endif
