/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls.h - TLS for connections that never block.
 */
#ifndef BATON_SRC_DOOR_TLS_H
#define BATON_SRC_DOOR_TLS_H

#include "door/wire.h"

struct bt_tls; /* that of a server, or of somebody who connects */

/* A server's, with a certificate and its key. BT_EINVAL: they cannot be used. */
BT_MUST_USE enum bt_status bt_tls_server(const char *certificate, const char *key,
                                         struct bt_tls **out, struct bt_error *error);
void bt_tls_free(struct bt_tls *tls);

/* From now on what goes over this wire, which has just been accepted, is TLS. */
BT_MUST_USE bool bt_tls_accept(struct bt_tls *tls, struct bt_wire *wire);

#endif
