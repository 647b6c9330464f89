/* SPDX-License-Identifier: Apache-2.0 */
/* findings_limit.c - at most so many findings of one code, and how many more there are. */
#include <assert.h>

#include "report/findings.h"
#include "report/rules.h"

enum bt_status bt_findings_limit_codes(struct bt_findings *findings, size_t max)
{
    assert(max > 0);
    findings->counts = BT_NEW_ARRAY(findings->arena, struct bt_code_count, BT_CODE__MAX);
    findings->code_max = max;
    return findings->counts ? BT_OK : BT_ENOMEM;
}

size_t bt_findings_count_of_code(const struct bt_findings *findings, unsigned code)
{
    return findings->counts[code].made;
}

void bt_findings_count_omitted(struct bt_findings *findings, unsigned code, size_t count)
{
    assert(count == 0 || findings->counts[code].made >= findings->code_max);
    findings->counts[code].made += count;
}

/* The params of a finding that was not made by bt_add_CODE() are a text. */
static enum bt_status put_more_into_text(struct bt_arena *arena, struct bt_finding *finding,
                                         size_t more)
{
    const bt_str inner = bt_str_slice(finding->params, 1, finding->params.len - 1);
    return bt_arena_printf(arena, &finding->params, "{%.*s,\"more\":%zu}", BT_STR_ARG(inner), more);
}

static enum bt_status add_more(struct bt_arena *arena, struct bt_finding *finding, size_t more)
{
    static const struct bt_rule_param param = {.name = BT_STR_INIT("more"),
                                               .type = BT_PARAM_INTEGER};
    if (finding->params.len > 0) {
        return put_more_into_text(arena, finding, more);
    }
    const struct bt_finding_arg arg = {.param = &param, .as.integer = more};
    return bt_finding_add_args(finding, arena, &arg, 1);
}

enum bt_status bt_findings_add_omitted_counts(struct bt_findings *findings)
{
    for (unsigned code = 0; findings->counts && code < BT_CODE__MAX; code++) {
        const struct bt_code_count *count = &findings->counts[code];
        if (count->made > findings->code_max) {
            BT_TRY(add_more(findings->arena, findings->items[count->last],
                            count->made - findings->code_max));
        }
    }
    return BT_OK;
}
