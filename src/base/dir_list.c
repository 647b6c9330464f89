/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir_list.c - the names in a folder, sorted.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/vec.h"

enum { NAMES_MAX = 100000 };

struct dir_list_state {
    struct bt_arena *arena;
    bt_str *items;
    size_t count;
    size_t capacity;
};

static int compare_names(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

static enum bt_status add_name(struct dir_list_state *listing, const char *name)
{
    BT_TRY(bt_vec_reserve(listing->arena, listing, 1));
    BT_TRY(bt_arena_copy(listing->arena, bt_str_of(name), &listing->items[listing->count]));
    listing->count++;
    return BT_OK;
}

static enum bt_status read_names(DIR *folder, struct dir_list_state *listing,
                                 struct bt_error *error)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry) {
            return errno == 0 ? BT_OK : bt_error_errno(error, NULL, NULL);
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (listing->count == NAMES_MAX) {
            return bt_error_set(error, BT_ELIMIT, "there are more than %d files in it", NAMES_MAX);
        }
        const enum bt_status status = add_name(listing, entry->d_name);
        if (status != BT_OK) {
            return bt_error_set(error, status, "%s", bt_status_text(status));
        }
    }
}

enum bt_status bt_dir_list(const struct bt_dir *root, struct bt_arena *arena, const bt_str **out,
                           size_t *out_count, struct bt_error *error)
{
    assert(root);
    assert(out);
    assert(out_count);
    struct dir_list_state listing = {.arena = arena};
    if (root->memory) {
        return bt_memory_files_list(root->memory, root->below, arena, out, out_count);
    }
    const int fd = openat(root->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        const int kept = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return bt_error_set(error, kept == EACCES ? BT_EDENIED : BT_EIO, "%s", strerror(kept));
    }
    const enum bt_status status = read_names(folder, &listing, error);
    (void)closedir(folder);
    BT_TRY(status);
    if (listing.count > 1) {
        qsort(listing.items, listing.count, sizeof(bt_str), compare_names);
    }
    *out = listing.items;
    *out_count = listing.count;
    return BT_OK;
}
