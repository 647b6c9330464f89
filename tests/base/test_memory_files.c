/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory_files.c - a folder in memory is read like a folder on disk. */
#define _GNU_SOURCE /* mkdtemp() */
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

#include "base/arena.h"
#include "base/memory_files.h"

static const struct {
    const char *path;
    const char *content;
} given[] = {
    {"a/b/c.txt", "inner"}, {"a.b", "dotted"}, {"top", "top"}, {"a/z", ""}, {"./a//b/./d", "d"},
};

static struct bt_memory_files *make_files(void)
{
    struct bt_memory_files *files = bt_memory_files_create(1 << 20);
    assert_non_null(files);
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        struct bt_error error;
        if (bt_memory_files_add(files, bt_str_of(given[i].path), bt_str_of(given[i].content),
                                &error) != BT_OK) {
            fail_msg("%s: %s", given[i].path, error.text);
        }
    }
    return files;
}

static void write_text(const char *folder, const char *path, const char *content)
{
    char name[512];
    (void)snprintf(name, sizeof(name), "%s/%s", folder, path);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, strlen(content), file), strlen(content));
    assert_int_equal(fclose(file), 0);
}

/* The same files on disk. */
static void make_folder(char folder[64])
{
    char name[128];
    (void)snprintf(folder, 64, "/tmp/baton-memory-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(name, sizeof(name), "%s/a", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    (void)snprintf(name, sizeof(name), "%s/a/b", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        write_text(folder, given[i].path, given[i].content);
    }
}

static void remove_folder(const char *folder)
{
    char name[512];
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        (void)snprintf(name, sizeof(name), "%s/%s", folder, given[i].path);
        assert_int_equal(unlink(name), 0);
    }
    static const char *const folders[] = {"/a/b", "/a", ""};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", folder, folders[i]);
        assert_int_equal(rmdir(name), 0);
    }
}

/* Compare every way to look a path up. */
static void expect_same(const struct bt_dir *memory, const struct bt_dir *disk, bt_str path)
{
    struct bt_arena arena;
    struct bt_dir_file files[2];
    uint8_t digests[2][32];
    bt_str texts[2];
    bt_arena_init(&arena, 1 << 20);
    enum bt_status statuses[2] = {bt_dir_read_linked(memory, &arena, path, 4, &files[0], NULL),
                                  bt_dir_read_linked(disk, &arena, path, 4, &files[1], NULL)};
    bool is_same = statuses[0] == statuses[1] &&
                   (statuses[0] != BT_OK ||
                    (files[0].error == files[1].error &&
                     (files[0].error || bt_str_eq(files[0].content, files[1].content))));
    statuses[0] = bt_dir_read_unlinked(memory, &arena, path, 100, &files[0], NULL);
    statuses[1] = bt_dir_read_unlinked(disk, &arena, path, 100, &files[1], NULL);
    is_same = is_same && statuses[0] == statuses[1] &&
              (statuses[0] != BT_OK || files[0].error == files[1].error);
    statuses[0] = bt_dir_read(memory, &arena, path, 100, &texts[0], NULL);
    statuses[1] = bt_dir_read(disk, &arena, path, 100, &texts[1], NULL);
    is_same = is_same && statuses[0] == statuses[1] &&
              (statuses[0] != BT_OK || bt_str_eq(texts[0], texts[1]));
    statuses[0] = bt_dir_file_sha256(memory, path, digests[0], NULL);
    statuses[1] = bt_dir_file_sha256(disk, path, digests[1], NULL);
    is_same = is_same && statuses[0] == statuses[1] &&
              (statuses[0] != BT_OK || memcmp(digests[0], digests[1], 32) == 0) &&
              bt_dir_file_kind_of(memory, path) == bt_dir_file_kind_of(disk, path);
    bt_arena_free(&arena);
    if (!is_same) {
        fail_msg("'%.*s' differs: kinds %d and %d", BT_STR_ARG(bt_str_slice(path, 0, 60)),
                 (int)bt_dir_file_kind_of(memory, path), (int)bt_dir_file_kind_of(disk, path));
    }
}

static void paths_lead_where_they_lead_on_disk(void **state)
{
    static const char *const paths[] = {
        "a",
        "a/",
        "a/b",
        "a/b/",
        "a/b/c.txt",
        "a/b/c.txt/",
        "a/b/c.txt/.",
        "a/b/c.txt/x",
        "a/b/d",
        "a/z",
        "a/z/..",
        "top",
        "./top",
        "top/..",
        "a.b",
        "a.",
        "a.c",
        "b",
        "a/none",
        "a/b/../z",
        "a/../top",
        "a/b/../../top",
        "none/../top",
        "..",
        "../x",
        "a/../..",
        "a/../../top",
        ".",
        "./",
        "a//b///c.txt",
        "/top",
        "/",
        "",
        "a/b/c",
        "A",
        "top\n",
    };
    static char longest[5000];
    struct bt_memory_files *files = make_files();
    struct bt_dir *memory = NULL;
    struct bt_dir *disk = NULL;
    char folder[64];
    (void)state;
    make_folder(folder);
    assert_int_equal(bt_dir_open_memory(files, &memory, NULL), BT_OK);
    assert_int_equal(bt_dir_open(bt_str_of(folder), &disk, NULL), BT_OK);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        expect_same(memory, disk, bt_str_of(paths[i]));
    }
    memset(longest, 'x', sizeof(longest));
    expect_same(memory, disk, (bt_str){longest, 255});
    expect_same(memory, disk, (bt_str){longest, 4096});
    /* names that no folder has: the status of a read that needs the file is the system's */
    assert_int_equal(bt_dir_file_kind_of(memory, (bt_str){longest, 256}), BT_FILE_NONE);
    assert_int_equal(bt_dir_file_kind_of(disk, (bt_str){longest, 256}), BT_FILE_NONE);
    expect_same(memory, disk, (bt_str){"top\0x", 5});
    bt_dir_close(memory);
    bt_dir_close(disk);
    bt_memory_files_destroy(files);
    remove_folder(folder);
}

static void folders_have_names(const struct bt_dir *root, const char *folder, const char *wanted)
{
    struct bt_arena arena;
    struct bt_dir *inside = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    char text[256] = "";
    bt_arena_init(&arena, 1 << 16);
    assert_int_equal(bt_dir_open_subdir(root, bt_str_of(folder), false, &inside, NULL), BT_OK);
    assert_int_equal(bt_dir_list(inside, &arena, &names, &count, NULL), BT_OK);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(text);
        (void)snprintf(text + length, sizeof(text) - length, "%.*s ", BT_STR_ARG(names[i]));
    }
    assert_string_equal(text, wanted);
    bt_dir_close(inside);
    bt_arena_free(&arena);
}

static void folders_are_listed_in_order(void **state)
{
    struct bt_memory_files *files = make_files();
    struct bt_memory_files *empty = bt_memory_files_create(1 << 16);
    struct bt_dir *root = NULL;
    struct bt_dir *inside = NULL;
    (void)state;
    assert_int_equal(bt_dir_open_memory(files, &root, NULL), BT_OK);
    folders_have_names(root, "", "a a.b top ");
    folders_have_names(root, ".", "a a.b top ");
    folders_have_names(root, "a", "b z ");
    folders_have_names(root, "a/./b/", "c.txt d ");
    assert_int_equal(bt_dir_open_subdir(root, BT_STR("a/.."), false, &inside, NULL), BT_EDENIED);
    assert_int_equal(bt_dir_open_subdir(root, BT_STR("/a"), false, &inside, NULL), BT_EDENIED);
    assert_int_equal(bt_dir_open_subdir(root, BT_STR("top"), false, &inside, NULL), BT_ENOENT);
    assert_int_equal(bt_dir_open_subdir(root, BT_STR("new"), true, &inside, NULL), BT_ENOENT);
    assert_int_equal(bt_dir_open_subdir(root, BT_STR("a"), false, &inside, NULL), BT_OK);
    assert_int_equal(bt_dir_file_kind_of(inside, BT_STR("b/c.txt")), BT_FILE_REGULAR);
    assert_int_equal(bt_dir_file_kind_of(inside, BT_STR("../top")), BT_OUTSIDE_ROOT);
    assert_int_equal(bt_dir_file_kind_of(inside, BT_STR("../a/z")), BT_OUTSIDE_ROOT);
    assert_int_equal(bt_dir_file_kind_of(inside, BT_STR("b/../z")), BT_FILE_REGULAR);
    bt_dir_close(inside);
    bt_dir_close(root);
    assert_int_equal(bt_dir_open_memory(empty, &root, NULL), BT_OK);
    folders_have_names(root, "", "");
    bt_dir_close(root);
    bt_memory_files_destroy(empty);
    bt_memory_files_destroy(files);
    bt_memory_files_destroy(NULL);
}

static void nothing_is_written_to_memory(void **state)
{
    struct bt_memory_files *files = make_files();
    struct bt_dir *root = NULL;
    (void)state;
    assert_int_equal(bt_dir_open_memory(files, &root, NULL), BT_OK);
    assert_int_not_equal(bt_dir_create_file(root, BT_STR("new"), BT_STR("x"), NULL), BT_OK);
    assert_int_not_equal(bt_dir_ensure_file(root, BT_STR("new"), BT_STR("x"), NULL), BT_OK);
    assert_int_equal(bt_dir_compare_file(root, BT_STR("new"), BT_STR("x")),
                     BT_FILE_COMPARED_ABSENT);
    assert_int_equal(bt_dir_compare_file(root, BT_STR("top"), BT_STR("x")),
                     BT_FILE_COMPARED_DIFFERENT);
    assert_false(bt_dir_is_private(root));
    bt_dir_close(root);
    bt_memory_files_destroy(files);
}

static void a_file_is_added_once_and_where_it_fits(void **state)
{
    static const struct {
        const char *path;
        enum bt_status status;
    } rows[] = {
        {"a/b/c.txt", BT_EEXIST}, {"a/b", BT_EEXIST},  {"a//z", BT_EEXIST},   {"top/x", BT_EINVAL},
        {"/x", BT_EINVAL},        {"../x", BT_EINVAL}, {"a/../x", BT_EINVAL}, {"x/", BT_EINVAL},
        {"", BT_EINVAL},          {".", BT_EEXIST},    {"a/c", BT_OK},        {"A", BT_OK},
        {"a/b.c", BT_OK},         {"a/b-c/d", BT_OK},  {"...", BT_OK},
    };
    static char name[256];
    struct bt_memory_files *files = make_files();
    struct bt_memory_files *small = bt_memory_files_create(1 << 14);
    struct bt_dir *root = NULL;
    struct bt_error error;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const enum bt_status status =
            bt_memory_files_add(files, bt_str_of(rows[i].path), BT_STR("x"), &error);
        if (status != rows[i].status) {
            fail_msg("%s: got %d %s", rows[i].path, (int)status, error.text);
        }
    }
    memset(name, 'n', sizeof(name));
    assert_int_equal(bt_memory_files_add(files, (bt_str){name, 256}, BT_STR("x"), NULL), BT_EINVAL);
    assert_int_equal(bt_memory_files_add(files, (bt_str){"x\0y", 3}, BT_STR("x"), NULL), BT_EINVAL);
    assert_int_equal(bt_dir_open_memory(files, &root, NULL), BT_OK);
    folders_have_names(root, "a", "b b-c b.c c z ");
    struct bt_file_identity old = bt_dir_file_identity(root, BT_STR("top"));
    struct bt_file_identity other = bt_dir_file_identity(root, BT_STR("A"));
    assert_int_equal(bt_memory_files_add(files, BT_STR("later"), BT_STR("x"), NULL), BT_OK);
    struct bt_file_identity now = bt_dir_file_identity(root, BT_STR("top"));
    assert_true(bt_file_identity_equal(&old, &now));
    assert_false(bt_file_identity_equal(&old, &other));
    bt_dir_close(root);
    bt_memory_files_destroy(files);
    static char large[1 << 15];
    assert_int_equal(
        bt_memory_files_add(small, BT_STR("x"), (bt_str){large, sizeof(large)}, &error), BT_ELIMIT);
    assert_int_equal(bt_memory_files_add(small, BT_STR("x"), BT_STR("fits"), &error), BT_OK);
    bt_memory_files_destroy(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_where_they_lead_on_disk),
        cmocka_unit_test(folders_are_listed_in_order),
        cmocka_unit_test(nothing_is_written_to_memory),
        cmocka_unit_test(a_file_is_added_once_and_where_it_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
