/* SPDX-License-Identifier: Apache-2.0 */
/* lock_file.c - the lock of a run: read, checked, and written while others may write it too. */
#include "wrap/server_flags.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "cli/output.h"

enum { HOLD_MS = 5000 };

/* ---- Reading --------------------------------------------------------------------------------- */

static bool read_lock(struct cli_run *run, const char *path, bool must_exist,
                      struct wrap_lock_file *out)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    *out = (struct wrap_lock_file){.path = path, .bytes = BT_STR("")};
    const enum bt_status status = bt_file_read(&run->arena, bt_str_of(path), BT_WRAP_LOCK_BYTES_MAX,
                                               &out->bytes, &run->error);
    if (status == BT_ENOENT && !must_exist) {
        return true;
    }
    if (status != BT_OK) {
        (void)cli_refuse("cannot read the lock %s: %s", path, run->error.text);
        if (status == BT_ENOENT) {
            cli_print_hint("baton wrap pin --lock %s -- COMMAND [ARG...] writes it", path);
        }
        return false;
    }
    out->is_there = true;
    const enum bt_status parsed = bt_wrap_lock_read(&memory, out->bytes, &out->lock, &run->error);
    return parsed == BT_OK ||
           (parsed == BT_EINVAL ? cli_refuse("cannot use the lock %s: %s", path, run->error.text)
                                : cli_refuse_status(parsed));
}

/* The lock of --lock, else of the configuration, else in this folder. */
bool wrap_read_lock(struct cli_run *run, bool must_exist, struct wrap_lock_file *out)
{
    const char *given = cli_given(run->options, &flag_lock_file);
    bt_str configured = BT_STR("");
    if (!given &&
        bt_config_path(run->options->config, "wrap.lock", &run->arena, &configured) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    const char *path = given ? given : configured.len > 0 ? configured.ptr : WRAP_LOCK_NAME;
    return read_lock(run, path, must_exist && given, out);
}

bool wrap_read_lock_at(struct cli_run *run, const char *path, struct wrap_lock_file *out)
{
    return read_lock(run, path, true, out);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Keep others from writing the locks of a folder: a descriptor to close, or -1 after an error
 * message. */
static int hold_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    if (slash && (size_t)(slash - path) + 2 < sizeof(folder)) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = '\0';
    }
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && bt_fd_lock(fd, HOLD_MS)) {
        return fd;
    }
    (void)cli_refuse("cannot write the lock %s: %s", path, strerror(errno));
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

/* Whether two locks say the same about a server. */
static enum bt_status compare_entries(const struct bt_wrap_memory *memory,
                                      const struct bt_wrap_lock *a, const struct bt_wrap_lock *b,
                                      bt_str name, bool *out_is_same)
{
    const struct bt_wrap_lock *const both[] = {a, b};
    struct bt_buf texts[2];
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < 2; i++) {
        const struct bt_wrap_entry *entry = bt_wrap_lock_find(both[i], name);
        struct bt_wrap_lock one = {0};
        bt_buf_init(&texts[i], BT_WRAP_LOCK_BYTES_MAX);
        if (status == BT_OK && entry) {
            status = bt_wrap_lock_set(memory, &one, entry);
        }
        if (status == BT_OK) {
            status = bt_wrap_lock_put(memory, &one, &texts[i]);
        }
    }
    *out_is_same = bt_str_eq(bt_buf_str(&texts[0]), bt_buf_str(&texts[1]));
    bt_buf_free(&texts[0]);
    bt_buf_free(&texts[1]);
    return status;
}

/* Read what is there now. False after an error message: this entry is another one by now. */
static bool read_again(struct cli_run *run, const struct wrap_lock_file *file, bt_str name,
                       struct wrap_lock_file *out)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    bool is_same = true;
    if (!read_lock(run, file->path, false, out)) {
        return false;
    }
    if (bt_str_eq(file->bytes, out->bytes)) {
        return true;
    }
    const enum bt_status status = compare_entries(&memory, &file->lock, &out->lock, name, &is_same);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    return is_same || cli_refuse("somebody else has changed %.*s in the lock %s meanwhile; review "
                                 "it and start again",
                                 BT_STR_ARG(name), file->path);
}

static bool write_entry(struct cli_run *run, struct wrap_lock_file *file,
                        const struct bt_wrap_entry *entry, char out_sha256[BT_SHA256_HEX_BYTES])
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    struct bt_buf buf;
    bt_buf_init(&buf, BT_WRAP_LOCK_BYTES_MAX);
    enum bt_status status = bt_wrap_lock_set(&memory, &file->lock, entry);
    if (status == BT_OK) {
        status = bt_wrap_lock_put(&memory, &file->lock, &buf);
    }
    if (status == BT_OK && out_sha256) {
        status = bt_sha256_hex(bt_buf_str(&buf), out_sha256);
    }
    bool is_written = status == BT_OK;
    if (status == BT_ELIMIT) {
        (void)cli_refuse("cannot write the lock %s: it would be larger than 16 MiB", file->path);
    } else if (status != BT_OK) {
        (void)cli_fail_status(status);
    } else if (!file->is_there || !bt_str_eq(file->bytes, bt_buf_str(&buf))) {
        is_written =
            bt_file_replace(bt_str_of(file->path), bt_buf_str(&buf), &run->error) == BT_OK ||
            cli_refuse("cannot write the lock %s: %s", file->path, run->error.text);
    }
    bt_buf_free(&buf);
    return is_written;
}

bool wrap_write_lock(struct cli_run *run, const struct wrap_lock_file *file,
                     const struct bt_wrap_entry *entry, char out_sha256[BT_SHA256_HEX_BYTES])
{
    struct wrap_lock_file now;
    const int folder = hold_folder(file->path);
    if (folder < 0) {
        return false;
    }
    const bool is_written =
        read_again(run, file, entry->name, &now) && write_entry(run, &now, entry, out_sha256);
    (void)close(folder);
    return is_written;
}

/* ---- Checking -------------------------------------------------------------------------------- */

bool wrap_check_lock(struct cli_run *run, const struct wrap_lock_file *file)
{
    const struct bt_wrap_memory memory = wrap_memory(run);
    struct bt_findings *findings = bt_findings_new(&run->arena);
    enum bt_status status = findings ? BT_OK : BT_ENOMEM;
    for (size_t i = 0; status == BT_OK && i < file->lock.entries.count; i++) {
        status = bt_wrap_entry_check_digests(&memory, &file->lock.entries.items[i], findings);
    }
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    if (bt_findings_count(findings) == 0) {
        return true;
    }
    const struct bt_finding *first = bt_findings_at(findings, 0);
    return cli_refuse("cannot use the lock %s: %.*s: %.*s", file->path,
                      BT_STR_ARG(first->rule->code), BT_STR_ARG(first->message));
}
