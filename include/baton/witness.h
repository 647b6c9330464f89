/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness.h - another party's small memory of a ledger.
 *
 * For each log it trusts, a witness keeps the largest checkpoint it has seen, in a folder, and
 * signs a newer one only if that extends it.
 */
#ifndef BATON_WITNESS_H
#define BATON_WITNESS_H

#include <baton/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_witness_init_result {
    bt_str vkey;
    bool is_test_key;
};

/* Make a witness; plan->origin is its name. BT_EDENIED: the folder holds one. */
BT_API BT_MUST_USE enum bt_status bt_witness_init(struct bt_env *env, struct bt_arena *arena,
                                                  const char *folder,
                                                  const struct bt_ledger_init_options *plan,
                                                  struct bt_witness_init_result *out,
                                                  struct bt_error *error);

struct bt_witness_trust_result {
    bt_str origin;
    uint64_t logs; /* that it trusts now */
};

/* Trust a log's vkey. A second key of a known origin needs `adding`, else it is BT_EDENIED. */
BT_API BT_MUST_USE enum bt_status bt_witness_trust_log(struct bt_arena *arena, const char *folder,
                                                       bt_str vkey, bool adding,
                                                       struct bt_witness_trust_result *out,
                                                       struct bt_error *error);

struct bt_witness_request {
    const char *folder; /* of the witness */
    bt_str path;        /* of the request, for people */
    bt_str body;        /* `old N`, hashes, an empty line, a checkpoint */
};

struct bt_witness_cosign_result {
    struct bt_judgement judged; /* dialect `checkpoint` */
    bt_str line;                /* the cosignature, or "" */
    unsigned status;            /* what a server answers, as C2SP tlog-witness has it ... */
    bt_str body;                /* ... the line, the size held (409), or a sentence */
    bt_str body_type;           /* ... and the media type of that */
};

/* Judge a request and, when nothing is wrong with it, remember and cosign. */
BT_API BT_MUST_USE enum bt_status bt_witness_cosign(struct bt_env *env, struct bt_arena *arena,
                                                    const struct bt_witness_request *request,
                                                    struct bt_witness_cosign_result *out,
                                                    struct bt_error *error);

/* Put what the witness holds, as one JSON object: of all logs, or of the one with this origin.
 * BT_ENOENT: it does not know that one. */
BT_API BT_MUST_USE enum bt_status bt_witness_put_logs(struct bt_arena *arena, const char *folder,
                                                      bt_str origin, struct bt_buf *buf,
                                                      struct bt_error *error);
/* The cosigned checkpoint of a log. BT_ENOENT: there is none. */
BT_API BT_MUST_USE enum bt_status bt_witness_get_checkpoint(struct bt_arena *arena,
                                                            const char *folder, bt_str origin,
                                                            bt_str *out, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
