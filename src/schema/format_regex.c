/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_regex.c - patterns of ECMA-262, with the syntax of the `u` flag.
 *
 * The pattern is parsed and not compiled: the size of its automaton does not affect its syntax.
 */
#include "regex/ast.h"
#include "schema/format_scan.h"

#include "regex/matcher.h"

enum bt_schema_format_answer bt_schema_format_check_regex(bt_str text)
{
    struct bt_regex_options options = bt_regex_options_default();
    options.depth_max = 1000;
    struct bt_arena arena;
    bt_arena_init(&arena, (size_t)options.compile_bytes_max);
    struct bt_re_build build = {
        .scratch = &arena, .arena = &arena, .options = &options, .detail = ""};
    struct bt_re_pattern pattern;
    const bool is_read = bt_re_parse(&build, text, true, &pattern);
    bt_arena_free(&arena);
    if (is_read) {
        return BT_SCHEMA_FORMAT_YES;
    }
    return build.status == BT_OK && build.code == BT_REGEX_ERROR_INVALID ? BT_SCHEMA_FORMAT_NO
                                                                         : BT_SCHEMA_FORMAT_LIMIT;
}
