/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - is this text a universal handoff?
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_DETECT_H
#define BATON_SRC_DIALECT_UNIVERSAL_DETECT_H

#include <baton/base.h>

/* Whether it looks like a JSON object whose member `handoff` is an object. Takes no memory. */
bool bt_universal_recognise(bt_str content);

#endif
