/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.c - is this JSON text a governed handoff, or the answer to one?
 */
#include "dialect/governed/detect.h"

#include "json/peek.h"

bool bt_governed_recognise(bt_str content)
{
    /* What other documents are least likely to have comes first. */
    return bt_json_peek(content, BT_STR("source_agent")) != '\0' &&
           bt_json_peek(content, BT_STR("handoff_id")) != '\0';
}

bool bt_governed_recognise_response(bt_str content)
{
    return bt_json_peek(content, BT_STR("response_id")) != '\0' &&
           bt_json_peek(content, BT_STR("agent")) != '\0';
}
