/* SPDX-License-Identifier: Apache-2.0 */
/* row_macros.h - the kinds of rows in tables of keys, for the files that define such tables. */
#ifndef BATON_SRC_CONFIG_ROW_MACROS_H
#define BATON_SRC_CONFIG_ROW_MACROS_H

#include "config/config_internal.h"

#define WORDS(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

/* clang-format off */
#define SCALAR(text_) {.kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_PLAIN, \
    .text = BT_STR_INIT(text_)}
#define QUOTED(text_) {.kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_QUOTED, \
    .text = BT_STR_INIT(text_)}
#define EMPTY {.kind = BT_YAML_SEQUENCE}
#define EMPTY_MAP {.kind = BT_YAML_MAPPING}
#define NOTHING {.kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_PLAIN, .text = BT_STR_INIT("")}

/* What a project file may set, and which commands use the key; SERVER: `baton serve` alone. */
#define SERVER .project = BT_PROJECT_NOTHING
#define OPERATOR(users_) .project = BT_PROJECT_NOTHING, .users = (users_)
#define PROJECT(class_, users_) .project = BT_PROJECT_##class_, .users = (users_)
/* Combined with one of the above for a key that also applies to hooks. */
#define HOOKS .for_hooks = true

#define NUMBER(name_, low_, high_, default_, ...)                                                  \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_NUMBER, .expected = #low_ " to " #high_,        \
     .low = low_##U, .high = high_##U, .otherwise = SCALAR(#default_), __VA_ARGS__}
#define SWITCH(name_, ...)                                                                         \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_SWITCH, .expected = "true or false",            \
     .otherwise = SCALAR("false"), __VA_ARGS__}
#define SWITCH_ON(name_, ...)                                                                      \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_SWITCH, .expected = "true or false",            \
     .otherwise = SCALAR("true"), __VA_ARGS__}
#define WORD(name_, words_, expected_, default_, ...)                                              \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_TEXT, .expected = (expected_),                  \
     .words = (words_), .otherwise = SCALAR(default_), __VA_ARGS__}
#define FORMED(name_, type_, form_, expected_)                                                     \
    {.name = BT_STR_INIT(name_), .type = (type_), .expected = (expected_), .form = (form_)
#define PATH(name_, ...)                                                                           \
    FORMED(name_, BT_CONFIG_TEXT, NULL, "a path"), .otherwise = NOTHING, __VA_ARGS__}
#define DURATION(name_, default_, ...)                                                             \
    FORMED(name_, BT_CONFIG_TEXT, bt_config_is_duration, "1 to 6 digits and s, m, h or d"),        \
     .otherwise = SCALAR(default_), __VA_ARGS__}

#define MEMBERS(rows_, needed_)                                                                    \
    .list.members = (rows_), .list.member_count = sizeof(rows_) / sizeof((rows_)[0]),              \
    .list.needed = (needed_)
/* A mapping whose members are the rows of an array. */
#define GROUP(name_, rows_, expected_, ...)                                                        \
    FORMED(name_, BT_CONFIG_GROUP, NULL, expected_), .otherwise = EMPTY_MAP, MEMBERS(rows_, 0),    \
     __VA_ARGS__}
/* A number that is not set by default. */
#define OPTIONAL_NUMBER(name_, low_, high_, ...)                                                   \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_NUMBER, .expected = #low_ " to " #high_,        \
     .low = low_##U, .high = high_##U, .otherwise = NOTHING, __VA_ARGS__}
/* clang-format on */

#endif
