/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - is this a message of the pump?
 */
#ifndef BATON_SRC_DIALECT_XML_DETECT_H
#define BATON_SRC_DIALECT_XML_DETECT_H

#include <baton/base.h>

/* Whether the first byte that is not blank is a `<`. */
bool bt_message_recognise(bt_str content);

#endif
