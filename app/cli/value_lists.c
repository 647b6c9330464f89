/* SPDX-License-Identifier: Apache-2.0 */
/* value_lists.c - the lists of words for flags and operands, and the list of all commands. */
#include <assert.h>
#include <string.h>

#include <baton/tokens.h>

#include "cli.h"
#include "dialect/contract/contract.h"
#include "dialect/governed/governed.h"
#include "dialect/plan/plan.h"
#include "hook/agent_host.h"
#include "schema/builtin.h"
#include "token/tokens.h"
#include "trace/trace.h"

/* The word at `index` of a list that ends with "". */
static bt_str get_word(const bt_str *words, size_t index)
{
    for (; index > 0 && words->len > 0; index--) {
        words++;
    }
    return *words;
}

bt_str cli_word_command(size_t index)
{
    const struct cli_command *command = cli_baton.parts[0];
    for (size_t i = 0; i < index && command; i++) {
        command = cli_baton.parts[i + 1];
    }
    return bt_str_of(command ? cli_command_word(command) : "");
}

bt_str cli_word_dialect(size_t index)
{
    return index + 1 < BT_DIALECT__CHECKABLE_MAX ? bt_dialect_name((enum bt_dialect_id)(index + 1))
                                                 : BT_STR("");
}

bt_str cli_word_convert_from(size_t index)
{
    static const enum bt_dialect_id dialects[] = {BT_DIALECT_UNIVERSAL, BT_DIALECT_GOVERNED,
                                                  BT_DIALECT_CONTRACT, BT_DIALECT_PLAN,
                                                  BT_DIALECT_XML};
    return index < sizeof(dialects) / sizeof(dialects[0]) ? bt_dialect_name(dialects[index])
                                                          : BT_STR("");
}

bt_str cli_word_convert_to(size_t index)
{
    return index == 0   ? bt_dialect_name(BT_DIALECT_UNIVERSAL)
           : index == 1 ? bt_dialect_name(BT_DIALECT_ORGANISM)
                        : BT_STR("");
}

bt_str cli_word_format(size_t index)
{
    return index < BT_REPORT_FORMAT__MAX ? bt_report_format_name((enum bt_report_format)index)
                                         : BT_STR("");
}

bt_str cli_word_code(size_t index)
{
    return index < bt_rules_count() ? bt_rules_at(index)->code : BT_STR("");
}

bt_str cli_word_host(size_t index)
{
    const struct agent_host *host = hook_host_at(index);
    return bt_str_of(host ? host->name : "");
}

/* The dialects of rules, each once, as they first occur. */
bt_str cli_word_rule_dialect(size_t index)
{
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const bt_str name = bt_rules_at(i)->dialect;
        size_t before = 0;
        while (before < i && !bt_str_eq(bt_rules_at(before)->dialect, name)) {
            before++;
        }
        if (before == i && index-- == 0) {
            return name;
        }
    }
    return BT_STR("");
}

bt_str cli_word_stage(size_t index)
{
    return bt_stage_name((enum bt_stage)(index + 1));
}

bt_str cli_word_schema_name(size_t index)
{
    return index < bt_schema_builtin_count() ? bt_schema_builtin_at(index)->name : BT_STR("");
}

bt_str cli_word_encoding(size_t index)
{
    return index < BT_ENCODING__MAX ? bt_encoding_name((enum bt_encoding)index) : BT_STR("");
}

bt_str cli_word_event(size_t index)
{
    return bt_trace_event_type_name((enum bt_trace_event_type)(index + 1));
}

bt_str cli_word_trace_view(size_t index)
{
    return bt_trace_view_name((enum bt_trace_view)index);
}

/* Without json, which is a word of -f. */
bt_str cli_word_trace_form(size_t index)
{
    return index < BT_TRACE_FORMAT_JSON ? bt_trace_format_name((enum bt_trace_format)index)
                                        : BT_STR("");
}

bt_str cli_word_plan_status(size_t index)
{
    return index + 1 < BT_CONTRACT_STATUS__MAX
               ? bt_contract_status_name((enum bt_contract_status)(index + 1))
               : BT_STR("");
}

/* Without json, which is a word of -f, and without the formats of other flags. */
bt_str cli_word_map_form(size_t index)
{
    return index < BT_BOUNDARY_MAP_JSON
               ? bt_boundary_map_format_name((enum bt_boundary_map_format)index)
               : BT_STR("");
}

bt_str cli_word_step_status(size_t index)
{
    return bt_plan_step_status_at(index);
}

bt_str cli_kind_word(enum cli_kind kind, size_t index)
{
    const struct cli_kind_words *words = &cli_kinds[kind];
    return words->list ? get_word(words->list, index) : words->at ? words->at(index) : BT_STR("");
}

size_t cli_kind_count(enum cli_kind kind)
{
    size_t count = 0;
    while (cli_kind_word(kind, count).len > 0) {
        count++;
    }
    return count;
}

bool cli_kind_find(enum cli_kind kind, const char *word, size_t *out)
{
    size_t index = 0;
    while (cli_kind_word(kind, index).len > 0 &&
           !bt_str_eq(cli_kind_word(kind, index), bt_str_of(word))) {
        index++;
    }
    *out = index;
    return cli_kind_word(kind, index).len > 0;
}

/* ---- Commands -------------------------------------------------------------------------------- */

const char *cli_command_word(const struct cli_command *command)
{
    assert(command);
    const char *blank = strrchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

const struct cli_command *cli_command_part(const struct cli_command *command, const char *word)
{
    assert(command);
    assert(word);
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        if (strcmp(cli_command_word(*part), word) == 0) {
            return *part;
        }
    }
    return NULL;
}

/* The sub-commands that are still to be listed, one list for each level. */
enum { LEVELS_MAX = 4 };

const struct cli_command *cli_command_at(size_t index)
{
    const struct cli_command *const *next[LEVELS_MAX] = {cli_baton.parts};
    const struct cli_command *command = &cli_baton;
    size_t depth = 1;
    for (size_t i = 0; i < index; i++) {
        while (depth > 0 && !*next[depth - 1]) {
            depth--;
        }
        if (depth == 0) {
            return NULL;
        }
        command = *next[depth - 1]++;
        if (command->parts) {
            assert(depth < LEVELS_MAX);
            next[depth++] = command->parts;
        }
    }
    return command;
}
