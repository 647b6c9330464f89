/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support.h - which mechanisms of the sandbox this kernel has.
 */
#ifndef BATON_SRC_SANDBOX_SUPPORT_H
#define BATON_SRC_SANDBOX_SUPPORT_H

#include <baton/base.h>

/*
 * The first two are demanded: without them no host is started. The others are used where they are;
 * a caller reports what is missing. To act as on a kernel that lacks one (--without), clear it here
 * before hosts are started: what is cleared is not used.
 */
struct bt_sandbox_support {
    bool no_new_privs; /* with it: closed descriptors, clean environment, own process group */
    bool rlimits;
    bool seccomp;
    uint32_t landlock; /* the version of its ABI; 0: absent */
};

/* Query the kernel. Changes nothing. */
void bt_sandbox_detect_support(struct bt_sandbox_support *out);

struct bt_emit; /* see json.h */

/* Put the member `sandbox`, which lists the mechanisms. */
void bt_sandbox_put(struct bt_emit *emit, const struct bt_sandbox_support *support);

#endif
