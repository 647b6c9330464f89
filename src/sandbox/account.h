/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.h - the account that hosts run as, when root starts them.
 */
#ifndef BATON_SRC_SANDBOX_ACCOUNT_H
#define BATON_SRC_SANDBOX_ACCOUNT_H

#include "sandbox/launch.h"

/*
 * From now on the hosts of this context, whose root is known, run as the account `name`. A process
 * that is not root cannot change accounts: then, and where `name` is empty, nothing is changed.
 *
 * BT_ENOENT: there is no such account, or it cannot reach the root of the context; `error` says
 * which. BT_EIO: the system failed.
 */
BT_MUST_USE enum bt_status bt_sandbox_switch_account(struct bt_host_launch_context *context,
                                                     bt_str name, struct bt_error *error);

#endif
