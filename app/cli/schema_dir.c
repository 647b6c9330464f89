/* SPDX-License-Identifier: Apache-2.0 */
/* schema_dir.c - resolve URIs to files below a directory. */
#define _DEFAULT_SOURCE /* realpath() */

#include "schema_run.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "json/options.h"
#include "output.h"

/* The absolute path with links resolved, in the arena; "" when there is none. */
static enum bt_status real_path(struct bt_arena *arena, const char *path, bt_str *out)
{
    char *real = realpath(path, NULL);
    const enum bt_status status = bt_arena_copy(arena, bt_str_of(real), out);
    free(real);
    return status;
}

bool schema_root_open(struct cli_schema_dir *root, const char *folder, const struct bt_env *env,
                      struct bt_arena *arena)
{
    assert(root);
    *root = (struct cli_schema_dir){.env = env, .arena = arena, .folder = folder};
    struct bt_error error;
    if (folder && bt_dir_open(bt_str_of(folder), &root->root, &error) != BT_OK) {
        return cli_refuse("cannot use the root %s: %s", folder, error.text);
    }
    return !folder || real_path(arena, folder, &root->real) == BT_OK ||
           cli_refuse_status(BT_ENOMEM);
}

void schema_root_close(struct cli_schema_dir *root)
{
    assert(root);
    bt_dir_close(root->root);
    root->root = NULL;
}

/* The part of an absolute path after the root, with its slash; "" when the path is not below it. */
static bt_str get_path_below(const struct cli_schema_dir *root, bt_str path)
{
    const size_t size = bt_str_eq(root->real, BT_STR("/")) ? 0 : root->real.len;
    const bt_str rest = bt_str_slice(path, size, path.len);
    const bool is_below = root->real.len > 0 && bt_str_starts_with(path, root->real) &&
                          bt_str_starts_with(rest, BT_STR("/"));
    return is_below ? rest : BT_STR("");
}

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-._~/!$&'()*+,;=@", byte));
}

/* Percent-encode what is not allowed in the path of a URI. */
static enum bt_status encode_path(struct bt_arena *arena, bt_str path, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 3 * path.len);
    for (size_t i = 0; i < path.len; i++) {
        if (is_plain(path.ptr[i])) {
            bt_buf_put_char(&buf, path.ptr[i]);
        } else {
            bt_buf_printf(&buf, "%%%02X", (unsigned)(unsigned char)path.ptr[i]);
        }
    }
    return bt_buf_finish(&buf, arena, out);
}

enum bt_status schema_root_uri(const struct cli_schema_dir *root, bt_str path, bt_str *out)
{
    assert(root);
    if (!root->root) {
        *out = BT_STR("");
        return BT_OK;
    }
    bt_str real;
    BT_TRY(real_path(root->arena, path.ptr, &real));
    const bt_str rest = get_path_below(root, real);
    return encode_path(root->arena, rest.len > 0 ? rest : BT_STR("/"), out);
}

static int hex_digit(char byte)
{
    const char lower = (char)(byte | 0x20);
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Undo percent-encoding. False when the result could not be a path. */
static bool decode_path(bt_str uri, struct bt_buf *out)
{
    for (size_t i = 0; i < uri.len; i++) {
        char byte = uri.ptr[i];
        const int high = byte == '%' && i + 2 < uri.len ? hex_digit(uri.ptr[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(uri.ptr[i + 2]) : -1;
        if (low >= 0) {
            byte = (char)(high * 16 + low);
            i += 2;
        }
        if (byte == '\0') {
            return false;
        }
        bt_buf_put_char(out, byte);
    }
    return true;
}

/* The path of a URI without a host, or "": only files are resolved. */
static bt_str path_of(bt_str uri)
{
    static const bt_str file = BT_STR_INIT("file:");
    if (bt_str_starts_with(uri, file)) {
        uri = bt_str_slice(uri, file.len, uri.len);
        uri = bt_str_starts_with(uri, BT_STR("///")) ? bt_str_slice(uri, 2, uri.len) : uri;
    }
    const size_t colon = bt_str_find_byte(uri, ':', 0);
    const bool has_scheme = colon < bt_str_find_byte(uri, '/', 0);
    return has_scheme || bt_str_starts_with(uri, BT_STR("//")) ? BT_STR("") : uri;
}

/* Store why there is no document. The URI is copied; the hint is a constant. */
static enum bt_status add_missing(struct cli_schema_dir *root, bt_str uri, bt_str hint,
                                  struct cli_schema_missing **out)
{
    struct cli_schema_missing *found = BT_NEW(root->arena, struct cli_schema_missing);
    if (!found) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_arena_copy(root->arena, uri, &found->uri));
    found->hint = hint;
    found->next = root->misses;
    root->misses = found;
    *out = found;
    return BT_OK;
}

/* A file that was found but is not JSON becomes a document of the report. */
static enum bt_status miss_broken(struct cli_schema_dir *root, bt_str uri, bt_str path,
                                  bt_str content)
{
    struct cli_schema_missing *found = NULL;
    BT_TRY(add_missing(root, uri, BT_STR("the file exists but is not JSON; fix it"), &found));
    const bt_str folder = bt_str_of(root->folder);
    const char *slash = bt_str_ends_with(folder, BT_STR("/")) ? "" : "/";
    found->content = content;
    return bt_arena_printf(root->arena, &found->path, "%.*s%s%.*s", BT_STR_ARG(folder), slash,
                           BT_STR_ARG(path));
}

static enum bt_status read_file(struct cli_schema_dir *root, bt_str uri, bt_str path,
                                const struct bt_json_doc **out_document)
{
    const struct bt_json_options options = bt_json_options_from_env(root->env);
    struct cli_schema_missing *missed = NULL;
    struct bt_json_read_result result = {0};
    bt_str content;
    const enum bt_status status =
        bt_dir_read(root->root, root->arena, path, options.document_bytes_max, &content, NULL);
    if (status == BT_ENOENT) {
        return add_missing(root, uri, BT_STR("file not found below the root"), &missed);
    }
    if (status == BT_EDENIED) {
        return add_missing(root, uri, BT_STR("only regular files beneath the root are read"),
                           &missed);
    }
    BT_TRY(status);
    /* from: file */
    BT_TRY(bt_json_read(root->arena, content, &options, &result));
    *out_document = result.document;
    return result.document ? BT_OK : miss_broken(root, uri, path, content);
}

/* The path below the root that a URI names, in `buf`; "" when there is none. */
static bt_str find_path(const struct cli_schema_dir *root, bt_str uri, struct bt_buf *buf)
{
    if (!decode_path(path_of(uri), buf) || buf->status != BT_OK) {
        return BT_STR("");
    }
    const bt_str path = bt_buf_str(buf);
    const bt_str inner = get_path_below(root, path);
    const bt_str whole = inner.len > 0 ? inner : path;
    return bt_str_slice(whole, bt_str_starts_with(whole, BT_STR("/")) ? 1 : 0, whole.len);
}

enum bt_status schema_root_resolve(void *context, bt_str uri,
                                   const struct bt_json_doc **out_document)
{
    struct cli_schema_dir *root = context;
    struct cli_schema_missing *missed = root->misses;
    *out_document = NULL;
    while (missed && !bt_str_eq(missed->uri, uri)) {
        missed = missed->next;
    }
    if (missed) {
        return BT_OK; /* requested before */
    }
    struct bt_buf buf;
    bt_buf_init(&buf, PATH_MAX);
    const bt_str path = find_path(root, uri, &buf);
    enum bt_status status = buf.status == BT_ENOMEM ? BT_ENOMEM : BT_OK;
    if (status == BT_OK && path.len == 0) {
        status = add_missing(root, uri, BT_STR("nothing is fetched: refer to a file by its path"),
                             &missed);
    } else if (status == BT_OK && !root->root) {
        status = add_missing(root, uri, BT_STR("give --root DIR, the folder that the file lies in"),
                             &missed);
    } else if (status == BT_OK) {
        status = read_file(root, uri, path, out_document);
    }
    bt_buf_free(&buf);
    return status;
}

/* The part after the last slash. */
static bt_str last_part(bt_str path)
{
    size_t begin = path.len;
    while (begin > 0 && path.ptr[begin - 1] != '/') {
        begin--;
    }
    return bt_str_slice(path, begin, path.len);
}

bt_str cli_schema_dir_put_hint(const struct cli_schema_dir *root, bt_str ref)
{
    assert(root);
    const bt_str name = last_part(bt_str_slice(ref, 0, bt_str_find_byte(ref, '#', 0)));
    for (const struct cli_schema_missing *found = root->misses; found && name.len > 0;
         found = found->next) {
        if (bt_str_eq(last_part(found->uri), name)) {
            return found->hint;
        }
    }
    return BT_STR("");
}
