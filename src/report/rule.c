/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c - find rules by code and dialect, and write the message of a refusal. */
#include <assert.h>

#include <baton/report.h>

#include "report/report.h"
#include "report/rules.h"

size_t bt_rules_count(void)
{
    return BT_RULES_COUNT;
}

const struct bt_rule *bt_rules_at(size_t index)
{
    assert(index < BT_RULES_COUNT);
    return &bt_rules[index];
}

size_t bt_rules_find(bt_str code)
{
    size_t low = BT_CODE_NONE + 1;
    size_t high = BT_CODE__MAX;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bt_str_compare(bt_rules[bt_rules_first[middle]].code, code) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const size_t first = bt_rules_first[low];
    return low < BT_CODE__MAX && bt_str_eq(bt_rules[first].code, code) ? first : BT_RULES_COUNT;
}

const struct bt_rule *bt_rule_of_dialect_or_null(unsigned code, enum bt_dialect_id dialect)
{
    assert(code > BT_CODE_NONE && code < BT_CODE__MAX);
    for (size_t row = bt_rules_first[code]; row < bt_rules_first[code + 1]; row++) {
        if (bt_rules[row].dialect_id == dialect) {
            return &bt_rules[row];
        }
    }
    return NULL;
}

const struct bt_rule *bt_rule_of_dialect(unsigned code, enum bt_dialect_id dialect)
{
    const struct bt_rule *rule = bt_rule_of_dialect_or_null(code, dialect);
    assert(rule);
    return rule;
}

bt_str bt_code_name(unsigned code)
{
    assert(code > BT_CODE_NONE && code < BT_CODE__MAX);
    return bt_rules[bt_rules_first[code]].code;
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* Whether a parameter is that word, however the finding has it. */
static bool is_word(const struct bt_finding_arg *arg, bt_str word)
{
    switch (arg->param->type) {
    case BT_PARAM_WORD:
        return bt_str_eq(arg->param->words[arg->as.word], word);
    case BT_PARAM_NAME:
    case BT_PARAM_TEXT:
        return bt_str_eq(arg->as.text, word);
    case BT_PARAM_JSON: /* a string */
        return arg->as.text.len == word.len + 2 &&
               bt_str_eq(bt_str_slice(arg->as.text, 1, word.len + 1), word);
    case BT_PARAM_NUMBER:
    case BT_PARAM_INTEGER:
    case BT_PARAM_BOOL:
    case BT_PARAM_TEXTS:
        break;
    }
    return false;
}

static bool refusal_applies(const struct bt_finding *finding, const struct bt_rule_refusal *refusal)
{
    if (refusal->param.len == 0) {
        return true;
    }
    if (bt_str_eq(refusal->param, BT_STR("pointer"))) {
        return bt_str_eq(finding->pointer, refusal->word);
    }
    const struct bt_finding_arg *arg = bt_finding_arg(finding, refusal->param);
    return arg && is_word(arg, refusal->word);
}

static enum bt_refusal_kind find_refusal_kind(const struct bt_finding *finding)
{
    const struct bt_rule_form *form = finding->rule->form;
    for (size_t i = 0; form && i < form->refusal_count; i++) {
        if (refusal_applies(finding, &form->refusals[i])) {
            return form->refusals[i].kind;
        }
    }
    return finding->rule->stage == BT_STAGE_READ ? BT_REFUSAL_MALFORMED : BT_REFUSAL_UNPROCESSABLE;
}

unsigned bt_finding_http_status(const struct bt_finding *finding)
{
    static const unsigned statuses[] = {
        [BT_REFUSAL_MALFORMED] = 400, [BT_REFUSAL_UNPROCESSABLE] = 422,
        [BT_REFUSAL_FORBIDDEN] = 403, [BT_REFUSAL_CONFLICT] = 409,
        [BT_REFUSAL_TOO_LARGE] = 413, [BT_REFUSAL_UNAVAILABLE] = 503,
        [BT_REFUSAL_GONE] = 410,
    };
    assert(finding);
    return statuses[find_refusal_kind(finding)];
}
