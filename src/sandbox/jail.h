/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jail.h - the child's side of starting a host.
 */
#ifndef BATON_SRC_SANDBOX_JAIL_H
#define BATON_SRC_SANDBOX_JAIL_H

#include <sys/types.h>

#include "sandbox/launch.h"

enum { BT_SANDBOX_STEP_BYTES = 20 };

/* The child's ends; all of them above 9, so that none stands where another must go. */
struct bt_sandbox_fds {
    int input;   /* becomes 0, unless frames go there */
    int talk;    /* becomes 3, or 0 and 1 */
    int output;  /* becomes 1, unless frames go there; -1 then */
    int errors;  /* becomes 2 */
    int ruleset; /* -1: no Landlock */
    int failure; /* gets a struct bt_sandbox_failure; -1: `errors` gets a line */
};

/* The step of the child that failed. */
struct bt_sandbox_failure {
    int number; /* errno */
    bool is_program;
    char step[BT_SANDBOX_STEP_BYTES];
};

/* Where the child stands among processes. */
struct bt_host_jail_place {
    pid_t parent; /* the process dies with it */
    pid_t group;  /* the process group to join */
};

/*
 * Runs in the new process, with every signal blocked: lock up, then become the program. Never
 * returns. Calls nothing that is not async-signal-safe, because other threads of the parent may
 * have held locks when it forked.
 */
_Noreturn void bt_sandbox_run_child(const struct bt_host_launch *launch,
                                    const struct bt_sandbox_fds *fds,
                                    const struct bt_host_jail_place *place);

#endif
