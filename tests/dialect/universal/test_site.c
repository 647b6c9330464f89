/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "dialect/universal/write_dir.h"

/* Each test stands in a folder of its own: base/, outside/, base/link -> ../outside, base/file. */
struct world {
    char folder[64];
    struct bt_arena arena;
};

static const char *const made[] = {
    "base/file", "base/link", "base/new/handoffs", "base/new", "base/handoffs", "base", "outside"};

static int set_up(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    (void)snprintf(world->folder, sizeof(world->folder), "/tmp/baton-test-XXXXXX");
    if (!mkdtemp(world->folder) || chdir(world->folder) != 0) {
        return -1;
    }
    bt_arena_init(&world->arena, 1 << 20);
    FILE *file = NULL;
    if (mkdir("base", 0755) != 0 || mkdir("outside", 0755) != 0 ||
        symlink("../outside", "base/link") != 0 || !(file = fopen("base/file", "wb")) ||
        fclose(file) != 0) {
        return -1;
    }
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        (void)remove(made[i]);
    }
    bt_arena_free(&world->arena);
    const int left = chdir("/") + rmdir(world->folder);
    free(world);
    return left;
}

static enum bt_status find(struct world *world, const char *root, const char *path,
                           struct bt_universal_write_dir *out)
{
    const bt_str paths[] = {bt_str_of(root)};
    const struct bt_universal_write_dirs roots = {paths, 1, BT_STR("")};
    struct bt_error error;
    return bt_payload_reference_site_find(&roots, bt_str_of(path), &world->arena, out, &error);
}

static void a_path_is_followed_from_its_root(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *path; /* after the folder of the test where it begins with '/' */
        enum bt_status expected;
        const char *below;
    } rows[] = {
        {"new", BT_OK, "new/handoffs"},
        {"new/", BT_OK, "new//handoffs"},
        {".", BT_OK, "./handoffs"},
        {"file", BT_OK, "file/handoffs"}, /* unusable, which is not unsafe */
        {"/base/new", BT_OK, "new/handoffs"},
        {"/base", BT_OK, "handoffs"},
        {"/base/./new", BT_OK, "./new/handoffs"},
        {"/basex", BT_EDENIED, NULL},
        {"/outside", BT_EDENIED, NULL},
        {"/base/../outside", BT_EDENIED, NULL},
        {"link", BT_EDENIED, NULL},
        {"link/new", BT_EDENIED, NULL},
        {"/base/link", BT_EDENIED, NULL},
        {"..", BT_EDENIED, NULL},
        {"new/..", BT_EDENIED, NULL},
        {"", BT_EDENIED, NULL},
        {"a\x1b", BT_EDENIED, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[128];
        struct bt_universal_write_dir site = {.root = NULL};
        const bool absolute = rows[i].path[0] == '/';
        (void)snprintf(path, sizeof(path), "%s%s", absolute ? world->folder : "", rows[i].path);
        const enum bt_status status = find(world, "base", path, &site);
        if (status != rows[i].expected) {
            fail_msg("%s: got %s", rows[i].path, bt_status_text(status));
        }
        if (rows[i].below && !bt_str_eq(site.below, bt_str_of(rows[i].below))) {
            fail_msg("%s: below is %.*s", rows[i].path, BT_STR_ARG(site.below));
        }
        bt_payload_reference_site_close(&site);
    }
}

static void finding_makes_nothing(void **state)
{
    struct world *world = *state;
    struct bt_universal_write_dir site = {.root = NULL};
    assert_int_equal(find(world, "base", "new", &site), BT_OK);
    assert_int_equal(access("base/new", F_OK), -1);
    struct bt_dir *folder = NULL;
    assert_int_equal(bt_payload_reference_site_open(&site, false, &folder, NULL), BT_ENOENT);
    assert_int_equal(bt_payload_reference_site_open(&site, true, &folder, NULL), BT_OK);
    assert_int_equal(access("base/new/handoffs", F_OK), 0);
    bt_dir_close(folder);
    bt_payload_reference_site_close(&site);
}

static void a_root_that_cannot_be_opened_is_no_fault_of_the_path(void **state)
{
    struct world *world = *state;
    struct bt_universal_write_dir site = {.root = NULL};
    assert_int_equal(find(world, "none", "new", &site), BT_EIO);
    assert_null(site.root);
}

static void a_folder_that_became_a_link_is_noticed(void **state)
{
    struct world *world = *state;
    struct bt_universal_write_dir site = {.root = NULL};
    bt_str path = {0};
    assert_int_equal(find(world, "base", "new", &site), BT_OK);
    assert_int_equal(symlink("../outside", "base/new"), 0);
    assert_int_equal(bt_universal_write_dir_create_file(&site, &world->arena, BT_STR("x"),
                                                        BT_STR("text"), &path, NULL),
                     BT_EDENIED);
    assert_int_equal(rmdir("outside"), 0); /* it is empty */
    bt_payload_reference_site_close(&site);
}

static void names_are_numbered_from_the_second_on(void **state)
{
    struct world *world = *state;
    bt_str name = {0};
    assert_int_equal(bt_payload_reference_site_name(&world->arena, BT_STR("a"), 1, &name), BT_OK);
    assert_str(name, "a.json");
    assert_int_equal(bt_payload_reference_site_name(&world->arena, BT_STR("a"), 99, &name), BT_OK);
    assert_str(name, "a-99.json");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_path_is_followed_from_its_root),
        IN_FOLDER(finding_makes_nothing),
        IN_FOLDER(a_root_that_cannot_be_opened_is_no_fault_of_the_path),
        IN_FOLDER(a_folder_that_became_a_link_is_noticed),
        IN_FOLDER(names_are_numbered_from_the_second_on),
    };
    return RUN_TESTS(tests);
}
