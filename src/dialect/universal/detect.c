/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.c - is this text a universal handoff?
 */
#include "dialect/universal/detect.h"

#include "json/peek.h"

bool bt_universal_recognise(bt_str content)
{
    return bt_json_peek(content, BT_STR("handoff")) == '{';
}
