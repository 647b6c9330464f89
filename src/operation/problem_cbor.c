/* SPDX-License-Identifier: Apache-2.0 */
/* problem_cbor.c - a problem as concise problem details (RFC 9290), for the paths of SCITT. */
#include "cbor/cbor.h"
#include "operation/problem.h"

enum { TITLE = -1, DETAIL = -2 };

void bt_problem_put_concise(struct bt_buf *buf, enum bt_problem problem, bt_str detail)
{
    const struct bt_problem_row *row = &bt_problems[problem];
    bt_cbor_put_head(buf, BT_CBOR_MAP, 2);
    bt_cbor_put_integer(buf, TITLE);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, row->title);
    bt_cbor_put_integer(buf, DETAIL);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, detail.len > 0 ? detail : row->detail);
}
