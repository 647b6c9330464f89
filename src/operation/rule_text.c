/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_text.c - rows of the registry of rules, for a terminal, as Markdown and as JSON.
 */
#include "operation/rule_text.h"

#include <assert.h>

#include "base/env.h"
#include "json/builder.h"
#include "operation/wrap_text.h"
#include "report/render.h"
#include "select/select.h"

/* The index after the last row that has the code of row `first`. */
static size_t group_end(size_t first)
{
    const unsigned code = bt_rules_at(first)->id;
    size_t end = first + 1;
    while (end < bt_rules_count() && bt_rules_at(end)->id == code) {
        end++;
    }
    return end;
}

void bt_rule_put_group(struct bt_buf *buf, size_t first,
                       void (*put)(struct bt_buf *, const struct bt_rule *))
{
    const size_t end = group_end(first);
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

static void emit_needs(struct bt_emit *emit, const struct bt_rule *rule)
{
    static const bt_str names[] = {BT_STR_INIT("store"), BT_STR_INIT("caller"),
                                   BT_STR_INIT("root")}; /* in the order of enum bt_rule_need */
    bt_emit_name(emit, "needs");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (rule->needs >> i & 1) {
            bt_emit_string(emit, names[i]);
        }
    }
    bt_emit_end(emit);
}

void bt_rule_emit_group(struct bt_emit *emit, size_t first)
{
    assert(emit);
    const struct bt_rule *rule = bt_rules_at(first);
    const size_t end = group_end(first);
    bt_emit_begin_object(emit);
    bt_emit_member_string_or_null(emit, "code", rule->code);
    bt_emit_member_string_or_null(emit, "severity", bt_severity_name(rule->severity));
    bt_emit_member_string_or_null(emit, "stage", bt_stage_name(rule->stage));
    bt_emit_member_string_or_null(emit, "meaning", rule->meaning);
    bt_emit_member_string_or_null(emit, "fix", bt_fix_name(rule->fix));
    bt_emit_name(emit, "security");
    bt_emit_bool(emit, rule->security);
    bt_emit_member_string_or_null(emit, "lowest",
                                  bt_select_level_name(bt_select_lowest(rule->id).level));
    emit_needs(emit, rule);
    bt_emit_name(emit, "dialects");
    bt_emit_begin_array(emit);
    for (size_t i = first; i < end; i++) {
        bt_emit_string(emit, bt_rules_at(i)->dialect);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void bt_rule_emit_all(struct bt_emit *emit)
{
    assert(emit);
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < bt_rules_count(); i = group_end(i)) {
        bt_rule_emit_group(emit, i);
    }
    bt_emit_end(emit);
}

enum bt_status bt_rule_digest(struct bt_arena *arena, bt_str *out)
{
    assert(arena);
    assert(out);
    struct bt_json_builder rules;
    const struct bt_json_doc *document = NULL;
    char hex[BT_SHA256_HEX_BYTES];
    bt_str text;
    bt_rule_emit_all(bt_json_builder_begin(&rules, arena, NULL));
    BT_TRY(bt_json_builder_finish(&rules, BT_OK, &document));
    BT_TRY(
        bt_json_write_text(document, bt_json_root(document), BT_JSON_FORM_CANONICAL, arena, &text));
    BT_TRY(bt_sha256_hex(text, hex));
    return bt_arena_copy(arena, bt_str_of(hex), out);
}
