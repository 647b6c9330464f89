/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_keys.h - the keys below `wrap`. The policy keys stand there for all servers, and again below
 * each entry of `wrap.servers`.
 */
#ifndef BATON_SRC_CONFIG_WRAP_KEYS_H
#define BATON_SRC_CONFIG_WRAP_KEYS_H

#include "config/config_internal.h"

extern const char *const bt_config_wrap_judging[4];
extern const char *const bt_config_wrap_reading[4];
extern const char *const bt_config_wrap_warning[3];
extern const char *const bt_config_wrap_approval_form[3];
extern const char *const bt_config_wrap_recording[5];
extern const char *const bt_config_wrap_methods[6];
extern const char *const bt_config_wrap_waiting[3];
extern const char *const bt_config_wrap_failing[4];
extern const struct bt_yaml_node bt_config_wrap_default_methods[1];
extern const struct bt_config_row bt_config_wrap_pin[5];
extern const struct bt_config_row bt_config_wrap_from_server[3];
extern const struct bt_config_row bt_config_wrap_rules[16];
extern const struct bt_config_row bt_config_wrap_spend[3];
extern const struct bt_config_row bt_config_wrap_limits[5];
/* Those of one server: how it is started or reached, and its policy. */
extern const struct bt_config_row bt_config_wrap_servers[30];

/* A name that is not a command of `baton wrap`. */
bt_config_form_fn bt_config_is_server_name;
bt_config_judge_group_fn bt_config_judge_server;

/* clang-format off */
#define WRAP_POLICY_ROWS(prefix_, ...)                                                             \
    GROUP(prefix_ "pin", bt_config_wrap_pin,                                                       \
        "changed, added (default hide), removed and command (default warn) with warn, hide or "    \
        "block, and first_use with true or false", __VA_ARGS__),                                   \
    WORD(prefix_ "arguments", bt_config_wrap_judging, "off, warn or refuse", "warn",               \
        __VA_ARGS__),                                                                              \
    WORD(prefix_ "results", bt_config_wrap_judging, "off, warn or refuse", "warn", __VA_ARGS__),   \
    WORD(prefix_ "texts", bt_config_wrap_reading, "off, warn or hide", "warn", __VA_ARGS__),       \
    WORD(prefix_ "secrets", bt_config_wrap_warning, "off or warn", "warn", __VA_ARGS__),           \
    SWITCH(prefix_ "annotate", __VA_ARGS__),                                                       \
    WORD(prefix_ "ask", bt_config_wrap_approval_form, "client or outside", "client",               \
        __VA_ARGS__),                                                                              \
    WORD(prefix_ "record", bt_config_wrap_recording, "none, digests, arguments or all",            \
        "digests", __VA_ARGS__),                                                                   \
    {.name = BT_STR_INIT(prefix_ "methods"), .type = BT_CONFIG_LIST,                               \
     .expected = "tools/call, resources/read, prompts/get, sampling/createMessage, "               \
        "elicitation/create", .words = bt_config_wrap_methods,                                     \
     .otherwise = {.kind = BT_YAML_SEQUENCE, .count = 1,                                           \
        .items = bt_config_wrap_default_methods}, __VA_ARGS__},                                    \
    WORD(prefix_ "wait", bt_config_wrap_waiting, "none or durable", "none", __VA_ARGS__),          \
    WORD(prefix_ "fail", bt_config_wrap_failing, "open, closed or class", "class", __VA_ARGS__),   \
    GROUP(prefix_ "from_server", bt_config_wrap_from_server,                                       \
        "sampling, elicitation and roots with pass (default) or refuse", __VA_ARGS__),             \
    FORMED(prefix_ "rules", BT_CONFIG_MAPPINGS, NULL,                                              \
        "at most 1000 rules, each with the tools that it is about"), .otherwise = EMPTY,           \
        MEMBERS(bt_config_wrap_rules, 1), .list.count_max = 1000, __VA_ARGS__},                    \
    GROUP(prefix_ "spend", bt_config_wrap_spend,                                                   \
        "calls, tokens and cost with 1 to 1000000000000", __VA_ARGS__),                            \
    GROUP(prefix_ "limits", bt_config_wrap_limits,                                                 \
        "message_bytes (default 33554432), buffer_bytes (8388608), in_flight (1024), pending "     \
        "(100) and queue_records (10000)", __VA_ARGS__),                                           \
    NUMBER(prefix_ "shutdown_ms", 0, 60000, 1000, __VA_ARGS__),                                    \
    NUMBER(prefix_ "upstream_idle_s", 1, 86400, 300, __VA_ARGS__)
/* clang-format on */

#endif
