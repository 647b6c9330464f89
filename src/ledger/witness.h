/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness.h - witness a ledger: keep its checkpoints and cosign those that extend them.
 *
 * For each log that it trusts, a witness keeps the largest checkpoint it has seen, in a directory,
 * and cosigns a newer one only if that extends it. Statuses that are not described: BT_ENOMEM, the
 * arena reached its limit; BT_EIO, a file could not be read or written; `error` says why.
 */
#ifndef BATON_SRC_LEDGER_WITNESS_H
#define BATON_SRC_LEDGER_WITNESS_H

#include "ledger/ledger.h"

struct bt_witness_init_result {
    bt_str vkey;
    bool is_test_key;
};

/*
 * Make a witness; plan->origin is its name. BT_EDENIED: the directory already holds one. BT_EINVAL:
 * invalid name or key.
 */
BT_MUST_USE enum bt_status bt_witness_init(struct bt_env *env, struct bt_arena *arena,
                                           const char *folder,
                                           const struct bt_ledger_init_options *plan,
                                           struct bt_witness_init_result *out,
                                           struct bt_error *error);

struct bt_witness_trust_result {
    bt_str origin;
    uint64_t logs; /* number of logs that it trusts now */
};

/*
 * Trust a log's vkey. A second key of a known origin needs `adding`, else it gives BT_EDENIED.
 * BT_EINVAL: not a vkey.
 */
BT_MUST_USE enum bt_status bt_witness_trust_log(struct bt_arena *arena, const char *folder,
                                                bt_str vkey, bool adding,
                                                struct bt_witness_trust_result *out,
                                                struct bt_error *error);

struct bt_witness_request {
    const char *folder; /* of the witness */
    bt_str path;        /* of the request, for messages */
    bt_str body;        /* `old N`, hashes, an empty line, a checkpoint */
};

struct bt_witness_cosign_result {
    struct bt_judgement judged; /* dialect `checkpoint` */
    bt_str line;                /* the cosignature, or "" */
    unsigned status;            /* the HTTP status of C2SP tlog-witness ... */
    bt_str body;                /* ... the body: the line, the size held (409), or a sentence */
    bt_str body_type;           /* ... and its media type */
};

/* Check a request and, when it has no finding, store the checkpoint and cosign it. */
BT_MUST_USE enum bt_status bt_witness_cosign(struct bt_env *env, struct bt_arena *arena,
                                             const struct bt_witness_request *request,
                                             struct bt_witness_cosign_result *out,
                                             struct bt_error *error);

/*
 * Put what the witness holds as one JSON object: all logs, or the one with this origin if it is not
 * "". BT_ENOENT: the origin is unknown. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status bt_witness_put_logs(struct bt_arena *arena, const char *folder,
                                               bt_str origin, struct bt_buf *buf,
                                               struct bt_error *error);
/* The origin of the log with this digest, in the arena. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_witness_find_origin(struct bt_arena *arena, const char *folder,
                                                  bt_str hash, bt_str *out, struct bt_error *error);
/* What a witness knows of a log. */
struct bt_witness_known {
    uint64_t size;     /* of the largest checkpoint that it has cosigned */
    uint64_t evidence; /* number of requests that contradict it */
};

/* Read it; all zero for an unknown log. */
BT_MUST_USE enum bt_status bt_witness_read_known(struct bt_arena *arena, const char *folder,
                                                 bt_str origin, struct bt_witness_known *out,
                                                 struct bt_error *error);
/* The cosigned checkpoint of a log, in the arena. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_witness_get_checkpoint(struct bt_arena *arena, const char *folder,
                                                     bt_str origin, bt_str *out,
                                                     struct bt_error *error);

#endif
