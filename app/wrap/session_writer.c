/* SPDX-License-Identifier: Apache-2.0 */
/* session_writer.c - what a session has written: its entry of the lock, and long results. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "wrap/session_writer.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"

enum { FOLDER_MODE = 0700, FILE_MODE = 0600 };

static bool pin_entry(void *context, const struct bt_wrap_entry *entry)
{
    const struct wrap_session_writer *writer = context;
    char digest[BT_SHA256_HEX_BYTES];
    if (!wrap_write_lock(writer->run, writer->lock, entry, digest)) {
        return false;
    }
    return bt_arena_copy(&writer->run->arena, bt_str_of(digest), &writer->recording->lock_sha256) ==
               BT_OK ||
           cli_refuse_status(BT_ENOMEM);
}

/* Make .baton/wrap/NAME in the folder of the workspace, and give its real path. */
static bool make_folder(const struct wrap_session_writer *writer, char out[PATH_MAX])
{
    const char *root = cli_given(writer->run->options, &flag_store_root);
    char path[PATH_MAX];
    const size_t from = strlen(root ? root : ".") + 1;
    const int length = snprintf(path, sizeof(path), "%s/.baton/wrap/%.*s", root ? root : ".",
                                BT_STR_ARG(writer->name));
    if (length < 0 || (size_t)length >= sizeof(path)) {
        return false;
    }
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, FOLDER_MODE); /* the last one tells whether it worked */
        *slash = '/';
    }
    (void)mkdir(path, FOLDER_MODE);
    return realpath(path, out) != NULL;
}

/* Write a whole text. */
static bool write_text(int fd, bt_str text)
{
    size_t sent = 0;
    while (sent < text.len) {
        const ssize_t count = write(fd, text.ptr + sent, text.len - sent);
        if (count <= 0) {
            return false;
        }
        sent += (size_t)count;
    }
    return true;
}

static bool spill_text(void *context, bt_str text, struct bt_arena *arena, bt_str *out_path)
{
    const struct wrap_session_writer *writer = context;
    char folder[PATH_MAX];
    char id[BT_UUID_TEXT_BYTES];
    struct bt_env random;
    if (!make_folder(writer, folder) || bt_env_init(&random) != BT_OK ||
        bt_env_uuid(&random, id) != BT_OK ||
        bt_arena_printf(arena, out_path, "%s/%s.txt", folder, id) != BT_OK) {
        return cli_refuse("cannot keep a long result in .baton/wrap/%.*s",
                          BT_STR_ARG(writer->name));
    }
    const int fd =
        open(out_path->ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    bool is_written = fd >= 0 && write_text(fd, text);
    if (fd >= 0) {
        is_written = close(fd) == 0 && is_written;
    }
    if (fd >= 0 && !is_written) {
        (void)unlink(out_path->ptr);
    }
    return is_written || cli_refuse("cannot keep a long result in %s", out_path->ptr);
}

struct bt_wrap_writer wrap_session_writer(struct wrap_session_writer *writer)
{
    return (struct bt_wrap_writer){.context = writer, .pin = pin_entry, .spill = spill_text};
}
