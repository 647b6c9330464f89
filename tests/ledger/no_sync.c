/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_sync.c - for LD_PRELOAD: a machine whose calls for durability do nothing. What a test of power
 * cuts must notice.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

int fsync(int fd)
{
    (void)fd;
    return 0;
}

int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

int msync(void *memory, size_t size, int flags)
{
    (void)memory;
    (void)size;
    (void)flags;
    return 0;
}
