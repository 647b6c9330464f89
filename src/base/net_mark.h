/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net_mark.h - a mark that handlers with network access run on this machine.
 *
 * Such a handler can connect to servers on the loopback interface, and looks there like any other
 * local process. A server that trusts local callers without a token checks for the mark first. It
 * is an abstract Unix socket, so it exists in the network namespace whose loopback interface the
 * handlers can reach, and ends with the process that holds it.
 */
#ifndef BATON_SRC_BASE_NET_MARK_H
#define BATON_SRC_BASE_NET_MARK_H

#include <baton/base.h>

/* A server may remember for BT_NET_MARK_FRESH_MS that there was no mark. So no handler starts
 * earlier than BT_NET_MARK_LEAD_MS after the mark was set. */
enum { BT_NET_MARK_FRESH_MS = 100, BT_NET_MARK_LEAD_MS = 500 };

/* Set the sign. *out_fd holds it until it is closed. BT_EIO: it cannot be set, and so no such
 * handler may run. */
BT_MUST_USE enum bt_status bt_net_mark_set(int *out_fd, struct bt_error *error);
/* True when it is set by anybody, or when that is unknown. */
bool bt_net_mark_is_set(void);

#endif
