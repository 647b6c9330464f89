/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - the list behind struct bt_findings, for the files of this folder.
 */
#ifndef BATON_SRC_REPORT_FINDINGS_H
#define BATON_SRC_REPORT_FINDINGS_H

#include <baton/report.h>

struct bt_findings {
    struct bt_arena *arena;
    struct bt_finding **items; /* pointers, so that growing and sorting move little */
    size_t count;
    size_t capacity;
    bool finished;
};

#endif
