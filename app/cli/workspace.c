/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace.c - a directory -> the name of its project.
 *
 * The configuration of a checkout can make git run programs, so the file is parsed and git is not
 * run.
 */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "workspace.h"

#include <limits.h>
#include <stdlib.h>

#include <baton/contract.h>
#include <baton/file.h>

enum { CONFIG_BYTES_MAX = 1 << 20 };

/* The part of a line before a comment, without surrounding white space. */
static bt_str content_of(bt_str line)
{
    bool quoted = false;
    size_t end = 0;
    for (; end < line.len; end++) {
        const char byte = line.ptr[end];
        quoted = byte == '"' ? !quoted : quoted;
        if (!quoted && (byte == '#' || byte == ';')) {
            break;
        }
    }
    return bt_str_trim(bt_str_slice(line, 0, end));
}

static bool is_url(bt_str line, bt_str *out)
{
    const size_t equals = bt_str_find_byte(line, '=', 0);
    if (equals == line.len ||
        !bt_str_eq(bt_str_trim(bt_str_slice(line, 0, equals)), BT_STR("url"))) {
        return false;
    }
    bt_str value = bt_str_trim(bt_str_slice(line, equals + 1, line.len));
    if (value.len >= 2 && bt_str_starts_with(value, BT_STR("\"")) &&
        bt_str_ends_with(value, BT_STR("\""))) {
        value = bt_str_slice(value, 1, value.len - 1);
    }
    *out = value;
    return true;
}

/* The URL of the remote `origin`, or "". */
static bt_str origin_in(bt_str config)
{
    bool in_origin = false;
    bt_str url = BT_STR("");
    for (size_t from = 0; from < config.len;) {
        const size_t end = bt_str_find_byte(config, '\n', from);
        const bt_str line = content_of(bt_str_slice(config, from, end));
        from = end + 1;
        if (bt_str_starts_with(line, BT_STR("["))) {
            in_origin = bt_str_eq(line, BT_STR("[remote \"origin\"]"));
        } else if (in_origin && url.len == 0) {
            (void)is_url(line, &url);
        }
    }
    return url;
}

static enum bt_status from_git(struct bt_arena *arena, bt_str root, bt_str *out)
{
    bt_str path;
    bt_str config;
    struct bt_repo_address address;
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/.git/config", BT_STR_ARG(root)));
    if (bt_file_read(arena, path, CONFIG_BYTES_MAX, &config, NULL) != BT_OK) {
        return BT_OK;
    }
    BT_TRY(bt_repo_address_parse(arena, origin_in(config), &address));
    if (address.valid) {
        *out = address.identity;
    }
    return BT_OK;
}

/* The last component of a path, in lower case. */
static enum bt_status from_folder(struct bt_arena *arena, bt_str path, bt_str *out)
{
    size_t begin = path.len;
    while (begin > 0 && path.ptr[begin - 1] != '/') {
        begin--;
    }
    const bt_str name = bt_str_slice(path, begin, path.len);
    char *small = bt_arena_alloc(arena, name.len + 1);
    if (!small) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < name.len; i++) {
        const char byte = name.ptr[i];
        small[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    small[name.len] = '\0';
    const bt_str made = {small, name.len};
    if (made.len > 0 && bt_utf8_check(made) == made.len) {
        *out = made;
    }
    return BT_OK;
}

static bt_str without_slashes(bt_str path)
{
    while (bt_str_ends_with(path, BT_STR("/"))) {
        path = bt_str_slice(path, 0, path.len - 1);
    }
    return path;
}

enum bt_status cli_workspace(struct bt_arena *arena, const char *root, bt_str *out)
{
    char real[PATH_MAX];
    bt_str name = BT_STR("");
    if (realpath(root ? root : ".", real)) {
        BT_TRY(from_git(arena, bt_str_of(real), &name));
        if (name.len == 0) {
            BT_TRY(from_folder(arena, bt_str_of(real), &name));
        }
    } else if (root) {
        /* Use the name even if the directory does not exist on this machine. */
        BT_TRY(from_folder(arena, without_slashes(bt_str_of(root)), &name));
    }
    *out = name.len > 0 ? name : BT_STR("global");
    return BT_OK;
}
