/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener.c - sockets to listen at: IPv4, IPv6, Unix.
 */
#include "http/listen.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <arpa/inet.h>

enum { BACKLOG = 4096 };

union http_socket_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
};

/* The address as the system wants it. False: a path that is too long. */
static bool fill_socket_address(const struct bt_listen_address *at, union http_socket_address *out,
                                socklen_t *out_length)
{
    char host[sizeof(out->local.sun_path)] = "";
    if (at->host.len >= sizeof(host)) {
        return false;
    }
    memcpy(host, at->host.ptr, at->host.len);
    memset(out, 0, sizeof(*out));
    switch (at->kind) {
    case BT_LISTEN_IPV4:
        out->four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(at->port)};
        *out_length = sizeof(out->four);
        return inet_pton(AF_INET, host, &out->four.sin_addr) == 1;
    case BT_LISTEN_IPV6:
        out->six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(at->port)};
        *out_length = sizeof(out->six);
        return inet_pton(AF_INET6, host, &out->six.sin6_addr) == 1;
    case BT_LISTEN_UNIX:
        out->local.sun_family = AF_UNIX;
        memcpy(out->local.sun_path, host, sizeof(host));
        *out_length = sizeof(out->local);
        return true;
    case BT_LISTEN_NONE:
        break;
    }
    return false;
}

/* A socket that nobody answers at is left over from a server that died. */
static void clear_leftover(const union http_socket_address *address, socklen_t length)
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

static bool bind_unix(int fd, const union http_socket_address *address, socklen_t length)
{
    clear_leftover(address, length);
    const mode_t before = umask(0177);
    const int code = bind(fd, &address->any, length);
    (void)umask(before);
    return code == 0;
}

static bool bind_internet(int fd, const union http_socket_address *address, socklen_t length)
{
    const int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           (address->any.sa_family != AF_INET6 ||
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
           bind(fd, &address->any, length) == 0;
}

static uint16_t port_of(int fd)
{
    union http_socket_address address;
    socklen_t length = sizeof(address);
    memset(&address, 0, sizeof(address));
    if (getsockname(fd, &address.any, &length) != 0) {
        return 0;
    }
    return address.any.sa_family == AF_INET6 ? ntohs(address.six.sin6_port)
                                             : ntohs(address.four.sin_port);
}

enum bt_status http_listen_open(const struct bt_listen_address *at, struct http_listener *out,
                                uint16_t *out_port, struct bt_error *error)
{
    union http_socket_address address;
    socklen_t length = 0;
    const bool is_unix = at->kind == BT_LISTEN_UNIX;
    if (!fill_socket_address(at, &address, &length)) {
        return bt_error_set(error, BT_EINVAL, "no such address");
    }
    const int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    const bool is_bound =
        is_unix ? bind_unix(fd, &address, length) : bind_internet(fd, &address, length);
    if (!is_bound || listen(fd, BACKLOG) != 0) {
        const int reason = errno;
        (void)close(fd);
        return bt_error_set(error, BT_EIO, "%s%s", strerror(reason),
                            reason == EADDRINUSE && !is_unix ? "; port 0 takes any that is free"
                                                             : "");
    }
    *out = (struct http_listener){.fd = fd, .is_local = at->is_local, .is_unix = is_unix};
    *out_port = is_unix ? 0 : port_of(fd);
    return BT_OK;
}

/* ---- Sockets of others ----------------------------------------------------------------------- */

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
    union http_socket_address address;
    socklen_t length = sizeof(address);
    char host[INET6_ADDRSTRLEN] = "";
    memset(&address, 0, sizeof(address));
    if (!is_listening(fd) || getsockname(fd, &address.any, &length) != 0 || !make_own(fd)) {
        return bt_error_set(error, BT_EINVAL, "descriptor %d is no socket that listens", fd);
    }
    if (address.any.sa_family == AF_INET &&
        inet_ntop(AF_INET, &address.four.sin_addr, host, sizeof(host))) {
        return bt_arena_printf(arena, out, "%s:%u", host, ntohs(address.four.sin_port));
    }
    if (address.any.sa_family == AF_INET6 &&
        inet_ntop(AF_INET6, &address.six.sin6_addr, host, sizeof(host))) {
        return bt_arena_printf(arena, out, "[%s]:%u", host, ntohs(address.six.sin6_port));
    }
    if (address.any.sa_family == AF_UNIX && address.local.sun_path[0]) {
        return bt_arena_printf(arena, out, "unix:%.*s", (int)sizeof(address.local.sun_path),
                               address.local.sun_path);
    }
    return bt_error_set(error, BT_EINVAL, "descriptor %d listens at no address", fd);
}
