/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed.h - governed handoffs: agents pinned by the digest of their prompt, and who may hand
 * work to whom.
 *
 * Checks go through bt_check_document() as for every dialect, with the options below. The rest of
 * this header is for the maintainer of a governed root: verify it, update its lock, show its
 * boundaries. What needs a store is in governed_state.h.
 *
 * A governed root is read again for every call, each file once, and nothing is cached: the bytes
 * that are hashed are the bytes that are judged. Statuses other than BT_OK that are not described:
 * BT_ENOMEM, the arena reached its limit; BT_EDENIED, BT_EIO, BT_ELIMIT, a file of the root cannot
 * be read, see bt_governed_last_error().
 */
#ifndef BATON_SRC_DIALECT_GOVERNED_GOVERNED_H
#define BATON_SRC_DIALECT_GOVERNED_GOVERNED_H

#include <baton/base.h>
#include <baton/report.h>
#include "base/env.h"

#include "base/file.h"
#include "report/report.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* Whose list must allow a handoff between domains. */
enum bt_governed_boundary_mode {
    BT_GOVERNED_BOUNDARY_SOURCE = 0,
    BT_GOVERNED_BOUNDARY_EITHER,
    BT_GOVERNED_BOUNDARY_MUTUAL
};
/* Whether a line that only separates lists grants a permission. */
enum bt_governed_relation_mode { BT_GOVERNED_RELATION_STRICT = 0, BT_GOVERNED_RELATION_LITERAL };
/* Whether an archetype may hand work outside its composition when its list allows it. */
enum bt_governed_archetype_mode {
    BT_GOVERNED_ARCHETYPE_CONSTITUENT = 0,
    BT_GOVERNED_ARCHETYPE_DECLARED
};

/* Which wrong hashes of a handoff block their agent; bytes of the root that disagree always do. */
enum bt_governed_block_on {
    BT_GOVERNED_BLOCK_ON_BOUND = 0, /* the one that a caller states about its own agent */
    BT_GOVERNED_BLOCK_ON_ROOT,      /* none */
    BT_GOVERNED_BLOCK_ON_ANY,       /* all: any caller can block any agent */
};

/* Manifest and lock that are judged before they are written: they are read as if they were there. A
 * text of no bytes is a file that is not made. */
struct bt_governed_made_files {
    bt_str manifest;
    bt_str lock;
};

struct bt_governed_options {
    const struct bt_dir *dir; /* the governed root; NULL: only the structure is judged */
    bt_str manifest;          /* paths below the governed root */
    bt_str lock;
    bt_str boundaries;
    const bt_str *lock_copies; /* files that must equal the lock */
    size_t lock_copies_count;
    const struct bt_governed_made_files *made; /* or NULL */
    enum bt_governed_boundary_mode boundary_mode;
    enum bt_governed_relation_mode relation_mode;
    enum bt_governed_archetype_mode archetype_mode;
    uint64_t max_age_s; /* of a submitted handoff */
    uint64_t max_future_s;
    enum bt_governed_block_on block_on;
    enum bt_severity system_messages; /* none: allowed */
    enum bt_severity hidden_text;
    enum bt_severity injection_text; /* none: allowed */
};

/*
 * No governed root, the default paths, 300 and 60 seconds, and the strictest modes, except that
 * hidden text and injection phrases are WARN.
 */
struct bt_governed_options bt_governed_options_default(void);

/*
 * Change one setting, named as in the configuration: boundary_mode, max_age_s and so on. `value`
 * must live as long as the options. BT_EINVAL: unknown setting or invalid value; `error` (may be
 * NULL) says which.
 */
BT_MUST_USE enum bt_status bt_governed_options_set(struct bt_governed_options *options, bt_str name,
                                                   bt_str value, struct bt_error *error);

/* ---- Checker --------------------------------------------------------------------------------- */

/* The compiled schemas; for one thread at a time. */
struct bt_governed_checker;

/*
 * Make a checker; schemas are compiled on first use. `env` must outlive it. Destroy it with
 * bt_governed_checker_destroy(). BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_governed_checker_create(struct bt_env *env,
                                                      struct bt_governed_checker **out);
/* Destroy it. NULL is allowed. */
void bt_governed_checker_destroy(struct bt_governed_checker *governed);

/*
 * The reason for the last BT_EDENIED, BT_EIO or BT_ELIMIT about a file of the governed root, with
 * its path; "" when there was none.
 */
const char *bt_governed_last_error(const struct bt_governed_checker *governed);

/* ---- Governed root --------------------------------------------------------------------------- */

/* Judge the whole governed root: one document per file is added to `report`. */
BT_MUST_USE enum bt_status bt_governed_verify_root(struct bt_governed_checker *governed,
                                                   const struct bt_governed_options *options,
                                                   struct bt_report *report);
/*
 * Judge only the lock, the files that it covers, and the boundaries. One document per file is added
 * to `report`.
 */
BT_MUST_USE enum bt_status bt_governed_verify_lock(struct bt_governed_checker *governed,
                                                   const struct bt_governed_options *options,
                                                   struct bt_report *report);

struct bt_governed_lock_options {
    bool init;  /* make a missing lock */
    bool prune; /* drop the entries of agents that no longer exist */
};

/* The new content of a lock. */
struct bt_governed_lock_result {
    bt_str text;    /* "": nothing to write */
    bt_str members; /* `"lock":{...}`, for the report; its `written` is set unless dry_run */
};

/*
 * Compute the new lock from the files; documents with findings are added to `report`. After a HARD
 * finding, or without a change, out->text is "". The caller writes the text; `dry_run` only changes
 * the members.
 */
BT_MUST_USE enum bt_status
bt_governed_update_lock(struct bt_governed_checker *governed,
                        const struct bt_governed_options *options,
                        const struct bt_governed_lock_options *lock_options, bool dry_run,
                        struct bt_report *report, struct bt_governed_lock_result *out);

struct bt_governed_init_result {
    bool exists;      /* manifest or lock is there already */
    bool has_prompts; /* there is at least one prompt */
    bool is_sound;    /* the report has no HARD finding */
    bt_str existing;  /* which of the two files */
    bt_str manifest;  /* the texts; "" unless is_sound */
    bt_str lock;
};

/*
 * Make manifest and lock from the prompts of a governed root that has neither. The result is judged
 * as bt_governed_verify_root() does, one document per file is added to `report`; the caller writes
 * the texts. `version` is that of the catalogue and of every agent.
 */
BT_MUST_USE enum bt_status bt_governed_init_root(struct bt_governed_checker *governed,
                                                 const struct bt_governed_options *options,
                                                 bt_str version, struct bt_report *report,
                                                 struct bt_governed_init_result *out);

/* ---- Handoffs -------------------------------------------------------------------------------- */

/* A handoff that was made or sealed. */
struct bt_governed_write_result {
    struct bt_judgement judged; /* of the text, with the member `document` */
    bt_str text;
    bt_str audit_trail; /* of a new handoff */
};

struct bt_governed_seal_input {
    bt_str path; /* as reports show it */
    bt_str text;
    const struct bt_governed_options *options; /* with a governed root */
    bool renew;                                /* also a new handoff_id and timestamp */
};

/*
 * Set what the governed root knows about both agents of a handoff, and the four flags as they were
 * verified. All other bytes stay. Use the text only if it was accepted.
 */
BT_MUST_USE enum bt_status bt_governed_seal_handoff(struct bt_governed_checker *governed,
                                                    struct bt_arena *arena,
                                                    const struct bt_governed_seal_input *input,
                                                    struct bt_governed_write_result *out);

/* What a new handoff says. Values that are JSON must be valid. */
struct bt_governed_draft {
    bt_str source;
    bt_str target;
    bt_str type;
    bt_str description;
    bt_str expected_output;
    struct bt_str_list constraints;
    bt_str input_data; /* JSON, as the next three */
    bt_str history;
    bt_str context;
    bt_str decisions;
    bt_str audit_trail; /* "": baton: and the id of the handoff */
};

/* Make a handoff with a new id and the present time, and seal it. */
BT_MUST_USE enum bt_status bt_governed_new_handoff(struct bt_governed_checker *governed,
                                                   struct bt_arena *arena,
                                                   const struct bt_governed_options *options,
                                                   const struct bt_governed_draft *draft,
                                                   struct bt_governed_write_result *out);

/* ---- Boundaries ------------------------------------------------------------------------------ */

/* Where the lists are taken from. */
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
    BT_BOUNDARY_MAP_FILE, /* a boundaries file and nothing else */
    BT_BOUNDARY_MAP__MAX,
};

/* "text", "mermaid", "dot", "svg"; "" for the others. A constant. */
bt_str bt_boundary_map_format_name(enum bt_boundary_map_format form);

/*
 * Put the lists and the allowed pairs. If the governed root has errors that prevent this, nothing
 * is put, and a document with the reasons is added to `report`. Failures of the buffer are
 * returned.
 */
BT_MUST_USE enum bt_status bt_governed_put_boundary_map(struct bt_governed_checker *governed,
                                                        const struct bt_governed_options *options,
                                                        enum bt_governed_boundary_lists source,
                                                        enum bt_boundary_map_format form,
                                                        struct bt_report *report,
                                                        struct bt_buf *out);

/* A query for a path from one agent to another. */
struct bt_governed_path_query {
    bt_str from;
    bt_str to;
    const bt_str *excluded; /* agents that the path must avoid: the blocked ones */
    size_t avoided_count;
    enum bt_boundary_map_format form;
};

/*
 * Put the shortest path as JSON or text; *out_reachable tells whether there is one. `arena` is
 * working memory. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status bt_governed_find_path(struct bt_governed_checker *governed,
                                                 struct bt_arena *arena,
                                                 const struct bt_governed_options *options,
                                                 const struct bt_governed_path_query *question,
                                                 struct bt_buf *out, bool *out_reachable);

#endif
