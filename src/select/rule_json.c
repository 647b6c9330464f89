/* SPDX-License-Identifier: Apache-2.0 */
/* rule_json.c - rows of the registry of rules as JSON. */
#include "select/rule_json.h"

#include <assert.h>

#include "base/env.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/write.h"
#include "select/select.h"

size_t bt_rule_group_end(size_t first)
{
    const unsigned code = bt_rules_at(first)->id;
    size_t end = first + 1;
    while (end < bt_rules_count() && bt_rules_at(end)->id == code) {
        end++;
    }
    return end;
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
    const size_t end = bt_rule_group_end(first);
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
    for (size_t i = 0; i < bt_rules_count(); i = bt_rule_group_end(i)) {
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
