/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill.h - the available skills: whose work each accepts, and which is suited for a task.
 *
 * A skill is a directory with a SKILL.md whose front matter declares what it takes and gives. A
 * catalogue consists of the skills below one or more directories and, optionally, a registry file
 * that adds to them.
 *
 *     const struct bt_skill_catalogue_options options = {.folders = &folder, .folder_count = 1};
 *     const struct bt_skill_catalogue *catalogue = NULL;
 *     if (bt_skill_catalogue_open(&arena, &options, &catalogue, &error) == BT_OK) {
 *         const struct bt_skill *skill =
 *             bt_skill_catalogue_find(catalogue, BT_STR("patch-builder"));
 *         ...
 *     }
 *
 * Names of skills are always compared after trimming ASCII white space and converting A to Z to
 * lower case. A catalogue is immutable and lives in the caller's arena.
 */
#ifndef BATON_SRC_SKILL_SKILL_H
#define BATON_SRC_SKILL_SKILL_H

#include <baton/json.h>
#include <baton/report.h>
#include "base/env.h"

/* ---- Skills ---------------------------------------------------------------------------------- */

/* A list of texts. An empty list (`given`) differs from an absent one. */
struct bt_optional_str_list {
    const bt_str *items;
    size_t count;
    bool given;
};

/* Zero: not specified. */
enum bt_skill_answer {
    BT_SKILL_ANSWER_NONE = 0,
    BT_SKILL_ANSWER_NO,
    BT_SKILL_ANSWER_YES,
};

struct bt_yaml_node;

/* One skill, from its front matter and, for members that this lacks, from the registry. */
struct bt_skill {
    bt_str name; /* as written */
    bt_str path; /* of its SKILL.md, or from the registry; "" when unknown */
    struct bt_optional_str_list accepts_from; /* skills whose work it takes, sorted; "*": any */
    struct bt_optional_str_list provides_to;
    struct bt_optional_str_list requires; /* dotted paths below handoff */
    struct bt_optional_str_list categories;
    struct bt_optional_str_list input_requirements;
    struct bt_optional_str_list output_types;
    bt_str schema_version;            /* "" for none */
    bt_str schema_type;               /* "" for none */
    enum bt_skill_answer autonomous;  /* only the registry has it */
    bool is_legacy;                   /* described only by fields of the older protocol */
    bool is_discoverable;             /* it accepts work */
    const struct bt_yaml_node *front; /* its front matter; NULL: only in the registry */
    const struct bt_yaml_node *entry; /* its entry in the registry, or NULL */
};

/* True when two names denote one skill. */
bool bt_skill_name_equal(bt_str a, bt_str b);
/* True when the list (accepts_from or provides_to of a skill, sorted) contains the name or "*". */
bool bt_skill_list_has(const struct bt_optional_str_list *list, bt_str name);

/*
 * How a receiver of version `to` handles a handoff of version `from`: "yes", "partial", "no",
 * "adapter" or "unknown". A constant.
 */
bt_str bt_skill_compatibility(bt_str from, bt_str to);

/* ---- Catalogue ------------------------------------------------------------------------------- */

struct bt_skill_catalogue;

struct bt_skill_catalogue_options {
    const bt_str *folders; /* skills of an earlier one hide those of a later one */
    size_t folder_count;
    bt_str registry; /* a file, which need not exist; "": none */
};

/*
 * Scan the directories and read the registry. Errors in a single skill or in the registry do not
 * fail the call: they are skipped, and bt_skill_catalogue_add_findings() reports them.
 *
 * BT_ENOENT, BT_EDENIED: a directory cannot be opened. BT_ELIMIT: it has too many entries. BT_EIO:
 * reading failed. BT_ENOMEM: the arena reached its limit. `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_skill_catalogue_open(struct bt_arena *arena,
                                                   const struct bt_skill_catalogue_options *options,
                                                   const struct bt_skill_catalogue **out,
                                                   struct bt_error *error);

/* The number of discoverable skills. */
size_t bt_skill_catalogue_count(const struct bt_skill_catalogue *catalogue);
/* The discoverable skill with this index; they are sorted by name. */
const struct bt_skill *bt_skill_catalogue_at(const struct bt_skill_catalogue *catalogue,
                                             size_t index);
/* The skill of this name, discoverable or not, or NULL. */
const struct bt_skill *bt_skill_catalogue_find(const struct bt_skill_catalogue *catalogue,
                                               bt_str name);

enum { BT_SKILL_NEAREST_MAX = 3 };

/*
 * The names of discoverable skills that are like `name`, nearest first, at most
 * BT_SKILL_NEAREST_MAX. Returns how many there are.
 */
size_t bt_skill_catalogue_nearest(const struct bt_skill_catalogue *catalogue, bt_str name,
                                  bt_str out[BT_SKILL_NEAREST_MAX]);
/* Put `did you mean "a" or "b"?`; nothing when there is no name. */
void bt_skill_put_suggestion(struct bt_buf *buf, const bt_str *names, size_t count);
/* True when the registry file exists but could not be read. */
bool bt_skill_catalogue_has_unreadable_registry(const struct bt_skill_catalogue *catalogue);

/*
 * Add findings about what was skipped: SKILL_UNREADABLE, SKILL_DUPLICATE_NAME, REGISTRY_UNREADABLE.
 * They have no position, because each is about a different file, named in params.path. BT_ENOMEM:
 * the findings' arena reached its limit.
 */
BT_MUST_USE enum bt_status
bt_skill_catalogue_add_findings(const struct bt_skill_catalogue *catalogue,
                                struct bt_findings *findings);

/*
 * Judge every SKILL.md, and a registry that could not be read; each becomes a document of the
 * report. BT_ENOMEM: the report's arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_skill_catalogue_lint(const struct bt_skill_catalogue *catalogue,
                                                   struct bt_report *report);

/* ---- Stage governance ------------------------------------------------------------------------ */

/*
 * A handoff for the governance checks. A text that is "" is unknown, and rules that need it are
 * skipped.
 */
struct bt_skill_edge {
    const struct bt_json_doc *document;
    const bt_json_value *handoff; /* the member `handoff`, an object */
    bt_str source;
    bt_str target;
    bt_str version;
};

/*
 * Check a handoff against the catalogue; adds TARGET_NOT_FOUND, TARGET_REFUSES_SOURCE,
 * TARGET_NOT_PROVIDED, TARGET_REQUIRES_MISSING and TARGET_INCOMPATIBLE. BT_ENOMEM: the findings'
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_skill_check_edge(const struct bt_skill_catalogue *catalogue,
                                               const struct bt_skill_edge *edge,
                                               struct bt_findings *findings);

/* ---- Discovery ------------------------------------------------------------------------------- */

/* True when an earlier handoff from `source` to `target` was completed. */
typedef bool bt_skill_history_fn(void *context, bt_str source, bt_str target);

struct bt_skill_query {
    bt_str source;
    bt_str version;  /* of the sender; "": unknown */
    bt_str category; /* "": any */
    struct bt_optional_str_list inputs;
    struct bt_optional_str_list chain;
    enum bt_skill_answer autonomy;
    bool authorized;                /* only skills that the source's provides_to names */
    size_t top;                     /* the maximum number of results; from 1 */
    bt_skill_history_fn *succeeded; /* NULL: no history */
    void *context;
};

/* The parts of a score. */
struct bt_skill_score {
    int category;
    int schema;
    int input;
    int success;
    int autonomy;
    int loop;
};

struct bt_skill_candidate {
    const struct bt_skill *skill;
    struct bt_skill_score parts;
    int score;
    enum bt_skill_answer provided; /* none: the source is not in the catalogue */
    bt_str compatible;
};

/*
 * Find the skills that can take the work, best first, in `arena`. BT_ENOMEM: the arena reached its
 * limit.
 */
BT_MUST_USE enum bt_status
bt_skill_discover(const struct bt_skill_catalogue *catalogue, const struct bt_skill_query *wanted,
                  struct bt_arena *arena, const struct bt_skill_candidate **out, size_t *out_count);

/* ---- Registry -------------------------------------------------------------------------------- */

/* The registry after a synchronisation with the catalogue. */
struct bt_skill_registry_result {
    bt_str text; /* the whole file */
    size_t total;
    struct bt_optional_str_list added; /* new names from the scan; all three lists are sorted */
    struct bt_optional_str_list updated;
    struct bt_optional_str_list kept; /* names that only the registry has */
};

/*
 * Make the new text in `arena`; nothing is written. BT_EINVAL: the registry could not be read and
 * must not be overwritten. BT_ECORRUPT: reading the new text does not give the same skills.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_skill_registry_sync(const struct bt_skill_catalogue *catalogue,
                                                  bt_instant now, struct bt_arena *arena,
                                                  struct bt_skill_registry_result *out);

/*
 * Replace the registry's file atomically and read it back. BT_ECORRUPT: the file has other content
 * now. BT_EIO, BT_EDENIED: it could not be written; `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_skill_registry_save(const struct bt_skill_catalogue *catalogue,
                                                  const struct bt_skill_registry_result *sync,
                                                  struct bt_arena *arena, struct bt_error *error);

#endif
