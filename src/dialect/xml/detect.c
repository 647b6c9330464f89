/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.c - is this a message of the pump?
 */
#include "dialect/xml/detect.h"

#include "xml/xml.h"

bool bt_message_recognise(bt_str content)
{
    const bool is_marked = bt_str_starts_with(content, BT_STR("\xef\xbb\xbf"));
    return bt_str_starts_with(bt_xml_trim(bt_str_slice(content, is_marked ? 3 : 0, content.len)),
                              BT_STR("<"));
}
