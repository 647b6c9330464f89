/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jail.c - what a child does between fork() and execve(), in the order of the steps below. A step
 * that fails ends the child, so no program runs with incomplete isolation.
 */
#define _GNU_SOURCE
#include "sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    EXIT_NOT_STARTED = 126,
    DESCRIPTORS_MAX = 64,
    SERVER_DESCRIPTORS_MAX = 1024,
    FILE_BYTES_MAX = 64 << 20,
    /* Of all processes and threads of the user; the system leaves root alone. */
    PROCESSES_MAX = 8192,
    CAPABILITIES_MAX = 64,
    SIGNALS_MAX = 64,
};

struct sandbox_jail_child {
    const struct bt_host_launch *launch;
    const struct bt_sandbox_fds *fds;
    const struct bt_host_jail_place *place;
};

typedef bool step_fn(const struct sandbox_jail_child *child);

static bool die_with_parent(const struct sandbox_jail_child *child)
{
    const int signal_number = child->launch->is_server ? SIGTERM : SIGKILL;
    return prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0) == 0 &&
           getppid() == child->place->parent;
}

static bool join_group(const struct sandbox_jail_child *child)
{
    return setpgid(0, child->place->group) == 0 || getpgrp() == child->place->group;
}

static bool forget_signals(const struct sandbox_jail_child *child)
{
    (void)child;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number <= SIGNALS_MAX; number++) {
        (void)sigaction(number, &usual, NULL); /* two of them cannot be set, some do not exist */
    }
    sigset_t none;
    (void)sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

static bool place_descriptors(const struct sandbox_jail_child *child)
{
    const struct bt_sandbox_fds *fds = child->fds;
    const bool stdio = child->launch->stdio;
    if (child->launch->is_server) {
        return dup2(fds->input, 0) == 0 && dup2(fds->output, 1) == 1;
    }
    return dup2(stdio ? fds->talk : fds->input, 0) == 0 &&
           dup2(stdio ? fds->talk : fds->output, 1) == 1 && dup2(fds->errors, 2) == 2 &&
           (stdio || dup2(fds->talk, 3) == 3);
}

/* Everything else goes when the program starts; the rule set is needed until then. */
static bool close_descriptors(const struct sandbox_jail_child *child)
{
    const unsigned first = child->launch->stdio || child->launch->is_server ? 3 : 4;
    const unsigned at_exec = 4; /* CLOSE_RANGE_CLOEXEC, since 5.11 */
    return syscall(SYS_close_range, first, ~0U, at_exec) == 0;
}

static bool enter_work(const struct sandbox_jail_child *child)
{
    if (!child->launch->is_server) { /* what a server writes is its user's */
        (void)umask(077);
    }
    return !child->launch->work || chdir(child->launch->work) == 0;
}

/* What root could regain at execve() is taken away first, then the user is changed. */
static bool drop_user(const struct sandbox_jail_child *child)
{
    for (unsigned long i = 0; i < CAPABILITIES_MAX; i++) {
        (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0); /* fails only where there is nothing to drop */
    }
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (!child->launch->drop_user) {
        return true;
    }
    const gid_t gid = child->launch->gid;
    const uid_t uid = child->launch->uid;
    return setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 &&
           setresuid(uid, uid, uid) == 0;
}

static bool drop_capabilities(const struct sandbox_jail_child *child)
{
    (void)child;
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    struct __user_cap_data_struct left[2];
    if (syscall(SYS_capset, &head, none) != 0 || syscall(SYS_capget, &head, left) != 0) {
        return false;
    }
    return left[0].permitted == 0 && left[1].permitted == 0;
}

/* Changing the user clears it, so it is said again; and a parent that died meanwhile is noticed. */
static bool no_new_privileges(const struct sandbox_jail_child *child)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && die_with_parent(child);
}

static bool set_resource_limit(int what, uint64_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) != 0) {
        return false;
    }
    const rlim_t bound = now.rlim_max < most ? now.rlim_max : (rlim_t)most;
    const struct rlimit both = {.rlim_cur = bound, .rlim_max = bound};
    return setrlimit((__rlimit_resource_t)what, &both) == 0;
}

static bool limit_resources(const struct sandbox_jail_child *child)
{
    const struct bt_host_launch *launch = child->launch;
    return (launch->memory_mb == 0 ||
            set_resource_limit(RLIMIT_AS, (uint64_t)launch->memory_mb << 20)) &&
           set_resource_limit(RLIMIT_NOFILE,
                              launch->is_server ? SERVER_DESCRIPTORS_MAX : DESCRIPTORS_MAX) &&
           set_resource_limit(RLIMIT_FSIZE, FILE_BYTES_MAX) && set_resource_limit(RLIMIT_CORE, 0) &&
           set_resource_limit(RLIMIT_NPROC, PROCESSES_MAX);
}

static bool enter_landlock(const struct sandbox_jail_child *child)
{
    return child->fds->ruleset < 0 || bt_landlock_enter(child->fds->ruleset);
}

static bool enter_filter(const struct sandbox_jail_child *child)
{
    return !child->launch->use.seccomp || bt_seccomp_filter_enter(&child->launch->filter);
}

static bool become_program(const struct sandbox_jail_child *child)
{
    const struct bt_host_launch *launch = child->launch;
    if (launch->serve) {
        (void)syscall(SYS_close_range, STDERR_FILENO + 1U, ~0U, 0U);
        _exit(launch->serve(launch->served, STDIN_FILENO, STDOUT_FILENO));
    }
    (void)execve(launch->program, launch->argv, launch->environment);
    return false;
}

static const struct sandbox_jail_step {
    const char *name;
    step_fn *take;
    bool confines; /* left out for a server without a sandbox */
} steps[] = {
    {"parent", die_with_parent, false},
    {"process group", join_group, false},
    {"signals", forget_signals, false},
    {"descriptors", place_descriptors, false},
    {"descriptors", close_descriptors, false},
    {"work directory", enter_work, false},
    {"user", drop_user, true},
    {"capabilities", drop_capabilities, true},
    {"no_new_privs", no_new_privileges, true},
    {"rlimits", limit_resources, true},
    {"landlock", enter_landlock, true},
    {"seccomp", enter_filter, true},
    {"program", become_program, false},
};

/* For the operator's log: "baton: sandbox: landlock: error 22". */
static void write_failure(int fd, const char *name, int why)
{
    char text[80] = "baton: sandbox: ";
    size_t size = strlen(text);
    for (size_t i = 0; name[i] && size < 50; i++) {
        text[size++] = name[i];
    }
    static const char between[] = ": error ";
    memcpy(text + size, between, sizeof(between) - 1);
    size += sizeof(between) - 1;
    for (int unit = 1000; unit > 0; unit /= 10) {
        text[size++] = (char)('0' + why / unit % 10);
    }
    text[size++] = '\n';
    (void)!write(fd, text, size);
}

/* Tell the parent which step failed. */
static void send_failure(int fd, const struct sandbox_jail_step *step, int why)
{
    struct bt_sandbox_failure failure = {.number = why, .is_program = step->take == become_program};
    for (size_t i = 0; step->name[i] && i + 1 < sizeof(failure.step); i++) {
        failure.step[i] = step->name[i];
    }
    (void)!write(fd, &failure, sizeof(failure));
}

void bt_sandbox_run_child(const struct bt_host_launch *launch, const struct bt_sandbox_fds *fds,
                          const struct bt_host_jail_place *place)
{
    const struct sandbox_jail_child child = {.launch = launch, .fds = fds, .place = place};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        errno = 0;
        if ((launch->is_open && steps[i].confines) || steps[i].take(&child)) {
            continue;
        }
        if (fds->failure >= 0) {
            send_failure(fds->failure, &steps[i], errno);
        } else {
            write_failure(fds->errors, steps[i].name, errno);
        }
        break;
    }
    _exit(EXIT_NOT_STARTED);
}
