/* SPDX-License-Identifier: Apache-2.0 */
/* record_absent.c - what recording asks of a policy, in the core profile, which records nothing. */
#include "operation/operation.h"

enum bt_status bt_op_policy(struct bt_arena *arena, const struct bt_worker *service,
                            const struct bt_check_request *request, struct bt_policy *out)
{
    (void)arena;
    (void)service;
    (void)request;
    *out = (struct bt_policy){.text = BT_STR(""), .sha256 = BT_STR("")};
    return BT_OK;
}

bool bt_op_request_tightens(struct bt_call *work, struct bt_check_request *request, bt_str name,
                            const struct bt_arg *value)
{
    (void)work;
    (void)request;
    (void)name;
    (void)value;
    return true;
}
