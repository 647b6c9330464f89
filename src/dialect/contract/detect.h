/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - is this text the message of an agent?
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_DETECT_H
#define BATON_SRC_DIALECT_CONTRACT_DETECT_H

#include <baton/base.h>

/* Whether it has the opening line of a block. Takes no memory. */
bool bt_contract_recognise(bt_str content);

#endif
