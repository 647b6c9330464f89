/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.c - is this text the message of an agent?
 */
#include "dialect/contract/detect.h"

#include "dialect/contract/contract_check.h"

bool bt_contract_recognise(bt_str content)
{
    return bt_fence_opens(content, BT_CONTRACT_TAG);
}
