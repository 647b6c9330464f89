/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_table.c - every key of an organism file, as a row.
 */
#include "organism/keys.h"

/* clang-format off */
#define NAME BT_STR_INIT
#define END {.name = BT_STR_INIT("")}
#define STRING(key_, default_, about_) \
    {.name = NAME(key_), .kind = BT_ORGANISM_KEY_STRING, .standard = (default_), .about = (about_)}
#define BOOL(key_, default_, about_) \
    {.name = NAME(key_), .kind = BT_ORGANISM_KEY_BOOL, .standard = (default_), .about = (about_)}
#define INTEGER(key_, min_, max_, default_, about_) \
    {.name = NAME(key_), .kind = BT_ORGANISM_KEY_INTEGER, .min = (min_), .max = (max_), \
     .expected = #min_ ".." #max_, .standard = (default_), .about = (about_)}
#define STRINGS(key_, about_) \
    {.name = NAME(key_), .kind = BT_ORGANISM_KEY_STRINGS, .standard = "[]", .about = (about_)}

#define WORD_CHARACTERS "A-Za-z0-9_"

static const char *const scheduling_words[] = {"breadth-first", "depth-first", NULL};
static const char *const sandbox_words[] = {"available", "required", NULL};
static const char *const transport_words[] = {"fd3", "stdio", NULL};
static const char *const diagnostic_words[] = {"emitter", "caller", NULL};
static const char *const allow_words[] = {"net", "exec", NULL};
static const char *const level_words[] = {"admin", "authenticated", "none", NULL};
static const char *const result_words[] = {"int", "str", "float", "bool", "any", "none", NULL};

static const struct bt_organism_key tls_rows[] = {
    STRING("cert", NULL, "path of the certificate, PEM; both or neither"),
    STRING("key", NULL, "path of the private key, PEM; both or neither"),
    END,
};
static const struct bt_organism_key_table tls_keys = {tls_rows, bt_organism_check_tls_keys};

static const struct bt_organism_key organism_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .first = "A-Za-z0-9",
     .rest = "A-Za-z0-9._ -", .bytes_max = 64, .expected = "[A-Za-z0-9][A-Za-z0-9._ -]{0,63}"},
    STRING("description", NULL, "information only"),
    STRING("version", NULL, "information only"),
    STRING("socket", "\".baton/bus.sock\"", "path of the bus's Unix socket"),
    INTEGER("port", 0, 65535, "0", "TCP port of the bus; 0: no TCP"),
    STRING("bind", "\"127.0.0.1\"", "beyond 127.0.0.0/8 and ::1 the port needs organism.tls"),
    {.name = NAME("tls"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &tls_keys},
    STRING("identity", NULL,
           "path of an Ed25519 private key, PEM; proves this organism to remote ones"),
    INTEGER("max_tokens_per_thread", 1, 1000000000, "100000", "budget of one root thread"),
    END,
};
static const struct bt_organism_key_table organism_keys = {organism_rows, NULL};

static const struct bt_organism_key client_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true, .first = "a-z0-9",
     .rest = "a-z0-9._:@-", .bytes_max = 64, .expected = "[a-z0-9][a-z0-9._:@-]{0,63}"},
    {.name = NAME("may_call"), .kind = BT_ORGANISM_KEY_STRINGS, .is_required = true,
     .about = "names of listeners, groups or gateways, or \"*\""},
    INTEGER("uid", 0, 4294967295, NULL, "accepted on the Unix socket"),
    {.name = NAME("token_sha256"), .kind = BT_ORGANISM_KEY_STRING, .min = 64, .first = "0-9a-f",
     .rest = "0-9a-f", .bytes_max = 64, .expected = "64 lower-case hexadecimal digits",
     .about = "the SHA-256 of the client's token"},
    STRING("public_key", NULL, "path of an Ed25519 public key, PEM"),
    BOOL("admin", "false", "for meta.* at level admin"),
    END,
};
static const struct bt_organism_key_table client_keys = {client_rows, NULL};

#define PAYLOAD_TYPE \
    {.name = NAME("payload_type"), .kind = BT_ORGANISM_KEY_STRING, .first = "A-Za-z_", \
     .rest = WORD_CHARACTERS, .bytes_max = 64, .expected = "[A-Za-z_][A-Za-z0-9_]{0,63}", \
     .about = "with fields or xsd"}
#define RESULT \
    {.name = NAME("result"), .kind = BT_ORGANISM_KEY_WORD, .words = result_words, \
     .about = "exactly one of the result keys"}
#define ONE_RESULT "exactly one of the result keys"
#define ONE_PAYLOAD "payload_class, or payload_type with fields or xsd"
#define LISTENER_NAME \
    "segments [A-Za-z_][A-Za-z0-9_-]* joined by dots, at most 64 bytes, folded to lower case"

static const struct bt_organism_key listener_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .about = LISTENER_NAME},
    {.name = NAME("description"), .kind = BT_ORGANISM_KEY_STRING, .bytes_max = 1000,
     .expected = "at most 1000 bytes", .about = "required, not blank"},
    STRING("handler", NULL, "PATH.py:NAME, a dotted path or PATH.so; handler or command"),
    {.name = NAME("command"), .kind = BT_ORGANISM_KEY_STRINGS, .min = 1,
     .expected = "at least one item", .about = "the program and its arguments; handler or command"},
    {.name = NAME("transport"), .kind = BT_ORGANISM_KEY_WORD, .words = transport_words,
     .standard = "\"fd3\"", .about = "only with command"},
    STRING("payload_class", NULL, ONE_PAYLOAD),
    PAYLOAD_TYPE,
    {.name = NAME("fields"), .kind = BT_ORGANISM_KEY_FIELDS, .about = "field -> type"},
    STRING("xsd", NULL, "path of the schema of the payload"),
    RESULT,
    STRING("result_class", NULL, ONE_RESULT),
    {.name = NAME("result_fields"), .kind = BT_ORGANISM_KEY_FIELDS, .about = ONE_RESULT},
    STRING("result_xsd", NULL, "path of a schema; " ONE_RESULT),
    {.name = NAME("replies"), .kind = BT_ORGANISM_KEY_REPLIES, .standard = "{}",
     .about = "further reply tags, tag -> type; not with result: any"},
    BOOL("agent", "false", "gives own_name, self-iteration and instructions"),
    STRINGS("peers", "listeners, groups and gateways that it may call; empty: it can only reply"),
    STRING("group", NULL, "a name that members of one payload type share; not for agents"),
    {.name = NAME("timeout_seconds"), .kind = BT_ORGANISM_KEY_NUMBER, .min = 100, .max = 3600000,
     .expected = "0.1..3600", .standard = "30", .about = "from the call to its answer"},
    INTEGER("max_concurrent", 1, 1000, NULL,
            "default: max_concurrent_per_agent for agents, else max_concurrent_handlers"),
    BOOL("serial", NULL, "default: as agent; at most one call in flight per thread, in order"),
    {.name = NAME("on_huh"), .kind = BT_ORGANISM_KEY_WORD, .words = diagnostic_words,
     .about = "default: emitter for agents, else caller"},
    STRING("prompt", NULL, "agents only; handed over when the host is ready"),
    {.name = NAME("config"), .kind = BT_ORGANISM_KEY_SCALARS, .standard = "{}",
     .about = "handed over when the host is ready"},
    {.name = NAME("env"), .kind = BT_ORGANISM_KEY_TEXTS, .standard = "{}",
     .about = "variables; no secrets"},
    STRINGS("env_from", "variables copied from the pump's environment; for secrets"),
    {.name = NAME("allow"), .kind = BT_ORGANISM_KEY_WORDS, .words = allow_words, .standard = "[]",
     .about = "what the sandbox lets it do"},
    STRINGS("read", "further readable files or folders"),
    INTEGER("memory_mb", 64, 65536, "1024", "address space of the host"),
    END,
};
static const struct bt_organism_key_table listener_keys = {listener_rows,
    bt_organism_check_listener_keys};

static const struct bt_organism_key capability_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .about = "the name of the capability at the remote organism"},
    {.name = NAME("payload_type"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .first = "A-Za-z_",
     .rest = WORD_CHARACTERS, .bytes_max = 64, .expected = "[A-Za-z_][A-Za-z0-9_]{0,63}"},
    {.name = NAME("fields"), .kind = BT_ORGANISM_KEY_FIELDS,
     .about = "field -> type; fields or xsd"},
    STRING("xsd", NULL, "path of the schema of the payload; fields or xsd"),
    RESULT,
    {.name = NAME("result_fields"), .kind = BT_ORGANISM_KEY_FIELDS, .about = ONE_RESULT},
    STRING("result_xsd", NULL, "path of a schema; " ONE_RESULT),
    END,
};
static const struct bt_organism_key_table capability_keys = {capability_rows,
    bt_organism_check_capability_keys};

static const struct bt_organism_key gateway_rows[] = {
    {.name = NAME("name"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .about = LISTENER_NAME},
    {.name = NAME("remote_url"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .about = "tls://HOST:PORT or unix:PATH"},
    {.name = NAME("trusted_identity"), .kind = BT_ORGANISM_KEY_STRING, .is_required = true,
     .about = "path of the remote's public key"},
    STRING("description", NULL, "information only"),
    {.name = NAME("capabilities"), .kind = BT_ORGANISM_KEY_MAPPINGS, .keys = &capability_keys,
     .standard = "[]", .about = "what may be called there"},
    END,
};
static const struct bt_organism_key_table gateway_keys = {gateway_rows,
    bt_organism_check_gateway_keys};

static const struct bt_organism_key oob_rows[] = {
    BOOL("enabled", "true", "false: no control socket, the configuration is static"),
    STRING("unix_socket", NULL,
           "path of the control socket; default: oob.sock in the folder store"),
    {.name = NAME("admin_uids"), .kind = BT_ORGANISM_KEY_INTEGERS, .min = 0, .max = 4294967295,
     .expected = "0..4294967295", .about = "who may use it; default: the pump's uid"},
    {.name = NAME("bind"), .kind = BT_ORGANISM_KEY_NETWORK},
    {.name = NAME("port"), .kind = BT_ORGANISM_KEY_NETWORK},
    END,
};
static const struct bt_organism_key_table oob_keys = {oob_rows, NULL};

#define LEVEL(key_) \
    {.name = NAME(key_), .kind = BT_ORGANISM_KEY_WORD, .words = level_words, \
     .standard = "\"none\"", .about = "which clients are answered"}

static const struct bt_organism_key meta_rows[] = {
    BOOL("enabled", "false", "whether clients may ask about the organism at all"),
    BOOL("allow_list_capabilities", "false", "answer list-capabilities"),
    LEVEL("allow_schema_requests"),
    LEVEL("allow_example_requests"),
    LEVEL("allow_prompt_requests"),
    BOOL("allow_remote", "false", "also through gateways"),
    END,
};
static const struct bt_organism_key_table meta_keys = {meta_rows, NULL};

static const struct bt_organism_key limit_rows[] = {
    INTEGER("depth", 1, 1000, "32",
            "calls below each other; a listener called by a client is at 1"),
    INTEGER("self_iterations", 1, 1000, "64",
            "deliveries of an agent to itself, one after the other"),
    INTEGER("fragments", 1, 1000, "64", "fragments of one result"),
    INTEGER("queue", 1, 1000000, "10000", "messages stored and not yet handled"),
    INTEGER("message_bytes", 1024, 2031616, "1048576", "one message, also in canonical form"),
    INTEGER("result_bytes", 1024, 2031616, "1048576", "one result, also in canonical form"),
    INTEGER("attempts", 1, 10, "3", "tries of a call whose host died"),
    INTEGER("thread_idle_s", 60, 100000000, "86400",
            "idle root threads are pruned after so many seconds"),
    INTEGER("history_days", 1, 3650, "7", "finished messages and ids are kept so long"),
    END,
};
static const struct bt_organism_key_table limit_keys = {limit_rows, NULL};

static const struct bt_organism_key top_rows[] = {
    {.name = NAME("organism"), .kind = BT_ORGANISM_KEY_MAPPING, .is_required = true,
     .keys = &organism_keys},
    {.name = NAME("clients"), .kind = BT_ORGANISM_KEY_MAPPINGS, .keys = &client_keys,
     .standard = "[]", .about = "who may send messages"},
    {.name = NAME("listeners"), .kind = BT_ORGANISM_KEY_MAPPINGS, .is_required = true,
     .keys = &listener_keys, .about = "the capabilities; may be empty"},
    {.name = NAME("gateways"), .kind = BT_ORGANISM_KEY_MAPPINGS, .keys = &gateway_keys,
     .standard = "[]", .about = "remote organisms"},
    {.name = NAME("oob"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &oob_keys},
    {.name = NAME("meta"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &meta_keys},
    {.name = NAME("thread_scheduling"), .kind = BT_ORGANISM_KEY_WORD, .words = scheduling_words,
     .standard = "\"breadth-first\"", .about = "whose message is next"},
    INTEGER("max_concurrent_handlers", 1, 1000, "20", "calls in flight in the whole organism"),
    INTEGER("max_concurrent_per_agent", 1, 1000, "5", "default of an agent's max_concurrent"),
    {.name = NAME("limits"), .kind = BT_ORGANISM_KEY_MAPPING, .keys = &limit_keys},
    BOOL("ingress_repair", "false", "repair the XML of clients where no value can change"),
    {.name = NAME("sandbox"), .kind = BT_ORGANISM_KEY_WORD, .words = sandbox_words,
     .standard = "\"available\"", .about = "required: refuse to run where a mechanism is missing"},
    STRING("sandbox_user", NULL, "account of the handlers when the pump runs as root"),
    STRING("store", "\".baton/pump\"", "folder of messages, control socket and work directories"),
    STRING("schemas", "\"schemas\"", "folder of the generated schemas, examples and prompts"),
    STRING("python", "\"python3\"", "interpreter of the Python host, on PATH, 3.9 or later"),
    END,
};
/* clang-format on */

const struct bt_organism_key_table bt_organism_key_table = {top_rows, NULL};
