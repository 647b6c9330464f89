/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - read a file or standard input, or find the documents below a folder. */
#define _DEFAULT_SOURCE /* realpath() */

#include "input.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "output.h"

bool cli_is_stdin(const char *operand)
{
    return strcmp(operand, "-") == 0;
}

enum bt_status cli_input_try(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                             struct cli_input *out, struct bt_error *error)
{
    assert(arena);
    assert(operand);
    assert(out);
    if (cli_is_stdin(operand)) {
        out->path = BT_STR("<stdin>");
        return bt_fd_read(arena, STDIN_FILENO, bytes_max, &out->content, error);
    }
    out->path = bt_str_of(operand);
    return bt_file_read(arena, out->path, bytes_max, &out->content, error);
}

bool cli_input_read(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                    struct cli_input *out)
{
    struct bt_error error;
    if (cli_input_try(arena, operand, bytes_max, out, &error) == BT_OK) {
        return true;
    }
    if (cli_is_stdin(operand)) {
        cli_print_error("standard input: %s", error.text);
    } else {
        cli_print_error("cannot read %s: %s", operand, error.text);
    }
    return false;
}

bool cli_input_read_all(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                        struct cli_input *out)
{
    if (!cli_input_read(arena, operand, bytes_max, out)) {
        return false;
    }
    if (out->content.len > bytes_max) {
        cli_print_error("cannot use %.*s: it is larger than %" PRIu64 " bytes",
                        BT_STR_ARG(out->path), bytes_max);
        return false;
    }
    return true;
}

/* ---- Folders --------------------------------------------------------------------------------- */

enum {
    LEVELS_MAX = 64,
    ENTRIES_MAX = 1000000,
    PATHS_FIRST = 64,
};

struct cli_walk_state {
    const struct cli_options *options;
    struct bt_arena *arena;
    struct cli_paths folders; /* found so far; the first is where the walk began */
    char top_name[PATH_MAX];  /* the resolved name of that one */
    struct cli_paths *files;
    size_t entries;
    bool failed;
};

static bool add_path(struct bt_arena *arena, struct cli_paths *paths, bt_str path)
{
    if (paths->count == paths->capacity) {
        const size_t capacity = paths->capacity > 0 ? paths->capacity * 2 : PATHS_FIRST;
        bt_str *items = BT_NEW_ARRAY(arena, bt_str, capacity);
        if (!items) {
            return false;
        }
        if (paths->count > 0) {
            memcpy(items, paths->items, paths->count * sizeof(*items));
        }
        paths->items = items;
        paths->capacity = capacity;
    }
    paths->items[paths->count++] = path;
    return true;
}

static void fail_path(struct cli_walk_state *walk, bt_str path, enum bt_failure_reason reason,
                      const char *message)
{
    const struct bt_failure failure = {path, reason, bt_str_of(message)};
    walk->failed = true;
    cli_fail(walk->options, "look through", &failure);
}

static void fail_errno(struct cli_walk_state *walk, bt_str path)
{
    fail_path(walk, path, cli_reason_of_errno(errno), strerror(errno));
}

/* FOLDER/NAME, without "." and without doubling a slash at the end. */
static bool join_path(struct bt_arena *arena, bt_str folder, const char *name, bt_str *out)
{
    if (bt_str_eq(folder, BT_STR("."))) {
        return bt_arena_copy(arena, bt_str_of(name), out) == BT_OK;
    }
    const char *between = bt_str_ends_with(folder, BT_STR("/")) ? "" : "/";
    return bt_arena_printf(arena, out, "%.*s%s%s", BT_STR_ARG(folder), between, name) == BT_OK;
}

static bool is_folder(int parent, const char *name)
{
    struct stat info;
    return fstatat(parent, name, &info, 0) == 0 && S_ISDIR(info.st_mode);
}

/*
 * True when the name implies a dialect. In the directory where the walk began the path may not
 * contain its name, as in `cd handoffs && baton check .`, so its resolved name is tried as well.
 */
static bool is_handoff(const struct cli_walk_state *walk, bt_str folder, bt_str path,
                       const char *name)
{
    if (bt_dialect_for_path(path)) {
        return true;
    }
    if (folder.ptr != walk->folders.items[0].ptr) {
        return false;
    }
    char true_path[2 * PATH_MAX];
    const int size = snprintf(true_path, sizeof(true_path), "%s/%s", walk->top_name, name);
    assert(size > 0);
    assert((size_t)size < sizeof(true_path));
    return bt_dialect_for_path((bt_str){true_path, (size_t)size}) != BT_DIALECT_NONE;
}

/* Handle one entry: a directory for later, a handoff for the result, or something to ignore. */
static bool take_entry(struct cli_walk_state *walk, int parent, bt_str folder, const char *name)
{
    struct stat info;
    bt_str path;
    if (!join_path(walk->arena, folder, name, &path)) {
        return false;
    }
    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        fail_errno(walk, path);
        return true;
    }
    if (S_ISDIR(info.st_mode)) {
        return name[0] == '.' || add_path(walk->arena, &walk->folders, path);
    }
    /* A special file is accepted by its name too: reading it will report the error. */
    if (!is_handoff(walk, folder, path, name) ||
        (S_ISLNK(info.st_mode) && is_folder(parent, name))) {
        return true;
    }
    return add_path(walk->arena, walk->files, path);
}

static void visit_entries(struct cli_walk_state *walk, DIR *entries, bt_str folder)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            if (errno != 0) {
                fail_errno(walk, folder);
            }
            return;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (walk->entries++ == ENTRIES_MAX) {
            fail_path(walk, folder, BT_FAILURE_WALK_LIMIT, "too many files");
            return;
        }
        if (!take_entry(walk, dirfd(entries), folder, entry->d_name)) {
            fail_path(walk, folder, BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
            return;
        }
    }
}

static void visit_folder(struct cli_walk_state *walk, bt_str folder, bool named_by_user)
{
    const int follow = named_by_user ? 0 : O_NOFOLLOW;
    const int fd = open(folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (!entries) {
        fail_errno(walk, folder);
        if (fd >= 0) {
            (void)close(fd);
        }
        return;
    }
    visit_entries(walk, entries, folder);
    (void)closedir(entries);
}

static int compare_paths(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

bool cli_walk(const struct cli_options *options, struct bt_arena *arena, const char *folder,
              struct cli_paths *out)
{
    assert(arena);
    assert(folder);
    assert(out);
    *out = (struct cli_paths){0};
    struct cli_walk_state walk = {.options = options, .arena = arena, .files = out};
    if (!realpath(folder, walk.top_name)) {
        fail_errno(&walk, bt_str_of(folder));
        return false;
    }
    bt_str top = bt_str_of(folder);
    while (top.len > 1 && bt_str_ends_with(top, BT_STR("/"))) {
        top.len--;
    }
    if (bt_arena_copy(arena, top, &top) != BT_OK || !add_path(arena, &walk.folders, top)) {
        fail_path(&walk, bt_str_of(folder), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
        return false;
    }
    size_t visited = 0;
    for (size_t level = 0; visited < walk.folders.count; level++) {
        if (level == LEVELS_MAX) {
            fail_path(&walk, walk.folders.items[visited], BT_FAILURE_WALK_LIMIT,
                      "folders are nested too deeply");
            break;
        }
        const size_t level_end = walk.folders.count;
        for (; visited < level_end; visited++) {
            visit_folder(&walk, walk.folders.items[visited], visited == 0);
        }
    }
    if (out->count > 1) {
        qsort(out->items, out->count, sizeof(*out->items), compare_paths);
    }
    return !walk.failed;
}
