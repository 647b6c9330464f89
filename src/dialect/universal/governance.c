/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governance.c - stage governance: may this skill hand work to that one?
 */
#include "dialect/universal/stages.h"

enum bt_status bt_stage_governance(struct bt_handoff *handoff)
{
    (void)handoff;
    return BT_OK;
}
