/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_text.c - rows of the registry of rules, for a terminal and as Markdown.
 */
#include "operation/rule_text.h"

#include <assert.h>

#include "operation/wrap_text.h"
#include "report/render.h"
#include "select/select.h"

void bt_rule_put_group(struct bt_buf *buf, size_t first,
                       void (*put)(struct bt_buf *, const struct bt_rule *))
{
    const size_t end = bt_rule_group_end(first);
    for (size_t i = first; i < end; i++) {
        bt_buf_put_text(buf, i > first ? "\n" : "");
        put(buf, bt_rules_at(i));
    }
}

/* "error (HARD), stage read, dialect json, a security event, --fix repairs it" */
static void put_nature(struct bt_buf *buf, const struct bt_rule *rule)
{
    if (rule->severity == BT_SEVERITY_NONE) {
        bt_buf_printf(buf, "never a finding, dialect %.*s", BT_STR_ARG(rule->dialect));
    } else {
        bt_buf_printf(buf, "%s (%.*s), stage %.*s, dialect %.*s",
                      bt_render_severity(rule->severity),
                      BT_STR_ARG(bt_severity_name(rule->severity)),
                      BT_STR_ARG(bt_stage_name(rule->stage)), BT_STR_ARG(rule->dialect));
    }
    if (rule->security) {
        bt_buf_put_text(buf, ", a security event");
    }
    if (rule->fix != BT_FIX_NONE) {
        bt_buf_put_text(buf, rule->fix == BT_FIX_SAFE ? ", --fix repairs it"
                                                      : ", --fix --unsafe-fixes repairs it");
    }
}

/* What settings of `baton check` can do to the rule, as a sentence; nothing for a word that is
 * never a finding. */
static void put_lowest(struct bt_buf *buf, const struct bt_rule *rule)
{
    const struct bt_select_lowest lowest = bt_select_lowest(rule->id);
    if (lowest.level == BT_SELECT_LEVEL_NONE) {
        return;
    }
    if (lowest.is_protected) {
        bt_buf_printf(buf, "No setting can show it below its severity (%.*s).",
                      BT_STR_ARG(bt_select_reason_name(lowest.reason)));
    } else {
        bt_buf_put_text(buf, lowest.level == BT_SELECT_LEVEL_OFF
                                 ? "A setting can turn it off."
                                 : "A setting can make it a warning, but not less.");
    }
}

static void put_example_full(struct bt_buf *buf, const char *title, bt_str example)
{
    if (example.len > 0) {
        bt_buf_printf(buf, "\n  %s:\n", title);
        bt_text_put_lines(buf, example, 6);
    }
}

void bt_rule_put_full(struct bt_buf *buf, const struct bt_rule *rule)
{
    assert(buf);
    assert(rule);
    bt_buf_printf(buf, "%.*s: ", BT_STR_ARG(rule->code));
    bt_text_put_wrapped(buf, rule->meaning, rule->code.len + 2, 2);
    bt_buf_put_text(buf, "  ");
    put_nature(buf, rule);
    bt_buf_put_text(buf, rule->severity == BT_SEVERITY_NONE ? "" : "\n  ");
    put_lowest(buf, rule);
    bt_buf_put_text(buf, "\n\n  ");
    bt_text_put_wrapped(buf, rule->explanation, 2, 2);
    put_example_full(buf, "Bad", rule->bad);
    put_example_full(buf, "Good", rule->good);
}

/* An indented block rather than a fenced one: no example can end it early. */
static void put_example_markdown(struct bt_buf *buf, const char *title, bt_str example)
{
    if (example.len > 0) {
        bt_buf_printf(buf, "\n%s:\n\n", title);
        bt_text_put_lines(buf, example, 4);
    }
}

void bt_rule_put_markdown(struct bt_buf *buf, const struct bt_rule *rule)
{
    assert(buf);
    assert(rule);
    bt_buf_printf(buf, "## %.*s (%.*s)\n\n", BT_STR_ARG(rule->code), BT_STR_ARG(rule->dialect));
    bt_buf_put(buf, rule->meaning);
    bt_buf_put_text(buf, "\n\n*");
    put_nature(buf, rule);
    bt_buf_put_text(buf, rule->severity == BT_SEVERITY_NONE ? "*" : "*. ");
    put_lowest(buf, rule);
    bt_buf_put_text(buf, "\n\n");
    bt_buf_put(buf, rule->explanation);
    bt_buf_put_char(buf, '\n');
    put_example_markdown(buf, "Bad", rule->bad);
    put_example_markdown(buf, "Good", rule->good);
}
