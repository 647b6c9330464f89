/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - many ledgers below one root, each with its own origin, key, head and lock.
 *
 * The root is a folder, with the store of a log in ROOT/NAME/store.db and its files beside it; or a
 * PostgreSQL database, with a log in the schema log_NAME (with _ for -) and its files in the folder
 * of keys: NAME.key, NAME.vkey, NAME.head. A log is known when it has a store or, on a server, when
 * this node has its vkey. What is changed below the root is changed under the lock of the root.
 */
#ifndef BATON_SRC_LEDGER_LOGS_H
#define BATON_SRC_LEDGER_LOGS_H

#include "ledger/ledger.h"

enum { BT_LOG_NAME_BYTES_MAX = 63 };

/* Where the logs are. */
struct bt_logs {
    bt_str root;        /* a folder, or postgresql://... */
    bt_str keys;        /* the folder of keys of logs on a server; "": none */
    uint64_t count_max; /* so many logs can be made */
};

/* True for 1 to 63 of [a-z0-9-], of which the first is not a hyphen. */
bool bt_log_name_is_valid(bt_str name);

/*
 * The store of a log for struct bt_ledger_options, followed by a NUL byte; it also says where its
 * files are. BT_EINVAL: the name is not valid, or the root cannot hold it; `error` says why.
 */
BT_MUST_USE enum bt_status bt_log_store(const struct bt_logs *logs, struct bt_arena *arena,
                                        bt_str name, bt_str *out, struct bt_error *error);
/* Check that there is such a log, without opening it. BT_ENOENT: there is none. Others as above. */
BT_MUST_USE enum bt_status bt_log_find(const struct bt_logs *logs, struct bt_arena *arena,
                                       bt_str name, bt_str *out_store, struct bt_error *error);

/* The names of all logs, sorted, in the arena; no log is opened. */
BT_MUST_USE enum bt_status bt_logs_list(const struct bt_logs *logs, struct bt_arena *arena,
                                        struct bt_str_list *out, struct bt_error *error);

/* A log and its origin; "" when its vkey cannot be read. */
struct bt_log_row {
    bt_str name;
    bt_str origin;
};

struct bt_log_rows {
    const struct bt_log_row *items; /* sorted by name */
    size_t count;
};

/*
 * The names and origins of all logs, in the arena; no log is opened. Origins of logs in `known`
 * (NULL: none) are not read again: a log never changes its origin.
 */
BT_MUST_USE enum bt_status bt_logs_read(const struct bt_logs *logs, struct bt_arena *arena,
                                        const struct bt_log_rows *known, struct bt_log_rows *out,
                                        struct bt_error *error);

struct bt_emit;
/* Write a log as a member of a list; size NULL: it could not be read. */
void bt_log_row_put(struct bt_emit *emit, const struct bt_log_row *row, const uint64_t *size);

/*
 * Open a log for reading and read its size. `options` gives deadlines and memory; its store is not
 * used. BT_ECORRUPT: the log cannot be trusted. Others as for bt_ledger_open().
 */
BT_MUST_USE enum bt_status bt_log_read_size(const struct bt_logs *logs, struct bt_arena *arena,
                                            const struct bt_ledger_options *options, bt_str name,
                                            uint64_t *out, struct bt_error *error);

/* How to make a log. */
struct bt_log_new_options {
    bt_str name;
    struct bt_ledger_init_options init;
    struct bt_ledger_options ledger; /* deadlines and memory; its store is not used */
    const struct bt_log_rows *known; /* as for bt_logs_read() */
};

/*
 * Make a log like bt_ledger_init(). BT_EEXIST: the name or the origin is taken. BT_ELIMIT: there
 * are as many logs as allowed. Others as for bt_ledger_init().
 */
BT_MUST_USE enum bt_status bt_log_new(const struct bt_logs *logs, struct bt_env *env,
                                      struct bt_arena *arena,
                                      const struct bt_log_new_options *options,
                                      struct bt_ledger_init_result *out, struct bt_error *error);

/* How to adopt the folder of a ledger, and what it became. */
struct bt_log_adopt_options {
    bt_str name;
    bt_str folder;                   /* with store.db and the files of its ledger */
    struct bt_ledger_options ledger; /* as above */
    struct bt_progress progress;     /* of the verification, in entries */
    struct bt_judgement *judged;     /* out: of the verification */
    bool is_adopted;                 /* out: else the verification has rejected it */
    bt_str origin;                   /* out ... */
    uint64_t size;
};

/*
 * Verify a ledger and move its folder below the root by renaming it, while its store is locked.
 * BT_EEXIST, BT_ELIMIT as for bt_log_new(). BT_EINVAL: the root is a server, or the folder is a
 * link. BT_EIO: it lies in another file system, or renaming failed.
 */
BT_MUST_USE enum bt_status bt_log_adopt(const struct bt_logs *logs, struct bt_arena *arena,
                                        struct bt_log_adopt_options *options,
                                        struct bt_error *error);

#endif
