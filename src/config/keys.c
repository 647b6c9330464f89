/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - the table of keys. A new key is one row here.
 *
 * The rows of a group stand together, because the table is also the order in which they are shown.
 */
#include "config/config_internal.h"

#include <assert.h>

#include <baton/json.h>

#include "base/ascii.h"
#include "base/micros.h"
#include "config/docs_url.h"
#include "config/peer_keys.h"
#include "config/row_macros.h"
#include "config/wrap_keys.h"
#include "pattern/ignore.h"

static bool is_listen(bt_str text)
{
    struct bt_listen_address listen;
    return bt_listen_address_parse(text, &listen) == BT_OK;
}

static bool is_plain(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len > 0;
}

/* `host` or `host:port`, the host perhaps an IPv6 address in brackets. */
static bool is_authority(bt_str text)
{
    size_t end = 0;
    if (bt_str_starts_with(text, BT_STR("["))) {
        end = bt_str_find_byte(text, ']', 0) + 1;
    } else {
        end = bt_str_find_byte(text, ':', 0);
    }
    uint64_t port = 0;
    const bt_str rest = bt_str_slice(text, end, text.len);
    const bool has_port = rest.len > 1 && rest.ptr[0] == ':' &&
                          bt_str_to_u64(bt_str_slice(rest, 1, rest.len), &port) == BT_OK &&
                          port <= UINT16_MAX;
    return end > 0 && end <= text.len && (rest.len == 0 || has_port) && is_plain(text) &&
           bt_str_find_byte(text, '/', 0) == text.len && bt_str_find_byte(text, '@', 0) == text.len;
}

/* What follows http:// or https://, or "". */
static bt_str after_scheme(bt_str text)
{
    static const bt_str schemes[] = {BT_STR_INIT("https://"), BT_STR_INIT("http://")};
    for (size_t i = 0; i < 2; i++) {
        if (bt_str_starts_with(text, schemes[i])) {
            return bt_str_slice(text, schemes[i].len, text.len);
        }
    }
    return BT_STR("");
}

bool bt_config_is_web_url(bt_str text)
{
    bt_str rest = after_scheme(text);
    bt_str authority = bt_str_slice(rest, 0, bt_str_find_byte(rest, '/', 0));
    const size_t user = bt_str_find_byte(authority, '@', 0);
    authority = user < authority.len ? bt_str_slice(authority, user + 1, authority.len) : authority;
    return is_plain(text) && is_authority(authority);
}

static bool is_origin(bt_str text)
{
    return is_authority(after_scheme(text));
}

static bool is_store(bt_str text)
{
    const size_t colon = bt_str_find_byte(text, ':', 0);
    const bt_str scheme = bt_str_slice(text, 0, colon);
    const size_t slashes = bt_str_find_byte(text, '/', 0);
    return text.len > 0 &&
           (colon == text.len || slashes < colon || bt_str_eq(scheme, BT_STR("sqlite")) ||
            bt_str_eq(scheme, BT_STR("postgresql")) || bt_str_eq(scheme, BT_STR("postgres")));
}

/* [1-9][0-9]{0,5} and s, m, h or d. */
enum {
    MINUTE_S = 60,
    HOUR_S = 3600,
    DAY_S = 86400,
    RETENTION_DAYS_MAX = 36500,
    LOG_NAME_BYTES_MAX = 63,
    ISSUER_BYTES_MAX = 1024,
};

bool bt_config_is_duration(bt_str text)
{
    uint64_t number = 0;
    const bt_str digits = bt_str_slice(text, 0, text.len > 0 ? text.len - 1 : 0);
    return text.len >= 2 && text.len <= 7 && text.ptr[0] != '0' &&
           bt_str_to_u64(digits, &number) == BT_OK &&
           bt_str_find_byte(BT_STR("smhd"), text.ptr[text.len - 1], 0) < 4;
}

static bool is_heartbeat(bt_str text)
{
    return bt_str_eq(text, BT_STR("off")) ||
           (bt_config_is_duration(text) && bt_config_text_seconds(text) >= MINUTE_S &&
            bt_config_text_seconds(text) <= DAY_S);
}

#ifndef BT_PROFILE_CORE
static bool is_cosigning(bt_str text)
{
    return bt_config_is_duration(text) && bt_config_text_seconds(text) <= HOUR_S;
}
#endif

#ifndef BT_PROFILE_CORE
static bool is_logs_root(bt_str text)
{
    return text.len > 0 && (bt_str_find_byte(text, ':', 0) == text.len ||
                            bt_str_find_byte(text, '/', 0) < bt_str_find_byte(text, ':', 0) ||
                            bt_str_starts_with(text, BT_STR("postgresql://")));
}

static bool is_log_name(bt_str text)
{
    return bt_ascii_is_label(text, LOG_NAME_BYTES_MAX);
}

static bool is_issuer(bt_str text)
{
    return text.len > 0 && text.len <= ISSUER_BYTES_MAX;
}
#endif

static bool is_retention(bt_str text)
{
    return bt_config_is_duration(text) &&
           bt_config_text_seconds(text) <= (uint64_t)RETENTION_DAYS_MAX * DAY_S;
}

static bool is_short(bt_str text)
{
    return text.len > 0 && text.len <= 200;
}

bool bt_config_is_variable(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!bt_ascii_is_alpha(byte) && byte != '_' && !(i > 0 && bt_ascii_is_digit(byte))) {
            return false;
        }
    }
    return text.len > 0;
}

/* A `name` of the ledger, which is what an inbox is called. */
static bool is_name(bt_str text)
{
    const bt_str marks = BT_STR("._:/@+-");
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!bt_ascii_is_alnum(byte) && bt_str_find_byte(marks, byte, 0) == marks.len) {
            return false;
        }
    }
    return is_short(text);
}

/* A user part would not be sent, and a fragment never is; a URL with one would not do what its
 * author expects. */
bool bt_config_is_hook_url(bt_str text)
{
    const bt_str rest = after_scheme(text);
    const bt_str authority = bt_str_slice(rest, 0, bt_str_find_byte(rest, '/', 0));
    return is_plain(text) && is_authority(authority) &&
           bt_str_find_byte(text, '#', 0) == text.len &&
           bt_str_find_byte(authority, '?', 0) == authority.len;
}

static bool is_tier_name(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!bt_ascii_is_alnum(text.ptr[i]) && text.ptr[i] != '_' && text.ptr[i] != '-') {
            return false;
        }
    }
    return text.len > 0 && text.len <= 32;
}

/* Words separated by spaces. */
static bool is_command_pattern(bt_str text)
{
    bool has_word = false;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte < ' ' || byte == 0x7f) {
            return false;
        }
        has_word = has_word || byte != ' ';
    }
    return has_word && text.len <= BT_CONFIG_PATTERN_BYTES_MAX;
}

static bool is_tool_pattern(bt_str text)
{
    return is_plain(text) && text.len <= BT_CONFIG_PATTERN_BYTES_MAX;
}

static bool is_price(bt_str text)
{
    uint64_t price = 0;
    return bt_micros_parse(text, &price) == BT_OK;
}

static bool is_cost(bt_str text)
{
    uint64_t cost = 0;
    return bt_micros_parse(text, &cost) == BT_OK && cost > 0;
}

static bool is_currency(bt_str text)
{
    return text.len == 3 && bt_ascii_is_upper(text.ptr[0]) && bt_ascii_is_upper(text.ptr[1]) &&
           bt_ascii_is_upper(text.ptr[2]);
}

/* Below the project folder. */
static bool is_protected(bt_str text)
{
    return is_command_pattern(text) && text.ptr[0] != '/';
}

/* Below the governance root; whether the file is safe to read is judged when it is read. */
static bool is_beneath(bt_str text)
{
    return text.len > 0 && text.ptr[0] != '/';
}

/* A pattern of paths in the form of .gitignore files. */
static bool is_pattern(bt_str text)
{
    return text.len > 0 && text.len <= BT_IGNORE_PATTERN_BYTES_MAX;
}

static bool is_dialect(bt_str text)
{
    return bt_dialect_find(text) != BT_DIALECT_NONE;
}

static bt_str dialect_at(size_t index)
{
    const size_t dialect = index + 1;
    return dialect < BT_DIALECT__CHECKABLE_MAX ? bt_dialect_name((enum bt_dialect_id)dialect)
                                               : BT_STR("");
}

static bool is_format(bt_str text)
{
    enum bt_report_format format;
    return bt_report_format_parse(text, &format) == BT_OK;
}

static bt_str format_at(size_t index)
{
    return index < BT_REPORT_FORMAT__MAX ? bt_report_format_name((enum bt_report_format)index)
                                         : BT_STR("");
}

static bool is_reason(bt_str text)
{
    return is_short(text) && !bt_str_is_blank(text);
}

static bool is_date(bt_str text)
{
    bt_instant day;
    return bt_date_parse(text, &day) == BT_OK;
}

static bool is_docs_url(bt_str text)
{
    const bool is_file = bt_str_starts_with(text, BT_STR("file:/"));
    return is_plain(text) && bt_str_find_byte(text, '#', 0) == text.len &&
           (is_file ||
            (bt_str_starts_with(text, BT_STR("https://")) && bt_config_is_web_url(text)));
}

WORDS(anonymous_words, "check", "submit");
WORDS(disclosure_words, "bound", "all", "none");
WORDS(encoding_words, "o200k_base", "cl100k_base", "chars4");
WORDS(skill_name_words, "kebab", "relaxed"); /* from strict to loose */
WORDS(severity_words, "error", "warning", "info");
WORDS(rule_level_words, "off", "info", "warning", "error");
WORDS(when_words, "auto", "always", "never");
WORDS(time_words, "auto", "relative", "utc", "local");
WORDS(withhold_words, "handoff_id", "source", "target", "trace_id");
WORDS(level_words, "debug", "info", "warn", "error");
WORDS(log_words, "json", "text");
WORDS(boundary_words, "source", "either", "mutual");
WORDS(relation_words, "strict", "literal");
WORDS(archetype_words, "constituent", "declared");
WORDS(block_words, "any", "bound", "root"); /* from strict to loose */
WORDS(system_words, "reject", "warn", "allow");
WORDS(hidden_words, "warn", "reject");
WORDS(count_words, "fresh", "all");
WORDS(risk_words, "LOW", "MEDIUM", "HIGH", "CRITICAL");

/* Severities and boundary modes from strict to loose, for keys that a project file may only make
 * stricter. */
WORDS(severity_order, "INFO", "WARN", "HARD");
WORDS(boundary_order, "mutual", "source", "either");
WORDS(hidden_order, "reject", "warn");
WORDS(transition_words, "strict", "warn");
WORDS(off_list_words, "reject", "drop");
WORDS(approval_id_words, "own", "any");
WORDS(agent_id_words, "host", "any");
WORDS(evidence_words, "off", "report", "enforce");

/* clang-format off */
static const struct bt_yaml_node document_patterns[] = {SCALAR("*.md"), SCALAR("*.rst"),
    SCALAR("*.txt")};
static const struct bt_yaml_node both_scopes[] = {SCALAR("check"), SCALAR("submit")};

#define LIMIT(name_, ...)                                                                          \
    FORMED(name_, BT_CONFIG_GROUP, NULL,                                                           \
        "tokens from 1 to 9007199254740991, cost above 0 with up to 6 places, or both"),           \
        .otherwise = NOTHING, MEMBERS(limit_rows, 0), .list.is_limit = true, __VA_ARGS__}

static const struct bt_config_row webhook_rows[] = {
    FORMED("target", BT_CONFIG_TEXT, is_name, "a name of 1 to 200 of [A-Za-z0-9._:/@+-]")},
    FORMED("url", BT_CONFIG_TEXT, bt_config_is_hook_url,
        "an http or https URL without a user and a fragment")},
    FORMED("token_env", BT_CONFIG_TEXT, bt_config_is_variable,
        "the name of an environment variable")},
};

#ifndef BT_PROFILE_CORE /* which has no store */
static const struct bt_config_row issuer_rows[] = {
    FORMED("iss", BT_CONFIG_TEXT, is_issuer, "a text of 1 to 1024 bytes")},
    FORMED("key", BT_CONFIG_TEXT, NULL, "a PEM file with one public key")},
};
#endif

static const struct bt_config_row tier_rows[] = {
    FORMED("name", BT_CONFIG_TEXT, is_tier_name, "1 to 32 of [A-Za-z0-9_-]")},
    FORMED("commands", BT_CONFIG_LIST, is_command_pattern,
        "words of a command, of at most 200 bytes; * stands for characters, ** for words")},
    FORMED("tools", BT_CONFIG_LIST, is_tool_pattern,
        "the name of a tool, of at most 200 bytes; * stands for characters")},
    {.name = BT_STR_INIT("risk"), .type = BT_CONFIG_TEXT,
     .expected = "LOW, MEDIUM, HIGH or CRITICAL", .words = risk_words},
};

enum { ENTRIES_MAX = 1000, IGNORED_PATTERNS_MAX = 100 };

#define PRICE(name_)                                                                               \
    FORMED(name_, BT_CONFIG_DECIMAL, is_price,                                                     \
        "the price of a million tokens, with up to 6 places")}
static const struct bt_config_row limit_rows[] = {
    NUMBER("tokens", 1, 9007199254740991, 1, SERVER),
    FORMED("cost", BT_CONFIG_DECIMAL, is_cost, "a decimal above 0 with up to 6 places")},
};
static const struct bt_config_row price_rows[] = {
    FORMED("model", BT_CONFIG_TEXT, is_tool_pattern,
        "the name of a model, of at most 200 bytes; * stands for characters")},
    PRICE("input"), PRICE("output"), PRICE("cache_read"), PRICE("cache_write"),
};

#define PATTERNS_EXPECTED "patterns of at most 1024 bytes each, at most 1000"
#define RULES_EXPECTED "at most 1000 codes or prefixes with off, info, warning or error"
#define FAIL_LEVEL(name_, ...)                                                                     \
    WORD(name_, severity_words, "error, warning or info", "HARD", .is_level = true, __VA_ARGS__)
#define TOKENS(name_, ...)                                                                         \
    WORD(name_, encoding_words, "o200k_base, cl100k_base or chars4", "o200k_base", __VA_ARGS__)
#define BUDGET(name_, ...) NUMBER(name_, 1, 9007199254740991, 2000, __VA_ARGS__)
#define RULES(name_, ...)                                                                          \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_MAP, .expected = RULES_EXPECTED,                \
     .words = rule_level_words, .is_level = true, .judge = bt_config_judge_rule,                   \
     .list.count_max = ENTRIES_MAX, .otherwise = EMPTY_MAP, __VA_ARGS__}
#define PATTERNS(name_, type_, ...)                                                                \
    FORMED(name_, type_, is_pattern, PATTERNS_EXPECTED), .list.count_max = ENTRIES_MAX,            \
     .otherwise = EMPTY, __VA_ARGS__}

static const struct bt_config_row ignore_rows[] = {
    FORMED("code", BT_CONFIG_TEXT, NULL, "a code, or a prefix ending in *"),
        .judge = bt_config_judge_ignored},
    FORMED("paths", BT_CONFIG_LIST, is_pattern,
        "1 to 100 patterns of at most 1024 bytes each"), .list.count_min = 1,
        .list.count_max = IGNORED_PATTERNS_MAX},
    FORMED("reason", BT_CONFIG_TEXT, is_reason, "a text of up to 200 bytes that is not blank")},
    FORMED("until", BT_CONFIG_TEXT, is_date, "a day like 2026-12-31")},
    FORMED("pointer", BT_CONFIG_TEXT, bt_json_pointer_is_valid, "a JSON Pointer")},
};
static const struct bt_config_row path_check_rows[] = {
    TOKENS("tokens", .project = BT_PROJECT_NOTHING),
    BUDGET("budget", .project = BT_PROJECT_NOTHING),
    FAIL_LEVEL("fail_level", .project = BT_PROJECT_NOTHING),
};
static const struct bt_config_row path_rows[] = {
    PATTERNS("match", BT_CONFIG_TEXT_OR_LIST, .list.count_min = 1),
    {.name = BT_STR_INIT("as"), .type = BT_CONFIG_TEXT, .expected = "a dialect",
     .form = is_dialect, .word = dialect_at},
    RULES("rules", .project = BT_PROJECT_NOTHING),
    {.name = BT_STR_INIT("check"), .type = BT_CONFIG_GROUP,
     .expected = "a mapping of tokens, budget and fail_level", MEMBERS(path_check_rows, 0)},
};

const struct bt_config_row bt_config_rows[] = {
    FORMED("listen", BT_CONFIG_TEXT_OR_LIST, is_listen,
        "HOST:PORT with an IP address or localhost, [IPV6]:PORT or unix:PATH"),
        .otherwise = SCALAR("127.0.0.1:8420"), .list.count_min = 1, SERVER},
    FORMED("public_url", BT_CONFIG_TEXT, bt_config_is_web_url, "an http or https URL"),
        .otherwise = NOTHING, SERVER},
    FORMED("hosts", BT_CONFIG_LIST, is_authority, "host or host:port"), .otherwise = EMPTY, SERVER},
    FORMED("cors.origins", BT_CONFIG_LIST, is_origin, "scheme://host or scheme://host:port"),
        .otherwise = EMPTY, SERVER},
    FORMED("store", BT_CONFIG_TEXT, is_store, "a path, sqlite:PATH or postgresql://..."),
        .otherwise = NOTHING, PROJECT(BELOW, BT_USERS_STORE), HOOKS},
    FORMED("roots", BT_CONFIG_MAP, NULL, "names and folders"),
        .otherwise = {.kind = BT_YAML_MAPPING}, OPERATOR(BT_USERS_SERVICE)},
    PATH("tokens", SERVER),
    PATH("tls.cert", SERVER),
    PATH("tls.key", SERVER),
    PATH("tls.client_ca", SERVER),
    SWITCH("tls.require_client_cert", SERVER),
    SWITCH("plain_http", SERVER),
    {.name = BT_STR_INIT("auth.anonymous"), .type = BT_CONFIG_LIST, .expected = "check, submit",
     .words = anonymous_words,
     .otherwise = {.kind = BT_YAML_SEQUENCE, .count = 2, .items = both_scopes}, SERVER},
    WORD("auth.disclose_topology", disclosure_words, "bound, all or none", "bound",
        OPERATOR(BT_USERS_SERVICE)),
    NUMBER("limits.body_bytes", 1024, 1073741824, 9437184, SERVER),
    NUMBER("limits.header_bytes", 1024, 1048576, 32768, SERVER),
    NUMBER("limits.header_count", 10, 1000, 100, SERVER),
    NUMBER("limits.target_bytes", 256, 65536, 8192, SERVER),
    NUMBER("limits.header_timeout_s", 1, 3600, 10, SERVER),
    NUMBER("limits.body_timeout_s", 1, 3600, 30, SERVER),
    NUMBER("limits.write_timeout_s", 1, 3600, 60, SERVER),
    NUMBER("limits.idle_timeout_s", 1, 3600, 60, SERVER),
    NUMBER("limits.record_deadline_ms", 100, 60000, 2000, OPERATOR(BT_USERS_SERVICE)),
    NUMBER("limits.body_memory_bytes", 1048576, 1099511627776, 268435456, SERVER),
    NUMBER("limits.connections", 1, 1000000, 10000, SERVER),
    NUMBER("limits.connections_per_address", 1, 1000000, 1000, SERVER),
    NUMBER("limits.in_flight", 1, 1000000, 1024, SERVER),
    NUMBER("limits.streams_per_principal", 1, 1000000, 16, SERVER),
    NUMBER("limits.document_bytes", 1024, 1073741824, 8388608,
        PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.nesting", 1, 1000, 128, PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.members", 1, 100000000, 1000000, PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.string_bytes", 1024, 1073741824, 4194304,
        PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.schema_depth", 1, 128, 32, PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.schema_ms", 1, 60000, 2000, PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.schema_work", 1, 1000000000000, 10000000,
        PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.csv_row_bytes", 1024, 1073741824, 1048576,
        PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.csv_cell_bytes", 1024, 1073741824, 131072,
        PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.xml_bytes", 1024, 8388608, 1048576, PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("limits.xml_depth", 1, 1000, 128, PROJECT(STRICTER, BT_USERS_ALL), HOOKS),
    NUMBER("rate.check", 0, 1000000, 2000, SERVER),
    NUMBER("rate.submit", 0, 1000000, 500, SERVER),
    NUMBER("rate.auth_failures", 1, 10000, 10, SERVER),
    PATTERNS("include", BT_CONFIG_LIST, PROJECT(ANY_OR_NOTHING, 0), .is_for_projects = true),
    PATTERNS("exclude", BT_CONFIG_LIST, PROJECT(ANY_OR_NOTHING, 0), .is_for_projects = true),
    SWITCH_ON("gitignore", PROJECT(ANY_OR_NOTHING, 0)),
    RULES("rules", PROJECT(ANY_OR_NOTHING, 0)),
    FORMED("ignore", BT_CONFIG_MAPPINGS, NULL, "at most 1000 entries"), .otherwise = EMPTY,
        MEMBERS(ignore_rows, 4), .list.count_max = ENTRIES_MAX, PROJECT(ANY_OR_NOTHING, 0),
        .is_for_projects = true},
    PATH("baseline", PROJECT(ANY_OR_NOTHING, 0), .is_for_projects = true),
    FORMED("paths", BT_CONFIG_MAPPINGS, NULL, "at most 1000 entries"), .otherwise = EMPTY,
        MEMBERS(path_rows, 1), .list.count_max = ENTRIES_MAX, PROJECT(ANY_OR_NOTHING, 0),
        .is_for_projects = true},
    TOKENS("check.tokens", PROJECT(ANY_OR_NOTHING, BT_USERS_UNIVERSAL)),
    BUDGET("check.budget", PROJECT(ANY_OR_STRICTER, BT_USERS_UNIVERSAL)),
    FAIL_LEVEL("check.fail_level", PROJECT(ANY_OR_STRICTER, BT_USERS_ALL),
        .strict = severity_order),
    WORD("check.skill_names", skill_name_words, "kebab or relaxed", "kebab",
        PROJECT(ANY_OR_STRICTER, BT_USERS_UNIVERSAL), .strict = skill_name_words),
    FORMED("submit.roots", BT_CONFIG_LIST, NULL, "names of `roots`"), .otherwise = EMPTY,
        OPERATOR(BT_USERS_SERVICE)},
    FORMED("skills", BT_CONFIG_LIST, NULL, "folders"), .otherwise = EMPTY,
        PROJECT(ANY_OR_NOTHING, BT_USERS_UNIVERSAL)},
    FORMED("contract.workspace", BT_CONFIG_TEXT, NULL, "a name"), .otherwise = NOTHING,
        OPERATOR(BT_USERS_CONTRACT), HOOKS},
    NUMBER("contract.max_rejections", 1, 100, 3, PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS),
    WORD("contract.transitions", transition_words, "strict or warn", "warn",
        PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS, .strict = transition_words),
    WORD("contract.off_list", off_list_words, "reject or drop", "drop",
        PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS, .strict = off_list_words),
    WORD("contract.approval_ids", approval_id_words, "own or any", "any",
        PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS, .strict = approval_id_words),
    WORD("contract.agent_ids", agent_id_words, "host or any", "host",
        PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS, .strict = agent_id_words),
    FORMED("contract.agents", BT_CONFIG_LIST, NULL, "types of agents"), .otherwise = EMPTY,
        OPERATOR(0), HOOKS},
    DURATION("approvals.pending_ttl", "24h", PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS),
    DURATION("approvals.grant_ttl", "60m", PROJECT(STRICTER, BT_USERS_CONTRACT), HOOKS),
    FORMED("gate.tiers", BT_CONFIG_MAPPINGS, NULL,
        "at most 32 tiers with different names and 500 patterns"), .otherwise = EMPTY,
        MEMBERS(tier_rows, 1), .list.fits = bt_config_tiers_fit, OPERATOR(0), HOOKS},
    SWITCH_ON("gate.builtin", OPERATOR(0), HOOKS),
    FORMED("gate.protect", BT_CONFIG_LIST, is_protected,
        "a path below the project folder, of at most 200 bytes; * stands for characters"),
        .otherwise = EMPTY, OPERATOR(0), HOOKS},
    LIMIT("budget.agent", OPERATOR(0), HOOKS),
    LIMIT("budget.session", OPERATOR(0), HOOKS),
    LIMIT("budget.chain", PROJECT(STRICTER, BT_USERS_UNIVERSAL), HOOKS),
    FORMED("budget.types", BT_CONFIG_GROUPS, NULL,
        "at most 1000 types of agents, each with tokens, cost or both"), .otherwise = EMPTY_MAP,
        MEMBERS(limit_rows, 0), .list.is_limit = true, .list.count_max = ENTRIES_MAX,
        OPERATOR(0), HOOKS},
    NUMBER("budget.warn_percent", 1, 99, 80, OPERATOR(BT_USERS_UNIVERSAL), HOOKS),
    WORD("budget.count", count_words, "fresh or all", "fresh", OPERATOR(BT_USERS_UNIVERSAL), HOOKS),
    FORMED("budget.currency", BT_CONFIG_TEXT, is_currency, "three capital letters"),
        .otherwise = SCALAR("USD"), OPERATOR(BT_USERS_UNIVERSAL), HOOKS},
    FORMED("budget.prices", BT_CONFIG_MAPPINGS, NULL, "at most 1000 models with their prices"),
        .otherwise = EMPTY, MEMBERS(price_rows, 5), .list.count_max = ENTRIES_MAX,
        OPERATOR(BT_USERS_UNIVERSAL), HOOKS},
    WORD("evidence.mode", evidence_words, "off, report or enforce", "off", OPERATOR(0), HOOKS),
    FORMED("evidence.doc_paths", BT_CONFIG_LIST, is_pattern, PATTERNS_EXPECTED),
        .list.count_max = ENTRIES_MAX,
        .otherwise = {.kind = BT_YAML_SEQUENCE, .count = 3, .items = document_patterns},
        OPERATOR(0), HOOKS},
    SWITCH("evidence.keep", OPERATOR(0), HOOKS),
    PATH("governed.root", PROJECT(BELOW_OR_NOTHING, BT_USERS_GOVERNED)),
    FORMED("governed.manifest", BT_CONFIG_TEXT, is_beneath, "a path below the root"),
        .otherwise = SCALAR("versions/prompt-manifest.json"),
        PROJECT(BELOW_OR_NOTHING, BT_USERS_GOVERNED)},
    FORMED("governed.lock", BT_CONFIG_TEXT, is_beneath, "a path below the root"),
        .otherwise = SCALAR("versions/prompt-lock.json"),
        PROJECT(BELOW_OR_NOTHING, BT_USERS_GOVERNED)},
    FORMED("governed.boundaries", BT_CONFIG_TEXT, is_beneath, "a path below the root"),
        .otherwise = SCALAR("boundaries.json"), PROJECT(BELOW_OR_NOTHING, BT_USERS_GOVERNED)},
    FORMED("governed.lock_copies", BT_CONFIG_LIST, is_beneath, "paths below the root"),
        .otherwise = EMPTY, PROJECT(BELOW_OR_NOTHING, BT_USERS_GOVERNED)},
    WORD("governed.boundary_mode", boundary_words, "source, either or mutual", "source",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = boundary_order),
    WORD("governed.relation_mode", relation_words, "strict or literal", "strict",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = relation_words),
    WORD("governed.archetype_mode", archetype_words, "constituent or declared", "constituent",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = archetype_words),
    NUMBER("governed.max_age_s", 0, 9007199254740991, 300, PROJECT(STRICTER, BT_USERS_GOVERNED)),
    NUMBER("governed.max_future_s", 0, 9007199254740991, 60, PROJECT(STRICTER, BT_USERS_GOVERNED)),
    WORD("governed.block_on", block_words, "root, bound or any", "bound",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = block_words),
    WORD("governed.system_messages", system_words, "reject, warn or allow", "reject",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = system_words),
    WORD("governed.hidden_text", hidden_words, "warn or reject", "warn",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = hidden_order),
    WORD("governed.injection_text", system_words, "warn, reject or allow", "warn",
        PROJECT(STRICTER, BT_USERS_GOVERNED), .strict = system_words),
    SWITCH("ledger.public", SERVER),
    {.name = BT_STR_INIT("ledger.withhold"), .type = BT_CONFIG_LIST,
     .expected = "handoff_id, source, target, trace_id", .words = withhold_words,
     .otherwise = EMPTY, OPERATOR(BT_USERS_STORE)},
    FORMED("ledger.memory", BT_CONFIG_TEXT, NULL, "a folder, or off"), .otherwise = NOTHING,
        OPERATOR(BT_USERS_STORE), HOOKS},
#ifndef BT_PROFILE_CORE /* which signs nothing */
    PATH("ledger.agent", OPERATOR(BT_USERS_STORE)),
#endif
    PATH("ledger.witness", SERVER),
    FORMED("ledger.heartbeat", BT_CONFIG_TEXT, is_heartbeat, "1m to 24h, or off"),
        .otherwise = SCALAR("15m"), OPERATOR(BT_USERS_STORE)},
#ifndef BT_PROFILE_CORE /* which has no other servers */
    FORMED("ledger.cosign_every", BT_CONFIG_TEXT, is_cosigning, "1s to 1h"),
        .otherwise = SCALAR("10s"), SERVER},
    FORMED("ledger.peers", BT_CONFIG_MAPPINGS, NULL,
        "at most 32 mappings with name, url, vkey and log"), .otherwise = EMPTY,
        MEMBERS(bt_config_peer_rows, 4), .list.count_max = BT_CONFIG_PEERS_MAX,
        OPERATOR(BT_USERS_STORE)},
#endif
#ifndef BT_PROFILE_CORE /* which has no store */
    FORMED("logs.root", BT_CONFIG_TEXT, is_logs_root, "a folder or postgresql://..."),
        .otherwise = NOTHING, OPERATOR(BT_USERS_STORE)},
    PATH("logs.keys", OPERATOR(BT_USERS_STORE)),
    FORMED("logs.default", BT_CONFIG_TEXT, is_log_name,
        "1 to 63 of [a-z0-9-], of which the first is not -"),
        .otherwise = NOTHING, OPERATOR(BT_USERS_STORE)},
    NUMBER("logs.max", 1, 100000, 10000, OPERATOR(BT_USERS_STORE)),
    NUMBER("logs.open", 1, 10000, 256, SERVER),
    OPTIONAL_NUMBER("logs.writers", 1, 64, SERVER),
    FORMED("scitt.issuers", BT_CONFIG_MAPPINGS, NULL, "at most 64 mappings with iss and key"),
        .otherwise = EMPTY, MEMBERS(issuer_rows, 2), .list.count_max = BT_CONFIG_ISSUERS_MAX,
        SERVER},
#endif
    FORMED("retain.min", BT_CONFIG_TEXT, is_retention, "1s to 36500d"), .otherwise = NOTHING,
        PROJECT(STRICTER, BT_USERS_STORE), .is_minimum = true},
    PATH("pump.organism", SERVER),
    NUMBER("deliver.attempts", 1, 100, 5, OPERATOR(BT_USERS_SERVICE)),
    FORMED("deliver.webhooks", BT_CONFIG_MAPPINGS, NULL,
        "mappings with target, url and token_env"), .otherwise = EMPTY,
        MEMBERS(webhook_rows, 2), SERVER},
    DURATION("idempotency.ttl", "24h", OPERATOR(BT_USERS_SERVICE)),
    SWITCH_ON("mcp.enabled", SERVER),
    DURATION("mcp.session_ttl", "24h", SERVER),
    SWITCH_ON("a2a.enabled", SERVER),
    FORMED("a2a.name", BT_CONFIG_TEXT, is_short, "a text of up to 200 bytes"),
        .otherwise = QUOTED("Baton"), SERVER},
    FORMED("a2a.description", BT_CONFIG_TEXT, is_short, "a text of up to 200 bytes"),
        .otherwise = QUOTED("Checks, records and delivers handoffs between agents"), SERVER},
    SWITCH_ON("console.enabled", SERVER),
    SWITCH("metrics.public", SERVER),
    WORD("log.level", level_words, "debug, info, warn or error", "info", SERVER),
    WORD("log.format", log_words, "json or text", "json", SERVER),
    SWITCH("log.addresses", SERVER),
    FORMED("otlp.endpoint", BT_CONFIG_TEXT, bt_config_is_web_url, "an http or https URL"),
        .otherwise = NOTHING, SERVER},
    FORMED("otlp.header_env", BT_CONFIG_MAP, bt_config_is_variable,
        "headers and environment variables"),
        .otherwise = {.kind = BT_YAML_MAPPING}, SERVER},
    NUMBER("otlp.queue", 1, 100000, 2048, SERVER),
    {.name = BT_STR_INIT("output.format"), .type = BT_CONFIG_TEXT,
     .expected = "a format of reports", .form = is_format, .word = format_at,
     .otherwise = SCALAR("full"), OPERATOR(BT_USERS_ALL)},
    WORD("output.color", when_words, "auto, always or never", "auto", OPERATOR(BT_USERS_ALL)),
    WORD("output.hyperlinks", when_words, "auto, always or never", "auto", OPERATOR(BT_USERS_ALL)),
    WORD("output.time", time_words, "auto, relative, utc or local", "auto",
        OPERATOR(BT_USERS_ALL)),
    FORMED("output.docs_url", BT_CONFIG_TEXT, is_docs_url,
        "an https: or file: URL of the rules page, without a fragment"),
        .otherwise = SCALAR(BATON_DOCS_URL), OPERATOR(BT_USERS_ALL)},
#ifndef BT_PROFILE_CORE /* which has neither a server nor wrapped ones, and no key for them */
    NUMBER("shutdown.delay_s", 0, 600, 0, SERVER),
    NUMBER("shutdown.timeout_s", 1, 3600, 30, SERVER),
    FORMED("wrap.lock", BT_CONFIG_TEXT, NULL, "a path"), .otherwise = NOTHING,
        OPERATOR(BT_USERS_WRAP)},
    FORMED("wrap.servers", BT_CONFIG_GROUPS, NULL,
        "names of 1 to 64 of [A-Za-z0-9._-] that are not commands of baton wrap"),
        .otherwise = EMPTY_MAP, MEMBERS(bt_config_wrap_servers, 0),
        .list.name_form = bt_config_is_server_name, .list.judge = bt_config_judge_server,
        .list.count_max = ENTRIES_MAX, OPERATOR(BT_USERS_WRAP)},
    WRAP_POLICY_ROWS("wrap.", OPERATOR(BT_USERS_WRAP)),
#endif
};
/* clang-format on */

const size_t bt_config_rows_count = sizeof(bt_config_rows) / sizeof(bt_config_rows[0]);

static_assert(sizeof(bt_config_rows) / sizeof(bt_config_rows[0]) <= BT_CONFIG_KEYS_MAX,
              "a configuration has a place for every key");

/* A server asks often; few names are as long as the one that is wanted and end like it. */
static inline bool is_called(const struct bt_config_row *row, bt_str name)
{
    return row->name.len == name.len && row->name.ptr[name.len - 1] == name.ptr[name.len - 1] &&
           bt_str_eq(row->name, name);
}

size_t bt_config_row(bt_str name)
{
    size_t row = 0;
    while (row < bt_config_rows_count && !is_called(&bt_config_rows[row], name)) {
        row++;
    }
    return row;
}
