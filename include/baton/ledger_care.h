/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_care.h - looking after a ledger: what leaves it, which key signs it, how its store fares.
 *
 * Results are as ledger.h has them.
 */
#ifndef BATON_LEDGER_CARE_H
#define BATON_LEDGER_CARE_H

#include <baton/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Documents that leave, keys that change -------------------------------------------------- */

struct bt_ledger_redact_result {
    bt_str sha256;
    uint64_t size;
    size_t count; /* of the entries that lost their bytes */
    const uint64_t *seqs;
    const bt_str *approvals; /* ids of the requests for consent that lost their payload */
    size_t approval_count;
    bool was_redacted; /* nothing was left to do */
    bt_str record;     /* JSON object, "" when nothing was recorded */
    bool is_recorded;
};

struct bt_ledger_redact_options {
    bool by_seq;
    uint64_t seq;
    bt_str sha256; /* hexadecimal digits, when not by seq */
    bt_str reason;
    bt_str actor;
    struct bt_ledger_redact_result done; /* out */
};

/* Delete document bytes, and what requests for consent took from them, and record that. BT_ENOENT:
 * no such document, or never kept. BT_EINVAL: a reason that no entry may hold. Findings in `alarms`
 * as for bt_ledger_append(). */
BT_API BT_MUST_USE enum bt_status bt_ledger_redact(struct bt_ledger *ledger, struct bt_env *env,
                                                   struct bt_arena *arena,
                                                   struct bt_ledger_redact_options *redaction,
                                                   struct bt_findings *alarms,
                                                   struct bt_error *error);

struct bt_ledger_retain_options {
    uint64_t accepted_days; /* how long documents of accepted handoffs are kept */
    bt_str actor;
    struct bt_findings *alarms; /* as for bt_ledger_append() */
    uint64_t redacted;          /* out: documents, whatever the status says ... */
    uint64_t bytes;             /* ... and their size */
};

/* Redact the documents of accepted handoffs that are older, each with an entry of its own. A
 * document stays as long as any other entry needs it. */
BT_API BT_MUST_USE enum bt_status
bt_ledger_redact_expired(struct bt_ledger *ledger, struct bt_env *env, struct bt_arena *arena,
                         struct bt_ledger_retain_options *retention, struct bt_error *error);

/* A change of the key that signs. */
struct bt_ledger_rotate_options {
    bool ends;      /* the old key signs no more; else a new one begins to sign beside it */
    bool is_seeded; /* a new key that everybody can compute, for ledgers that are for tests */
    uint64_t seed;
    bt_str actor;
    bt_str old_vkey;  /* out */
    bt_str new_vkey;  /* out */
    bt_str record;    /* out: JSON object, "" when nothing was recorded */
    bool is_recorded; /* out: whatever the status says */
};

/*
 * Begin a rotation: make a new key and keep it beside the old one, record an entry of kind `key`
 * whose document is the new vkey, and let both sign from now on. Repeated after an interruption it
 * goes on with the key that was made. Once everybody who verifies has the new vkey, end it.
 *
 * The files of the keys are replaced. BT_EDENIED: a rotation is under way, or to be ended none is.
 * BT_EINVAL: a seed, and the ledger's key is no test key.
 */
BT_API BT_MUST_USE enum bt_status bt_ledger_rotate_key(struct bt_ledger *ledger, struct bt_env *env,
                                                       struct bt_arena *arena,
                                                       struct bt_ledger_rotate_options *rotation,
                                                       struct bt_findings *alarms,
                                                       struct bt_error *error);

/* ---- The store ------------------------------------------------------------------------------- */

/* Put the object of `baton store info`. */
BT_API BT_MUST_USE enum bt_status bt_ledger_put_info(struct bt_ledger *ledger, struct bt_buf *buf,
                                                     struct bt_error *error);
/* What of it can be asked often: it takes no longer when the log is long. */
struct bt_ledger_stats {
    uint64_t size;      /* entries */
    uint64_t witnessed; /* of them, by the newest checkpoint that a witness has cosigned */
    uint64_t waiting;   /* items in inboxes */
    uint64_t blocked;   /* agents */
};
BT_API BT_MUST_USE enum bt_status
bt_ledger_read_stats(struct bt_ledger *ledger, struct bt_ledger_stats *out, struct bt_error *error);
/* How many milliseconds the store's clock is from ours, either way; 0: it has none of its own. */
BT_API BT_MUST_USE enum bt_status bt_ledger_clock_skew(struct bt_ledger *ledger,
                                                       const struct bt_env *env, uint64_t *out_ms,
                                                       struct bt_error *error);
/* Check the database and that its tables agree with the log. Dialect `store`. */
BT_API BT_MUST_USE enum bt_status bt_ledger_check_store(struct bt_ledger *ledger,
                                                        struct bt_arena *arena,
                                                        struct bt_judgement *out,
                                                        struct bt_error *error);
/* What was done, or would be, to bring a store up to this version. */
struct bt_ledger_migrate_result {
    uint64_t from; /* versions of the schema */
    uint64_t to;
    size_t count;
    const bt_str *steps;
};

/* Bring the schema up to this version and put guards back that were removed; with `is_dry` only say
 * so. BT_ECORRUPT: the database itself is damaged. */
BT_API BT_MUST_USE enum bt_status bt_ledger_migrate(struct bt_ledger *ledger,
                                                    struct bt_arena *arena, bool is_dry,
                                                    struct bt_ledger_migrate_result *out,
                                                    struct bt_error *error);
/* Copy everything to the store that `target` names, a path or URL, and verify the copy. BT_EDENIED:
 * there is something already. */
BT_API BT_MUST_USE enum bt_status bt_ledger_copy_store(struct bt_ledger *ledger,
                                                       struct bt_arena *arena, const char *target,
                                                       struct bt_ledger_head *out,
                                                       struct bt_error *error);
/* Copy the store to `path`, which must not exist, and verify the copy. */
BT_API BT_MUST_USE enum bt_status bt_ledger_back_up(struct bt_ledger *ledger,
                                                    struct bt_arena *arena, const char *path,
                                                    struct bt_ledger_head *out,
                                                    struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
