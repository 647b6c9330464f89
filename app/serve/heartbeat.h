/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heartbeat.h - entries that say that this server runs: when it starts, while nothing else is
 * recorded, and when it stops.
 */
#ifndef BATON_APP_SERVE_HEARTBEAT_H
#define BATON_APP_SERVE_HEARTBEAT_H

#include "serve/server.h"

struct serve_heartbeat;

/* NULL: it failed. End it with heartbeat_end() and heartbeat_destroy(). */
struct serve_heartbeat *heartbeat_create(struct serve_server *gateway);
/* End its thread within a short time, at the latest at `until_ms`. NULL is allowed. */
void heartbeat_end(struct serve_heartbeat *heartbeat, uint64_t until_ms);
void heartbeat_destroy(struct serve_heartbeat *heartbeat);
/* Record that the server starts; before the writer has the ledger. */
BT_MUST_USE enum bt_status heartbeat_start(struct serve_heartbeat *heartbeat,
                                           struct bt_ledger *ledger, struct bt_error *error);
/* Ask a writer for an entry; with `age_s`, only when the newest one is at least as old. Sets in how
 * many seconds to ask again. False: it could not be recorded. */
bool heartbeat_append(struct serve_heartbeat *heartbeat, struct bt_ledger_writer *writer,
                      const char *event, uint64_t age_s, uint64_t *out_wait_s);
/* Record that it stops; after the writer has given the ledger back. */
void heartbeat_stop(struct serve_heartbeat *heartbeat, struct bt_ledger *ledger);
/* Follow `ledger.heartbeat` of a configuration. False: no thread could be started. */
BT_MUST_USE bool heartbeat_change(struct serve_heartbeat *heartbeat, const struct bt_config *config,
                                  struct bt_error *error);

#endif
