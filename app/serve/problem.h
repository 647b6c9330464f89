/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h - the table of problems (RFC 9457): why a request could not be served. */
#ifndef BATON_APP_SERVE_PROBLEM_H
#define BATON_APP_SERVE_PROBLEM_H

#include <baton/base.h>

/* One problem; never a finding. `baton explain` knows the codes. */
struct bt_problem {
    const char *code;
    unsigned status;
    const char *title;
    const char *detail; /* one sentence that reveals nothing to an unauthenticated caller */
};

/* The problem with this code, or NULL. */
const struct bt_problem *problem_named(bt_str code);
/* The problem at `index`, NULL after the last. */
const struct bt_problem *problem_at(size_t index);

#endif
