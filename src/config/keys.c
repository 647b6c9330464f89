/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - the table of keys. A new key is one row here.
 *
 * The rows of a group stand together, because the table is also the order in which they are shown.
 */
#include "config/config.h"

#include <assert.h>

/* ---- Forms ----------------------------------------------------------------------------------- */

static bool is_listen(bt_str text)
{
    struct bt_listen listen;
    return bt_listen_parse(text, &listen) == BT_OK;
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
    if (bt_str_starts(text, BT_STR("["))) {
        end = bt_str_find(text, ']', 0) + 1;
    } else {
        end = bt_str_find(text, ':', 0);
    }
    uint64_t port = 0;
    const bt_str rest = bt_str_slice(text, end, text.len);
    const bool has_port = rest.len > 1 && rest.ptr[0] == ':' &&
                          bt_str_to_u64(bt_str_slice(rest, 1, rest.len), &port) == BT_OK &&
                          port <= UINT16_MAX;
    return end > 0 && end <= text.len && (rest.len == 0 || has_port) && is_plain(text) &&
           bt_str_find(text, '/', 0) == text.len && bt_str_find(text, '@', 0) == text.len;
}

/* What follows http:// or https://, or "". */
static bt_str after_scheme(bt_str text)
{
    static const bt_str schemes[] = {BT_STR_INIT("https://"), BT_STR_INIT("http://")};
    for (size_t i = 0; i < 2; i++) {
        if (bt_str_starts(text, schemes[i])) {
            return bt_str_slice(text, schemes[i].len, text.len);
        }
    }
    return BT_STR("");
}

static bool is_web_url(bt_str text)
{
    bt_str rest = after_scheme(text);
    bt_str authority = bt_str_slice(rest, 0, bt_str_find(rest, '/', 0));
    const size_t user = bt_str_find(authority, '@', 0);
    authority = user < authority.len ? bt_str_slice(authority, user + 1, authority.len) : authority;
    return is_plain(text) && is_authority(authority);
}

static bool is_origin(bt_str text)
{
    return is_authority(after_scheme(text));
}

static bool is_store(bt_str text)
{
    const size_t colon = bt_str_find(text, ':', 0);
    const bt_str scheme = bt_str_slice(text, 0, colon);
    const size_t slashes = bt_str_find(text, '/', 0);
    return text.len > 0 &&
           (colon == text.len || slashes < colon || bt_str_eq(scheme, BT_STR("sqlite")) ||
            bt_str_eq(scheme, BT_STR("postgresql")) || bt_str_eq(scheme, BT_STR("postgres")));
}

/* [1-9][0-9]{0,5} and s, m, h or d. */
static bool is_duration(bt_str text)
{
    uint64_t number = 0;
    const bt_str digits = bt_str_slice(text, 0, text.len > 0 ? text.len - 1 : 0);
    return text.len >= 2 && text.len <= 7 && text.ptr[0] != '0' &&
           bt_str_to_u64(digits, &number) == BT_OK &&
           bt_str_find(BT_STR("smhd"), text.ptr[text.len - 1], 0) < 4;
}

static bool is_short(bt_str text)
{
    return text.len <= 200;
}

static bool is_variable(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        if (!is_letter && byte != '_' && !(i > 0 && byte >= '0' && byte <= '9')) {
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
        const bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        const bool is_digit = byte >= '0' && byte <= '9';
        if (!is_letter && !is_digit && bt_str_find(marks, byte, 0) == marks.len) {
            return false;
        }
    }
    return text.len > 0 && is_short(text);
}

/* A user would not be sent, and a fragment never is; whoever writes one expects something else. */
static bool is_hook_url(bt_str text)
{
    const bt_str rest = after_scheme(text);
    const bt_str authority = bt_str_slice(rest, 0, bt_str_find(rest, '/', 0));
    return is_plain(text) && is_authority(authority) && bt_str_find(text, '#', 0) == text.len &&
           bt_str_find(authority, '?', 0) == authority.len;
}

/* Below the governance root; whether the file is safe to read is judged when it is read. */
static bool is_beneath(bt_str text)
{
    return text.len > 0 && text.ptr[0] != '/';
}

/* ---- Words ----------------------------------------------------------------------------------- */

#define WORDS(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

WORDS(anonymous_words, "check", "submit");
WORDS(disclosure_words, "bound", "all", "none");
WORDS(encoding_words, "o200k_base", "cl100k_base", "chars4");
WORDS(severity_words, "HARD", "WARN", "INFO");
WORDS(withhold_words, "handoff_id", "source", "target", "trace_id");
WORDS(level_words, "debug", "info", "warn", "error");
WORDS(log_words, "json", "text");
WORDS(boundary_words, "source", "either", "mutual");
WORDS(relation_words, "strict", "literal");
WORDS(archetype_words, "constituent", "declared");
WORDS(block_words, "any", "root");
WORDS(system_words, "reject", "warn", "allow");
WORDS(hidden_words, "warn", "reject");

/* ---- Rows ------------------------------------------------------------------------------------ */

/* clang-format off */
#define SCALAR(text_) {.kind = BT_YAML_SCALAR, .style = BT_YAML_PLAIN, .text = BT_STR_INIT(text_)}
#define QUOTED(text_) {.kind = BT_YAML_SCALAR, .style = BT_YAML_QUOTED, .text = BT_STR_INIT(text_)}
#define EMPTY {.kind = BT_YAML_SEQUENCE}
#define NOTHING {.kind = BT_YAML_SCALAR, .style = BT_YAML_PLAIN, .text = BT_STR_INIT("")}

static const struct bt_yaml_node both_scopes[] = {SCALAR("check"), SCALAR("submit")};

#define NUMBER(name_, low_, high_, default_)                                                       \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_NUMBER, .expected = #low_ " to " #high_,        \
     .low = low_##U, .high = high_##U, .otherwise = SCALAR(#default_)}
#define SWITCH(name_)                                                                              \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_SWITCH, .expected = "true or false",            \
     .otherwise = SCALAR("false")}
#define SWITCH_ON(name_)                                                                           \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_SWITCH, .expected = "true or false",            \
     .otherwise = SCALAR("true")}
#define WORD(name_, words_, expected_, default_)                                                   \
    {.name = BT_STR_INIT(name_), .type = BT_CONFIG_TEXT, .expected = (expected_),                  \
     .words = (words_), .otherwise = SCALAR(default_)}
#define FORMED(name_, type_, form_, expected_)                                                     \
    {.name = BT_STR_INIT(name_), .type = (type_), .expected = (expected_), .form = (form_)
#define PATH(name_) FORMED(name_, BT_CONFIG_TEXT, NULL, "a path"), .otherwise = NOTHING}
#define DURATION(name_, default_)                                                                  \
    FORMED(name_, BT_CONFIG_TEXT, is_duration, "1 to 6 digits and s, m, h or d"),                  \
     .otherwise = SCALAR(default_)}

const struct bt_config_row bt_config_rows[] = {
    FORMED("listen", BT_CONFIG_TEXT_OR_LIST, is_listen,
        "HOST:PORT with an IP address or localhost, [IPV6]:PORT or unix:PATH"),
        .otherwise = SCALAR("127.0.0.1:8420")},
    FORMED("public_url", BT_CONFIG_TEXT, is_web_url, "an http or https URL"), .otherwise = NOTHING},
    FORMED("hosts", BT_CONFIG_LIST, is_authority, "host or host:port"), .otherwise = EMPTY},
    FORMED("cors.origins", BT_CONFIG_LIST, is_origin, "scheme://host or scheme://host:port"),
        .otherwise = EMPTY},
    FORMED("store", BT_CONFIG_TEXT, is_store, "a path, sqlite:PATH or postgresql://..."),
        .otherwise = NOTHING},
    FORMED("roots", BT_CONFIG_MAP, NULL, "names and folders"),
        .otherwise = {.kind = BT_YAML_MAPPING}},
    PATH("tokens"),
    PATH("tls.cert"),
    PATH("tls.key"),
    PATH("tls.client_ca"),
    SWITCH("tls.require_client_cert"),
    SWITCH("plain_http"),
    {.name = BT_STR_INIT("auth.anonymous"), .type = BT_CONFIG_LIST, .expected = "check, submit",
     .words = anonymous_words,
     .otherwise = {.kind = BT_YAML_SEQUENCE, .count = 2, .items = both_scopes}},
    WORD("auth.disclose_topology", disclosure_words, "bound, all or none", "bound"),
    NUMBER("limits.body_bytes", 1024, 1073741824, 9437184),
    NUMBER("limits.header_bytes", 1024, 1048576, 32768),
    NUMBER("limits.header_count", 10, 1000, 100),
    NUMBER("limits.target_bytes", 256, 65536, 8192),
    NUMBER("limits.header_timeout_s", 1, 3600, 10),
    NUMBER("limits.body_timeout_s", 1, 3600, 30),
    NUMBER("limits.write_timeout_s", 1, 3600, 60),
    NUMBER("limits.idle_timeout_s", 1, 3600, 60),
    NUMBER("limits.record_deadline_ms", 100, 60000, 2000),
    NUMBER("limits.body_memory_bytes", 1048576, 1099511627776, 268435456),
    NUMBER("limits.connections", 1, 1000000, 10000),
    NUMBER("limits.connections_per_address", 1, 1000000, 1000),
    NUMBER("limits.in_flight", 1, 1000000, 1024),
    NUMBER("limits.streams_per_principal", 1, 1000000, 16),
    NUMBER("limits.document_bytes", 1024, 1073741824, 8388608),
    NUMBER("limits.nesting", 1, 1000, 128),
    NUMBER("limits.members", 1, 100000000, 1000000),
    NUMBER("limits.string_bytes", 1024, 1073741824, 4194304),
    NUMBER("limits.schema_depth", 1, 128, 32),
    NUMBER("limits.schema_ms", 1, 60000, 2000),
    NUMBER("limits.schema_work", 1, 1000000000000, 10000000),
    NUMBER("limits.csv_row_bytes", 1024, 1073741824, 1048576),
    NUMBER("limits.csv_cell_bytes", 1024, 1073741824, 131072),
    NUMBER("limits.xml_bytes", 1024, 8388608, 1048576),
    NUMBER("limits.xml_depth", 1, 1000, 128),
    NUMBER("rate.check", 0, 1000000, 2000),
    NUMBER("rate.submit", 0, 1000000, 500),
    NUMBER("rate.auth_failures", 1, 10000, 10),
    WORD("check.tokens", encoding_words, "o200k_base, cl100k_base or chars4", "o200k_base"),
    NUMBER("check.budget", 1, 9007199254740991, 2000),
    WORD("check.fail_level", severity_words, "HARD, WARN or INFO", "HARD"),
    FORMED("submit.roots", BT_CONFIG_LIST, NULL, "names of `roots`"), .otherwise = EMPTY},
    FORMED("skills", BT_CONFIG_LIST, NULL, "folders"), .otherwise = EMPTY},
    FORMED("contract.workspace", BT_CONFIG_TEXT, NULL, "a name"), .otherwise = NOTHING},
    NUMBER("contract.max_rejections", 1, 100, 3),
    FORMED("contract.agents", BT_CONFIG_LIST, NULL, "types of agents"), .otherwise = EMPTY},
    DURATION("approvals.pending_ttl", "24h"),
    DURATION("approvals.grant_ttl", "60m"),
    PATH("governed.root"),
    FORMED("governed.manifest", BT_CONFIG_TEXT, is_beneath, "a path below the root"),
        .otherwise = SCALAR("versions/prompt-manifest.json")},
    FORMED("governed.lock", BT_CONFIG_TEXT, is_beneath, "a path below the root"),
        .otherwise = SCALAR("versions/prompt-lock.json")},
    FORMED("governed.boundaries", BT_CONFIG_TEXT, is_beneath, "a path below the root"),
        .otherwise = SCALAR("boundaries.json")},
    FORMED("governed.lock_copies", BT_CONFIG_LIST, is_beneath, "paths below the root"),
        .otherwise = EMPTY},
    WORD("governed.boundary_mode", boundary_words, "source, either or mutual", "source"),
    WORD("governed.relation_mode", relation_words, "strict or literal", "strict"),
    WORD("governed.archetype_mode", archetype_words, "constituent or declared", "constituent"),
    NUMBER("governed.max_age_s", 0, 9007199254740991, 300),
    NUMBER("governed.max_future_s", 0, 9007199254740991, 60),
    WORD("governed.block_on", block_words, "any or root", "any"),
    WORD("governed.system_messages", system_words, "reject, warn or allow", "reject"),
    WORD("governed.hidden_text", hidden_words, "warn or reject", "warn"),
    SWITCH("ledger.public"),
    {.name = BT_STR_INIT("ledger.withhold"), .type = BT_CONFIG_LIST,
     .expected = "handoff_id, source, target, trace_id", .words = withhold_words,
     .otherwise = EMPTY},
    PATH("ledger.witness"),
    PATH("pump.organism"),
    NUMBER("deliver.attempts", 1, 100, 5),
    FORMED("deliver.webhooks", BT_CONFIG_HOOKS, NULL, "mappings with target, url and token_env"),
        .otherwise = EMPTY},
    DURATION("idempotency.ttl", "24h"),
    SWITCH_ON("mcp.enabled"),
    DURATION("mcp.session_ttl", "24h"),
    SWITCH_ON("a2a.enabled"),
    FORMED("a2a.name", BT_CONFIG_TEXT, is_short, "a text of up to 200 bytes"),
        .otherwise = QUOTED("Baton")},
    FORMED("a2a.description", BT_CONFIG_TEXT, is_short, "a text of up to 200 bytes"),
        .otherwise = QUOTED("Checks, records and delivers handoffs between agents")},
    SWITCH_ON("console.enabled"),
    SWITCH("metrics.public"),
    WORD("log.level", level_words, "debug, info, warn or error", "info"),
    WORD("log.format", log_words, "json or text", "json"),
    SWITCH("log.addresses"),
    FORMED("otlp.endpoint", BT_CONFIG_TEXT, is_web_url, "an http or https URL"),
        .otherwise = NOTHING},
    FORMED("otlp.header_env", BT_CONFIG_MAP, is_variable, "headers and environment variables"),
        .otherwise = {.kind = BT_YAML_MAPPING}},
    NUMBER("otlp.queue", 1, 100000, 2048),
    NUMBER("shutdown.delay_s", 0, 600, 0),
    NUMBER("shutdown.timeout_s", 1, 3600, 30),
};

const struct bt_config_row bt_config_hook_rows[BT_CONFIG_HOOK_KEYS] = {
    FORMED("target", BT_CONFIG_TEXT, is_name, "a name of 1 to 200 of [A-Za-z0-9._:/@+-]")},
    FORMED("url", BT_CONFIG_TEXT, is_hook_url,
        "an http or https URL without a user and a fragment")},
    FORMED("token_env", BT_CONFIG_TEXT, is_variable, "the name of an environment variable")},
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
