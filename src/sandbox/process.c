/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - starting, killing and burying a host. The child's side is in jail.c.
 */
#define _GNU_SOURCE
#include "sandbox/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "sandbox/guard.h"
#include "sandbox/jail.h"

/* Descriptors below this are the child's; ours are moved out of the way of them. */
enum { FIRST_FREE_FD = 10, SOCKET_BYTES = 1 << 20 };

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* The descriptor duplicated to a number that the child does not use; the old one is closed. */
static int move_fd(int fd)
{
    const int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD) : -1;
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = why;
    return high;
}

/* A file without a name that holds the script; -1 leaves errno. */
static int script_fd(bt_str script)
{
    if (script.len == 0) {
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    int fd = memfd_create("baton-host", MFD_CLOEXEC);
    if (fd >= 0 && (!bt_fd_write(fd, script) || lseek(fd, 0, SEEK_SET) != 0)) {
        close_fd(&fd);
    }
    return fd;
}

/* A pipe for what a host prints; *out_ours never blocks. False leaves errno. */
static bool open_log(int *out_ours, int *out_its)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *out_ours = move_fd(ends[0]);
    *out_its = move_fd(ends[1]);
    return *out_ours >= 0 && *out_its >= 0 && fcntl(*out_ours, F_SETFL, O_NONBLOCK) == 0;
}

/* Both ends of everything: `jail` gets the child's, `process` ours. False leaves errno. */
static bool open_ends(const struct bt_host_launch *launch, struct bt_sandbox_fds *jail,
                      struct bt_host_process *process)
{
    int talk[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0) {
        return false;
    }
    process->talk_fd = move_fd(talk[0]);
    jail->talk = move_fd(talk[1]);
    if (!open_log(&process->log_fds[BT_HOST_STREAM_ERROR], &jail->errors) ||
        (!launch->stdio && !open_log(&process->log_fds[BT_HOST_STREAM_OUTPUT], &jail->output))) {
        return false;
    }
    jail->input = launch->stdio ? -1 : move_fd(script_fd(launch->script));
    /* Room for many frames in one write; where the system gives less, it works as well. */
    const int bytes = SOCKET_BYTES;
    (void)setsockopt(process->talk_fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    (void)setsockopt(jail->talk, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    return process->talk_fd >= 0 && jail->talk >= 0 && (launch->stdio || jail->input >= 0) &&
           fcntl(process->talk_fd, F_SETFL, O_NONBLOCK) == 0;
}

/* Fork with every signal blocked, so that none of our signal handlers ever runs in the child. The
 * child becomes the host, or with `guard` its guard. */
static pid_t fork_child(const struct bt_host_launch *launch, const struct bt_sandbox_fds *fds,
                        const struct bt_host_guard_fds *guard, pid_t group)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return -1;
    }
    const struct bt_host_jail_place place = {.parent = getpid(), .group = group};
    const pid_t pid = fork();
    if (pid == 0 && guard) {
        bt_host_guard_run(launch, guard);
    }
    if (pid == 0) {
        bt_sandbox_run_child(launch, fds, &place);
    }
    const int why = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return pid;
}

/* The guard comes first: the host joins its group. False leaves errno. */
static bool start_guard(const struct bt_host_launch *launch, const struct bt_sandbox_fds *fds,
                        struct bt_host_process *process)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    struct bt_host_guard_fds guard = {.pump = move_fd(ends[0]), .log = fds->errors};
    process->guard_fd = move_fd(ends[1]);
    process->guard_pid =
        guard.pump >= 0 && process->guard_fd >= 0 ? fork_child(launch, fds, &guard, 0) : -1;
    const int why = errno;
    close_fd(&guard.pump);
    errno = why;
    if (process->guard_pid < 0) {
        process->guard_pid = 0;
        return false;
    }
    (void)setpgid(process->guard_pid, process->guard_pid); /* the child does it too */
    return true;
}

/* Kill and reap everything that was started. */
static void end_processes(struct bt_host_process *process)
{
    bt_host_process_kill(process);
    if (process->pid > 0) {
        (void)waitpid(process->pid, NULL, 0);
    }
    if (process->guard_pid > 0) {
        (void)waitpid(process->guard_pid, NULL, 0);
    }
    process->pid = 0;
    process->guard_pid = 0;
}

static enum bt_status start_process(const struct bt_host_launch *launch, struct bt_sandbox_fds *fds,
                                    struct bt_host_process *process, struct bt_error *error)
{
    if (!open_ends(launch, fds, process)) {
        return bt_error_errno(error, "cannot open the channels of a host", NULL);
    }
    const bool is_guarded = start_guard(launch, fds, process);
    process->pid = is_guarded ? fork_child(launch, fds, NULL, process->guard_pid) : -1;
    if (process->pid < 0) {
        const int why = errno;
        process->pid = 0;
        end_processes(process);
        return bt_error_set(error, BT_EIO, "cannot start a process: %s", strerror(why));
    }
    /* The child does it too; either may be first. */
    (void)setpgid(process->pid, process->guard_pid);
    process->life_fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (process->life_fd < 0 ||
        write(process->guard_fd, &process->pid, sizeof(process->pid)) != sizeof(process->pid)) {
        const int why = errno;
        end_processes(process);
        return bt_error_set(error, BT_EIO, "cannot watch a process: %s", strerror(why));
    }
    return BT_OK;
}

enum bt_status bt_host_process_start(const struct bt_host_launch *launch,
                                     struct bt_host_process *out, struct bt_error *error)
{
    struct bt_host_process process = BT_PROCESS_NONE;
    struct bt_sandbox_fds fds = {
        .input = -1, .talk = -1, .output = -1, .errors = -1, .ruleset = -1, .failure = -1};
    if (!launch->use.no_new_privs || !launch->use.rlimits) {
        return bt_error_set(error, BT_EIO, "this system has no no_new_privs or no rlimits");
    }
    enum bt_status status = BT_OK;
    if (launch->use.landlock > 0) {
        status = bt_landlock_prepare(launch->use.landlock, &launch->grants, &fds.ruleset, error);
        fds.ruleset = status == BT_OK ? move_fd(fds.ruleset) : -1;
    }
    if (status == BT_OK) {
        status = start_process(launch, &fds, &process, error);
    }
    close_fd(&fds.input);
    close_fd(&fds.talk);
    close_fd(&fds.output);
    close_fd(&fds.errors);
    close_fd(&fds.ruleset);
    if (status != BT_OK) {
        bt_host_process_close(&process);
        return status;
    }
    *out = process;
    return BT_OK;
}

void bt_host_process_kill(const struct bt_host_process *process)
{
    if (process->guard_pid > 0) {
        (void)kill(-process->guard_pid, SIGKILL);
        (void)kill(process->guard_pid, SIGKILL); /* the group may not exist yet */
    }
    if (process->pid > 0) {
        (void)kill(process->pid, SIGKILL); /* it may not be in the group yet */
    }
}

bool bt_host_process_has_exited(const struct bt_host_process *process)
{
    assert(process->pid > 0);
    siginfo_t about = {.si_pid = 0};
    const int wait_result = waitid(P_PID, (id_t)process->pid, &about, WEXITED | WNOHANG | WNOWAIT);
    /* If another thread has reaped the child, its status is unknown. */
    return wait_result == 0 ? about.si_pid != 0 : errno == ECHILD;
}

struct bt_host_process_end bt_host_process_reap(struct bt_host_process *process)
{
    int how = 0;
    /* While the dead one and the guard are not waited for, their numbers and the group's cannot be
     * another's. */
    bt_host_process_kill(process);
    const bool known = waitpid(process->pid, &how, 0) == process->pid;
    process->pid = 0;
    end_processes(process);
    close_fd(&process->life_fd);
    close_fd(&process->talk_fd);
    return (struct bt_host_process_end){
        .code = known && WIFEXITED(how) ? WEXITSTATUS(how) : -1,
        .signal = known && WIFSIGNALED(how) ? WTERMSIG(how) : 0,
    };
}

void bt_host_process_close(struct bt_host_process *process)
{
    close_fd(&process->guard_fd);
    close_fd(&process->life_fd);
    close_fd(&process->talk_fd);
    close_fd(&process->log_fds[BT_HOST_STREAM_OUTPUT]);
    close_fd(&process->log_fds[BT_HOST_STREAM_ERROR]);
}
