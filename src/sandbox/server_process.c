/* SPDX-License-Identifier: Apache-2.0 */
/* server_process.c - start a program with two pipes, and end it with its group. */
#define _GNU_SOURCE
#include "sandbox/server_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "sandbox/program.h"

enum {
    EXIT_NOT_STARTED = 127,
    SIGNALS_MAX = 64,
    FIRST_CLOSED_FD = 3,
    CLOSE_AT_EXEC = 4, /* CLOSE_RANGE_CLOEXEC, since 5.11 */
};

/* The pipes of a start. */
struct server_pipes {
    int input[2];
    int output[2];
    int failure[2]; /* the child writes errno; closed by execve() */
};

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static void close_pipe(int ends[2])
{
    close_fd(&ends[0]);
    close_fd(&ends[1]);
}

/* ---- The child ------------------------------------------------------------------------------- */

static bool reset_signals(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number <= SIGNALS_MAX; number++) {
        (void)sigaction(number, &usual, NULL); /* two of them cannot be set, some do not exist */
    }
    (void)sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

/* Between fork() and execve(): nothing is allocated. */
static void run_child(const char *program, const struct bt_server_command *command,
                      const struct server_pipes *pipes, pid_t parent)
{
    const bool is_ready = setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) == 0 &&
                          getppid() == parent && reset_signals() &&
                          dup2(pipes->input[0], STDIN_FILENO) >= 0 &&
                          dup2(pipes->output[1], STDOUT_FILENO) >= 0 &&
                          syscall(SYS_close_range, FIRST_CLOSED_FD, ~0U, CLOSE_AT_EXEC) == 0;
    if (is_ready) {
        (void)execve(program, command->argv, command->environment);
    }
    const int number = errno;
    (void)!write(pipes->failure[1], &number, sizeof(number));
    _exit(EXIT_NOT_STARTED);
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* All descriptors are above those of the standard streams, so that the child can replace these. */
static bool open_pipe(int ends[2])
{
    int made[2];
    if (pipe2(made, O_CLOEXEC) != 0) {
        return false;
    }
    ends[0] = fcntl(made[0], F_DUPFD_CLOEXEC, FIRST_CLOSED_FD);
    ends[1] = fcntl(made[1], F_DUPFD_CLOEXEC, FIRST_CLOSED_FD);
    const int number = errno;
    (void)close(made[0]);
    (void)close(made[1]);
    errno = number;
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool open_pipes(struct server_pipes *pipes)
{
    return open_pipe(pipes->input) && open_pipe(pipes->output) && open_pipe(pipes->failure) &&
           fcntl(pipes->input[1], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(pipes->output[0], F_SETFL, O_NONBLOCK) == 0;
}

/* Fork with every signal blocked, so that none of our signal handlers ever runs in the child. */
static pid_t fork_child(const char *program, const struct bt_server_command *command,
                        const struct server_pipes *pipes)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return -1;
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        run_child(program, command, pipes, parent);
    }
    const int number = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

/* Wait until the program runs. Returns 0, or the errno of the child. */
static int wait_for_exec(struct server_pipes *pipes)
{
    int number = 0;
    ssize_t count = 0;
    close_fd(&pipes->failure[1]);
    do {
        count = read(pipes->failure[0], &number, sizeof(number));
    } while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof(number) ? number : 0;
}

static enum bt_status status_of_errno(int number)
{
    return number == ENOENT || number == ENOTDIR   ? BT_ENOENT
           : number == EACCES || number == ENOEXEC ? BT_EDENIED
                                                   : BT_EIO;
}

static enum bt_status start_process(const char *program, const struct bt_server_command *command,
                                    struct server_pipes *pipes, struct bt_server_process *process,
                                    struct bt_error *error)
{
    if (!open_pipes(pipes)) {
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    process->pid = fork_child(program, command, pipes);
    if (process->pid < 0) {
        process->pid = 0;
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    const int number = wait_for_exec(pipes);
    if (number != 0) {
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        process->pid = 0;
        return bt_error_set(error, status_of_errno(number), "%s", strerror(number));
    }
    process->life_fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (process->life_fd < 0) {
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    process->input_fd = pipes->input[1];
    process->output_fd = pipes->output[0];
    pipes->input[1] = -1;
    pipes->output[0] = -1;
    return BT_OK;
}

enum bt_status bt_server_process_start(struct bt_arena *arena,
                                       const struct bt_server_command *command,
                                       struct bt_server_process *out, struct bt_error *error)
{
    struct server_pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
    struct bt_server_process process = {.life_fd = -1, .input_fd = -1, .output_fd = -1};
    const char *program = command->argv[0];
    if (!strchr(program, '/')) {
        const enum bt_status found =
            bt_host_program_find(arena, command->search_path, bt_str_of(program), &program);
        if (found != BT_OK) {
            return bt_error_set(error, found, "the program is not in PATH");
        }
    }
    const enum bt_status status = start_process(program, command, &pipes, &process, error);
    close_pipe(pipes.input);
    close_pipe(pipes.output);
    close_pipe(pipes.failure);
    if (status == BT_OK) {
        *out = process;
    } else {
        bt_server_process_close(&process);
    }
    return status;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

void bt_server_process_close_input(struct bt_server_process *process)
{
    close_fd(&process->input_fd);
}

void bt_server_process_signal(const struct bt_server_process *process, int signal_number)
{
    if (process->pid > 0) {
        (void)kill(-process->pid, signal_number);
    }
}

struct bt_server_process_end bt_server_process_poll(struct bt_server_process *process)
{
    siginfo_t info = {0};
    /* It stays a zombie, so that its number, and that of its group, belongs to nobody else. */
    if (process->pid <= 0 ||
        waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return (struct bt_server_process_end){0};
    }
    return (struct bt_server_process_end){
        .has_ended = true, .was_signalled = info.si_code != CLD_EXITED, .number = info.si_status};
}

void bt_server_process_close(struct bt_server_process *process)
{
    if (process->pid > 0) {
        bt_server_process_signal(process, SIGKILL);
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        process->pid = 0;
    }
    close_fd(&process->input_fd);
    close_fd(&process->output_fd);
    close_fd(&process->life_fd);
}
