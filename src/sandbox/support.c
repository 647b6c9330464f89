/* SPDX-License-Identifier: Apache-2.0 */
/* support.c - query what the kernel supports. */
#define _GNU_SOURCE
#include "sandbox/support.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <baton/json.h>

#include "json/emit.h"
#include "sandbox/landlock.h"

void bt_sandbox_detect_support(struct bt_sandbox_support *out)
{
    const uint32_t action = SECCOMP_RET_ERRNO;
    struct rlimit limit;
    *out = (struct bt_sandbox_support){
        .no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) >= 0,
        .rlimits = getrlimit(RLIMIT_AS, &limit) == 0,
        .seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0,
        .landlock = bt_landlock_abi(),
    };
}

void bt_sandbox_put(struct bt_emit *emit, const struct bt_sandbox_support *support)
{
    bt_emit_member_object(emit, "sandbox");
    bt_emit_member_bool(emit, "no_new_privs", support->no_new_privs);
    bt_emit_member_bool(emit, "rlimits", support->rlimits);
    bt_emit_member_bool(emit, "seccomp", support->seccomp);
    bt_emit_member_u64(emit, "landlock", support->landlock);
    bt_emit_end(emit);
}
