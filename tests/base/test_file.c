/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/dir.h"
#include "base/file.h"
#include "base/hash.h"

/* Each test works in a folder of its own and has an arena. */
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
    if (!mkdtemp(world->folder) || chdir(world->folder) != 0) {
        return -1;
    }
    bt_arena_init(&world->arena, 1 << 20);
    if (mkdir("root", 0755) != 0 || mkdir("root/sub", 0755) != 0) {
        return -1;
    }
    write_file("secret", "secret");
    write_file("root/a", "inside");
    write_file("root/sub/b", "deeper");
    if (symlink("../secret", "root/out") != 0 || symlink("sub/b", "root/in") != 0 ||
        symlink("/etc/hostname", "root/abs") != 0 || symlink("..", "root/up") != 0 ||
        symlink("loop", "root/loop") != 0 || mkfifo("root/fifo", 0600) != 0) {
        return -1;
    }
    if (bt_dir_open(BT_STR("root"), &world->root, NULL) != BT_OK) {
        return -1;
    }
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    static const char *const names[] = {"root/a",   "root/sub/b", "root/out",  "root/in",
                                        "root/abs", "root/up",    "root/loop", "root/fifo",
                                        "root/sub", "root",       "secret",    "new"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)remove(names[i]);
    }
    bt_dir_close(world->root);
    bt_arena_free(&world->arena);
    const int left = chdir("/") + rmdir(world->folder);
    free(world);
    return left;
}

static void a_digest_covers_the_bytes_up_to_its_limit(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes_max;
        const char *hashed;
        bool is_truncated;
    } rows[] = {{UINT64_MAX, "secret", false},
                {7, "secret", false},
                {6, "secret", false},
                {5, "secre", true},
                {0, "", true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_file_digest digest;
        uint8_t expected[BT_SHA256_BYTES];
        assert_int_equal(bt_sha256(bt_str_of(rows[i].hashed), expected), BT_OK);
        assert_int_equal(bt_file_digest(BT_STR("secret"), rows[i].bytes_max, &digest, NULL), BT_OK);
        assert_memory_equal(digest.sha256, expected, sizeof(expected));
        assert_int_equal(digest.size, strlen(rows[i].hashed));
        assert_int_equal(digest.is_truncated, rows[i].is_truncated);
    }
}

static void files_are_read_up_to_one_byte_more_than_allowed(void **state)
{
    struct world *world = *state;
    bt_str text = {0};
    assert_int_equal(bt_file_read(&world->arena, BT_STR("secret"), 6, &text, NULL), BT_OK);
    assert_str(text, "secret");
    assert_int_equal(bt_file_read(&world->arena, BT_STR("secret"), 5, &text, NULL), BT_OK);
    assert_int_equal(text.len, 6);
    assert_int_equal(bt_file_read(&world->arena, BT_STR("secret"), 2, &text, NULL), BT_OK);
    assert_int_equal(text.len, 3);
}

static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    struct world *world = *state;
    bt_str text = {0};
    struct bt_error error;
    static const struct {
        const char *path;
        enum bt_status status;
    } rows[] = {
        {"root", BT_EDENIED},   {"root/fifo", BT_EDENIED}, {"/dev/null", BT_EDENIED},
        {"missing", BT_ENOENT}, {"secret/x", BT_ENOENT},   {"root/loop", BT_EDENIED},
        {"", BT_EINVAL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const enum bt_status status =
            bt_file_read(&world->arena, bt_str_of(rows[i].path), 100, &text, &error);
        assert_int_equal(status, rows[i].status);
        assert_true(strlen(error.text) > 5);
        assert_int_equal(text.len, 0);
    }
    assert_int_equal(bt_file_read(&world->arena, (bt_str){"a\0b", 3}, 100, &text, NULL), BT_EINVAL);
}

static const struct {
    const char *path;
    enum bt_status kernel; /* by openat2 */
    bool walk;             /* whether the walk opens it */
} beneath[] = {
    {"a", BT_OK, true},
    {"sub/b", BT_OK, true},
    {"./a", BT_OK, true},
    {"in", BT_OK, false}, /* a link that stays inside; the walk follows none */
    {"out", BT_EDENIED, false},
    {"abs", BT_EDENIED, false},
    {"up/secret", BT_EDENIED, false},
    {"../secret", BT_EDENIED, false},
    {"sub/../../secret", BT_EDENIED, false},
    {"loop", BT_EDENIED, false},
    {"fifo", BT_EDENIED, true}, /* opened, then refused for what it is */
    {"sub", BT_EDENIED, true},
    {"missing", BT_ENOENT, false},
};

static void nothing_outside_the_root_is_read(void **state)
{
    struct world *world = *state;
    for (size_t i = 0; i < COUNT_OF(beneath); i++) {
        bt_str text = {0};
        struct bt_error error = {0};
        const enum bt_status status =
            bt_dir_read(world->root, &world->arena, bt_str_of(beneath[i].path), 100, &text, &error);
        if (status != beneath[i].kernel && !(beneath[i].kernel == BT_OK && !beneath[i].walk)) {
            fail_msg("%s: status %d (%s)", beneath[i].path, status, error.text);
        }
        assert_true(status != BT_OK || !bt_str_eq(text, BT_STR("secret")));
    }
    bt_str text = {0};
    assert_int_equal(bt_dir_read(world->root, &world->arena, BT_STR("/etc/passwd"), 9, &text, NULL),
                     BT_EDENIED);
}

static void the_walk_follows_no_link(void **state)
{
    (void)state;
    const int root = open("root", O_RDONLY | O_DIRECTORY);
    assert_true(root >= 0);
    for (size_t i = 0; i < COUNT_OF(beneath); i++) {
        const int fd = bt_dir_open_path(root, beneath[i].path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if ((fd >= 0) != beneath[i].walk) {
            fail_msg("%s: descriptor %d", beneath[i].path, fd);
        }
        if (fd >= 0) {
            assert_int_equal(close(fd), 0);
        }
    }
    assert_int_equal(bt_dir_open_path(root, "sub//b", O_RDONLY | O_CLOEXEC | O_NONBLOCK), -1);
    assert_int_equal(close(root), 0);
}

static void replacement_keeps_the_mode_and_leaves_nothing_beside(void **state)
{
    struct world *world = *state;
    bt_str text = {0};
    struct stat info;
    assert_int_equal(chmod("secret", 0640), 0);
    assert_int_equal(bt_file_replace(BT_STR("secret"), BT_STR("changed"), NULL), BT_OK);
    assert_int_equal(bt_file_read(&world->arena, BT_STR("secret"), 100, &text, NULL), BT_OK);
    assert_str(text, "changed");
    assert_int_equal(stat("secret", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(bt_file_replace(BT_STR("new"), BT_STR(""), NULL), BT_OK);
    assert_int_equal(stat("new", &info), 0);
    assert_int_equal(info.st_size, 0);
}

static void a_link_is_replaced_not_followed(void **state)
{
    struct world *world = *state;
    bt_str text = {0};
    assert_int_equal(bt_file_replace(BT_STR("root/out"), BT_STR("mine"), NULL), BT_OK);
    assert_int_equal(bt_file_read(&world->arena, BT_STR("secret"), 100, &text, NULL), BT_OK);
    assert_str(text, "secret");
    assert_int_equal(bt_file_read(&world->arena, BT_STR("root/out"), 100, &text, NULL), BT_OK);
    assert_str(text, "mine");
}

static void a_failed_replacement_changes_nothing(void **state)
{
    struct world *world = *state;
    struct bt_error error;
    bt_str text = {0};
    assert_int_equal(bt_file_replace(BT_STR("missing/x"), BT_STR("y"), &error), BT_EIO);
    assert_int_equal(bt_file_replace(BT_STR("root/sub"), BT_STR("y"), &error), BT_EDENIED);
    assert_int_equal(bt_file_replace(BT_STR("root/fifo"), BT_STR("y"), &error), BT_EDENIED);
    assert_int_equal(bt_file_replace(BT_STR("root/"), BT_STR("y"), &error), BT_EINVAL);
    assert_int_equal(bt_file_replace(BT_STR(""), BT_STR("y"), &error), BT_EINVAL);
    assert_int_equal(bt_file_read(&world->arena, BT_STR("root/sub/b"), 9, &text, NULL), BT_OK);
    assert_str(text, "deeper");
}

static void a_small_arena_is_reported(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 64; limit += 16) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        bt_str text = {0};
        const enum bt_status status = bt_file_read(&arena, BT_STR("secret"), 100, &text, NULL);
        assert_true(status == BT_ENOMEM || (status == BT_OK && text.len == 6));
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_digest_covers_the_bytes_up_to_its_limit, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(files_are_read_up_to_one_byte_more_than_allowed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_regular_file_is_refused_at_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nothing_outside_the_root_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_walk_follows_no_link, set_up, tear_down),
        cmocka_unit_test_setup_teardown(replacement_keeps_the_mode_and_leaves_nothing_beside,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_is_replaced_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_replacement_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_small_arena_is_reported, set_up, tear_down),
    };
    return RUN_TESTS(tests);
}
