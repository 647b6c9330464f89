/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rules.c - baton explain, baton rules */
#include "base/ascii.h"
#include "cli.h"
#include "operation/rule_text.h"
#include "operation/wrap_text.h"
#include "output.h"
#include "suggest.h"

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

enum { SEVERITY_COLUMNS = 4 };

static void put_padded(struct bt_buf *buf, bt_str word, size_t columns)
{
    bt_buf_put(buf, word);
    bt_buf_put_repeat(buf, ' ', word.len < columns ? columns - word.len : 0);
    bt_buf_put_text(buf, "  ");
}

static void put_list(struct bt_buf *buf)
{
    size_t code_columns = 0;
    size_t dialect_columns = 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        code_columns = rule->code.len > code_columns ? rule->code.len : code_columns;
        dialect_columns = rule->dialect.len > dialect_columns ? rule->dialect.len : dialect_columns;
    }
    const size_t meaning_at = code_columns + 2 + SEVERITY_COLUMNS + 2 + dialect_columns + 2;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        const bool is_word = rule->severity == BT_SEVERITY_NONE;
        put_padded(buf, rule->code, code_columns);
        put_padded(buf, is_word ? BT_STR("-") : bt_severity_name(rule->severity), SEVERITY_COLUMNS);
        put_padded(buf, rule->dialect, dialect_columns);
        bt_text_put_wrapped(buf, rule->meaning, meaning_at, meaning_at);
    }
}

static void put_json(struct bt_buf *buf)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_name(&emit, "rules");
    bt_rule_emit_all(&emit);
    cli_json_end(&emit);
}

static void put_page(struct bt_buf *buf)
{
    bt_buf_put_text(buf, "# Rules\n\n"
                         "Everything that Baton can say about a document, by code. HARD blocks, "
                         "WARN does not, INFO tells.\n"
                         "This page is the output of `baton rules -f markdown`; "
                         "`baton explain CODE` prints one rule.\n");
    for (size_t i = 0; i < bt_rules_count(); i++) {
        bt_buf_put_char(buf, '\n');
        bt_rule_put_markdown(buf, bt_rules_at(i));
    }
}

int cmd_rules(const struct cli_options *options)
{
    const enum bt_report_format format =
        options->output_count > 0 ? options->outputs[0].format : BT_REPORT_FORMAT_FULL;
    struct bt_buf buf;
    bt_buf_init(&buf, RULES_BYTES_MAX);
    if (format == BT_REPORT_FORMAT_JSON) {
        put_json(&buf);
    } else if (format == BT_REPORT_FORMAT_MARKDOWN) {
        put_page(&buf);
    } else {
        put_list(&buf);
    }
    return cli_print_buf(&buf);
}
