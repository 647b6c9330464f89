/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.c - the folders from which configuration is found, and paths in them.
 *
 * A document belongs to the innermost workspace folder that holds it, else to the folder the server
 * was started in; never to its own folder, because the author of a document must not configure its
 * judge.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/path.h"
#include "lsp/lsp_internal.h"

/* ---- URIs ------------------------------------------------------------------------------------ */

/* Undo percent-encoding. False: it is malformed, or has a NUL byte. */
static bool decode_percent(struct bt_arena *arena, bt_str text, bt_str *out)
{
    char *bytes = bt_arena_alloc(arena, text.len + 1);
    size_t count = 0;
    for (size_t i = 0; bytes && i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte == '%') {
            const int high = i + 2 < text.len ? bt_ascii_hex_value(text.ptr[i + 1]) : -1;
            const int low = high >= 0 ? bt_ascii_hex_value(text.ptr[i + 2]) : -1;
            if (low < 0) {
                return false;
            }
            byte = (char)(high * 16 + low);
            i += 2;
        }
        if (byte == '\0') {
            return false;
        }
        bytes[count++] = byte;
    }
    if (!bytes) {
        return false;
    }
    bytes[count] = '\0';
    *out = (bt_str){bytes, count};
    return true;
}

/* The part of a URI after a prefix, case-insensitive. False: it does not begin so. */
static bool skip_prefix(bt_str uri, bt_str prefix, bt_str *out)
{
    if (!bt_ascii_equal_nocase(bt_str_slice(uri, 0, prefix.len), prefix)) {
        return false;
    }
    *out = bt_str_slice(uri, prefix.len, uri.len);
    return true;
}

bool lsp_uri_to_path(struct bt_arena *arena, bt_str uri, bt_str *out)
{
    bt_str rest;
    if (!skip_prefix(uri, BT_STR("file://localhost/"), &rest) &&
        !skip_prefix(uri, BT_STR("file:///"), &rest)) {
        return false;
    }
    /* The slash before the rest belongs to the path. */
    const bt_str path = {rest.ptr - 1, rest.len + 1};
    return decode_percent(arena, path, out);
}

bool lsp_uri_to_name(struct bt_arena *arena, bt_str uri, bt_str *out)
{
    bt_str rest;
    return skip_prefix(uri, BT_STR("untitled:"), &rest) && decode_percent(arena, rest, out);
}

void lsp_uri_put(struct bt_buf *buf, bt_str path)
{
    static const char plain[] = "-._~/!$&'()*+,;=:@";
    bt_buf_put_text(buf, "file://");
    for (size_t i = 0; i < path.len; i++) {
        const char byte = path.ptr[i];
        if (bt_ascii_is_alnum(byte) || (byte != '\0' && strchr(plain, byte))) {
            bt_buf_put_char(buf, byte);
        } else {
            bt_buf_printf(buf, "%%%02X", (unsigned char)byte);
        }
    }
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* True when the path is the folder or below it. */
static bool is_below(bt_str path, bt_str folder)
{
    return bt_str_starts_with(path, folder) &&
           (path.len == folder.len || path.ptr[folder.len] == '/');
}

static size_t find_folder(const struct lsp_server *server, bt_str path)
{
    size_t index = 1;
    while (index < server->folders.count && !bt_str_eq(server->folders.items[index].path, path)) {
        index++;
    }
    return index;
}

/* The folder of a URI, without `..` and a slash at its end; "/" becomes "". */
static bool read_folder(struct lsp_server *server, bt_str uri, bt_str *out)
{
    bt_str path;
    return lsp_uri_to_path(&server->folders.arena, uri, &path) &&
           bt_path_resolve(&server->folders.arena, path, out) == BT_OK;
}

void lsp_folder_add(struct lsp_server *server, bt_str uri)
{
    struct lsp_folders *folders = &server->folders;
    bt_str path;
    if (folders->count > LSP_FOLDERS_MAX || !read_folder(server, uri, &path) ||
        find_folder(server, path) < folders->count) {
        return;
    }
    folders->items[folders->count++] = (struct lsp_folder){.path = path};
}

static void close_workspace(struct lsp_server *server, struct lsp_folder *folder)
{
    if (folder->workspace) {
        server->program->close(server->program->context, folder->workspace);
    }
    folder->workspace = NULL;
    folder->has_failed = false;
}

void lsp_folder_remove(struct lsp_server *server, bt_str uri)
{
    struct lsp_folders *folders = &server->folders;
    bt_str path;
    const size_t index = read_folder(server, uri, &path) ? find_folder(server, path) : SIZE_MAX;
    if (index >= folders->count) {
        return;
    }
    close_workspace(server, &folders->items[index]);
    folders->items[index] = folders->items[--folders->count];
    folders->current = NULL;
}

static struct lsp_folder *folder_of(struct lsp_server *server, bt_str path)
{
    struct lsp_folder *found = &server->folders.items[0];
    size_t longest = 0;
    for (size_t i = 1; i < server->folders.count; i++) {
        struct lsp_folder *folder = &server->folders.items[i];
        if (is_below(path, folder->path) && folder->path.len >= longest) {
            found = folder;
            longest = folder->path.len;
        }
    }
    return found;
}

/* Make a folder the current directory; one that does not exist is replaced by the first. */
static struct lsp_folder *enter_folder(struct lsp_server *server, struct lsp_folder *folder)
{
    struct lsp_folders *folders = &server->folders;
    if (folders->current == folder) {
        return folder;
    }
    if (chdir(folder->path.len > 0 ? folder->path.ptr : "/") != 0) {
        folder = &folders->items[0];
        if (folders->current == folder || chdir(folder->path.ptr) != 0) {
            return folder;
        }
    }
    folders->current = folder;
    return folder;
}

static void open_workspace(struct lsp_server *server, struct lsp_folder *folder)
{
    struct bt_error error = {.text = ""};
    folder->workspace = server->program->open(server->program->context, &server->settings, &error);
    folder->has_failed = !folder->workspace;
    if (error.text[0]) {
        char text[BT_ERROR_TEXT_BYTES + 64];
        (void)snprintf(text, sizeof(text), "baton: %s%s", error.text,
                       folder->has_failed ? "; documents are not checked" : "");
        lsp_show_message(server, bt_str_of(text));
    }
}

struct lsp_workspace *lsp_folder_enter(struct lsp_server *server,
                                       const struct lsp_document *document)
{
    struct lsp_folder *folder = enter_folder(server, folder_of(server, document->path));
    if (!folder->workspace && !folder->has_failed) {
        open_workspace(server, folder);
    }
    return folder->workspace;
}

bt_str lsp_shown_path(const struct lsp_server *server, const struct lsp_document *document)
{
    const struct lsp_folder *folder = server->folders.current;
    const bt_str path = document->path;
    return folder && is_below(path, folder->path) && path.len > folder->path.len
               ? bt_str_slice(path, folder->path.len + 1, path.len)
               : path;
}

bool lsp_path_is_inside(const struct lsp_server *server, const struct lsp_workspace *workspace,
                        bt_str path)
{
    bool is_inside = workspace->root.len > 0 && is_below(path, workspace->root);
    for (size_t i = 0; !is_inside && i < server->folders.count; i++) {
        is_inside = is_below(path, server->folders.items[i].path);
    }
    return is_inside;
}

void lsp_folders_reload(struct lsp_server *server)
{
    for (size_t i = 0; i < server->folders.count; i++) {
        close_workspace(server, &server->folders.items[i]);
    }
    for (size_t i = 0; i < server->documents.count; i++) {
        server->documents.items[i]->needs_check = true;
    }
}
