/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - codes in `rules`, `paths` and `ignore`, and severities in both vocabularies. */
#include <assert.h>

#include "config/config_internal.h"
#include "report/rules.h"
#include "schema/nearest.h"
#include "select/select.h"

/* The words of params.reason are those of select, in its order. */
static_assert((int)BT_CONFIG_RULE_PROTECTED_REASON_SECURITY == (int)BT_SELECT_REASON_SECURITY &&
                  (int)BT_CONFIG_RULE_PROTECTED_REASON_DELIVER == (int)BT_SELECT_REASON_DELIVER &&
                  (int)BT_CONFIG_RULE_PROTECTED_REASON_HARD == (int)BT_SELECT_REASON_HARD,
              "reasons are numbered alike");

bt_str bt_config_canonical(const struct bt_config_row *row, bt_str text)
{
    enum bt_select_level level;
    return row->is_level && bt_select_level_parse(text, &level) == BT_OK
               ? bt_select_level_name(level)
               : text;
}

static bt_str code_at(const void *context, size_t index)
{
    (void)context;
    return bt_rules_at(index)->code;
}

static enum bt_status add_unknown(struct bt_findings *findings, struct bt_location at, bt_str code)
{
    const size_t near = bt_nearest_word(code, code_at, NULL, bt_rules_count());
    return bt_add_config_rule_unknown(
        findings, at, code, near < bt_rules_count() ? code_at(NULL, near) : BT_STR_ABSENT);
}

static enum bt_status add_protected(struct bt_findings *findings, struct bt_location at,
                                    unsigned code, bool is_ignored)
{
    const struct bt_select_lowest lowest = bt_select_lowest(code);
    return bt_add_config_rule_protected(findings, at, bt_code_name(code),
                                        bt_select_level_name(lowest.level),
                                        (enum bt_config_rule_protected_reason)lowest.reason,
                                        bt_select_level_word(lowest.level), is_ignored);
}

enum bt_status bt_config_judge_rule(struct bt_findings *findings, struct bt_location at,
                                    bt_str name, bt_str text)
{
    struct bt_select_codes codes;
    enum bt_select_level level;
    if (bt_select_find_codes(name, &codes) != BT_OK) {
        return add_unknown(findings, at, name);
    }
    return bt_select_level_parse(text, &level) == BT_OK && !bt_select_level_is_allowed(codes, level)
               ? add_protected(findings, at, codes.first, false)
               : BT_OK;
}

enum bt_status bt_config_judge_ignored(struct bt_findings *findings, struct bt_location at,
                                       bt_str name, bt_str text)
{
    struct bt_select_codes codes;
    (void)name;
    if (bt_select_find_codes(text, &codes) != BT_OK) {
        return add_unknown(findings, at, text);
    }
    return codes.prefix == SIZE_MAX && bt_select_lowest(codes.first).is_protected
               ? add_protected(findings, at, codes.first, true)
               : BT_OK;
}

enum bt_status bt_config_unite(struct bt_arena *arena, const struct bt_yaml_node *first,
                               const struct bt_yaml_node *second, const struct bt_yaml_node **out)
{
    struct bt_yaml_node *united = BT_NEW(arena, struct bt_yaml_node);
    struct bt_yaml_entry *entries =
        BT_NEW_ARRAY(arena, struct bt_yaml_entry, first->count + second->count + 1);
    BT_TRY(united && entries ? BT_OK : BT_ENOMEM);
    *united = *first;
    for (size_t i = 0; i < first->count; i++) {
        entries[i] = first->entries[i];
    }
    for (size_t i = 0; i < second->count; i++) {
        if (!bt_yaml_get(first, second->entries[i].key)) {
            entries[united->count++] = second->entries[i];
        }
    }
    united->entries = entries;
    *out = united;
    return BT_OK;
}
