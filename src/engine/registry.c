/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - the rule tables of all folders, seen as one table sorted by code and dialect.
 *
 * Each folder keeps its rows sorted; they are merged on each call, which keeps the library free of
 * state. There are some hundreds of rows, and no fast path uses them.
 */
#include <baton/check.h>

#include <assert.h>

#include "config/config_internal.h"
#include "deliver/rules.h"
#include "dialect/contract/contract_check.h"
#include "dialect/governed/schema.h"
#include "dialect/plan/plan_check.h"
#include "dialect/universal/universal_check.h"
#include "dialect/xml/message_check.h"
#include "ledger/rules.h"
#include "organism/organism.h"
#include "report/json_rules.h"
#include "schema/rules.h"
#include "skill/skill_internal.h"
#include "trace/rules.h"

struct engine_registry_table {
    const struct bt_rule *rows;
    const size_t *count;
};

/* One line per folder that has rules. */
/* clang-format off */
static const struct engine_registry_table tables[] = {
    {bt_json_rules, &bt_json_rules_count},
    {bt_schema_rules, &bt_schema_rules_count},
    {bt_ledger_rules, &bt_ledger_rules_count},
    {bt_trace_rules, &bt_trace_rules_count},
    {bt_universal_rules, &bt_universal_rules_count},
    {bt_plan_rules, &bt_plan_rules_count},
    {bt_catalogue_rules, &bt_catalogue_rules_count},
    {bt_config_rules, &bt_config_rules_count},
    {bt_hook_rules, &bt_hook_rules_count},
    {bt_problem_rules, &bt_problem_rules_count},
    {bt_deliver_rules, &bt_deliver_rules_count},
    {bt_contract_rules, &bt_contract_rules_count},
    {bt_contract_store_rules, &bt_contract_store_rules_count},
    {bt_organism_rules, &bt_organism_rules_count},
    {bt_xml_rules, &bt_xml_rules_count},
    {bt_pump_rules, &bt_pump_rules_count},
    {bt_governed_rules, &bt_governed_rules_count},
};
/* clang-format on */

enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

static int compare_rows(const struct bt_rule *a, const struct bt_rule *b)
{
    const int order = bt_str_compare(a->code, b->code);
    return order != 0 ? order : bt_str_compare(a->dialect, b->dialect);
}

size_t bt_rules_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < TABLES; i++) {
        count += *tables[i].count;
    }
    return count;
}

/* Take the first of the next rows of all tables; NULL when none is left. */
static const struct bt_rule *take_first(size_t next[TABLES])
{
    const struct bt_rule *first = NULL;
    size_t from = 0;
    for (size_t i = 0; i < TABLES; i++) {
        const struct bt_rule *row = next[i] < *tables[i].count ? &tables[i].rows[next[i]] : NULL;
        if (row && (!first || compare_rows(row, first) < 0)) {
            first = row;
            from = i;
        }
    }
    next[from] += first != NULL;
    return first;
}

const struct bt_rule *bt_rules_at(size_t index)
{
    assert(index < bt_rules_count());
    size_t next[TABLES] = {0};
    const struct bt_rule *row = take_first(next);
    for (size_t i = 0; i < index; i++) {
        row = take_first(next);
    }
    assert(row);
    return row;
}

enum bt_status bt_rules_all(struct bt_arena *arena, const struct bt_rule *const **out)
{
    assert(arena);
    assert(out);
    const struct bt_rule **rows = BT_NEW_ARRAY(arena, const struct bt_rule *, bt_rules_count());
    size_t next[TABLES] = {0};
    size_t count = 0;
    if (!rows) {
        return BT_ENOMEM;
    }
    for (const struct bt_rule *row = take_first(next); row; row = take_first(next)) {
        rows[count++] = row;
    }
    *out = rows;
    return BT_OK;
}

size_t bt_rules_find(bt_str code)
{
    size_t next[TABLES] = {0};
    size_t index = 0;
    for (const struct bt_rule *row = take_first(next); row; row = take_first(next)) {
        if (bt_str_eq(row->code, code)) {
            return index;
        }
        index++;
    }
    return index;
}
