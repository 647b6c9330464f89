/* SPDX-License-Identifier: Apache-2.0 */
/* test_server_name.c - packages and names of servers, from their commands. */
#include "test.h"

#include "base/arena.h"
#include "wrap/server_name.h"

enum { WORDS_MAX = 8 };

static const struct {
    const char *words[WORDS_MAX];
    const char *program;
    const char *package;
    const char *name;
} rows[] = {
    {{"npx", "-y", "@scope/server-fs@1.2.3", "/srv"}, "", "@scope/server-fs@1.2.3", "server-fs"},
    {{"/usr/bin/npx", "--package=left@2", "left"}, "", "left@2", "left"},
    {{"npx", "-p", "a@1", "b"}, "", "a@1", "a"},
    {{"uvx", "--from", "git-tools==2.0", "mcp"}, "", "git-tools==2.0", "git-tools"},
    {{"uvx", "mcp_server.time"}, "", "mcp_server.time", "mcp_server.time"},
    {{"docker", "run", "-i", "--rm", "-e", "key", "ghcr.io/x/web:1.0"},
     "",
     "ghcr.io/x/web:1.0",
     "web"},
    {{"docker", "ps", "image"}, "", "", "docker"},
    {{"npx", "-y"}, "", "", "npx"},
    {{"python3", "stub.py"}, "stub.py", "", "stub"},
    {{"./my server!.sh"}, "./my server!.sh", "", "my-server-"},
    {{"/opt/.hidden"}, "/opt/.hidden", "", "hidden"},
    {{"node", "a/b/archive.tar.js"}, "a/b/archive.tar.js", "", "archive.tar"},
    {{"..."}, "", "", "server"},
};

static void names_come_from_packages_then_files(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bt_str words[WORDS_MAX];
        struct bt_str_list command = {words, 0};
        while (command.count < WORDS_MAX && rows[i].words[command.count]) {
            words[command.count] = bt_str_of(rows[i].words[command.count]);
            command.count++;
        }
        bt_str name;
        const bt_str package = bt_wrap_package(command);
        assert_int_equal(bt_wrap_name_make(&arena, command, bt_str_of(rows[i].program), &name),
                         BT_OK);
        if (!bt_str_eq(package, bt_str_of(rows[i].package)) ||
            !bt_str_eq(name, bt_str_of(rows[i].name))) {
            fail_msg("row %zu: package %.*s, name %.*s", i, BT_STR_ARG(package), BT_STR_ARG(name));
        }
        assert_true(bt_wrap_name_is_valid(name));
    }
    bt_arena_free(&arena);
}

static void names_have_a_form(void **state)
{
    static const char *const wrong[] = {"", "a b", "-a", ".a", "a/b", "\xc3\xa9"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(bt_wrap_name_is_valid(bt_str_of(wrong[i])));
    }
    char name[BT_WRAP_NAME_BYTES_MAX + 1];
    memset(name, 'a', sizeof(name));
    assert_true(bt_wrap_name_is_valid((bt_str){name, sizeof(name) - 1}));
    assert_false(bt_wrap_name_is_valid((bt_str){name, sizeof(name)}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_come_from_packages_then_files),
        cmocka_unit_test(names_have_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
