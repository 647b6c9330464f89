/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_address.c - IPv4, IPv6 and Unix addresses; listening and connecting.
 */
#define _GNU_SOURCE /* O_PATH, SOCK_CLOEXEC */
#include "net/socket_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

enum { UNIX_BACKLOG = 128, PORT_BYTES = 8 };

bool bt_socket_address_put_ip(const union bt_socket_address *address, char out[INET6_ADDRSTRLEN])
{
    switch (address->any.sa_family) {
    case AF_INET:
        return inet_ntop(AF_INET, &address->four.sin_addr, out, INET6_ADDRSTRLEN) != NULL;
    case AF_INET6:
        return inet_ntop(AF_INET6, &address->six.sin6_addr, out, INET6_ADDRSTRLEN) != NULL;
    default:
        return false;
    }
}

uint16_t bt_socket_address_port(const union bt_socket_address *address)
{
    return ntohs(address->any.sa_family == AF_INET6 ? address->six.sin6_port
                                                    : address->four.sin_port);
}

enum bt_status bt_socket_address_format(const union bt_socket_address *address,
                                        struct bt_arena *arena, bt_str *out)
{
    char ip[INET6_ADDRSTRLEN];
    if (bt_socket_address_put_ip(address, ip)) {
        return bt_arena_printf(arena, out, address->any.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u",
                               ip, bt_socket_address_port(address));
    }
    if (address->any.sa_family != AF_UNIX || !address->local.sun_path[0]) {
        return BT_EINVAL;
    }
    return bt_arena_printf(arena, out, "unix:%.*s", (int)sizeof(address->local.sun_path),
                           address->local.sun_path);
}

/* A path as an address. `folder` is open while the address is in use, or -1. */
struct unix_socket_address {
    struct sockaddr_un name;
    int folder;
};

static enum bt_status set_path(const char *path, struct unix_socket_address *out,
                               struct bt_error *error)
{
    const size_t size = strlen(path);
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    *out = (struct unix_socket_address){.name = {.sun_family = AF_UNIX}, .folder = -1};
    if (size < sizeof(out->name.sun_path)) {
        memcpy(out->name.sun_path, path, size + 1);
        return BT_OK;
    }
    if (!slash || size >= sizeof(folder)) {
        return bt_error_set(error, BT_EINVAL, "the path of the socket is too long");
    }
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    out->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (out->folder < 0) {
        return bt_error_set(error, errno == ENOENT ? BT_ENOENT : BT_EIO, "%s: %s", folder,
                            strerror(errno));
    }
    const int written = snprintf(out->name.sun_path, sizeof(out->name.sun_path),
                                 "/proc/self/fd/%d%s", out->folder, slash);
    if (written < 0 || (size_t)written >= sizeof(out->name.sun_path)) {
        (void)close(out->folder);
        out->folder = -1;
        return bt_error_set(error, BT_EINVAL, "the name of the socket is too long");
    }
    return BT_OK;
}

static void close_folder(struct unix_socket_address *address)
{
    if (address->folder >= 0) {
        (void)close(address->folder);
    }
}

/* Hand over a socket that is ready, or close it and keep the reason in errno. */
static enum bt_status keep_socket(int fd, bool is_ready, int reason, int *out_fd)
{
    if (is_ready) {
        *out_fd = fd;
        return BT_OK;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = reason;
    return BT_EIO;
}

static enum bt_status remove_socket(const char *path, struct bt_error *error)
{
    struct stat found;
    if (lstat(path, &found) != 0) {
        return errno == ENOENT ? BT_OK
                               : bt_error_set(error, BT_EIO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISSOCK(found.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "%s exists and is not a socket", path);
    }
    return unlink(path) == 0 ? BT_OK : bt_error_set(error, BT_EIO, "%s: %s", path, strerror(errno));
}

/* Clients cannot connect before listen(), so the mode is set in time. */
static bool listen_at(int fd, const struct sockaddr_un *name, const char *path, mode_t mode)
{
    return bind(fd, (const struct sockaddr *)name, sizeof(*name)) == 0 && chmod(path, mode) == 0 &&
           listen(fd, UNIX_BACKLOG) == 0;
}

enum bt_status bt_unix_listen(const char *path, mode_t mode, int *out_fd, struct bt_error *error)
{
    struct unix_socket_address address;
    BT_TRY(remove_socket(path, error));
    BT_TRY(set_path(path, &address, error));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_listening = fd >= 0 && listen_at(fd, &address.name, path, mode);
    const int reason = errno;
    close_folder(&address);
    return keep_socket(fd, is_listening, reason, out_fd) == BT_OK
               ? BT_OK
               : bt_error_set(error, BT_EIO, "cannot listen at %s: %s", path, strerror(reason));
}

enum bt_status bt_tcp_listen(const struct bt_tcp_listen_options *options, int *out_fd)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    char port[PORT_BYTES];
    const int on = 1;
    (void)snprintf(port, sizeof(port), "%u", (unsigned)options->port);
    if (getaddrinfo(options->host, port, &hints, &found) != 0) {
        return BT_EINVAL;
    }
    const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_listening =
        fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        (!options->is_ipv6_only || found->ai_family != AF_INET6 ||
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
        bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, options->backlog) == 0;
    const int reason = errno;
    freeaddrinfo(found);
    return keep_socket(fd, is_listening, reason, out_fd);
}

static enum bt_status connect_status(int reason)
{
    switch (reason) {
    case ENOENT:
    case ENOTDIR:
    case ECONNREFUSED:
        return BT_ENOENT;
    case EACCES:
    case EPERM:
        return BT_EDENIED;
    case EAGAIN:
        return BT_ELIMIT;
    default:
        return BT_EIO;
    }
}

enum bt_status bt_unix_connect(const char *path, int *out_fd, struct bt_error *error)
{
    struct unix_socket_address address;
    BT_TRY(set_path(path, &address, error));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_connected =
        fd >= 0 && connect(fd, (const struct sockaddr *)&address.name, sizeof(address.name)) == 0;
    const int reason = errno;
    close_folder(&address);
    return keep_socket(fd, is_connected, reason, out_fd) == BT_OK
               ? BT_OK
               : bt_error_set(error, connect_status(reason), "%s: %s", path, strerror(reason));
}

enum bt_status bt_tcp_connect(const struct addrinfo *address, int *out_fd)
{
    const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_started = fd >= 0 && (connect(fd, address->ai_addr, address->ai_addrlen) == 0 ||
                                        errno == EINPROGRESS);
    return keep_socket(fd, is_started, errno, out_fd);
}
