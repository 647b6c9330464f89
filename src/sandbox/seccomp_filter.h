/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_filter.h - which system calls a host may make, as a program for the kernel's seccomp
 * filter.
 */
#ifndef BATON_SRC_SANDBOX_SECCOMP_FILTER_H
#define BATON_SRC_SANDBOX_SECCOMP_FILTER_H

#include <linux/filter.h>

#include <baton/base.h>

enum { BT_FILTER_STEPS_MAX = 512 };

struct bt_seccomp_filter {
    struct sock_filter steps[BT_FILTER_STEPS_MAX];
    uint16_t count;
};

struct bt_seccomp_filter_options {
    bool net;          /* sockets of the internet families may be made */
    bool exec;         /* processes may be made */
    uint32_t landlock; /* version that restricts the host as well; the filter does the rest */
};

/* Write the program. */
void bt_seccomp_filter_make(struct bt_seccomp_filter *filter,
                            const struct bt_seccomp_filter_options *options);

/* Put the calling thread under the filter, for ever; async-signal-safe. False leaves errno. */
BT_MUST_USE bool bt_seccomp_filter_enter(const struct bt_seccomp_filter *filter);

#endif
