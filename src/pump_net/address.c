/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.c - where to listen and to connect: Unix sockets at paths of any length, TCP ports.
 */
#define _GNU_SOURCE /* O_PATH, SOCK_CLOEXEC */
#include "pump_net/address.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

/* A path as an address; `folder` is open as long as the address is of use, or -1. */
struct unix_socket_address {
    struct sockaddr_un name;
    int folder;
};

static enum bt_status name_it(const char *path, struct unix_socket_address *out,
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

/* ---- Listening ------------------------------------------------------------------------------- */

static enum bt_status clear_place(const char *path, struct bt_error *error)
{
    struct stat found;
    if (lstat(path, &found) != 0) {
        return errno == ENOENT ? BT_OK
                               : bt_error_set(error, BT_EIO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISSOCK(found.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "%s is there already, and is no socket", path);
    }
    return unlink(path) == 0 ? BT_OK : bt_error_set(error, BT_EIO, "%s: %s", path, strerror(errno));
}

/* Nobody can connect before listen(), so the mode is right before it matters. */
static bool listen_at(int fd, const struct sockaddr_un *name, const char *path, mode_t mode)
{
    return bind(fd, (const struct sockaddr *)name, sizeof(*name)) == 0 && chmod(path, mode) == 0 &&
           listen(fd, BACKLOG) == 0;
}

enum bt_status bt_unix_listen(const char *path, mode_t mode, int *out_fd, struct bt_error *error)
{
    struct unix_socket_address address;
    BT_TRY(clear_place(path, error));
    BT_TRY(name_it(path, &address, error));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_listening = fd >= 0 && listen_at(fd, &address.name, path, mode);
    const int failure = errno;
    close_folder(&address);
    if (is_listening) {
        *out_fd = fd;
        return BT_OK;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return bt_error_set(error, BT_EIO, "cannot listen at %s: %s", path, strerror(failure));
}

enum bt_status bt_tcp_listen(const char *address, uint16_t port, int *out_fd,
                             struct bt_error *error)
{
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found = NULL;
    char service[8];
    const int yes = 1;
    (void)snprintf(service, sizeof(service), "%u", (unsigned)port);
    if (getaddrinfo(address, service, &wanted, &found) != 0) {
        return bt_error_set(error, BT_EINVAL, "%s is no address", address);
    }
    const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_listening =
        fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
        bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
    const int failure = errno;
    freeaddrinfo(found);
    if (is_listening) {
        *out_fd = fd;
        return BT_OK;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return bt_error_set(error, BT_EIO, "cannot listen at %s, port %u: %s", address, (unsigned)port,
                        strerror(failure));
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static enum bt_status status_of(int failure)
{
    switch (failure) {
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
    BT_TRY(name_it(path, &address, error));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_connected =
        fd >= 0 && connect(fd, (const struct sockaddr *)&address.name, sizeof(address.name)) == 0;
    const int failure = errno;
    close_folder(&address);
    if (is_connected) {
        *out_fd = fd;
        return BT_OK;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return bt_error_set(error, status_of(failure), "%s: %s", path, strerror(failure));
}
