/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue.h - the skills that there are: who accepts whom, who is fit for what.
 *
 * A skill is a folder with a SKILL.md whose front matter says what it takes and gives. A catalogue
 * is made of the skills below one or more folders and, perhaps, a registry file that adds to them.
 *
 *     const struct bt_skill_catalogue_options options = {.folders = &folder, .folder_count = 1};
 *     const struct bt_skill_catalogue *catalogue = NULL;
 *     if (bt_skill_catalogue_open(&arena, &options, &catalogue, &error) == BT_OK) {
 *         const struct bt_skill *skill =
 *             bt_skill_catalogue_find(catalogue, BT_STR("patch-builder"));
 *         ...
 *     }
 *
 * Names of skills are compared after trimming ASCII white space and lower-casing A to Z, here as
 * everywhere. A catalogue is immutable and lives in the caller's arena.
 */
#ifndef BATON_CATALOGUE_H
#define BATON_CATALOGUE_H

#include <baton/env.h>
#include <baton/json.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Skills ---------------------------------------------------------------------------------- */

/* A list of texts. An empty list that was written is not the same as none. */
struct bt_optional_str_list {
    const bt_str *items;
    size_t count;
    bool given;
};

/* Zero is "nobody said". */
enum bt_skill_answer {
    BT_SKILL_ANSWER_NONE = 0,
    BT_SKILL_ANSWER_NO,
    BT_SKILL_ANSWER_YES,
};

struct bt_yaml_node;

/* What is known of one skill, from its front matter and, where that is silent, the registry. */
struct bt_skill {
    bt_str name; /* as written */
    bt_str path; /* of its SKILL.md, or what the registry says; "" when nobody does */
    struct bt_optional_str_list
        accepts_from; /* skills whose work it takes, sorted; "*" is anybody */
    struct bt_optional_str_list provides_to;
    struct bt_optional_str_list requires; /* dotted paths below handoff */
    struct bt_optional_str_list categories;
    struct bt_optional_str_list input_requirements;
    struct bt_optional_str_list output_types;
    bt_str schema_version;            /* "" for none */
    bt_str schema_type;               /* "" for none */
    enum bt_skill_answer autonomous;  /* only the registry says */
    bool is_legacy;                   /* only fields of the older protocol tell it */
    bool is_discoverable;             /* it takes work at all */
    const struct bt_yaml_node *front; /* its front matter, NULL for one of the registry alone */
    const struct bt_yaml_node *entry; /* its entry in the registry, or NULL */
};

/* Whether two names mean one skill. */
BT_API bool bt_skill_name_equal(bt_str a, bt_str b);
/* Whether accepts_from or provides_to of a skill, which are sorted, names the skill or, by "*",
 * everybody. */
BT_API bool bt_skill_list_has(const struct bt_optional_str_list *list, bt_str name);

/* What a receiver of version `to` makes of a handoff of version `from`: "yes", "partial", "no",
 * "adapter" or "unknown". */
BT_API bt_str bt_skill_compatibility(bt_str from, bt_str to);

/* ---- The catalogue --------------------------------------------------------------------------- */

struct bt_skill_catalogue;

struct bt_skill_catalogue_options {
    const bt_str *folders; /* an earlier one shadows a later one */
    size_t folder_count;
    bt_str registry; /* a file, which need not exist; "": none */
};

/*
 * Scan the folders and read the registry. What is wrong with a single skill or with the registry is
 * no failure: it is skipped, and bt_skill_catalogue_add_findings() tells of it.
 *
 * BT_ENOENT, BT_EDENIED: a folder cannot be opened. BT_ELIMIT: it has too many entries. BT_EIO,
 * BT_ENOMEM: as always. `error` (may be NULL) says more.
 */
BT_API BT_MUST_USE enum bt_status
bt_skill_catalogue_open(struct bt_arena *arena, const struct bt_skill_catalogue_options *options,
                        const struct bt_skill_catalogue **out, struct bt_error *error);

/* The discoverable skills, sorted by name. */
BT_API size_t bt_skill_catalogue_count(const struct bt_skill_catalogue *catalogue);
BT_API const struct bt_skill *bt_skill_catalogue_at(const struct bt_skill_catalogue *catalogue,
                                                    size_t index);
/* The skill of this name, discoverable or not, or NULL. */
BT_API const struct bt_skill *bt_skill_catalogue_find(const struct bt_skill_catalogue *catalogue,
                                                      bt_str name);
/* Whether there is a registry file that could not be read. */
BT_API bool bt_skill_catalogue_has_unreadable_registry(const struct bt_skill_catalogue *catalogue);

/* Add what was skipped and why: SKILL_UNREADABLE, SKILL_DUPLICATE_NAME, REGISTRY_UNREADABLE. They
 * have no position, since each is about a file of its own, which params.path names. */
BT_API BT_MUST_USE enum bt_status
bt_skill_catalogue_add_findings(const struct bt_skill_catalogue *catalogue,
                                struct bt_findings *findings);

/* Judge every SKILL.md; each becomes a document of the report. A registry that could not be read
 * becomes one too. */
BT_API BT_MUST_USE enum bt_status
bt_skill_catalogue_lint(const struct bt_skill_catalogue *catalogue, struct bt_report *report);

/* ---- Stage governance ------------------------------------------------------------------------ */

/* A handoff as governance sees it. A text that is "" is not known, and rules that need it do not
 * run. */
struct bt_skill_edge {
    const struct bt_json_doc *document;
    const bt_json_value *handoff; /* the member `handoff`, an object */
    bt_str source;
    bt_str target;
    bt_str version;
};

/* Add TARGET_NOT_FOUND, TARGET_REFUSES_SOURCE, TARGET_NOT_PROVIDED, TARGET_REQUIRES_MISSING and
 * TARGET_INCOMPATIBLE. */
BT_API BT_MUST_USE enum bt_status bt_skill_check_edge(const struct bt_skill_catalogue *catalogue,
                                                      const struct bt_skill_edge *edge,
                                                      struct bt_findings *findings);

/* ---- Discovery ------------------------------------------------------------------------------- */

/* Whether work of `source` was once handed to `target` and finished there. */
typedef bool bt_skill_history_fn(void *context, bt_str source, bt_str target);

struct bt_skill_query {
    bt_str source;
    bt_str version;  /* of the sender; "" when it is not known */
    bt_str category; /* "" for none */
    struct bt_optional_str_list inputs;
    struct bt_optional_str_list chain;
    enum bt_skill_answer autonomy;
    bool authorized;                /* only those whom the source's provides_to names */
    size_t top;                     /* at most so many; from 1 */
    bt_skill_history_fn *succeeded; /* NULL: there is no history */
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
    enum bt_skill_answer provided; /* unanswered: the source is not in the catalogue */
    bt_str compatible;
};

/* Find who may take the work, best first, in `arena`. */
BT_API BT_MUST_USE enum bt_status
bt_skill_discover(const struct bt_skill_catalogue *catalogue, const struct bt_skill_query *wanted,
                  struct bt_arena *arena, const struct bt_skill_candidate **out, size_t *out_count);

/* ---- The registry ---------------------------------------------------------------------------- */

/* What the registry would be after taking in the catalogue. */
struct bt_skill_registry_result {
    bt_str text; /* of the whole file */
    size_t total;
    struct bt_optional_str_list
        added; /* names from the scan that are new, sorted like the others */
    struct bt_optional_str_list updated;
    struct bt_optional_str_list kept; /* names that only the registry has */
};

/* Make the new text in `arena`; nothing is written. BT_EINVAL: the registry could not be read, and
 * must not be overwritten. BT_ECORRUPT: the text could not be read back as what it was made of. */
BT_API BT_MUST_USE enum bt_status bt_skill_registry_sync(const struct bt_skill_catalogue *catalogue,
                                                         bt_instant now, struct bt_arena *arena,
                                                         struct bt_skill_registry_result *out);

/* Write the text to the registry's file, as a whole or not at all, and read it back.
 * BT_ECORRUPT: something else stands there now. */
BT_API BT_MUST_USE enum bt_status
bt_skill_registry_save(const struct bt_skill_catalogue *catalogue,
                       const struct bt_skill_registry_result *sync, struct bt_arena *arena,
                       struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
