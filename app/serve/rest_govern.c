/* SPDX-License-Identifier: Apache-2.0 */
/* rest_govern.c - blocked agents of governed handoffs, for operators. */
#include "serve/rest.h"

static enum bt_status list_blocked_agents(struct serve_rest *rest)
{
    return bt_op_blocked(&rest->work);
}

static enum bt_status find_path(struct serve_rest *rest)
{
    return bt_op_path(&rest->work, rest_text(rest, "from"), rest_text(rest, "to"));
}

static enum bt_status verify_root(struct serve_rest *rest)
{
    return bt_op_verify_root(&rest->work);
}

static enum bt_status unblock_agent(struct serve_rest *rest)
{
    return bt_op_unblock(&rest->work, rest_text(rest, "agent"), rest_text(rest, "reason"));
}

const struct serve_handler govern_handlers[] = {
    {BT_OPERATION_GOVERNED_LIST_BLOCKED, 0, .run = list_blocked_agents},
    {BT_OPERATION_GOVERNED_FIND_PATH, 0, .run = find_path},
    {BT_OPERATION_GOVERNED_VERIFY_ROOT, 0, .run = verify_root},
    {BT_OPERATION_GOVERNED_UNBLOCK, 0, .run = unblock_agent},
    {.run = NULL},
};
