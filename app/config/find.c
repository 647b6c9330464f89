/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - find configuration files. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "config/find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum bt_status config_user_path(struct bt_arena *arena, const char *name, bt_str *out)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    *out = BT_STR("");
    if (config && config[0] == '/') {
        return bt_arena_printf(arena, out, "%s/baton/%s", config, name);
    }
    if (home && home[0] == '/') {
        return bt_arena_printf(arena, out, "%s/.config/baton/%s", home, name);
    }
    return BT_OK;
}

/* ---- The project's file ---------------------------------------------------------------------- */

enum { REPOSITORY_KINDS = 3 };

static bool is_there(bt_str folder, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    const bool is_top = bt_str_eq(folder, BT_STR("/"));
    const int length =
        snprintf(path, sizeof(path), "%.*s/%s", is_top ? 0 : (int)folder.len, folder.ptr, name);
    return length > 0 && length < (int)sizeof(path) && lstat(path, &about) == 0;
}

/* The parent directory, or "" for the root. */
static bt_str get_parent_folder(bt_str folder)
{
    size_t end = folder.len;
    while (end > 0 && folder.ptr[end - 1] != '/') {
        end--;
    }
    return folder.len <= 1 ? BT_STR("") : bt_str_slice(folder, 0, end > 1 ? end - 1 : 1);
}

static bool is_within(bt_str folder, bt_str outer)
{
    return bt_str_eq(outer, BT_STR("/")) || bt_str_eq(folder, outer) ||
           (bt_str_starts_with(folder, outer) && folder.ptr[outer.len] == '/');
}

/* The nearest parent directory that is the root of a repository, or ""; the first kind is Git. */
static bt_str repository_of(bt_str folder, size_t kinds)
{
    static const char *const marks[REPOSITORY_KINDS] = {".git", ".hg", ".jj"};
    for (; folder.len > 0; folder = get_parent_folder(folder)) {
        for (size_t i = 0; i < kinds; i++) {
            if (is_there(folder, marks[i])) {
                return folder;
            }
        }
    }
    return BT_STR("");
}

enum bt_status config_find_repository(struct bt_arena *arena, const char *folder, bool is_git,
                                      bt_str *out)
{
    char real[PATH_MAX];
    *out = BT_STR("");
    return realpath(folder, real)
               ? bt_arena_copy(arena, repository_of(bt_str_of(real), is_git ? 1 : REPOSITORY_KINDS),
                               out)
               : BT_OK;
}

bool config_is_inside(const char *root)
{
    char here[PATH_MAX];
    char there[PATH_MAX];
    return root && realpath(".", here) && realpath(root, there) &&
           is_within(bt_str_of(here), bt_str_of(there));
}

/* Set the file in `folder`, which is `levels` above the current directory. */
static enum bt_status set_project(struct bt_arena *arena, bt_str folder, bt_str bounds,
                                  size_t levels, struct config_find_project *out)
{
    struct bt_buf path;
    const bt_str below = bt_str_eq(folder, bounds) ? BT_STR("")
                         : bounds.len == 1         ? bt_str_slice(folder, 1, folder.len)
                                           : bt_str_slice(folder, bounds.len + 1, folder.len);
    BT_TRY(bt_arena_copy(arena, folder, &out->folder));
    BT_TRY(bt_arena_copy(arena, bounds, &out->bounds));
    BT_TRY(bt_arena_printf(arena, &out->inner, "%.*s%s" CONFIG_PROJECT_NAME, BT_STR_ARG(below),
                           below.len > 0 ? "/" : ""));
    bt_buf_init(&path, PATH_MAX);
    for (size_t i = 0; i < levels; i++) {
        bt_buf_put_text(&path, "../");
    }
    bt_buf_put_text(&path, CONFIG_PROJECT_NAME);
    return bt_buf_finish(&path, arena, &out->path);
}

enum bt_status config_find_project(struct bt_arena *arena, const char *root,
                                   struct config_find_project *out)
{
    char here[PATH_MAX];
    char judged[PATH_MAX];
    *out = (struct config_find_project){BT_STR(""), BT_STR(""), BT_STR(""), BT_STR("")};
    if (!realpath(".", here)) {
        return BT_OK; /* a deleted directory has no files */
    }
    const bool has_root = root && realpath(root, judged);
    const bt_str repository = repository_of(bt_str_of(here), REPOSITORY_KINDS);
    const bt_str last = repository.len > 0 ? repository : bt_str_of(here);
    size_t levels = 0;
    for (bt_str folder = bt_str_of(here); folder.len >= last.len;
         folder = get_parent_folder(folder)) {
        if (!(has_root && is_within(folder, bt_str_of(judged))) &&
            is_there(folder, CONFIG_PROJECT_NAME)) {
            return set_project(arena, folder, last, levels, out);
        }
        levels++;
    }
    return BT_OK;
}

enum bt_status config_path_to_repository(struct bt_arena *arena, bt_str *out)
{
    char here[PATH_MAX];
    struct bt_buf path;
    bt_buf_init(&path, PATH_MAX);
    if (realpath(".", here)) {
        const bt_str repository = repository_of(bt_str_of(here), REPOSITORY_KINDS);
        bt_str folder = bt_str_of(here);
        for (; repository.len > 0 && folder.len > repository.len;
             folder = get_parent_folder(folder)) {
            bt_buf_put_text(&path, "../");
        }
    }
    return bt_buf_finish(&path, arena, out);
}

enum bt_status config_shown_path(struct bt_arena *arena, bt_str path, bt_str *out)
{
    char here[PATH_MAX];
    char real[PATH_MAX];
    const bt_str name = bt_str_after_last(path, '/');
    bt_str folder;
    BT_TRY(bt_arena_printf(arena, &folder, "%.*s.", (int)(path.len - name.len), path.ptr));
    if (!realpath(".", here) || !realpath(folder.ptr, real)) {
        return bt_arena_copy(arena, path, out);
    }
    folder = bt_str_of(real);
    const size_t below = strcmp(here, "/") == 0 ? 1 : strlen(here) + 1;
    if (!is_within(folder, bt_str_of(here))) {
        return bt_arena_printf(arena, out, "%s%s%.*s", real, folder.len > 1 ? "/" : "",
                               BT_STR_ARG(name));
    }
    folder = bt_str_slice(folder, below, folder.len);
    return bt_arena_printf(arena, out, "%.*s%s%.*s", BT_STR_ARG(folder), folder.len > 0 ? "/" : "",
                           BT_STR_ARG(name));
}

enum bt_status config_project_at(struct bt_arena *arena, const char *path,
                                 struct config_find_project *out)
{
    char real[PATH_MAX];
    bt_str folder = bt_str_of(path);
    size_t end = folder.len;
    while (end > 0 && folder.ptr[end - 1] != '/') {
        end--;
    }
    *out = (struct config_find_project){BT_STR(""), BT_STR(""), BT_STR(""), BT_STR("")};
    BT_TRY(bt_arena_printf(arena, &folder, "%.*s.", (int)end, path));
    if (!realpath(folder.ptr, real)) {
        return BT_OK; /* reading the file reports the error */
    }
    BT_TRY(bt_arena_copy(arena, bt_str_of(real), &out->folder));
    return bt_arena_copy(arena, bt_str_of(path), &out->path);
}

/* ---- Paths below a project ------------------------------------------------------------------- */

/* Remove the last component of a path. False when there is none, or it is "..". */
static bool remove_last_part(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || strcmp(slash, "/..") == 0) {
        return false;
    }
    slash[slash == path ? 1 : 0] = '\0';
    return slash != path;
}

bool config_is_below(void *context, bt_str path)
{
    const struct config_find_project *project = context;
    char whole[PATH_MAX];
    char real[PATH_MAX];
    struct stat about;
    const bool is_absolute = path.len > 0 && path.ptr[0] == '/';
    const int length =
        snprintf(whole, sizeof(whole), "%.*s%s%.*s", is_absolute ? 0 : (int)project->folder.len,
                 project->folder.ptr, is_absolute ? "" : "/", BT_STR_ARG(path));
    if (project->folder.len == 0 || length < 0 || length >= (int)sizeof(whole) ||
        bt_str_find_byte(path, '\0', 0) < path.len) {
        return false;
    }
    while (!realpath(whole, real)) {
        /* A path that exists but cannot be resolved is a dangling link. */
        if (errno != ENOENT || lstat(whole, &about) == 0 || !remove_last_part(whole)) {
            return false;
        }
    }
    return is_within(bt_str_of(real), project->folder);
}
