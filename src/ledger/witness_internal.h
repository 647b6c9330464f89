/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness_internal.h - the folder of a witness.
 *
 *     DIR/witness.key  witness.vkey  witness.lock
 *     DIR/logs/<SHA-256 of origin>/vkeys  checkpoint  evidence/<SHA-256 of the request>
 */
#ifndef BATON_SRC_LEDGER_WITNESS_INTERNAL_H
#define BATON_SRC_LEDGER_WITNESS_INTERNAL_H

#include "ledger/ledger_internal.h"

/* The state of a witness for one log. */
struct bt_witness_log {
    bt_str folder;
    struct bt_verifier_keys *keys; /* NULL: the log is not trusted */
    bool has_checkpoint;
    bt_str note;
    struct bt_checkpoint checkpoint;
};

/* Read it. BT_ECORRUPT: the stored state cannot be read. */
BT_MUST_USE enum bt_status bt_witness_log(struct bt_arena *arena, const char *folder, bt_str origin,
                                          struct bt_witness_log **out, struct bt_error *error);
/* The private key of the witness. */
BT_MUST_USE enum bt_status bt_witness_key(struct bt_arena *arena, const char *folder,
                                          struct bt_signing_key *out, struct bt_error *error);
/* Make the folder of a log, and those above it up to the witness's own. */
BT_MUST_USE enum bt_status bt_witness_make_log_folder(struct bt_arena *arena, const char *folder,
                                                      bt_str origin, bt_str *out,
                                                      struct bt_error *error);
/* Keep bytes that prove misbehaviour in the folder of their log, unless it has too many. */
BT_MUST_USE enum bt_status bt_witness_keep_evidence(struct bt_arena *arena, bt_str log_folder,
                                                    bt_str bytes, struct bt_error *error);
/* Take the lock that covers test and store; a descriptor to close, or -1. */
int bt_witness_lock(struct bt_arena *arena, const char *folder, struct bt_error *error);

#endif
