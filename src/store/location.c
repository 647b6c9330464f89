/* SPDX-License-Identifier: Apache-2.0 */
/* location.c - the location of a store, from a URL, a path, or the default. */
#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/build_options.h"
#include "base/error.h"
#include "store/postgres_url.h"
#include "store/store.h"

enum { LEVELS_MAX = 64 };

static bool is_scheme_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '+' || byte == '-' || byte == '.';
}

/* The length of `scheme:` at the beginning, or 0. */
static size_t scheme_length(bt_str url)
{
    const size_t colon = bt_str_find_byte(url, ':', 0);
    for (size_t i = 0; i < colon; i++) {
        if (!is_scheme_byte(url.ptr[i])) {
            return 0;
        }
    }
    return colon > 0 && colon < url.len ? colon + 1 : 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static bt_str folder_of(bt_str path)
{
    size_t name = path.len;
    while (name > 0 && path.ptr[name - 1] != '/') {
        name--;
    }
    return name == 0 ? BT_STR(".") : bt_str_slice(path, 0, name > 1 ? name - 1 : 1);
}

static bt_str file_name(bt_str path)
{
    size_t name = path.len;
    while (name > 0 && path.ptr[name - 1] != '/') {
        name--;
    }
    return bt_str_slice(path, name, path.len);
}

/* Fill in what follows from the path of a SQLite file. */
static enum bt_status place_file(struct bt_arena *arena, bt_str path, struct bt_store_location *out)
{
    const bool is_usual = bt_str_eq(file_name(path), BT_STR("store.db"));
    struct bt_store_location place = {.backend = BT_STORE_SQLITE, .path = path};
    BT_TRY(bt_arena_copy(arena, folder_of(path), &place.folder));
    BT_TRY(bt_arena_printf(arena, &place.url, "sqlite:%.*s", BT_STR_ARG(path)));
    if (is_usual) {
        const bt_str before = bt_str_slice(path, 0, path.len - file_name(path).len);
        BT_TRY(bt_arena_printf(arena, &place.base, "%.*sledger", BT_STR_ARG(before)));
    } else {
        place.base = path;
    }
    *out = place;
    return BT_OK;
}

static enum bt_status place_path(struct bt_arena *arena, bt_str path, struct bt_store_location *out,
                                 struct bt_error *error)
{
    bt_str copy;
    if (path.len == 0 || path.ptr[0] == ':' || memchr(path.ptr, '\0', path.len)) {
        return bt_error_set(error, BT_EINVAL, "%s",
                            path.len == 0 ? "the path of the store is empty"
                                          : "such a store would not outlive this run; name a file");
    }
    BT_TRY(bt_arena_copy(arena, path, &copy));
    if (is_folder(copy.ptr)) {
        const bool has_slash = bt_str_ends_with(copy, BT_STR("/"));
        BT_TRY(bt_arena_printf(arena, &copy, "%.*s%sstore.db", BT_STR_ARG(path),
                               has_slash ? "" : "/"));
    }
    if (file_name(copy).len == 0) {
        return bt_error_set(error, BT_EINVAL, "the folder does not exist");
    }
    if (is_link(copy.ptr)) {
        return bt_error_set(error, BT_EINVAL, "it is a symbolic link; name the file itself");
    }
    return place_file(arena, copy, out);
}

/* "", "../", "../../" ... up to the nearest folder that has a .baton; "" when none has. */
static enum bt_status find_upwards(struct bt_arena *arena, bt_str *out)
{
    bt_str prefix = BT_STR("");
    struct stat here;
    struct stat above;
    for (size_t level = 0; level < LEVELS_MAX; level++) {
        bt_str folder;
        BT_TRY(bt_arena_printf(arena, &folder, "%.*s.baton", BT_STR_ARG(prefix)));
        if (is_folder(folder.ptr)) {
            *out = prefix;
            return BT_OK;
        }
        BT_TRY(bt_arena_printf(arena, &folder, "%.*s.", BT_STR_ARG(prefix)));
        BT_TRY(bt_arena_printf(arena, &prefix, "../%.*s", BT_STR_ARG(prefix)));
        if (stat(folder.ptr, &here) != 0 || stat(prefix.ptr, &above) != 0 ||
            (here.st_dev == above.st_dev && here.st_ino == above.st_ino)) {
            break;
        }
    }
    *out = BT_STR("");
    return BT_OK;
}

/* The path before the .baton of a workspace. */
static enum bt_status find_workspace(struct bt_arena *arena, struct bt_store_workspace workspace,
                                     bt_str *out)
{
    *out = BT_STR("");
    if (workspace.root) {
        const bool has_slash = bt_str_ends_with(bt_str_of(workspace.root), BT_STR("/"));
        return bt_arena_printf(arena, out, "%s%s", workspace.root, has_slash ? "" : "/");
    }
    return workspace.upwards ? find_upwards(arena, out) : BT_OK;
}

/* A server stores everything except a node's own files, which are where the URL says or else in the
 * .baton of its workspace. */
static enum bt_status place_server(struct bt_arena *arena, bt_str url, bt_str prefix,
                                   struct bt_store_location *out, struct bt_error *error)
{
    struct bt_store_location place = {.backend = BT_STORE_POSTGRESQL};
    bt_str schema;
    bt_str rest;
    BT_TRY(bt_postgres_url_split(arena, url, &schema, &rest, error));
    BT_TRY(bt_postgres_url_shown(arena, url, &place.url));
    BT_TRY(bt_postgres_url_files(arena, url, &place.base, error));
    BT_TRY(bt_arena_copy(arena, url, &place.path));
    if (place.base.len > 0) {
        BT_TRY(bt_arena_copy(arena, folder_of(place.base), &place.folder));
    } else {
        BT_TRY(bt_arena_printf(arena, &place.folder, "%.*s.baton", BT_STR_ARG(prefix)));
        BT_TRY(bt_arena_printf(arena, &place.base, "%.*s/ledger", BT_STR_ARG(place.folder)));
    }
    *out = place;
    return BT_OK;
}

enum bt_status bt_store_get_location(struct bt_arena *arena, bt_str url,
                                     struct bt_store_location *out, struct bt_error *error)
{
    return bt_store_location_of(arena, url, (struct bt_store_workspace){.upwards = true}, out,
                                error);
}

enum bt_status bt_store_location_of(struct bt_arena *arena, bt_str url,
                                    struct bt_store_workspace workspace,
                                    struct bt_store_location *out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    const size_t length = scheme_length(url);
    const bt_str scheme = bt_str_slice(url, 0, length);
    bt_str prefix;
    enum bt_status status = BT_OK;
    if (length == 0 || bt_str_eq(scheme, BT_STR("sqlite:"))) {
        status = place_path(arena, bt_str_slice(url, length, url.len), out, error);
    } else if (bt_str_starts_with(url, BT_STR("postgresql://")) && !BT_HAS_POSTGRES) {
        status = bt_error_set(error, BT_EINVAL, "this build has no postgres");
    } else if (bt_str_starts_with(url, BT_STR("postgresql://"))) {
        status = find_workspace(arena, workspace, &prefix);
        status = status == BT_OK ? place_server(arena, url, prefix, out, error) : status;
    } else {
        status = bt_error_set(error, BT_EINVAL, "unknown kind of store: %.*s",
                              BT_STR_ARG(bt_str_slice(scheme, 0, 40)));
    }
    return status == BT_ENOMEM ? bt_error_set(error, status, "%s", bt_status_text(status)) : status;
}

enum bt_status bt_store_default_location(struct bt_arena *arena,
                                         struct bt_store_workspace workspace,
                                         struct bt_store_location *out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    bt_str prefix;
    bt_str path;
    BT_TRY(find_workspace(arena, workspace, &prefix));
    BT_TRY(bt_arena_printf(arena, &path, "%.*s.baton/store.db", BT_STR_ARG(prefix)));
    return place_path(arena, path, out, error);
}
