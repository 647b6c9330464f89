/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed.h - governed handoffs: agents pinned by the digest of their prompt, who may hand to
 * whom, and what Baton found out about it itself.
 *
 * Checking goes through bt_check() like every dialect, with the options below. What stands here
 * besides is for whoever keeps the catalogue: verify it, renew its lock, look at its boundaries.
 * What needs a store is in govern.h.
 *
 * The catalogue is read anew for every call, each file once, and nothing of it is remembered: the
 * bytes that are hashed are the bytes that are judged.
 */
#ifndef BATON_GOVERNED_H
#define BATON_GOVERNED_H

#include <baton/env.h>
#include <baton/file.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- How to judge ---------------------------------------------------------------------------- */

/* Who must have listed whom, from domain to domain. */
enum bt_governed_boundary_mode {
    BT_GOVERNED_BOUNDARY_SOURCE = 0,
    BT_GOVERNED_BOUNDARY_EITHER,
    BT_GOVERNED_BOUNDARY_MUTUAL
};
/* Whether a line that only separates authorises. */
enum bt_governed_relation_mode { BT_GOVERNED_RELATION_STRICT = 0, BT_GOVERNED_RELATION_LITERAL };
/* Whether an archetype may leave its composition where its list says so. */
enum bt_governed_archetype_mode {
    BT_GOVERNED_ARCHETYPE_CONSTITUENT = 0,
    BT_GOVERNED_ARCHETYPE_DECLARED
};

struct bt_governed_options {
    const struct bt_dir *dir; /* the catalogue; NULL: only the structure is judged */
    bt_str manifest;          /* paths below the root */
    bt_str lock;
    bt_str boundaries;
    const bt_str *lock_copies; /* that must equal the lock */
    size_t lock_copies_count;
    enum bt_governed_boundary_mode boundary_mode;
    enum bt_governed_relation_mode relation_mode;
    enum bt_governed_archetype_mode archetype_mode;
    uint64_t max_age_s; /* of a handoff that is submitted */
    uint64_t max_future_s;
    bool block_on_root_mismatch_only; /* a wrong hash in a handoff alone does not block */
    enum bt_severity system_messages; /* none: they are allowed */
    enum bt_severity hidden_text;
};

/* No root, the usual paths, 300 and 60 seconds, everything as strict as it gets but hidden text,
 * which is WARN. */
BT_API struct bt_governed_options bt_governed_checker_options_default(void);

/* Change one setting, named as in the configuration: boundary_mode, max_age_s ... `value` must live
 * as long as the options. BT_EINVAL: there is no such setting, or it cannot have this value. */
BT_API BT_MUST_USE enum bt_status
bt_governed_checker_options_set(struct bt_governed_options *options, bt_str name, bt_str value,
                                struct bt_error *error);

/* ---- What is made once ----------------------------------------------------------------------- */

/* The compiled schemas; for one thread at a time. */
struct bt_governed_checker;

/* `env` must outlive it. On BT_OK *out is given back with bt_governed_checker_destroy(). This costs
 * next to nothing: schemas are compiled when they are needed. */
BT_API BT_MUST_USE enum bt_status bt_governed_checker_create(struct bt_env *env,
                                                             struct bt_governed_checker **out);
/* NULL is allowed. */
BT_API void bt_governed_checker_destroy(struct bt_governed_checker *governed);

/* The reason of the last BT_EDENIED, BT_EIO or BT_ELIMIT about a file of the catalogue, with its
 * path; "" when there was none. */
BT_API const char *bt_governed_last_error(const struct bt_governed_checker *governed);

/* ---- The catalogue --------------------------------------------------------------------------- */

/* Judge the whole catalogue: one document per file, added to `report`. */
BT_API BT_MUST_USE enum bt_status
bt_governed_checker_verify_root(struct bt_governed_checker *governed,
                                const struct bt_governed_options *options,
                                struct bt_report *report);
/* The lock, the files that it covers, and the boundaries alone. */
BT_API BT_MUST_USE enum bt_status
bt_governed_checker_verify_lock(struct bt_governed_checker *governed,
                                const struct bt_governed_options *options,
                                struct bt_report *report);

struct bt_governed_lock_options {
    bool init;  /* a lock that is not there is made */
    bool prune; /* entries of agents that are no more are dropped */
};

/* What a lock becomes. */
struct bt_governed_lock_result {
    bt_str text;    /* "": nothing is to be written */
    bt_str members; /* `"lock":{...}`, for the report; written says whether `text` was asked for */
};

/*
 * Work out the new lock from the files; the documents that have something to say are added to
 * `report`. With a HARD finding, or without a change, there is nothing to write. The caller writes
 * the text; `dry_run` only says so in the members.
 */
BT_API BT_MUST_USE enum bt_status
bt_governed_update_lock(struct bt_governed_checker *governed,
                        const struct bt_governed_options *options,
                        const struct bt_governed_lock_options *lock_options, bool dry_run,
                        struct bt_report *report, struct bt_governed_lock_result *out);

/* ---- Who may hand to whom -------------------------------------------------------------------- */

/* Where lists are taken from. */
enum bt_governed_boundary_lists {
    BT_BOUNDARY_LISTS_IN_FORCE = 0,
    BT_BOUNDARY_LISTS_FROM_FILE,
    BT_BOUNDARY_LISTS_FROM_PROMPTS
};

enum bt_boundary_map_format {
    BT_BOUNDARY_MAP_TEXT = 0, /* for a terminal */
    BT_BOUNDARY_MAP_MERMAID,
    BT_BOUNDARY_MAP_DOT,
    BT_BOUNDARY_MAP_SVG,
    BT_BOUNDARY_MAP_JSON,
    BT_BOUNDARY_MAP_FILE, /* a boundaries file, and nothing else */
    BT_BOUNDARY_MAP__MAX,
};

/* "text", "mermaid", "dot", "svg"; "" for the others. */
BT_API bt_str bt_boundary_map_format_name(enum bt_boundary_map_format form);

/* Put lists and allowed pairs. When the catalogue cannot answer, nothing is put and a document that
 * says why is added to `report`. */
BT_API BT_MUST_USE enum bt_status bt_governed_put_boundary_map(
    struct bt_governed_checker *governed, const struct bt_governed_options *options,
    enum bt_governed_boundary_lists source, enum bt_boundary_map_format form,
    struct bt_report *report, struct bt_buf *out);

/* A question about the way from one agent to another. */
struct bt_governed_path_query {
    bt_str from;
    bt_str to;
    const bt_str *excluded; /* agents that may not take part: those that are blocked */
    size_t avoided_count;
    enum bt_boundary_map_format form;
};

/* Put the shortest way, as JSON or as a text; *out_reachable tells whether there is one. */
BT_API BT_MUST_USE enum bt_status
bt_governed_find_path(struct bt_governed_checker *governed, struct bt_arena *arena,
                      const struct bt_governed_options *options,
                      const struct bt_governed_path_query *question, struct bt_buf *out,
                      bool *out_reachable);

#ifdef __cplusplus
}
#endif

#endif
