/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_dir.c - the folder for the files of a handoff, found without trusting its path.
 *
 * Roots are the user's: links in their paths are followed. Whether an absolute path lies below a
 * root is decided by names, against the root as given and its real path; below it each folder is
 * opened through its parent.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "dialect/universal/write_dir.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef BT_PROFILE_CORE
#include <unistd.h>
#endif

#include "base/dir.h"
#include "base/path.h"
#include "dialect/universal/draft_check.h"
#include "report/rules.h"

#define FOLDER "handoffs"

static bool is_absolute(bt_str path)
{
    return bt_str_starts_with(path, BT_STR("/"));
}

static bt_str without_trailing_slashes(bt_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

/* If every component of `root` is one of `path` in the same order, the rest of the path is beneath
 * it; both are absolute. */
static bool rest_beneath(bt_str root, bt_str path, bt_str *out_rest)
{
    size_t in_root = 0;
    size_t in_path = 0;
    for (;;) {
        const bt_str wanted = bt_path_next_component(root, &in_root);
        if (wanted.len == 0) {
            *out_rest = bt_str_slice(path, in_path, path.len);
            return true;
        }
        if (!bt_str_eq(wanted, bt_path_next_component(path, &in_path))) {
            return false;
        }
    }
}

static bt_str temporary_of(const struct bt_universal_write_dirs *roots)
{
    return roots->temporary.len > 0 ? roots->temporary : BT_STR("/tmp");
}

static size_t root_count(const struct bt_universal_write_dirs *roots)
{
    return roots->count > 0 ? roots->count : 2;
}

static bt_str root_at(const struct bt_universal_write_dirs *roots, size_t index)
{
    if (roots->count > 0) {
        return roots->paths[index];
    }
    return index == 0 ? BT_STR(".") : temporary_of(roots);
}

#ifdef BT_PROFILE_CORE

/* There are no folders. */
static bool find_real(bt_str path, char out[PATH_MAX])
{
    (void)path;
    (void)out;
    return false;
}

static unsigned long find_user(void)
{
    return 0;
}

#else

/* False when there is no such folder. */
static bool find_real(bt_str path, char out[PATH_MAX])
{
    char name[PATH_MAX];
    if (path.len == 0 || path.len >= sizeof(name) || memchr(path.ptr, '\0', path.len)) {
        return false;
    }
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    return realpath(name, out) != NULL;
}

static unsigned long find_user(void)
{
    return (unsigned long)geteuid();
}

#endif

enum bt_status bt_path_real(struct bt_arena *arena, bt_str path, bt_str *out)
{
    char real[PATH_MAX];
    *out = BT_STR("");
    return find_real(path, real) ? bt_arena_copy(arena, bt_str_of(real), out) : BT_OK;
}

bool bt_path_below(bt_str root, bt_str path, bt_str *out_rest)
{
    return is_absolute(root) && !bt_path_has_parent(root) && rest_beneath(root, path, out_rest);
}

/* Whether `path`, which is absolute, lies beneath the root as it was given or as it really is. */
static bool lies_beneath(bt_str root, bt_str path, bt_str *out_rest)
{
    char real[PATH_MAX];
    return bt_path_below(root, path, out_rest) ||
           (find_real(root, real) && rest_beneath(bt_str_of(real), path, out_rest));
}

/* The root that a session lies beneath, and the way from there; false when there is none. */
static bool choose_root(const struct bt_universal_write_dirs *roots, bt_str session_path,
                        bt_str *out_root, bt_str *out_rest)
{
    if (!is_absolute(session_path)) {
        *out_root = root_at(roots, 0);
        *out_rest = session_path;
        return true;
    }
    for (size_t i = 0; i < root_count(roots); i++) {
        *out_root = root_at(roots, i);
        if (lies_beneath(*out_root, session_path, out_rest)) {
            return true;
        }
    }
    return false;
}

static enum bt_status open_root(bt_str path, struct bt_universal_write_dir *site,
                                struct bt_error *error)
{
#ifdef BT_PROFILE_CORE
    (void)path;
    return bt_dir_from_memory(NULL, BT_STR(""), &site->root, error); /* nothing is written */
#else
    struct bt_error reason;
    const enum bt_status status = bt_dir_open(path, &site->root, &reason);
    if (status == BT_OK || status == BT_ENOMEM) {
        return status;
    }
    /* Never BT_EDENIED: that is what an unsafe path is. */
    return bt_error_set(error, BT_EIO, "cannot use the root %.*s: %s", BT_STR_ARG(path),
                        reason.text);
#endif
}

/* Whether the folders that are there already are safe to go through. */
static enum bt_status check_existing_folders(const struct bt_universal_write_dir *site,
                                             struct bt_error *error)
{
    struct bt_dir *folder = NULL;
    const enum bt_status status = bt_payload_reference_site_open(site, false, &folder, error);
    bt_dir_close(folder);
    return status == BT_EDENIED || status == BT_ENOMEM ? status : BT_OK;
}

enum bt_status bt_payload_reference_site_find(const struct bt_universal_write_dirs *roots,
                                              bt_str session_path, struct bt_arena *arena,
                                              struct bt_universal_write_dir *out,
                                              struct bt_error *error)
{
    assert(roots);
    assert(out);
    const char *fault = bt_universal_session_path_error(session_path);
    bt_str root = BT_STR("");
    bt_str rest = BT_STR("");
    if (fault) {
        return bt_error_set(error, BT_EDENIED, "%s", fault);
    }
    if (!choose_root(roots, session_path, &root, &rest)) {
        return bt_error_set(error, BT_EDENIED, "the path lies beneath no root");
    }
    struct bt_universal_write_dir site = {.fallback = false};
    const bt_str shown = without_trailing_slashes(session_path);
    while (is_absolute(rest)) {
        rest = bt_str_slice(rest, 1, rest.len);
    }
    BT_TRY(bt_arena_printf(arena, &site.below, "%.*s/" FOLDER, BT_STR_ARG(rest)));
    BT_TRY(bt_arena_printf(arena, &site.shown, "%.*s/" FOLDER, BT_STR_ARG(shown)));
    if (rest.len == 0) {
        site.below = BT_STR(FOLDER);
    }
    BT_TRY(open_root(root, &site, error));
    const enum bt_status status = check_existing_folders(&site, error);
    if (status != BT_OK) {
        bt_payload_reference_site_close(&site);
        return status;
    }
    *out = site;
    return BT_OK;
}

enum bt_status bt_payload_reference_site_find_fallback(const struct bt_universal_write_dirs *roots,
                                                       struct bt_arena *arena,
                                                       struct bt_universal_write_dir *out,
                                                       struct bt_error *error)
{
    assert(roots);
    assert(out);
    struct bt_universal_write_dir site = {.fallback = true};
    const bt_str temporary = temporary_of(roots);
    const unsigned long user = find_user();
    BT_TRY(bt_arena_printf(arena, &site.below, "baton-%lu/" FOLDER, user));
    BT_TRY(bt_arena_printf(arena, &site.shown, "%.*s/baton-%lu/" FOLDER,
                           BT_STR_ARG(without_trailing_slashes(temporary)), user));
    BT_TRY(open_root(temporary, &site, error));
    *out = site;
    return BT_OK;
}

void bt_payload_reference_site_close(struct bt_universal_write_dir *site)
{
    assert(site);
    bt_dir_close(site->root);
    site->root = NULL;
}

/* Everybody may write to the temporary folder, so what lies there must be ours alone. */
static enum bt_status enter_private(const struct bt_dir *root, bt_str path, bool make,
                                    struct bt_dir **out, struct bt_error *error)
{
    struct bt_dir *folder = NULL;
    BT_TRY(bt_dir_open_subdir(root, path, make, &folder, error));
    if (!bt_dir_is_private(folder)) {
        bt_dir_close(folder);
        return bt_error_set(error, BT_EDENIED, "%.*s is not a folder of this user with mode 0700",
                            BT_STR_ARG(path));
    }
    *out = folder;
    return BT_OK;
}

static enum bt_status open_fallback(const struct bt_universal_write_dir *site, bool make,
                                    struct bt_dir **out, struct bt_error *error)
{
    struct bt_dir *outer = NULL;
    const size_t slash = bt_str_find_byte(site->below, '/', 0);
    BT_TRY(enter_private(site->root, bt_str_slice(site->below, 0, slash), make, &outer, error));
    const enum bt_status status = enter_private(outer, BT_STR(FOLDER), make, out, error);
    bt_dir_close(outer);
    return status;
}

enum bt_status bt_payload_reference_site_open(const struct bt_universal_write_dir *site, bool make,
                                              struct bt_dir **out, struct bt_error *error)
{
    assert(site);
    assert(site->root);
    return site->fallback ? open_fallback(site, make, out, error)
                          : bt_dir_open_subdir(site->root, site->below, make, out, error);
}

enum bt_status bt_payload_reference_site_name(struct bt_arena *arena, bt_str stem, unsigned number,
                                              bt_str *out)
{
    assert(number > 0);
    if (number == 1) {
        return bt_arena_printf(arena, out, "%.*s.json", BT_STR_ARG(stem));
    }
    return bt_arena_printf(arena, out, "%.*s-%u.json", BT_STR_ARG(stem), number);
}

enum bt_status bt_payload_reference_site_path(const struct bt_universal_write_dir *site,
                                              struct bt_arena *arena, bt_str name, bt_str *out)
{
    return bt_arena_printf(arena, out, "%.*s/%.*s", BT_STR_ARG(site->shown), BT_STR_ARG(name));
}

/* Write under the first free name. */
static enum bt_status add_in(const struct bt_dir *folder, struct bt_arena *arena, bt_str stem,
                             bt_str content, bt_str *out_name, struct bt_error *error)
{
    enum bt_status status = BT_EEXIST;
    for (unsigned i = 1; i <= BT_SITE_NAMES_MAX && status == BT_EEXIST; i++) {
        BT_TRY(bt_payload_reference_site_name(arena, stem, i, out_name));
        status = bt_dir_create_file(folder, *out_name, content, error);
    }
    /* Nothing here is a link, so this is a matter of permissions. */
    return status == BT_EDENIED ? BT_ENOENT : status;
}

enum bt_status bt_universal_write_dir_create_file(const struct bt_universal_write_dir *site,
                                                  struct bt_arena *arena, bt_str stem,
                                                  bt_str content, bt_str *out_path,
                                                  struct bt_error *error)
{
    assert(out_path);
    struct bt_dir *folder = NULL;
    bt_str name = BT_STR("");
    BT_TRY(bt_payload_reference_site_open(site, true, &folder, error));
    const enum bt_status status = add_in(folder, arena, stem, content, &name, error);
    bt_dir_close(folder);
    return status == BT_OK ? bt_payload_reference_site_path(site, arena, name, out_path) : status;
}

enum bt_status bt_universal_write_dir_add_fallback_finding(struct bt_findings *notes, bt_str wanted,
                                                           bt_str used)
{
    return bt_add_write_fallback(notes, bt_location_whole(), wanted, used);
}
