/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "probes_inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

static int listed(const char *path)
{
    DIR *folder = opendir(path);
    const int why = errno;
    if (folder) {
        (void)closedir(folder);
    }
    return folder ? 0 : why;
}

/* ---- Files ---- */

#define OPENS(name_, path_, flags_)                                                                \
    static int name_(target_of t)                                                                  \
    {                                                                                              \
        char path[PATH_BYTES];                                                                     \
        (void)t;                                                                                   \
        (void)path;                                                                                \
        return opened(open(path_, (flags_) | O_CLOEXEC, 0600));                                    \
    }

OPENS(read_organism, at_root(t, "organism.yaml", path), O_RDONLY)
OPENS(read_store, at_root(t, "store/store.db", path), O_RDONLY)
OPENS(read_etc_passwd, "/etc/passwd", O_RDONLY)
OPENS(read_etc_shadow, "/etc/shadow", O_RDONLY)
OPENS(read_other_environment, at_proc(t, "environ", path), O_RDONLY)
OPENS(read_other_arguments, at_proc(t, "cmdline", path), O_RDONLY)
OPENS(read_other_maps, at_proc(t, "maps", path), O_RDONLY)
OPENS(write_other_memory, at_proc(t, "mem", path), O_RDWR)
OPENS(read_own_environment, "/proc/self/environ", O_RDONLY)
OPENS(read_through_proc_root, "/proc/self/root/etc/passwd", O_RDONLY)
OPENS(read_mounts, "/proc/self/mountinfo", O_RDONLY)
OPENS(read_network_state, "/proc/net/unix", O_RDONLY)
OPENS(read_kernel_settings, "/proc/sys/kernel/hostname", O_RDONLY)
OPENS(write_kernel_settings, "/proc/sys/kernel/hostname", O_WRONLY)
OPENS(read_sys, "/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY)
OPENS(make_file_in_code, at_root(t, "code/new", path), O_WRONLY | O_CREAT)
OPENS(change_code, at_root(t, "code/libprobe.so", path), O_WRONLY)
OPENS(change_program, "/usr/bin/env", O_WRONLY)
OPENS(make_file_in_tmp, "/tmp/baton-probe", O_WRONLY | O_CREAT)
OPENS(make_file_in_shm, "/dev/shm/baton-probe", O_RDWR | O_CREAT)
OPENS(make_unnamed_file, t->root, O_TMPFILE | O_RDWR)
OPENS(open_device, "/dev/full", O_WRONLY)
OPENS(open_path_only_then_read, at_root(t, "victim", path), O_RDONLY)

static int list_organism(target_of t)
{
    return listed(t->root);
}

static int list_parent(target_of t)
{
    char path[PATH_BYTES];
    return listed(at_root(t, "..", path));
}

static int list_proc(target_of t)
{
    (void)t;
    return listed("/proc");
}

static int list_other_descriptors(target_of t)
{
    char path[PATH_BYTES];
    return listed(at_proc(t, "fd", path));
}

static int look_behind_other_link(target_of t)
{
    char path[PATH_BYTES];
    char text[PATH_BYTES];
    return answer(readlink(at_proc(t, "cwd", path), text, sizeof(text)));
}

static int read_by_symlink(target_of t)
{
    char path[PATH_BYTES];
    (void)unlink("a-link");
    if (symlink(at_root(t, "victim", path), "a-link") != 0) {
        return errno;
    }
    const int result = opened(open("a-link", O_RDONLY | O_CLOEXEC));
    (void)unlink("a-link");
    return result;
}

static int read_by_hard_link(target_of t)
{
    char path[PATH_BYTES];
    (void)unlink("hard");
    if (link(at_root(t, "victim", path), "hard") != 0) {
        return errno;
    }
    const int result = opened(open("hard", O_RDONLY | O_CLOEXEC));
    (void)unlink("hard");
    return result;
}

static int read_from_parent_of_work(target_of t)
{
    (void)t;
    return listed("..");
}

static int move_victim(target_of t)
{
    char path[PATH_BYTES];
    return answer(rename(at_root(t, "victim", path), "mine"));
}

static int remove_victim(target_of t)
{
    char path[PATH_BYTES];
    return answer(unlink(at_root(t, "victim", path)));
}

static int empty_victim(target_of t)
{
    char path[PATH_BYTES];
    return answer(truncate(at_root(t, "victim", path), 0));
}

static int change_mode(target_of t)
{
    char path[PATH_BYTES];
    return answer(chmod(at_root(t, "victim", path), 0777));
}

/* The code can be read, so there is a descriptor to try it with. */
static int change_mode_of_open_file(target_of t)
{
    char path[PATH_BYTES];
    const int fd = open(at_root(t, "code/libprobe.so", path), O_RDONLY | O_CLOEXEC);
    const int result = fd < 0 ? EBADF : answer(fchmod(fd, 0755));
    (void)close(fd);
    return result;
}

static int change_owner(target_of t)
{
    char path[PATH_BYTES];
    return answer(chown(at_root(t, "victim", path), getuid(), getgid()));
}

static int change_times(target_of t)
{
    char path[PATH_BYTES];
    return answer(utimensat(AT_FDCWD, at_root(t, "victim", path), NULL, 0));
}

static int change_attributes(target_of t)
{
    char path[PATH_BYTES];
    return answer(setxattr(at_root(t, "victim", path), "user.baton", "x", 1, 0));
}

static int change_flags(target_of t)
{
    char path[PATH_BYTES];
    int flags = 0;
    const int fd = open(at_root(t, "code/libprobe.so", path), O_RDONLY | O_CLOEXEC);
    const int result = fd < 0 ? EBADF : answer(ioctl(fd, FS_IOC_SETFLAGS, &flags));
    (void)close(fd);
    return result;
}

static int make_folder(target_of t)
{
    char path[PATH_BYTES];
    return answer(mkdir(at_root(t, "made", path), 0700));
}

static int make_pipe(target_of t)
{
    char path[PATH_BYTES];
    return answer(mkfifo(at_root(t, "pipe", path), 0600));
}

static int make_device(target_of t)
{
    (void)t;
    (void)unlink("device");
    return answer(mknod("device", S_IFCHR | 0600, makedev(1, 5)));
}

static int open_by_number(target_of t)
{
    union {
        struct file_handle head;
        char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } handle = {.head = {.handle_bytes = MAX_HANDLE_SZ}};
    char path[PATH_BYTES];
    int mount = 0;
    return answer(name_to_handle_at(AT_FDCWD, at_root(t, "victim", path), &handle.head, &mount, 0));
}

static int watch_files(target_of t)
{
    const int fd = inotify_init1(IN_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    const int result = answer(inotify_add_watch(fd, t->root, IN_CREATE));
    (void)close(fd);
    return result;
}

static int write_large_file(target_of t)
{
    (void)t;
    (void)signal(SIGXFSZ, SIG_IGN);
    const int fd = open("large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int result = fd < 0 ? errno : answer(ftruncate(fd, (off_t)65 << 20));
    (void)close(fd);
    (void)unlink("large");
    return result;
}

/* clang-format off */
const struct probe probes_of_files[] = {
    S(read_organism), S(read_store), S(read_etc_passwd), S_BUT(read_etc_shadow, ROOT),
    S(read_other_environment), S(read_other_arguments), S(read_other_maps), S(write_other_memory),
    S(read_own_environment), S(read_through_proc_root), S(read_mounts), S(read_network_state),
    S(read_kernel_settings), S_BUT(write_kernel_settings, ROOT), S_BUT(read_sys, BUILT),
    S(make_file_in_code), S(change_code), S_BUT(change_program, ROOT), S(make_file_in_tmp),
    S(make_file_in_shm), S_BUT(make_unnamed_file, "not every file system can"),
    S_BUT(open_device, "a container may lack the device"), S(open_path_only_then_read),
    S(list_organism), S(list_parent), S(list_proc), S(list_other_descriptors),
    S(look_behind_other_link), S(read_by_symlink), S(read_by_hard_link),
    S(read_from_parent_of_work), S(move_victim), S(remove_victim), S(empty_victim),
    S(change_mode), S(change_mode_of_open_file), S(change_owner), S(change_times),
    S_BUT(change_attributes, "not every file system can"),
    R_BUT(change_flags, "not every file system can"), S(make_folder), S(make_pipe),
    S_BUT(make_device, ROOT), R_BUT(open_by_number, "not every file system can"), S(watch_files),
    S(write_large_file),
};
/* clang-format on */

const size_t probes_of_files_count = sizeof(probes_of_files) / sizeof(probes_of_files[0]);
