/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c - the header: which of the two column dialects it is, and findings about it. */
#include <assert.h>

#include "dialect/plan/plan_check.h"

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

/* Begin a finding about a header cell. */
static void remark_cell(const struct bt_plan_check *plan, struct bt_finding_builder *remark,
                        const char *code, size_t cell)
{
    const struct bt_csv_cell *name = &header_of(plan)->cells[cell];
    bt_finding_builder_begin(remark, bt_plan_rule(bt_str_of(code)));
    bt_plan_put_pointer(&remark->pointer, 0, name->text);
    remark->finding.offset = name->begin;
}

static enum bt_status add_duplicate_column_finding(struct bt_plan_check *plan, size_t cell,
                                                   size_t count)
{
    struct bt_finding_builder remark;
    const bt_str name = header_of(plan)->cells[cell].text;
    remark_cell(plan, &remark, "CSV_DUPLICATE_COLUMN", cell);
    bt_buf_put_text(&remark.message, "the header has the name ");
    bt_buf_put_quoted(&remark.message, name);
    bt_buf_printf(&remark.message, " %zu times", count);
    remark.finding.hint = BT_STR("rename or remove one of the columns");
    bt_emit_member_string(&remark.emit, "name", name);
    bt_emit_member_u64(&remark.emit, "count", count);
    return bt_finding_builder_end(&remark, plan->findings);
}

/* Names that occur twice: two readers would choose different columns. */
static enum bt_status find_repeated(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    struct bt_plan_name_table names;
    BT_TRY(bt_plan_name_table_init(&names, plan->arena, header->count,
                                   plan->plans->env->hash_seed[0]));
    size_t *counts = BT_NEW_ARRAY(plan->arena, size_t, header->count);
    size_t *second = BT_NEW_ARRAY(plan->arena, size_t, header->count);
    if (!counts || !second) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < header->count; i++) {
        if (header->cells[i].text.len > 0) {
            const size_t first = bt_plan_name_table_add(&names, header->cells[i].text, i);
            second[first] = ++counts[first] == 2 ? i : second[first];
        }
    }
    for (size_t i = 0; i < header->count; i++) {
        if (counts[i] > 1) {
            BT_TRY(add_duplicate_column_finding(plan, second[i], counts[i]));
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

static bt_str separator_hint(const struct bt_csv_row *header)
{
    const bt_str name = header->cells[0].text;
    if (header->count == 1 && bt_str_find_byte(name, ';', 0) < name.len) {
        return BT_STR("the header is one cell with semicolons in it: separate cells by commas");
    }
    if (header->count == 1 && bt_str_find_byte(name, '\t', 0) < name.len) {
        return BT_STR("the header is one cell with tabs in it: separate cells by commas");
    }
    return BT_STR("name the column of identifiers step (or step_id)");
}

static enum bt_status check_identifier(struct bt_plan_check *plan)
{
    struct bt_finding_builder remark;
    const struct bt_csv_row *header = header_of(plan);
    if (plan->columns == BT_PLAN_COLUMN_SET_UNKNOWN) {
        bt_plan_remark_row(plan, &remark, "PLAN_NO_STEP_COLUMN", 0);
        bt_buf_put_text(&remark.message, "no column is called step or step_id");
        remark.finding.hint = separator_hint(header);
        bt_emit_name(&remark.emit, "columns");
        bt_emit_begin_array(&remark.emit);
        for (size_t i = 0; i < header->count; i++) {
            bt_emit_string(&remark.emit, header->cells[i].text);
        }
        bt_emit_end(&remark.emit);
        return bt_finding_builder_end(&remark, plan->findings);
    }
    if (plan->columns == BT_PLAN_COLUMN_SET_RUNTIME &&
        plan->at[BT_PLAN_COLUMN_STEP_ID] != BT_ABSENT) {
        remark_cell(plan, &remark, "PLAN_STEP_COLUMNS_BOTH", plan->at[BT_PLAN_COLUMN_STEP_ID]);
        bt_buf_put_text(&remark.message, "the header has step and step_id; step is used");
        remark.finding.hint = BT_STR("remove one of them");
        return bt_finding_builder_end(&remark, plan->findings);
    }
    return BT_OK;
}

static enum bt_status check_unnamed(struct bt_plan_check *plan)
{
    const struct bt_csv_row *header = header_of(plan);
    for (size_t i = 0; i < header->count; i++) {
        if (header->cells[i].text.len == 0) {
            struct bt_finding_builder remark;
            remark_cell(plan, &remark, "CSV_UNNAMED_COLUMN", i);
            bt_buf_printf(&remark.message, "column %zu has no name", i + 1);
            remark.finding.hint = BT_STR("name it, or remove it");
            bt_emit_member_u64(&remark.emit, "index", i + 1);
            BT_TRY(bt_finding_builder_end(&remark, plan->findings));
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
        const bool is_upper = byte >= 'A' && byte <= 'Z';
        const char even = is_upper                     ? (char)(byte - 'A' + 'a')
                          : byte == '-' || byte == ' ' ? '_'
                                                       : byte;
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
        if (column == BT_PLAN_COLUMN__MAX) {
            continue;
        }
        struct bt_finding_builder remark;
        remark_cell(plan, &remark, "PLAN_COLUMN_NEAR_MISS", i);
        bt_buf_put_text(&remark.message, "the column ");
        bt_buf_put_quoted(&remark.message, header->cells[i].text);
        bt_buf_printf(&remark.message, " is not read as %.*s", BT_STR_ARG(columns[column].name));
        remark.finding.hint = BT_STR("write the name exactly, in lower case with underscores");
        bt_emit_member_string(&remark.emit, "name", header->cells[i].text);
        bt_emit_member_string(&remark.emit, "expected", columns[column].name);
        BT_TRY(bt_finding_builder_end(&remark, plan->findings));
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

/* The first absent column at or after `index`, which is moved behind it; or BT_PLAN_COLUMN__MAX. */
static enum bt_plan_column next_missing(const struct bt_plan_check *plan, size_t *index)
{
    for (;;) {
        const enum bt_plan_column column = expected_at(plan, (*index)++);
        if (column == BT_PLAN_COLUMN__MAX || plan->at[column] == BT_ABSENT) {
            return column;
        }
    }
}

static enum bt_status check_missing(struct bt_plan_check *plan)
{
    struct bt_finding_builder remark;
    size_t index = 0;
    enum bt_plan_column column = next_missing(plan, &index);
    if (column == BT_PLAN_COLUMN__MAX) {
        return BT_OK;
    }
    bt_plan_remark_row(plan, &remark, "PLAN_COLUMN_MISSING", 0);
    bt_buf_put_text(&remark.message, "expected columns are absent:");
    bt_emit_name(&remark.emit, "missing");
    bt_emit_begin_array(&remark.emit);
    for (; column != BT_PLAN_COLUMN__MAX; column = next_missing(plan, &index)) {
        bt_buf_printf(&remark.message, " %.*s", BT_STR_ARG(columns[column].name));
        bt_emit_string(&remark.emit, columns[column].name);
    }
    bt_emit_end(&remark.emit);
    remark.finding.hint = BT_STR("add them; cells may stay empty");
    return bt_finding_builder_end(&remark, plan->findings);
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
