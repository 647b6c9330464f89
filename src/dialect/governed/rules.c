/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the rules of the dialect by code, with their hints. */
#include <assert.h>

#include "dialect/governed/schema.h"
#include "report/add.h"

const struct bt_rule *bt_governed_rule(bt_str code)
{
    return bt_rule_find(BT_DIALECT_GOVERNED, code);
}

bt_str bt_governed_hint(bt_str code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_GOVERNED, code);
    const bt_str hint = rule ? bt_rule_hint(rule) : BT_STR("");
    return hint.len > 0 ? hint : BT_STR("correct the document");
}

void bt_governed_remark(struct bt_finding_builder *remark, const char *code,
                        struct bt_governed_location location)
{
    const struct bt_rule *rule = bt_governed_rule(bt_str_of(code));
    assert(rule);
    bt_finding_builder_begin(remark, rule);
    remark->finding.hint = bt_governed_hint(rule->code);
    if (location.value) {
        remark->finding.offset = bt_json_span(location.document, location.value).begin;
    }
}
