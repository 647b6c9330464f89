/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - one call for everything that Baton does: JSON in, JSON out.
 *
 *     struct bt_engine *engine = NULL;
 *     struct bt_reply *reply = NULL;
 *     struct bt_error error;
 *     if (bt_engine_create(BT_STR(""), &engine, &error) == BT_OK &&
 *         bt_call(engine, BT_STR("check"), request, &reply, &error) == BT_OK) {
 *         bt_str json = bt_reply_json(reply);
 *         ...
 *     }
 *     bt_reply_destroy(reply);
 *     bt_engine_destroy(engine);
 *
 * An operation is named by its operationId of the HTTP API, and a reply has the bytes that the
 * server sends for the same request.
 *
 * Threads: an engine belongs to one thread at a time. A reply does not change; many threads may
 * read it, and one destroys it, before or after its engine.
 */
#ifndef BATON_CALL_H
#define BATON_CALL_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Engine ---------------------------------------------------------------------------------- */

/* What one thread works with: settings, roots, compiled schemas, an optional store. */
struct bt_engine;

/*
 * Make an engine. `settings` is "" or a JSON object with keys of baton.yaml that affect judging
 * (`limits`, `check`, `contract`, `approvals`, `governed`, `skills`, `roots`, nested as there) and
 * with `now`, `seed`, `actor`, `scopes`, `agents`, `workspace` and `session`; no file is read to
 * find a configuration. On BT_OK the caller destroys *out with bt_engine_destroy(). BT_EINVAL: the
 * settings are not such an object, and the text of `error` begins with the finding. BT_ENOMEM: no
 * memory. BT_EIO: the system provided no randomness. `error` may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_engine_create(bt_str settings, struct bt_engine **out,
                                                   struct bt_error *error);
/* Destroy it and close its store. NULL is allowed. */
BT_API void bt_engine_destroy(struct bt_engine *engine);
/*
 * Name a folder, like `roots` of the settings: requests name it with the option `root`. Files below
 * it are read while documents are judged; "default" is the root of requests that name none. Both
 * texts are copied. BT_EINVAL: the name or the folder is empty, or the name is taken. BT_ENOENT,
 * BT_EDENIED, BT_EIO: the folder cannot be opened. BT_ENOMEM: no memory. After a failure the engine
 * is as before. `error` may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_engine_root(struct bt_engine *engine, bt_str name,
                                                 bt_str folder, struct bt_error *error);
/*
 * Add a file to a root that lies in memory, which its first file makes. Such a root has no symbolic
 * links and is used like a folder; a name is one or the other. `path` is relative and has no "..".
 * All texts are copied. BT_EINVAL: the name is empty or that of a folder, or there cannot be such a
 * path. BT_EEXIST: the root has such a file or folder. BT_ELIMIT: a root has at most 100,000 files
 * of together at most 2^30 bytes, an engine at most 1,000 such roots. BT_ENOMEM: no memory. After a
 * failure the engine is as before. `error` may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_engine_root_file(struct bt_engine *engine, bt_str name,
                                                      bt_str path, bt_str content,
                                                      struct bt_error *error);
/*
 * Give the engine the token table of an encoding, "o200k_base" or "cl100k_base": the bytes of its
 * merge list, which are read and not kept. Only a core build needs it, since the others have the
 * tables; they compare the bytes and keep their own. BT_EINVAL: there is no such encoding.
 * BT_ECORRUPT: the bytes are not that list. BT_ENOMEM: no memory. After a failure the engine is as
 * before. `error` may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_engine_table(struct bt_engine *engine, bt_str encoding,
                                                  bt_str table, struct bt_error *error);
/*
 * Open a store, for the operations that need one: a path, or a URL with the scheme sqlite: or
 * postgresql:. It must exist, and its private key must be readable. As with `baton mcp`, the head
 * file beside it and the account's memory of its size (BATON_STATE_DIR, else $XDG_STATE_HOME/baton,
 * else ~/.local/state/baton) are checked, and written with every record. BT_EEXIST: the engine has
 * a store. BT_ENOENT: the store or its key is missing. BT_EDENIED: others may read the key.
 * BT_EINVAL: it is not a Baton store. BT_ECORRUPT: it is not the ledger that this node has seen
 * before, or cannot be trusted. BT_EIO: the store failed. BT_ENOMEM: no memory. After a failure the
 * engine has no store. `error` may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_engine_store(struct bt_engine *engine, bt_str url,
                                                  struct bt_error *error);

/* ---- Calls ----------------------------------------------------------------------------------- */

/* What came back. */
struct bt_reply;

/*
 * Run an operation. `request` is a JSON object. On BT_OK there is a reply, also when the request
 * was refused, and the caller destroys it with bt_reply_destroy(). Any other status: nothing was
 * judged, and nothing was recorded unless the error says so; *out is unchanged. BT_ENOMEM: no
 * memory. BT_ELIMIT: the request has 2^30 bytes or more, or a result would be too large. BT_EIO,
 * BT_ECORRUPT: the system or stored data failed. BT_EINTERNAL: a bug; destroy the engine. `error`
 * may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_call(struct bt_engine *engine, bt_str operation,
                                          bt_str request, struct bt_reply **out,
                                          struct bt_error *error);

/* The status that the server would send: 200, 201, 400 and so on. */
BT_API unsigned bt_reply_status(const struct bt_reply *reply);
/* True when what was asked for happened. A document that is judged and rejected is such a case. */
BT_API bool bt_reply_is_done(const struct bt_reply *reply);
/*
 * The answer, or an RFC 9457 problem: JSON in UTF-8 without a final line feed. It is valid until
 * the reply is destroyed.
 */
BT_API bt_str bt_reply_json(const struct bt_reply *reply);
/* Destroy a reply. NULL is allowed. */
BT_API void bt_reply_destroy(struct bt_reply *reply);

/* The number of operations. */
BT_API size_t bt_operations_count(void);
/* The name of the operation with this index, which must be below the count. A constant. */
BT_API bt_str bt_operations_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
