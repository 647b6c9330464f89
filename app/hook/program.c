/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - look up the program that an agent host would run. */
#include "program.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/path.h"

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat first;
    struct stat second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Look in every folder of PATH; an empty one is the current folder. */
static enum bt_status search_path(struct bt_arena *arena, bt_str name, bt_str *out)
{
    const char *given = getenv("PATH");
    const bt_str folders = bt_str_of(given ? given : "/usr/bin:/bin");
    for (size_t from = 0; from <= folders.len && out->len == 0;) {
        const size_t end = bt_str_find_byte(folders, ':', from);
        const bt_str folder = bt_str_slice(folders, from, end);
        bt_str path;
        BT_TRY(bt_arena_printf(arena, &path, "%.*s/%.*s",
                               BT_STR_ARG(folder.len > 0 ? folder : BT_STR(".")),
                               BT_STR_ARG(name)));
        *out = is_program(path.ptr) ? path : BT_STR("");
        from = end + 1;
    }
    return BT_OK;
}

enum bt_status hook_program_find(struct bt_arena *arena, bt_str name, bt_str folder,
                                 struct hook_program *out)
{
    char own[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);
    const bool has_slash = bt_str_find_byte(name, '/', 0) < name.len;
    const bool is_relative = has_slash && name.ptr[0] != '/' && folder.len > 0;
    *out = (struct hook_program){.name = name, .path = BT_STR(""), .own = BT_STR("")};
    if (size > 0) {
        BT_TRY(bt_arena_copy(arena, (bt_str){own, (size_t)size}, &out->own));
    }
    out->folder = bt_path_parent(out->own);
    if (has_slash) {
        bt_str path;
        BT_TRY(bt_arena_printf(arena, &path, "%.*s%s%.*s",
                               BT_STR_ARG(is_relative ? folder : BT_STR("")),
                               is_relative ? "/" : "", BT_STR_ARG(name)));
        out->path = is_program(path.ptr) ? path : BT_STR("");
    } else {
        BT_TRY(search_path(arena, name, &out->path));
    }
    out->is_same =
        out->path.len > 0 && out->own.len > 0 && is_same_file(out->path.ptr, out->own.ptr);
    return BT_OK;
}
