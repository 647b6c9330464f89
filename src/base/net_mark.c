/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net_mark.c - the mark as a datagram socket with an abstract name. Each process that sets it takes
 * the first free name of a few.
 */
#define _GNU_SOURCE
#include "base/net_mark.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

enum { NAMES = 16 };

/* The n-th name; its length is that of the address. */
static socklen_t name_at(int n, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int size =
        snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "baton-net-handlers/%d", n);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

enum bt_status bt_net_mark_set(int *out_fd, struct bt_error *error)
{
    struct sockaddr_un address;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (int n = 0; fd >= 0 && n < NAMES; n++) {
        const socklen_t size = name_at(n, &address);
        if (bind(fd, (const struct sockaddr *)&address, size) == 0) {
            *out_fd = fd;
            return BT_OK;
        }
        if (errno != EADDRINUSE) {
            break;
        }
    }
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    return bt_error_set(error, BT_EIO,
                        "allow: [net] cannot be announced to servers on this machine: %s",
                        strerror(why));
}

bool bt_net_mark_is_set(void)
{
    struct sockaddr_un address;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_set = fd < 0;
    for (int n = 0; n < NAMES && !is_set; n++) {
        const socklen_t size = name_at(n, &address);
        is_set = connect(fd, (const struct sockaddr *)&address, size) == 0 || errno != ECONNREFUSED;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_set;
}
