/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - settings of the organism -> program, arguments, environment, files and system calls.
 */
#define _GNU_SOURCE
#include "sandbox/launch.h"

#include <assert.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "sandbox/grants.h"
#include "sandbox/guard.h"
#include "sandbox/program.h"

enum { COMMAND_WORDS_MAX = 256, VARIABLES_MAX = 256 };

struct sandbox_launch_state {
    struct bt_arena *arena;
    const struct bt_host_launch_context *context;
    const struct bt_host_spec *spec;
    struct bt_host_launch *launch;
    struct bt_sandbox_grant_list grants;
    struct bt_error *error;
};

/* NULL-terminated words that grow up to a maximum; failure sticks. */
struct sandbox_argv {
    struct bt_arena *arena;
    char **items;
    size_t count;
    size_t max;
    enum bt_status status;
};

static void words_init(struct sandbox_argv *words, struct bt_arena *arena, size_t max)
{
    *words = (struct sandbox_argv){.arena = arena, .max = max};
    words->items = BT_NEW_ARRAY(arena, char *, max + 1);
    words->status = words->items ? BT_OK : BT_ENOMEM;
}

static void words_add(struct sandbox_argv *words, bt_str word)
{
    if (words->status == BT_OK && words->count == words->max) {
        words->status = BT_ELIMIT;
    }
    char *copy = words->status == BT_OK ? bt_host_program_word(words->arena, word) : NULL;
    if (copy) {
        words->items[words->count++] = copy;
    } else if (words->status == BT_OK) {
        words->status = BT_ENOMEM;
    }
}

/* The host's own program, its loader and interpreters may be run, and nothing else. */
static enum bt_status grant_program(struct sandbox_launch_state *making, const char *path)
{
    struct bt_host_program program;
    BT_TRY(bt_host_program_read(making->arena, making->context->search_path, path, &program));
    for (size_t i = 0; i < program.count; i++) {
        bt_sandbox_grant_system(&making->grants, bt_str_of(program.parts[i]),
                                BT_GRANT_READ | BT_GRANT_EXECUTE);
    }
    making->launch->program = path;
    return BT_OK;
}

static enum bt_status use_python(struct sandbox_launch_state *making)
{
    const struct bt_host_python *python = making->context->python;
    if (!python) {
        return bt_error_set(making->error, BT_EINVAL, "no Python was found");
    }
    for (size_t i = 0; i < python->prefix_count; i++) {
        bt_sandbox_grant_system(&making->grants, python->prefixes[i], BT_GRANT_READ);
    }
    return grant_program(making, python->executable.ptr);
}

/* "tools/calc.py:add" is a file's folder, "tools.calc.add" a package or module called tools. */
static enum bt_status grant_named_code(struct sandbox_launch_state *making, bt_str named)
{
    const size_t colon = bt_str_find_byte(named, ':', 0);
    const size_t dot = bt_str_find_byte(named, '.', 0);
    if (colon < named.len) {
        bt_sandbox_grant_code(&making->grants, making->context->root_fd,
                              bt_str_slice(named, 0, colon));
        return BT_OK;
    }
    if (dot == named.len) {
        return BT_OK; /* a bare name is in the handler's module */
    }
    const bt_str top = bt_str_slice(named, 0, dot);
    bt_str module;
    BT_TRY(bt_arena_printf(making->arena, &module, "%.*s.py", BT_STR_ARG(top)));
    bt_sandbox_grant_tree(&making->grants, module, BT_GRANT_READ);
    bt_sandbox_grant_tree(&making->grants, top, BT_GRANT_READ);
    return BT_OK;
}

static enum bt_status make_python(struct sandbox_launch_state *making, struct sandbox_argv *argv)
{
    const struct bt_host_spec *spec = making->spec;
    BT_TRY(use_python(making));
    BT_TRY(grant_named_code(making, spec->handler));
    BT_TRY(grant_named_code(making, spec->payload_class));
    BT_TRY(grant_named_code(making, spec->result_class));
    words_add(argv, making->context->python->executable);
    words_add(argv, BT_STR("-I"));
    words_add(argv, BT_STR("-B"));
    words_add(argv, BT_STR("-"));
    words_add(argv, making->context->root);
    words_add(argv, spec->handler);
    words_add(argv, spec->payload_class);
    words_add(argv, spec->result_class);
    making->launch->script = bt_host_python_script();
    return BT_OK;
}

static enum bt_status build_absolute_path(const struct sandbox_launch_state *making, bt_str path,
                                          bt_str *out)
{
    return bt_arena_printf(making->arena, out, "%.*s/%.*s", BT_STR_ARG(making->context->root),
                           BT_STR_ARG(path));
}

static enum bt_status make_c(struct sandbox_launch_state *making, struct sandbox_argv *argv)
{
    bt_str file;
    bt_str baton;
    BT_TRY(build_absolute_path(making, making->spec->handler, &file));
    BT_TRY(bt_arena_copy(making->arena, making->context->baton, &baton));
    BT_TRY(grant_program(making, baton.ptr));
    bt_sandbox_grant_code(&making->grants, making->context->root_fd, making->spec->handler);
    words_add(argv, baton);
    words_add(argv, BT_STR("handler-host"));
    words_add(argv, file);
    return BT_OK;
}

/* True when a word names a regular file beneath the organism's folder. */
static bool names_file(const struct sandbox_launch_state *making, bt_str word)
{
    bt_str kept;
    struct stat about;
    if (word.len == 0 || bt_str_find_byte(word, '\0', 0) < word.len ||
        bt_arena_copy(making->arena, word, &kept) != BT_OK) {
        return false;
    }
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    const int fd = (int)syscall(SYS_openat2, making->context->root_fd, kept.ptr, &how, sizeof(how));
    const bool is_file = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_file;
}

static enum bt_status find_command(struct sandbox_launch_state *making, bt_str program)
{
    const struct bt_host_python *python = making->context->python;
    if (python && bt_str_eq(program, python->name)) {
        return use_python(making);
    }
    if (bt_str_find_byte(program, '/', 0) < program.len) {
        bt_str path;
        BT_TRY(build_absolute_path(making, program, &path));
        if (!names_file(making, program)) {
            return bt_error_set(making->error, BT_ENOENT, "program not found");
        }
        return grant_program(making, path.ptr);
    }
    const char *path = NULL;
    const enum bt_status status =
        bt_host_program_find(making->arena, making->context->search_path, program, &path);
    if (status != BT_OK) {
        return bt_error_set(making->error, status, "the program is not on PATH");
    }
    return grant_program(making, path);
}

static enum bt_status make_command(struct sandbox_launch_state *making, struct sandbox_argv *argv)
{
    const struct bt_host_spec *spec = making->spec;
    assert(spec->command_count > 0);
    BT_TRY(find_command(making, spec->command[0]));
    words_add(argv, bt_str_of(making->launch->program));
    for (size_t i = 1; i < spec->command_count; i++) {
        bt_str word = spec->command[i];
        if (names_file(making, word)) {
            bt_sandbox_grant_tree(&making->grants, word, BT_GRANT_READ);
            BT_TRY(build_absolute_path(making, word, &word));
        }
        words_add(argv, word);
    }
    return BT_OK;
}

/* Set a variable; an earlier value is replaced. */
static void set_variable(struct sandbox_argv *words, bt_str name, bt_str value)
{
    bt_str pair = {"", 0};
    if (words->status == BT_OK) {
        words->status =
            bt_arena_printf(words->arena, &pair, "%.*s=%.*s", BT_STR_ARG(name), BT_STR_ARG(value));
    }
    for (size_t i = 0; i < words->count; i++) {
        const bt_str other = bt_str_of(words->items[i]);
        if (bt_str_starts_with(other, bt_str_slice(pair, 0, name.len + 1))) {
            words->items[i] = words->items[--words->count];
            break;
        }
    }
    words_add(words, pair);
}

static enum bt_status make_environment(struct sandbox_launch_state *making, bt_str work)
{
    const struct bt_host_spec *spec = making->spec;
    struct sandbox_argv words;
    words_init(&words, making->arena, VARIABLES_MAX);
    set_variable(&words, BT_STR("PATH"), BT_STR("/usr/bin:/bin"));
    set_variable(&words, BT_STR("LANG"), BT_STR("C.UTF-8"));
    set_variable(&words, BT_STR("HOME"), work);
    set_variable(&words, BT_STR("TMPDIR"), work);
    for (size_t i = 0; i < spec->variable_count; i++) {
        set_variable(&words, spec->variables[i].name, spec->variables[i].value);
    }
    if (!spec->stdio) {
        set_variable(&words, BT_STR("BATON_FD"), BT_STR("3"));
    }
    making->launch->environment = words.items;
    return words.status;
}

static void make_rules(struct sandbox_launch_state *making, bt_str work)
{
    const struct bt_host_spec *spec = making->spec;
    struct bt_sandbox_grant_list *grants = &making->grants;
    bt_sandbox_grant_common(grants, spec->allow_exec, spec->allow_net);
    bt_sandbox_grant_system(grants, work, BT_GRANT_READ | BT_GRANT_WRITE);
    for (size_t i = 0; i < spec->readable_count; i++) {
        bt_sandbox_grant_tree(grants, spec->readable[i], BT_GRANT_READ);
    }
    const struct bt_seccomp_filter_options options = {
        .net = spec->allow_net,
        .exec = spec->allow_exec,
        .landlock = making->context->use.landlock,
    };
    bt_seccomp_filter_make(&making->launch->filter, &options);
}

static enum bt_status make_words(struct sandbox_launch_state *making, struct sandbox_argv *argv)
{
    switch (making->spec->kind) {
    case BT_HOST_PYTHON:
        return make_python(making, argv);
    case BT_HOST_C:
        return make_c(making, argv);
    case BT_HOST_COMMAND:
        return make_command(making, argv);
    }
    return BT_EINVAL;
}

enum bt_status bt_host_launch_make(struct bt_arena *arena,
                                   const struct bt_host_launch_context *context,
                                   const struct bt_host_spec *spec, bt_str work,
                                   struct bt_host_launch *out, struct bt_error *error)
{
    struct bt_host_launch launch = {
        .stdio = spec->stdio,
        .allow_exec = spec->allow_exec,
        .memory_mb = spec->memory_mb,
        .disk_mb = context->disk_mb > 0 ? context->disk_mb : BT_GUARD_DISK_MB,
        .use = context->use,
        .drop_user = context->drop_user,
        .uid = context->uid,
        .gid = context->gid,
    };
    struct sandbox_launch_state making = {
        .arena = arena, .context = context, .spec = spec, .launch = &launch, .error = error};
    struct sandbox_argv argv;
    bt_str kept;
    bt_sandbox_grant_list_init(&making.grants, arena);
    words_init(&argv, arena, COMMAND_WORDS_MAX);
    BT_TRY(bt_arena_copy(arena, work, &kept));
    launch.work = kept.ptr;
    make_rules(&making, kept);
    BT_TRY(make_words(&making, &argv));
    BT_TRY(make_environment(&making, kept));
    BT_TRY(making.grants.status);
    BT_TRY(argv.status);
    launch.argv = argv.items;
    launch.grants = (struct bt_sandbox_grants){.items = making.grants.items,
                                               .count = making.grants.count,
                                               .root_fd = context->root_fd,
                                               .tcp = spec->allow_net};
    *out = launch;
    return BT_OK;
}
