/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_evidence.c - an exported log of 1,000 entries, of which any byte is changed: it is always
 * found. BATON_FLIP_STEP=1 in the environment flips every byte instead of some thousands.
 */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/proof_api.h"
#include "made.h"

enum { ENTRIES = 1000, STEP_USUAL = 131, FILES_MAX = 64, PATH_BYTES = 768 };

/* The files of the export, with their bytes. */
struct file {
    char path[PATH_BYTES];
    size_t size;
    char *bytes;
};

struct export
{
    struct made made;
    char folder[512];
    struct file files[FILES_MAX];
    size_t count;
};

static void read_file(struct export *export, const char *path)
{
    struct stat info;
    struct file *file = &export->files[export->count++];
    assert_true(export->count <= FILES_MAX);
    assert_int_equal(stat(path, &info), 0);
    file->size = (size_t)info.st_size;
    file->bytes = malloc(file->size);
    assert_non_null(file->bytes);
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, file->bytes, file->size), info.st_size);
    assert_int_equal(close(fd), 0);
    (void)snprintf(file->path, sizeof(file->path), "%s", path);
}

static void collect(struct export *export, const char *folder)
{
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        char path[PATH_BYTES];
        struct stat info;
        if (entry->d_name[0] == '.') {
            continue;
        }
        assert_true(snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < PATH_BYTES);
        assert_int_equal(stat(path, &info), 0);
        if (S_ISDIR(info.st_mode)) {
            collect(export, path);
        } else {
            read_file(export, path);
        }
    }
    (void)closedir(stream);
}

static void export_open(struct export *export)
{
    bool recorded = false;
    struct bt_ledger_export_result out;
    memset(export, 0, sizeof(*export));
    made_open(&export->made);
    struct bt_ledger *ledger = made_ledger(&export->made, true);
    assert_non_null(ledger);
    assert_int_equal(made_append(&export->made, ledger, ENTRIES, &recorded), BT_OK);
    (void)snprintf(export->folder, sizeof(export->folder), "%s/tree", export->made.folder);
    struct bt_findings *alarms = bt_findings_new(&export->made.arena);
    const struct bt_ledger_export_options wanted = {.folder = export->folder};
    assert_int_equal(bt_ledger_export_options(ledger, &export->made.arena, &wanted, alarms, &out,
                                              &export->made.error),
                     BT_OK);
    assert_int_equal(out.files, 4 + 4 + 1 + 1);
    bt_ledger_close(ledger);
    collect(export, export->folder);
    assert_int_equal(export->count, out.files);
}

static void export_close(struct export *export)
{
    for (size_t i = 0; i < export->count; i++) {
        free(export->files[i].bytes);
    }
    made_close(&export->made);
}

static bool is_accepted(struct export *export)
{
    struct bt_arena arena;
    struct bt_judgement judged = {.verdict = BT_VERDICT_NONE};
    bt_arena_init(&arena, (size_t)256 << 20);
    struct bt_verifier_keys *keys = bt_verifier_keys_new(&arena, BT_VERIFIER_KEY_LOG);
    assert_non_null(keys);
    assert_int_equal(bt_verifier_keys_add(keys, BT_STR(MADE_VKEY), NULL), BT_OK);
    const struct bt_ledger_verify_options options = {.keys = keys};
    assert_int_equal(bt_ledger_verify_files(bt_str_of(export->folder), &arena, &options, &judged,
                                            &export->made.error),
                     BT_OK);
    bt_arena_free(&arena);
    return judged.verdict == BT_VERDICT_ACCEPTED;
}

static void put_byte(const struct file *file, size_t at, char byte)
{
    const int fd = open(file->path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    assert_int_equal(close(fd), 0);
}

static void no_changed_byte_goes_unnoticed(void **state)
{
    (void)state;
    static struct export export;
    const char *asked = getenv("BATON_FLIP_STEP");
    uint64_t step = STEP_USUAL;
    size_t flips = 0;
    export_open(&export);
    assert_true(!asked || bt_str_to_u64(bt_str_of(asked), &step) == BT_OK);
    assert_true(is_accepted(&export));
    for (size_t i = 0; i < export.count; i++) {
        const struct file *file = &export.files[i];
        for (size_t at = flips % step; at < file->size; at += step) {
            put_byte(file, at, (char)(file->bytes[at] ^ (1 << (at % 8))));
            if (is_accepted(&export)) {
                fail_msg("byte %zu of %s was changed, and nobody noticed", at, file->path);
            }
            put_byte(file, at, file->bytes[at]);
            flips++;
        }
    }
    assert_true(is_accepted(&export)); /* all was put back: it was the byte that was noticed */
    assert_true(flips > 100);
    export_close(&export);
}

static void no_missing_byte_goes_unnoticed(void **state)
{
    (void)state;
    static struct export export;
    export_open(&export);
    for (size_t i = 0; i < export.count; i++) {
        const struct file *file = &export.files[i];
        assert_int_equal(truncate(file->path, (off_t)file->size - 1), 0);
        assert_false(is_accepted(&export));
        put_byte(file, file->size - 1, file->bytes[file->size - 1]);
        put_byte(file, file->size, 'x');
        assert_false(is_accepted(&export));
        assert_int_equal(truncate(file->path, (off_t)file->size), 0);
    }
    assert_true(is_accepted(&export));
    export_close(&export);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_changed_byte_goes_unnoticed),
        cmocka_unit_test(no_missing_byte_goes_unnoticed),
    };
    return RUN_TESTS(tests);
}
