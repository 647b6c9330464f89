/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rules.c - baton explain, baton rules */
#include "base/ascii.h"
#include "base/buf.h"
#include "cli.h"
#include "operation/rule_text.h"
#include "output.h"
#include "report/table.h"
#include "select/select.h"
#include "suggest.h"

#include "json/emit.h"

/* ---- baton explain --------------------------------------------------------------------------- */

static void put_group_json(struct bt_buf *buf, size_t first)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_name(&emit, "rule");
    bt_rule_emit_group(&emit, first);
    cli_json_end(&emit);
}

/* The first row of a code, in upper or lower case; the number of rows when there is none. */
static size_t find_code(bt_str code)
{
    size_t row = 0;
    while (row < bt_rules_count() && !bt_ascii_equal_nocase(bt_rules_at(row)->code, code)) {
        row++;
    }
    return row;
}

int cmd_explain(const struct cli_options *options)
{
    const bt_str code = bt_str_of(options->operands[0]);
    const size_t first = find_code(code);
    if (first == bt_rules_count()) {
        struct cli_unknown unknown = {
            .noun = "code", .word = code, .allowed = cli_allow_kind(CLI_CODE)};
        unknown.allowed.prefers_longer = true;
        return cli_print_unknown(options->command, &unknown);
    }
    const enum bt_report_format format =
        options->output_count > 0 ? options->outputs[0].format : BT_REPORT_FORMAT_FULL;
    struct bt_buf buf;
    bt_buf_init(&buf, RULES_BYTES_MAX);
    if (format == BT_REPORT_FORMAT_JSON) {
        put_group_json(&buf, first);
    } else {
        bt_rule_put_group(&buf, first,
                          format == BT_REPORT_FORMAT_MARKDOWN ? bt_rule_put_markdown
                                                              : bt_rule_put_full);
    }
    return cli_print_buf(&buf);
}

/* ---- baton rules ----------------------------------------------------------------------------- */

/* Which codes are listed. */
struct cli_rule_filter {
    bt_str prefix; /* of the code; "": any */
    bt_str dialect;
    bt_str stage;
    enum bt_severity severity; /* none: any */
    bool is_fixable;
    bool is_security;
};

static bool take_filter(const struct cli_options *options, struct cli_rule_filter *out)
{
    const char *severity = cli_given(options, &flag_rule_severity);
    *out = (struct cli_rule_filter){
        .prefix = bt_str_of(options->operand_count > 0 ? options->operands[0] : ""),
        .dialect = bt_str_of(cli_given(options, &flag_rule_dialect)),
        .stage = bt_str_of(cli_given(options, &flag_stage)),
        .is_fixable = cli_given(options, &flag_fixable) != NULL,
        .is_security = cli_given(options, &flag_security) != NULL,
    };
    if (bt_str_ends_with(out->prefix, BT_STR("*"))) {
        out->prefix = bt_str_slice(out->prefix, 0, out->prefix.len - 1);
    }
    return !severity || bt_severity_parse(bt_str_of(severity), &out->severity) == BT_OK ||
           cli_refuse_value(options, &flag_rule_severity, severity);
}

static bool row_passes(const struct cli_rule_filter *filter, const struct bt_rule *rule)
{
    return bt_ascii_equal_nocase(bt_str_slice(rule->code, 0, filter->prefix.len), filter->prefix) &&
           (filter->dialect.len == 0 || bt_str_eq(rule->dialect, filter->dialect)) &&
           (filter->stage.len == 0 || bt_str_eq(bt_stage_name(rule->stage), filter->stage)) &&
           (!filter->severity || rule->severity == filter->severity) &&
           (!filter->is_fixable || rule->fix != BT_FIX_NONE) &&
           (!filter->is_security || rule->security);
}

static size_t find_group_end(size_t first)
{
    size_t end = first;
    while (end < bt_rules_count() && bt_str_eq(bt_rules_at(end)->code, bt_rules_at(first)->code)) {
        end++;
    }
    return end;
}

/* A code is listed when one of its rows passes. */
static bool group_passes(const struct cli_rule_filter *filter, size_t first)
{
    for (size_t i = first; i < find_group_end(first); i++) {
        if (row_passes(filter, bt_rules_at(i))) {
            return true;
        }
    }
    return false;
}

static void add_dialects(struct bt_table *table, size_t first)
{
    struct bt_buf names;
    bt_str text = BT_STR("");
    bt_buf_init(&names, RULES_BYTES_MAX);
    for (size_t i = first; i < find_group_end(first); i++) {
        bt_buf_put_text(&names, i > first ? "," : "");
        bt_buf_put(&names, bt_rules_at(i)->dialect);
    }
    const enum bt_status status = bt_buf_finish(&names, table->arena, &text);
    table->status = table->status == BT_OK ? status : table->status;
    bt_table_add(table, text);
}

static enum bt_status put_list(struct bt_buf *buf, const struct cli_rule_filter *filter)
{
    static const char *const names[] = {"CODE", "SEVERITY", "DIALECTS", "MEANING", NULL};
    struct bt_arena arena;
    struct bt_table table;
    bt_arena_init(&arena, RULES_BYTES_MAX);
    bt_table_init(&table, &arena, names);
    for (size_t i = 0; i < bt_rules_count(); i = find_group_end(i)) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (group_passes(filter, i)) {
            bt_table_add(&table, rule->code);
            bt_table_add(&table, bt_select_level_word(bt_select_level_of(rule->severity)));
            add_dialects(&table, i);
            bt_table_add(&table, rule->meaning);
        }
    }
    const enum bt_status status =
        table.cells.count > 0 ? bt_table_put(&table, cli_terminal_columns(), buf) : table.status;
    bt_arena_free(&arena);
    return status;
}

static void put_json(struct bt_buf *buf, const struct cli_rule_filter *filter)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    cli_json_array(&emit, "rules");
    for (size_t i = 0; i < bt_rules_count(); i = find_group_end(i)) {
        if (group_passes(filter, i)) {
            bt_rule_emit_group(&emit, i);
        }
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

static void put_page(struct bt_buf *buf, const struct cli_rule_filter *filter)
{
    bt_buf_put_text(buf, "# Rules\n\n"
                         "Everything that Baton can say about a document, by code. HARD blocks, "
                         "WARN does not, INFO tells.\n"
                         "This page is the output of `baton rules -f markdown`; "
                         "`baton explain CODE` prints one rule.\n");
    for (size_t i = 0; i < bt_rules_count(); i++) {
        if (row_passes(filter, bt_rules_at(i))) {
            bt_buf_put_char(buf, '\n');
            bt_rule_put_markdown(buf, bt_rules_at(i));
        }
    }
}

int cmd_rules(const struct cli_options *options)
{
    const enum bt_report_format format =
        options->output_count > 0 ? options->outputs[0].format : BT_REPORT_FORMAT_FULL;
    struct cli_rule_filter filter;
    struct bt_buf buf;
    if (!take_filter(options, &filter)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, RULES_BYTES_MAX);
    if (format == BT_REPORT_FORMAT_JSON) {
        put_json(&buf, &filter);
    } else if (format == BT_REPORT_FORMAT_MARKDOWN) {
        put_page(&buf, &filter);
    } else if (put_list(&buf, &filter) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    } else if (buf.len == 0) {
        cli_print_empty(options, "No rules. `baton rules` without flags lists all of them.");
    }
    return cli_print_buf(&buf);
}
