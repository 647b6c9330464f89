/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activation.h - the manager that started us: sockets that it holds, and how we tell it how we are.
 *
 * The protocols are those of sd_listen_fds(3) and sd_notify(3).
 */
#ifndef BATON_APP_SERVE_ACTIVATION_H
#define BATON_APP_SERVE_ACTIVATION_H

#include <baton/base.h>

enum { ACTIVATION_FIRST_FD = 3 };

/* How many sockets we were given (LISTEN_FDS, when LISTEN_PID is ours). BT_EINVAL, with a reason:
 * it is no number that we can serve. */
BT_MUST_USE enum bt_status serve_activation_count(size_t *out, struct bt_error *error);
/* Tell the manager, if there is one (NOTIFY_SOCKET); who does not listen is not waited for. */
void serve_activation_notify(const char *state);

#endif
