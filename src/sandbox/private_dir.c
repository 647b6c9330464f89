/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private_dir.c - remove the files that an untrusted handler left behind.
 *
 * The walk holds one folder open at a time and goes up by "..", so a tree that is deeper than any
 * path, or than there are descriptors, is removed like any other.
 */
#define _GNU_SOURCE
#include "sandbox/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/dir.h"
#include "base/error.h"

enum { STEPS_MAX = 2000000 };

enum bt_status bt_private_dir_create(struct bt_arena *arena, bt_str parent, bt_str *out,
                                     struct bt_error *error)
{
    bt_str path;
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/baton-XXXXXX", BT_STR_ARG(parent)));
    char name[PATH_MAX];
    BT_TRY(bt_path_to_cstr(path, name, error));
    if (!mkdtemp(name) || chmod(name, 0711) != 0) {
        return bt_error_errno(error, "cannot make a work directory", NULL);
    }
    return bt_arena_copy(arena, bt_str_of(name), out);
}

/* The name of any entry of an open folder; false: it is empty or cannot be read. */
static bool some_entry(int fd, char out[NAME_MAX + 1])
{
    const int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
    if (!folder) {
        if (copy >= 0) {
            (void)close(copy);
        }
        return false;
    }
    bool found = false;
    const struct dirent *entry;
    while (!found && (entry = readdir(folder))) {
        const bt_str name = bt_str_of(entry->d_name);
        found = !bt_str_eq(name, BT_STR(".")) && !bt_str_eq(name, BT_STR(".."));
        if (found) {
            memcpy(out, name.ptr, name.len + 1);
        }
    }
    (void)closedir(folder);
    return found;
}

/* Remove one entry, or go into it when it is a folder with something in it. */
static bool remove_or_enter(int *fd, const char *name)
{
    if (unlinkat(*fd, name, 0) == 0 || unlinkat(*fd, name, AT_REMOVEDIR) == 0) {
        return true;
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
        return false;
    }
    if (fchmodat(*fd, name, 0700, 0) != 0) { /* it is not a link, since it is not empty */
        return false;
    }
    const int inner = openat(*fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) {
        return false;
    }
    (void)close(*fd);
    *fd = inner;
    return true;
}

static bool is_same(int fd, const struct stat *top)
{
    struct stat about;
    return fstat(fd, &about) == 0 && about.st_dev == top->st_dev && about.st_ino == top->st_ino;
}

static bool open_parent_dir(int *fd)
{
    const int outer = openat(*fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (outer < 0) {
        return false;
    }
    (void)close(*fd);
    *fd = outer;
    return true;
}

void bt_private_dir_remove(bt_str path)
{
    char text[PATH_MAX];
    char name[NAME_MAX + 1];
    struct stat top;
    if (bt_path_to_cstr(path, text, NULL) != BT_OK) {
        return;
    }
    int fd = open(text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &top) != 0) {
        return;
    }
    bool going = true;
    for (int i = 0; going && i < STEPS_MAX; i++) {
        if (some_entry(fd, name)) {
            going = remove_or_enter(&fd, name);
        } else {
            going = !is_same(fd, &top) && open_parent_dir(&fd);
        }
    }
    (void)close(fd);
    (void)rmdir(text);
}
