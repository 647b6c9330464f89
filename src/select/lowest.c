/* SPDX-License-Identifier: Apache-2.0 */
/* lowest.c - levels and their names, and the lowest level of each rule, computed from its rows. */
#include "select/select.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/str.h"
#include "report/render.h"
#include "report/rules.h"

enum bt_status bt_select_level_parse(bt_str text, enum bt_select_level *out)
{
    enum bt_severity severity = BT_SEVERITY_NONE;
    assert(out);
    if (bt_ascii_equal_nocase(text, BT_STR("off"))) {
        *out = BT_SELECT_LEVEL_OFF;
        return BT_OK;
    }
    BT_TRY(bt_severity_parse(text, &severity));
    *out = bt_select_level_of(severity);
    return BT_OK;
}

bt_str bt_select_level_name(enum bt_select_level level)
{
    if (level == BT_SELECT_LEVEL_OFF) {
        return BT_STR("off");
    }
    return level == BT_SELECT_LEVEL_NONE ? BT_STR("")
                                         : bt_severity_name(bt_select_severity_of(level));
}

bt_str bt_select_level_word(enum bt_select_level level)
{
    return level <= BT_SELECT_LEVEL_OFF
               ? bt_select_level_name(level)
               : bt_str_of(bt_render_severity(bt_select_severity_of(level)));
}

bt_str bt_select_reason_name(enum bt_select_reason reason)
{
    static const char *const names[] = {
        [BT_SELECT_REASON_NONE] = "",         [BT_SELECT_REASON_SECURITY] = "security",
        [BT_SELECT_REASON_READ] = "read",     [BT_SELECT_REASON_GOVERNANCE] = "governance",
        [BT_SELECT_REASON_RECORD] = "record", [BT_SELECT_REASON_DELIVER] = "deliver",
        [BT_SELECT_REASON_PLAN] = "plan",     [BT_SELECT_REASON_SEAL] = "seal",
        [BT_SELECT_REASON_REPORT] = "report", [BT_SELECT_REASON_HARD] = "hard",
    };
    return (size_t)reason < BT_COUNT_OF(names) ? bt_str_of(names[reason]) : BT_STR("");
}

static bool has_security_row(unsigned code)
{
    for (size_t row = bt_rules_first[code]; row < bt_rules_first[code + 1]; row++) {
        if (bt_rules[row].security) {
            return true;
        }
    }
    return false;
}

/* Why a HARD rule of this stage is protected, or NONE. */
static enum bt_select_reason reason_of_stage(enum bt_stage stage)
{
    switch (stage) {
    case BT_STAGE_READ:
        return BT_SELECT_REASON_READ;
    case BT_STAGE_GOVERNANCE:
        return BT_SELECT_REASON_GOVERNANCE;
    case BT_STAGE_RECORD:
        return BT_SELECT_REASON_RECORD;
    case BT_STAGE_DELIVER:
        return BT_SELECT_REASON_DELIVER;
    case BT_STAGE_NONE:
    case BT_STAGE_SCHEMA:
    case BT_STAGE_BUDGET:
    case BT_STAGE_SEMANTICS:
        break;
    }
    return BT_SELECT_REASON_NONE;
}

/* Why a code is protected by its name, or NONE. */
static enum bt_select_reason reason_of_name(unsigned code)
{
    static const bt_str families[] = {BT_STR_INIT("CONFIG_"), BT_STR_INIT("YAML_"),
                                      BT_STR_INIT("IGNORE_"), BT_STR_INIT("BASELINE_")};
    switch (code) {
    case BT_CODE_PAYLOAD_UNTYPED:
    case BT_CODE_PAYLOAD_MISMATCH:
        return BT_SELECT_REASON_PLAN;
    case BT_CODE_PAYLOAD_SIZE_MISMATCH:
        return BT_SELECT_REASON_SEAL;
    case BT_CODE_GOVERNANCE_NOT_CHECKED:
    case BT_CODE_TOKENS_UNAVAILABLE:
        return BT_SELECT_REASON_REPORT;
    default:
        break;
    }
    for (size_t i = 0; i < BT_COUNT_OF(families); i++) {
        if (bt_str_starts_with(bt_code_name(code), families[i])) {
            return BT_SELECT_REASON_REPORT;
        }
    }
    return BT_SELECT_REASON_NONE;
}

struct bt_select_lowest bt_select_lowest(unsigned code)
{
    assert(code > BT_CODE_NONE && code < BT_CODE__MAX);
    const struct bt_rule *rule = &bt_rules[bt_rules_first[code]];
    const bool is_hard = rule->severity == BT_SEVERITY_HARD;
    enum bt_select_reason reason = BT_SELECT_REASON_NONE;
    if (rule->severity == BT_SEVERITY_NONE) {
        return (struct bt_select_lowest){0};
    }
    reason = has_security_row(code) ? BT_SELECT_REASON_SECURITY
             : is_hard              ? reason_of_stage(rule->stage)
                                    : BT_SELECT_REASON_NONE;
    reason = reason != BT_SELECT_REASON_NONE ? reason : reason_of_name(code);
    if (reason != BT_SELECT_REASON_NONE) {
        return (struct bt_select_lowest){bt_select_level_of(rule->severity), reason, true};
    }
    return is_hard ? (struct bt_select_lowest){BT_SELECT_LEVEL_WARN, BT_SELECT_REASON_HARD, false}
                   : (struct bt_select_lowest){BT_SELECT_LEVEL_OFF, BT_SELECT_REASON_NONE, false};
}
