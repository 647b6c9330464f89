/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_keys.c - rows of keys below `wrap`: rules about tools, limits, and one server. */
#include "config/wrap_keys.h"

#include "base/ascii.h"
#include "config/row_macros.h"
#include "report/rules.h"

enum { SERVER_NAME_MAX = 64, TOOL_PATTERN_MAX = 200, NAMES_MAX = 1000 };

const char *const bt_config_wrap_judging[4] = {"off", "warn", "refuse", NULL};
const char *const bt_config_wrap_reading[4] = {"off", "warn", "hide", NULL};
const char *const bt_config_wrap_warning[3] = {"off", "warn", NULL};
const char *const bt_config_wrap_approval_form[3] = {"client", "outside", NULL};
const char *const bt_config_wrap_recording[5] = {"none", "digests", "arguments", "all", NULL};
const char *const bt_config_wrap_methods[6] = {"tools/call",         "resources/read",
                                               "prompts/get",        "sampling/createMessage",
                                               "elicitation/create", NULL};
const char *const bt_config_wrap_waiting[3] = {"none", "durable", NULL};
const char *const bt_config_wrap_failing[4] = {"open", "closed", "class", NULL};

WORDS(pinning_words, "warn", "hide", "block");
WORDS(request_words, "pass", "refuse");
WORDS(class_words, "read", "write", "destructive");
WORDS(over_words, "warn", "cut", "spill", "refuse");
WORDS(sandbox_words, "off", "available", "required");
WORDS(allow_words, "net", "exec");

/* ---- Forms ----------------------------------------------------------------------------------- */

bool bt_config_is_server_name(bt_str text)
{
    static const bt_str commands[] = {
        BT_STR_INIT("pin"),     BT_STR_INIT("diff"),      BT_STR_INIT("log"),
        BT_STR_INIT("show"),    BT_STR_INIT("stats"),     BT_STR_INIT("replay"),
        BT_STR_INIT("install"), BT_STR_INIT("uninstall"), BT_STR_INIT("status")};
    const bt_str marks = BT_STR("._-");
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!bt_ascii_is_alnum(byte) && (i == 0 || bt_str_find_byte(marks, byte, 0) == marks.len)) {
            return false;
        }
    }
    return text.len > 0 && text.len <= SERVER_NAME_MAX && !bt_str_is_one_of(text, commands);
}

bool bt_config_is_wrapped_tool(bt_str text)
{
    static const bt_str words[] = {BT_STR_INIT("@read"), BT_STR_INIT("@write"),
                                   BT_STR_INIT("@destructive"), BT_STR_INIT("@idempotent"),
                                   BT_STR_INIT("@open")};
    return text.len > 0 && text.len <= TOOL_PATTERN_MAX &&
           (text.ptr[0] != '@' || bt_str_is_one_of(text, words));
}

/* A text that can stand in an environment. */
static bool is_env_value(bt_str text)
{
    return bt_str_find_byte(text, '\0', 0) == text.len;
}

/* ---- Conflicts ------------------------------------------------------------------------------- */

static bool has_member(const struct bt_yaml_node *server, bt_str name)
{
    const struct bt_yaml_node *value = bt_yaml_get(server, name);
    return value && bt_yaml_type_of(value) != BT_YAML_TYPE_NULL;
}

enum bt_status bt_config_judge_server(struct bt_findings *findings, bt_str pointer,
                                      const struct bt_yaml_node *server)
{
    static const bt_str keys[] = {BT_STR_INIT("command"), BT_STR_INIT("url"), BT_STR_INIT("serve")};
    const bool has_command = has_member(server, keys[0]);
    const bool has_url = has_member(server, keys[1]);
    const struct bt_yaml_node *serve = bt_yaml_get(server, keys[2]);
    bt_str at;
    if (has_command && has_url) {
        return bt_add_config_conflict(findings, bt_location_pointer(pointer, server->offset),
                                      (struct bt_str_list){keys, 2},
                                      BT_CONFIG_CONFLICT_KIND_TWO_SERVERS);
    }
    if (has_command || has_url || !serve || bt_yaml_type_of(serve) != BT_YAML_TYPE_TRUE) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(bt_findings_arena(findings), &at, "%.*s/serve", BT_STR_ARG(pointer)));
    return bt_add_config_conflict(findings, bt_location_pointer(at, serve->offset),
                                  (struct bt_str_list){keys, 3}, BT_CONFIG_CONFLICT_KIND_NO_SERVER);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* clang-format off */
const struct bt_yaml_node bt_config_wrap_default_methods[1] = {SCALAR("tools/call")};

#define PINNING "warn, hide or block"
const struct bt_config_row bt_config_wrap_pin[5] = {
    WORD("changed", pinning_words, PINNING, "hide", SERVER),
    WORD("added", pinning_words, PINNING, "hide", SERVER),
    WORD("removed", pinning_words, PINNING, "warn", SERVER),
    WORD("command", pinning_words, PINNING, "warn", SERVER),
    SWITCH("first_use", SERVER),
};

const struct bt_config_row bt_config_wrap_from_server[3] = {
    WORD("sampling", request_words, "pass or refuse", "pass", SERVER),
    WORD("elicitation", request_words, "pass or refuse", "pass", SERVER),
    WORD("roots", request_words, "pass or refuse", "pass", SERVER),
};

const struct bt_config_row bt_config_wrap_spend[3] = {
    OPTIONAL_NUMBER("calls", 1, 1000000000000, SERVER),
    OPTIONAL_NUMBER("tokens", 1, 1000000000000, SERVER),
    OPTIONAL_NUMBER("cost", 1, 1000000000000, SERVER),
};

const struct bt_config_row bt_config_wrap_limits[5] = {
    NUMBER("message_bytes", 1024, 1073741824, 33554432, SERVER),
    NUMBER("buffer_bytes", 65536, 1073741824, 8388608, SERVER),
    NUMBER("in_flight", 1, 100000, 1024, SERVER),
    NUMBER("pending", 1, 10000, 100, SERVER),
    NUMBER("queue_records", 1, 1000000, 10000, SERVER),
};

const struct bt_config_row bt_config_wrap_rules[16] = {
    FORMED("tools", BT_CONFIG_LIST, bt_config_is_wrapped_tool,
        "1 to 1000 names of tools, in which * and ? stand for characters, or @read, @write, "
        "@destructive, @idempotent, @open"), .list.count_min = 1, .list.count_max = NAMES_MAX},
    WORD("class", class_words, "read, write or destructive", "", SERVER),
    SWITCH("idempotent", SERVER),
    SWITCH("deny", SERVER),
    SWITCH("approve", SERVER),
    OPTIONAL_NUMBER("rate", 0, 1000000, SERVER),
    OPTIONAL_NUMBER("tokens", 1, 10000000, SERVER),
    OPTIONAL_NUMBER("bytes", 1, 1073741824, SERVER),
    WORD("over", over_words, "warn, cut, spill or refuse", "", SERVER),
    OPTIONAL_NUMBER("cost", 0, 1000000000, SERVER),
    FORMED("unpinned", BT_CONFIG_LIST, NULL, "names of members"), .list.count_max = NAMES_MAX},
    WORD("arguments", bt_config_wrap_judging, "off, warn or refuse", "", SERVER),
    WORD("results", bt_config_wrap_judging, "off, warn or refuse", "", SERVER),
    WORD("record", bt_config_wrap_recording, "none, digests, arguments or all", "", SERVER),
    WORD("wait", bt_config_wrap_waiting, "none or durable", "", SERVER),
    WORD("fail", bt_config_wrap_failing, "open, closed or class", "", SERVER),
};

static const struct bt_config_row sandbox_rows[] = {
    WORD("mode", sandbox_words, "off, available or required", "off", SERVER),
    FORMED("read", BT_CONFIG_LIST, NULL, "paths"), .otherwise = EMPTY, SERVER},
    FORMED("write", BT_CONFIG_LIST, NULL, "paths"), .otherwise = EMPTY, SERVER},
    {.name = BT_STR_INIT("allow"), .type = BT_CONFIG_LIST, .expected = "net, exec",
     .words = allow_words, .otherwise = EMPTY, SERVER},
    OPTIONAL_NUMBER("memory_mb", 16, 1048576, SERVER),
};

const struct bt_config_row bt_config_wrap_servers[30] = {
    FORMED("command", BT_CONFIG_LIST, NULL, "the words of a command"), .list.count_min = 1,
        .list.count_max = NAMES_MAX},
    FORMED("url", BT_CONFIG_TEXT, bt_config_is_web_url, "an http or https URL")},
    PATH("cwd", SERVER),
    FORMED("env", BT_CONFIG_MAP, is_env_value, "names and values of variables"),
        .list.count_max = NAMES_MAX},
    FORMED("env_from", BT_CONFIG_LIST, bt_config_is_variable, "names of variables"),
        .list.count_max = NAMES_MAX},
    FORMED("headers_env", BT_CONFIG_MAP, bt_config_is_variable,
        "headers and environment variables"), .list.count_max = NAMES_MAX},
    FORMED("bearer_env", BT_CONFIG_TEXT, bt_config_is_variable,
        "the name of an environment variable")},
    PATH("ca", SERVER),
    SWITCH("serve", SERVER),
    FORMED("principals", BT_CONFIG_LIST, NULL, "names of principals"),
        .list.count_max = NAMES_MAX},
    DURATION("idle", "10m", SERVER),
    NUMBER("processes", 1, 1000, 16, SERVER),
    GROUP("sandbox", sandbox_rows, "mode, read, write, allow and memory_mb", SERVER),
    WRAP_POLICY_ROWS("", SERVER),
};
/* clang-format on */
