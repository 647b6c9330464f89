/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "probes_inside.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* ---- The kernel ---- */

/* A call with arguments that do no harm: outside the kernel complains about them, or does it. */
#define CALLS(name_, ...)                                                                          \
    static int name_(target_of t)                                                                  \
    {                                                                                              \
        (void)t;                                                                                   \
        return answer(syscall(__VA_ARGS__));                                                       \
    }

CALLS(call_io_uring_setup, 425, 0, NULL)
CALLS(call_io_uring_enter, 426, -1, 0, 0, 0, NULL, 0)
CALLS(call_io_uring_register, 427, -1, 0, NULL, 0)
CALLS(call_bpf, SYS_bpf, -1, NULL, 0)
CALLS(call_perf_event_open, SYS_perf_event_open, NULL, 0, -1, -1, 0)
CALLS(call_userfaultfd, SYS_userfaultfd, -1)
CALLS(call_keyctl, SYS_keyctl, 0, -3, 0)
CALLS(call_add_key, SYS_add_key, "user", NULL, NULL, 0, -3)
CALLS(call_request_key, SYS_request_key, "user", "baton", NULL, 0)
CALLS(call_mount, SYS_mount, NULL, NULL, NULL, 0, NULL)
CALLS(call_umount, SYS_umount2, "/nowhere", 0)
CALLS(call_pivot_root, SYS_pivot_root, "/nowhere", "/nowhere")
CALLS(call_chroot, SYS_chroot, "/nowhere")
CALLS(call_unshare_user, SYS_unshare, CLONE_NEWUSER)
CALLS(call_unshare_mounts, SYS_unshare, CLONE_NEWNS)
CALLS(call_unshare_network, SYS_unshare, CLONE_NEWNET)
CALLS(call_setns, SYS_setns, -1, 0)
CALLS(call_fsopen, 430, NULL, 0)
CALLS(call_open_tree, 428, -1, NULL, 0)
CALLS(call_move_mount, 429, -1, NULL, -1, NULL, 0)
CALLS(call_mount_setattr, 442, -1, NULL, 0, NULL, 0)
CALLS(call_init_module, SYS_init_module, NULL, 0, NULL)
CALLS(call_finit_module, SYS_finit_module, -1, NULL, 0)
CALLS(call_delete_module, SYS_delete_module, NULL, 0)
CALLS(call_kexec_load, SYS_kexec_load, 0, 17, NULL, 0)
CALLS(call_reboot, SYS_reboot, 0, 0, 0, NULL)
CALLS(call_swapon, SYS_swapon, NULL, 0)
CALLS(call_swapoff, SYS_swapoff, NULL)
CALLS(call_syslog, SYS_syslog, 10, NULL, 0)
CALLS(call_acct, SYS_acct, "/nowhere")
CALLS(call_quotactl, SYS_quotactl, -1, NULL, 0, NULL)
CALLS(call_sethostname, SYS_sethostname, NULL, -1)
CALLS(call_settimeofday, SYS_settimeofday, -1L, NULL)
CALLS(call_clock_settime, SYS_clock_settime, 0, NULL)
CALLS(call_fanotify, SYS_fanotify_init, -1, 0)
CALLS(call_personality, SYS_personality, -1)
CALLS(call_shmget, SYS_shmget, 0x62746e, 0, 0)
CALLS(call_msgget, SYS_msgget, 0x62746e, 0)
CALLS(call_semget, SYS_semget, 0x62746e, 1, 0)
CALLS(call_mq_open, SYS_mq_open, "baton-none", 0, 0, NULL)
CALLS(call_process_madvise, 440, -1, NULL, 0, 0, 0)
CALLS(call_migrate_pages, SYS_migrate_pages, -1, 0, NULL, NULL)
CALLS(call_of_tomorrow, 900)
CALLS(call_of_x32, 0x40000000 | SYS_getpid)
#if defined(__x86_64__)
CALLS(call_iopl, SYS_iopl, 4)
CALLS(call_modify_ldt, SYS_modify_ldt, 0, NULL, 0)
#endif

static int type_for_others(target_of t)
{
    (void)t;
    return answer(ioctl(0, TIOCSTI, "x"));
}

/* clang-format off */
const struct probe probes_of_kernel[] = {
    R_BUT(call_io_uring_setup, BUILT), R_BUT(call_io_uring_enter, BUILT),
    R_BUT(call_io_uring_register, BUILT), R_BUT(call_bpf, BUILT),
    R_BUT(call_perf_event_open, BUILT), R_BUT(call_userfaultfd, BUILT), R_BUT(call_keyctl, BUILT),
    R_BUT(call_add_key, BUILT), R_BUT(call_request_key, BUILT), R_BUT(call_mount, ROOT),
    R_BUT(call_umount, ROOT), R_BUT(call_pivot_root, ROOT), R(call_chroot),
    R_BUT(call_unshare_user, BUILT), R_BUT(call_unshare_mounts, ROOT),
    R_BUT(call_unshare_network, ROOT), R(call_setns), R_BUT(call_fsopen, ROOT), R(call_open_tree),
    R_BUT(call_move_mount, ROOT), R_BUT(call_mount_setattr, ROOT), R_BUT(call_init_module, BUILT),
    R_BUT(call_finit_module, BUILT), R_BUT(call_delete_module, BUILT),
    R_BUT(call_kexec_load, BUILT), R_BUT(call_reboot, ROOT), R_BUT(call_swapon, ROOT),
    R_BUT(call_swapoff, ROOT), R_BUT(call_syslog, ROOT), R_BUT(call_acct, ROOT),
    R_BUT(call_quotactl, BUILT), R_BUT(call_sethostname, ROOT), R_BUT(call_settimeofday, ROOT),
    R_BUT(call_clock_settime, ROOT), R_BUT(call_fanotify, ROOT), R(call_personality),
    R_BUT(call_shmget, BUILT), R_BUT(call_msgget, BUILT), R_BUT(call_semget, BUILT),
    R_BUT(call_mq_open, BUILT), R(call_process_madvise), R_BUT(call_migrate_pages, BUILT),
    R_BUT(call_of_tomorrow, "no kernel has it yet"),
    R_BUT(call_of_x32, "kernels are built without it"),
#if defined(__x86_64__)
    R_BUT(call_iopl, BUILT), R_BUT(call_modify_ldt, BUILT),
#endif
    R(type_for_others),
};
/* clang-format on */

const size_t probes_of_kernel_count = sizeof(probes_of_kernel) / sizeof(probes_of_kernel[0]);
