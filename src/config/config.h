/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - configuration: the operator's settings, key by key.
 *
 *     const struct bt_config *config = NULL;
 *     if (bt_config_read(&arena, &source, findings, &config) == BT_OK && config) {
 *         uint64_t bytes = bt_config_u64(config, "limits.body_bytes");
 *         ...
 *     }
 *
 * Keys are named in full, with dots. Using a key that does not exist, or reading it as another type
 * than it has, is a bug of the caller and asserts. A configuration is immutable and lives in the
 * arena it was read into; many threads may use it.
 */
#ifndef BATON_SRC_CONFIG_CONFIG_H
#define BATON_SRC_CONFIG_CONFIG_H

#include <baton/report.h>
#include "base/env.h"
#include "base/str.h"

/* ---- Reading --------------------------------------------------------------------------------- */

struct bt_config;

/* Which file a configuration was read from. */
enum bt_config_kind {
    BT_CONFIG_FILE = 0, /* named by --config or BATON_CONFIG, or pinned; no other file is read */
    BT_CONFIG_PROJECT,  /* baton.yaml of a project, which may set only some keys */
    BT_CONFIG_USER,     /* ~/.config/baton/config.yaml */
    BT_CONFIG_SYSTEM,   /* /etc/baton/config.yaml */
    BT_CONFIG_KINDS,
};

struct bt_config_source {
    bt_str path;  /* of the file; relative paths in it start at its directory */
    bt_str text;  /* its content */
    bt_str store; /* the value from the environment that replaces the key `store`, or "" */
    enum bt_config_kind kind;
    bt_str today; /* YYYY-MM-DD: entries of `ignore` that ended before are reported; "": none is */
};

/*
 * Read and check a configuration; problems are added to `findings`. *out is NULL when one of them
 * is HARD: a configuration is used as a whole or not at all. It lives in the arena; the texts of
 * the source must outlive it. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_config_read(struct bt_arena *arena,
                                          const struct bt_config_source *source,
                                          struct bt_findings *findings,
                                          const struct bt_config **out);

/* The configuration of an empty file; a constant. */
const struct bt_config *bt_config_defaults(void);

/* ---- Merging --------------------------------------------------------------------------------- */

/*
 * What a command does with documents. Agents can often write the project's file, so it may set
 * fewer keys for a command that decides about them.
 */
enum bt_config_use {
    BT_CONFIG_JUDGES = 1,
    BT_CONFIG_DECIDES,
    /* decides, and does not take `store` from a project (`baton mcp`) */
    BT_CONFIG_DECIDES_STORELESS,
    BT_CONFIG_HOOK, /* nothing from a project, and only the keys for hooks */
};

/* True when a path, relative to the project directory or absolute, leads to something below it. */
typedef bool bt_config_below_fn(void *context, bt_str path);

struct bt_config_merge {
    enum bt_config_use use;
    /* by kind; NULL: no such file. BT_CONFIG_FILE replaces all others */
    const struct bt_config *files[BT_CONFIG_KINDS];
    bt_str store;                 /* from the environment, or "" */
    bt_config_below_fn *is_below; /* NULL without a project file */
    void *context;
};

/*
 * Merge the files key by key. The order is: the file named by --config or pinned, the project's
 * file for the keys it may set, the user's file, the system's file. Unused keys of the project's
 * file become CONFIG_NOT_FROM_PROJECT in `findings`, which may be NULL without a project file. The
 * merged configuration is checked like a single file; problems are added to `conflicts`, and *out
 * is NULL when one of them is HARD. *out lives in the arena; the files must outlive it. BT_ENOMEM:
 * the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_config_merge(struct bt_arena *arena,
                                           const struct bt_config_merge *merge,
                                           struct bt_findings *findings,
                                           struct bt_findings *conflicts,
                                           const struct bt_config **out);

/* Groups of commands that use a key. */
enum bt_config_users {
    BT_USERS_STORE = 1 << 0,     /* commands that open a store */
    BT_USERS_UNIVERSAL = 1 << 1, /* commands that count tokens or use skills */
    BT_USERS_CONTRACT = 1 << 2,
    BT_USERS_GOVERNED = 1 << 3,
    BT_USERS_SERVICE = 1 << 4, /* `baton mcp` */
    BT_USERS_WRAP = 1 << 5,    /* `baton wrap` */
    BT_USERS_ALL = (1 << 6) - 1,
};

/* The name of the key with this index, from 0; "" after the last one. */
bt_str bt_config_key(size_t index);
/* The values that the key allows, in words. */
const char *bt_config_key_expected(size_t index);
/* The default of the key as text; "" when it is empty, a list or depends on other keys. */
bt_str bt_config_key_default(size_t index);
/* The commands that use the key: a set of BT_USERS_*; 0: only `baton serve` or hooks. */
unsigned bt_config_key_users(size_t index);
/* True when `baton hook` uses the key. */
bool bt_config_key_is_for_hooks(size_t index);
/* True when the project's file has a value for the key that is not used. */
bool bt_config_is_refused(const struct bt_config *config, size_t index);
/* True when both configurations have the same value for the key, as written. */
bool bt_config_is_same(const struct bt_config *a, const struct bt_config *b, size_t index);

/* ---- Access ---------------------------------------------------------------------------------- */

/* True when a file (or, for `store`, the environment) sets the key. */
bool bt_config_has(const struct bt_config *config, const char *key);
/* True when a file sets a key of this group, such as "evidence". */
bool bt_config_has_group(const struct bt_config *config, const char *group);
/* True when a file has a mapping `gate`, also an empty one. */
bool bt_config_has_gate(const struct bt_config *config);
/* True when a file has a mapping `budget`, also an empty one: hooks count what agents spend. */
bool bt_config_has_budget(const struct bt_config *config);
/* True when the project's file sets the key. */
bool bt_config_is_of_project(const struct bt_config *config, const char *key);

/* The value of a key of type text; "" when it is not set. */
bt_str bt_config_text(const struct bt_config *config, const char *key);
/* The value of a key of type number. */
uint64_t bt_config_u64(const struct bt_config *config, const char *key);
/* The value of a key of type bool. */
bool bt_config_bool(const struct bt_config *config, const char *key);
/* The value of a key of type duration, in seconds. */
uint64_t bt_config_seconds(const struct bt_config *config, const char *key);
/* The value of retain.min in seconds; 0: none. */
uint64_t bt_config_retain_seconds(const struct bt_config *config);
/* The value of ledger.heartbeat in seconds; 0: off. */
uint64_t bt_config_heartbeat_seconds(const struct bt_config *config);
/*
 * The value of a key of type path, relative to the current directory and followed by a NUL byte, in
 * the arena; "" when it is not set. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_config_path(const struct bt_config *config, const char *key,
                                          struct bt_arena *arena, bt_str *out);

/* The number of items of a list or entries of a map. */
size_t bt_config_count(const struct bt_config *config, const char *key);
/* The item of a list, or the value of an entry of a map, with this index. */
bt_str bt_config_item(const struct bt_config *config, const char *key, size_t index);
/*
 * An item of a list or map of paths, as bt_config_path() gives it, in the arena. BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_config_item_path(const struct bt_config *config, const char *key,
                                               size_t index, struct bt_arena *arena, bt_str *out);
/* The folder of the file that sets a key, "" or ending in a slash: patterns start there. */
bt_str bt_config_folder(const struct bt_config *config, const char *key);
/* The name of the entry of a map with this index. */
bt_str bt_config_item_name(const struct bt_config *config, const char *key, size_t index);
/* A member of a mapping, such as `tokens` of `budget.agent`; "" when it is not set. */
bt_str bt_config_member(const struct bt_config *config, const char *key, const char *member);
/* A member of an item, or of the entry of a map, that is a map itself, such as `url` of a webhook;
 * "" when it is not set. */
bt_str bt_config_item_member(const struct bt_config *config, const char *key, size_t index,
                             const char *member);

/* True for the patterns that rules of `wrap` have: a name with * and ?, or a known word after @. */
bool bt_config_is_wrapped_tool(bt_str text);

/* A limit of spending. 0: none. */
struct bt_config_limit {
    uint64_t tokens;
    uint64_t cost; /* in millionths */
};

/* The limit that a key such as `budget.agent` gives. */
struct bt_config_limit bt_config_limit(const struct bt_config *config, const char *key);
/* The limit of the entry of `budget.types` with this index. */
struct bt_config_limit bt_config_type_limit(const struct bt_config *config, size_t index);

/* The limits of `gate.tiers` in one file. */
enum {
    BT_CONFIG_TIERS_MAX = 32,
    BT_CONFIG_PATTERNS_MAX = 500,      /* of all tiers */
    BT_CONFIG_PATTERN_BYTES_MAX = 200, /* of each */
};

/* One tier of `gate.tiers`. */
struct bt_config_tier {
    bt_str name;
    bt_str risk; /* LOW, MEDIUM, HIGH or CRITICAL */
    struct bt_str_list commands;
    struct bt_str_list tools;
};

/* The tier with this index, below bt_config_count(config, "gate.tiers"), in the arena. BT_ENOMEM:
 * the arena reached its limit. */
BT_MUST_USE enum bt_status bt_config_tier(const struct bt_config *config, size_t index,
                                          struct bt_arena *arena, struct bt_config_tier *out);

enum { BT_CONFIG_PEERS_MAX = 32 };

/* One item of `ledger.peers`. */
struct bt_config_peer {
    bt_str name;
    bt_str url;     /* of its witness */
    bt_str monitor; /* where its witness shows what it has cosigned */
    bt_str vkey;    /* of its witness */
    bt_str log;     /* the vkey of its log */
    struct bt_str_list tokens;
};

/* The item with this index, below bt_config_count(config, "ledger.peers"), in the arena. BT_ENOMEM:
 * the arena reached its limit. */
BT_MUST_USE enum bt_status bt_config_peer(const struct bt_config *config, size_t index,
                                          struct bt_arena *arena, struct bt_config_peer *out);

enum { BT_CONFIG_ISSUERS_MAX = 64 };

/* One item of `scitt.issuers`. */
struct bt_config_issuer {
    bt_str name;
    bt_str key; /* path of a PEM file, as it is seen from the current folder */
};

/* The item with this index, below bt_config_count(config, "scitt.issuers"), in the arena.
 * BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status bt_config_issuer(const struct bt_config *config, size_t index,
                                            struct bt_arena *arena, struct bt_config_issuer *out);

/* The limits of documents, for every command. */
struct bt_limits bt_config_limits(const struct bt_config *config);

/* ---- Choosing findings ----------------------------------------------------------------------- */

struct bt_select; /* see select/select.h */

/* Where a configuration is used. */
struct bt_config_select {
    bt_str folder; /* absolute and without links: that of bt_config_folder(config, "paths") */
    bt_str today;  /* YYYY-MM-DD */
};

/*
 * Set `files`, `paths` and `ignores` of *out from `rules`, `paths` and `ignore`, in the arena. The
 * configuration must outlive it. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_config_select(const struct bt_config *config,
                                            const struct bt_config_select *where,
                                            struct bt_arena *arena, struct bt_select *out);

/*
 * The same configuration without `include`, `exclude`, `gitignore`, `paths`, `rules`, `ignore` and
 * `baseline`, in the arena: nothing loosens what `baton check` reports. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_config_without_choices(const struct bt_config *config,
                                                     struct bt_arena *arena,
                                                     const struct bt_config **out);

/* ---- Output ---------------------------------------------------------------------------------- */

struct bt_emit; /* see json.h */

/*
 * Put `"config":{...},"origin":{...}` into the object that `emit` has open: every key with its
 * value, and the file that each value comes from. Passwords in URLs are shown as ***.
 */
void bt_config_emit(const struct bt_config *config, struct bt_emit *emit);
/* Put every key with its value as YAML. Passwords in URLs are shown as ***. */
void bt_config_put_yaml(const struct bt_config *config, struct bt_buf *buf);

/* ---- Listen addresses ------------------------------------------------------------------------ */

enum bt_listen_kind {
    BT_LISTEN_NONE = 0,
    BT_LISTEN_IPV4,
    BT_LISTEN_IPV6,
    BT_LISTEN_UNIX,
};

/* The parts of HOST:PORT, [IPV6]:PORT or unix:PATH. */
struct bt_listen_address {
    enum bt_listen_kind kind;
    bool is_local; /* reachable only from this machine */
    bt_str host;   /* without brackets; for `localhost` its IPv4 address; for unix: the path */
    uint16_t port;
};

/*
 * Parse a listen address. Names are not resolved. *out points into the text. BT_EINVAL: the text
 * has none of the three forms.
 */
BT_MUST_USE enum bt_status bt_listen_address_parse(bt_str text, struct bt_listen_address *out);

#endif
