/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"

/* Each test works in a folder of its own, which holds the folder `root`, open. */
struct world {
    char folder[64];
    struct bt_arena arena;
    struct bt_dir *root;
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    (void)snprintf(world->folder, sizeof(world->folder), "/tmp/baton-test-XXXXXX");
    if (!mkdtemp(world->folder) || chdir(world->folder) != 0 || mkdir("root", 0755) != 0) {
        return -1;
    }
    bt_arena_init(&world->arena, 1 << 20);
    if (bt_dir_open(BT_STR("root"), &world->root, NULL) != BT_OK) {
        return -1;
    }
    *state = world;
    return 0;
}

static void remove_all(const char *folder, int depth)
{
    DIR *open_folder = depth < 8 ? opendir(folder) : NULL;
    if (!open_folder) {
        return;
    }
    for (const struct dirent *entry = readdir(open_folder); entry; entry = readdir(open_folder)) {
        char path[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0) {
            remove_all(path, depth + 1);
            (void)rmdir(path);
        }
    }
    (void)closedir(open_folder);
}

static int tear_down(void **state)
{
    struct world *world = *state;
    bt_dir_close(world->root);
    bt_arena_free(&world->arena);
    remove_all(world->folder, 0);
    const int left = chdir("/") + rmdir(world->folder);
    free(world);
    return left;
}

static void assert_content(struct world *world, const char *path, const char *expected)
{
    bt_str text = {0};
    assert_int_equal(bt_file_read(&world->arena, bt_str_of(path), 1 << 16, &text, NULL), BT_OK);
    if (!bt_str_eq(text, bt_str_of(expected))) {
        fail_msg("%s has '%.*s', expected '%s'", path, BT_STR_ARG(text), expected);
    }
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

/* Entries of a folder, hidden ones too. */
static size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    for (const struct dirent *entry = readdir(open_folder); entry; entry = readdir(open_folder)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    (void)closedir(open_folder);
    return count;
}

static void a_new_file_is_whole_private_and_alone(void **state)
{
    struct world *world = *state;
    assert_int_equal(bt_dir_create_file(world->root, BT_STR("a"), BT_STR("first"), NULL), BT_OK);
    assert_content(world, "root/a", "first");
    assert_int_equal(mode_of("root/a"), 0600);
    assert_int_equal(entries_of("root"), 1);
}

static void a_name_that_is_taken_is_left_alone(void **state)
{
    struct world *world = *state;
    struct bt_error error;
    write_file("target", "kept");
    write_file("root/file", "kept");
    assert_int_equal(symlink("../target", "root/link"), 0);
    assert_int_equal(symlink("../nowhere", "root/dangling"), 0);
    assert_int_equal(mkdir("root/folder", 0755), 0);
    static const char *const names[] = {"file", "link", "dangling", "folder"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(
            bt_dir_create_file(world->root, bt_str_of(names[i]), BT_STR("new"), &error), BT_EEXIST);
    }
    assert_content(world, "target", "kept");
    assert_content(world, "root/file", "kept");
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(entries_of("root"), 4);
    assert_int_equal(bt_file_create(BT_STR("root/file"), BT_STR("new"), &error), BT_EEXIST);
    assert_content(world, "root/file", "kept");
}

static void what_is_no_name_is_refused(void **state)
{
    struct world *world = *state;
    static const bt_str names[] = {BT_STR_INIT(""),      BT_STR_INIT("."),
                                   BT_STR_INIT(".."),    BT_STR_INIT("../out"),
                                   BT_STR_INIT("sub/a"), BT_STR_INIT("a\0b")};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(bt_dir_create_file(world->root, names[i], BT_STR("x"), NULL), BT_EINVAL);
    }
    assert_int_equal(entries_of("root"), 0);
    assert_int_equal(entries_of("."), 1);
}

static void a_file_is_added_by_path_with_the_usual_mode(void **state)
{
    struct world *world = *state;
    const mode_t mask = umask(027);
    assert_int_equal(bt_file_create(BT_STR("plain"), BT_STR("1"), NULL), BT_OK);
    assert_int_equal(bt_file_create(BT_STR("root//deep"), BT_STR("2"), NULL), BT_OK);
    (void)umask(mask);
    assert_content(world, "plain", "1");
    assert_content(world, "root/deep", "2");
    assert_int_equal(mode_of("plain"), 0640);
    assert_int_equal(bt_file_create(BT_STR("none/x"), BT_STR("3"), NULL), BT_ENOENT);
    assert_int_equal(bt_file_create(BT_STR("plain/x"), BT_STR("3"), NULL), BT_ENOENT);
    assert_int_equal(bt_file_create(BT_STR("root/"), BT_STR("3"), NULL), BT_EINVAL);
}

static void old_bytes_stay_under_the_next_free_name(void **state)
{
    struct world *world = *state;
    struct bt_buf name;
    bt_buf_init(&name, 100);
    write_file("doc", "one");
    assert_int_equal(chmod("doc", 0600), 0);
    assert_int_equal(bt_file_back_up(BT_STR("doc"), &name, NULL), BT_OK);
    assert_str(bt_buf_str(&name), "doc.orig");
    assert_int_equal(bt_file_replace(BT_STR("doc"), BT_STR("two"), NULL), BT_OK);
    bt_buf_clear(&name);
    assert_int_equal(bt_file_back_up(BT_STR("doc"), &name, NULL), BT_OK);
    assert_str(bt_buf_str(&name), "doc.orig.2");
    assert_int_equal(bt_file_replace(BT_STR("doc"), BT_STR("three"), NULL), BT_OK);
    assert_content(world, "doc.orig", "one");
    assert_content(world, "doc.orig.2", "two");
    assert_content(world, "doc", "three");
    assert_int_equal(mode_of("doc.orig"), 0600);
    bt_buf_free(&name);
}

struct step {
    const char *path;
    bool make;
    enum bt_status expected;
};

static void folders_are_entered_without_leaving_or_following_links(void **state)
{
    struct world *world = *state;
    assert_int_equal(mkdir("outside", 0755), 0);
    assert_int_equal(symlink("../outside", "root/link"), 0);
    assert_int_equal(symlink("../nowhere", "root/dangling"), 0);
    write_file("root/file", "x");
    static const struct step steps[] = {
        {"new", false, BT_ENOENT},        {"new/deep", true, BT_OK},
        {"new/deep", false, BT_OK},       {"", false, BT_OK},
        {"./new//./deep/", false, BT_OK}, {"../outside", true, BT_EDENIED},
        {"new/../new", true, BT_EDENIED}, {"/tmp", false, BT_EDENIED},
        {"link", true, BT_EDENIED},       {"link/sub", true, BT_EDENIED},
        {"dangling", true, BT_EDENIED},   {"file", true, BT_ENOENT},
        {"file/sub", true, BT_ENOENT},
    };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct bt_dir *folder = NULL;
        const enum bt_status status =
            bt_dir_open_subdir(world->root, bt_str_of(steps[i].path), steps[i].make, &folder, NULL);
        if (status != steps[i].expected) {
            fail_msg("%s: got %s", steps[i].path, bt_status_text(status));
        }
        assert_int_equal(folder != NULL, status == BT_OK);
        bt_dir_close(folder);
    }
    assert_int_equal(mode_of("root/new/deep"), 0700);
    assert_int_equal(entries_of("outside"), 0);
}

static void a_private_folder_is_told_from_others(void **state)
{
    struct world *world = *state;
    struct bt_dir *folder = NULL;
    assert_int_equal(bt_dir_open_subdir(world->root, BT_STR("own"), true, &folder, NULL), BT_OK);
    assert_true(bt_dir_is_private(folder));
    assert_int_equal(chmod("root/own", 0750), 0);
    assert_false(bt_dir_is_private(folder));
    if (geteuid() == 0) {
        assert_int_equal(chmod("root/own", 0700), 0);
        assert_int_equal(chown("root/own", 65534, 65534), 0);
        assert_false(bt_dir_is_private(folder));
    }
    bt_dir_close(folder);
}

static void a_file_is_compared_without_following_links(void **state)
{
    struct world *world = *state;
    write_file("root/same", "bytes");
    assert_int_equal(symlink("same", "root/link"), 0);
    assert_int_equal(mkfifo("root/fifo", 0600), 0);
    static const struct {
        const char *name;
        const char *content;
        enum bt_file_comparison expected;
    } rows[] = {
        {"same", "bytes", BT_FILE_COMPARED_EQUAL},
        {"same", "byte", BT_FILE_COMPARED_DIFFERENT},
        {"same", "bytes.", BT_FILE_COMPARED_DIFFERENT},
        {"none", "bytes", BT_FILE_COMPARED_ABSENT},
        {"link", "bytes", BT_FILE_COMPARED_DIFFERENT},
        {"fifo", "", BT_FILE_COMPARED_DIFFERENT},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(
            bt_dir_compare_file(world->root, bt_str_of(rows[i].name), bt_str_of(rows[i].content)),
            rows[i].expected);
    }
}

static void a_file_that_is_ensured_is_made_once(void **state)
{
    struct world *world = *state;
    struct stat before;
    struct stat after;
    assert_int_equal(bt_dir_ensure_file(world->root, BT_STR("s"), BT_STR("text"), NULL), BT_OK);
    assert_int_equal(stat("root/s", &before), 0);
    assert_int_equal(bt_dir_ensure_file(world->root, BT_STR("s"), BT_STR("text"), NULL), BT_OK);
    assert_int_equal(stat("root/s", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(bt_dir_ensure_file(world->root, BT_STR("s"), BT_STR("other"), NULL),
                     BT_EEXIST);
    assert_content(world, "root/s", "text");
    assert_int_equal(entries_of("root"), 1);
}

/* Run in a child, because the limit cannot be raised again. */
static int add_beyond_the_file_size_limit(const struct bt_dir *root)
{
    const struct rlimit limit = {8, 8};
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 10;
    }
    struct bt_error error;
    if (bt_dir_create_file(root, BT_STR("small"), BT_STR("12345678"), &error) != BT_OK) {
        return 11; /* negative control: what fits is written */
    }
    return bt_dir_create_file(root, BT_STR("large"), BT_STR("123456789"), &error) == BT_EIO ? 0
                                                                                            : 12;
}

static void what_cannot_be_written_whole_leaves_nothing(void **state)
{
    struct world *world = *state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(add_beyond_the_file_size_limit(world->root));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    assert_content(world, "root/small", "12345678");
    assert_int_equal(entries_of("root"), 1);
}

/* Several processes want one name; each tries the next where it is taken. */
static int add_next(const struct bt_dir *root, int who)
{
    for (int i = 0; i < 100; i++) {
        char name[16];
        char text[16];
        (void)snprintf(name, sizeof(name), "n%d", i);
        (void)snprintf(text, sizeof(text), "%d", who);
        const enum bt_status status =
            bt_dir_create_file(root, bt_str_of(name), bt_str_of(text), NULL);
        if (status != BT_EEXIST) {
            return status == BT_OK ? 0 : 1;
        }
    }
    return 2;
}

static void writers_at_once_never_overwrite_each_other(void **state)
{
    enum { WRITERS = 8 };
    struct world *world = *state;
    for (int i = 0; i < WRITERS; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            _exit(add_next(world->root, i));
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    }
    assert_int_equal(entries_of("root"), WRITERS);
    unsigned seen = 0;
    for (int i = 0; i < WRITERS; i++) {
        char path[16];
        bt_str text = {0};
        uint64_t who = 0;
        (void)snprintf(path, sizeof(path), "root/n%d", i);
        assert_int_equal(bt_file_read(&world->arena, bt_str_of(path), 16, &text, NULL), BT_OK);
        assert_int_equal(bt_str_to_u64(text, &who), BT_OK);
        seen |= 1U << who;
    }
    assert_int_equal(seen, (1U << WRITERS) - 1);
}

/* A neighbour swaps a folder for a link to the outside, again and again. */
static void swap_until_killed(void)
{
    for (;;) {
        (void)rename("root/session", "root/aside");
        if (symlink("../outside", "root/session") == 0) {
            (void)unlink("root/session");
        }
        (void)rename("root/aside", "root/session");
    }
}

static void a_folder_swapped_for_a_link_never_leads_outside(void **state)
{
    struct world *world = *state;
    assert_int_equal(mkdir("outside", 0755), 0);
    assert_int_equal(mkdir("root/session", 0700), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        swap_until_killed();
    }
    for (int i = 0; i < 400; i++) {
        struct bt_dir *folder = NULL;
        char name[16];
        (void)snprintf(name, sizeof(name), "f%d", i);
        if (bt_dir_open_subdir(world->root, BT_STR("session/handoffs"), true, &folder, NULL) ==
            BT_OK) {
            (void)!bt_dir_create_file(folder, bt_str_of(name), BT_STR("x"), NULL);
            bt_dir_close(folder);
        }
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(entries_of("outside"), 0);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_file_is_whole_private_and_alone),
        IN_FOLDER(a_name_that_is_taken_is_left_alone),
        IN_FOLDER(what_is_no_name_is_refused),
        IN_FOLDER(a_file_is_added_by_path_with_the_usual_mode),
        IN_FOLDER(old_bytes_stay_under_the_next_free_name),
        IN_FOLDER(folders_are_entered_without_leaving_or_following_links),
        IN_FOLDER(a_private_folder_is_told_from_others),
        IN_FOLDER(a_file_is_compared_without_following_links),
        IN_FOLDER(a_file_that_is_ensured_is_made_once),
        IN_FOLDER(what_cannot_be_written_whole_leaves_nothing),
        IN_FOLDER(writers_at_once_never_overwrite_each_other),
        IN_FOLDER(a_folder_swapped_for_a_link_never_leads_outside),
    };
    return RUN_TESTS(tests);
}
