/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_paths.c - paths of a call against those that belong to the gate.
 *
 * A path is compared by name and with its links resolved: one of them is what the tool will use.
 */
#define _XOPEN_SOURCE 700 /* readlink() */

#include "decide/gate_paths.h"
#include "base/str.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/path.h"

enum { LINKS_MAX = 40, FORMS = 3 };

/* ---- Links ----------------------------------------------------------------------------------- */

/* A path whose links are being followed: `done` has none, `rest` is still to be read. */
struct gate_path_walk {
    struct bt_arena *arena;
    bt_str done;
    bt_str rest;
    size_t links;
};

/* Add a part to `done`, or replace it by what it links to. */
static enum bt_status follow_part(struct gate_path_walk *walk, bt_str part)
{
    char target[PATH_MAX];
    bt_str path;
    BT_TRY(
        bt_arena_printf(walk->arena, &path, "%.*s/%.*s", BT_STR_ARG(walk->done), BT_STR_ARG(part)));
    const ssize_t size = path.len < PATH_MAX ? readlink(path.ptr, target, sizeof(target)) : -1;
    if (size <= 0 || size == (ssize_t)sizeof(target) || walk->links == LINKS_MAX) {
        walk->done = path; /* not a link, or not there */
        return BT_OK;
    }
    walk->links++;
    walk->done = target[0] == '/' ? BT_STR("") : walk->done;
    return bt_arena_printf(walk->arena, &walk->rest, "%.*s/%.*s", (int)size, target,
                           BT_STR_ARG(walk->rest));
}

/* Follow the links of an absolute path as far as it exists, also one that leads nowhere yet. */
static enum bt_status resolve_links(struct bt_arena *arena, bt_str path, bt_str *out)
{
    struct gate_path_walk walk = {.arena = arena, .done = BT_STR(""), .rest = path};
    size_t at = 0;
    bt_str part;
    while (bt_path_next(walk.rest, &at, &part)) { /* ends: only LINKS_MAX links make it longer */
        walk.rest = bt_str_slice(walk.rest, at, walk.rest.len);
        at = 0;
        if (bt_str_eq(part, BT_STR(".."))) {
            walk.done = bt_path_parent(walk.done);
        } else if (!bt_str_eq(part, BT_STR("."))) {
            BT_TRY(follow_part(&walk, part));
        }
    }
    *out = walk.done;
    return BT_OK;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

/* Whether a name fits a pattern of file names, where `*` does not stand for a leading dot. */
static bool name_fits(bt_str pattern, bt_str name)
{
    const bool is_hidden = name.len > 0 && name.ptr[0] == '.';
    return !(is_hidden && pattern.len > 0 && pattern.ptr[0] == '*') &&
           bt_str_glob_matches(pattern, name, BT_GLOB_ANY);
}

/* Whether a path fits a protected pattern, part by part. */
static bool path_fits(bt_str pattern, bt_str path, struct bt_gate_path_use use)
{
    size_t p = 0;
    size_t t = 0;
    bt_str wanted;
    bt_str part;
    while (bt_path_next(pattern, &p, &wanted)) {
        if (bt_str_eq(wanted, BT_STR("**")) && p == pattern.len) {
            return true;
        }
        if (!bt_path_next(path, &t, &part)) {
            return use.removes; /* a folder above it */
        }
        if (!bt_str_glob_matches(wanted, part, BT_GLOB_ANY) &&
            !(use.is_pattern && name_fits(part, wanted))) {
            return false;
        }
    }
    return !bt_path_next(path, &t, &part);
}

static enum bt_status add_pattern(struct bt_gate_paths *paths, bt_str start, bt_str pattern)
{
    const bool is_absolute = pattern.len > 0 && pattern.ptr[0] == '/';
    bt_str *made = paths->made + paths->patterns.count;
    bt_str whole = pattern;
    if (!is_absolute) {
        BT_TRY(bt_arena_printf(paths->arena, &whole, "%.*s/%.*s", BT_STR_ARG(start),
                               BT_STR_ARG(pattern)));
    }
    BT_TRY(bt_path_resolve(paths->arena, whole, &made[0]));
    paths->patterns.count++;
    if (!paths->place->is_remote) {
        BT_TRY(resolve_links(paths->arena, made[0], &made[1]));
        paths->patterns.count++;
    }
    return BT_OK;
}

enum bt_status bt_gate_paths_init(struct bt_gate_paths *paths, struct bt_arena *arena,
                                  const struct bt_gate_rules *rules,
                                  const struct bt_gate_place *place)
{
    const struct bt_str_list *lists[] = {&place->files, &rules->protect};
    bt_str *items =
        BT_NEW_ARRAY(arena, bt_str, 2 * (place->files.count + rules->protect.count) + 1);
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    *paths = (struct bt_gate_paths){arena, place, {items, 0}, items};
    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        for (size_t i = 0; i < lists[list]->count; i++) {
            BT_TRY(add_pattern(paths, place->project, lists[list]->items[i]));
        }
    }
    return BT_OK;
}

/* The path as the tool will see it: ~ is the home folder, and others start at the folder. */
static enum bt_status make_absolute(const struct bt_gate_paths *paths, bt_str path, bt_str *out)
{
    const struct bt_gate_place *place = paths->place;
    const bool is_home = bt_str_eq(path, BT_STR("~")) || bt_str_starts_with(path, BT_STR("~/"));
    const bool is_absolute = bt_str_starts_with(path, BT_STR("/"));
    const bt_str start = is_home ? place->home : is_absolute ? BT_STR("") : place->folder;
    return bt_arena_printf(paths->arena, out, "%.*s/%.*s", BT_STR_ARG(start),
                           BT_STR_ARG(is_home ? bt_str_slice(path, 1, path.len) : path));
}

static enum bt_status compare_forms(const struct bt_gate_paths *paths, bt_str path,
                                    struct bt_gate_path_use use, bool *out)
{
    bt_str forms[FORMS];
    size_t count = 1;
    bt_str whole;
    BT_TRY(make_absolute(paths, path, &whole));
    BT_TRY(bt_path_resolve(paths->arena, whole, &forms[0]));
    if (!paths->place->is_remote && !use.by_name) {
        BT_TRY(resolve_links(paths->arena, forms[0], &forms[count++]));
        BT_TRY(resolve_links(paths->arena, whole, &forms[count++]));
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < paths->patterns.count; j++) {
            *out = *out || path_fits(paths->patterns.items[j], forms[i], use);
        }
    }
    return BT_OK;
}

enum bt_status bt_gate_path_is_protected(const struct bt_gate_paths *paths, bt_str path,
                                         struct bt_gate_path_use use, bool *out)
{
    *out = false;
    if (path.len == 0 || path.len > PATH_MAX || bt_str_find_byte(path, '\0', 0) < path.len) {
        return BT_OK; /* no file has such a name */
    }
    const struct bt_arena_mark mark = bt_arena_mark(paths->arena);
    const enum bt_status status = compare_forms(paths, path, use, out);
    bt_arena_rewind(paths->arena, mark);
    return status;
}
