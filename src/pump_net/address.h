/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.h - Unix sockets at paths of any length.
 *
 * The system takes about a hundred bytes as the address of a socket. A longer path is reached
 * through the descriptor of its folder.
 */
#ifndef BATON_SRC_PUMP_NET_ADDRESS_H
#define BATON_SRC_PUMP_NET_ADDRESS_H

#include <sys/types.h>

#include <baton/base.h>

/* Listen at `path` with this mode, in place of a socket that nobody listens at any more. The
 * descriptor does not block. BT_EDENIED: something else has this name. */
BT_MUST_USE enum bt_status bt_unix_listen(const char *path, mode_t mode, int *out_fd,
                                          struct bt_error *error);
/* Begin to connect; the descriptor does not block. BT_ENOENT: nobody listens there; BT_EDENIED:
 * this user may not; BT_ELIMIT: it does not take more at the moment. */
BT_MUST_USE enum bt_status bt_unix_connect(const char *path, int *out_fd, struct bt_error *error);

/* Listen at an IP address, given in digits, and a port. */
BT_MUST_USE enum bt_status bt_tcp_listen(const char *address, uint16_t port, int *out_fd,
                                         struct bt_error *error);

#endif
