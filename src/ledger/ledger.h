/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - the log of decisions: recorded before a response is sent, and verifiable by third
 * parties.
 *
 * A ledger is a Merkle tree (RFC 6962) over entries, kept in a store; its size and root hash are
 * signed in the transaction that appends to it. Its text formats are those of C2SP: checkpoints and
 * signed notes, tlog-tiles, tlog-proof receipts, witness cosignatures.
 *
 * Every call has one of three results: BT_OK and done; BT_OK with a finding, because a rule
 * refuses; any other status, and then nothing was recorded unless the call says otherwise. Results
 * live in the arena passed to the call. A ledger is used by one thread at a time. It uses the keys
 * in the files beside its store, also after a rotation has replaced these files while it is open.
 * Statuses that are not described: BT_ENOMEM, the arena reached its limit; BT_EIO, the store
 * failed; `error` says why.
 *
 * Sections: opening, recording, idempotency, group commit, reading. What others can verify is in
 * proof_api.h, what an operator does with a ledger in admin.h, what a witness needs in
 * witness.h.
 */
#ifndef BATON_SRC_LEDGER_LEDGER_H
#define BATON_SRC_LEDGER_LEDGER_H

#include <stdatomic.h>
#include <time.h>

#include <baton/report.h>
#include "base/env.h"
#include "report/report.h"

/* ---- Opening --------------------------------------------------------------------------------- */

struct bt_ledger; /* an open ledger; see bt_ledger_open() */

/* Where this account remembers the size of its ledgers, apart from their stores. */
struct bt_ledger_memory {
    const char *folder; /* NULL: nowhere */
    bool is_named;      /* the operator chose it; else it does not count for test keys */
};

/*
 * Find that folder: BATON_STATE_DIR, else the configured one, else (unless `is_off`) the first of
 * STATE_DIRECTORY, else $XDG_STATE_HOME/baton, else ~/.local/state/baton. `configured` is "" for
 * none. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_ledger_memory_find(struct bt_arena *arena, bool is_off,
                                                 bt_str configured, struct bt_ledger_memory *out);

struct bt_ledger_options {
    const char *store; /* URL or path; NULL: .baton/store.db below the root */
    /* NULL: the nearest directory from the current one upwards that has a .baton */
    const char *root;
    const char *key_file;           /* NULL: the file beside the store */
    const char *agent;              /* socket of the SSH agent; NULL: SSH_AUTH_SOCK */
    uint64_t deadline_ms;           /* to get the lock and to commit, together; 0: 2000 */
    uint64_t open_deadline_ms;      /* to open; 0: deadline_ms */
    uint64_t cache_kib;             /* of the page cache of SQLite; 0: 32768 */
    bool allow_unsafe;              /* open a store with unsafe settings too, for inspection */
    bool allow_old_schema;          /* open a store of an earlier version too, to migrate it */
    bool accepts_statements;        /* open a log of statements too; bt_ledger_entries() tells */
    struct bt_ledger_memory memory; /* all zero: none */
};

/* How to make a new ledger. */
struct bt_ledger_init_options {
    bt_str origin;    /* its name: 1 to 200 of [A-Za-z0-9._/-], such as a URL without scheme */
    bt_str key_text;  /* content of a private key file; "": use the key in place, or make one */
    bt_str agent_key; /* content of an OpenSSH public key file, whose key is in the agent; or "" */
    bool has_seed;    /* make a key that everybody can compute, for tests only */
    uint64_t seed;
    unsigned entries;      /* the version of its entries: 2; else 1 */
    bool holds_statements; /* its leaves are statements of others, and no entries */
};

/* The result of making a ledger. */
struct bt_ledger_init_result {
    bt_str store;      /* URL */
    bt_str vkey;       /* the public key that others verify with */
    bt_str key_file;   /* path of the private key, or of the line that names one in an agent */
    bool is_agent_key; /* the private key is in an SSH agent */
    bt_str root;       /* root hash in hexadecimal digits */
    bt_str checkpoint; /* of size 0, signed */
    bool is_test_key;
    bool key_was_readable; /* others could read the key file; its mode was corrected */
};

/*
 * Make the store, the key files and the checkpoint of size 0. Never replaces an existing ledger.
 * BT_EINVAL: invalid name, key or location. BT_EDENIED: there is a ledger already, or there was
 * one. BT_EIO: a file or the store could not be written. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_ledger_init(struct bt_env *env, struct bt_arena *arena,
                                          const struct bt_ledger_options *options,
                                          const struct bt_ledger_init_options *plan,
                                          struct bt_ledger_init_result *out,
                                          struct bt_error *error);

/*
 * Open a ledger. With `writing` its private key is read. On BT_OK the caller must close *out with
 * bt_ledger_close(). BT_ENOENT: no store, or no key. BT_EDENIED: others may read the key, or
 * it is a log of statements and the options do not accept one.
 * BT_EINVAL: not a Baton store, or the key of another origin. BT_EIO: the store failed. `error` may
 * be NULL.
 */
BT_MUST_USE enum bt_status bt_ledger_open(const struct bt_ledger_options *options, bool writing,
                                          struct bt_ledger **out, struct bt_error *error);
/* Close it. NULL is allowed. */
void bt_ledger_close(struct bt_ledger *ledger);
/*
 * True when the state file at *out_path could not be written, so that only the head file remembers
 * the size.
 */
bool bt_ledger_memory_has_failed(const struct bt_ledger *ledger, bt_str *out_path);
/* True when the head file at *out_path was missing when this ledger, which has entries, was first
 * written to. */
bool bt_ledger_misses_head(const struct bt_ledger *ledger, bt_str *out_path);
/* Its name (origin), and the URL of its store without password. Both live as long as the ledger. */
bt_str bt_ledger_origin(const struct bt_ledger *ledger);
bt_str bt_ledger_url(const struct bt_ledger *ledger);
/*
 * No store operation may last beyond this time in milliseconds of CLOCK_MONOTONIC, until another
 * call changes it. UINT64_MAX: recording has only its own deadline, and reading has none.
 */
void bt_ledger_set_deadline(struct bt_ledger *ledger, uint64_t until_ms);
/* The version of the entries that are added: 1 or 2; 0: the leaves are statements of others. */
uint64_t bt_ledger_entries(const struct bt_ledger *ledger);
/* True when the key is a test key that everybody can compute. */
bool bt_ledger_has_test_key(const struct bt_ledger *ledger);

/*
 * Derive a secret for `purpose` from the ledger's private key. The ledger must be open for writing;
 * another thread may use it at the same time. BT_EIO: libcrypto or the agent failed.
 */
BT_MUST_USE enum bt_status bt_ledger_derive_secret(struct bt_ledger *ledger, bt_str purpose,
                                                   uint8_t out[BT_SHA256_BYTES],
                                                   struct bt_error *error);

/*
 * Put the signatures of `payload` by the ledger's key and, during a rotation, also by the new key:
 * JSON objects {"protected","signature"} separated by commas, JWS (RFC 7515) with detached payload.
 * `kid` is NAME+ID, the beginning of the vkey. The ledger must be open for writing; another thread
 * may use it at the same time, but not rotate keys. BT_EIO: the key file was replaced by an
 * unusable one. Failures of the buffer are returned as well.
 */
BT_MUST_USE enum bt_status bt_ledger_sign_jws(struct bt_ledger *ledger, bt_str payload,
                                              struct bt_buf *buf, struct bt_error *error);

/* The newest signed state of a ledger. Hashes are hexadecimal digits. */
struct bt_ledger_head {
    bt_str store; /* URL */
    bt_str origin;
    bt_str vkey;
    bool is_test_key;
    uint64_t size;
    bt_str root;
};

/*
 * Read the newest signed state. A finding in `alarms` means that it cannot be trusted, and *out is
 * not set.
 */
BT_MUST_USE enum bt_status bt_ledger_head(struct bt_ledger *ledger, struct bt_arena *arena,
                                          struct bt_findings *alarms, struct bt_ledger_head *out,
                                          struct bt_error *error);
/*
 * Check that a ledger opened for writing can be written to. A finding in `alarms` means that it is
 * not the ledger this node has seen before, or cannot be trusted. Nothing is recorded.
 */
BT_MUST_USE enum bt_status bt_ledger_check_writable(struct bt_ledger *ledger, struct bt_env *env,
                                                    struct bt_arena *arena,
                                                    struct bt_findings *alarms,
                                                    struct bt_error *error);

/*
 * Compare a ledger with what this node and this account remember of it (rules D9 and D11), without
 * writing. A finding in `alarms` means that it is not the ledger that was seen before, or cannot be
 * trusted.
 */
BT_MUST_USE enum bt_status bt_ledger_check_memory(struct bt_ledger *ledger, struct bt_arena *arena,
                                                  struct bt_findings *alarms,
                                                  struct bt_error *error);

/*
 * Compare a ledger with a checkpoint of it that somebody else shows, after reading its newest state
 * again. A note that is not validly signed by this ledger is ignored. A finding in `alarms`, at
 * `pointer`: entries that were once signed are gone or others.
 */
BT_MUST_USE enum bt_status bt_ledger_check_shown(struct bt_ledger *ledger, struct bt_arena *arena,
                                                 bt_str note, bt_str pointer,
                                                 struct bt_findings *alarms,
                                                 struct bt_error *error);

/* Where a ledger is. */
struct bt_ledger_location {
    bt_str url;  /* of its store, without password */
    bt_str path; /* of its file; "": the store is not a file */
    bt_str key;  /* path of its private key */
};

/*
 * Find where these options lead, whether or not there is a ledger. *out lives in the arena.
 * BT_EINVAL: the store is not a valid location; `error` says why.
 */
BT_MUST_USE enum bt_status bt_ledger_locate(struct bt_arena *arena,
                                            const struct bt_ledger_options *options,
                                            struct bt_ledger_location *out, struct bt_error *error);

/* ---- Recording ------------------------------------------------------------------------------- */

/* Members of an entry that may be omitted from it. */
enum bt_entry_field {
    BT_ENTRY_FIELD_HANDOFF_ID = 1,
    BT_ENTRY_FIELD_SOURCE = 2,
    BT_ENTRY_FIELD_TARGET = 4,
    BT_ENTRY_FIELD_TRACE_ID = 8,
};

/* A reference of an entry: a name such as "parent", "approval" or "policy", and its value. */
struct bt_entry_ref {
    bt_str name;
    bt_str value;
};

/* What a submission is judged by: canonical JSON, and the digest that entries name; or "". */
struct bt_policy {
    bt_str sha256;
    bt_str text;
};

struct bt_submission;
struct bt_ledger_transaction; /* a transaction in progress, and ... */
struct bt_ledger_record;      /* ... what it has recorded; both are internal to the library */

/*
 * Record a submission inside the transaction of its batch, with everything that belongs to it. It
 * may be called again after a failed transaction, so it must not rely on the effects of an earlier
 * call. Results live in the arena of the submission.
 */
typedef enum bt_status bt_record_fn(struct bt_submission *submission,
                                    struct bt_ledger_transaction *transaction,
                                    struct bt_error *error);

/* What Baton verified about a governed handoff. Zero: the entry has no attestation. */
enum bt_attestation {
    BT_ATTESTATION_PRESENT = 1,
    BT_ATTESTATION_SOURCE_AGENT = 2,
    BT_ATTESTATION_TARGET_AGENT = 4,
    BT_ATTESTATION_COMPOSITION = 8,
    BT_ATTESTATION_BOUNDARIES = 16,
};

struct bt_file_digest;

#define BT_ENTRY_NUMBER_MAX UINT64_C(9007199254740991)

/* Receipts of other logs, which are recorded with an acceptance, each as a raw entry. */
struct bt_submission_receipt {
    bt_str document;
    bt_str origin; /* of that log */
};

struct bt_submission_receipts {
    const struct bt_submission_receipt *items;
    size_t count;
};

/* What the entry of a submission says besides its verdict. Absent texts are "". */
struct bt_submission_entry {
    bt_str kind; /* "handoff" or "raw" */
    bt_str actor;
    enum bt_dialect_id dialect; /* of the entry and its id; none: that of the judgement */
    bt_str handoff_id;          /* the replay key; converted to lower case */
    bt_str id_pointer;          /* where the document has the id; "" when it was given separately */
    bt_str trace_id;
    bt_str source;
    bt_str target;
    uint32_t withheld; /* members to omit: set of enum bt_entry_field */
    const struct bt_entry_ref *refs;
    size_t ref_count;
    bt_str policy;        /* what refs.policy is the digest of, when Baton computed it; else "" */
    uint64_t number;      /* the caller's own number, up to BT_ENTRY_NUMBER_MAX; 0: none */
    uint32_t attestation; /* set of enum bt_attestation */
    bool is_truncated;    /* the document exceeded the limit, and its first part is recorded */
    bool omit_document;   /* do not store the bytes */
    /* Of a document that was read as a stream and is not in memory; NULL: that of the bytes. */
    const struct bt_file_digest *digest;
    struct bt_submission_receipts receipts;
};

/* How an accepted submission is delivered. */
struct bt_submission_delivery {
    bool has_inbox;     /* it goes to the inbox of its target ... */
    bool has_webhook;   /* ... and to the webhook of its target */
    bt_str traceparent; /* of the request, for the receiver; or "" */

    bool is_addressed; /* out: an inbox can have the name of the target */
    bool is_queued;
    bt_str inbox;   /* the agent whose inbox it is in, when queued */
    bt_str message; /* its id in the inbox */
};

enum bt_submit_mode {
    BT_SUBMIT_RECORD = 0,
    BT_SUBMIT_DRY_RUN, /* decide against the store, and change nothing */
    BT_SUBMIT_OBSERVE, /* decide and record, but do not change, count or apply anything */
};

/* What is known about a record. */
enum bt_durability {
    BT_DURABILITY_NONE = 0, /* nothing was recorded */
    BT_DURABILITY_DURABLE,
    BT_DURABILITY_UNKNOWN, /* the commit failed, but may have taken effect */
};

struct bt_receipt;
struct bt_idempotency;
struct bt_transaction_hooks;
struct bt_ledger_pending;

/* What the ledger knows of a submission that it has. Internal to the ledger. */
struct bt_submission_progress {
    const struct bt_receipt *proof;    /* the receipt before it is rendered */
    struct bt_ledger_pending *pending; /* while the writer has it */
};

/*
 * One document from its judgement to its record and delivery. It is never copied: from the call
 * that records it until that call returns, or until it was finished or abandoned, it must stay in
 * place with everything that it points at, and only the ledger may use it.
 */
struct bt_submission {
    struct bt_arena *arena;      /* of its results */
    struct bt_judgement *judged; /* replaced by the decision */
    bt_str bytes;                /* the document as received */
    bool wants_receipt;
    enum bt_severity fail_level; /* 0: HARD */
    enum bt_submit_mode mode;
    struct bt_submission_entry entry;
    bt_record_fn *record; /* NULL: only append the entry; bt_submit() sets it */
    void *decision;       /* state of the decision of its dialect; NULL: the judgement decides */
    struct bt_submission_delivery delivery;
    struct bt_idempotency *once;              /* NULL: no idempotency key was given */
    const struct bt_transaction_hooks *hooks; /* NULL: none */

    bool is_skipped;                   /* out, set by `record`: nothing had to be recorded */
    enum bt_durability durability;     /* out, whatever the status */
    struct bt_ledger_record *recorded; /* its entry, in the memory of the transaction */
    uint64_t seq;                      /* out: the number of its entry */
    bt_str record_json;  /* out: JSON object about its entry; already set for once->compose */
    bt_str receipt;      /* out: JSON object, as bt_ledger_prove_inclusion() makes it; or "" */
    size_t commit_count; /* out, for one submission of each commit of a writer: how many it has */
    struct bt_submission_progress progress;
};

/* Submissions that are recorded together or not at all. */
struct bt_ledger_batch {
    struct bt_submission **items;
    size_t count;
    bool is_recorded; /* out: the records are durable, whatever the status */
    bool is_unknown;  /* out: the commit failed, but may have taken effect */
};

enum { BT_LEDGER_BATCH_MAX = 10000 };

/*
 * Record a batch in one transaction and sign one checkpoint for it. A handoff id that was accepted
 * before turns an acceptance into a refusal, which is recorded.
 *
 * BT_OK with `alarms` empty: recorded and durable. BT_OK with findings in `alarms`: the ledger
 * itself cannot be trusted (rollback, fork, damaged head), and nothing was recorded. BT_EINVAL: an
 * item has a text that is not valid in an entry. After other statuses nothing was recorded, unless
 * batch->is_recorded or batch->is_unknown is set.
 */
BT_MUST_USE enum bt_status bt_ledger_append(struct bt_ledger *ledger, struct bt_env *env,
                                            struct bt_arena *arena, struct bt_ledger_batch *batch,
                                            struct bt_findings *alarms, struct bt_error *error);

/* True when the last commit failed but may have taken effect. */
bool bt_ledger_commit_is_unknown(const struct bt_ledger *ledger);

/*
 * Set handoff_id, trace_id, source and target of the entry from the identity of the judgement,
 * unless the document was truncated; names that are not valid in an entry are omitted from it
 * later.
 */
void bt_submission_set_names(struct bt_submission *submission);

/* True when the text is valid in an entry as the name of an actor or agent, or as an id. */
bool bt_entry_name_is_valid(bt_str text);
/* True when the text is valid in an entry as a reason: the pattern `text` of the schema. */
bool bt_entry_text_is_valid(bt_str text);

/* True when the text is a kind of entry, a dialect or a verdict that an entry can have. */
bool bt_entry_kind_is_valid(bt_str text);
bool bt_entry_dialect_is_valid(bt_str text);
bool bt_entry_verdict_is_valid(bt_str text);
/* True when the text is a SHA-256 as entries write it: 64 lower-case hexadecimal digits. */
bool bt_entry_sha256_is_valid(bt_str text);
/*
 * Add RECORD_TOO_LARGE, for a raw file above the limit. BT_ENOMEM: the findings' arena reached its
 * limit.
 */
BT_MUST_USE enum bt_status bt_ledger_add_too_large_finding(struct bt_findings *findings,
                                                           uint64_t limit);

/* ---- Idempotency ----------------------------------------------------------------------------- */

/* The outcome of a request with an idempotency key. Zero is not an outcome. */
enum bt_idempotency_outcome {
    BT_IDEMPOTENCY_FIRST = 1, /* it was decided, and its response is stored */
    /* decided before: `status` and `body` are its response */
    BT_IDEMPOTENCY_REPEATED,
    /* decided before, but its response was redacted */
    BT_IDEMPOTENCY_REDACTED,
    BT_IDEMPOTENCY_CONFLICT, /* another request used this key; nothing was done */
};

/*
 * A request that is decided once, in the transaction that stores its response, even if it is sent
 * again.
 */
struct bt_idempotency {
    bt_str principal;
    bt_str path;
    bt_str key;
    bt_str request;   /* the bytes whose digest identifies the request */
    uint64_t seconds; /* how long the response is stored */
    /* Set `status` and `body` within the transaction. May be called again. */
    enum bt_status (*compose)(void *context, struct bt_idempotency *once);
    void *context;

    enum bt_idempotency_outcome outcome; /* out ... */
    unsigned status;
    bt_str body; /* in memory of the caller, or of the deciding call */
    uint64_t seq;
};

/*
 * Apply `once` to the next transaction of this handle: if the request was decided before, that call
 * fails with BT_EEXIST and once->outcome has the details; else the response is stored with the
 * record. A call that records nothing stores no response. NULL ends it. Submissions have their own
 * field for it.
 */
void bt_ledger_set_idempotency(struct bt_ledger *ledger, struct bt_idempotency *once);
/* Omit these members from all entries of this handle: set of enum bt_entry_field. */
void bt_ledger_set_withheld(struct bt_ledger *ledger, uint32_t names);
/*
 * Called for every durable entry of this handle whose refs name an event, with the kind of the
 * entry and that event. It is called on the thread that recorded and must not call the ledger.
 */
typedef void bt_ledger_event_fn(void *context, bt_str kind, bt_str event);
/* Set the observer of this handle; NULL: none. */
void bt_ledger_set_observer(struct bt_ledger *ledger, bt_ledger_event_fn *observer, void *context);

/* ---- Group commit ---------------------------------------------------------------------------- */

/*
 * Lets many threads record through one ledger: submissions that are waiting when the disk is free,
 * or arrive before the commit, are recorded in one transaction, at most 256, without an added
 * delay. Any number of threads may call bt_ledger_writer_append() on one writer, and each waits for
 * its own result; the more threads, the more submissions share a commit. Until the writer is closed
 * only the writer may use its ledger; a thread that reads opens another handle.
 */
struct bt_ledger_writer;

/*
 * Start the thread that alone uses the ledger until the writer is closed. On BT_OK the caller must
 * close *out with bt_ledger_writer_close(). BT_ENOMEM, BT_EIO: no memory, or no thread could be
 * started.
 */
BT_MUST_USE enum bt_status bt_ledger_writer_open(struct bt_ledger *ledger, const struct bt_env *env,
                                                 struct bt_ledger_writer **out,
                                                 struct bt_error *error);
/*
 * A thread that records for any number of writers, one transaction of one of them at a time and in
 * turn; group commit stays within each ledger. All its writers are closed before it is stopped.
 * BT_ENOMEM: no memory, or no thread could be started.
 */
struct bt_ledger_writer_thread;
BT_MUST_USE enum bt_status bt_ledger_writer_thread_start(struct bt_ledger_writer_thread **out,
                                                         struct bt_error *error);
/* End the thread. NULL is allowed. */
void bt_ledger_writer_thread_stop(struct bt_ledger_writer_thread *thread);
/* Open a writer like bt_ledger_writer_open(), on a thread that it shares with others. */
BT_MUST_USE enum bt_status bt_ledger_writer_open_on(struct bt_ledger_writer_thread *thread,
                                                    struct bt_ledger *ledger,
                                                    const struct bt_env *env,
                                                    struct bt_ledger_writer **out,
                                                    struct bt_error *error);
/* Record what is waiting and end the writer. NULL is allowed. The ledger stays open. */
void bt_ledger_writer_close(struct bt_ledger_writer *writer);
/*
 * A flag that becomes true when the outcome of a commit is unknown, or the head file could not be
 * replaced. A process with its own store file must then exit, so that the next one reads the actual
 * state. Any thread may read it until the writer is closed.
 */
const atomic_bool *bt_ledger_writer_failure(const struct bt_ledger_writer *writer);

/*
 * Record one submission and wait until it is durable, at most until `until` (CLOCK_MONOTONIC);
 * while it is being decided the call waits beyond the deadline, at which the store gives up.
 *
 * BT_EIO: not recorded, or not in time; item->durability tells whether it may have been recorded.
 * After a commit with an unknown outcome every call fails, and the process must be restarted.
 */
BT_MUST_USE enum bt_status bt_ledger_writer_append(struct bt_ledger_writer *writer,
                                                   struct bt_submission *item,
                                                   const struct timespec *until,
                                                   struct bt_error *error);

/* How a caller that does not wait is notified. */
struct bt_ledger_completion {
    struct timespec deadline; /* of CLOCK_MONOTONIC */
    /*
     * Called once on the writer's thread, unless the submission is abandoned before. Must neither
     * call the writer nor block.
     */
    void (*notify)(void *context);
    void *context;
};

/*
 * Recording in steps, for callers that do not wait: submit, wait for the notification, finish; or
 * abandon it at the deadline. BT_ENOMEM: no memory, and the writer does not have it.
 */
BT_MUST_USE enum bt_status bt_ledger_writer_submit(struct bt_ledger_writer *writer,
                                                   struct bt_submission *item,
                                                   const struct bt_ledger_completion *wait);
/* Get a submission back after `notify` was called. Statuses as for bt_ledger_writer_append(). */
BT_MUST_USE enum bt_status bt_ledger_writer_finish(struct bt_submission *item,
                                                   struct bt_error *error);
/*
 * Give up after the deadline. BT_EIO: given up; item->durability tells whether it may have been
 * recorded. BT_OK: not possible now, because a decision is in progress or `notify` is about to be
 * called; unless it was called, try again after BT_LEDGER_ABANDON_RETRY_MS.
 */
BT_MUST_USE enum bt_status bt_ledger_writer_abandon(struct bt_submission *item,
                                                    struct bt_error *error);

enum { BT_LEDGER_ABANDON_RETRY_MS = 10 };

/* ---- Reading --------------------------------------------------------------------------------- */

#define BT_LEDGER_SEQ_NONE UINT64_MAX

/* Selects entries. Absent texts are "", absent numbers BT_LEDGER_SEQ_NONE. */
struct bt_ledger_filter {
    uint64_t count; /* at most this many: the last or, with `from`, the first */
    uint64_t from;
    bt_str kind;
    bt_str verdict;
    bt_str handoff_id;
    bt_str trace_id;
    bool is_exact; /* the trace id is written as in entries, so that the index can be used */
    bool has_since;
    bool has_until;
    bt_instant since; /* inclusive */
    bt_instant until;
    uint64_t before;                        /* without `from`: only entries below it; 0: all */
    uint64_t scan_max;                      /* at most this many entries are examined; 0: all */
    const struct bt_figures_places *places; /* what matching entries count for; NULL: unknown */
    bool (*accept)(void *context, bt_str entry); /* a further condition; NULL: none */
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
    bool is_truncated; /* there may be more entries ... */
    uint64_t last;     /* ... beyond the last examined one; BT_LEDGER_SEQ_NONE: none was examined */
};

/*
 * List the matching entries, oldest first. An entry that does not match its leaf hash is not listed
 * but becomes a finding in `alarms`.
 */
BT_MUST_USE enum bt_status bt_ledger_list_entries(struct bt_ledger *ledger, struct bt_arena *arena,
                                                  const struct bt_ledger_filter *filter,
                                                  struct bt_findings *alarms,
                                                  struct bt_ledger_entries *out,
                                                  struct bt_error *error);

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
    bt_str bytes; /* of a stored document */
};

/*
 * Read one entry. BT_ENOENT: the log is shorter. Findings in `alarms`: the entry cannot be trusted,
 * and *out is empty.
 */
BT_MUST_USE enum bt_status bt_ledger_read_entry(struct bt_ledger *ledger, struct bt_arena *arena,
                                                uint64_t seq, struct bt_findings *alarms,
                                                struct bt_ledger_entry *out,
                                                struct bt_error *error);
/* Read one entry and its document, which has to be found. Statuses and alarms are those above. */
BT_MUST_USE enum bt_status bt_ledger_get_entry(struct bt_ledger *ledger, struct bt_arena *arena,
                                               uint64_t seq, struct bt_findings *alarms,
                                               struct bt_ledger_entry_view *out,
                                               struct bt_error *error);
/*
 * The number of the first entry with this handoff id that is neither a refusal nor a hold.
 * BT_ENOENT: there is none.
 */
BT_MUST_USE enum bt_status bt_ledger_find_handoff(struct bt_ledger *ledger, bt_str handoff_id,
                                                  uint64_t *out_seq, struct bt_error *error);

#endif
