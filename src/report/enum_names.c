/* SPDX-License-Identifier: Apache-2.0 */
/* enum_names.c - the words for severities, stages and fixes, in both directions. */
#include <baton/report.h>

#include <assert.h>

#include "base/ascii.h"

static const bt_str severity_names[] = {
    [BT_SEVERITY_NONE] = BT_STR_INIT(""),
    [BT_SEVERITY_INFO] = BT_STR_INIT("INFO"),
    [BT_SEVERITY_WARN] = BT_STR_INIT("WARN"),
    [BT_SEVERITY_HARD] = BT_STR_INIT("HARD"),
};

static const bt_str stage_names[] = {
    [BT_STAGE_NONE] = BT_STR_INIT(""),
    [BT_STAGE_READ] = BT_STR_INIT("read"),
    [BT_STAGE_SCHEMA] = BT_STR_INIT("schema"),
    [BT_STAGE_BUDGET] = BT_STR_INIT("budget"),
    [BT_STAGE_SEMANTICS] = BT_STR_INIT("semantics"),
    [BT_STAGE_GOVERNANCE] = BT_STR_INIT("governance"),
    [BT_STAGE_RECORD] = BT_STR_INIT("record"),
    [BT_STAGE_DELIVER] = BT_STR_INIT("deliver"),
};

static const bt_str fix_names[] = {
    [BT_FIX_NONE] = BT_STR_INIT(""),
    [BT_FIX_SAFE] = BT_STR_INIT("safe"),
    [BT_FIX_UNSAFE] = BT_STR_INIT("unsafe"),
};

enum {
    SEVERITY_COUNT = sizeof(severity_names) / sizeof(severity_names[0]),
    STAGE_COUNT = sizeof(stage_names) / sizeof(stage_names[0]),
    FIX_COUNT = sizeof(fix_names) / sizeof(fix_names[0]),
};

bt_str bt_severity_name(enum bt_severity severity)
{
    return (size_t)severity < SEVERITY_COUNT ? severity_names[severity] : BT_STR("");
}

bt_str bt_stage_name(enum bt_stage stage)
{
    return (size_t)stage < STAGE_COUNT ? stage_names[stage] : BT_STR("");
}

bt_str bt_fix_name(enum bt_fix fix)
{
    return (size_t)fix < FIX_COUNT ? fix_names[fix] : BT_STR("");
}

enum bt_status bt_severity_parse(bt_str text, enum bt_severity *out)
{
    static const bt_str words[SEVERITY_COUNT] = {
        [BT_SEVERITY_WARN] = BT_STR_INIT("warning"), [BT_SEVERITY_HARD] = BT_STR_INIT("error")};
    assert(out);
    for (size_t i = BT_SEVERITY_INFO; i < SEVERITY_COUNT; i++) {
        if (bt_ascii_equal_nocase(text, severity_names[i]) ||
            (words[i].len > 0 && bt_ascii_equal_nocase(text, words[i]))) {
            *out = (enum bt_severity)i;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}
