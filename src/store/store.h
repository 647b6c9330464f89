/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the store as the rest of Baton sees it.
 *
 * Returned texts and bytes are in the given arena. An absent number is BT_STORE_NONE, an absent
 * text or run of bytes has a NULL pointer.
 */
#ifndef BATON_SRC_STORE_STORE_H
#define BATON_SRC_STORE_STORE_H

#include <baton/base.h>

#define BT_STORE_NONE UINT64_MAX

enum { BT_STORE_SCHEMA = 2, BT_STORE_BATCH_BYTES = 16, BT_STORE_DEADLINE_MS = 2000 };

/* ---- Place ----------------------------------------------------------------------------------- */

enum bt_store_backend { BT_STORE_SQLITE = 1, BT_STORE_POSTGRESQL };

/* The location of a store, and of the files beside it. Texts are followed by a NUL byte. */
struct bt_store_location {
    enum bt_store_backend backend;
    bt_str url;    /* for reports: with scheme, without password */
    bt_str path;   /* SQLite: the file; PostgreSQL: the URL with its password, never to be shown */
    bt_str folder; /* the folder of the files beside it */
    bt_str base;   /* BASE of BASE.key, BASE.vkey, BASE.head */
};

/*
 * The location that `url` names: `sqlite:PATH`, `postgresql://...`, or a PATH, which may be an
 * existing folder. BT_EINVAL: none of these, an empty path, one that cannot be durable, a symbolic
 * link.
 */
BT_MUST_USE enum bt_status bt_store_get_location(struct bt_arena *arena, bt_str url,
                                                 struct bt_store_location *out,
                                                 struct bt_error *error);

/* The folder that has a `.baton`, with the default store, or with the files of a node whose
 * store is on a server: `root`; for NULL and `upwards` the nearest one from here upwards, else
 * here. */
struct bt_store_workspace {
    const char *root;
    bool upwards;
};

/* The location of the store for a node that works there. */
BT_MUST_USE enum bt_status bt_store_location_of(struct bt_arena *arena, bt_str url,
                                                struct bt_store_workspace workspace,
                                                struct bt_store_location *out,
                                                struct bt_error *error);
/* The store of a workspace that names none. */
BT_MUST_USE enum bt_status bt_store_default_location(struct bt_arena *arena,
                                                     struct bt_store_workspace workspace,
                                                     struct bt_store_location *out,
                                                     struct bt_error *error);

/* ---- Opening --------------------------------------------------------------------------------- */

struct bt_store;

struct bt_store_options {
    bool create;             /* create the database when it does not exist */
    bool is_lenient;         /* also open an unsafe or incomplete store, to inspect it */
    bool accepts_old_schema; /* to migrate it; nothing else can be done with it */
    uint64_t deadline_ms;    /* of a transaction; 0: BT_STORE_DEADLINE_MS */
    uint64_t opening_ms;     /* of opening; 0: deadline_ms */
    uint64_t cache_kib;      /* of pages of the database that SQLite keeps in memory; 0: 32768 */
};

/* What a database holds. */
enum bt_store_database_kind {
    BT_STORE_EMPTY = 1, /* no tables at all */
    BT_STORE_OURS,      /* a store, of whatever version */
    BT_STORE_FOREIGN,   /* tables of another program */
};

/* How long opening may take, in milliseconds, and the deadline if it begins now; see
 * bt_store_set_deadline(). */
uint64_t bt_store_set_open_deadline(const struct bt_store_options *options);
uint64_t bt_store_deadline(const struct bt_store_options *options);

/*
 * Open a store. BT_ENOENT: there is none. BT_EINVAL: the database holds something else, or a
 * schema of another version. BT_EIO: a setting makes it unsafe, or it could not be read.
 */
BT_MUST_USE enum bt_status bt_store_open(const struct bt_store_location *place,
                                         const struct bt_store_options *options,
                                         struct bt_store **out, struct bt_error *error);
/* Create the database with an empty schema, or finish an interrupted creation. BT_EDENIED: there
 * is already a store. The store is open for writing, in a transaction that the caller commits. */
BT_MUST_USE enum bt_status bt_store_create(const struct bt_store_location *place,
                                           const struct bt_store_options *options,
                                           struct bt_store **out, struct bt_error *error);
/* Roll back an open transaction, and close. NULL is allowed. */
void bt_store_close(struct bt_store *store);
const struct bt_store_location *bt_store_url(const struct bt_store *store);
/* "sqlite" or "postgresql". */
bt_str bt_store_backend(const struct bt_store *store);

/* The time of the store's server, in milliseconds since 1970. BT_ENOENT: it has no clock of its
 * own. */
BT_MUST_USE enum bt_status bt_store_clock(struct bt_store *store, int64_t *out_ms,
                                          struct bt_error *error);

/* ---- Transactions ---------------------------------------------------------------------------- */

/*
 * Let nothing continue beyond this time of bt_clock_monotonic_ms(), whatever is left of its
 * deadline, until another is set; an open transaction can thus get more time, or less.
 * BT_STORE_NONE: only the deadline of each transaction counts.
 */
void bt_store_set_deadline(struct bt_store *store, uint64_t until_ms);
/* Begin a transaction that writes: no other appends until it ends. BT_EIO: the lock was not
 * available before the deadline, or an earlier commit left this store unusable. */
BT_MUST_USE enum bt_status bt_store_begin(struct bt_store *store, struct bt_error *error);
/* Begin a transaction for a decision whose commit was lost: only what is left of its deadline is
 * used. */
BT_MUST_USE enum bt_status bt_store_begin_retry(struct bt_store *store, struct bt_error *error);
/* Begin a transaction that writes concurrently with appends: for changes that are not decisions,
 * and touch nothing that decisions depend on. */
BT_MUST_USE enum bt_status bt_store_begin_concurrent(struct bt_store *store,
                                                     struct bt_error *error);
/* Begin a transaction that only reads, from one snapshot. */
BT_MUST_USE enum bt_status bt_store_begin_read(struct bt_store *store, struct bt_error *error);
/* BT_OK: everything since begin is durable. Else nothing is, unless bt_store_is_unknown(). */
BT_MUST_USE enum bt_status bt_store_commit(struct bt_store *store, struct bt_error *error);
/* From here to the end of the transaction inserts are deferred: a refusal or failure may be
 * reported by a later call, at the latest by bt_store_commit(). Then nothing is committed. */
void bt_store_defer(struct bt_store *store);
/* Roll back an open transaction, if there is one. */
void bt_store_rollback(struct bt_store *store);
/* True when a commit failed and its outcome is unknown. A store in a file then accepts no more
 * writes; a server can be asked. */
bool bt_store_is_unknown(const struct bt_store *store);
/* Find out, within what is left of the deadline, how it ended: whether the checkpoint of this
 * size exists and is of this batch; then it is durable. BT_EIO: the outcome stays unknown. */
BT_MUST_USE enum bt_status bt_store_resolve_commit(struct bt_store *store, uint64_t size,
                                                   bt_str batch, bool *out_is_there,
                                                   struct bt_error *error);

/* ---- Meta ------------------------------------------------------------------------------------ */

/* BT_ENOENT: no such name. */
BT_MUST_USE enum bt_status bt_store_meta_get(struct bt_store *store, struct bt_arena *arena,
                                             bt_str name, bt_str *out, struct bt_error *error);
BT_MUST_USE enum bt_status bt_store_meta_put(struct bt_store *store, bt_str name, bt_str value,
                                             struct bt_error *error);

/* ---- The log --------------------------------------------------------------------------------- */

struct bt_store_entry {
    uint64_t seq;
    bt_str leaf;
    bt_str entry;
    bt_str batch;
    bt_str kind; /* this and the rest are copies of members of the entry */
    bt_str verdict;
    bt_str handoff_id;
    bt_str trace_id;
    bt_str document; /* its SHA-256, 32 bytes */
};

struct bt_store_checkpoint {
    uint64_t size;
    bt_str root;
    bt_str frontier;
    bt_str note;
    bt_str batch;
    /* of the newest: the version of the entries that are added from here on,
     * BT_STORE_ENTRIES_STATEMENTS, or BT_STORE_NONE for what this program does not know */
    uint64_t entries;
};

/* What `meta.entries` says of a log whose leaves are statements of others, and its number. */
#define BT_STORE_STATEMENTS "statements"
enum { BT_STORE_ENTRIES_STATEMENTS = 0 };

/* BT_EDENIED: there is an entry with this seq already. */
BT_MUST_USE enum bt_status bt_store_entry_put(struct bt_store *store,
                                              const struct bt_store_entry *entry,
                                              struct bt_error *error);

/* Which entries, in which order. */
enum bt_store_order {
    BT_STORE_UP = 0,     /* from seq `from` on */
    BT_STORE_DOWN,       /* from seq `from` on downwards */
    BT_STORE_ABSENT,     /* those whose document is neither kept nor redacted */
    BT_STORE_BY_HANDOFF, /* those with this `key`, upwards */
    BT_STORE_BY_TRACE,
    BT_STORE_BY_DOCUMENT,
    BT_STORE_BY_HANDOFF_DOWN, /* by handoff, descending */
    BT_STORE_BY_TRACE_DOWN,
};

struct bt_store_scan {
    enum bt_store_order order;
    uint64_t from;
    bt_str key;
};

/* Called for each; the entry is valid until it returns. False ends the scan. */
typedef bool bt_store_entry_fn(void *context, const struct bt_store_entry *entry);

BT_MUST_USE enum bt_status bt_store_entry_scan(struct bt_store *store,
                                               const struct bt_store_scan *scan,
                                               bt_store_entry_fn *each, void *context,
                                               struct bt_error *error);

/* Only the texts and leaves of the entries from range[0] up to, without, range[1]; everything
 * else of them is absent, and their order is undefined. For scans of the whole log. */
BT_MUST_USE enum bt_status bt_store_text_scan(struct bt_store *store, const uint64_t range[2],
                                              bt_store_entry_fn *each, void *context,
                                              struct bt_error *error);

/* Called for each hash in order; false ends the scan. */
typedef bool bt_store_hash_fn(void *context, uint64_t n, bt_str hash);

/* `count` hashes from the n-th on: leaves for level 0, else those of complete subtrees. */
BT_MUST_USE enum bt_status bt_store_hash_scan(struct bt_store *store, uint32_t level,
                                              const uint64_t range[2], bt_store_hash_fn *each,
                                              void *context, struct bt_error *error);
/* Level 1 and above. */
BT_MUST_USE enum bt_status bt_store_hash_put(struct bt_store *store, uint32_t level, uint64_t n,
                                             bt_str hash, struct bt_error *error);

BT_MUST_USE enum bt_status bt_store_checkpoint_put(struct bt_store *store,
                                                   const struct bt_store_checkpoint *checkpoint,
                                                   struct bt_error *error);
/* The checkpoint of this size, or for BT_STORE_NONE the newest. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_store_checkpoint_get(struct bt_store *store, struct bt_arena *arena,
                                                   uint64_t size, struct bt_store_checkpoint *out,
                                                   struct bt_error *error);
typedef bool bt_store_checkpoint_fn(void *context, const struct bt_store_checkpoint *checkpoint);
/* All of them, from size `from` on, upwards. */
BT_MUST_USE enum bt_status bt_store_checkpoint_scan(struct bt_store *store, uint64_t from,
                                                    bt_store_checkpoint_fn *each, void *context,
                                                    struct bt_error *error);

struct bt_store_cosignature {
    uint64_t size;
    bt_str name;
    bt_str key_id; /* 4 bytes */
    bt_str line;   /* without its line feed */
};

typedef bool bt_store_cosignature_fn(void *context, const struct bt_store_cosignature *line);
/* An existing one is not changed. */
BT_MUST_USE enum bt_status bt_store_cosignature_put(struct bt_store *store,
                                                    const struct bt_store_cosignature *line,
                                                    struct bt_error *error);
/* Those of a size, in the order in which they came. */
BT_MUST_USE enum bt_status bt_store_cosignature_scan(struct bt_store *store, uint64_t size,
                                                     bt_store_cosignature_fn *each, void *context,
                                                     struct bt_error *error);

/* The one of the largest size that a key has made; `each` is not called when there is none. */
BT_MUST_USE enum bt_status bt_store_cosignature_last(struct bt_store *store, bt_str name,
                                                     bt_str key_id, bt_store_cosignature_fn *each,
                                                     void *context, struct bt_error *error);

typedef bool bt_store_size_fn(void *context, uint64_t size);
/* The sizes whose checkpoints have cosignatures, the largest first. */
BT_MUST_USE enum bt_status bt_store_cosigned_scan(struct bt_store *store, bt_store_size_fn *each,
                                                  void *context, struct bt_error *error);

/* ---- Documents ------------------------------------------------------------------------------- */

struct bt_store_document {
    bt_str sha256; /* 32 bytes */
    uint64_t size;
    bool has_bytes;
    bt_str bytes; /* plain */
    uint64_t redacted_seq;
};

/* Store the bytes under their digest. *out_kept is false when they were redacted before: then
 * they are not stored. */
BT_MUST_USE enum bt_status bt_store_document_put(struct bt_store *store, bt_str sha256,
                                                 bt_str bytes, bool *out_kept,
                                                 struct bt_error *error);
/* Within a transaction that writes: check whether the bytes of that digest are stored and not
 * redacted. */
BT_MUST_USE enum bt_status bt_store_document_is_kept(struct bt_store *store, bt_str sha256,
                                                     bool *out, struct bt_error *error);
/* The bytes of a document are followed by so many that its reader may write: a hash pads a text. */
enum { BT_STORE_DOCUMENT_ROOM = 128 };

/* BT_ENOENT: no such document. BT_ECORRUPT: its bytes cannot be decompressed. */
BT_MUST_USE enum bt_status bt_store_document_get(struct bt_store *store, struct bt_arena *arena,
                                                 bt_str sha256, struct bt_store_document *out,
                                                 struct bt_error *error);
/* Delete the bytes and their copies, for the reason that entry `seq` gives. */
BT_MUST_USE enum bt_status bt_store_document_redact(struct bt_store *store, bt_str sha256,
                                                    uint64_t seq, struct bt_error *error);
/*
 * Delete only the copies, as far as the document's entries lead to them: in a queue, in a message
 * of the pump and in the results of handlers, in a stored response, in a task; queued items become
 * dead. A task can hold the text without an entry: see bt_store_task_having().
 */
BT_MUST_USE enum bt_status bt_store_copies_redact(struct bt_store *store, bt_str sha256,
                                                  uint64_t seq, struct bt_error *error);
/* Check whether there are such copies. */
BT_MUST_USE enum bt_status bt_store_document_has_copies(struct bt_store *store, bt_str sha256,
                                                        bool *out, struct bt_error *error);
typedef bool bt_store_digest_fn(void *context, bt_str sha256);
/* The digests of all documents, sorted. */
BT_MUST_USE enum bt_status bt_store_document_scan(struct bt_store *store, bt_store_digest_fn *each,
                                                  void *context, struct bt_error *error);

/* ---- Ids that are used up -------------------------------------------------------------------- */

struct bt_store_used_id {
    uint64_t seq;
    bt_str document; /* SHA-256 of what was accepted, 32 bytes */
};

/* BT_EDENIED: it was there already. */
BT_MUST_USE enum bt_status bt_store_used_id_put(struct bt_store *store, bt_str dialect, bt_str id,
                                                const struct bt_store_used_id *seen,
                                                struct bt_error *error);
/* BT_ENOENT: never used, and *error is not set. */
BT_MUST_USE enum bt_status bt_store_used_id_get(struct bt_store *store, struct bt_arena *arena,
                                                const bt_str key[2], struct bt_store_used_id *out,
                                                struct bt_error *error);

/* What entries are counted by. */
enum bt_store_count_space {
    BT_STORE_COUNT_ACTOR = 0,
    BT_STORE_COUNT_SOURCE,
    BT_STORE_COUNT_TRACE,
    BT_STORE_COUNT__MAX,
    BT_STORE_COUNT_KIND = BT_STORE_COUNT__MAX, /* only the kind `policy` */
    BT_STORE_COUNT_BUDGET, /* traces: handoffs with a budget that were submitted */
};

/* The number of entries with this name and the newest of them, within a transaction: 0 and
 * BT_STORE_NONE when there is none. */
struct bt_store_count {
    uint64_t n;
    uint64_t seq;
};

BT_MUST_USE enum bt_status bt_store_count_get(struct bt_store *store,
                                              enum bt_store_count_space space, bt_str name,
                                              struct bt_store_count *out, struct bt_error *error);
/* The name of a space. */
bt_str bt_store_count_space_name(enum bt_store_count_space space);

/* What a transaction will look up: documents to store, ids to use. */
struct bt_store_lookup {
    bt_str sha256; /* NULL: no document */
    bt_str dialect;
    bt_str id;                           /* NULL or "": none */
    bt_str counted[BT_STORE_COUNT__MAX]; /* names whose entries are counted; "": none */
};

/* True when the store is reached over a connection, so that batching lookups pays off. */
bool bt_store_is_remote(const struct bt_store *store);
/*
 * Look up all of them, the newest checkpoint and the leaves of the next entries from `leaves` on
 * (BT_STORE_NONE: none) in the exchange that takes the append lock next. It changes no result, and
 * saves a round trip to the server for each.
 */
BT_MUST_USE enum bt_status bt_store_lookup_batch(struct bt_store *store,
                                                 const struct bt_store_lookup *items, size_t count,
                                                 uint64_t leaves, struct bt_error *error);
/* Look up, within the transaction, all of them in one exchange, now. */
BT_MUST_USE enum bt_status bt_store_lookup_more(struct bt_store *store,
                                                const struct bt_store_lookup *items, size_t count,
                                                struct bt_error *error);

/* ---- Tables of states ------------------------------------------------------------------------ */

enum bt_store_cell_type {
    BT_STORE_CELL_NULL = 0,
    BT_STORE_CELL_NUMBER,
    BT_STORE_CELL_BYTES,
    BT_STORE_CELL_TEXT
};

/* One value of a row. */
struct bt_store_cell {
    enum bt_store_cell_type type;
    int64_t number;
    bt_str text; /* or bytes */
};

struct bt_store_cell bt_store_cell_null(void);
struct bt_store_cell bt_store_cell_number(uint64_t number); /* BT_STORE_NONE becomes null */
struct bt_store_cell bt_store_cell_bytes(bt_str bytes);     /* a NULL pointer becomes null */
struct bt_store_cell bt_store_cell_text(bt_str text);       /* a NULL pointer becomes null */

/* ---- Looking after it ------------------------------------------------------------------------ */

struct bt_store_counts {
    uint64_t documents_kept;
    uint64_t documents_redacted;
    uint64_t document_bytes;
    uint64_t seen;
    uint64_t agents;
    uint64_t approvals;
    uint64_t blocked;
    uint64_t contexts;
    uint64_t threads;
    uint64_t queue;
};

BT_MUST_USE enum bt_status bt_store_counts(struct bt_store *store, struct bt_store_counts *out,
                                           struct bt_error *error);

/* The number of items that wait and are not leased: from counters, so that it can be called
 * often. */
struct bt_store_queue_counts {
    uint64_t inbox;
    uint64_t webhook;
    uint64_t blocked;
};

BT_MUST_USE enum bt_status bt_store_count_queue(struct bt_store *store, uint64_t now_ms,
                                                struct bt_store_queue_counts *out,
                                                struct bt_error *error);

/* Settings that durability depends on: name, value, and what it should be ("" when it is right). */
typedef bool bt_setting_fn(void *context, const char *name, bt_str value, const char *expected);
BT_MUST_USE enum bt_status bt_store_settings(struct bt_store *store, bt_setting_fn *each,
                                             void *context, struct bt_error *error);

/* The callbacks for findings of the back end's own checks. */
struct bt_store_checker {
    void *context;
    void (*damage)(void *context, bt_str detail);
    void (*trigger)(void *context, bt_str table, const char *operation);
    void (*privilege)(void *context, bt_str table, const char *privilege);
};

BT_MUST_USE enum bt_status bt_store_check(struct bt_store *store,
                                          const struct bt_store_checker *checker,
                                          struct bt_error *error);
/* What is missing: a table, one of its triggers (missing or altered), or one of its indexes. */
struct bt_store_missing_part {
    bt_str table;
    const char *operation; /* the unprotected operation, or NULL */
    const char *column;    /* the column without an index, or NULL */
    bool is_rebuilt;       /* the table exists, but not with these columns and keys */
    bool is_completed;     /* the table lacks rows that are computed from others */
};
typedef void bt_store_missing_part_fn(void *context,
                                      const struct bt_store_missing_part *missing_part);
/* Report each, and create them, within a transaction that writes; roll it back to report only.
 * BT_ECORRUPT: the database itself is damaged. */
BT_MUST_USE enum bt_status bt_store_migrate(struct bt_store *store, bt_store_missing_part_fn *each,
                                            void *context, struct bt_error *error);
/* Set the version of the entries of a log, within a transaction that writes. */
BT_MUST_USE enum bt_status bt_store_set_entries(struct bt_store *store, bt_str version,
                                                struct bt_error *error);
/* The version of its tables. */
BT_MUST_USE enum bt_status bt_store_schema(struct bt_store *store, uint64_t *out,
                                           struct bt_error *error);
/* Rows of changeable tables whose updated_seq is not an entry: the table and its number of rows. */
typedef bool bt_store_bad_row_fn(void *context, bt_str table, uint64_t rows);
BT_MUST_USE enum bt_status bt_store_each_bad_row(struct bt_store *store, uint64_t size,
                                                 bt_store_bad_row_fn *each, void *context,
                                                 struct bt_error *error);
typedef bool bt_store_used_id_fn(void *context, bt_str dialect, bt_str id,
                                 const struct bt_store_used_id *seen);
BT_MUST_USE enum bt_status bt_store_used_id_scan(struct bt_store *store, bt_store_used_id_fn *each,
                                                 void *context, struct bt_error *error);
/* Write a copy as a SQLite store at `path`, which must not exist. */
BT_MUST_USE enum bt_status bt_store_backup(struct bt_store *store, bt_str path,
                                           struct bt_error *error);
/* Create a store at `place`, which must hold none, and copy everything into it, from one
 * snapshot. */
BT_MUST_USE enum bt_status
bt_store_copy(struct bt_store *from, const struct bt_store_location *place, struct bt_error *error);
/* Overwrite deleted bytes in the files; no transaction may be open. */
BT_MUST_USE enum bt_status bt_store_clear_document_copies(struct bt_store *store,
                                                          struct bt_error *error);

/* ---- Counters -------------------------------------------------------------------------------- */

/* Add to a counter of the table ledger_count, which is made when it does not exist. `seq`: of the
 * last entry that it counts. */
BT_MUST_USE enum bt_status bt_store_count_add(struct bt_store *store, const bt_str key[2],
                                              uint64_t count, uint64_t seq, struct bt_error *error);
/* Return false to stop. */
typedef bool bt_store_count_fn(void *context, bt_str space, bt_str name, uint64_t count);
/* The counters of the spaces from range[0] up to, without, range[1], in order, at most `max`. */
BT_MUST_USE enum bt_status bt_store_count_scan(struct bt_store *store, const bt_str range[2],
                                               uint64_t max, bt_store_count_fn *each, void *context,
                                               struct bt_error *error);
/* Those counters with 0 for each count: the index alone is read. */
BT_MUST_USE enum bt_status bt_store_count_scan_keys(struct bt_store *store, const bt_str range[2],
                                                    uint64_t max, bt_store_count_fn *each,
                                                    void *context, struct bt_error *error);
/* The counters of one space with the names from range[0] up to, without, range[1], in order, with 0
 * for each count. */
BT_MUST_USE enum bt_status bt_store_count_scan_names(struct bt_store *store, bt_str space,
                                                     const bt_str range[2], bt_store_count_fn *each,
                                                     void *context, struct bt_error *error);
/* Delete the counters of a range of spaces. */
BT_MUST_USE enum bt_status bt_store_count_delete(struct bt_store *store, const bt_str range[2],
                                                 struct bt_error *error);

#endif
