/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activation.c - LISTEN_FDS, LISTEN_PID and NOTIFY_SOCKET.
 */
#include "serve/activation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"
#include "http/http.h"

enum bt_status serve_activation_count(size_t *out, struct bt_error *error)
{
    const bt_str given = bt_str_of(getenv("LISTEN_FDS"));
    uint64_t pid = 0;
    uint64_t count = 0;
    *out = 0;
    if (given.len == 0 || bt_str_to_u64(bt_str_of(getenv("LISTEN_PID")), &pid) != BT_OK ||
        pid != (uint64_t)getpid()) {
        return BT_OK; /* they are for another process */
    }
    if (bt_str_to_u64(given, &count) != BT_OK || count > HTTP_LISTENERS_MAX) {
        return bt_error_set(error, BT_EINVAL, "LISTEN_FDS is not a number up to %d",
                            HTTP_LISTENERS_MAX);
    }
    *out = (size_t)count;
    return BT_OK;
}

void serve_activation_notify(const char *state)
{
    const bt_str path = bt_str_of(getenv("NOTIFY_SOCKET"));
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (path.len < 2 || path.len >= sizeof(to.sun_path) || !strchr("/@", path.ptr[0])) {
        return;
    }
    memcpy(to.sun_path, path.ptr, path.len);
    if (to.sun_path[0] == '@') {
        to.sun_path[0] = '\0'; /* an abstract socket name */
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return;
    }
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.len));
    (void)close(fd);
}
