/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "probes_inside.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

/* ---- Sockets ---- */

#define SOCKETS(name_, family_, type_)                                                             \
    static int name_(target_of t)                                                                  \
    {                                                                                              \
        (void)t;                                                                                   \
        return opened(socket(family_, (type_) | SOCK_CLOEXEC, 0));                                 \
    }

SOCKETS(tcp_socket, AF_INET, SOCK_STREAM)
SOCKETS(udp_socket, AF_INET, SOCK_DGRAM)
SOCKETS(tcp6_socket, AF_INET6, SOCK_STREAM)
SOCKETS(unix_socket, AF_UNIX, SOCK_STREAM)
SOCKETS(unix_datagram_socket, AF_UNIX, SOCK_DGRAM)
SOCKETS(netlink_socket, AF_NETLINK, SOCK_RAW)
SOCKETS(packet_socket, AF_PACKET, SOCK_RAW)
SOCKETS(raw_socket, AF_INET, SOCK_RAW)
SOCKETS(crypto_socket, AF_ALG, SOCK_SEQPACKET)
SOCKETS(machine_socket, AF_VSOCK, SOCK_STREAM)

/* Netlink can list the sockets of everybody, with their paths and peers. */
static int list_sockets(target_of t)
{
    (void)t;
    return opened(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
}

static int connect_to(int family, const void *address, size_t size)
{
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    const int result = answer(connect(fd, address, (socklen_t)size));
    (void)close(fd);
    return result;
}

static int connect_tcp(target_of t)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)t->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return connect_to(AF_INET, &address, sizeof(address));
}

static int listen_tcp(target_of t)
{
    (void)t;
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int result = fd < 0 ? errno : answer(bind(fd, (const void *)&address, sizeof(address)));
    (void)close(fd);
    return result;
}

static struct sockaddr_un unix_address(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    return address;
}

static int connect_control(target_of t)
{
    const struct sockaddr_un address = unix_address(t->control);
    return connect_to(AF_UNIX, &address, sizeof(address));
}

static int connect_abstract(target_of t)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", t->abstract);
    return connect_to(AF_UNIX, &address,
                      offsetof(struct sockaddr_un, sun_path) + 1 + strlen(t->abstract));
}

/* A pair of datagram sockets is connected, but can be pointed elsewhere. */
static int turn_a_pair_around(target_of t)
{
    int pair[2];
    const struct sockaddr_un address = unix_address(t->datagram);
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return errno;
    }
    const ssize_t sent = sendto(pair[0], "x", 1, 0, (const void *)&address, sizeof(address));
    const int result = answer(sent);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return result;
}

static int connect_a_pair(target_of t)
{
    int pair[2];
    const struct sockaddr_un address = unix_address(t->control);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return errno;
    }
    const int result = answer(connect(pair[0], (const void *)&address, sizeof(address)));
    (void)close(pair[0]);
    (void)close(pair[1]);
    return result;
}

/* ---- Other processes ---- */

static int signal_other(target_of t)
{
    return answer(kill(t->pid, 0));
}

static int signal_parent(target_of t)
{
    (void)t;
    return answer(kill(getppid(), 0));
}

static int signal_thread_of_other(target_of t)
{
    return answer(syscall(SYS_tgkill, t->pid, t->pid, 0));
}

static int signal_by_descriptor(target_of t)
{
    const int fd = (int)syscall(SYS_pidfd_open, t->pid, 0);
    if (fd < 0) {
        return errno;
    }
    const int result = answer(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
    (void)close(fd);
    return result;
}

static int take_descriptor_of_other(target_of t)
{
    const int fd = (int)syscall(SYS_pidfd_open, t->pid, 0);
    if (fd < 0) {
        return errno;
    }
    const int result = opened((int)syscall(438 /* pidfd_getfd */, fd, 0, 0));
    (void)close(fd);
    return result;
}

static int trace_other(target_of t)
{
    const int result = answer(ptrace(PTRACE_ATTACH, t->pid, NULL, NULL));
    if (result == 0) {
        (void)waitpid(t->pid, NULL, 0);
        (void)ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
    }
    return result;
}

static int offer_to_be_traced(target_of t)
{
    (void)t;
    return answer(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int read_memory_of_other(target_of t)
{
    char byte;
    const struct iovec here = {.iov_base = &byte, .iov_len = 1};
    /* The target was forked from the test, so the address is good there. */
    const struct iovec there = {.iov_base = (void *)(uintptr_t)environ, .iov_len = 1};
    return answer(process_vm_readv(t->pid, &here, 1, &there, 1, 0));
}

static int write_memory_of_other(target_of t)
{
    char byte = 0;
    const struct iovec here = {.iov_base = &byte, .iov_len = 0};
    return answer(process_vm_writev(t->pid, &here, 1, &here, 1, 0));
}

static int compare_with_other(target_of t)
{
    return answer(syscall(SYS_kcmp, t->pid, t->pid, 0, 0, 0));
}

static int limit_other(target_of t)
{
    struct rlimit limit;
    return answer(prlimit(t->pid, RLIMIT_NOFILE, NULL, &limit));
}

static int slow_other_down(target_of t)
{
    return answer(setpriority(PRIO_PROCESS, (id_t)t->pid, 0));
}

static int bind_other_to_processor(target_of t)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        return EBADF;
    }
    return answer(sched_setaffinity(t->pid, sizeof(set), &set));
}

static int schedule_other(target_of t)
{
    const struct sched_param usual = {0};
    return answer(sched_setscheduler(t->pid, SCHED_OTHER, &usual));
}

/* ---- Own process ---- */

static int born(long pid)
{
    const int why = errno;
    if (pid == 0) {
        _exit(0);
    }
    if (pid > 0) {
        (void)waitpid((pid_t)pid, NULL, 0);
    }
    return pid < 0 ? why : 0;
}

static int fork_once(target_of t)
{
    (void)t;
    return born(fork());
}

static int clone_process(target_of t)
{
    (void)t;
    return born(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
}

/* A child of the pump, which does not know that it has to wait for it. */
static int clone_sibling(target_of t)
{
    (void)t;
    return born(syscall(SYS_clone, SIGCHLD | CLONE_PARENT, NULL, NULL, NULL, 0));
}

static int clone_in_new_user_namespace(target_of t)
{
    (void)t;
    return born(syscall(SYS_clone, SIGCHLD | CLONE_NEWUSER, NULL, NULL, NULL, 0));
}

static int clone_by_new_call(target_of t)
{
    (void)t;
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    } arguments = {.exit_signal = SIGCHLD};
    return born(syscall(435 /* clone3 */, &arguments, sizeof(arguments)));
}

static int leave_group(target_of t)
{
    (void)t;
    return answer(setsid());
}

static int change_group(target_of t)
{
    (void)t;
    return answer(setpgid(0, 0));
}

static int outlive_the_pump(target_of t)
{
    (void)t;
    return answer(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
}

static int run_program(target_of t)
{
    (void)t;
    const char *const words[] = {"true", NULL};
    return answer(execve("/bin/true", (char *const *)(uintptr_t)words, NULL));
}

static int run_program_by_descriptor(target_of t)
{
    (void)t;
    const char *const words[] = {"true", NULL};
    const int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
    const int result =
        fd < 0 ? EBADF : answer(fexecve(fd, (char *const *)(uintptr_t)words, environ));
    (void)close(fd);
    return result;
}

static int make_program_in_memory(target_of t)
{
    (void)t;
    return opened((int)syscall(SYS_memfd_create, "probe", 1U));
}

static int become_other_user(target_of t)
{
    (void)t;
    return answer(setresuid(54321, 54321, 54321));
}

static int become_other_group(target_of t)
{
    (void)t;
    return answer(setresgid(54321, 54321, 54321));
}

static int has_capabilities(target_of t)
{
    (void)t;
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &head, data) != 0) {
        return errno;
    }
    return data[0].permitted != 0 ? 0 : EPERM;
}

static int may_gain_privileges(target_of t)
{
    (void)t;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : EPERM;
}

static int raise_limits(target_of t)
{
    (void)t;
    const struct rlimit low = {0};
    const struct rlimit high = {.rlim_cur = 0, .rlim_max = 4096};
    return setrlimit(RLIMIT_CORE, &low) != 0 ? EBADF : answer(setrlimit(RLIMIT_CORE, &high));
}

static int take_much_memory(target_of t)
{
    (void)t;
    const size_t size = (size_t)2 << 30;
    void *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return errno;
    }
    (void)munmap(memory, size);
    return 0;
}

static int open_many_descriptors(target_of t)
{
    (void)t;
    int made[100];
    int count = 0;
    while (count < 100 && (made[count] = dup(0)) >= 0) {
        count++;
    }
    const int why = errno;
    for (int i = 0; i < count; i++) {
        (void)close(made[i]);
    }
    return count < 100 ? why : 0;
}

/* The test leaves one open on purpose. */
static int inherited_descriptors(target_of t)
{
    (void)t;
    for (int fd = 4; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            return 0;
        }
    }
    return EBADF;
}

static int inherited_environment(target_of t)
{
    (void)t;
    return getenv("BATON_PROBE_SECRET") ? 0 : ENOENT;
}

/* clang-format off */
const struct probe probes_of_world[] = {
    S(tcp_socket), S(udp_socket), S_BUT(tcp6_socket, BUILT), S(unix_socket),
    S(unix_datagram_socket), S(netlink_socket), S_BUT(list_sockets, BUILT),
    S_BUT(packet_socket, ROOT),
    R_BUT(raw_socket, ROOT), R(crypto_socket), R(machine_socket), S(connect_tcp), S(listen_tcp),
    S(connect_control), S(connect_abstract), S(turn_a_pair_around), R(connect_a_pair),
    S(signal_other), S(signal_parent), S(signal_thread_of_other), S(signal_by_descriptor),
    S_BUT(take_descriptor_of_other, "a guarded system refuses it"),
    S_BUT(trace_other, "a guarded system refuses it"), S(offer_to_be_traced),
    R(read_memory_of_other), S_BUT(write_memory_of_other, "a guarded system refuses it"),
    S_BUT(compare_with_other, BUILT), S(limit_other), S(slow_other_down),
    S(bind_other_to_processor), S(schedule_other),
    S(fork_once), S(clone_process), S(clone_sibling), S_BUT(clone_in_new_user_namespace, BUILT),
    S(clone_by_new_call), S(leave_group), S(change_group), S(outlive_the_pump), S(run_program),
    S(run_program_by_descriptor), S(make_program_in_memory), S_BUT(become_other_user, ROOT),
    S_BUT(become_other_group, ROOT), S_BUT(has_capabilities, ROOT), S(may_gain_privileges),
    S_BUT(raise_limits, ROOT), S(take_much_memory), S(open_many_descriptors),
    S(inherited_descriptors), S(inherited_environment),
};
/* clang-format on */

const size_t probes_of_world_count = sizeof(probes_of_world) / sizeof(probes_of_world[0]);
