/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - what a server's command runs, and in which environment. */
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "wrap/server_flags.h"

extern char **environ;

/* ---- The environment ------------------------------------------------------------------------- */

static bt_str name_of(const char *entry)
{
    const bt_str text = bt_str_of(entry);
    return bt_str_slice(text, 0, bt_str_find_byte(text, '=', 0));
}

static bool is_passed(bt_str name, const struct wrap_environment_options *options)
{
    static const bt_str homes[] = {BT_STR_INIT("HOME"), BT_STR_INIT("TMPDIR")};
    static const bt_str always[] = {
        BT_STR_INIT("PATH"),   BT_STR_INIT("HOME"),     BT_STR_INIT("LANG"),
        BT_STR_INIT("LC_ALL"), BT_STR_INIT("LC_CTYPE"), BT_STR_INIT("LOGNAME"),
        BT_STR_INIT("SHELL"),  BT_STR_INIT("TERM"),     BT_STR_INIT("TMPDIR"),
        BT_STR_INIT("TZ"),     BT_STR_INIT("USER")};
    if (bt_str_starts_with(name, BT_STR("BATON_")) ||
        (options->home.len > 0 && bt_str_is_one_of(name, homes)) ||
        bt_str_index_in(name, options->set.names, options->set.count) < options->set.count) {
        return false; /* or it has another value */
    }
    return !options->is_short || bt_str_is_one_of(name, always) ||
           bt_str_index_in(name, options->names.items, options->names.count) < options->names.count;
}

/* NAME=VALUE as execve() wants it; NULL: no memory. */
static char *make_variable(struct bt_arena *arena, bt_str name, bt_str value)
{
    char *text = bt_arena_alloc(arena, name.len + 1 + value.len + 1);
    if (text) {
        memcpy(text, name.ptr, name.len);
        text[name.len] = '=';
        memcpy(text + name.len + 1, value.ptr, value.len);
        text[name.len + 1 + value.len] = '\0';
    }
    return text;
}

char **wrap_environment(struct bt_arena *arena, const struct wrap_environment_options *options)
{
    static const bt_str homes[] = {BT_STR_INIT("HOME"), BT_STR_INIT("TMPDIR")};
    size_t count = 0;
    size_t kept = 0;
    while (environ[count]) {
        count++;
    }
    char **list = BT_NEW_ARRAY(arena, char *, count + BT_COUNT_OF(homes) + options->set.count + 1);
    for (size_t i = 0; list && i < count; i++) {
        if (is_passed(name_of(environ[i]), options)) {
            list[kept++] = environ[i];
        }
    }
    for (size_t i = 0; list && options->home.len > 0 && i < BT_COUNT_OF(homes); i++) {
        list[kept] = make_variable(arena, homes[i], options->home);
        list = list[kept++] ? list : NULL;
    }
    for (size_t i = 0; list && i < options->set.count; i++) {
        list[kept] = make_variable(arena, options->set.names[i], options->set.texts[i]);
        list = list[kept++] ? list : NULL;
    }
    return list;
}

/* ---- The host -------------------------------------------------------------------------------- */

bool wrap_host_is_local(bt_str host)
{
    const bool is_four = bt_str_starts_with(host, BT_STR("127."));
    for (size_t i = 0; is_four && i < host.len; i++) {
        if (host.ptr[i] != '.' && !bt_ascii_is_digit(host.ptr[i])) {
            return false;
        }
    }
    return is_four || bt_str_eq(host, BT_STR("localhost")) || bt_str_eq(host, BT_STR("::1"));
}

/* ---- The program ----------------------------------------------------------------------------- */

enum bt_status wrap_place_word(struct bt_arena *arena, bt_str folder, bt_str word, bt_str *out)
{
    const bool is_placed = folder.len > 0 && !bt_str_starts_with(word, BT_STR("/"));
    return is_placed
               ? bt_arena_printf(arena, out, "%.*s/%.*s", BT_STR_ARG(folder), BT_STR_ARG(word))
               : bt_arena_copy(arena, word, out);
}

static bool is_regular_file(struct bt_arena *arena, bt_str folder, bt_str word)
{
    struct stat found;
    bt_str path;
    return wrap_place_word(arena, folder, word, &path) == BT_OK && stat(path.ptr, &found) == 0 &&
           S_ISREG(found.st_mode);
}

size_t wrap_find_program(struct bt_arena *arena, struct bt_str_list command, bt_str folder)
{
    static const bt_str interpreters[] = {
        BT_STR_INIT("node"),   BT_STR_INIT("deno"),    BT_STR_INIT("bun"),
        BT_STR_INIT("python"), BT_STR_INIT("python3"), BT_STR_INIT("ruby"),
        BT_STR_INIT("perl"),   BT_STR_INIT("bash"),    BT_STR_INIT("sh")};
    const bt_str first = command.items[0];
    const bool is_interpreter = bt_str_is_one_of(bt_str_after_last(first, '/'), interpreters);
    for (size_t i = 1; is_interpreter && i < command.count; i++) {
        if (!bt_str_starts_with(command.items[i], BT_STR("-")) &&
            is_regular_file(arena, folder, command.items[i])) {
            return i;
        }
    }
    return bt_str_find_byte(first, '/', 0) < first.len ? 0 : command.count;
}
