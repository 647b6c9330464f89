/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir_open.c - files beneath a root, links followed, refusals told apart.
 *
 * The kernel resolves the path in one step (openat2 with RESOLVE_BENEATH). Where it cannot, a walk
 * does the same by hand: it holds a descriptor for every folder between the root and where it
 * stands, so ".." goes back to a folder that was passed, never to one that was put there meanwhile.
 */
#include "base/build_options.h"
#if !BT_POSIX_ONLY
#define _GNU_SOURCE /* syscall(), O_PATH */
#endif
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !BT_POSIX_ONLY
#include <sys/syscall.h>
#endif
#if !BT_POSIX_ONLY && defined(__linux__) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#include "base/clock.h"
#include "base/dir.h"
#include "base/error.h"

enum {
    READ_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
    LINKS_MAX = 40,   /* as the kernel has it */
    FOLDERS_MAX = 64, /* deeper than any path that is asked for */
    TRIES_MAX = 64,
    RECENT_SECONDS = 2, /* more than any file system takes between two times */
};

struct dir_open_walk {
    int folders[FOLDERS_MAX]; /* from the root, which is not ours to close, to where we stand */
    size_t depth;
    char rest[PATH_MAX]; /* what is still to be walked */
    unsigned links;
};

static void leave_dir(struct dir_open_walk *walk)
{
    const int kept = errno;
    (void)close(walk->folders[--walk->depth]);
    errno = kept;
}

static int fail_with(int number)
{
    errno = number;
    return -1;
}

/* Put the target of a link before what is still to be walked. */
static int follow_link(struct dir_open_walk *walk, int here, const char *name, const char *after)
{
    char target[PATH_MAX];
    const ssize_t length = readlinkat(here, name, target, sizeof(target));
    const size_t left = strlen(after);
    if (length < 0) {
        return -1;
    }
    if (length == 0 || (size_t)length + left + 2 > sizeof(target)) {
        return fail_with(length == 0 ? ENOENT : ENAMETOOLONG);
    }
    if (target[0] == '/') {
        return fail_with(EXDEV);
    }
    if (++walk->links > LINKS_MAX) {
        return fail_with(ELOOP);
    }
    memmove(walk->rest + length + (left > 0), after, left + 1);
    memcpy(walk->rest, target, (size_t)length);
    walk->rest[length] = left > 0 ? '/' : '\0';
    return 0;
}

/* Enter the folder that `fd` stands for; the walk owns it from here. */
static int enter_dir(struct dir_open_walk *walk, int fd)
{
    if (walk->depth == FOLDERS_MAX) {
        (void)close(fd);
        return fail_with(ENAMETOOLONG);
    }
    walk->folders[walk->depth++] = fd;
    return 0;
}

#if BT_POSIX_ONLY
/*
 * What walk_component() does with a component that is not "..", without descriptors that stand for
 * a name alone. One that is exchanged between two steps is an error: links are never followed by
 * the system.
 */
static int take_component(struct dir_open_walk *walk, int here, const char *name, const char *after,
                          int flags)
{
    struct stat info = {0};
    if (fstatat(here, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return -1;
    }
    if (S_ISLNK(info.st_mode)) {
        return follow_link(walk, here, name, after) == 0 ? -2 : -1;
    }
    if (after[0] == '\0') {
        return openat(here, name, flags | O_NOFOLLOW);
    }
    const int fd = openat(here, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    memmove(walk->rest, after, strlen(after) + 1);
    return enter_dir(walk, fd) == 0 ? -2 : -1;
}
#else
static int take_component(struct dir_open_walk *walk, int here, const char *name, const char *after,
                          int flags)
{
    const int fd = openat(here, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat info = {0};
    if (fd < 0) {
        return -1;
    }
    int result = -2;
    if (fstat(fd, &info) != 0) {
        result = -1;
    } else if (S_ISLNK(info.st_mode)) {
        result = follow_link(walk, fd, "", after) == 0 ? -2 : -1;
    } else if (after[0] == '\0') {
        result = openat(here, name, flags | O_NOFOLLOW);
    } else if (S_ISDIR(info.st_mode)) {
        memmove(walk->rest, after, strlen(after) + 1);
        return enter_dir(walk, fd) == 0 ? -2 : -1;
    } else {
        result = fail_with(ENOTDIR);
    }
    const int kept = errno;
    (void)close(fd);
    errno = kept;
    return result;
}
#endif

/*
 * Take the component `name`, behind which `after` comes. Returns a descriptor of the last one, -1
 * and errno, or -2: go on.
 */
static int walk_component(struct dir_open_walk *walk, const char *name, const char *after,
                          int flags)
{
    const int here = walk->folders[walk->depth - 1];
    if (strcmp(name, "..") == 0) {
        if (walk->depth == 1) {
            return fail_with(EXDEV);
        }
        leave_dir(walk);
        memmove(walk->rest, after, strlen(after) + 1);
        return -2;
    }
    return take_component(walk, here, name, after, flags);
}

/* Split off the first component of what is to be walked; "." and empty ones are passed over. */
static int next_step(struct dir_open_walk *walk, int flags)
{
    char name[NAME_MAX + 1];
    char after[PATH_MAX];
    const char *begin = walk->rest + strspn(walk->rest, "/");
    const size_t length = strcspn(begin, "/");
    const char *behind = begin + length + strspn(begin + length, "/");
    if (length > NAME_MAX) {
        return fail_with(ENAMETOOLONG);
    }
    memcpy(name, begin, length);
    name[length] = '\0';
    memcpy(after, behind, strlen(behind) + 1);
    if (length == 0) {
        return openat(walk->folders[walk->depth - 1], ".", flags); /* the path ended in a folder */
    }
    if (strcmp(name, ".") == 0) {
        memcpy(walk->rest, after, strlen(after) + 1);
        return -2;
    }
    return walk_component(walk, name, after, flags);
}

int bt_dir_open_path_linked(int root_fd, const char *path, int flags)
{
    struct dir_open_walk walk = {.folders = {root_fd}, .depth = 1};
    const size_t length = strlen(path);
    if (length >= sizeof(walk.rest) || path[0] == '/') {
        return fail_with(path[0] == '/' ? EXDEV : ENAMETOOLONG);
    }
    memcpy(walk.rest, path, length + 1);
    int fd = -2;
    /* Each step uses up a component or a link, and both are bounded. */
    for (size_t i = 0; fd == -2 && i < (size_t)PATH_MAX * (LINKS_MAX + 1); i++) {
        fd = next_step(&walk, flags);
    }
    while (walk.depth > 1) {
        leave_dir(&walk);
    }
    return fd;
}

/* Open a path without following a link; what may be one is ELOOP. */
static int open_path_unlinked(int root_fd, const char *path, int flags)
{
    const int fd = bt_dir_open_path(root_fd, path, flags);
    if (fd < 0 && errno == ENOTDIR) {
        errno = ELOOP; /* a link in the middle says so too, and it is the worse of the two */
    }
    return fd;
}

int bt_dir_open_beneath(int root_fd, const char *path, int flags, enum bt_dir_links links)
{
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    static const uint64_t rules[] = {[BT_DIR_LINKS_FOLLOWED] = 0,
                                     [BT_DIR_LINKS_REFUSED] = RESOLVE_NO_SYMLINKS,
                                     [BT_DIR_LINKS_OF_DEVICE] = RESOLVE_NO_XDEV};
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | rules[links],
    };
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        const long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
        if (fd >= 0) {
            return (int)fd;
        }
        /* EAGAIN: a folder was renamed meanwhile and the kernel could not be sure. */
        if (errno != EAGAIN && errno != EINTR) {
            break;
        }
    }
    /* An old kernel, or a filter that forbids the call (then EPERM), leaves the careful walk. */
    if (errno != ENOSYS && errno != EPERM && errno != EINVAL) {
        return -1;
    }
#endif
    return links == BT_DIR_LINKS_FOLLOWED  ? bt_dir_open_path_linked(root_fd, path, flags)
           : links == BT_DIR_LINKS_REFUSED ? open_path_unlinked(root_fd, path, flags)
                                           : bt_dir_open_path(root_fd, path, flags);
}

static enum bt_status refusal_of(int number, enum bt_path_error *out, struct bt_error *error)
{
    switch (number) {
    case EXDEV:
        *out = BT_PATH_OUTSIDE_DIR;
        return BT_OK;
    case ELOOP:
        *out = BT_PATH_LINK_LOOP;
        return BT_OK;
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        *out = BT_PATH_NOT_FOUND;
        return BT_OK;
    case ENXIO: /* a socket, or a device without a driver */
    case ENODEV:
    case EISDIR:
        *out = BT_PATH_NOT_REGULAR;
        return BT_OK;
    case EACCES:
    case EPERM:
        return bt_error_set(error, BT_EDENIED, "%s", strerror(number));
    case ENOMEM:
        return bt_error_set(error, BT_ENOMEM, "%s", strerror(number));
    default:
        return bt_error_set(error, BT_EIO, "%s", strerror(number));
    }
}

static struct bt_file_identity stamp_of(const struct stat *info)
{
    return (struct bt_file_identity){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size = (uint64_t)info->st_size,
        .changed_s = info->st_ctim.tv_sec,
        .changed_ns = info->st_ctim.tv_nsec,
        .modified_s = info->st_mtim.tv_sec,
        .modified_ns = info->st_mtim.tv_nsec,
    };
}

/* Times of files move in ticks; two changes within one look like one. A clock that cannot be asked,
 * or is behind the file, settles nothing. */
static bool is_recent_change(const struct stat *info)
{
    return bt_clock_file_seconds() - info->st_ctim.tv_sec < RECENT_SECONDS;
}

/* Read what was opened, or tell why nothing was (fd is -1, and errno says it). */
static enum bt_status read_opened(struct bt_arena *arena, int fd, uint64_t max_bytes,
                                  struct bt_dir_file *out, struct bt_error *error)
{
    struct bt_dir_file file = {0};
    struct stat info;
    if (fd < 0) {
        BT_TRY(refusal_of(errno, &file.error, error));
        *out = file;
        return BT_OK;
    }
    enum bt_status status = BT_OK;
    if (fstat(fd, &info) != 0) {
        status = bt_error_errno(error, NULL, NULL);
    } else if (!S_ISREG(info.st_mode)) {
        file.error = BT_PATH_NOT_REGULAR;
    } else {
        file.stamp = stamp_of(&info);
        file.is_recent = is_recent_change(&info);
        status = bt_fd_read(arena, fd, max_bytes, &file.content, error);
    }
    (void)close(fd); /* opened for reading: nothing can be lost */
    if (status == BT_OK) {
        *out = file;
    }
    return status;
}

static enum bt_status read_beneath(const struct bt_dir *root, struct bt_arena *arena, bt_str path,
                                   uint64_t max_bytes, enum bt_dir_links links,
                                   struct bt_dir_file *out, struct bt_error *error)
{
    assert(root);
    assert(out);
    char name[PATH_MAX];
    if (root->memory) {
        return bt_memory_files_read(root->memory, root->below, arena, path, max_bytes, out, error);
    }
    BT_TRY(bt_path_to_cstr(path, name, error));
    const int fd = bt_dir_open_beneath(root->fd, name, READ_FLAGS, links);
    return read_opened(arena, fd, max_bytes, out, error);
}

enum bt_status bt_dir_read_linked(const struct bt_dir *root, struct bt_arena *arena, bt_str path,
                                  uint64_t max_bytes, struct bt_dir_file *out,
                                  struct bt_error *error)
{
    return read_beneath(root, arena, path, max_bytes, BT_DIR_LINKS_FOLLOWED, out, error);
}

enum bt_status bt_dir_read_unlinked(const struct bt_dir *root, struct bt_arena *arena, bt_str path,
                                    uint64_t max_bytes, struct bt_dir_file *out,
                                    struct bt_error *error)
{
    return read_beneath(root, arena, path, max_bytes, BT_DIR_LINKS_REFUSED, out, error);
}

struct bt_file_identity bt_dir_file_identity(const struct bt_dir *root, bt_str path)
{
    assert(root);
    char name[PATH_MAX];
    struct stat info;
    struct bt_file_identity stamp = {0};
    if (root->memory) {
        struct bt_memory_entry entry;
        return bt_memory_files_find(root->memory, root->below, path, &entry, NULL) == BT_OK
                   ? bt_memory_entry_identity(&entry)
                   : stamp;
    }
    if (bt_path_to_cstr(path, name, NULL) != BT_OK) {
        return stamp;
    }
    /* A link on the way does not matter: the same inode is the same file. */
    if (fstatat(root->fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)) {
        stamp = stamp_of(&info);
    }
    return stamp;
}

bool bt_file_identity_equal(const struct bt_file_identity *a, const struct bt_file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_s == b->changed_s && a->changed_ns == b->changed_ns &&
           a->modified_s == b->modified_s && a->modified_ns == b->modified_ns;
}
