/* SPDX-License-Identifier: Apache-2.0 */
/* file_lock.c - locks of open files, waited for with a deadline. */
#define _DEFAULT_SOURCE /* flock() */
#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"

enum { PAUSE_NS = 5000000 };

/* It polls, because flock() itself has no limit and an alarm would be that of the whole process. */
bool bt_fd_lock(int fd, uint64_t wait_ms)
{
    const struct timespec pause = {0, PAUSE_NS};
    const uint64_t until_ms = bt_clock_monotonic_ms() + wait_ms;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) { /* ends at the deadline */
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return false;
        }
        if (bt_clock_monotonic_ms() >= until_ms) {
            errno = EWOULDBLOCK;
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    return true;
}
