/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - the program that an agent host would run for a hook. */
#ifndef BATON_APP_HOOK_PROGRAM_H
#define BATON_APP_HOOK_PROGRAM_H

#include <baton/base.h>

struct hook_program {
    bt_str name;   /* as the command has it */
    bt_str path;   /* where it was found; "": not found, or not executable */
    bool is_same;  /* it is the program that runs now */
    bt_str own;    /* the path of the program that runs now; "": unknown */
    bt_str folder; /* of `own` */
};

/*
 * Look a program up like a shell: in PATH, or by its path, relative to `folder` ("": the current
 * directory). BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status hook_program_find(struct bt_arena *arena, bt_str name, bt_str folder,
                                             struct hook_program *out);

#endif
