/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers.h - the servers of `ledger.peers`, which cosign this log as this server cosigns theirs.
 *
 * newest checkpoint -> one thread -> POST url/add-checkpoint, to all -> cosignatures -> store
 *
 * Only the thread waits for other servers, at most 5 s for the slowest, so that no decision does.
 * A peer that fails is left alone for a time that doubles with each failure, up to 5 minutes.
 */
#ifndef BATON_APP_SERVE_PEERS_H
#define BATON_APP_SERVE_PEERS_H

#include "operation/peers.h"
#include "serve/server.h"

/* NULL: it failed. End it with peers_destroy(). */
struct serve_peers *peers_create(struct serve_server *gateway);
/* End its thread within a short time, at the latest at `until_ms`, and free it. NULL is allowed. */
void peers_destroy(struct serve_peers *peers, uint64_t until_ms);
/*
 * Follow `ledger.peers` of a configuration, and let our witness trust their logs. False: a peer has
 * our own log, the witness cannot be used, or no thread could be started.
 */
BT_MUST_USE bool peers_change(struct serve_peers *peers, const struct bt_config *config,
                              struct bt_error *error);
/*
 * Before the server starts: compare the ledger with what each peer has cosigned of it. All are
 * asked at once, for at most SERVE_PEER_MS. A difference is a finding in `alarms`; *out_silent gets
 * the names of those that did not answer. What is returned lives in the arena.
 */
enum { SERVE_PEER_MS = 5000 };
BT_MUST_USE enum bt_status peers_compare(struct bt_ledger *ledger, struct bt_arena *arena,
                                         const struct bt_config *config, struct bt_findings *alarms,
                                         struct bt_str_list *out_silent, struct bt_error *error);
/* What the thread reports; lives as long as `peers`. */
struct bt_peer_reports *peers_reports(const struct serve_peers *peers);
/* On the event loop: log what has happened. */
void peers_log(struct serve_peers *peers);

#endif
