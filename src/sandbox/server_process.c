/* SPDX-License-Identifier: Apache-2.0 */
/* server_process.c - start a program with two pipes, and end it with its group. */
#define _GNU_SOURCE
#include "sandbox/server_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sandbox/grants.h"
#include "sandbox/jail.h"
#include "sandbox/program.h"

enum { FIRST_CLOSED_FD = 3, KILLED_MS = 500 };

/* The pipes of a start. */
struct server_pipes {
    int input[2];
    int output[2];
    int failure[2]; /* the child writes what failed; closed by execve() */
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
static pid_t fork_child(const struct bt_host_launch *launch, const struct bt_sandbox_fds *fds)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return -1;
    }
    const struct bt_host_jail_place place = {.parent = getpid(), .group = 0};
    const pid_t pid = fork();
    if (pid == 0) {
        bt_sandbox_run_child(launch, fds, &place);
    }
    const int number = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

/* Wait until the program runs. False: a step of the child failed. */
static bool wait_for_exec(struct server_pipes *pipes, struct bt_sandbox_failure *out)
{
    ssize_t count = 0;
    close_fd(&pipes->failure[1]);
    do {
        count = read(pipes->failure[0], out, sizeof(*out));
    } while (count < 0 && errno == EINTR);
    return count != (ssize_t)sizeof(*out);
}

static enum bt_status refuse_start(const struct bt_sandbox_failure *failure, struct bt_error *error)
{
    const int number = failure->number;
    if (!failure->is_program) {
        return bt_error_set(error, BT_EIO, "%s: %s", failure->step, strerror(number));
    }
    return bt_error_set(error,
                        number == ENOENT || number == ENOTDIR   ? BT_ENOENT
                        : number == EACCES || number == ENOEXEC ? BT_EDENIED
                                                                : BT_EIO,
                        "%s", strerror(number));
}

static enum bt_status start_process(const struct bt_host_launch *launch, int ruleset,
                                    struct server_pipes *pipes, struct bt_server_process *process,
                                    struct bt_error *error)
{
    struct bt_sandbox_failure failure;
    if (!open_pipes(pipes)) {
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    const struct bt_sandbox_fds fds = {.input = pipes->input[0],
                                       .output = pipes->output[1],
                                       .talk = -1,
                                       .errors = STDERR_FILENO,
                                       .ruleset = ruleset,
                                       .failure = pipes->failure[1]};
    process->pid = fork_child(launch, &fds);
    if (process->pid < 0) {
        process->pid = 0;
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    if (!wait_for_exec(pipes, &failure)) {
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        process->pid = 0;
        return refuse_start(&failure, error);
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

/* The rules of the kernel for a program in a sandbox. */
static enum bt_status confine_launch(struct bt_arena *arena,
                                     const struct bt_server_command *command,
                                     struct bt_host_launch *launch, struct bt_error *error)
{
    const struct bt_server_sandbox *sandbox = command->sandbox;
    const unsigned program_access =
        BT_GRANT_READ | (sandbox->allow_exec ? (unsigned)BT_GRANT_EXECUTE : 0U);
    struct bt_sandbox_grant_list grants;
    struct bt_host_program program;
    bt_sandbox_grant_list_init(&grants, arena);
    bt_sandbox_grant_common(&grants, sandbox->allow_exec, sandbox->allow_net);
    BT_TRY(bt_host_program_read(arena, command->search_path, launch->program, &program));
    for (size_t i = 0; i < program.count; i++) {
        bt_sandbox_grant_system(&grants, bt_str_of(program.parts[i]),
                                BT_GRANT_READ | BT_GRANT_EXECUTE);
    }
    if (sandbox->program_folder.len > 0) {
        bt_sandbox_grant_system(&grants, sandbox->program_folder, program_access);
    }
    bt_sandbox_grant_system(&grants, sandbox->home, BT_GRANT_READ | BT_GRANT_WRITE);
    for (size_t i = 0; i < sandbox->readable.count; i++) {
        bt_sandbox_grant_system(&grants, sandbox->readable.items[i], BT_GRANT_READ);
    }
    for (size_t i = 0; i < sandbox->writable.count; i++) {
        bt_sandbox_grant_system(&grants, sandbox->writable.items[i],
                                BT_GRANT_READ | BT_GRANT_WRITE);
    }
    if (grants.status != BT_OK) {
        return bt_error_set(error, grants.status, "%s", bt_status_text(grants.status));
    }
    launch->is_open = false;
    launch->work = sandbox->work.ptr;
    launch->memory_mb = sandbox->memory_mb;
    launch->use = sandbox->use;
    launch->grants = (struct bt_sandbox_grants){
        .items = grants.items, .count = grants.count, .root_fd = -1, .tcp = sandbox->allow_net};
    const struct bt_seccomp_filter_options options = {
        .net = sandbox->allow_net, .exec = sandbox->allow_exec, .landlock = sandbox->use.landlock};
    bt_seccomp_filter_make(&launch->filter, &options);
    return BT_OK;
}

enum bt_status bt_server_process_start(struct bt_arena *arena,
                                       const struct bt_server_command *command,
                                       struct bt_server_process *out, struct bt_error *error)
{
    struct server_pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
    struct bt_server_process process = {.life_fd = -1, .input_fd = -1, .output_fd = -1};
    const char *program = command->argv[0];
    if (!command->serve && !strchr(program, '/')) {
        const enum bt_status found =
            bt_host_program_find(arena, command->search_path, bt_str_of(program), &program);
        if (found != BT_OK) {
            return bt_error_set(error, found, "the program is not in PATH");
        }
    }
    struct bt_host_launch launch = {.program = program,
                                    .argv = command->argv,
                                    .environment = command->environment,
                                    .work = command->folder,
                                    .serve = command->serve,
                                    .served = command->served,
                                    .is_server = true,
                                    .is_open = true};
    int ruleset = -1;
    enum bt_status status =
        command->sandbox ? confine_launch(arena, command, &launch, error) : BT_OK;
    if (status == BT_OK && launch.use.landlock > 0) {
        status = bt_landlock_prepare(launch.use.landlock, &launch.grants, &ruleset, error);
    }
    if (status == BT_OK) {
        status = start_process(&launch, ruleset, &pipes, &process, error);
    }
    close_fd(&ruleset);
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

/* A process that the kernel does not let go is left to the process that inherits it. */
static void reap_process(const struct bt_server_process *process)
{
    struct pollfd life = {.fd = process->life_fd, .events = POLLIN};
    const uint64_t deadline = bt_clock_monotonic_ms() + KILLED_MS;
    uint64_t now = bt_clock_monotonic_ms();
    while (waitpid(process->pid, NULL, WNOHANG) == 0 && now < deadline) {
        (void)poll(&life, 1, (int)(deadline - now));
        now = bt_clock_monotonic_ms();
    }
}

void bt_server_process_close(struct bt_server_process *process)
{
    if (process->pid > 0) {
        bt_server_process_signal(process, SIGKILL);
        reap_process(process);
        process->pid = 0;
    }
    close_fd(&process->input_fd);
    close_fd(&process->output_fd);
    close_fd(&process->life_fd);
}
