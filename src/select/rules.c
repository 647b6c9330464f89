/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - maps of codes and prefixes to levels, resolved to one level for each code. */
#include <assert.h>

#include "report/rules.h"
#include "select/select.h"

static bool is_finding(unsigned code)
{
    return bt_rules[bt_rules_first[code]].severity != BT_SEVERITY_NONE;
}

/* Codes are sorted, so those that begin with a prefix are neighbours. */
static enum bt_status find_prefix(bt_str prefix, struct bt_select_codes *out)
{
    unsigned first = BT_CODE__MAX;
    unsigned end = BT_CODE_NONE;
    for (unsigned code = BT_CODE_NONE + 1; code < BT_CODE__MAX; code++) {
        if (bt_str_starts_with(bt_code_name(code), prefix) && is_finding(code)) {
            first = code < first ? code : first;
            end = code + 1;
        }
    }
    if (first == BT_CODE__MAX) {
        return BT_ENOENT;
    }
    *out = (struct bt_select_codes){first, end, prefix.len};
    return BT_OK;
}

enum bt_status bt_select_find_codes(bt_str name, struct bt_select_codes *out)
{
    assert(out);
    if (bt_str_ends_with(name, BT_STR("*"))) {
        return find_prefix(bt_str_slice(name, 0, name.len - 1), out);
    }
    const size_t row = bt_rules_find(name);
    if (row == bt_rules_count() || bt_rules_at(row)->severity == BT_SEVERITY_NONE) {
        return BT_ENOENT;
    }
    const unsigned code = bt_rules_at(row)->id;
    *out = (struct bt_select_codes){code, code + 1, SIZE_MAX};
    return BT_OK;
}

bool bt_select_level_is_allowed(struct bt_select_codes codes, enum bt_select_level level)
{
    return codes.prefix != SIZE_MAX || level >= bt_select_lowest(codes.first).level;
}

static enum bt_status allocate_rules(struct bt_arena *arena, struct bt_select_rules *rules)
{
    if (!rules->levels) {
        uint8_t *levels = BT_NEW_ARRAY(arena, uint8_t, BT_CODE__MAX);
        size_t *prefixes = BT_NEW_ARRAY(arena, size_t, BT_CODE__MAX);
        BT_TRY(levels && prefixes ? BT_OK : BT_ENOMEM);
        *rules = (struct bt_select_rules){levels, prefixes};
    }
    return BT_OK;
}

enum bt_status bt_select_rules_set(struct bt_arena *arena, struct bt_select_rules *rules,
                                   bt_str name, enum bt_select_level level)
{
    struct bt_select_codes codes;
    assert(rules);
    assert(level != BT_SELECT_LEVEL_NONE);
    BT_TRY(bt_select_find_codes(name, &codes));
    if (!bt_select_level_is_allowed(codes, level)) {
        return BT_EINVAL;
    }
    BT_TRY(allocate_rules(arena, rules));
    for (unsigned code = codes.first; code < codes.end; code++) {
        if (is_finding(code) && (rules->levels[code] == BT_SELECT_LEVEL_NONE ||
                                 codes.prefix >= rules->prefixes[code])) {
            rules->levels[code] = (uint8_t)level;
            rules->prefixes[code] = codes.prefix;
        }
    }
    return BT_OK;
}
