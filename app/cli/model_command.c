/* SPDX-License-Identifier: Apache-2.0 */
/* model_command.c - run a command that calls a model, with a timeout. */
#include "model_command.h"
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

extern char **environ;

enum {
    PART_BYTES = 65536,
    WAIT_MS = 10, /* between two checks of a command that has closed its output */
    NOT_STARTED_FIRST = 126,
    NOT_STARTED_LAST = 127,
};

/* One run of the command. */
struct cli_llm_run {
    pid_t process;
    int in;  /* its standard input, or -1 when closed */
    int out; /* its standard output, or -1 */
    uint64_t deadline_ms;
    bt_str question; /* the part that is still to be written */
    struct bt_buf *answer;
};

static void close_end(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        return false;
    }
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* The environment with BATON_TRY, as a list that ends with NULL; the caller frees it. */
static char **make_environment(char *entry)
{
    size_t count = 0;
    while (environ[count]) {
        count++;
    }
    char **list = calloc(count + 2, sizeof(*list));
    size_t kept = 0;
    for (size_t i = 0; list && i < count; i++) {
        if (strncmp(environ[i], "BATON_TRY=", sizeof("BATON_TRY=") - 1) != 0) {
            list[kept++] = environ[i];
        }
    }
    if (list) {
        list[kept] = entry;
    }
    return list;
}

/*
 * Its own process group, so that it can be killed with all its children; SIGPIPE with its default
 * action.
 */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t usual;
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    int number = posix_spawnattr_setsigdefault(attributes, &usual);
    number = number ? number : posix_spawnattr_setpgroup(attributes, 0);
    return number ? number
                  : posix_spawnattr_setflags(attributes,
                                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn_command(const char *command, const int in[2], const int out[2], char **environment,
                         pid_t *process)
{
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char *copy = strdup(command);
    char *words[] = {shell, flag, copy, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (!copy || posix_spawn_file_actions_init(&actions) != 0) {
        free(copy);
        return ENOMEM;
    }
    int number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        number = set_attributes(&attributes);
        number = number ? number : posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        number =
            number ? number : posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        number = number ? number
                        : posix_spawn(process, shell, &actions, &attributes, words, environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    free(copy);
    return number;
}

static bool start_command(const struct cli_model_command *llm, struct cli_llm_run *run)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    char entry[32];
    (void)snprintf(entry, sizeof(entry), "BATON_TRY=%u", llm->number);
    char **environment = make_environment(entry);
    const bool piped = environment && make_pipe(in) && make_pipe(out);
    const bool started =
        piped && spawn_command(llm->command, in, out, environment, &run->process) == 0;
    free(environment);
    close_end(&in[0]);
    close_end(&out[1]);
    if (!started) {
        close_end(&in[1]);
        close_end(&out[0]);
        return false;
    }
    run->in = in[1];
    run->out = out[0];
    (void)fcntl(run->in, F_SETFL, O_NONBLOCK);
    return true;
}

/* ---- Exchange -------------------------------------------------------------------------------- */

/* Write a part of the question. A command that does not read it is not an error. */
static void write_question(struct cli_llm_run *run)
{
    const ssize_t count = write(run->in, run->question.ptr, run->question.len);
    if (count >= 0) {
        run->question = bt_str_slice(run->question, (size_t)count, run->question.len);
    }
    const bool again = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (run->question.len == 0 || (count < 0 && !again)) {
        close_end(&run->in);
    }
}

/* Read a part of the answer. False when it is too long or cannot be read. */
static bool read_answer(struct cli_llm_run *run)
{
    char *part = bt_buf_reserve(run->answer, PART_BYTES);
    if (!part) {
        return false;
    }
    const ssize_t count = read(run->out, part, PART_BYTES);
    if (count == 0) {
        close_end(&run->out);
    } else if (count > 0) {
        run->answer->len += (size_t)count;
    }
    return (count >= 0 || errno == EINTR) && run->answer->len <= CLI_ANSWER_BYTES_MAX;
}

/* Write and read until the command has closed its output. NULL, or why it had to be killed. */
static const char *exchange_until_closed(struct cli_llm_run *run)
{
    while (run->out >= 0) {
        struct pollfd ends[2] = {{.fd = run->out, .events = POLLIN},
                                 {.fd = run->in, .events = POLLOUT}};
        const uint64_t now = bt_clock_monotonic_ms();
        const uint64_t left = now < run->deadline_ms ? run->deadline_ms - now : 0;
        const int ready = poll(ends, 2, left < 60000 ? (int)left : 60000);
        if (ready < 0 && errno != EINTR) {
            return "its output cannot be watched";
        }
        if (ready > 0 && ends[1].revents != 0) {
            write_question(run);
        }
        if (ready > 0 && ends[0].revents != 0 && !read_answer(run)) {
            return "it wrote more than 1 MiB";
        }
        if (left == 0) {
            return "it ran too long";
        }
    }
    return NULL;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* Wait for the command until the deadline. False when it is still running. */
static bool wait_for(const struct cli_llm_run *run, int *status)
{
    const struct timespec pause = {0, WAIT_MS * 1000000L};
    for (;;) {
        const pid_t ended = waitpid(run->process, status, WNOHANG);
        if (ended == run->process) {
            return true;
        }
        if ((ended < 0 && errno != EINTR) || bt_clock_monotonic_ms() >= run->deadline_ms) {
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
}

static void end_group(const struct cli_llm_run *run)
{
    int status = 0;
    (void)kill(-run->process, SIGKILL);
    while (waitpid(run->process, &status, 0) < 0 && errno == EINTR) {
    }
}

static struct cli_model_result result_of(int status)
{
    struct cli_model_result result = {.end = CLI_LLM_FAILED, .exit_code = -1};
    if (WIFSIGNALED(status)) {
        (void)snprintf(result.reason, sizeof(result.reason), "it was ended by signal %d",
                       WTERMSIG(status));
        return result;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    result.exit_code = code;
    (void)snprintf(result.reason, sizeof(result.reason), "it ended with exit code %d", code);
    if (code == 0) {
        result.end = CLI_LLM_ANSWERED;
    } else if (code >= NOT_STARTED_FIRST && code <= NOT_STARTED_LAST) {
        result.end = CLI_LLM_BROKEN;
    }
    return result;
}

static struct cli_model_result run_to_end(struct cli_llm_run *run)
{
    struct cli_model_result result = {.end = CLI_LLM_FAILED, .exit_code = -1};
    int status = 0;
    const char *reason = exchange_until_closed(run);
    close_end(&run->in);
    close_end(&run->out);
    if (!reason && wait_for(run, &status)) {
        return result_of(status);
    }
    end_group(run);
    (void)snprintf(result.reason, sizeof(result.reason), "%s", reason ? reason : "it ran too long");
    return result;
}

struct cli_model_result cli_model_command_run(const struct cli_model_command *llm, bt_str question,
                                              struct bt_buf *answer)
{
    assert(llm);
    assert(answer);
    struct cli_llm_run run = {.in = -1,
                              .out = -1,
                              .deadline_ms = bt_clock_monotonic_ms() + llm->timeout_s * 1000,
                              .question = question,
                              .answer = answer};
    struct cli_model_result result = {
        .end = CLI_LLM_BROKEN, .exit_code = -1, .reason = "it cannot be started"};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    (void)sigaction(SIGPIPE, &ignore, &before);
    if (start_command(llm, &run)) {
        result = run_to_end(&run);
    }
    (void)sigaction(SIGPIPE, &before, NULL);
    return result;
}
