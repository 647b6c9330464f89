/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - what is kept of a judgement until the report. */
#ifndef BATON_APP_CHECK_KEEP_H
#define BATON_APP_CHECK_KEEP_H

#include "report/report.h"

/*
 * Copy into the arena what a report needs of a judgement; its path stays where it is. The source is
 * kept for findings when `shows_source`. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status check_keep(struct bt_arena *arena, bool shows_source,
                                      struct bt_judgement *judged);

#endif
