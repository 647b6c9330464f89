/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - failures as text, and how functions return early.
 */
#ifndef BATON_SRC_BASE_ERROR_H
#define BATON_SRC_BASE_ERROR_H

#include <baton/base.h>

#define BT_PRINTF(format_index, first_index)                                                       \
    __attribute__((format(printf, format_index, first_index)))

/*
 * Fill `error` (which may be NULL) and return `status`, so that a function can write `return
 * bt_error_set(error, BT_EIO, "...")`. */
enum bt_status bt_error_set(struct bt_error *error, enum bt_status status, const char *format, ...)
    BT_PRINTF(3, 4);

/* Return early on failure. Use it only in functions that own nothing outside an arena. */
#define BT_TRY(call)                                                                               \
    do {                                                                                           \
        enum bt_status bt_try_status = (call);                                                     \
        if (bt_try_status != BT_OK) {                                                              \
            return bt_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/*
 * Fill `error` (which may be NULL) with "WHAT PATH: REASON", where the reason is that of errno, and
 * return BT_EIO. `what` and `path` may be NULL and are left out then. errno stays as it is.
 */
enum bt_status bt_error_errno(struct bt_error *error, const char *what, const char *path);

#endif
