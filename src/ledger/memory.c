/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - the state file: a log's last checkpoint, kept in a folder of the account, away from
 * the store and its head file, so that a backup of both that is put back is noticed.
 *
 * It may lag behind the store and is never ahead of it, so it need not be synced. Where it cannot
 * be written it is left out, and the caller is told.
 */
#include "ledger/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "store/files.h"

enum { FOLDER_MODE = 0700, FILE_MODE = 0600 };

enum bt_status bt_ledger_memory_path(struct bt_arena *arena, const struct bt_ledger_memory *memory,
                                     bt_str origin, bool is_test_key, bt_str *out)
{
    char name[BT_SHA256_HEX_BYTES];
    *out = BT_STR("");
    if (!memory->folder || memory->folder[0] == '\0' || (is_test_key && !memory->is_named)) {
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(origin, name));
    return bt_arena_printf(arena, out, "%s/heads/%s", memory->folder, name);
}

/* Make the folders of a path that are missing. */
static bool make_folders(struct bt_arena *arena, bt_str path)
{
    for (size_t at = bt_str_find_byte(path, '/', 1); at < path.len;
         at = bt_str_find_byte(path, '/', at + 1)) {
        bt_str folder;
        if (bt_arena_copy(arena, bt_str_slice(path, 0, at), &folder) != BT_OK ||
            (mkdir(folder.ptr, FOLDER_MODE) != 0 && errno != EEXIST)) {
            return false;
        }
    }
    return true;
}

static bool write_note(bt_str path, bt_str note)
{
    const struct bt_store_file_mode mode = {
        .mode = FILE_MODE, .replacing = true, .is_unsynced = true};
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    const bool is_made = make_folders(&arena, path);
    bt_arena_free(&arena);
    return is_made && bt_store_write_file(path.ptr, note, mode, NULL) == BT_OK;
}

void bt_ledger_write_memory(struct bt_ledger *ledger, bt_str note)
{
    if (ledger->files.seen.len > 0 && !atomic_load(&ledger->files.memory_failed) &&
        !write_note(ledger->files.seen, note)) {
        atomic_store(&ledger->files.memory_failed, true);
    }
}

enum bt_status bt_ledger_memory_check_origin(struct bt_arena *arena, bt_str path,
                                             struct bt_error *error)
{
    struct bt_checkpoint *seen = BT_NEW(arena, struct bt_checkpoint);
    bt_str note;
    if (!seen) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (path.len == 0 || bt_file_read(arena, path, BT_NOTE_BYTES_MAX, &note, NULL) != BT_OK) {
        return BT_OK;
    }
    if (bt_checkpoint_read(note, seen) || seen->size > 0) {
        return bt_error_set(error, BT_EDENIED,
                            "the origin was used before (%s): choose another, or delete that file",
                            path.ptr);
    }
    return BT_OK;
}

bool bt_ledger_memory_has_failed(const struct bt_ledger *ledger, bt_str *out_path)
{
    *out_path = ledger->files.seen;
    return atomic_load(&ledger->files.memory_failed);
}

bool bt_ledger_misses_head(const struct bt_ledger *ledger, bt_str *out_path)
{
    *out_path = ledger->files.head;
    return ledger->files.misses_head;
}
