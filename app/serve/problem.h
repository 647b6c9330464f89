/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem.h - what the server says instead of what was asked for (RFC 9457).
 */
#ifndef BATON_APP_SERVE_PROBLEM_H
#define BATON_APP_SERVE_PROBLEM_H

#include <baton/base.h>

/* What is told instead of what was asked for; never a finding. `baton explain` knows the codes. */
struct bt_problem {
    const char *code;
    unsigned status;
    const char *title;
    const char *detail; /* one sentence that tells a stranger nothing */
};

/* NULL when there is none of this code. */
const struct bt_problem *problem_named(bt_str code);
/* All of them: the one at `index`, NULL after the last. */
const struct bt_problem *problem_at(size_t index);

#endif
