/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - is this JSON text a governed handoff, or the answer to one?
 */
#ifndef BATON_SRC_DIALECT_GOVERNED_DETECT_H
#define BATON_SRC_DIALECT_GOVERNED_DETECT_H

#include <baton/base.h>

/* Whether the root object has handoff_id and source_agent. Takes no memory. */
bool bt_governed_recognise(bt_str content);
/* Whether it has response_id and agent. */
bool bt_governed_recognise_response(bt_str content);

#endif
