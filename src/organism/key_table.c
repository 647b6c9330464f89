/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_table.c - every key of an organism file, as a row.
 */
#include "organism/keys.h"

/* clang-format off */
#define NAME BT_STR_INIT
#define END {.name = BT_STR_INIT("")}
#define STRING(key_) {.name = NAME(key_), .kind = BT_ORGANISM_KEY_STRING}
#define BOOL(key_) {.name = NAME(key_), .kind = BT_ORGANISM_KEY_BOOL}
#define INTEGER(key_, min_, max_) \
    {.name = NAME(key_), .kind = BT_ORGANISM_KEY_INTEGER, .min = (min_), .max = (max_), \
     .expected = #min_ ".." #max_}
#define STRINGS(key_) {.name = NAME(key_), .kind = BT_ORGANISM_KEY_STRINGS}

#define WORD_CHARACTERS "A-Za-z0-9_"

static const char *const scheduling_words[] = {"breadth-first", "depth-first", NULL};
static const char *const sandbox_words[] = {"available", "required", NULL};
static const char *const transport_words[] = {"fd3", "stdio", NULL};
static const char *const diagnostic_words[] = {"emitter", "caller", NULL};
static const char *const allow_words[] = {"net", "exec", NULL};
static const char *const level_words[] = {"admin", "authenticated", "none", NULL};
static const char *const result_words[] = {"int", "str", "float", "bool", "any", "none", NULL};

static const struct bt_organism_key tls_rows[] = {STRING("cert"), STRING("key"), END};
static const struct bt_organism_key_table tls_keys = {tls_rows, bt_organism_check_tls_keys};

static const struct bt_organism_key organism_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .first = "A-Za-z0-9",
     .rest = "A-Za-z0-9._ -", .bytes_max = 64, .expected = "[A-Za-z0-9][A-Za-z0-9._ -]{0,63}"},
    STRING("description"),
    STRING("version"),
    STRING("socket"),
    INTEGER("port", 0, 65535),
    STRING("bind"),
    {.name = NAME("tls"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &tls_keys},
    STRING("identity"),
    INTEGER("max_tokens_per_thread", 1, 1000000000),
    END,
};
static const struct bt_organism_key_table organism_keys = {organism_rows, NULL};

static const struct bt_organism_key client_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true, .first = "a-z0-9",
     .rest = "a-z0-9._:@-", .bytes_max = 64, .expected = "[a-z0-9][a-z0-9._:@-]{0,63}"},
    {.name = NAME("may_call"), .kind = BT_ORGANISM_KEY_STRINGS, .is_required = true},
    INTEGER("uid", 0, 4294967295),
    {.name = NAME("token_sha256"), .kind = BT_ORGANISM_KEY_STRING, .min = 64, .first = "0-9a-f",
     .rest = "0-9a-f", .bytes_max = 64, .expected = "64 lower-case hexadecimal digits"},
    STRING("public_key"),
    BOOL("admin"),
    END,
};
static const struct bt_organism_key_table client_keys = {client_rows, NULL};

#define PAYLOAD_TYPE \
    {.name = NAME("payload_type"), .kind = BT_ORGANISM_KEY_STRING, .first = "A-Za-z_", \
     .rest = WORD_CHARACTERS, .bytes_max = 64, .expected = "[A-Za-z_][A-Za-z0-9_]{0,63}"}
#define RESULT {.name = NAME("result"), .kind = BT_ORGANISM_KEY_WORD, .words = result_words}

static const struct bt_organism_key listener_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true},
    {.name = NAME("description"), .kind = BT_ORGANISM_KEY_STRING, .bytes_max = 1000,
     .expected = "at most 1000 bytes"},
    STRING("handler"),
    {.name = NAME("command"), .kind = BT_ORGANISM_KEY_STRINGS, .min = 1,
     .expected = "at least one item"},
    {.name = NAME("transport"), .kind = BT_ORGANISM_KEY_WORD, .words = transport_words},
    STRING("payload_class"),
    PAYLOAD_TYPE,
    {.name = NAME("fields"), .kind = BT_ORGANISM_KEY_FIELDS},
    STRING("xsd"),
    RESULT,
    STRING("result_class"),
    {.name = NAME("result_fields"), .kind = BT_ORGANISM_KEY_FIELDS},
    STRING("result_xsd"),
    {.name = NAME("replies"), .kind = BT_ORGANISM_KEY_REPLIES},
    BOOL("agent"),
    STRINGS("peers"),
    STRING("group"),
    {.name = NAME("timeout_seconds"), .kind = BT_ORGANISM_KEY_NUMBER, .min = 100, .max = 3600000,
     .expected = "0.1..3600"},
    INTEGER("max_concurrent", 1, 1000),
    BOOL("serial"),
    {.name = NAME("on_huh"), .kind = BT_ORGANISM_KEY_WORD, .words = diagnostic_words},
    STRING("prompt"),
    {.name = NAME("config"), .kind = BT_ORGANISM_KEY_SCALARS},
    {.name = NAME("env"), .kind = BT_ORGANISM_KEY_TEXTS},
    STRINGS("env_from"),
    {.name = NAME("allow"), .kind = BT_ORGANISM_KEY_WORDS, .words = allow_words},
    STRINGS("read"),
    INTEGER("memory_mb", 64, 65536),
    END,
};
static const struct bt_organism_key_table listener_keys = {listener_rows,
    bt_organism_check_listener_keys};

static const struct bt_organism_key capability_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true},
    {.name = NAME("payload_type"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .first = "A-Za-z_",
     .rest = WORD_CHARACTERS, .bytes_max = 64, .expected = "[A-Za-z_][A-Za-z0-9_]{0,63}"},
    {.name = NAME("fields"), .kind = BT_ORGANISM_KEY_FIELDS},
    STRING("xsd"),
    RESULT,
    {.name = NAME("result_fields"), .kind = BT_ORGANISM_KEY_FIELDS},
    STRING("result_xsd"),
    END,
};
static const struct bt_organism_key_table capability_keys = {capability_rows,
    bt_organism_check_capability_keys};

static const struct bt_organism_key gateway_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true},
    {.name = NAME("remote_url"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true},
    {.name = NAME("trusted_identity"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true},
    STRING("description"),
    {.name = NAME("capabilities"), .kind = BT_ORGANISM_KEY_MAPPINGS, .keys = &capability_keys},
    END,
};
static const struct bt_organism_key_table gateway_keys = {gateway_rows,
    bt_organism_check_gateway_keys};

static const struct bt_organism_key oob_rows[] = {
    BOOL("enabled"),
    STRING("unix_socket"),
    {.name = NAME("admin_uids"), .kind = BT_ORGANISM_KEY_INTEGERS, .min = 0, .max = 4294967295,
     .expected = "0..4294967295"},
    {.name = NAME("bind"), .kind = BT_ORGANISM_KEY_NETWORK},
    {.name = NAME("port"), .kind = BT_ORGANISM_KEY_NETWORK},
    END,
};
static const struct bt_organism_key_table oob_keys = {oob_rows, NULL};

#define LEVEL(key_) {.name = NAME(key_), .kind = BT_ORGANISM_KEY_WORD, .words = level_words}

static const struct bt_organism_key meta_rows[] = {
    BOOL("enabled"),
    BOOL("allow_list_capabilities"),
    LEVEL("allow_schema_requests"),
    LEVEL("allow_example_requests"),
    LEVEL("allow_prompt_requests"),
    BOOL("allow_remote"),
    END,
};
static const struct bt_organism_key_table meta_keys = {meta_rows, NULL};

static const struct bt_organism_key limit_rows[] = {
    INTEGER("depth", 1, 1000),
    INTEGER("self_iterations", 1, 1000),
    INTEGER("fragments", 1, 1000),
    INTEGER("queue", 1, 1000000),
    INTEGER("message_bytes", 1024, 2031616),
    INTEGER("result_bytes", 1024, 2031616),
    INTEGER("attempts", 1, 10),
    INTEGER("thread_idle_s", 60, 100000000),
    INTEGER("history_days", 1, 3650),
    END,
};
static const struct bt_organism_key_table limit_keys = {limit_rows, NULL};

static const struct bt_organism_key top_rows[] = {
    {.name = NAME("organism"), .kind = BT_ORGANISM_KEY_MAPPING, .is_required = true,
     .keys = &organism_keys},
    {.name = NAME("clients"), .kind = BT_ORGANISM_KEY_MAPPINGS, .keys = &client_keys},
    {.name = NAME("listeners"), .kind = BT_ORGANISM_KEY_MAPPINGS, .is_required = true,
     .keys = &listener_keys},
    {.name = NAME("gateways"), .kind = BT_ORGANISM_KEY_MAPPINGS, .keys = &gateway_keys},
    {.name = NAME("oob"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &oob_keys},
    {.name = NAME("meta"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &meta_keys},
    {.name = NAME("thread_scheduling"), .kind = BT_ORGANISM_KEY_WORD, .words = scheduling_words},
    INTEGER("max_concurrent_handlers", 1, 1000),
    INTEGER("max_concurrent_per_agent", 1, 1000),
    {.name = NAME("limits"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &limit_keys},
    BOOL("ingress_repair"),
    {.name = NAME("sandbox"), .kind = BT_ORGANISM_KEY_WORD, .words = sandbox_words},
    STRING("sandbox_user"),
    STRING("store"),
    STRING("schemas"),
    STRING("python"),
    END,
};
/* clang-format on */

const struct bt_organism_key_table bt_organism_key_table = {top_rows, NULL};
