/* SPDX-License-Identifier: Apache-2.0 */
/* peers.h - the servers of `ledger.peers`: how far they have witnessed this log, and we theirs. */
#ifndef BATON_SRC_OPERATION_PEERS_H
#define BATON_SRC_OPERATION_PEERS_H

#include "config/config.h"
#include "ledger/ledger.h"

/* ---- Reports of the thread that submits ------------------------------------------------------ */

/* What went wrong last with each peer. Any thread. */
struct bt_peer_reports;

/* NULL: out of memory. */
struct bt_peer_reports *bt_peer_reports_create(void);
/* NULL is allowed. */
void bt_peer_reports_destroy(struct bt_peer_reports *reports);
/* Keep the last error of a peer; "": there is none. */
void bt_peer_reports_set(struct bt_peer_reports *reports, bt_str peer, const char *error);
/* Somebody has signed two histories. */
void bt_peer_reports_raise(struct bt_peer_reports *reports);
/* True after bt_peer_reports_raise(). NULL is allowed. */
bool bt_peer_reports_have_alarm(const struct bt_peer_reports *reports);

/* ---- Peers ----------------------------------------------------------------------------------- */

enum bt_peer_state { BT_PEER_OK = 0, BT_PEER_BEHIND, BT_PEER_FAILING, BT_PEER_STATES };

struct bt_peer_view {
    bt_str name;
    uint64_t witnessed; /* the size of our log that it has cosigned */
    uint64_t behind;    /* entries since */
    uint64_t seen;      /* the size of its log that our witness holds */
    uint64_t last;      /* time of its last cosignature; 0: none */
    bt_str error;       /* "": none */
};

struct bt_peer_list {
    struct bt_peer_view *items;
    size_t count;
};

struct bt_peer_sources {
    struct bt_ledger *ledger;
    const struct bt_config *config;
    const char *witness;             /* folder of our witness; NULL: none */
    struct bt_peer_reports *reports; /* NULL: nobody submits here */
};

/* Read what is known of all peers. In the arena. */
BT_MUST_USE enum bt_status bt_peers_read(struct bt_arena *arena,
                                         const struct bt_peer_sources *sources,
                                         struct bt_peer_list *out, struct bt_error *error);
enum bt_peer_state bt_peer_state(const struct bt_peer_view *peer);
/* Put {"baton":1,"peers":[...]}. */
void bt_peers_put(struct bt_buf *buf, const struct bt_peer_list *peers);

#endif
