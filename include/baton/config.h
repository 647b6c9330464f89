/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - baton.yaml: what the operator has decided, key by key.
 *
 *     const struct bt_config *config = NULL;
 *     if (bt_config_read(&arena, &source, findings, &config) == BT_OK && config) {
 *         uint64_t bytes = bt_config_number(config, "limits.body_bytes");
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

struct bt_config_source {
    bt_str path;  /* of the file: relative paths in it start at its folder */
    bt_str text;  /* its content */
    bt_str store; /* what the environment says instead of the key `store`, or "" */
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

/* ---- Looking --------------------------------------------------------------------------------- */

/* Whether the file (or, for `store`, the environment) says something about the key. */
BT_API bool bt_config_is_given(const struct bt_config *config, const char *key);

/* The value of a key that is one text; "" when there is none. */
BT_API bt_str bt_config_text(const struct bt_config *config, const char *key);
BT_API uint64_t bt_config_number(const struct bt_config *config, const char *key);
BT_API bool bt_config_is(const struct bt_config *config, const char *key);
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
struct bt_listen {
    enum bt_listen_kind kind;
    bool is_local; /* only this machine can reach it */
    bt_str host;   /* without brackets; of `localhost` its IPv4 address; or the path */
    uint16_t port;
};

/* BT_EINVAL: the text is none of these. No name is looked up. *out points into the text. */
BT_API BT_MUST_USE enum bt_status bt_listen_parse(bt_str text, struct bt_listen *out);

#ifdef __cplusplus
}
#endif

#endif
