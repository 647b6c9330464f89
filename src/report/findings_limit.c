/* SPDX-License-Identifier: Apache-2.0 */
/* findings_limit.c - at most so many findings of one code, and how many more there are. */
#include <assert.h>

#include "report/add.h"
#include "report/findings.h"

void bt_findings_limit_codes(struct bt_findings *findings, size_t max)
{
    assert(max > 0);
    findings->code_max = max;
}

/* The count of a code, or NULL. A list has findings of few codes. */
static struct bt_code_count *find_count(const struct bt_findings *findings, unsigned code)
{
    for (size_t i = 0; i < findings->counts.count; i++) {
        if (findings->counts.items[i].code == code) {
            return &findings->counts.items[i];
        }
    }
    return NULL;
}

enum bt_status bt_findings_take_code(struct bt_findings *findings, unsigned code, bool *out_kept)
{
    struct bt_code_count *count = find_count(findings, code);
    if (!count) {
        BT_TRY(
            bt_vec_push(findings->arena, &findings->counts, (struct bt_code_count){.code = code}));
        count = &findings->counts.items[findings->counts.count - 1];
    }
    *out_kept = count->made++ < findings->code_max;
    if (*out_kept) {
        count->last = findings->count;
    }
    return BT_OK;
}

size_t bt_findings_count_of_code(const struct bt_findings *findings, unsigned code)
{
    const struct bt_code_count *count = find_count(findings, code);
    return count ? count->made : 0;
}

bool bt_findings_code_is_full(const struct bt_findings *findings, unsigned code)
{
    return findings->code_max > 0 &&
           bt_findings_count_of_code(findings, code) >= findings->code_max;
}

void bt_findings_count_omitted(struct bt_findings *findings, unsigned code, size_t more)
{
    struct bt_code_count *count = find_count(findings, code);
    assert(count && count->made >= findings->code_max);
    count->made += more;
}

static enum bt_status add_more(struct bt_arena *arena, struct bt_finding *finding, size_t more)
{
    static const struct bt_rule_param param = {.name = BT_STR_INIT("more"),
                                               .type = BT_PARAM_INTEGER};
    const struct bt_finding_arg arg = {.param = &param, .as.integer = more};
    return bt_finding_add_args(finding, arena, &arg, 1);
}

enum bt_status bt_findings_add_omitted_counts(struct bt_findings *findings)
{
    for (size_t i = 0; i < findings->counts.count; i++) {
        const struct bt_code_count *count = &findings->counts.items[i];
        if (count->made > findings->code_max) {
            BT_TRY(add_more(findings->arena, findings->items[count->last],
                            count->made - findings->code_max));
        }
    }
    return BT_OK;
}
