/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - configuration: what the operator has decided, key by key.
 *
 *     const struct bt_config *config = NULL;
 *     if (bt_config_read(&arena, &source, findings, &config) == BT_OK && config) {
 *         uint64_t bytes = bt_config_u64(config, "limits.body_bytes");
 *         ...
 *     }
 *
 * Keys are named in full, with dots. To ask for one that does not exist, or for another type than
 * it has, is a mistake of the caller and asserts. A configuration is immutable and lives in the
 * arena it was read into; many threads may use it.
 */
#ifndef BATON_CONFIG_H
#define BATON_CONFIG_H

#include <baton/env.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading --------------------------------------------------------------------------------- */

struct bt_config;

/* Which file a configuration was read from. */
enum bt_config_kind {
    BT_CONFIG_FILE = 0, /* named by --config or BATON_CONFIG, or pinned; no other file is read */
    BT_CONFIG_PROJECT,  /* baton.yaml of a project, which may set little */
    BT_CONFIG_USER,     /* ~/.config/baton/config.yaml */
    BT_CONFIG_SYSTEM,   /* /etc/baton/config.yaml */
    BT_CONFIG_KINDS,
};

struct bt_config_source {
    bt_str path;  /* of the file: relative paths in it start at its folder */
    bt_str text;  /* its content */
    bt_str store; /* what the environment says instead of the key `store`, or "" */
    enum bt_config_kind kind;
};

/*
 * Read and judge a configuration; what is wrong with it is added to `findings`. *out is NULL when
 * one of them is HARD: a configuration is used as a whole or not at all. The texts of the source
 * must outlive it. BT_ENOMEM is its only failure.
 */
BT_API BT_MUST_USE enum bt_status bt_config_read(struct bt_arena *arena,
                                                 const struct bt_config_source *source,
                                                 struct bt_findings *findings,
                                                 const struct bt_config **out);

/* The one of an empty file. */
BT_API const struct bt_config *bt_config_defaults(void);

/* ---- Merging --------------------------------------------------------------------------------- */

/* What a command does with documents. Whoever is judged can often write the project's file, so it
 * may set less for a command that decides about them. */
enum bt_config_use {
    BT_CONFIG_JUDGES = 1,
    BT_CONFIG_DECIDES,
    BT_CONFIG_DECIDES_STORELESS, /* the same, and takes no store from a project (`baton mcp`) */
    BT_CONFIG_HOOK,              /* nothing from a project, and only the keys that hooks have */
};

/* Whether a path, relative to the project folder or absolute, leads to something below it. */
typedef bool bt_config_below_fn(void *context, bt_str path);

struct bt_config_merge {
    enum bt_config_use use;
    const struct bt_config *files[BT_CONFIG_KINDS]; /* by kind; NULL: there is no such file. A
                                                       file that was pinned beats all others */
    bt_str store;                                   /* of the environment, or "" */
    bt_config_below_fn *is_below;                   /* NULL where there is no project file */
    void *context;
};

/*
 * Put the files together key by key: the pinned one, the project's as far as it may set a key, the
 * user's, the system's. Keys of the project's file that are not used are CONFIG_NOT_FROM_PROJECT in
 * `findings`, which belongs to that file; NULL when there is none. What the files say together is
 * judged as one file would be, in `conflicts`: *out is NULL when one of those is HARD. The files
 * must outlive it. BT_ENOMEM is its only failure.
 */
BT_API BT_MUST_USE enum bt_status bt_config_merge(struct bt_arena *arena,
                                                  const struct bt_config_merge *merge,
                                                  struct bt_findings *findings,
                                                  struct bt_findings *conflicts,
                                                  const struct bt_config **out);

/* Groups of commands that use a key. */
enum bt_config_users {
    BT_USERS_STORE = 1 << 0,     /* commands that open a store */
    BT_USERS_UNIVERSAL = 1 << 1, /* commands that count tokens or know skills */
    BT_USERS_CONTRACT = 1 << 2,
    BT_USERS_GOVERNED = 1 << 3,
    BT_USERS_SERVICE = 1 << 4, /* `baton mcp` */
    BT_USERS_ALL = (1 << 5) - 1,
};

/* A key, by number from 0; "" after the last one. */
BT_API bt_str bt_config_key(size_t index);
/* Which commands use it: some of BT_USERS_*; 0: `baton serve` or hooks alone. */
BT_API unsigned bt_config_key_users(size_t index);
/* Whether it counts for `baton hook`. */
BT_API bool bt_config_key_is_for_hooks(size_t index);
/* Whether the project's file had a value that is not used. */
BT_API bool bt_config_is_refused(const struct bt_config *config, size_t index);
/* Whether both configurations have the same value for a key, as it is written. */
BT_API bool bt_config_is_same(const struct bt_config *a, const struct bt_config *b, size_t index);

/* ---- Looking --------------------------------------------------------------------------------- */

/* Whether a file (or, for `store`, the environment) says something about the key. */
BT_API bool bt_config_has(const struct bt_config *config, const char *key);
/* Whether it is the project's file that says it. */
BT_API bool bt_config_is_of_project(const struct bt_config *config, const char *key);

/* The value of a key that is one text; "" when there is none. */
BT_API bt_str bt_config_text(const struct bt_config *config, const char *key);
BT_API uint64_t bt_config_u64(const struct bt_config *config, const char *key);
BT_API bool bt_config_bool(const struct bt_config *config, const char *key);
/* The value of a duration. */
BT_API uint64_t bt_config_seconds(const struct bt_config *config, const char *key);
/* The value of a path, seen from here; "" when there is none. It is followed by a NUL byte. */
BT_API BT_MUST_USE enum bt_status bt_config_path(const struct bt_config *config, const char *key,
                                                 struct bt_arena *arena, bt_str *out);

/* Items of a list, or entries of a map. */
BT_API size_t bt_config_count(const struct bt_config *config, const char *key);
BT_API bt_str bt_config_item(const struct bt_config *config, const char *key, size_t index);
/* The same for a list or map of paths; see bt_config_path(). */
BT_API BT_MUST_USE enum bt_status bt_config_item_path(const struct bt_config *config,
                                                      const char *key, size_t index,
                                                      struct bt_arena *arena, bt_str *out);
/* The name of an entry of a map. */
BT_API bt_str bt_config_item_name(const struct bt_config *config, const char *key, size_t index);
/* A member of an item that has members, such as `url` of a webhook; "" when it has none. */
BT_API bt_str bt_config_item_member(const struct bt_config *config, const char *key, size_t index,
                                    const char *member);

/* The limits of what is read, for every command. */
BT_API struct bt_limits bt_config_limits(const struct bt_config *config);

/* ---- Showing --------------------------------------------------------------------------------- */

struct bt_emit; /* see json.h */

/* Put `"config":{...},"origin":{...}` into the object that `emit` stands in: every key, and where
 * its value is from. Passwords in URLs are ***. */
BT_API void bt_config_emit(const struct bt_config *config, struct bt_emit *emit);
/* The same keys and values as YAML. */
BT_API void bt_config_put_yaml(const struct bt_config *config, struct bt_buf *buf);

/* ---- Addresses to listen at ------------------------------------------------------------------ */

enum bt_listen_kind {
    BT_LISTEN_NONE = 0,
    BT_LISTEN_IPV4,
    BT_LISTEN_IPV6,
    BT_LISTEN_UNIX,
};

/* HOST:PORT, [IPV6]:PORT or unix:PATH, taken apart. */
struct bt_listen_address {
    enum bt_listen_kind kind;
    bool is_local; /* only this machine can reach it */
    bt_str host;   /* without brackets; of `localhost` its IPv4 address; or the path */
    uint16_t port;
};

/* BT_EINVAL: the text is none of these. No name is looked up. *out points into the text. */
BT_API BT_MUST_USE enum bt_status bt_listen_address_parse(bt_str text,
                                                          struct bt_listen_address *out);

#ifdef __cplusplus
}
#endif

#endif
