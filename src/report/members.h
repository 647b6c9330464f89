/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - more members of a document in the JSON reports. */
#ifndef BATON_SRC_REPORT_MEMBERS_H
#define BATON_SRC_REPORT_MEMBERS_H

#include <baton/report.h>

#include "report/report.h"

/*
 * Add the member `name` with the value `json` to the extra members of a document, in the arena.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_judgement_add_member(struct bt_judgement *judged,
                                                   struct bt_arena *arena, const char *name,
                                                   bt_str json);

#endif
