/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - the record of decisions: written down before anybody is told, and provable to anyone.
 *
 * A ledger is a Merkle tree (RFC 6962) over entries, kept in a store; its size and root are signed
 * in the transaction that adds to it. Its texts are those of C2SP: checkpoints and signed notes,
 * tlog-tiles, tlog-proof receipts, witness cosignatures.
 *
 * Three results, never mixed: BT_OK and done; BT_OK and a finding, because a rule refuses; any
 * other status, and then nothing was recorded unless the call says so. Everything that comes back
 * lives in the arena that was given. A ledger is used by one thread at a time. Its keys are those
 * in the files beside its store, also when a rotation replaces these while it is open.
 *
 * Sections: opening, recording, requests that may come twice, many threads, looking. What others
 * can verify is in ledger_proof.h, what an operator does to a ledger in ledger_care.h, and what a
 * witness of it needs in witness.h.
 */
#ifndef BATON_LEDGER_H
#define BATON_LEDGER_H

#include <time.h>

#include <baton/env.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Opening --------------------------------------------------------------------------------- */

struct bt_ledger; /* an open ledger; see bt_ledger_open() */

struct bt_ledger_options {
    const char *store;         /* URL or path; NULL: .baton/store.db below the root */
    const char *root;          /* NULL: the nearest folder from here upwards that has a .baton */
    const char *key_file;      /* NULL: the one beside the store */
    uint64_t deadline_ms;      /* waiting for the lock and committing together; 0: 2000 */
    uint64_t open_deadline_ms; /* until it is open; 0: the same */
    uint64_t cache_kib;        /* of pages of the store that SQLite keeps in memory; 0: 32768 */
    bool allow_unsafe;         /* open also what is set up unsafely, to look at it */
};

/* A new ledger. */
struct bt_ledger_init_options {
    bt_str origin;   /* its name: 1 to 200 of [A-Za-z0-9._/-], such as a URL without scheme */
    bt_str key_text; /* content of a private key file; "": make a key, or use the one in place */
    bool has_seed;   /* a key that everybody can compute, for tests only */
    uint64_t seed;
};

/* What was made. */
struct bt_ledger_init_result {
    bt_str store;      /* URL */
    bt_str vkey;       /* what others verify with */
    bt_str key_file;   /* where the private key lies */
    bt_str root;       /* hexadecimal digits */
    bt_str checkpoint; /* of size 0, signed */
    bool is_test_key;
    bool key_was_readable; /* the key file could be read by others, and no longer can */
};

/*
 * Make store, key, vkey and the checkpoint of size 0. Never starts a second history.
 * BT_EINVAL: bad name, key or place. BT_EDENIED: there is a ledger already, or there was one.
 */
BT_API BT_MUST_USE enum bt_status bt_ledger_init(struct bt_env *env, struct bt_arena *arena,
                                                 const struct bt_ledger_options *options,
                                                 const struct bt_ledger_init_options *plan,
                                                 struct bt_ledger_init_result *out,
                                                 struct bt_error *error);

/*
 * Open a ledger, to write when `writing`: then its private key is read. BT_ENOENT: there is no
 * store, or no key. BT_EDENIED: others may read the key. BT_EINVAL: not a store of ours, a key of
 * another origin. On BT_OK *out must be given back with bt_ledger_close().
 */
BT_API BT_MUST_USE enum bt_status bt_ledger_open(const struct bt_ledger_options *options,
                                                 bool writing, struct bt_ledger **out,
                                                 struct bt_error *error);
/* NULL is allowed. */
BT_API void bt_ledger_close(struct bt_ledger *ledger);
/* Its name, and where it is kept (without password). */
BT_API bt_str bt_ledger_origin(const struct bt_ledger *ledger);
BT_API bt_str bt_ledger_url(const struct bt_ledger *ledger);
/* Let nothing that is asked of the store go on beyond this millisecond of CLOCK_MONOTONIC, until
 * another is named; UINT64_MAX: the deadline of whatever records is all, and who reads from a
 * database may wait for minutes. */
BT_API void bt_ledger_set_deadline(struct bt_ledger *ledger, uint64_t until_ms);
/* Whether anyone can compute its key, since it is for tests. */
BT_API bool bt_ledger_has_test_key(const struct bt_ledger *ledger);

/* A secret for `purpose` that everybody who holds the ledger's private key can derive, and nobody
 * else. The ledger is open to write. */
BT_API BT_MUST_USE enum bt_status bt_ledger_derive_secret(const struct bt_ledger *ledger,
                                                          bt_str purpose,
                                                          uint8_t out[BT_SHA256_BYTES]);

/*
 * Put the signatures of `payload` by the ledger's key, and while keys are rotated by the new one as
 * well: JSON objects {"protected","signature"} with commas between them, JWS (RFC 7515) whose
 * payload is left out. `kid` is NAME+ID, the beginning of the vkey. The ledger is open to write;
 * another thread may use it meanwhile, though not to rotate keys. BT_EIO: the file of the keys was
 * replaced by one that cannot be used.
 */
BT_API BT_MUST_USE enum bt_status bt_ledger_sign_jws(struct bt_ledger *ledger, bt_str payload,
                                                     struct bt_buf *buf, struct bt_error *error);
/* The same for the names of these keys alone, NAME+ID with a blank between two. */
BT_API BT_MUST_USE enum bt_status
bt_ledger_put_signer_names(struct bt_ledger *ledger, struct bt_buf *buf, struct bt_error *error);

/* What a ledger says about itself. Hashes are hexadecimal digits. */
struct bt_ledger_head {
    bt_str store; /* URL */
    bt_str origin;
    bt_str vkey;
    bool is_test_key;
    uint64_t size;
    bt_str root;
};

/* The newest signed state. A finding (to `alarms`) means that it cannot be believed. */
BT_API BT_MUST_USE enum bt_status bt_ledger_head(struct bt_ledger *ledger, struct bt_arena *arena,
                                                 struct bt_findings *alarms,
                                                 struct bt_ledger_head *out,
                                                 struct bt_error *error);
/* Whether a ledger that was opened to be written to may be: a finding (to `alarms`) means that it
 * is not the one this node has seen, or cannot be believed. Nothing is recorded. */
BT_API BT_MUST_USE enum bt_status
bt_ledger_check_writable(struct bt_ledger *ledger, struct bt_env *env, struct bt_arena *arena,
                         struct bt_findings *alarms, struct bt_error *error);

/* ---- Recording ------------------------------------------------------------------------------- */

/* Members of an entry that may be left out of it. */
enum bt_entry_field {
    BT_ENTRY_FIELD_HANDOFF_ID = 1,
    BT_ENTRY_FIELD_SOURCE = 2,
    BT_ENTRY_FIELD_TARGET = 4,
    BT_ENTRY_FIELD_TRACE_ID = 8,
};

/* A reference of an entry: "parent", "approval", "policy" ... and its value. */
struct bt_entry_ref {
    bt_str name;
    bt_str value;
};

struct bt_submission;
struct bt_ledger_transaction; /* a transaction under way, and ... */
struct bt_ledger_record;      /* ... what it has recorded; the library alone looks into them */

/* Decides and records an item inside the transaction of its batch, with whatever belongs to it. It
 * may be called again, and must not count on what an earlier call did. */
typedef enum bt_status bt_decide_fn(struct bt_submission *item,
                                    struct bt_ledger_transaction *recording,
                                    struct bt_ledger_record *out, struct bt_error *error);

/* What was established about a governed handoff. Zero: the entry says nothing about it. */
enum bt_attestation {
    BT_ATTESTATION_PRESENT = 1,
    BT_ATTESTATION_SOURCE_AGENT = 2,
    BT_ATTESTATION_TARGET_AGENT = 4,
    BT_ATTESTATION_COMPOSITION = 8,
    BT_ATTESTATION_BOUNDARIES = 16,
};

struct bt_receipt;

/* One decision that wants to be recorded. Absent texts are "". */
struct bt_submission {
    struct bt_judgement *judged; /* its verdict, findings and members are brought up to date */
    bt_str kind;                 /* "handoff" or "raw" */
    bt_str actor;
    bt_str bytes;       /* the document as it came */
    bool is_truncated;  /* it was over the limit, and `bytes` are what was read of it */
    bool omit_document; /* do not keep the bytes */
    bt_str handoff_id;  /* the replay key; letters become small ones */
    bt_str id_pointer;  /* where the document has it; "" when it was given beside */
    bt_str trace_id;
    bt_str source;
    bt_str target;
    uint32_t withheld;           /* of enum bt_entry_field */
    enum bt_severity fail_level; /* 0: HARD */
    const struct bt_entry_ref *refs;
    size_t ref_count;
    bt_decide_fn *act; /* NULL: the entry is all; see bt_contract_state_prepare() */
    bt_decide_fn
        *after_signing; /* NULL, or called with what was recorded when the whole batch is in
                               the log, whose size is known then, and not yet committed */
    void *act_context;
    bool is_skipped;      /* out, by an act: nothing had to be recorded */
    bt_str dialect;       /* of the entry, and of its id; "" or nothing: that of the document */
    uint32_t attestation; /* of enum bt_attestation */
    uint64_t seq;         /* out: where it was recorded */
    bool wants_receipt;
    /* Out: a JSON object, as bt_ledger_prove_inclusion() makes it; "" when not wanted. */
    bt_str receipt;
    const struct bt_receipt *proven; /* the same before it is text; for the ledger alone */
};

/* Decisions that are recorded together or not at all. */
struct bt_ledger_batch {
    struct bt_submission *items;
    size_t count;
    bool is_recorded; /* out: they are durable, whatever the status says */
    bool is_unknown;  /* out: the commit failed, and may have happened all the same */
};

enum { BT_LEDGER_BATCH_MAX = 10000 };

/*
 * Record a batch in one transaction and sign one checkpoint for it. An id that was accepted before
 * turns an acceptance into a refusal, which is recorded.
 *
 * BT_OK and `alarms` empty: recorded and durable. BT_OK and findings in `alarms`: the ledger itself
 * is not to be trusted (rollback, fork, a head that is damaged), and nothing was recorded.
 * BT_EINVAL: an item has a text that no entry may hold.
 */
BT_API BT_MUST_USE enum bt_status
bt_ledger_append(struct bt_ledger *ledger, struct bt_env *env, struct bt_arena *arena,
                 struct bt_ledger_batch *batch, struct bt_findings *alarms, struct bt_error *error);

/* Whether the last commit failed, and may have happened all the same. */
BT_API bool bt_ledger_commit_is_unknown(const struct bt_ledger *ledger);

/*
 * Fill in handoff_id, trace_id, source and target of an item from the document of a dialect, as far
 * as it can be read; names that no entry may hold are withheld instead.
 */
BT_API BT_MUST_USE enum bt_status bt_ledger_find_names(struct bt_env *env, struct bt_arena *arena,
                                                       struct bt_submission *item);

/* Whether a text may stand for a name (of an actor, agent or id) in an entry. */
BT_API bool bt_schema_stack_entry_name_is_valid(bt_str text);

/* Whether a text is a kind of entry, or a dialect or verdict that an entry can have. */
BT_API bool bt_schema_stack_entry_kind_is_valid(bt_str text);
BT_API bool bt_schema_stack_entry_dialect_is_valid(bt_str text);
BT_API bool bt_schema_stack_entry_verdict_is_valid(bt_str text);
/* Whether a text is a SHA-256 as entries write it: 64 small hexadecimal digits. */
BT_API bool bt_schema_stack_entry_sha256_is_valid(bt_str text);
/* RECORD_TOO_LARGE, for a raw file over the limit. */
BT_API BT_MUST_USE enum bt_status bt_ledger_add_too_large_finding(struct bt_findings *findings,
                                                                  uint64_t limit);

/* ---- Once ------------------------------------------------------------------------------------ */

/* What became of a request that has a key. Zero is nothing. */
enum bt_idempotency_outcome {
    BT_IDEMPOTENCY_FIRST = 1, /* it was decided, and its answer is kept */
    BT_IDEMPOTENCY_REPEATED,  /* the same request came before: `status` and `body` are its answer */
    BT_IDEMPOTENCY_REDACTED,  /* the same, and its answer was deleted since */
    BT_IDEMPOTENCY_CONFLICT,  /* another request had this key; nothing was done */
};

/* A request that may come twice and is decided once, in the transaction that keeps its answer. */
struct bt_idempotency {
    bt_str principal;
    bt_str path;
    bt_str key;
    bt_str request;   /* the bytes whose digest tells requests apart */
    uint64_t seconds; /* how long the answer is kept */
    /* Fill in `status` and `body` within the transaction; it may be called again. */
    enum bt_status (*compose)(void *context, struct bt_idempotency *once);
    void *context;

    enum bt_idempotency_outcome outcome; /* out ... */
    unsigned status;
    bt_str body; /* in memory of the caller, or of the call that decides */
    uint64_t seq;
};

/*
 * Let whatever is recorded next through this handle answer one request: when that came before, the
 * call fails with BT_EEXIST and once->outcome tells the rest; else the answer is kept with what is
 * recorded. NULL ends it. What records nothing keeps nothing. Submissions have a field for it.
 */
BT_API void bt_ledger_set_idempotency(struct bt_ledger *ledger, struct bt_idempotency *once);
/* Names that entries of this handle leave out whatever their item says: of enum bt_entry_field. */
BT_API void bt_ledger_set_withheld(struct bt_ledger *ledger, uint32_t names);
/* Told of every entry that this handle made durable and that names an event in its refs: the kind,
 * and that word. It is told in the thread that recorded, and must not call the ledger. */
typedef void bt_ledger_event_fn(void *context, bt_str kind, bt_str event);
BT_API void bt_ledger_set_observer(struct bt_ledger *ledger, bt_ledger_event_fn *observer,
                                   void *context);

/* ---- Many threads ---------------------------------------------------------------------------- */

/*
 * Many threads that record through one ledger: whatever is waiting when the disk is free, or comes
 * before the commit, is recorded in one transaction, at most 256 decisions, without an artificial
 * delay. Any number of threads may call bt_ledger_writer_append() at once, on one writer, and each
 * waits for its own answer; the more they are, the more share a commit. While the writer is open
 * its ledger is the writer's: whoever wants to read opens another one for each thread.
 */
struct bt_ledger_writer;

/* Start the one thread that uses the ledger from now on, until the writer is closed. */
BT_API BT_MUST_USE enum bt_status bt_ledger_writer_open(struct bt_ledger *ledger,
                                                        const struct bt_env *env,
                                                        struct bt_ledger_writer **out,
                                                        struct bt_error *error);
/* Record what is waiting, end the thread. NULL is allowed. The ledger stays open. */
BT_API void bt_ledger_writer_close(struct bt_ledger_writer *writer);
/* Whether a commit failed with its outcome open, or the head file could not be replaced: a process
 * that uses a file of its own as store ends then, and the next one reads the truth. */
BT_API bool bt_ledger_writer_has_failed(struct bt_ledger_writer *writer);

/* Told, in the thread of the writer, how many decisions one commit made durable. It must not call
 * the writer. */
typedef void bt_ledger_batch_fn(void *context, size_t count);
BT_API void bt_ledger_writer_set_observer(struct bt_ledger_writer *writer,
                                          bt_ledger_batch_fn *observer, void *context);

/*
 * Record one decision and wait until it is durable, until this moment of CLOCK_MONOTONIC at most.
 * What the item points at is copied, what an act points at is not: while it decides it is waited
 * for beyond the deadline, at which the store gives up. Results are in the arena.
 *
 * BT_EIO: not recorded, or not in time; *out_unknown tells whether it may have been all the same.
 * After a commit whose outcome is open every call fails: start again.
 */
BT_API BT_MUST_USE enum bt_status
bt_ledger_writer_append(struct bt_ledger_writer *writer, struct bt_arena *arena,
                        struct bt_submission *item, const struct timespec *until, bool *out_unknown,
                        struct bt_error *error);

/*
 * The same in three steps, for whoever has other things to do meanwhile: give, be told, take; or
 * leave at the deadline without having been told.
 */
struct bt_ledger_pending; /* a decision that a writer was given */

/* What was agreed about the wait. */
struct bt_ledger_completion {
    struct timespec deadline; /* of CLOCK_MONOTONIC */
    /* Called once, in the thread of the writer, unless the request is left before. It must neither
     * call the writer nor wait for anything. */
    void (*notify)(void *context);
    void *context;
};

/* What an act points at is lent: it stays where it is until the request is taken or left. */
BT_API BT_MUST_USE enum bt_status bt_ledger_writer_submit(struct bt_ledger_writer *writer,
                                                          const struct bt_submission *item,
                                                          const struct bt_ledger_completion *wait,
                                                          struct bt_ledger_pending **out);
/* Bring the result of a request whose `told` was called to the item that was given. The request is
 * gone then. Statuses are those of bt_ledger_writer_append(). */
BT_API BT_MUST_USE enum bt_status
bt_ledger_writer_finish(struct bt_ledger_pending *request, struct bt_arena *arena,
                        struct bt_submission *item, bool *out_unknown, struct bt_error *error);
/*
 * Leave when the time is over. BT_EIO: done, and the request is gone; *out_unknown as above. BT_OK:
 * not now, because an act is deciding, or because it is decided and `told` about to be called:
 * unless it was, try again after BT_LEDGER_ABANDON_RETRY_MS.
 */
BT_API BT_MUST_USE enum bt_status bt_ledger_writer_abandon(struct bt_ledger_pending *request,
                                                           bool *out_unknown,
                                                           struct bt_error *error);

enum { BT_LEDGER_ABANDON_RETRY_MS = 10 };

/* ---- Looking --------------------------------------------------------------------------------- */

#define BT_LEDGER_SEQ_NONE UINT64_MAX

/* Which entries. Absent texts are "", absent numbers BT_LEDGER_SEQ_NONE. */
struct bt_ledger_filter {
    uint64_t count; /* the last so many, or with `from` the first */
    uint64_t from;
    bt_str kind;
    bt_str verdict;
    bt_str handoff_id;
    bt_str trace_id;
    bool is_exact; /* the trace id is spelled as entries have it, so that it can be looked up */
    bool has_since;
    bool has_until;
    bt_instant since; /* inclusive */
    bt_instant until;
    uint64_t before;   /* without `from`: only those below it; 0: all */
    uint64_t scan_max; /* how many entries may be looked at; 0: all of them */
    bool (*accept)(void *context, bt_str entry); /* what else is asked of an entry; NULL: nothing */
    void *context;
};

struct bt_ledger_entry {
    uint64_t seq;
    bt_str leaf_hash; /* hexadecimal digits */
    bt_str text;      /* the entry, canonical JSON */
};

struct bt_ledger_entries {
    size_t count;
    const struct bt_ledger_entry *items;
    bool is_truncated; /* there may be more ... */
    uint64_t last;     /* ... beyond the last that was looked at; BT_LEDGER_SEQ_NONE: at none */
};

/* The matching entries, oldest first. An entry that does not hash to its leaf is no entry to show:
 * it is a finding in `alarms`. */
BT_API BT_MUST_USE enum bt_status
bt_ledger_list_entries(struct bt_ledger *ledger, struct bt_arena *arena,
                       const struct bt_ledger_filter *filter, struct bt_findings *alarms,
                       struct bt_ledger_entries *out, struct bt_error *error);

enum bt_document_state {
    BT_DOCUMENT_ABSENT = 1, /* the entry has no document */
    BT_DOCUMENT_STORED,
    BT_DOCUMENT_NOT_STORED,
    BT_DOCUMENT_REDACTED,
};

struct bt_ledger_entry_view {
    struct bt_ledger_entry entry;
    enum bt_document_state state;
    bt_str sha256;
    uint64_t size;
    bt_str bytes; /* of a document that is kept */
};

/* One entry and its document. BT_ENOENT: the log is not that long. Findings in `alarms`: it is not
 * to be believed, and *out is empty. */
BT_API BT_MUST_USE enum bt_status bt_ledger_get_entry(struct bt_ledger *ledger,
                                                      struct bt_arena *arena, uint64_t seq,
                                                      struct bt_findings *alarms,
                                                      struct bt_ledger_entry_view *out,
                                                      struct bt_error *error);
/* The seq of the first entry with this handoff id that is no refusal. BT_ENOENT: none. */
BT_API BT_MUST_USE enum bt_status bt_ledger_find_handoff(struct bt_ledger *ledger,
                                                         bt_str handoff_id, uint64_t *out_seq,
                                                         struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
