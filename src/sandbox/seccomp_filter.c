/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_filter.c - the table of denied system calls, and the small compiler that turns it into a
 * seccomp program.
 *
 * A row denies a call completely, or unless one of its arguments has the right value. Calls that
 * are newer than this file do not exist for a host (ENOSYS), so a new kernel adds no new access.
 * What Landlock cannot restrict is denied here: modes, owners and times of files, other processes,
 * sockets with a path, memory shared by number. So is what only later versions of Landlock
 * restrict: version 1 does not cover truncating, devices and signals.
 */
#define _GNU_SOURCE
#include "sandbox/seccomp_filter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
/* cppcheck-suppress preprocessorErrorDirective ; it tries machines that are not supported */
#error "the sandbox knows the system calls of x86-64 and arm64 only"
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
/* Newer C libraries ask with it whether a descriptor is a terminal; <asm/termbits.h>, which has it,
 * cannot be included together with <sys/ioctl.h>. */
#define TCGETS2_REQUEST 0x802c542aU

/* The newest call that is known to be harmless: mseal (6.10). */
enum { YOUNGEST = 462 };

/* Numbers that are the same on every machine since 5.1; older headers lack some of them. */
enum {
    NR_IO_URING_SETUP = 425,
    NR_IO_URING_ENTER = 426,
    NR_IO_URING_REGISTER = 427,
    NR_OPEN_TREE = 428,
    NR_MOVE_MOUNT = 429,
    NR_FSOPEN = 430,
    NR_FSCONFIG = 431,
    NR_FSMOUNT = 432,
    NR_FSPICK = 433,
    NR_PIDFD_OPEN = 434,
    NR_CLONE3 = 435,
    NR_OPENAT2 = 437,
    NR_PIDFD_GETFD = 438,
    NR_PROCESS_MADVISE = 440,
    NR_MOUNT_SETATTR = 442,
    NR_QUOTACTL_FD = 443,
    NR_MEMFD_SECRET = 447,
    NR_PROCESS_MRELEASE = 448,
    NR_CACHESTAT = 451,
    NR_FCHMODAT2 = 452,
    NR_MAP_SHADOW_STACK = 453,
    NR_STATMOUNT = 457,
    NR_LISTMOUNT = 458,
    NR_LSM_GET_SELF_ATTR = 459,
    NR_LSM_SET_SELF_ATTR = 460,
};

/* The greatest command of fcntl() that is known to be harmless: F_SET_FILE_RW_HINT. */
enum { FCNTL_MAX = 1038 };

/* When a row denies. */
enum sandbox_filter_row_when {
    ALWAYS = 0,
    UNLESS_EXEC,
    UNLESS_NET,
    UNLESS_SIGNALS_SCOPED,   /* Landlock keeps signals inside */
    UNLESS_TRUNCATE_HANDLED, /* Landlock decides which files may be truncated */
};

/* The versions of Landlock that brought these. */
enum { LANDLOCK_HANDLES_TRUNCATE = 3, LANDLOCK_SCOPES_SIGNALS = 6 };

/* How the argument of a row is tested. */
enum sandbox_filter_row_test {
    NO_TEST = 0,   /* denied whatever the arguments are */
    DENY_EQUAL,    /* denied when the lower half of the argument, masked, is the value */
    DENY_OTHER,    /* denied when it is not */
    DENY_ABOVE,    /* denied when it is greater than the value */
    DENY_ANY_BIT,  /* denied when it has any bit of the value */
    DENY_NOT_NULL, /* denied when any bit of the whole argument is set */
};

struct sandbox_filter_row {
    int number;
    enum sandbox_filter_row_when when;
    enum sandbox_filter_row_test test;
    int argument;
    uint32_t mask;
    uint32_t value;
    int error; /* 0: EPERM */
};

#define NAMESPACES                                                                                 \
    ((uint32_t)(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |      \
                CLONE_NEWPID | CLONE_NEWNET | 0x80))

/* Denied always; denied unless the host has the right. */
#define NO(number_)                                                                                \
    {                                                                                              \
        .number = (number_)                                                                        \
    }
#define BUT(number_, when_)                                                                        \
    {                                                                                              \
        .number = (number_), .when = (when_)                                                       \
    }

#define NO_FCNTL(command_)                                                                         \
    {                                                                                              \
        .number = SYS_fcntl, .test = DENY_EQUAL, .argument = 1, .mask = UINT32_MAX,                \
        .value = (command_)                                                                        \
    }
/* Flags of open() that are denied together. */
#define NO_OPEN(number_, argument_, mask_, value_)                                                 \
    {                                                                                              \
        .number = (number_), .test = DENY_EQUAL, .argument = (argument_), .mask = (mask_),         \
        .value = (value_)                                                                          \
    }

/* clang-format off */
static const struct sandbox_filter_row rows[] = {
    /* Looking into other processes, and changing them. */
    NO(SYS_ptrace), NO(SYS_process_vm_readv), NO(SYS_process_vm_writev), NO(SYS_kcmp),
    BUT(NR_PIDFD_OPEN, UNLESS_EXEC), NO(NR_PIDFD_GETFD), NO(NR_PROCESS_MADVISE),
    NO(NR_PROCESS_MRELEASE), NO(SYS_migrate_pages), NO(SYS_move_pages), NO(SYS_get_robust_list),
    {.number = SYS_prlimit64, .test = DENY_OTHER, .argument = 0, .mask = UINT32_MAX, .value = 0},
    {.number = SYS_sched_setaffinity, .test = DENY_OTHER, .argument = 0, .mask = UINT32_MAX,
     .value = 0},
    NO(SYS_sched_setscheduler), NO(SYS_sched_setparam), NO(SYS_sched_setattr),
    {.number = SYS_setpriority, .test = DENY_OTHER, .argument = 0, .mask = UINT32_MAX, .value = 0},
    {.number = SYS_setpriority, .test = DENY_OTHER, .argument = 1, .mask = UINT32_MAX, .value = 0},
    NO(SYS_ioprio_set),
    /* Signals, where nothing else keeps them inside. */
    BUT(SYS_kill, UNLESS_SIGNALS_SCOPED), BUT(SYS_tkill, UNLESS_SIGNALS_SCOPED),
    BUT(SYS_tgkill, UNLESS_SIGNALS_SCOPED), BUT(SYS_rt_sigqueueinfo, UNLESS_SIGNALS_SCOPED),
    BUT(SYS_rt_tgsigqueueinfo, UNLESS_SIGNALS_SCOPED),
    BUT(SYS_pidfd_send_signal, UNLESS_SIGNALS_SCOPED),
    /* New processes; leaving the group that is killed as a whole; outliving the pump. The flags
     * of clone3() cannot be seen; who gets ENOSYS falls back to clone(). */
    {.number = NR_CLONE3, .error = ENOSYS},
    {.number = SYS_clone, .test = DENY_ANY_BIT, .argument = 0, .value = NAMESPACES | CLONE_PARENT},
    {.number = SYS_clone, .when = UNLESS_EXEC, .test = DENY_OTHER, .argument = 0,
     .mask = CLONE_THREAD, .value = CLONE_THREAD},
#if defined(SYS_fork)
    BUT(SYS_fork, UNLESS_EXEC), BUT(SYS_vfork, UNLESS_EXEC),
#endif
    NO(SYS_setsid), NO(SYS_setpgid),
    {.number = SYS_prctl, .test = DENY_EQUAL, .argument = 0, .mask = UINT32_MAX,
     .value = PR_SET_PDEATHSIG},
    BUT(SYS_execveat, UNLESS_EXEC), BUT(SYS_memfd_create, UNLESS_EXEC), NO(NR_MEMFD_SECRET),
    NO(SYS_personality),
    /* Namespaces and mounts. */
    NO(SYS_unshare), NO(SYS_setns), NO(SYS_mount), NO(SYS_umount2), NO(SYS_pivot_root),
    NO(SYS_chroot), NO(NR_OPEN_TREE), NO(NR_MOVE_MOUNT), NO(NR_FSOPEN), NO(NR_FSCONFIG),
    NO(NR_FSMOUNT), NO(NR_FSPICK), NO(NR_MOUNT_SETATTR), NO(NR_STATMOUNT), NO(NR_LISTMOUNT),
    /* Interfaces that have exposed the kernel. */
    NO(SYS_bpf), NO(SYS_perf_event_open), NO(SYS_userfaultfd), NO(NR_IO_URING_SETUP),
    NO(NR_IO_URING_ENTER), NO(NR_IO_URING_REGISTER), NO(SYS_init_module), NO(SYS_finit_module),
    NO(SYS_delete_module), NO(SYS_kexec_load),
#if defined(SYS_kexec_file_load)
    NO(SYS_kexec_file_load),
#endif
    NO(SYS_add_key), NO(SYS_request_key), NO(SYS_keyctl), NO(NR_LSM_GET_SELF_ATTR),
    NO(NR_LSM_SET_SELF_ATTR), NO(NR_MAP_SHADOW_STACK), NO(NR_CACHESTAT),
    /* The machine. */
    NO(SYS_reboot), NO(SYS_swapon), NO(SYS_swapoff), NO(SYS_acct), NO(SYS_syslog),
    NO(SYS_vhangup), NO(SYS_quotactl), NO(NR_QUOTACTL_FD), NO(SYS_sethostname),
    NO(SYS_setdomainname), NO(SYS_settimeofday), NO(SYS_clock_settime), NO(SYS_clock_adjtime),
    NO(SYS_adjtimex), NO(SYS_nfsservctl), NO(SYS_lookup_dcookie),
#if defined(__x86_64__)
    NO(SYS_iopl), NO(SYS_ioperm), NO(SYS_modify_ldt), NO(SYS_uselib), NO(SYS_ustat),
    NO(SYS_sysfs), NO(SYS__sysctl), NO(SYS_create_module), NO(SYS_get_kernel_syms),
    NO(SYS_query_module),
#endif
    /* What belongs to files but not to their content; Landlock does not look at it. */
#if defined(__x86_64__)
    NO(SYS_chmod), NO(SYS_chown), NO(SYS_lchown), NO(SYS_utime), NO(SYS_utimes),
    NO(SYS_futimesat), NO(SYS_inotify_init),
#endif
    NO(SYS_fchmod), NO(SYS_fchmodat), NO(NR_FCHMODAT2), NO(SYS_fchown), NO(SYS_fchownat),
    NO(SYS_utimensat), NO(SYS_setxattr), NO(SYS_lsetxattr), NO(SYS_fsetxattr),
    NO(SYS_removexattr), NO(SYS_lremovexattr), NO(SYS_fremovexattr),
    /* Opening with the access mode 3 needs no right of Landlock, on any file or device; O_TRUNC
     * without write access needs none in old versions. The flags of openat2() cannot be seen. */
#if defined(__x86_64__)
    NO_OPEN(SYS_open, 1, O_ACCMODE, O_ACCMODE), NO_OPEN(SYS_open, 1, O_ACCMODE | O_TRUNC, O_TRUNC),
#endif
    NO_OPEN(SYS_openat, 2, O_ACCMODE, O_ACCMODE),
    NO_OPEN(SYS_openat, 2, O_ACCMODE | O_TRUNC, O_TRUNC), {.number = NR_OPENAT2, .error = ENOSYS},
    BUT(SYS_truncate, UNLESS_TRUNCATE_HANDLED),
    /* Signals to the owner of a descriptor; leases and notices; commands that are younger. */
    NO_FCNTL(F_SETOWN), NO_FCNTL(F_SETOWN_EX), NO_FCNTL(F_SETSIG), NO_FCNTL(F_SETLEASE),
    NO_FCNTL(F_NOTIFY),
    {.number = SYS_fcntl, .test = DENY_ABOVE, .argument = 1, .value = FCNTL_MAX},
    /* Notifications about files of others; files without a path. */
    NO(SYS_inotify_init1), NO(SYS_inotify_add_watch), NO(SYS_fanotify_init),
    NO(SYS_fanotify_mark), NO(SYS_name_to_handle_at), NO(SYS_open_by_handle_at),
    /* Memory, queues and semaphores that are found by number or name. */
    NO(SYS_shmget), NO(SYS_shmat), NO(SYS_shmctl), NO(SYS_msgget), NO(SYS_msgsnd), NO(SYS_msgrcv),
    NO(SYS_msgctl), NO(SYS_semget), NO(SYS_semop), NO(SYS_semtimedop), NO(SYS_semctl),
    NO(SYS_mq_open), NO(SYS_mq_unlink), NO(SYS_mq_timedsend), NO(SYS_mq_timedreceive),
    NO(SYS_mq_notify),
    /* Sockets. Pairs are needed by event loops; those of datagrams could be pointed elsewhere. */
    {.number = SYS_socketpair, .test = DENY_OTHER, .argument = 0, .mask = UINT32_MAX,
     .value = AF_UNIX},
    {.number = SYS_socketpair, .test = DENY_EQUAL, .argument = 1, .mask = 0xf, .value = SOCK_DGRAM},
    {.number = SYS_socketpair, .test = DENY_EQUAL, .argument = 1, .mask = 0xf, .value = SOCK_RAW},
    BUT(SYS_connect, UNLESS_NET), BUT(SYS_bind, UNLESS_NET), BUT(SYS_listen, UNLESS_NET),
    BUT(SYS_accept, UNLESS_NET), BUT(SYS_accept4, UNLESS_NET),
    {.number = SYS_sendto, .when = UNLESS_NET, .test = DENY_NOT_NULL, .argument = 4},
};
/* clang-format on */

/* With `net`, the families that `socket` may make; Unix sockets would reach the control channel. */
static const uint32_t families[] = {AF_INET, AF_INET6, AF_NETLINK};

/* The requests of ioctl() that hosts need. All others are denied: they reach devices, attributes
 * of files and the owners of descriptors. */
static const uint32_t requests[] = {
    TCGETS, TCGETS2_REQUEST, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, FICLONE,
};
static const uint32_t requests_with_net[] = {
    TCGETS,       TCGETS2_REQUEST, TIOCGWINSZ,   FIONREAD,   FIONBIO,     FIOCLEX,
    FIONCLEX,     FICLONE,         SIOCATMARK,   TIOCOUTQ,   SIOCGIFNAME, SIOCGIFCONF,
    SIOCGIFFLAGS, SIOCGIFADDR,     SIOCGIFINDEX, SIOCGIFMTU,
};

static void add_instruction(struct bt_seccomp_filter *filter, struct sock_filter step)
{
    assert(filter->count < BT_FILTER_STEPS_MAX);
    filter->steps[filter->count++] = step;
}

static void put_load(struct bt_seccomp_filter *filter, size_t offset)
{
    add_instruction(filter,
                    (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void put_jump(struct bt_seccomp_filter *filter, unsigned how, uint32_t value, uint8_t hit,
                     uint8_t miss)
{
    add_instruction(
        filter, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | how | BPF_K), value, hit, miss));
}

static void put_return(struct bt_seccomp_filter *filter, uint32_t action)
{
    add_instruction(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static uint32_t build_errno_action(int error)
{
    return SECCOMP_RET_ERRNO | (uint32_t)(error ? error : EPERM);
}

static size_t lower_half(int argument)
{
    return offsetof(struct seccomp_data, args) + 8 * (size_t)argument;
}

/* The steps behind "it is this call": they deny, or go on with the number loaded again. */
static void put_test(struct bt_seccomp_filter *filter, const struct sandbox_filter_row *row)
{
    const size_t number = offsetof(struct seccomp_data, nr);
    const uint32_t deny = build_errno_action(row->error);
    switch (row->test) {
    case NO_TEST:
        put_return(filter, deny);
        return;
    case DENY_EQUAL:
    case DENY_OTHER:
        put_load(filter, lower_half(row->argument));
        add_instruction(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, row->mask));
        put_jump(filter, BPF_JEQ, row->value, row->test == DENY_EQUAL ? 0 : 1,
                 row->test == DENY_EQUAL ? 1 : 0);
        break;
    case DENY_ABOVE:
        put_load(filter, lower_half(row->argument));
        put_jump(filter, BPF_JGT, row->value, 0, 1);
        break;
    case DENY_ANY_BIT:
        put_load(filter, lower_half(row->argument));
        put_jump(filter, BPF_JSET, row->value, 0, 1);
        break;
    case DENY_NOT_NULL:
        put_load(filter, lower_half(row->argument));
        put_jump(filter, BPF_JEQ, 0, 0, 2);
        put_load(filter, lower_half(row->argument) + 4);
        put_jump(filter, BPF_JEQ, 0, 1, 0);
        break;
    }
    put_return(filter, deny);
    put_load(filter, number);
}

static void put_row(struct bt_seccomp_filter *filter, const struct sandbox_filter_row *row)
{
    const uint16_t jump = filter->count;
    put_jump(filter, BPF_JEQ, (uint32_t)row->number, 0, 0);
    put_test(filter, row);
    filter->steps[jump].jf = (uint8_t)(filter->count - jump - 1);
}

static bool is_row_active(const struct sandbox_filter_row *row,
                          const struct bt_seccomp_filter_options *options)
{
    switch (row->when) {
    case ALWAYS:
        return true;
    case UNLESS_EXEC:
        return !options->exec;
    case UNLESS_NET:
        return !options->net;
    case UNLESS_SIGNALS_SCOPED:
        return options->landlock < LANDLOCK_SCOPES_SIGNALS;
    case UNLESS_TRUNCATE_HANDLED:
        return options->landlock < LANDLOCK_HANDLES_TRUNCATE;
    }
    return true;
}

/* A call that is denied unless an argument has one of these values. */
struct sandbox_filter_exception {
    int number;
    int argument;
    const uint32_t *values;
    size_t count;
};

static void put_exception(struct bt_seccomp_filter *filter,
                          const struct sandbox_filter_exception *only)
{
    const uint8_t count = (uint8_t)only->count;
    put_jump(filter, BPF_JEQ, (uint32_t)only->number, 0, (uint8_t)(count + 3));
    put_load(filter, lower_half(only->argument));
    for (uint8_t i = 0; i < count; i++) {
        put_jump(filter, BPF_JEQ, only->values[i], (uint8_t)(count - i), 0);
    }
    put_return(filter, build_errno_action(EPERM));
    put_load(filter, offsetof(struct seccomp_data, nr));
}

/* Of netlink only what tells about addresses and routes: the rest lists the sockets of others. */
static void put_netlink(struct bt_seccomp_filter *filter)
{
    put_jump(filter, BPF_JEQ, SYS_socket, 0, 6);
    put_load(filter, lower_half(0));
    put_jump(filter, BPF_JEQ, AF_NETLINK, 0, 3);
    put_load(filter, lower_half(2));
    put_jump(filter, BPF_JEQ, NETLINK_ROUTE, 1, 0);
    put_return(filter, build_errno_action(EPERM));
    put_load(filter, offsetof(struct seccomp_data, nr));
}

void bt_seccomp_filter_make(struct bt_seccomp_filter *filter,
                            const struct bt_seccomp_filter_options *options)
{
    filter->count = 0;
    put_load(filter, offsetof(struct seccomp_data, arch));
    put_jump(filter, BPF_JEQ, NATIVE, 1, 0);
    put_return(filter, SECCOMP_RET_KILL_PROCESS);
    put_load(filter, offsetof(struct seccomp_data, nr));
    put_jump(filter, BPF_JGT, YOUNGEST, 0, 1); /* this also covers the calls of x32 */
    put_return(filter, build_errno_action(ENOSYS));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (is_row_active(&rows[i], options)) {
            put_row(filter, &rows[i]);
        }
    }
    const struct sandbox_filter_exception exceptions[] = {
        {SYS_socket, 0, families, options->net ? COUNT_OF(families) : 0},
        {SYS_ioctl, 1, options->net ? requests_with_net : requests,
         options->net ? COUNT_OF(requests_with_net) : COUNT_OF(requests)},
    };
    put_netlink(filter);
    for (size_t i = 0; i < COUNT_OF(exceptions); i++) {
        put_exception(filter, &exceptions[i]);
    }
    put_return(filter, SECCOMP_RET_ALLOW);
}

bool bt_seccomp_filter_enter(const struct bt_seccomp_filter *filter)
{
    struct bt_seccomp_filter copy =
        *filter; /* the kernel only reads it, but its type does not say so */
    const struct sock_fprog program = {.len = copy.count, .filter = copy.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}
