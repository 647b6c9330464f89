/* SPDX-License-Identifier: Apache-2.0 */
/* tool_policy.c - what the rules of a policy say about one tool. */
#include <assert.h>

#include "json/get.h"
#include "wrap/policy.h"

/* ---- Annotations ----------------------------------------------------------------------------- */

static enum bt_wrap_choice read_hint(const struct bt_json_doc *document,
                                     const bt_json_value *annotations, const char *name)
{
    const bt_json_value *value =
        annotations ? bt_json_get(document, annotations, bt_str_of(name)) : NULL;
    const enum bt_json_type type = value ? bt_json_type(value) : BT_JSON_NULL;
    return type == BT_JSON_TRUE    ? BT_WRAP_CHOICE_YES
           : type == BT_JSON_FALSE ? BT_WRAP_CHOICE_NO
                                   : BT_WRAP_CHOICE_UNSET;
}

struct bt_wrap_hints bt_wrap_hints_read(const struct bt_json_doc *document,
                                        const bt_json_value *definition)
{
    const bt_json_value *annotations = bt_json_get(document, definition, BT_STR("annotations"));
    return (struct bt_wrap_hints){
        .read_only = read_hint(document, annotations, "readOnlyHint"),
        .destructive = read_hint(document, annotations, "destructiveHint"),
        .idempotent = read_hint(document, annotations, "idempotentHint"),
        .open_world = read_hint(document, annotations, "openWorldHint"),
    };
}

static enum bt_wrap_class class_of(const struct bt_wrap_hints *hints)
{
    if (hints->read_only == BT_WRAP_CHOICE_YES) {
        return BT_WRAP_CLASS_READ;
    }
    return hints->destructive == BT_WRAP_CHOICE_NO ? BT_WRAP_CLASS_WRITE
                                                   : BT_WRAP_CLASS_DESTRUCTIVE;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

static bool is_word(bt_str pattern)
{
    return bt_str_starts_with(pattern, BT_STR("@"));
}

/* Whether a name with * and ? matches: a `*` takes more only when what follows it fails. A `?` is
 * one character, which may have several bytes. */
static bool name_matches(bt_str pattern, bt_str name)
{
    size_t p = 0;
    size_t n = 0;
    size_t star = SIZE_MAX;
    size_t after_star = 0; /* where the name goes on behind the bytes that the star took */
    while (n < name.len) {
        uint32_t point = 0;
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            after_star = n;
        } else if (p < pattern.len && pattern.ptr[p] == '?') {
            n += bt_utf8_decode(name, n, &point);
            p++;
        } else if (p < pattern.len && pattern.ptr[p] == name.ptr[n]) {
            n++;
            p++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++after_star;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') {
        p++;
    }
    return p == pattern.len;
}

/* A tool while rules are applied to it. */
struct wrap_tool_match {
    bt_str name;
    const struct bt_wrap_hints *hints;
    enum bt_wrap_class tool_class;
    bool is_idempotent;
};

static bool word_matches(bt_str pattern, const struct wrap_tool_match *tool)
{
    static const bt_str words[] = {BT_STR_INIT("@read"), BT_STR_INIT("@write"),
                                   BT_STR_INIT("@destructive"), BT_STR_INIT("@idempotent"),
                                   BT_STR_INIT("@open")};
    enum { WORD_IDEMPOTENT = 3, WORD_OPEN = 4 };
    const size_t word = bt_str_index_in(pattern, words, BT_COUNT_OF(words));
    switch (word) {
    case WORD_IDEMPOTENT:
        return tool->is_idempotent;
    case WORD_OPEN:
        return tool->hints->open_world != BT_WRAP_CHOICE_NO;
    default:
        return word + 1 == (size_t)tool->tool_class;
    }
}

/* Whether a rule is about the tool: by a name alone, or also by a word. */
static bool rule_matches(const struct bt_wrap_rule *rule, const struct wrap_tool_match *tool,
                         bool with_words)
{
    for (size_t i = 0; i < rule->tools.count; i++) {
        const bt_str pattern = rule->tools.items[i];
        if (is_word(pattern) ? with_words && word_matches(pattern, tool)
                             : name_matches(pattern, tool->name)) {
            return true;
        }
    }
    return false;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

#define TAKE_WORD(into_, from_, member_)                                                           \
    ((into_)->member_ = (from_)->member_ ? (from_)->member_ : (into_)->member_)
#define TAKE_NUMBER(into_, from_, member_)                                                         \
    ((into_)->member_ = (from_)->member_ != BT_WRAP_UNSET ? (from_)->member_ : (into_)->member_)

/* What a later rule says wins. */
static void take_rule(struct bt_wrap_rule *into, const struct bt_wrap_rule *rule)
{
    TAKE_WORD(into, rule, deny);
    TAKE_WORD(into, rule, approve);
    TAKE_WORD(into, rule, over);
    TAKE_WORD(into, rule, arguments);
    TAKE_WORD(into, rule, results);
    TAKE_WORD(into, rule, record);
    TAKE_WORD(into, rule, wait);
    TAKE_WORD(into, rule, fail);
    TAKE_NUMBER(into, rule, rate);
    TAKE_NUMBER(into, rule, tokens);
    TAKE_NUMBER(into, rule, bytes);
    TAKE_NUMBER(into, rule, cost);
    into->unpinned = rule->unpinned.items ? rule->unpinned : into->unpinned;
}

void bt_wrap_policy_for_tool(const struct bt_wrap_policy *policy, bt_str name,
                             const struct bt_wrap_hints *hints, struct bt_wrap_tool_policy *out)
{
    struct wrap_tool_match tool = {.name = name,
                                   .hints = hints,
                                   .tool_class = class_of(hints),
                                   .is_idempotent = hints->idempotent == BT_WRAP_CHOICE_YES};
    *out = (struct bt_wrap_tool_policy){.rate_rule = BT_WRAP_NO_RULE,
                                        .rule = {.deny = BT_WRAP_CHOICE_NO,
                                                 .approve = BT_WRAP_CHOICE_NO,
                                                 .over = BT_WRAP_OVER_WARN,
                                                 .arguments = policy->arguments,
                                                 .results = policy->results,
                                                 .record = policy->record,
                                                 .wait = policy->wait,
                                                 .fail = policy->fail,
                                                 .tokens = BT_WRAP_UNSET,
                                                 .bytes = BT_WRAP_UNSET}};
    for (size_t i = 0; i < policy->rules.count; i++) {
        const struct bt_wrap_rule *rule = &policy->rules.items[i];
        if (rule_matches(rule, &tool, false)) {
            TAKE_WORD(&tool, rule, tool_class);
            tool.is_idempotent =
                rule->idempotent ? rule->idempotent == BT_WRAP_CHOICE_YES : tool.is_idempotent;
        }
    }
    for (size_t i = 0; i < policy->rules.count; i++) {
        const struct bt_wrap_rule *rule = &policy->rules.items[i];
        if (rule_matches(rule, &tool, true)) {
            take_rule(&out->rule, rule);
            out->rate_rule = rule->rate != BT_WRAP_UNSET ? (ptrdiff_t)i : out->rate_rule;
        }
    }
    out->rule.tool_class = tool.tool_class;
    out->rule.idempotent = tool.is_idempotent ? BT_WRAP_CHOICE_YES : BT_WRAP_CHOICE_NO;
}

bool bt_wrap_policy_needs_hints(const struct bt_wrap_policy *policy)
{
    for (size_t i = 0; i < policy->rules.count; i++) {
        const struct bt_str_list *tools = &policy->rules.items[i].tools;
        for (size_t j = 0; j < tools->count; j++) {
            if (is_word(tools->items[j])) {
                return true;
            }
        }
    }
    return false;
}
