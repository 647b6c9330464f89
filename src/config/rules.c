/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules about configurations, and findings made from them.
 */
#include "config/config_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("config"), .severity = (severity_), .stage = (stage_),    \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_config_rules[] = {
    {
        ROW("CONFIG_CONFLICT", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "two keys contradict each other"),
        .explanation = TEXT(
            "Half a TLS pair, certificates of clients without TLS or without an authority, a "
            "document limit above that of requests, or strangers let in by a listener that other "
            "machines can reach. params.keys names them: complete the setting, or remove one."),
        .bad = TEXT("tls:\n  cert: server.pem\n"),
        .good = TEXT("tls:\n  cert: server.pem\n  key: server.key\n"),
    },
    {
        ROW("CONFIG_KEY_TYPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a value is of another type"),
        .explanation = TEXT(
            "params.expected names the type: string, integer, boolean, list or mapping. A number "
            "in quotes is a string, and yes or on is no boolean."),
        .bad = TEXT("limits:\n  body_bytes: many\n"),
        .good = TEXT("limits:\n  body_bytes: 1048576\n  document_bytes: 524288\n"),
    },
    {
        ROW("CONFIG_KEY_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "there is no such key"),
        .explanation = TEXT(
            "A key that nobody reads would look like a setting that is in force. params.nearest is "
            "the key that was probably meant: correct the spelling, or remove it."),
        .bad = TEXT("limits:\n  body_byts: 1048576\n"),
        .good = TEXT("limits:\n  body_bytes: 9437184\n"),
    },
    {
        ROW("CONFIG_KEY_VALUE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value is outside its range, form or list"),
        .explanation = TEXT(
            "It is of the right type, but means nothing here. params.expected says what may "
            "stand here."),
        .bad = TEXT("rate:\n  check: -1\n"),
        .good = TEXT("rate:\n  check: 100\n"),
    },
    {
        ROW("CONFIG_NOT_FROM_PROJECT", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE,
            "a project file cannot set this key, or not to this value; the value is not used"),
        .explanation = TEXT(
            "Whoever writes a document can often write the project's baton.yaml too, so that file "
            "never loosens what the user's and the system's files give, and sets nothing that is "
            "the operator's alone. params.reason tells why: operator (no project file sets this "
            "key), looser (only a stricter value is used) or outside (the path leaves the project "
            "folder). Put it into ~/.config/baton/config.yaml, name a file with --config, or give "
            "a flag."),
        .bad = TEXT("limits:\n  nesting: 500\n"),
        .good = TEXT("limits:\n  nesting: 64\n"),
    },
    {
        ROW("CONFIG_UNPROTECTED", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "other machines can reach a listener that the file does not protect"),
        .security = true,
        .explanation = TEXT(
            "A listener that is not local needs to know who calls (tokens, or tls.client_ca) and "
            "a transport that nobody can read (tls, or plain_http behind a proxy that ends TLS). "
            "params.missing names what lacks; baton serve refuses to start unless flags add it."),
        .bad = TEXT("listen: 0.0.0.0:8420\n"),
        .good = TEXT("listen: 127.0.0.1:8420\n"),
    },
    {
        ROW("YAML_DUPLICATE_KEY", BT_SEVERITY_HARD, BT_STAGE_READ, "a mapping has one key twice"),
        .explanation = TEXT(
            "Two readers could take different ones. params.key names it: remove one."),
        .bad = TEXT("plain_http: false\nplain_http: true\n"),
        .good = TEXT("plain_http: false\n"),
    },
    {
        ROW("YAML_LIMIT", BT_SEVERITY_HARD, BT_STAGE_READ, "the file is too long or too deep"),
        .explanation = TEXT(
            "A configuration has at most 1 MiB and 16 levels of mappings and lists."),
        .bad = TEXT("skills: [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]\n"),
        .good = TEXT("skills: []\n"),
    },
    {
        ROW("YAML_SYNTAX", BT_SEVERITY_HARD, BT_STAGE_READ, "the file is no YAML mapping"),
        .explanation = TEXT(
            "The position is where reading could not go on. A configuration is a mapping of keys "
            "in UTF-8; an empty file is fine."),
        .bad = TEXT("listen: [127.0.0.1:8420\n"),
        .good = TEXT("listen: [127.0.0.1:8420]\n"),
    },
    {
        ROW("YAML_UNSUPPORTED", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the file uses a part of YAML that is refused"),
        .explanation = TEXT(
            "Anchors, aliases, tags, merge keys, directives, complex keys and a second document "
            "let a file read differently from how it looks. params.feature names it: write it out "
            "plainly."),
        .bad = TEXT("hosts: &all [example.org]\n"),
        .good = TEXT("hosts: [example.org]\n"),
    },
};
/* clang-format on */

/* clang-format off */
#define HOOK_ROW(code_, severity_, meaning_)                                                       \
    .code = TEXT(code_), .dialect = TEXT("hook"), .severity = (severity_),                         \
    .stage = BT_STAGE_GOVERNANCE, .security = true, .meaning = TEXT(meaning_)

const struct bt_rule bt_hook_rules[] = {
    {
        HOOK_ROW("HOOK_CONFIG_CHANGED", BT_SEVERITY_HARD,
                 "the pinned configuration is not the one that was pinned"),
        .explanation = TEXT(
            "A hook that was installed with --config uses that file only with the bytes that a "
            "person pinned. When it was changed or is gone, the copy that was kept is used; "
            "without one nothing is judged, and turns do not end well. Look at the change, then "
            "run baton hook pin HOST."),
    },
    {
        HOOK_ROW("HOOK_CONFIG_IGNORED", BT_SEVERITY_WARN,
                 "the project's configuration does not count for hooks"),
        .explanation = TEXT(
            "Whoever is judged can often write the project's baton.yaml, so a hook does not read "
            "it. params.keys names the keys there that would say something else than what is in "
            "force. Put them into ~/.config/baton/config.yaml, or pin the file with "
            "baton hook install HOST --config baton.yaml."),
    },
};
/* clang-format on */

const size_t bt_hook_rules_count = sizeof(bt_hook_rules) / sizeof(bt_hook_rules[0]);

const size_t bt_config_rules_count = sizeof(bt_config_rules) / sizeof(bt_config_rules[0]);

enum bt_status bt_config_pointer(struct bt_arena *arena, bt_str key, bt_str *out)
{
    char *text = bt_arena_alloc(arena, key.len + 2);
    if (!text) {
        return BT_ENOMEM;
    }
    text[0] = '/';
    for (size_t i = 0; i < key.len; i++) {
        text[i + 1] = (char)(key.ptr[i] == '.' ? '/' : key.ptr[i]);
    }
    text[key.len + 1] = '\0';
    *out = (bt_str){text, key.len + 1};
    return BT_OK;
}

static const struct bt_rule *rule_of(const char *code)
{
    size_t i = 0;
    while (i < bt_config_rules_count && !bt_str_eq(bt_config_rules[i].code, bt_str_of(code))) {
        i++;
    }
    assert(i < bt_config_rules_count);
    return &bt_config_rules[i];
}

enum bt_status bt_config_add_finding(struct bt_findings *findings,
                                     const struct bt_config_finding *fault, const char *format, ...)
{
    char message[BT_ERROR_TEXT_BYTES];
    va_list arguments;
    struct bt_finding finding = bt_finding_from_rule(rule_of(fault->code));
    va_start(arguments, format);
    const int length = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    assert(length >= 0);
    (void)length;
    finding.pointer = fault->pointer;
    finding.offset = fault->offset;
    finding.params = bt_str_eq(fault->params, BT_STR("{}")) ? BT_STR("") : fault->params;
    finding.message = bt_str_of(message);
    return bt_findings_add(findings, &finding);
}
