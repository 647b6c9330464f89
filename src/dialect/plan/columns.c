/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - the header: which of the two column dialects it is, and findings about it. */
#include <assert.h>

#include "base/ascii.h"
#include "base/map.h"
#include "dialect/plan/plan_check.h"
#include "report/rules.h"

/* Which dialect has a column, and whether it expects it. */
enum { RUNTIME = 1, PLANNING = 2, EXPECTED_RUNTIME = 4, EXPECTED_PLANNING = 8 };
enum { IN_RUNTIME = RUNTIME | EXPECTED_RUNTIME, IN_PLANNING = PLANNING | EXPECTED_PLANNING };

static const struct plan_columns_column {
    bt_str name;
    unsigned flags;
} columns[BT_PLAN_COLUMN__MAX] = {
    [BT_PLAN_COLUMN_STEP] = {BT_STR_INIT("step"), IN_RUNTIME},
    [BT_PLAN_COLUMN_AGENT] = {BT_STR_INIT("agent"), IN_RUNTIME},
    [BT_PLAN_COLUMN_ACTION] = {BT_STR_INIT("action"), IN_RUNTIME},
    [BT_PLAN_COLUMN_INPUTS] = {BT_STR_INIT("inputs"), IN_RUNTIME},
    [BT_PLAN_COLUMN_OUTPUTS] = {BT_STR_INIT("outputs"), IN_RUNTIME},
    [BT_PLAN_COLUMN_STATUS] = {BT_STR_INIT("status"), IN_RUNTIME | IN_PLANNING},
    [BT_PLAN_COLUMN_NOTES] = {BT_STR_INIT("notes"), IN_RUNTIME | IN_PLANNING},
    [BT_PLAN_COLUMN_DEPENDS_ON] = {BT_STR_INIT("depends_on"), RUNTIME},
    [BT_PLAN_COLUMN_PHASE_ID] = {BT_STR_INIT("phase_id"), IN_PLANNING},
    [BT_PLAN_COLUMN_STEP_ID] = {BT_STR_INIT("step_id"), IN_PLANNING},
    [BT_PLAN_COLUMN_PHASE_NAME] = {BT_STR_INIT("phase_name"), IN_PLANNING},
    [BT_PLAN_COLUMN_STEP_TITLE] = {BT_STR_INIT("step_title"), IN_PLANNING},
    [BT_PLAN_COLUMN_DESCRIPTION] = {BT_STR_INIT("description"), IN_PLANNING},
    [BT_PLAN_COLUMN_DELIVERABLE] = {BT_STR_INIT("deliverable"), IN_PLANNING},
    [BT_PLAN_COLUMN_DEPENDENCIES] = {BT_STR_INIT("dependencies"), IN_PLANNING},
    [BT_PLAN_COLUMN_PRIORITY] = {BT_STR_INIT("priority"), IN_PLANNING},
    [BT_PLAN_COLUMN_EFFORT] = {BT_STR_INIT("effort"), IN_PLANNING},
    [BT_PLAN_COLUMN_PAYLOAD_IN] = {BT_STR_INIT("payload_schema_in"), RUNTIME | PLANNING},
    [BT_PLAN_COLUMN_PAYLOAD_OUT] = {BT_STR_INIT("payload_schema_out"), RUNTIME | PLANNING},
};

/* The order in which absent columns are named: that of the chapter's list. */
static const enum bt_plan_column planning_order[] = {
    BT_PLAN_COLUMN_PHASE_ID,     BT_PLAN_COLUMN_STEP_ID,     BT_PLAN_COLUMN_PHASE_NAME,
    BT_PLAN_COLUMN_STEP_TITLE,   BT_PLAN_COLUMN_DESCRIPTION, BT_PLAN_COLUMN_DELIVERABLE,
    BT_PLAN_COLUMN_DEPENDENCIES, BT_PLAN_COLUMN_PRIORITY,    BT_PLAN_COLUMN_EFFORT,
    BT_PLAN_COLUMN_NOTES,        BT_PLAN_COLUMN_STATUS,
};

bt_str bt_plan_column_name(enum bt_plan_column column)
{
    assert(column < BT_PLAN_COLUMN__MAX);
    return columns[column].name;
}

enum bt_plan_column bt_plan_id_column(const struct bt_plan_check *plan)
{
    return plan->columns == BT_PLAN_COLUMN_SET_PLANNING ? BT_PLAN_COLUMN_STEP_ID
                                                        : BT_PLAN_COLUMN_STEP;
}

static const struct bt_csv_row *header_of(const struct bt_plan_check *plan)
{
    return &plan->table->rows[0];
}

/* Whether a column is known where this plan's kind of columns is. */
static bool is_known(const struct bt_plan_check *plan, enum bt_plan_column column)
{
    const unsigned wanted = plan->columns == BT_PLAN_COLUMN_SET_RUNTIME    ? RUNTIME
                            : plan->columns == BT_PLAN_COLUMN_SET_PLANNING ? PLANNING
                                                                           : RUNTIME | PLANNING;
    return (columns[column].flags & wanted) != 0;
}

static struct bt_location header_location(const struct bt_plan_check *plan, size_t cell)
{
    const struct bt_csv_cell *name = &header_of(plan)->cells[cell];
    return bt_location_cell(0, name->text, name->begin);
}

/* Names that occur twice: two readers would choose different columns. */
static enum bt_status find_repeated(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    size_t *second = BT_NEW_ARRAY(plan->arena, size_t, header->count); /* by number of the name */
    struct bt_map names;
    BT_TRY(second ? BT_OK : BT_ENOMEM);
    bt_map_init(&names, plan->arena, plan->plans->env->hash_seed);
    for (size_t i = 0; i < header->count; i++) {
        struct bt_map_entry *entry = NULL;
        if (header->cells[i].text.len == 0) {
            continue;
        }
        BT_TRY(bt_map_add(&names, bt_map_text(header->cells[i].text), &entry));
        if (++entry->value.number == 2) {
            second[bt_map_index(&names, entry)] = i;
        }
    }
    for (size_t i = 0; i < names.count; i++) {
        const struct bt_map_entry *entry = &names.entries[i];
        if (entry->value.number > 1) {
            BT_TRY(bt_add_csv_duplicate_column(plan->findings, header_location(plan, second[i]),
                                               entry->key.text, entry->value.number));
        }
    }
    return BT_OK;
}

static void find_columns(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    for (size_t i = 0; i < header->count; i++) {
        for (size_t j = 0; j < BT_PLAN_COLUMN__MAX; j++) {
            if (plan->at[j] == BT_ABSENT && bt_str_eq(header->cells[i].text, columns[j].name)) {
                plan->at[j] = i;
            }
        }
    }
    plan->columns = plan->at[BT_PLAN_COLUMN_STEP] != BT_ABSENT      ? BT_PLAN_COLUMN_SET_RUNTIME
                    : plan->at[BT_PLAN_COLUMN_STEP_ID] != BT_ABSENT ? BT_PLAN_COLUMN_SET_PLANNING
                                                                    : BT_PLAN_COLUMN_SET_UNKNOWN;
}

/* What separates the names in a header that is one cell by mistake, or none. */
static enum bt_plan_no_step_column_separator find_separator(const struct bt_csv_row *header)
{
    const bt_str name = header->cells[0].text;
    if (header->count > 1) {
        return BT_PLAN_NO_STEP_COLUMN_SEPARATOR__NONE;
    }
    return bt_str_find_byte(name, ';', 0) < name.len ? BT_PLAN_NO_STEP_COLUMN_SEPARATOR_SEMICOLONS
           : bt_str_find_byte(name, '\t', 0) < name.len ? BT_PLAN_NO_STEP_COLUMN_SEPARATOR_TABS
                                                        : BT_PLAN_NO_STEP_COLUMN_SEPARATOR__NONE;
}

static enum bt_status add_no_step_column_finding(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    bt_str *names = BT_NEW_ARRAY(plan->arena, bt_str, header->count);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < header->count; i++) {
        names[i] = header->cells[i].text;
    }
    return bt_add_plan_no_step_column(plan->findings, bt_plan_row_location(plan, 0),
                                      (struct bt_str_list){names, header->count},
                                      find_separator(header));
}

static enum bt_status check_identifier(struct bt_plan_check *plan)
{
    const size_t step_id = plan->at[BT_PLAN_COLUMN_STEP_ID];
    if (plan->columns == BT_PLAN_COLUMN_SET_UNKNOWN) {
        return add_no_step_column_finding(plan);
    }
    return plan->columns == BT_PLAN_COLUMN_SET_RUNTIME && step_id != BT_ABSENT
               ? bt_add_plan_step_columns_both(plan->findings, header_location(plan, step_id))
               : BT_OK;
}

static enum bt_status check_unnamed(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    for (size_t i = 0; i < header->count; i++) {
        if (header->cells[i].text.len == 0) {
            BT_TRY(bt_add_csv_unnamed_column(plan->findings, header_location(plan, i), i + 1));
        }
    }
    return BT_OK;
}

/* Whether `name` becomes `known` when blanks, case and dashes are evened out. */
static bool is_almost(bt_str name, bt_str known)
{
    const bt_str core = bt_plan_trim(name);
    if (core.len != known.len) {
        return false;
    }
    for (size_t i = 0; i < core.len; i++) {
        const char byte = core.ptr[i];
        const char even = byte == '-' || byte == ' ' ? '_' : bt_ascii_lower(byte);
        if (even != known.ptr[i]) {
            return false;
        }
    }
    return true;
}

/* The known and absent column that a name almost is, or BT_PLAN_COLUMN__MAX. */
static enum bt_plan_column find_similar_column(const struct bt_plan_check *plan, bt_str name)
{
    enum bt_plan_column found = BT_PLAN_COLUMN__MAX;
    for (size_t j = 0; j < BT_PLAN_COLUMN__MAX; j++) {
        const enum bt_plan_column column = (enum bt_plan_column)j;
        if (!is_known(plan, column)) {
            continue;
        }
        if (bt_str_eq(name, columns[j].name)) {
            return BT_PLAN_COLUMN__MAX;
        }
        if (plan->at[j] == BT_ABSENT && is_almost(name, columns[j].name)) {
            found = column;
        }
    }
    return found;
}

static enum bt_status check_near_misses(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    for (size_t i = 0; i < header->count; i++) {
        const enum bt_plan_column column = find_similar_column(plan, header->cells[i].text);
        if (column != BT_PLAN_COLUMN__MAX) {
            BT_TRY(bt_add_plan_column_near_miss(plan->findings, header_location(plan, i),
                                                header->cells[i].text, columns[column].name));
        }
    }
    return BT_OK;
}

/* The columns that this kind of plan is expected to have, in the order of their list. */
static enum bt_plan_column expected_at(const struct bt_plan_check *plan, size_t index)
{
    const size_t planning = sizeof(planning_order) / sizeof(planning_order[0]);
    if (plan->columns == BT_PLAN_COLUMN_SET_PLANNING) {
        return index < planning ? planning_order[index] : BT_PLAN_COLUMN__MAX;
    }
    return index <= BT_PLAN_COLUMN_NOTES ? (enum bt_plan_column)index : BT_PLAN_COLUMN__MAX;
}

static enum bt_status check_missing(struct bt_plan_check *plan)
{
    bt_str missing[BT_PLAN_COLUMN__MAX];
    size_t count = 0;
    for (size_t i = 0; expected_at(plan, i) != BT_PLAN_COLUMN__MAX; i++) {
        const enum bt_plan_column column = expected_at(plan, i);
        if (plan->at[column] == BT_ABSENT) {
            missing[count++] = columns[column].name;
        }
    }
    return count == 0 ? BT_OK
                      : bt_add_plan_column_missing(plan->findings, bt_plan_row_location(plan, 0),
                                                   (struct bt_str_list){missing, count});
}

enum bt_status bt_plan_read_header(struct bt_plan_check *plan)
{
    BT_TRY(find_repeated(plan));
    find_columns(plan);
    BT_TRY(check_identifier(plan));
    BT_TRY(check_unnamed(plan));
    BT_TRY(check_near_misses(plan));
    return plan->columns == BT_PLAN_COLUMN_SET_UNKNOWN ? BT_OK : check_missing(plan);
}
