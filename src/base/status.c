/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - statuses in words, and the error that a caller holds.
 */
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

const char *bt_status_text(enum bt_status status)
{
    static const char *const texts[] = {
        [BT_OK] = "done",
        [BT_ENOMEM] = "no memory left",
        [BT_ELIMIT] = "a limit was reached",
        [BT_EIO] = "reading or writing failed",
        [BT_ECORRUPT] = "stored data is damaged",
        [BT_EINVAL] = "not understood",
        [BT_ENOENT] = "not found",
        [BT_EDENIED] = "not allowed",
        [BT_EEXIST] = "there is one already",
        [BT_EINTERNAL] = "a fault in Baton itself: two of its answers disagree",
    };
    const size_t index = (size_t)status;
    return index < sizeof(texts) / sizeof(texts[0]) && texts[index] ? texts[index] : "unknown";
}

/* Text in errors often quotes names from outside; no control byte may reach a terminal. */
static void blank_controls(char *text)
{
    for (; *text; text++) {
        if (bt_ascii_is_control(*text)) {
            *text = '?';
        }
    }
}

enum bt_status bt_error_set(struct bt_error *error, enum bt_status status, const char *format, ...)
{
    assert(status != BT_OK);
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        const int size = vsnprintf(error->text, sizeof(error->text), format, arguments);
        va_end(arguments);
        if (size < 0) {
            error->text[0] = '\0';
        }
        if (size >= (int)sizeof(error->text)) {
            memcpy(error->text + sizeof(error->text) - 4, "...", 4);
        }
        blank_controls(error->text);
        error->status = status;
    }
    return status;
}

enum bt_status bt_error_errno(struct bt_error *error, const char *what, const char *path)
{
    const int number = errno;
    (void)bt_error_set(error, BT_EIO, "%s%s%s%s%s", what ? what : "", what && path ? " " : "",
                       path ? path : "", what || path ? ": " : "", strerror(number));
    errno = number;
    return BT_EIO;
}
