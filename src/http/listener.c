/* SPDX-License-Identifier: Apache-2.0 */
/* listener.c - listening sockets: IPv4, IPv6, Unix. */
#include "http/listen.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/socket_address.h"

enum { BACKLOG = 4096 };

/* A socket file without a listener is left over from a server that died. */
static void clear_leftover(const union bt_socket_address *address, socklen_t length)
{
    struct stat info;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    if (connect(fd, &address->any, length) != 0 && errno == ECONNREFUSED &&
        lstat(address->local.sun_path, &info) == 0 && S_ISSOCK(info.st_mode)) {
        (void)unlink(address->local.sun_path);
    }
    (void)close(fd);
}

static bool bind_unix(int fd, const union bt_socket_address *address, socklen_t length)
{
    clear_leftover(address, length);
    const mode_t before = umask(0177);
    const int code = bind(fd, &address->any, length);
    (void)umask(before);
    return code == 0;
}

/* BT_EINVAL: the path is too long. BT_EIO: errno is the reason. */
static enum bt_status listen_at_path(bt_str path, int *out_fd)
{
    union bt_socket_address address = {.local = {.sun_family = AF_UNIX}};
    if (path.len >= sizeof(address.local.sun_path)) {
        return BT_EINVAL;
    }
    memcpy(address.local.sun_path, path.ptr, path.len);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return BT_EIO;
    }
    if (!bind_unix(fd, &address, sizeof(address.local)) || listen(fd, BACKLOG) != 0) {
        const int reason = errno;
        (void)close(fd);
        errno = reason;
        return BT_EIO;
    }
    *out_fd = fd;
    return BT_OK;
}

/* BT_EINVAL: not an IP address. BT_EIO: errno is the reason. *out_port: the actual port. */
static enum bt_status listen_at_ip(const struct bt_listen_address *at, int *out_fd,
                                   uint16_t *out_port)
{
    char host[INET6_ADDRSTRLEN] = "";
    union bt_socket_address address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t length = sizeof(address);
    if (at->host.len >= sizeof(host)) {
        return BT_EINVAL;
    }
    memcpy(host, at->host.ptr, at->host.len);
    const struct bt_tcp_listen_options options = {
        .host = host, .port = at->port, .is_ipv6_only = true, .backlog = BACKLOG};
    BT_TRY(bt_tcp_listen(&options, out_fd));
    *out_port =
        getsockname(*out_fd, &address.any, &length) == 0 ? bt_socket_address_port(&address) : 0;
    return BT_OK;
}

enum bt_status http_listen_open(const struct bt_listen_address *at, struct http_listener *out,
                                uint16_t *out_port, struct bt_error *error)
{
    const bool is_unix = at->kind == BT_LISTEN_UNIX;
    int fd = -1;
    uint16_t port = 0;
    const enum bt_status status =
        is_unix ? listen_at_path(at->host, &fd) : listen_at_ip(at, &fd, &port);
    if (status == BT_EINVAL) {
        return bt_error_set(error, BT_EINVAL, "no such address");
    }
    if (status != BT_OK) {
        const int reason = errno;
        return bt_error_set(error, BT_EIO, "%s%s", strerror(reason),
                            reason == EADDRINUSE && !is_unix ? "; port 0 takes any that is free"
                                                             : "");
    }
    *out = (struct http_listener){.fd = fd, .is_local = at->is_local, .is_unix = is_unix};
    *out_port = port;
    return BT_OK;
}

static bool is_listening(int fd)
{
    int type = 0;
    int listens = 0;
    socklen_t length = sizeof(int);
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens;
}

static bool make_own(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

enum bt_status http_listen_take(int fd, struct bt_arena *arena, bt_str *out, struct bt_error *error)
{
    union bt_socket_address address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t length = sizeof(address);
    if (!is_listening(fd) || getsockname(fd, &address.any, &length) != 0 || !make_own(fd)) {
        return bt_error_set(error, BT_EINVAL, "descriptor %d is not a socket that listens", fd);
    }
    const enum bt_status status = bt_socket_address_format(&address, arena, out);
    return status == BT_EINVAL
               ? bt_error_set(error, BT_EINVAL, "descriptor %d listens at no address", fd)
               : status;
}
