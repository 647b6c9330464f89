/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.h - baton.mcp.lock: the definitions of MCP servers that a person has reviewed.
 *
 * The same servers give the same bytes: members are sorted, and neither a time nor the name of a
 * machine is in it.
 */
#ifndef BATON_SRC_WRAP_LOCK_H
#define BATON_SRC_WRAP_LOCK_H

#include <baton/json.h>

#include "base/env.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/members.h"
#include "report/report.h"

enum { BT_WRAP_LOCK_BYTES_MAX = 16 << 20 };

/* Kinds of items, in the order in which they are compared and counted. */
enum bt_wrap_kind {
    BT_WRAP_TOOL = 0,
    BT_WRAP_PROMPT,
    BT_WRAP_TEMPLATE, /* of resources */
    BT_WRAP_RESOURCE,
    BT_WRAP_KINDS,
};

/* What a kind is called in different places. */
struct bt_wrap_kind_names {
    bt_str method;  /* tools/list */
    bt_str member;  /* of the list result: tools */
    bt_str key;     /* of an item: name */
    bt_str in_lock; /* member of an entry of the lock */
    bt_str pointer; /* the first part of pointers: tools */
};

const struct bt_wrap_kind_names *bt_wrap_kind_names(enum bt_wrap_kind kind);

/* One definition: what a list result has for an item, without its icons. */
struct bt_wrap_item {
    bt_str key;                         /* name, uri or uriTemplate */
    const struct bt_json_doc *document; /* its root is the definition */
    char sha256[BT_SHA256_HEX_BYTES];
    bool is_duplicate; /* an earlier item of the list has the same key */
};

/* Items in the order in which they were added, found by key. All zero: none. */
struct bt_wrap_items {
    BT_VEC(struct bt_wrap_item) list;
    struct bt_map by_key; /* the first of each key */
};

/* One server. Absent texts have a NULL pointer. */
struct bt_wrap_entry {
    bt_str name;
    char command_sha256[BT_SHA256_HEX_BYTES];
    bt_str instructions;
    bt_str package;
    bt_str program_path;
    char program_sha256[BT_SHA256_HEX_BYTES];
    bt_str server_name;
    bt_str server_version;
    bt_ref server_in_lock; /* what the lock has about it, which may be more; absent: NULL */
    struct bt_wrap_items items[BT_WRAP_KINDS];
    bool has_resources; /* they are pinned, too */
};

struct bt_wrap_lock {
    BT_VEC(struct bt_wrap_entry) entries; /* sorted by name */
};

/* The memory and the environment that the functions below work with. */
struct bt_wrap_memory {
    struct bt_arena *arena;
    const struct bt_env *env;
};

/*
 * Read a lock. Everything is in the arena; `bytes` must outlive it. BT_EINVAL: it is not JSON, does
 * not have the form of a lock, or is too large; `error` says what is wrong. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_lock_read(const struct bt_wrap_memory *memory, bt_str bytes,
                                             struct bt_wrap_lock *out, struct bt_error *error);
/* Add WRAP_LOCK_DIGEST for every item of an entry whose digest is not that of its definition. */
BT_MUST_USE enum bt_status bt_wrap_entry_check_digests(const struct bt_wrap_memory *memory,
                                                       const struct bt_wrap_entry *entry,
                                                       struct bt_findings *findings);
/* Put the lock as the file has it. BT_ENOMEM; failures of the buffer stick to it. */
BT_MUST_USE enum bt_status bt_wrap_lock_put(const struct bt_wrap_memory *memory,
                                            const struct bt_wrap_lock *lock, struct bt_buf *buf);

/* The entry of a server, or NULL. */
struct bt_wrap_entry *bt_wrap_lock_find(const struct bt_wrap_lock *lock, bt_str name);
/* Add an entry, or replace the one of the same name. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_lock_set(const struct bt_wrap_memory *memory,
                                            struct bt_wrap_lock *lock,
                                            const struct bt_wrap_entry *entry);

/* The item of a key, or NULL. */
const struct bt_wrap_item *bt_wrap_items_find(const struct bt_wrap_items *items, bt_str key);
/* All of them, sorted by key, in the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_items_sorted(struct bt_arena *arena,
                                                const struct bt_wrap_items *items,
                                                const struct bt_wrap_item ***out);
/* Add a copy of an item, whose is_duplicate is set first. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_items_push(const struct bt_wrap_memory *memory,
                                              struct bt_wrap_items *items,
                                              struct bt_wrap_item *item);
/*
 * Add the items of a list result. An item that is not an object, or has no key, gets the key "".
 * The definitions are copies. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_items_add(const struct bt_wrap_memory *memory,
                                             enum bt_wrap_kind kind,
                                             const struct bt_json_doc *document,
                                             const bt_json_value *result,
                                             struct bt_wrap_items *items);

/* The digest of a command and its arguments, or of a URL alone, in which secrets are masked. */
BT_MUST_USE enum bt_status bt_wrap_command_digest(const struct bt_wrap_memory *memory,
                                                  struct bt_str_list command,
                                                  char out[BT_SHA256_HEX_BYTES]);

#endif
