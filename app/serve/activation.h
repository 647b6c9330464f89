/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activation.h - service manager integration: inherited sockets and state notifications.
 *
 * The protocols are those of sd_listen_fds(3) and sd_notify(3).
 */
#ifndef BATON_APP_SERVE_ACTIVATION_H
#define BATON_APP_SERVE_ACTIVATION_H

#include <baton/base.h>

enum { ACTIVATION_FIRST_FD = 3 };

/*
 * The number of inherited sockets (LISTEN_FDS, if LISTEN_PID is this process). BT_EINVAL: it is not
 * a number that the server can handle; `error` says why.
 */
BT_MUST_USE enum bt_status serve_activation_count(size_t *out, struct bt_error *error);
/* Send a state to the manager, if there is one (NOTIFY_SOCKET). Never blocks. */
void serve_activation_notify(const char *state);

#endif
