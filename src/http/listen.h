/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - listening sockets. */
#ifndef BATON_SRC_HTTP_LISTEN_H
#define BATON_SRC_HTTP_LISTEN_H

#include "config/config.h"
#include "http/http.h"

/* Bind and listen; *out_port is the actual port. BT_EIO, with a reason: it is not possible. */
BT_MUST_USE enum bt_status http_listen_open(const struct bt_listen_address *at,
                                            struct http_listener *out, uint16_t *out_port,
                                            struct bt_error *error);
/*
 * Use a socket that the parent process has bound; *out is the address it listens on, as
 * bt_listen_address_parse() reads it. BT_EINVAL, with a reason: it is not a listening socket, or it
 * has no address.
 */
BT_MUST_USE enum bt_status http_listen_take(int fd, struct bt_arena *arena, bt_str *out,
                                            struct bt_error *error);

#endif
