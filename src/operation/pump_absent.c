/* SPDX-License-Identifier: Apache-2.0 */
/* pump_absent.c - the operations of the pump in a build without it: each says so. */
#include "operation/pump.h"

static enum bt_status set_absent(struct bt_call *work)
{
    return bt_result_set_problem(work, BT_PROBLEM_NOT_IMPLEMENTED, BT_STR(""),
                                 "this build has no pump");
}

const struct bt_organism *bt_op_pump_organism(struct bt_call *work)
{
    (void)work;
    return NULL;
}

struct bt_control_client *bt_op_pump_connect(struct bt_call *work)
{
    (void)set_absent(work);
    return NULL;
}

bool bt_op_pump_query(struct bt_call *work, const char *method, bt_str params,
                      struct bt_control_result *out)
{
    (void)method;
    (void)params;
    (void)out;
    (void)set_absent(work);
    return false;
}

enum bt_status bt_op_pump_send(struct bt_call *work, const struct bt_judgement *message)
{
    (void)message;
    return set_absent(work);
}

#define ABSENT_OPERATION(name)                                                                     \
    enum bt_status name(struct bt_call *call, const struct bt_args *args)                          \
    {                                                                                              \
        (void)args;                                                                                \
        return set_absent(call);                                                                   \
    }
ABSENT_OPERATION(bt_op_pump_status)
ABSENT_OPERATION(bt_op_pump_list_listeners)
ABSENT_OPERATION(bt_op_pump_graph)
ABSENT_OPERATION(bt_op_pump_thread)
ABSENT_OPERATION(bt_op_pump_replies)
