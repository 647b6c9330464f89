/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin.h - operate a ledger: redaction and retention, key rotation, maintenance of its
 * store.
 *
 * Results are as described in ledger.h.
 */
#ifndef BATON_SRC_LEDGER_ADMIN_H
#define BATON_SRC_LEDGER_ADMIN_H

#include "ledger/ledger.h"

/* ---- Redaction and keys ---------------------------------------------------------------------- */

struct bt_ledger_redact_result {
    bt_str sha256;
    uint64_t size;
    size_t count; /* of the entries that lost their documents */
    const uint64_t *seqs;
    const bt_str *approvals; /* ids of the approval requests that lost their payload */
    size_t approval_count;
    bool was_redacted; /* redacted before; nothing was done */
    bt_str record;     /* JSON object; "" when nothing was recorded */
    uint64_t seq;      /* of the entry about the redaction, if is_recorded */
    bool is_recorded;
};

struct bt_ledger_redact_options {
    bool by_seq;
    uint64_t seq;
    bt_str sha256; /* hexadecimal digits, unless by_seq */
    bt_str reason;
    bt_str actor;
    uint64_t min_s;                      /* how long bytes are kept at least; 0: no time */
    bool is_early;                       /* although they are younger than that */
    struct bt_findings *refusals;        /* why bytes have to be kept; NULL: they go to `alarms` */
    struct bt_ledger_redact_result done; /* out */
};

/*
 * Delete the bytes of a document and their copies in approval requests, and record the redaction.
 * BT_ENOENT: no such document, or it was never stored. BT_EINVAL: the reason is not valid in an
 * entry. Findings in `alarms` as for bt_ledger_append(). With a refusal nothing was changed.
 */
BT_MUST_USE enum bt_status bt_ledger_redact(struct bt_ledger *ledger, struct bt_env *env,
                                            struct bt_arena *arena,
                                            struct bt_ledger_redact_options *redaction,
                                            struct bt_findings *alarms, struct bt_error *error);

struct bt_ledger_retain_options {
    uint64_t accepted_days; /* how long documents of accepted handoffs are stored */
    uint64_t min_s;         /* how long bytes are kept at least; 0: no time */
    bt_str actor;
    struct bt_findings *alarms; /* as for bt_ledger_append() */
    uint64_t redacted;          /* out: number of documents, whatever the status ... */
    uint64_t bytes;             /* ... and their total size */
    uint64_t held;              /* documents that stay because of a hold ... */
    uint64_t below_minimum;     /* ... and because of min_s */
};

/*
 * Redact the documents of accepted handoffs that are older than accepted_days, each with its own
 * entry. A document stays as long as another entry needs it.
 */
BT_MUST_USE enum bt_status bt_ledger_redact_expired(struct bt_ledger *ledger, struct bt_env *env,
                                                    struct bt_arena *arena,
                                                    struct bt_ledger_retain_options *retention,
                                                    struct bt_error *error);

/* ---- Holds ----------------------------------------------------------------------------------- */

/* What a hold names. */
enum bt_ledger_hold_by {
    BT_LEDGER_HOLD_TRACE = 1,
    BT_LEDGER_HOLD_HANDOFF,
    BT_LEDGER_HOLD_DOCUMENT
};

bt_str bt_ledger_hold_by_name(enum bt_ledger_hold_by by);

struct bt_ledger_hold_options {
    enum bt_ledger_hold_by by;
    bt_str value; /* an id, or the digest in hexadecimal digits */
    bt_str reason;
    bt_str actor;
    bool releases;  /* else it is set */
    bool was_there; /* out: it was set, or released, already, and nothing was recorded */
    bt_str record;  /* out: JSON object, or "" */
};

/*
 * Set or release a hold: the documents of the entries that it names are not deleted, now and later.
 * BT_ENOENT: no document has this digest. BT_EINVAL: a text is not valid in an entry, or the log
 * has entries of version 1. Findings in `alarms` as for bt_ledger_append().
 */
BT_MUST_USE enum bt_status bt_ledger_change_hold(struct bt_ledger *ledger, struct bt_env *env,
                                                 struct bt_arena *arena,
                                                 struct bt_ledger_hold_options *options,
                                                 struct bt_findings *alarms,
                                                 struct bt_error *error);

/* A hold in force. */
struct bt_ledger_hold {
    bt_str by;
    bt_str value;
    bt_str reason;
    bt_str since; /* the time of its entry ... */
    uint64_t since_seq;
};

struct bt_ledger_holds {
    const struct bt_ledger_hold *items;
    size_t count;
};

/* All holds in force. */
BT_MUST_USE enum bt_status bt_ledger_list_holds(struct bt_ledger *ledger, struct bt_arena *arena,
                                                struct bt_ledger_holds *out,
                                                struct bt_error *error);

/* ---- Heartbeats ------------------------------------------------------------------------------ */

struct bt_ledger_beat_options {
    bt_str actor;
    bt_str event;     /* "start", "beat" or "stop" */
    bt_str run;       /* the name of the run */
    uint64_t age_s;   /* record it only when the newest entry is at least as old; 0: always */
    bool is_lenient;  /* record nothing on a log of version 1, instead of BT_EINVAL */
    uint64_t wait_s;  /* out: in how many seconds another one may be due */
    bt_str record;    /* out: JSON object; "" when nothing was recorded */
    bool is_recorded; /* out */
};

/* Make a submission a heartbeat, for a writer. `options` must stay until it is recorded. */
void bt_ledger_beat_submission(struct bt_submission *item, struct bt_ledger_beat_options *options);

/* Record that a program runs. Findings in `alarms` as for bt_ledger_append(). */
BT_MUST_USE enum bt_status bt_ledger_beat(struct bt_ledger *ledger, struct bt_env *env,
                                          struct bt_arena *arena,
                                          struct bt_ledger_beat_options *options,
                                          struct bt_findings *alarms, struct bt_error *error);

enum { BT_LEDGER_RUN_BYTES = sizeof("run-12345678") };

/* Make a name for a run. BT_EIO: no randomness. */
BT_MUST_USE enum bt_status bt_ledger_beat_name(const struct bt_env *env,
                                               char out[BT_LEDGER_RUN_BYTES],
                                               struct bt_error *error);
/* Record a heartbeat in memory of its own; BT_EIO for an alarm as well. On a log of version 1
 * nothing is recorded. options->record is not set. */
BT_MUST_USE enum bt_status bt_ledger_beat_alone(struct bt_ledger *ledger, struct bt_env *env,
                                                struct bt_ledger_beat_options *options,
                                                struct bt_error *error);

/* A change of the signing key. */
struct bt_ledger_rotate_options {
    bool ends;      /* end a rotation: the old key no longer signs; else begin one */
    bool is_seeded; /* make a key that everybody can compute, for test ledgers */
    uint64_t seed;
    bt_str agent_key; /* content of an OpenSSH public key file, whose key is in the agent; or "" */
    bt_str actor;
    bt_str old_vkey;  /* out */
    bt_str new_vkey;  /* out */
    bt_str record;    /* out: JSON object; "" when nothing was recorded */
    bool is_recorded; /* out: the record is durable, whatever the status */
};

/*
 * Begin or end a key rotation. Beginning makes a new key beside the old one and records an entry of
 * kind `key` whose document is the new vkey; from then on both keys sign. After an interruption the
 * call continues with the key that was made. End the rotation when every verifier has the new vkey.
 *
 * The key files are replaced. BT_EDENIED: a rotation is already in progress or, to end one, none
 * is. BT_EINVAL: a seed was given, but the ledger's key is not a test key.
 */
BT_MUST_USE enum bt_status bt_ledger_rotate_key(struct bt_ledger *ledger, struct bt_env *env,
                                                struct bt_arena *arena,
                                                struct bt_ledger_rotate_options *rotation,
                                                struct bt_findings *alarms, struct bt_error *error);

/* ---- Store ----------------------------------------------------------------------------------- */

/* Put the JSON object that `baton store info` shows. Failures of the buffer are returned. */
BT_MUST_USE enum bt_status bt_ledger_put_info(struct bt_ledger *ledger, struct bt_buf *buf,
                                              struct bt_error *error);
/* Counts that are cheap to read, however long the log is. */
struct bt_ledger_stats {
    uint64_t size;      /* entries */
    uint64_t witnessed; /* entries below the newest checkpoint that a witness has cosigned */
    uint64_t inbox;     /* items that wait in inboxes and are not leased */
    uint64_t webhook;   /* items that wait for webhooks */
    uint64_t blocked;   /* blocked agents */
};
/* Read the counts. Leases expire by the clock of `env`. */
BT_MUST_USE enum bt_status bt_ledger_read_stats(struct bt_ledger *ledger, const struct bt_env *env,
                                                struct bt_ledger_stats *out,
                                                struct bt_error *error);
/*
 * The absolute difference between the clocks of the store and of `env` in milliseconds; 0 when the
 * store has no clock of its own.
 */
BT_MUST_USE enum bt_status bt_ledger_clock_skew(struct bt_ledger *ledger, const struct bt_env *env,
                                                uint64_t *out_ms, struct bt_error *error);
/*
 * Check the database, and that its tables agree with the log. The judgement has the dialect
 * `store`.
 */
BT_MUST_USE enum bt_status bt_ledger_check_store(struct bt_ledger *ledger, struct bt_arena *arena,
                                                 struct bt_judgement *out, struct bt_error *error);
/* How to migrate a store. */
struct bt_ledger_migrate_options {
    bool is_dry;      /* only list the steps */
    unsigned entries; /* the version of the entries to add from now on: 1, 2; 0: as they are */
};

/* What was done, or would be done, to migrate a store to this version. */
struct bt_ledger_migrate_result {
    uint64_t from; /* versions of the schema */
    uint64_t to;
    size_t count;
    const bt_str *steps;
};

/*
 * Migrate the schema to this version and restore guards that were removed. BT_ECORRUPT: the
 * database itself is damaged. BT_EINVAL: the log does not go back to entries of version 1.
 */
BT_MUST_USE enum bt_status bt_ledger_migrate(struct bt_ledger *ledger, struct bt_arena *arena,
                                             const struct bt_ledger_migrate_options *options,
                                             struct bt_ledger_migrate_result *out,
                                             struct bt_error *error);
/*
 * Copy everything to the store that `target` names, a path or URL, and verify the copy. BT_EDENIED:
 * the target is not empty.
 */
BT_MUST_USE enum bt_status bt_ledger_copy_store(struct bt_ledger *ledger, struct bt_arena *arena,
                                                const char *target, struct bt_ledger_head *out,
                                                struct bt_error *error);
/* Copy the store to `path`, which must not exist, and verify the copy. */
BT_MUST_USE enum bt_status bt_ledger_back_up(struct bt_ledger *ledger, struct bt_arena *arena,
                                             const char *path, struct bt_ledger_head *out,
                                             struct bt_error *error);

#endif
