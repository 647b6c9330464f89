/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h - the table of problems, and how one is written (RFC 9457). */
#ifndef BATON_SRC_OPERATION_PROBLEM_H
#define BATON_SRC_OPERATION_PROBLEM_H

#include <baton/json.h>
#include <baton/report.h>

#include "operation/problem_ids.h"
#include "operation/status.h"

/* The texts of a problem; `baton explain` says more. */
struct bt_problem_row {
    bt_str code;
    unsigned status; /* of HTTP */
    bt_str title;
    bt_str detail; /* one sentence that reveals nothing to an unauthenticated caller */
};

extern const struct bt_problem_row bt_problems[BT_PROBLEM__MAX];

/* What is written about one request. */
struct bt_problem_details {
    enum bt_problem problem; /* none: a finding */
    bt_str code;             /* of the problem or of the finding; it needs no escapes */
    unsigned status;
    bt_str title;
    bt_str detail;
    const char *request_id;             /* NULL: there is no member `instance` */
    const struct bt_findings *findings; /* NULL: none are listed */
    bt_str members;                     /* further members without a comma at either end, or "" */
    bt_str record;                      /* where a refusal is recorded: a JSON object, or "" */
};

/* Put the object. Unavailability says whether anything was recorded. */
void bt_problem_put(struct bt_buf *buf, const struct bt_problem_details *details);
/* Put a problem whose detail says more than that of its row. */
void bt_problem_put_detail(struct bt_buf *buf, enum bt_problem problem, bt_str detail);
/* Put the object of a row of the table; `request_id` may be NULL, and `members` "". */
void bt_problem_put_row(struct bt_buf *buf, enum bt_problem problem, const char *request_id,
                        bt_str members);
/* Put a row as concise problem details in CBOR (RFC 9290); `detail` may say more than the row, or
 * be "". */
void bt_problem_put_concise(struct bt_buf *buf, enum bt_problem problem, bt_str detail);
/*
 * Put the member `findings` with one finding about a request: a problem, an RFC 6901 pointer, a
 * sentence, and params, a JSON object or "".
 */
void bt_problem_put_finding(struct bt_buf *buf, enum bt_problem problem, bt_str pointer,
                            bt_str message, bt_str params);

#endif
