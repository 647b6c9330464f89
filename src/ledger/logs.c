/* SPDX-License-Identifier: Apache-2.0 */
/* logs.c - many ledgers below one root: find, list, make and adopt them. */
#include "ledger/logs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file.h"
#include "json/emit.h"
#include "ledger/ledger_internal.h"
#include "store/files.h"
#include "store/postgres_url.h"

enum { VKEY_BYTES_MAX = 64 << 10, SCHEMA_NAME_BYTES_MAX = 59, LOCK_WAIT_MS = 2000 };

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_on_server(const struct bt_logs *logs)
{
    return bt_str_starts_with(logs->root, BT_STR("postgresql://"));
}

/* The folder whose names are the logs. */
static bt_str listed_folder(const struct bt_logs *logs)
{
    return is_on_server(logs) ? logs->keys : logs->root;
}

bool bt_log_name_is_valid(bt_str name)
{
    return bt_ascii_is_label(name, BT_LOG_NAME_BYTES_MAX);
}

static enum bt_status schema_store(const struct bt_logs *logs, struct bt_arena *arena, bt_str name,
                                   bt_str *out, struct bt_error *error)
{
    char schema[BT_LOG_NAME_BYTES_MAX + 8] = "log_";
    bt_str files;
    if (name.len > SCHEMA_NAME_BYTES_MAX) {
        return bt_error_set(error, BT_EINVAL, "a log in PostgreSQL has a name of at most %d bytes",
                            SCHEMA_NAME_BYTES_MAX);
    }
    if (logs->keys.len == 0) {
        return bt_error_set(error, BT_EINVAL,
                            "logs in PostgreSQL need logs.keys, the folder of their keys");
    }
    for (size_t i = 0; i < name.len; i++) {
        schema[4 + i] = (char)(name.ptr[i] == '-' ? '_' : name.ptr[i]);
    }
    BT_TRY(bt_arena_printf(arena, &files, "%.*s/%.*s", BT_STR_ARG(logs->keys), BT_STR_ARG(name)));
    return bt_postgres_url_of_schema(arena, logs->root, bt_str_of(schema), files, out, error);
}

enum bt_status bt_log_store(const struct bt_logs *logs, struct bt_arena *arena, bt_str name,
                            bt_str *out, struct bt_error *error)
{
    assert(logs);
    assert(out);
    if (!bt_log_name_is_valid(name)) {
        return bt_error_set(error, BT_EINVAL,
                            "a log is named by 1 to %d of [a-z0-9-], of which the first is not -",
                            BT_LOG_NAME_BYTES_MAX);
    }
    if (is_on_server(logs)) {
        return schema_store(logs, arena, name, out, error);
    }
    return bt_arena_printf(arena, out, "%.*s/%.*s/store.db", BT_STR_ARG(logs->root),
                           BT_STR_ARG(name));
}

/* The file whose existence makes a log known: its store or, on a server, its vkey. */
static enum bt_status find_mark(const struct bt_logs *logs, struct bt_arena *arena, bt_str name,
                                bt_str *out)
{
    return bt_arena_printf(arena, out, is_on_server(logs) ? "%.*s/%.*s.vkey" : "%.*s/%.*s/store.db",
                           BT_STR_ARG(listed_folder(logs)), BT_STR_ARG(name));
}

enum bt_status bt_log_find(const struct bt_logs *logs, struct bt_arena *arena, bt_str name,
                           bt_str *out_store, struct bt_error *error)
{
    bt_str mark;
    bt_str store;
    BT_TRY(bt_log_store(logs, arena, name, &store, error));
    BT_TRY(find_mark(logs, arena, name, &mark));
    if (bt_file_kind_of(mark) != BT_FILE_REGULAR) {
        return bt_error_set(error, BT_ENOENT, "there is no log %.*s", BT_STR_ARG(name));
    }
    *out_store = store;
    return BT_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The log that a name in the listed folder stands for; "": none. */
static bt_str log_of(const struct bt_logs *logs, bt_str name)
{
    const bt_str ending = BT_STR(".vkey");
    if (is_on_server(logs)) {
        const bool is_vkey = bt_str_ends_with(name, ending);
        name = bt_str_slice(name, 0, is_vkey ? name.len - ending.len : 0);
    }
    return bt_log_name_is_valid(name) ? name : BT_STR("");
}

enum bt_status bt_logs_list(const struct bt_logs *logs, struct bt_arena *arena,
                            struct bt_str_list *out, struct bt_error *error)
{
    assert(logs);
    assert(out);
    const bt_str folder = listed_folder(logs);
    struct bt_dir *dir = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    *out = (struct bt_str_list){0};
    if (folder.len == 0 || bt_file_kind_of(folder) == BT_FILE_NONE) {
        return BT_OK; /* none was made yet */
    }
    BT_TRY(bt_dir_open(folder, &dir, error));
    enum bt_status status = bt_dir_list(dir, arena, &names, &count, error);
    bt_str *found = status == BT_OK ? BT_NEW_ARRAY(arena, bt_str, count + 1) : NULL;
    status = status == BT_OK && !found ? BT_ENOMEM : status;
    size_t kept = 0;
    for (size_t i = 0; status == BT_OK && i < count; i++) {
        char path[BT_LOG_NAME_BYTES_MAX + sizeof("/store.db")];
        const bt_str name = log_of(logs, names[i]);
        (void)snprintf(path, sizeof(path), "%.*s/store.db", BT_STR_ARG(name));
        if (name.len > 0 &&
            (is_on_server(logs) || bt_dir_file_kind_of(dir, bt_str_of(path)) == BT_FILE_REGULAR)) {
            found[kept++] = name;
        }
    }
    bt_dir_close(dir);
    *out = (struct bt_str_list){found, kept};
    return status;
}

/* The origin that the vkey of a log names, before its first plus sign. */
static enum bt_status read_origin(const struct bt_logs *logs, struct bt_arena *arena, bt_str name,
                                  bt_str *out)
{
    struct bt_error ignored;
    bt_str path;
    bt_str text;
    *out = BT_STR("");
    BT_TRY(bt_arena_printf(arena, &path,
                           is_on_server(logs) ? "%.*s/%.*s.vkey" : "%.*s/%.*s/ledger.vkey",
                           BT_STR_ARG(listed_folder(logs)), BT_STR_ARG(name)));
    const enum bt_status status = bt_file_read(arena, path, VKEY_BYTES_MAX, &text, &ignored);
    const size_t end = status == BT_OK ? bt_str_find_byte(text, '+', 0) : 0;
    if (status == BT_OK && end < text.len) {
        *out = bt_str_slice(text, 0, end);
    }
    return status == BT_ENOMEM ? status : BT_OK;
}

static int compare_names(bt_str a, bt_str b)
{
    const size_t shared = a.len < b.len ? a.len : b.len;
    const int order = memcmp(a.ptr, b.ptr, shared);
    return order != 0 ? order : (int)(a.len > b.len) - (int)(a.len < b.len);
}

enum bt_status bt_logs_read(const struct bt_logs *logs, struct bt_arena *arena,
                            const struct bt_log_rows *known, struct bt_log_rows *out,
                            struct bt_error *error)
{
    struct bt_str_list names;
    BT_TRY(bt_logs_list(logs, arena, &names, error));
    struct bt_log_row *rows = BT_NEW_ARRAY(arena, struct bt_log_row, names.count + 1);
    if (!rows) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    size_t at = 0;
    for (size_t i = 0; i < names.count; i++) {
        while (known && at < known->count &&
               compare_names(known->items[at].name, names.items[i]) < 0) {
            at++;
        }
        rows[i].name = names.items[i];
        const bool is_known = known && at < known->count && known->items[at].origin.len > 0 &&
                              bt_str_eq(known->items[at].name, names.items[i]);
        BT_TRY(is_known ? bt_arena_copy(arena, known->items[at].origin, &rows[i].origin)
                        : read_origin(logs, arena, names.items[i], &rows[i].origin));
    }
    *out = (struct bt_log_rows){rows, names.count};
    return BT_OK;
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Make the folder of the logs and take its lock in time. A descriptor to close, or -1. */
static int lock_root(const struct bt_logs *logs, struct bt_arena *arena, uint64_t deadline_ms,
                     struct bt_error *error)
{
    bt_str folder;
    bt_str path;
    if (bt_arena_copy(arena, listed_folder(logs), &folder) != BT_OK ||
        bt_arena_printf(arena, &path, "%.*s/.lock", BT_STR_ARG(folder)) != BT_OK) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return -1;
    }
    if (bt_store_make_dir(folder.ptr, 0700, error) != BT_OK) {
        return -1;
    }
    const int fd = open(path.ptr, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && bt_fd_lock(fd, deadline_ms > 0 ? deadline_ms : LOCK_WAIT_MS)) {
        return fd;
    }
    (void)bt_error_set(error, BT_EIO, "cannot lock %.90s: %s", path.ptr, strerror(errno));
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

/* Check that a log can be added: with the lock held. */
static enum bt_status check_room(const struct bt_logs *logs, struct bt_arena *arena,
                                 const struct bt_log_row *wanted, const struct bt_log_rows *known,
                                 struct bt_error *error)
{
    struct bt_log_rows rows = {0};
    BT_TRY(bt_logs_read(logs, arena, known, &rows, error));
    for (size_t i = 0; i < rows.count; i++) {
        if (bt_str_eq(rows.items[i].name, wanted->name)) {
            return bt_error_set(error, BT_EEXIST, "there is a log %.*s already",
                                BT_STR_ARG(wanted->name));
        }
        if (bt_str_eq(rows.items[i].origin, wanted->origin)) {
            return bt_error_set(error, BT_EEXIST, "the origin is taken by the log %.*s",
                                BT_STR_ARG(rows.items[i].name));
        }
    }
    return rows.count < logs->count_max
               ? BT_OK
               : bt_error_set(error, BT_ELIMIT, "there are %zu logs, as many as logs.max allows",
                              rows.count);
}

enum bt_status bt_log_new(const struct bt_logs *logs, struct bt_env *env, struct bt_arena *arena,
                          const struct bt_log_new_options *options,
                          struct bt_ledger_init_result *out, struct bt_error *error)
{
    assert(options);
    struct bt_ledger_options ledger = options->ledger;
    const struct bt_log_row wanted = {options->name, options->init.origin};
    bt_str store;
    BT_TRY(bt_log_store(logs, arena, options->name, &store, error));
    const int lock = lock_root(logs, arena, ledger.deadline_ms, error);
    if (lock < 0) {
        return BT_EIO;
    }
    ledger.store = store.ptr;
    ledger.key_file = NULL;
    enum bt_status status = check_room(logs, arena, &wanted, options->known, error);
    if (status == BT_OK) {
        status = bt_ledger_init(env, arena, &ledger, &options->init, out, error);
    }
    (void)close(lock);
    return status;
}

enum bt_status bt_log_read_size(const struct bt_logs *logs, struct bt_arena *arena,
                                const struct bt_ledger_options *options, bt_str name, uint64_t *out,
                                struct bt_error *error)
{
    struct bt_ledger_options ledger = *options;
    struct bt_findings *alarms = bt_findings_new(arena);
    struct bt_ledger_head head = {0};
    struct bt_ledger *reader = NULL;
    bt_str store;
    if (!alarms) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_log_store(logs, arena, name, &store, error));
    ledger.store = store.ptr;
    ledger.key_file = NULL;
    ledger.accepts_statements = true;
    BT_TRY(bt_ledger_open(&ledger, false, &reader, error));
    const enum bt_status status = bt_ledger_head(reader, arena, alarms, &head, error);
    bt_ledger_close(reader);
    if (status == BT_OK && bt_findings_count(alarms) > 0) {
        return bt_error_set(error, BT_ECORRUPT, "%s", bt_findings_at(alarms, 0)->message.ptr);
    }
    *out = head.size;
    return status;
}

void bt_log_row_put(struct bt_emit *emit, const struct bt_log_row *row, const uint64_t *size)
{
    assert(emit);
    assert(row);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", row->name);
    bt_emit_member_string(emit, "origin", row->origin);
    bt_emit_member_u64_or_null(emit, "size", size != NULL, size ? *size : 0);
    bt_emit_end(emit);
}

/* ---- Adoption -------------------------------------------------------------------------------- */

/* Verify the ledger through a second handle, while the first one holds the append lock. */
static enum bt_status verify_from(const struct bt_ledger_options *ledger, struct bt_arena *arena,
                                  const struct bt_log_adopt_options *options,
                                  struct bt_error *error)
{
    const struct bt_ledger_verify_options verifying = {.progress = options->progress};
    struct bt_ledger *reader = NULL;
    BT_TRY(bt_ledger_open(ledger, false, &reader, error));
    enum bt_status status = bt_ledger_verify(reader, arena, &verifying, options->judged, error);
    if (status == BT_OK) { /* the path is the reader's */
        status = bt_arena_copy(arena, options->judged->path, &options->judged->path);
    }
    bt_ledger_close(reader);
    return status;
}

/* Rename the folder, and make that durable in both folders above. */
static enum bt_status move_folder(struct bt_arena *arena, bt_str from, bt_str to,
                                  struct bt_error *error)
{
    bt_str above[2];
    if (rename(from.ptr, to.ptr) != 0) {
        return bt_error_set(error, BT_EIO, "cannot move %.60s to %.60s: %s", from.ptr, to.ptr,
                            strerror(errno));
    }
    BT_TRY(bt_arena_printf(arena, &above[0], "%s/..", to.ptr));
    BT_TRY(bt_store_sync_dir(above[0].ptr, error));
    size_t end = from.len;
    while (end > 0 && from.ptr[end - 1] != '/') {
        end--;
    }
    BT_TRY(bt_arena_printf(arena, &above[1], "%.*s.", BT_STR_ARG(bt_str_slice(from, 0, end))));
    return bt_store_sync_dir(above[1].ptr, error);
}

/* Move the ledger that `ledger` names, whose handle holds the append lock. */
static enum bt_status adopt_locked(const struct bt_logs *logs, struct bt_arena *arena,
                                   struct bt_ledger *holder, const struct bt_ledger_options *ledger,
                                   struct bt_log_adopt_options *options, struct bt_error *error)
{
    const struct bt_log_row wanted = {options->name, bt_ledger_origin(holder)};
    bt_str to;
    bt_str from;
    struct stat info;
    BT_TRY(check_room(logs, arena, &wanted, NULL, error));
    BT_TRY(bt_arena_copy(arena, wanted.origin, &options->origin));
    BT_TRY(bt_arena_copy(arena, options->folder, &from));
    BT_TRY(bt_arena_printf(arena, &to, "%.*s/%.*s", BT_STR_ARG(logs->root),
                           BT_STR_ARG(options->name)));
    if (lstat(to.ptr, &info) == 0) {
        return bt_error_set(error, BT_EEXIST, "%.90s is there already", to.ptr);
    }
    BT_TRY(bt_store_begin(holder->store, error));
    BT_TRY(verify_from(ledger, arena, options, error));
    if (options->judged->verdict == BT_VERDICT_REJECTED) {
        return BT_OK;
    }
    BT_TRY(move_folder(arena, from, to, error));
    options->is_adopted = true;
    return BT_OK;
}

/* Open the ledger in the folder, for writing: its key must be there too. */
static enum bt_status open_adopted(struct bt_arena *arena, struct bt_log_adopt_options *options,
                                   struct bt_ledger_options *ledger, struct bt_ledger **out,
                                   struct bt_error *error)
{
    struct stat info;
    bt_str folder;
    bt_str store;
    while (options->folder.len > 1 && bt_str_ends_with(options->folder, BT_STR("/"))) {
        options->folder.len--;
    }
    BT_TRY(bt_arena_copy(arena, options->folder, &folder));
    if (lstat(folder.ptr, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return bt_error_set(error, BT_EINVAL, "%.90s is not a folder", folder.ptr);
    }
    BT_TRY(bt_arena_printf(arena, &store, "%s/store.db", folder.ptr));
    *ledger = options->ledger;
    ledger->store = store.ptr;
    ledger->key_file = NULL;
    ledger->accepts_statements = true;
    return bt_ledger_open(ledger, true, out, error);
}

enum bt_status bt_log_adopt(const struct bt_logs *logs, struct bt_arena *arena,
                            struct bt_log_adopt_options *options, struct bt_error *error)
{
    assert(options);
    struct bt_ledger *holder = NULL;
    struct bt_ledger_options ledger;
    bt_str store;
    options->is_adopted = false;
    if (is_on_server(logs)) {
        return bt_error_set(error, BT_EINVAL,
                            "a folder is adopted below a folder, and logs.root is a server: use "
                            "baton store copy");
    }
    BT_TRY(bt_log_store(logs, arena, options->name, &store, error));
    const int lock = lock_root(logs, arena, options->ledger.deadline_ms, error);
    if (lock < 0) {
        return BT_EIO;
    }
    enum bt_status status = open_adopted(arena, options, &ledger, &holder, error);
    if (status == BT_OK) {
        status = adopt_locked(logs, arena, holder, &ledger, options, error);
    }
    bt_ledger_close(holder);
    (void)close(lock);
    return status == BT_OK && options->is_adopted
               ? bt_log_read_size(logs, arena, &options->ledger, options->name, &options->size,
                                  error)
               : status;
}
