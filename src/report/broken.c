/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broken.c - the findings of a report -> the rules that they are about.
 */
#include "report/broken.h"

#include <assert.h>

#include "report/sort.h"
#include "report/suppressed.h"

static size_t count_findings(const struct bt_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        count += bt_findings_count(document->findings);
        count += document->suppressed ? document->suppressed->count : 0;
    }
    return count;
}

static int compare_codes(const void *context, size_t a, size_t b)
{
    const struct bt_rule *const *rules = context;
    return bt_str_compare(rules[a]->code, rules[b]->code);
}

/* Add a rule unless it is the one that was added last. */
static size_t add_rule(const struct bt_rule **out, size_t count, const struct bt_rule *rule)
{
    if (count == 0 || out[count - 1] != rule) {
        out[count++] = rule;
    }
    return count;
}

/* The rule of every finding, also of suppressed ones; neighbours of the same rule once. */
static size_t collect_rules(const struct bt_report *report, const struct bt_rule **out)
{
    size_t count = 0;
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_findings *findings = bt_report_at(report, i)->findings;
        const struct bt_suppressed *suppressed = bt_report_at(report, i)->suppressed;
        for (size_t j = 0; j < bt_findings_count(findings); j++) {
            count = add_rule(out, count, bt_findings_at(findings, j)->rule);
        }
        for (size_t j = 0; suppressed && j < suppressed->count; j++) {
            if (suppressed->items[j].by != BT_SUPPRESSED_BY_RULES) {
                count = add_rule(out, count, suppressed->items[j].finding->rule);
            }
        }
    }
    return count;
}

enum bt_status bt_report_broken_find(const struct bt_report *report, struct bt_arena *arena,
                                     struct bt_report_broken *out)
{
    const size_t most = count_findings(report) + 1;
    const struct bt_rule **all = BT_NEW_ARRAY(arena, const struct bt_rule *, most);
    struct bt_report_broken broken = {.rules = BT_NEW_ARRAY(arena, const struct bt_rule *, most)};
    size_t *order = BT_NEW_ARRAY(arena, size_t, most);
    size_t *scratch = BT_NEW_ARRAY(arena, size_t, most);
    if (!all || !broken.rules || !order || !scratch) {
        return BT_ENOMEM;
    }
    const size_t count = collect_rules(report, all);
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    bt_sort_indices(order, scratch, count, compare_codes, all);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_codes(all, order[i - 1], order[i]) != 0) {
            broken.rules[broken.count++] = all[order[i]];
        }
    }
    *out = broken;
    return BT_OK;
}

size_t bt_report_broken_index(const struct bt_report_broken *broken, bt_str code)
{
    size_t low = 0;
    size_t high = broken->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bt_str_compare(broken->rules[middle]->code, code) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert(low < broken->count);
    return low;
}
