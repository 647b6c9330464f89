/* SPDX-License-Identifier: Apache-2.0 */
/* python.c - query an interpreter for its paths. The answer is one value per line. */
#define _GNU_SOURCE
#include "sandbox/python.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "sandbox/program.h"

enum { ANSWER_BYTES_MAX = 32768, ANSWER_MS_MAX = 10000 };

static const char program[] =
    "import os, sys\n"
    "print(sys.version_info[0], sys.version_info[1], os.path.abspath(sys.executable),\n"
    "      sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, sep='\\n')\n";

/* Read until the end or the deadline; false: timeout, too long an answer, or a failed read. */
static bool listen_to(int fd, struct bt_buf *answer)
{
    const uint64_t deadline = bt_clock_monotonic_ms() + ANSWER_MS_MAX;
    for (;;) { /* ends by the deadline or by the buffer's maximum */
        const uint64_t now = bt_clock_monotonic_ms();
        struct pollfd waited = {.fd = fd, .events = POLLIN};
        const int ready = now < deadline ? poll(&waited, 1, (int)(deadline - now)) : 0;
        if (ready < 0 && errno == EINTR) {
            continue; /* interrupted: the signal is handled later */
        }
        if (ready <= 0) {
            return false;
        }
        char *room = bt_buf_reserve(answer, 4096);
        const ssize_t size = room ? read(fd, room, 4096) : -1;
        if (size <= 0) {
            return size == 0;
        }
        answer->len += (size_t)size;
    }
}

static int start_python(char *const *words, int out_fd, char *const *environment, pid_t *out_pid)
{
    static char *const nothing[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        return failed;
    }
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, out_fd, 1);
        failed = failed ? failed : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        failed = failed ? failed
                        : posix_spawn(out_pid, words[0], &actions, &attributes, words,
                                      environment ? environment : nothing);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static enum bt_status run_python(struct bt_arena *arena, const char *path,
                                 const struct bt_host_python_query *question, struct bt_buf *answer,
                                 struct bt_error *error)
{
    int ends[2];
    pid_t pid = 0;
    char *const words[] = {bt_host_program_word(arena, bt_str_of(path)),
                           bt_host_program_word(arena, BT_STR("-I")),
                           bt_host_program_word(arena, BT_STR("-c")),
                           bt_host_program_word(arena, bt_str_of(program)), NULL};
    if (!words[0] || !words[1] || !words[2] || !words[3]) {
        return BT_ENOMEM;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return bt_error_errno(error, NULL, NULL);
    }
    const int failed = start_python(words, ends[1], question->environment, &pid);
    (void)close(ends[1]);
    if (failed != 0) {
        (void)close(ends[0]);
        return bt_error_set(error, BT_EIO, "%s: %s", path, strerror(failed));
    }
    const bool has_answer = listen_to(ends[0], answer);
    (void)close(ends[0]);
    int how = 0;
    (void)kill(-pid, SIGKILL); /* its answer is complete; this also kills the children of a shim */
    (void)waitpid(pid, &how, 0);
    return has_answer ? BT_OK : bt_error_set(error, BT_EIO, "%s does not answer", path);
}

/* The next line of the answer; empty at its end. */
static bt_str next_line(bt_str text, size_t *at)
{
    const size_t from = *at;
    const size_t to = bt_str_find_byte(text, '\n', from);
    *at = to < text.len ? to + 1 : text.len;
    return bt_str_slice(text, from, to);
}

static enum bt_status parse_answer(bt_str answer, struct bt_host_python *python,
                                   struct bt_error *error)
{
    size_t at = 0;
    uint64_t major = 0;
    uint64_t minor = 0;
    const bool numbers = bt_str_to_u64(next_line(answer, &at), &major) == BT_OK &&
                         bt_str_to_u64(next_line(answer, &at), &minor) == BT_OK;
    python->executable = next_line(answer, &at);
    if (!numbers || python->executable.len == 0 || python->executable.ptr[0] != '/') {
        return bt_error_set(error, BT_EINVAL, "%.*s does not answer like Python",
                            BT_STR_ARG(bt_str_slice(python->name, 0, 60)));
    }
    if (major != 3 || minor < 9) {
        return bt_error_set(error, BT_EINVAL, "Python %u.%u is older than 3.9", (unsigned)major,
                            (unsigned)minor);
    }
    python->major = (uint32_t)major;
    python->minor = (uint32_t)minor;
    for (size_t i = 0; i < BT_PYTHON_PREFIXES_MAX; i++) {
        const bt_str prefix = next_line(answer, &at);
        const bool known = python->prefix_count > 0 &&
                           bt_str_eq(prefix, python->prefixes[python->prefix_count - 1]);
        if (prefix.len > 1 && prefix.ptr[0] == '/' && !known) {
            python->prefixes[python->prefix_count++] = prefix;
        }
    }
    return BT_OK;
}

enum bt_status bt_host_python_query_run(struct bt_arena *arena,
                                        const struct bt_host_python_query *question,
                                        struct bt_host_python *out, struct bt_error *error)
{
    struct bt_host_python python = {.name = question->name};
    const char *path = NULL;
    bt_str kept;
    BT_TRY(bt_arena_copy(arena, question->name, &kept));
    if (kept.len > 0 && kept.ptr[0] == '/') {
        path = kept.ptr;
    } else if (bt_host_program_find(arena, question->search_path, kept, &path) != BT_OK) {
        return bt_error_set(error, BT_ENOENT, "%.*s is not on PATH",
                            BT_STR_ARG(bt_str_slice(kept, 0, 60)));
    }
    struct bt_buf answer;
    bt_buf_init(&answer, ANSWER_BYTES_MAX);
    enum bt_status status = run_python(arena, path, question, &answer, error);
    bt_str text = {"", 0};
    status = status == BT_OK ? bt_buf_copy(&answer, arena, &text) : status;
    bt_buf_free(&answer);
    BT_TRY(status);
    python.name = kept;
    BT_TRY(parse_answer(text, &python, error));
    for (size_t i = 0; i < python.prefix_count; i++) {
        BT_TRY(bt_arena_copy(arena, python.prefixes[i], &python.prefixes[i]));
    }
    BT_TRY(bt_arena_copy(arena, python.executable, &python.executable));
    *out = python;
    return BT_OK;
}
