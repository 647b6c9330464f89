/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - the log as static tlog-tiles files. Files are only added and the checkpoint comes
 * last, so a reader of the folder always sees a complete, if older, log.
 */
#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "ledger/entry.h"
#include "ledger/ledger_internal.h"
#include "ledger/tile.h"
#include "store/files.h"

enum { WORK_BYTES_MAX = 256 << 20, FOLDER_MODE = 0755 };

struct ledger_export {
    struct bt_ledger *ledger;
    struct bt_arena work; /* reset for each file */
    const char *folder;
    struct bt_findings *alarms;
    struct bt_error *error;
    struct bt_ledger_checkpoint checkpoint;
    const struct bt_ledger_export_options *wanted;
    uint64_t tiles; /* written so far, of all that the size needs */
    uint64_t tiles_needed;
    uint64_t files;
    uint64_t documents;
};

/* Create the folders of a path below the export's folder. */
static enum bt_status make_folders(struct ledger_export *export, bt_str path)
{
    bt_str folder;
    for (size_t i = strlen(export->folder) + 1; i < path.len; i++) {
        if (path.ptr[i] != '/') {
            continue;
        }
        BT_TRY(bt_arena_copy(&export->work, bt_str_slice(path, 0, i), &folder));
        BT_TRY(bt_store_make_dir(folder.ptr, FOLDER_MODE, export->error));
    }
    return BT_OK;
}

static bool path_exists(bt_str path)
{
    struct stat info;
    return stat(path.ptr, &info) == 0;
}

/* The full path of a file of the export. */
static enum bt_status full_path(struct ledger_export *export, bt_str name, bt_str *out)
{
    return bt_arena_printf(&export->work, out, "%s/%.*s", export->folder, BT_STR_ARG(name));
}

static enum bt_status put_file(struct ledger_export *export, bt_str path, bt_str content)
{
    const struct bt_store_file_mode mode = {.mode = 0644, .replacing = true};
    struct bt_error why;
    BT_TRY(make_folders(export, path));
    const enum bt_status status = bt_store_write_file(path.ptr, content, mode, &why);
    return status == BT_OK ? BT_OK
                           : bt_error_set(export->error, status, "%.80s: %s", path.ptr, why.text);
}

static enum bt_status put_tile(struct ledger_export *export, struct bt_tile tile, uint32_t width)
{
    struct bt_buf buf;
    bt_str name;
    bt_str path = BT_STR("");
    bt_arena_reset(&export->work);
    bt_buf_init(&buf, BT_BUNDLE_BYTES_MAX);
    bt_tile_put_path(&buf, tile, width);
    enum bt_status status = bt_buf_copy(&buf, &export->work, &name);
    bt_buf_clear(&buf);
    if (status == BT_OK) {
        status = full_path(export, name, &path);
    }
    export->files++;
    if (status == BT_OK && !path_exists(path)) {
        status = bt_tile_put(export->ledger, tile, width, export->alarms, &buf, export->error);
        if (status == BT_OK && bt_findings_count(export->alarms) == 0) {
            status = put_file(export, path, bt_buf_str(&buf));
        }
    }
    bt_buf_free(&buf);
    return status;
}

static enum bt_status put_level(struct ledger_export *export, uint32_t level)
{
    const uint64_t size = export->checkpoint.size;
    for (uint64_t n = 0; n < bt_tile_count(level, size); n++) {
        const struct bt_tile tile = {level, n};
        BT_TRY(put_tile(export, tile, bt_tile_width(tile, size)));
        bt_progress_report(&export->wanted->progress, ++export->tiles, export->tiles_needed);
        if (bt_findings_count(export->alarms) > 0) {
            break;
        }
    }
    return BT_OK;
}

struct ledger_export_documents {
    struct ledger_export *export;
    enum bt_status status;
};

static enum bt_status put_document(struct ledger_export *export, bt_str digest)
{
    struct bt_merkle_hash hash;
    char hex[BT_HASH_HEX_BYTES];
    bt_str name;
    bt_str path;
    struct bt_store_document document;
    bt_arena_reset(&export->work);
    BT_TRY(bt_store_document_get(export->ledger->store, &export->work, digest, &document,
                                 export->error));
    bt_merkle_hash_plain(document.bytes, &hash);
    if (!document.has_bytes ||
        !bt_str_eq(document.sha256, (bt_str){(const char *)hash.bytes, BT_HASH_BYTES})) {
        return BT_OK; /* redacted; or damaged, and then it is not exported */
    }
    bt_merkle_hash_hex(&hash, hex);
    BT_TRY(bt_arena_printf(&export->work, &name, "documents/%.2s/%s", hex, hex));
    BT_TRY(full_path(export, name, &path));
    if (path_exists(path)) {
        return BT_OK;
    }
    export->documents++;
    return put_file(export, path, document.bytes);
}

static bool take_digest(void *context, bt_str digest)
{
    struct ledger_export_documents *documents = context;
    documents->status = put_document(documents->export, digest);
    return documents->status == BT_OK;
}

static enum bt_status put_documents(struct ledger_export *export)
{
    struct ledger_export_documents documents = {export, BT_OK};
    BT_TRY(bt_store_document_scan(export->ledger->store, take_digest, &documents, export->error));
    return documents.status;
}

static bool is_empty(const char *folder)
{
    DIR *stream = opendir(folder);
    bool empty = stream != NULL;
    const struct dirent *entry = stream ? readdir(stream) : NULL;
    for (; entry && empty; entry = readdir(stream)) {
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    if (stream) {
        (void)closedir(stream);
    }
    return empty;
}

/* An earlier export is extended only if this log extends it. */
static enum bt_status judge_earlier(struct ledger_export *export, bt_str note)
{
    bool fine = false;
    struct bt_merkle_hash root;
    struct bt_checkpoint *earlier = BT_NEW(&export->work, struct bt_checkpoint);
    if (!earlier) {
        return BT_ENOMEM;
    }
    const struct bt_checkpoint_input shown = {note, BT_STR("/against/0"),
                                              &export->ledger->keys->keys, BT_STR("")};
    const struct bt_location at = bt_ledger_part(shown.pointer);
    BT_TRY(bt_ledger_check_checkpoint(&shown, export->alarms, earlier, &fine));
    if (!fine) {
        return BT_OK;
    }
    if (earlier->size > export->checkpoint.size) {
        return bt_add_ledger_rollback(export->alarms, at, export->checkpoint.size, earlier->size,
                                      BT_LEDGER_ROLLBACK_SOURCE_EXPORT, BT_STR_ABSENT);
    }
    const struct bt_merkle_subtrees log = bt_ledger_subtrees(export->ledger);
    BT_TRY(bt_merkle_subtrees_root(&log, earlier->size, &root));
    if (bt_merkle_hash_eq(&root, &earlier->root)) {
        return BT_OK;
    }
    return bt_add_ledger_fork(export->alarms, at, earlier->size, BT_LEDGER_FORK_SOURCE_EXPORT);
}

static enum bt_status prepare_folder(struct ledger_export *export)
{
    bt_str path;
    bt_str note;
    struct bt_error why;
    BT_TRY(bt_store_make_dir(export->folder, FOLDER_MODE, export->error));
    BT_TRY(full_path(export, BT_STR("checkpoint"), &path));
    const enum bt_status status = bt_file_read(&export->work, path, BT_NOTE_BYTES_MAX, &note, &why);
    if (status == BT_OK) {
        return judge_earlier(export, note);
    }
    if (status != BT_ENOENT) {
        return bt_error_set(export->error, status, "%.80s: %s", path.ptr, why.text);
    }
    return is_empty(export->folder)
               ? BT_OK
               : bt_error_set(export->error, BT_EDENIED,
                              "%.80s is neither empty nor an earlier export", export->folder);
}

static uint64_t tiles_needed(uint64_t size)
{
    uint64_t count = bt_tile_count(BT_TILE_ENTRIES, size);
    for (uint32_t level = 0; level < BT_TILE_LEVELS; level++) {
        count += bt_tile_count(level, size);
    }
    return count;
}

static enum bt_status export_all(struct ledger_export *export)
{
    bt_str path;
    BT_TRY(prepare_folder(export));
    export->tiles_needed = tiles_needed(export->checkpoint.size);
    for (uint32_t level = 0; level < BT_TILE_LEVELS && bt_findings_count(export->alarms) == 0;
         level++) {
        BT_TRY(put_level(export, level));
    }
    if (bt_findings_count(export->alarms) == 0) {
        BT_TRY(put_level(export, BT_TILE_ENTRIES));
    }
    if (export->wanted->with_documents && bt_findings_count(export->alarms) == 0) {
        BT_TRY(put_documents(export));
    }
    if (bt_findings_count(export->alarms) > 0) {
        return BT_OK;
    }
    export->files++;
    bt_arena_reset(&export->work);
    BT_TRY(full_path(export, BT_STR("checkpoint"), &path));
    return put_file(export, path, export->checkpoint.note);
}

enum bt_status bt_ledger_export_options(struct bt_ledger *ledger, struct bt_arena *arena,
                                        const struct bt_ledger_export_options *wanted,
                                        struct bt_findings *alarms,
                                        struct bt_ledger_export_result *out, struct bt_error *error)
{
    assert(ledger);
    assert(wanted);
    assert(out);
    struct bt_ledger_head head = {.size = 0};
    struct ledger_export export = {.ledger = ledger,
                                   .folder = wanted->folder,
                                   .alarms = alarms,
                                   .error = error,
                                   .wanted = wanted};
    BT_TRY(bt_store_begin_read(ledger->store, error));
    bt_arena_init(&export.work, WORK_BYTES_MAX);
    enum bt_status status = bt_ledger_head(ledger, arena, alarms, &head, error);
    if (status == BT_OK) {
        status =
            bt_ledger_get_checkpoint(ledger, arena, BT_LEDGER_SEQ_NONE, &export.checkpoint, error);
    }
    if (status == BT_OK && bt_findings_count(alarms) == 0) {
        status = export_all(&export);
    }
    bt_arena_free(&export.work);
    bt_store_rollback(ledger->store);
    BT_TRY(status);
    *out = (struct bt_ledger_export_result){.size = export.checkpoint.size,
                                            .root = export.checkpoint.root,
                                            .files = export.files,
                                            .documents = export.documents};
    return BT_OK;
}
