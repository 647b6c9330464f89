/* SPDX-License-Identifier: Apache-2.0 */
/* log_files.c - read the files of a log from a folder, or with GET from a server. */
#include "watch/log_files.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

enum { REQUEST_MS = 5000, STATUS_OK = 200, STATUS_NOT_FOUND = 404 };

enum bt_status watch_read_folder(void *context, struct bt_arena *arena, bt_str path,
                                 size_t bytes_max, bt_str *out, struct bt_error *error)
{
    const char *const *folder = context;
    struct bt_error why;
    bt_str file;
    BT_TRY(bt_arena_printf(arena, &file, "%s/%.*s", *folder, BT_STR_ARG(path)));
    const enum bt_status status = bt_file_read(arena, file, bytes_max, out, &why);
    return status == BT_OK || status == BT_ENOENT
               ? status
               : bt_error_set(error, status, "%.90s: %s", file.ptr, why.text);
}

enum bt_status watch_read_server(void *context, struct bt_arena *arena, bt_str path,
                                 size_t bytes_max, bt_str *out, struct bt_error *error)
{
    const struct watch_server *server = context;
    struct bt_error why = {0};
    struct bt_buf body;
    bt_str below;
    if (server->is_ending()) {
        return bt_error_set(error, BT_EIO, "a signal ended the request");
    }
    BT_TRY(bt_arena_printf(arena, &below, "/%.*s", BT_STR_ARG(path)));
    const struct http_client_post request = {.is_get = true,
                                             .where = &server->where,
                                             .path = below.ptr,
                                             .fields = BT_STR(""),
                                             .until_ms = bt_clock_monotonic_ms() + REQUEST_MS,
                                             .error = &why};
    bt_buf_init(&body, bytes_max + 1);
    const unsigned code = bt_http_client_post(&request, &body);
    enum bt_status status = BT_OK;
    if (code == 0) {
        status = bt_error_set(error, BT_EIO, "no answer came from %.*s within %d s%s%s",
                              BT_STR_ARG(server->where.authority), REQUEST_MS / 1000,
                              why.text[0] ? ": " : "", why.text);
    } else if (code == STATUS_NOT_FOUND) {
        status = BT_ENOENT;
    } else if (code != STATUS_OK) {
        status = bt_error_set(error, BT_EIO, "%.*s answered %.*s with status %u",
                              BT_STR_ARG(server->where.authority), BT_STR_ARG(below), code);
    } else {
        status = bt_buf_copy(&body, arena, out);
    }
    bt_buf_free(&body);
    return status;
}
