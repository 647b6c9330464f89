/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_lock.c - for LD_PRELOAD: locks that do not lock. What a test of two requests at once must
 * notice.
 */
#define _DEFAULT_SOURCE /* flock() */
#include <sys/file.h>

int flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    return 0;
}
