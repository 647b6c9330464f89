/* SPDX-License-Identifier: Apache-2.0 */
/* value_lists.c - the closed lists of words for flags and operands. */
#include <baton/tokens.h>

#include "cli.h"
#include "dialect/contract/contract.h"
#include "dialect/governed/governed.h"
#include "dialect/plan/plan.h"
#include "trace/trace.h"

/* clang-format off */
static const bt_str limit_words[] = {
    BT_STR_INIT("document_bytes="), BT_STR_INIT("depth="), BT_STR_INIT("nodes="),
    BT_STR_INIT("string_bytes="), BT_STR_INIT("row_bytes="), BT_STR_INIT("cell_bytes="),
    BT_STR_INIT("xml_bytes="), BT_STR_INIT("xml_depth="), BT_STR_INIT("schema_depth="),
    BT_STR_INIT(""),
};
static const bt_str shell_words[] = {
    BT_STR_INIT("bash"), BT_STR_INIT("zsh"), BT_STR_INIT("fish"), BT_STR_INIT(""),
};
static const bt_str rule_format_words[] = {
    BT_STR_INIT("full"), BT_STR_INIT("json"), BT_STR_INIT("markdown"), BT_STR_INIT(""),
};
static const bt_str draft_words[] = {
    BT_STR_INIT("3"), BT_STR_INIT("4"), BT_STR_INIT("6"), BT_STR_INIT("7"),
    BT_STR_INIT("2019-09"), BT_STR_INIT("2020-12"), BT_STR_INIT("v1"), BT_STR_INIT(""),
};
static const bt_str table_format_words[] = {
    BT_STR_INIT("full"), BT_STR_INIT("json"), BT_STR_INIT(""),
};
static const bt_str section_words[] = {
    BT_STR_INIT("metadata="), BT_STR_INIT("endpoints="), BT_STR_INIT("context="),
    BT_STR_INIT("working="), BT_STR_INIT("session="), BT_STR_INIT("references="),
    BT_STR_INIT("meta="), BT_STR_INIT(""),
};
static const bt_str semantics_words[] = {
    BT_STR_INIT("error"), BT_STR_INIT("warn"), BT_STR_INIT(""),
};
static const bt_str chain_words[] = {
    BT_STR_INIT("head-or-tail"), BT_STR_INIT("head"), BT_STR_INIT(""),
};
static const bt_str problem_type_words[] = {
    BT_STR_INIT("decision"), BT_STR_INIT("creative"), BT_STR_INIT("analytical"),
    BT_STR_INIT("strategic"), BT_STR_INIT("implementation"), BT_STR_INIT("research"),
    BT_STR_INIT("verification"), BT_STR_INIT(""),
};
static const bt_str confidence_words[] = {
    BT_STR_INIT("high"), BT_STR_INIT("medium"), BT_STR_INIT("low"), BT_STR_INIT(""),
};
static const bt_str style_words[] = {
    BT_STR_INIT("minified"), BT_STR_INIT("pretty"), BT_STR_INIT(""),
};
static const bt_str direction_words[] = {
    BT_STR_INIT("output"), BT_STR_INIT("input"), BT_STR_INIT(""),
};
static const bt_str edges_words[] = {
    BT_STR_INIT("rows"), BT_STR_INIT("deps"), BT_STR_INIT(""),
};
static const bt_str side_words[] = {
    BT_STR_INIT("out"), BT_STR_INIT("in"), BT_STR_INIT(""),
};
static const bt_str mode_words[] = {
    BT_STR_INIT("backward"), BT_STR_INIT("forward"), BT_STR_INIT("full"), BT_STR_INIT(""),
};
static const bt_str mechanism_words[] = {
    BT_STR_INIT("seccomp"), BT_STR_INIT("landlock"), BT_STR_INIT(""),
};
static const bt_str boundary_mode_words[] = {
    BT_STR_INIT("source"), BT_STR_INIT("either"), BT_STR_INIT("mutual"), BT_STR_INIT(""),
};
static const bt_str relation_mode_words[] = {
    BT_STR_INIT("strict"), BT_STR_INIT("literal"), BT_STR_INIT(""),
};
static const bt_str archetype_mode_words[] = {
    BT_STR_INIT("constituent"), BT_STR_INIT("declared"), BT_STR_INIT(""),
};
static const bt_str lists_words[] = {
    BT_STR_INIT("file"), BT_STR_INIT("prompts"), BT_STR_INIT(""),
};
static const bt_str severity_words[] = {
    BT_STR_INIT("HARD"), BT_STR_INIT("WARN"), BT_STR_INIT("INFO"), BT_STR_INIT(""),
};
/* clang-format on */

/* The word at `index` of a list that ends with "". */
static bt_str get_word(const bt_str *words, size_t index)
{
    for (; index > 0 && words->len > 0; index--) {
        words++;
    }
    return *words;
}

static bt_str command_word(size_t index)
{
    const struct cli_command *command = cli_baton.parts[0];
    for (size_t i = 0; i < index && command; i++) {
        command = cli_baton.parts[i + 1];
    }
    return bt_str_of(command ? cli_command_word(command) : "");
}

static bt_str dialect_word(size_t index)
{
    return index + 1 < BT_DIALECT__CHECKABLE_MAX ? bt_dialect_name((enum bt_dialect_id)(index + 1))
                                                 : BT_STR("");
}

static bt_str convert_from_word(size_t index)
{
    static const enum bt_dialect_id dialects[] = {BT_DIALECT_UNIVERSAL, BT_DIALECT_GOVERNED,
                                                  BT_DIALECT_CONTRACT, BT_DIALECT_PLAN,
                                                  BT_DIALECT_XML};
    return index < sizeof(dialects) / sizeof(dialects[0]) ? bt_dialect_name(dialects[index])
                                                          : BT_STR("");
}

static bt_str convert_to_word(size_t index)
{
    return index == 0 ? bt_dialect_name(BT_DIALECT_UNIVERSAL) : BT_STR("");
}

static bt_str format_word(size_t index)
{
    return index < BT_REPORT_FORMAT__MAX ? bt_report_format_name((enum bt_report_format)index)
                                         : BT_STR("");
}

static bt_str code_word(size_t index)
{
    return index < bt_rules_count() ? bt_rules_at(index)->code : BT_STR("");
}

static bt_str schema_name_word(size_t index)
{
    return index < bt_schema_builtin_count() ? bt_schema_builtin_at(index)->name : BT_STR("");
}

static bt_str encoding_word(size_t index)
{
    return index < BT_ENCODING__MAX ? bt_encoding_name((enum bt_encoding)index) : BT_STR("");
}

static bt_str event_word(size_t index)
{
    return bt_trace_event_type_name((enum bt_trace_event_type)(index + 1));
}

static bt_str trace_view_word(size_t index)
{
    return bt_trace_view_name((enum bt_trace_view)index);
}

/* Without json, which is a word of -f. */
static bt_str trace_form_word(size_t index)
{
    return index < BT_TRACE_FORMAT_JSON ? bt_trace_format_name((enum bt_trace_format)index)
                                        : BT_STR("");
}

static bt_str plan_status_word(size_t index)
{
    return index + 1 < BT_CONTRACT_STATUS__MAX
               ? bt_contract_status_name((enum bt_contract_status)(index + 1))
               : BT_STR("");
}

/* Without json, which is a word of -f, and without the formats of other flags. */
static bt_str map_form_word(size_t index)
{
    return index < BT_BOUNDARY_MAP_JSON
               ? bt_boundary_map_format_name((enum bt_boundary_map_format)index)
               : BT_STR("");
}

/* The lists above, and those of other modules. */
/* clang-format off */
static const bt_str *const lists[] = {
    [CLI_RULE_FORMAT] = rule_format_words,
    [CLI_SEVERITY] = severity_words,
    [CLI_LIMIT] = limit_words,
    [CLI_SHELL] = shell_words,
    [CLI_DRAFT] = draft_words,
    [CLI_TABLE_FORMAT] = table_format_words,
    [CLI_SECTION] = section_words,
    [CLI_SEMANTICS] = semantics_words,
    [CLI_CHAIN] = chain_words,
    [CLI_PROBLEM_TYPE] = problem_type_words,
    [CLI_CONFIDENCE] = confidence_words,
    [CLI_STYLE] = style_words,
    [CLI_DIRECTION] = direction_words,
    [CLI_EDGES] = edges_words,
    [CLI_SIDE] = side_words,
    [CLI_MODE] = mode_words,
    [CLI_MECHANISM] = mechanism_words,
    [CLI_BOUNDARY_MODE] = boundary_mode_words,
    [CLI_RELATION_MODE] = relation_mode_words,
    [CLI_ARCHETYPE_MODE] = archetype_mode_words,
    [CLI_LISTS] = lists_words,
};

static bt_str (*const makers[])(size_t index) = {
    [CLI_CONVERT_FROM] = convert_from_word,
    [CLI_CONVERT_TO] = convert_to_word,
    [CLI_DIALECT] = dialect_word,
    [CLI_FORMAT] = format_word,
    [CLI_CODE] = code_word,
    [CLI_COMMAND] = command_word,
    [CLI_SCHEMA_NAME] = schema_name_word,
    [CLI_ENCODING] = encoding_word,
    [CLI_EVENT] = event_word,
    [CLI_TRACE_VIEW] = trace_view_word,
    [CLI_TRACE_FORM] = trace_form_word,
    [CLI_PLAN_STATUS] = plan_status_word,
    [CLI_STEP_STATUS] = bt_plan_step_status_at,
    [CLI_MAP_FORM] = map_form_word,
};
/* clang-format on */

bt_str cli_kind_word(enum cli_kind kind, size_t index)
{
    if (kind < sizeof(lists) / sizeof(lists[0]) && lists[kind]) {
        return get_word(lists[kind], index);
    }
    if (kind < sizeof(makers) / sizeof(makers[0]) && makers[kind]) {
        return makers[kind](index);
    }
    return BT_STR("");
}
