/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - failures of the operating system as text.
 */
#ifndef BATON_SRC_BASE_ERROR_H
#define BATON_SRC_BASE_ERROR_H

#include <baton/base.h>

/*
 * Fill `error` (which may be NULL) with "WHAT PATH: REASON", where the reason is that of errno, and
 * return BT_EIO. `what` and `path` may be NULL and are left out then. errno stays as it is.
 */
enum bt_status bt_error_errno(struct bt_error *error, const char *what, const char *path);

#endif
