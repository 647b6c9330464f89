/* SPDX-License-Identifier: Apache-2.0 */
/* What open() and descriptors reach that older versions of Landlock do not restrict. */
#define _GNU_SOURCE
#include "probes_inside.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/random.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* The access mode that grants neither reading nor writing; Landlock checks no right for it. */
enum { FOR_IOCTL_ONLY = O_WRONLY | O_RDWR };

/* ---- Signals through a descriptor ---- */

/* Run one request on a socket that could send signals. */
static int on_socket(int (*request)(int fd, target_of t), target_of t)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return EBADF;
    }
    const int result = request(pair[0], t);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return result;
}

static int set_owner(int fd, target_of t)
{
    return answer(fcntl(fd, F_SETOWN, t->pid));
}

static int set_owner_group(int fd, target_of t)
{
    return answer(fcntl(fd, F_SETOWN, -getpgid(t->pid)));
}

static int set_owner_ex(int fd, target_of t)
{
    const struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = t->pid};
    return answer(fcntl(fd, F_SETOWN_EX, &owner));
}

static int set_signal(int fd, target_of t)
{
    (void)t;
    return answer(fcntl(fd, F_SETSIG, SIGKILL));
}

static int set_owner_by_fiosetown(int fd, target_of t)
{
    return answer(ioctl(fd, FIOSETOWN, &t->pid));
}

static int set_owner_by_siocspgrp(int fd, target_of t)
{
    return answer(ioctl(fd, SIOCSPGRP, &t->pid));
}

static int set_asynchronous(int fd, target_of t)
{
    const int on = 1;
    (void)t;
    return answer(ioctl(fd, FIOASYNC, &on));
}

#define ON_SOCKET(name_, request_)                                                                 \
    static int name_(target_of t)                                                                  \
    {                                                                                              \
        return on_socket(request_, t);                                                             \
    }

ON_SOCKET(own_descriptor_by_other, set_owner)
ON_SOCKET(own_descriptor_by_other_group, set_owner_group)
ON_SOCKET(own_descriptor_by_other_ex, set_owner_ex)
ON_SOCKET(choose_signal_of_descriptor, set_signal)
ON_SOCKET(own_descriptor_by_fiosetown, set_owner_by_fiosetown)
ON_SOCKET(own_descriptor_by_siocspgrp, set_owner_by_siocspgrp)
ON_SOCKET(make_descriptor_asynchronous, set_asynchronous)

/* All of it together: the kernel kills the other process when a byte arrives. */
static int kill_other_by_descriptor(target_of t)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return EBADF;
    }
    int result = answer(fcntl(pair[0], F_SETOWN, t->pid));
    result = result ? result : answer(fcntl(pair[0], F_SETSIG, SIGKILL));
    result = result ? result : answer(fcntl(pair[0], F_SETFL, O_ASYNC));
    result = result ? result : answer(write(pair[1], "x", 1));
    (void)close(pair[0]);
    (void)close(pair[1]);
    return result;
}

/* ---- Being told about files of others, and holding them up ---- */

static int on_readable(target_of t, const char *name, int command, long value)
{
    char path[PATH_BYTES];
    const int fd = open(at_root(t, name, path), O_RDONLY | O_CLOEXEC);
    const int result = fd < 0 ? EBADF : answer(fcntl(fd, command, value));
    (void)close(fd);
    return result;
}

static int watch_folder_by_descriptor(target_of t)
{
    (void)signal(SIGIO, SIG_IGN);
    return on_readable(t, "code", F_NOTIFY, DN_CREATE);
}

static int hold_up_writers(target_of t)
{
    return on_readable(t, "code/readable", F_SETLEASE, F_RDLCK);
}

/* ---- Emptying files ---- */

static int empty_readable_by_open(target_of t)
{
    char path[PATH_BYTES];
    return opened(open(at_root(t, "code/readable", path), O_RDONLY | O_TRUNC | O_CLOEXEC));
}

static int empty_victim_by_open(target_of t)
{
    char path[PATH_BYTES];
    return opened(open(at_root(t, "victim", path), FOR_IOCTL_ONLY | O_TRUNC | O_CLOEXEC));
}

static int empty_victim_by_creat(target_of t)
{
    char path[PATH_BYTES];
    return opened(creat(at_root(t, "victim", path), 0600));
}

static int open_how(const char *path, uint64_t flags)
{
    const struct open_how how = {.flags = flags | O_CLOEXEC};
    return opened((int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)));
}

static int empty_readable_by_openat2(target_of t)
{
    char path[PATH_BYTES];
    return open_how(at_root(t, "code/readable", path), O_RDONLY | O_TRUNC);
}

static int empty_victim_by_openat2(target_of t)
{
    char path[PATH_BYTES];
    return open_how(at_root(t, "victim", path), FOR_IOCTL_ONLY | O_TRUNC);
}

/* ---- Requests on files and devices ---- */

static int open_victim_for_requests(target_of t)
{
    char path[PATH_BYTES];
    return opened(open(at_root(t, "victim", path), FOR_IOCTL_ONLY | O_CLOEXEC));
}

static int open_terminal_for_requests(target_of t)
{
    (void)t;
    return opened(open("/dev/ptmx", FOR_IOCTL_ONLY | O_NOCTTY | O_CLOEXEC));
}

static int ask_device(target_of t)
{
    int bits = 0;
    (void)t;
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const int result = fd < 0 ? EBADF : answer(ioctl(fd, RNDGETENTCNT, &bits));
    (void)close(fd);
    return result;
}

static int change_version(target_of t)
{
    char path[PATH_BYTES];
    long version = 1;
    const int fd = open(at_root(t, "code/readable", path), O_RDONLY | O_CLOEXEC);
    const int result = fd < 0 ? EBADF : answer(ioctl(fd, FS_IOC_SETVERSION, &version));
    (void)close(fd);
    return result;
}

/* clang-format off */
const struct probe probes_of_descriptors[] = {
    S(own_descriptor_by_other), S(own_descriptor_by_other_group), S(own_descriptor_by_other_ex),
    S(choose_signal_of_descriptor), S(own_descriptor_by_fiosetown),
    S(own_descriptor_by_siocspgrp), S(make_descriptor_asynchronous), S(kill_other_by_descriptor),
    S_BUT(watch_folder_by_descriptor, BUILT), S(hold_up_writers), S(empty_readable_by_open),
    S(empty_victim_by_open), S(empty_victim_by_creat), S(empty_readable_by_openat2),
    S(empty_victim_by_openat2), S(open_victim_for_requests),
    S_BUT(open_terminal_for_requests, "a container may lack the device"),
    S_BUT(ask_device, "a container may lack the device"),
    R_BUT(change_version, "not every file system can"),
};
/* clang-format on */

const size_t probes_of_descriptors_count =
    sizeof(probes_of_descriptors) / sizeof(probes_of_descriptors[0]);
