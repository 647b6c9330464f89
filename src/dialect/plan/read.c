/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - is this text a plan? bytes -> records, header, rows, steps; the read stage.
 *
 * Recognition allocates nothing, and reads only as far as the header needs.
 */
#include <assert.h>
#include <stdio.h>

#include "base/ascii.h"
#include "dialect/plan/plan.h"
#include "dialect/plan/plan_check.h"
#include "json/peek.h"
#include "report/rules.h"

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
    return bt_ascii_trim(text, bt_ascii_is_blank);
}

bool bt_plan_is_blank(bt_str text)
{
    return bt_ascii_all(text, bt_json_is_space);
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

struct bt_location bt_plan_row_location(const struct bt_plan_check *plan, size_t row)
{
    return bt_location_cell(row, BT_STR(""), plan->table->rows[row].begin);
}

struct bt_location bt_plan_cell_location(const struct bt_plan_check *plan, size_t row,
                                         enum bt_plan_column column)
{
    return bt_location_cell(row, bt_plan_column_name(column), bt_plan_offset(plan, row, column));
}

/* The cell or the row of an error within records, or the whole document. */
static struct bt_location locate_error(const struct bt_csv_read_result *result)
{
    const bool is_large = result->code == BT_CSV_TOO_LARGE;
    const bool is_cell = !is_large || result->limit_kind == BT_CSV_LIMIT_CELL;
    if (!is_cell && result->limit_kind != BT_CSV_LIMIT_ROW) {
        return bt_location_pointer(BT_STR(""), result->offset);
    }
    const bool is_named =
        is_cell && result->row > 0 && result->header && result->cell < result->header->count;
    const bt_str column = is_named ? result->header->cells[result->cell].text : BT_STR("");
    return bt_location_cell(result->row, column, result->offset);
}

static enum bt_status add_too_large_finding(struct bt_plan_check *plan,
                                            const struct bt_csv_read_result *result)
{
    static const enum bt_csv_too_large_limit limits[] = {
        [BT_CSV_LIMIT_DOCUMENT] = BT_CSV_TOO_LARGE_LIMIT_DOCUMENT,
        [BT_CSV_LIMIT_ROW] = BT_CSV_TOO_LARGE_LIMIT_ROW,
        [BT_CSV_LIMIT_CELL] = BT_CSV_TOO_LARGE_LIMIT_CELL,
        [BT_CSV_LIMIT_CELLS] = BT_CSV_TOO_LARGE_LIMIT_CELLS,
    };
    return bt_add_csv_too_large(plan->findings, locate_error(result), limits[result->limit_kind],
                                result->limit, result->actual);
}

static enum bt_status add_csv_finding(struct bt_plan_check *plan,
                                      const struct bt_csv_read_result *result)
{
    const struct bt_location offset = bt_location_pointer(BT_STR(""), result->offset);
    switch (result->code) {
    case BT_CSV_TOO_LARGE:
        return add_too_large_finding(plan, result);
    case BT_CSV_UTF8:
        return bt_add_csv_utf8(plan->findings, offset, result->offset,
                               bt_str_starts_with(plan->text, BT_STR("\xff\xfe")) ||
                                   bt_str_starts_with(plan->text, BT_STR("\xfe\xff")));
    case BT_CSV_NUL:
        return bt_add_csv_nul(plan->findings, offset, result->offset);
    case BT_CSV_EMPTY:
        return bt_add_csv_empty(plan->findings, offset);
    case BT_CSV_BARE_CR:
        return bt_add_csv_bare_cr(plan->findings, locate_error(result));
    case BT_CSV_QUOTE_BARE:
        return bt_add_csv_quote_bare(plan->findings, locate_error(result));
    case BT_CSV_QUOTE_TRAILING:
        return bt_add_csv_quote_trailing(plan->findings, locate_error(result));
    case BT_CSV_QUOTE_UNTERMINATED:
        return bt_add_csv_quote_unterminated(plan->findings, locate_error(result));
    case BT_CSV_ERROR_NONE:
        break;
    }
    assert(false); /* a text without a table has an error */
    return BT_OK;
}

static enum bt_status add_line_findings(struct bt_plan_check *plan)
{
    const struct bt_csv_table *table = plan->table;
    if (table->blank_lines > 0) {
        BT_TRY(bt_add_csv_blank_line(plan->findings, bt_location_whole(), table->blank_lines,
                                     table->blank_lines == 1));
    }
    return table->lf_count > 0 && table->crlf_count > 0
               ? bt_add_csv_mixed_eol(plan->findings, bt_location_whole(), table->lf_count,
                                      table->crlf_count)
               : BT_OK;
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

static enum bt_status add_ragged_finding(struct bt_plan_check *plan, size_t row)
{
    const size_t expected = plan->table->rows[0].count;
    const size_t actual = plan->table->rows[row].count;
    struct bt_plan_ragged ragged;
    char readings[16];
    BT_TRY(bt_plan_check_ragged(plan, row, &ragged));
    (void)snprintf(readings, sizeof(readings), "%d", ragged.readings);
    const bool shows_readings = ragged.has_readings && ragged.fix == BT_FIX_NONE;
    return bt_add_csv_ragged_row(
        plan->findings, ragged.fix, bt_plan_row_location(plan, row), expected, actual,
        shows_readings ? bt_str_of(readings) : BT_STR_ABSENT, row, actual == 1,
        actual < expected           ? BT_CSV_RAGGED_ROW_REPAIR_ADD
        : ragged.fix == BT_FIX_SAFE ? BT_CSV_RAGGED_ROW_REPAIR_REMOVE
                                    : BT_CSV_RAGGED_ROW_REPAIR_QUOTE);
}

static enum bt_status read_row(struct bt_plan_check *plan, size_t row, bool *out_is_lost)
{
    const enum bt_plan_column column = bt_plan_id_column(plan);
    if (plan->table->rows[row].count != plan->table->rows[0].count) {
        *out_is_lost = true;
        return add_ragged_finding(plan, row);
    }
    if (all_blank(&plan->table->rows[row])) {
        return bt_add_plan_row_blank(plan->findings, bt_plan_row_location(plan, row), row);
    }
    const bt_str id = bt_plan_text(plan, row, column);
    if (bt_plan_is_blank(id)) {
        *out_is_lost = true;
        return bt_add_plan_step_blank(plan->findings, bt_plan_cell_location(plan, row, column),
                                      row);
    }
    plan->steps[plan->steps_count++] = (struct bt_plan_step){row, bt_plan_trim(id)};
    return BT_OK;
}

enum bt_status bt_plan_read_rows(struct bt_plan_check *plan)
{
    bool is_lost = false;
    plan->steps = BT_NEW_ARRAY(plan->arena, struct bt_plan_step, plan->table->count);
    BT_TRY(plan->steps ? BT_OK : BT_ENOMEM);
    for (size_t row = 1; row < plan->table->count; row++) {
        BT_TRY(read_row(plan, row, &is_lost));
    }
    return plan->steps_count == 0 && !is_lost
               ? bt_add_plan_no_steps(plan->findings, bt_location_whole())
               : BT_OK;
}

enum bt_status bt_plan_read(struct bt_plan_check *plan, bt_str text)
{
    const size_t before = bt_findings_count(plan->findings);
    const struct bt_csv_options options = bt_csv_options_from_env(plan->plans->env);
    struct bt_csv_read_result result;
    plan->text = text;
    BT_TRY(bt_csv_read(plan->arena, text, &options, &result));
    if (!result.table) {
        return add_csv_finding(plan, &result);
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

/* Move `at` behind the cell that begins there, and set its text; a quoted one with doubled quotes
 * in it can be no name that is looked for. */
static bt_str next_cell(bt_str text, size_t *at)
{
    const size_t begin = *at;
    if (begin < text.len && text.ptr[begin] == '"') {
        size_t quote = bt_str_find_byte(text, '"', begin + 1);
        while (quote + 1 < text.len && text.ptr[quote + 1] == '"') {
            quote = bt_str_find_byte(text, '"', quote + 2);
        }
        *at = quote < text.len ? quote + 1 : text.len;
        return bt_str_slice(text, begin + 1, quote);
    }
    while (*at < text.len && text.ptr[*at] != ',' && text.ptr[*at] != '\r' &&
           text.ptr[*at] != '\n') {
        (*at)++;
    }
    return bt_str_slice(text, begin, *at);
}

static size_t skip_blank_lines(bt_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == '\n' || (text.ptr[at] == '\r' && at + 1 < text.len &&
                                                      text.ptr[at + 1] == '\n'))) {
        at++;
    }
    return at;
}

bool bt_plan_recognise(bt_str content)
{
    const size_t mark = bt_str_starts_with(content, BT_STR("\xef\xbb\xbf")) ? 3 : 0;
    const bt_str text = bt_str_slice(content, mark, content.len);
    if (text.len == 0 || text.ptr[0] == '{' || text.ptr[0] == '[' || text.ptr[0] == '<') {
        return false;
    }
    for (size_t at = skip_blank_lines(text, 0); at < text.len;) {
        const bt_str name = next_cell(text, &at);
        if (bt_str_eq(name, BT_STR("step")) || bt_str_eq(name, BT_STR("step_id"))) {
            return true;
        }
        if (at >= text.len || text.ptr[at] != ',') {
            return false;
        }
        at++;
    }
    return false;
}
