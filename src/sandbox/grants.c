/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grants.c - which files: the system's that everybody needs, and the handler's own code.
 */
#define _GNU_SOURCE
#include "sandbox/grants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"

/* With `exec`, programs in the first of these may be run. */
static const bt_str system_folders[] = {
    BT_STR_INIT("/usr"),   BT_STR_INIT("/bin"),   BT_STR_INIT("/sbin"),   BT_STR_INIT("/lib"),
    BT_STR_INIT("/lib32"), BT_STR_INIT("/lib64"), BT_STR_INIT("/libx32"),
};

static const bt_str system_files[] = {
    BT_STR_INIT("/etc/ld.so.cache"), BT_STR_INIT("/etc/localtime"), BT_STR_INIT("/etc/ssl"),
    BT_STR_INIT("/dev/zero"),        BT_STR_INIT("/dev/urandom"),
};

/* The files that the C library reads to resolve host names. */
static const bt_str name_files[] = {
    BT_STR_INIT("/etc/resolv.conf"),   BT_STR_INIT("/etc/hosts"),    BT_STR_INIT("/etc/host.conf"),
    BT_STR_INIT("/etc/nsswitch.conf"), BT_STR_INIT("/etc/gai.conf"), BT_STR_INIT("/etc/services"),
    BT_STR_INIT("/etc/protocols"),
};

void bt_sandbox_grant_list_init(struct bt_sandbox_grant_list *list, struct bt_arena *arena)
{
    *list = (struct bt_sandbox_grant_list){
        .arena = arena,
        .items = BT_NEW_ARRAY(arena, struct bt_sandbox_grant, BT_GRANTS_MAX),
    };
    list->status = list->items ? BT_OK : BT_ENOMEM;
}

static void add_grant(struct bt_sandbox_grant_list *list, bt_str path, unsigned access,
                      bool beneath)
{
    bt_str kept;
    if (list->status == BT_OK && list->count == BT_GRANTS_MAX) {
        list->status = BT_ELIMIT;
    }
    if (list->status == BT_OK) {
        list->status = bt_arena_copy(list->arena, path, &kept);
    }
    if (list->status == BT_OK) {
        list->items[list->count++] =
            (struct bt_sandbox_grant){.path = kept.ptr, .access = access, .beneath = beneath};
    }
}

void bt_sandbox_grant_system(struct bt_sandbox_grant_list *list, bt_str path, unsigned access)
{
    add_grant(list, path, access, false);
}

void bt_sandbox_grant_tree(struct bt_sandbox_grant_list *list, bt_str path, unsigned access)
{
    add_grant(list, path, access, true);
}

static void add_all(struct bt_sandbox_grant_list *list, const bt_str *paths, size_t count,
                    unsigned access)
{
    for (size_t i = 0; i < count; i++) {
        bt_sandbox_grant_system(list, paths[i], access);
    }
}

#define ADD_ALL(list, paths, access)                                                               \
    add_all(list, paths, sizeof(paths) / sizeof((paths)[0]), access)

void bt_sandbox_grant_common(struct bt_sandbox_grant_list *list, bool exec, bool net)
{
    ADD_ALL(list, system_folders, BT_GRANT_READ | (exec ? BT_GRANT_EXECUTE : 0U));
    ADD_ALL(list, system_files, BT_GRANT_READ);
    /* Also writable: what is written there is discarded. */
    bt_sandbox_grant_system(list, BT_STR("/dev/null"), BT_GRANT_READ | BT_GRANT_WRITE);
    if (net) {
        ADD_ALL(list, name_files, BT_GRANT_READ);
    }
}

/* Grant code files in the organism's folder itself one by one. */
static void add_files_of(struct bt_sandbox_grant_list *list, int root_fd)
{
    const int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        list->status = list->status == BT_OK ? BT_EIO : list->status;
        if (fd >= 0) {
            (void)close(fd);
        }
        return;
    }
    const struct dirent *entry;
    while (list->status == BT_OK && (entry = readdir(folder))) {
        const bt_str name = bt_str_of(entry->d_name);
        if (bt_str_ends_with(name, BT_STR(".py")) || bt_str_ends_with(name, BT_STR(".so"))) {
            bt_sandbox_grant_tree(list, name, BT_GRANT_READ);
        }
    }
    (void)closedir(folder);
}

void bt_sandbox_grant_code(struct bt_sandbox_grant_list *list, int root_fd, bt_str file)
{
    size_t end = file.len;
    while (end > 0 && file.ptr[end - 1] != '/') {
        end--;
    }
    bt_str folder = bt_str_slice(file, 0, end);
    while (bt_str_starts_with(folder, BT_STR("./"))) {
        folder = bt_str_slice(folder, 2, folder.len);
    }
    if (folder.len == 0) {
        add_files_of(list, root_fd);
    } else {
        bt_sandbox_grant_tree(list, folder, BT_GRANT_READ);
    }
}
