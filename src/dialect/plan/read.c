/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - bytes -> records, header, rows, steps; the read stage.
 */
#include <assert.h>
#include <inttypes.h>

#include "dialect/plan/plan_check.h"
#include "dialect/plan/ragged.h"

void bt_plan_begin(struct bt_plan_check *plan, struct bt_plan_checker *plans,
                   const struct bt_plan_options *options, struct bt_findings *findings)
{
    assert(plan);
    *plan = (struct bt_plan_check){.plans = plans,
                                   .options = options ? *options : bt_plan_options_default(),
                                   .findings = findings,
                                   .arena = bt_findings_arena(findings)};
    for (size_t i = 0; i < BT_PLAN_COLUMN__MAX; i++) {
        plan->at[i] = BT_ABSENT;
    }
}

bt_str bt_plan_trim(bt_str text)
{
    size_t begin = 0;
    size_t end = text.len;
    while (begin < end && (text.ptr[begin] == ' ' || text.ptr[begin] == '\t')) {
        begin++;
    }
    while (end > begin && (text.ptr[end - 1] == ' ' || text.ptr[end - 1] == '\t')) {
        end--;
    }
    return bt_str_slice(text, begin, end);
}

bool bt_plan_is_blank(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') {
            return false;
        }
    }
    return true;
}

bt_str bt_plan_text(const struct bt_plan_check *plan, size_t row, enum bt_plan_column column)
{
    const struct bt_csv_row *record = &plan->table->rows[row];
    const size_t at = plan->at[column];
    return at < record->count ? record->cells[at].text : BT_STR("");
}

size_t bt_plan_offset(const struct bt_plan_check *plan, size_t row, enum bt_plan_column column)
{
    const struct bt_csv_row *record = &plan->table->rows[row];
    const size_t at = plan->at[column];
    return at < record->count ? record->cells[at].begin : record->begin;
}

void bt_plan_put_pointer(struct bt_buf *buf, size_t row, bt_str name)
{
    bt_json_pointer_put_index(buf, row);
    if (name.len > 0) {
        bt_json_pointer_put(buf, name);
    }
}

void bt_plan_remark(const struct bt_plan_check *plan, struct bt_finding_builder *remark,
                    const char *code)
{
    (void)plan;
    bt_finding_builder_begin(remark, bt_plan_rule(bt_str_of(code)));
}

void bt_plan_remark_row(const struct bt_plan_check *plan, struct bt_finding_builder *remark,
                        const char *code, size_t row)
{
    bt_plan_remark(plan, remark, code);
    bt_plan_put_pointer(&remark->pointer, row, BT_STR(""));
    remark->finding.offset = plan->table->rows[row].begin;
}

void bt_plan_remark_cell(const struct bt_plan_check *plan, struct bt_finding_builder *remark,
                         const char *code, size_t row, enum bt_plan_column column)
{
    bt_plan_remark(plan, remark, code);
    bt_plan_put_pointer(&remark->pointer, row, bt_plan_column_name(column));
    remark->finding.offset = bt_plan_offset(plan, row, column);
}

bool bt_findings_have_hard(const struct bt_findings *findings, size_t from)
{
    for (size_t i = from; i < bt_findings_count(findings); i++) {
        if (bt_findings_at(findings, i)->severity == BT_SEVERITY_HARD) {
            return true;
        }
    }
    return false;
}

/* The pointer of a problem within records: its cell, its row, or the whole. */
static void put_place(struct bt_buf *buf, const struct bt_csv_read_result *result)
{
    const bool is_large = result->code == BT_CSV_TOO_LARGE;
    const bool is_row = is_large && bt_str_eq(result->limit_name, BT_STR("row"));
    const bool is_cell = !is_large || bt_str_eq(result->limit_name, BT_STR("cell"));
    if (!is_row && !is_cell) {
        return;
    }
    const bool is_named =
        is_cell && result->row > 0 && result->header && result->cell < result->header->count;
    bt_plan_put_pointer(buf, result->row,
                        is_named ? result->header->cells[result->cell].text : BT_STR(""));
}

static bt_str fatal_hint(const struct bt_csv_read_result *result, bt_str text)
{
    switch (result->code) {
    case BT_CSV_TOO_LARGE:
        return BT_STR("split the plan, or move long text into a file");
    case BT_CSV_UTF8:
        return bt_str_starts_with(text, BT_STR("\xff\xfe")) ||
                       bt_str_starts_with(text, BT_STR("\xfe\xff"))
                   ? BT_STR("the file begins with the mark of UTF-16: save it as UTF-8")
                   : BT_STR("save the file as UTF-8");
    case BT_CSV_NUL:
        return BT_STR("remove it, and find out who wrote it");
    case BT_CSV_EMPTY:
        return BT_STR("write the plan: a header, then one row for each step");
    case BT_CSV_BARE_CR:
        return BT_STR("end records with LF or CRLF");
    case BT_CSV_QUOTE_BARE:
        return BT_STR("quote the whole cell and double the quotes in it; nothing may stand before "
                      "an opening quote");
    case BT_CSV_QUOTE_TRAILING:
        return BT_STR("double the inner quote, or remove what follows the closing one");
    case BT_CSV_QUOTE_UNTERMINATED:
        return BT_STR("close the quote; what follows it was not read");
    case BT_CSV_ERROR_NONE:
        break;
    }
    return BT_STR("");
}

static enum bt_status add_fatal_finding(struct bt_plan_check *plan,
                                        const struct bt_csv_read_result *result)
{
    struct bt_finding_builder remark;
    const bt_str code = bt_csv_error_name(result->code);
    bt_finding_builder_begin(&remark, bt_plan_rule(code));
    remark.finding.offset = result->offset;
    remark.finding.hint = fatal_hint(result, plan->text);
    if (result->code == BT_CSV_TOO_LARGE) {
        bt_buf_printf(&remark.message, "the limit of %" PRIu64 " for one %.*s is exceeded",
                      result->limit, BT_STR_ARG(result->limit_name));
        bt_emit_member_string(&remark.emit, "limit", result->limit_name);
        bt_emit_member_u64(&remark.emit, "max", result->limit);
        bt_emit_member_u64(&remark.emit, "actual", result->actual);
    }
    if (result->code == BT_CSV_UTF8 || result->code == BT_CSV_NUL) {
        bt_emit_member_u64(&remark.emit, "offset", result->offset);
    } else if (result->code != BT_CSV_EMPTY) {
        put_place(&remark.pointer, result);
    }
    return bt_finding_builder_end(&remark, plan->findings);
}

static enum bt_status add_line_findings(struct bt_plan_check *plan)
{
    const struct bt_csv_table *table = plan->table;
    struct bt_finding_builder remark;
    if (table->blank_lines > 0) {
        bt_plan_remark(plan, &remark, "CSV_BLANK_LINE");
        bt_buf_printf(&remark.message, "%zu blank line%s passed over", table->blank_lines,
                      table->blank_lines == 1 ? " was" : "s were");
        bt_emit_member_u64(&remark.emit, "count", table->blank_lines);
        BT_TRY(bt_finding_builder_end(&remark, plan->findings));
    }
    if (table->lf_count > 0 && table->crlf_count > 0) {
        bt_plan_remark(plan, &remark, "CSV_MIXED_EOL");
        bt_buf_printf(&remark.message, "%zu records end in LF and %zu in CRLF", table->lf_count,
                      table->crlf_count);
        bt_emit_member_u64(&remark.emit, "lf", table->lf_count);
        bt_emit_member_u64(&remark.emit, "crlf", table->crlf_count);
        BT_TRY(bt_finding_builder_end(&remark, plan->findings));
    }
    return BT_OK;
}

static bool all_blank(const struct bt_csv_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (!bt_plan_is_blank(row->cells[i].text)) {
            return false;
        }
    }
    return true;
}

static bt_str ragged_hint(const struct bt_plan_ragged *ragged, bool is_long)
{
    if (!is_long) {
        return BT_STR("add the missing cells");
    }
    return ragged->fix == BT_FIX_SAFE ? BT_STR("remove the empty cells at the end of the row")
                                      : BT_STR("quote the cell that holds the comma");
}

static enum bt_status add_ragged_finding(struct bt_plan_check *plan, size_t row)
{
    const size_t wanted = plan->table->rows[0].count;
    const struct bt_csv_row *record = &plan->table->rows[row];
    struct bt_plan_ragged ragged;
    struct bt_finding_builder remark;
    BT_TRY(bt_plan_check_ragged(plan, row, &ragged));
    bt_plan_remark_row(plan, &remark, "CSV_RAGGED_ROW", row);
    bt_buf_printf(&remark.message, "row %zu has %zu cell%s, the header has %zu", row, record->count,
                  record->count == 1 ? "" : "s", wanted);
    remark.finding.hint = ragged_hint(&ragged, record->count > wanted);
    remark.finding.fix = ragged.fix;
    bt_emit_member_u64(&remark.emit, "expected", wanted);
    bt_emit_member_u64(&remark.emit, "actual", record->count);
    if (ragged.has_readings && ragged.fix == BT_FIX_NONE) {
        bt_emit_name(&remark.emit, "readings");
        bt_emit_i64(&remark.emit, ragged.readings);
    }
    return bt_finding_builder_end(&remark, plan->findings);
}

static enum bt_status read_row(struct bt_plan_check *plan, size_t row, bool *out_is_lost)
{
    const enum bt_plan_column column = bt_plan_id_column(plan);
    struct bt_finding_builder remark;
    if (plan->table->rows[row].count != plan->table->rows[0].count) {
        *out_is_lost = true;
        return add_ragged_finding(plan, row);
    }
    if (all_blank(&plan->table->rows[row])) {
        bt_plan_remark_row(plan, &remark, "PLAN_ROW_BLANK", row);
        bt_buf_printf(&remark.message, "row %zu is blank and was ignored", row);
        remark.finding.hint = BT_STR("delete it");
        return bt_finding_builder_end(&remark, plan->findings);
    }
    const bt_str id = bt_plan_text(plan, row, column);
    if (bt_plan_is_blank(id)) {
        *out_is_lost = true;
        bt_plan_remark_cell(plan, &remark, "PLAN_STEP_BLANK", row, column);
        bt_buf_printf(&remark.message, "row %zu has content but no identifier", row);
        remark.finding.hint = BT_STR("give the step an id");
        return bt_finding_builder_end(&remark, plan->findings);
    }
    plan->steps[plan->steps_count++] = (struct bt_plan_step){row, bt_plan_trim(id)};
    return BT_OK;
}

enum bt_status bt_plan_read_rows(struct bt_plan_check *plan)
{
    bool is_lost = false;
    plan->steps = BT_NEW_ARRAY(plan->arena, struct bt_plan_step, plan->table->count);
    if (!plan->steps) {
        return BT_ENOMEM;
    }
    for (size_t row = 1; row < plan->table->count; row++) {
        BT_TRY(read_row(plan, row, &is_lost));
    }
    if (plan->steps_count == 0 && !is_lost) {
        struct bt_finding_builder remark;
        bt_plan_remark(plan, &remark, "PLAN_NO_STEPS");
        bt_buf_put_text(&remark.message, "the plan has no steps");
        remark.finding.hint = BT_STR("add a row for each step");
        return bt_finding_builder_end(&remark, plan->findings);
    }
    return BT_OK;
}

enum bt_status bt_plan_read(struct bt_plan_check *plan, bt_str text)
{
    const size_t before = bt_findings_count(plan->findings);
    const struct bt_csv_options options = bt_csv_options_from_env(plan->plans->env);
    struct bt_csv_read_result result;
    plan->text = text;
    BT_TRY(bt_csv_read(plan->arena, text, &options, &result));
    if (!result.table) {
        return add_fatal_finding(plan, &result);
    }
    plan->table = result.table;
    BT_TRY(add_line_findings(plan));
    BT_TRY(bt_plan_read_header(plan));
    if (bt_findings_have_hard(plan->findings, before)) {
        return BT_OK;
    }
    BT_TRY(bt_plan_read_rows(plan));
    plan->is_readable = !bt_findings_have_hard(plan->findings, before);
    return BT_OK;
}
