/* SPDX-License-Identifier: Apache-2.0 */
/* watch_absent.c - waiting for changes in a build for any POSIX system: it says that it cannot. */
#include "watch.h"

#include "base/error.h"

struct check_watch *check_watch_open(struct bt_error *error)
{
    (void)bt_error_set(error, BT_EINVAL, "this build has no watch");
    return NULL;
}

void check_watch_close(struct check_watch *watch)
{
    (void)watch;
}

void check_watch_reset(struct check_watch *watch)
{
    (void)watch;
}

void check_watch_add(struct check_watch *watch, const char *folder)
{
    (void)watch;
    (void)folder;
}

bool check_watch_has_begun_polling(struct check_watch *watch)
{
    (void)watch;
    return false;
}

enum check_watch_event check_watch_wait(struct check_watch *watch)
{
    (void)watch;
    return CHECK_WATCH_ENDED;
}

bool check_watch_has_ended(struct check_watch *watch)
{
    (void)watch;
    return true;
}
