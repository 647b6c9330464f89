/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue.h - the skills that there are: who accepts whom, who is fit for what.
 *
 * A skill is a folder with a SKILL.md whose front matter says what it takes and gives. A catalogue
 * is made of the skills below one or more folders and, perhaps, a registry file that adds to them.
 *
 *     const struct bt_catalogue_options options = {.folders = &folder, .folder_count = 1};
 *     const struct bt_catalogue *catalogue = NULL;
 *     if (bt_catalogue_open(&arena, &options, &catalogue, &error) == BT_OK) {
 *         const struct bt_skill *skill = bt_catalogue_find(catalogue, BT_STR("patch-builder"));
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
struct bt_texts {
    const bt_str *items;
    size_t count;
    bool given;
};

/* Zero is "nobody said". */
enum bt_tristate {
    BT_UNANSWERED = 0,
    BT_NO,
    BT_YES,
};

struct bt_yaml_node;

/* What is known of one skill, from its front matter and, where that is silent, the registry. */
struct bt_skill {
    bt_str name; /* as written */
    bt_str path; /* of its SKILL.md, or what the registry says; "" when nobody does */
    struct bt_texts accepts_from; /* skills whose work it takes, sorted; "*" is anybody */
    struct bt_texts provides_to;
    struct bt_texts requires; /* dotted paths below handoff */
    struct bt_texts categories;
    struct bt_texts input_requirements;
    struct bt_texts output_types;
    bt_str schema_version;            /* "" for none */
    bt_str schema_type;               /* "" for none */
    enum bt_tristate autonomous;      /* only the registry says */
    bool is_legacy;                   /* only fields of the older protocol tell it */
    bool is_discoverable;             /* it takes work at all */
    const struct bt_yaml_node *front; /* its front matter, NULL for one of the registry alone */
    const struct bt_yaml_node *entry; /* its entry in the registry, or NULL */
};

/* Whether two names mean one skill. */
BT_API bool bt_skill_name_eq(bt_str a, bt_str b);
/* Whether accepts_from or provides_to of a skill, which are sorted, names the skill or, by "*",
 * everybody. */
BT_API bool bt_skill_listed(const struct bt_texts *list, bt_str name);

/* What a receiver of version `to` makes of a handoff of version `from`: "yes", "partial", "no",
 * "adapter" or "unknown". */
BT_API bt_str bt_skill_compatible(bt_str from, bt_str to);

/* ---- The catalogue --------------------------------------------------------------------------- */

struct bt_catalogue;

struct bt_catalogue_options {
    const bt_str *folders; /* an earlier one shadows a later one */
    size_t folder_count;
    bt_str registry; /* a file, which need not exist; "": none */
};

/*
 * Scan the folders and read the registry. What is wrong with a single skill or with the registry is
 * no failure: it is skipped, and bt_catalogue_report() tells of it.
 *
 * BT_ENOENT, BT_EDENIED: a folder cannot be opened. BT_ELIMIT: it has too many entries. BT_EIO,
 * BT_ENOMEM: as always. `error` (may be NULL) says more.
 */
BT_API BT_MUST_USE enum bt_status bt_catalogue_open(struct bt_arena *arena,
                                                    const struct bt_catalogue_options *options,
                                                    const struct bt_catalogue **out,
                                                    struct bt_error *error);

/* The discoverable skills, sorted by name. */
BT_API size_t bt_catalogue_count(const struct bt_catalogue *catalogue);
BT_API const struct bt_skill *bt_catalogue_at(const struct bt_catalogue *catalogue, size_t index);
/* The skill of this name, discoverable or not, or NULL. */
BT_API const struct bt_skill *bt_catalogue_find(const struct bt_catalogue *catalogue, bt_str name);
/* Whether there is a registry file that could not be read. */
BT_API bool bt_catalogue_registry_is_broken(const struct bt_catalogue *catalogue);

/* Add what was skipped and why: SKILL_UNREADABLE, SKILL_DUPLICATE_NAME, REGISTRY_UNREADABLE. They
 * have no position, since each is about a file of its own, which params.path names. */
BT_API BT_MUST_USE enum bt_status bt_catalogue_report(const struct bt_catalogue *catalogue,
                                                      struct bt_findings *findings);

/* Judge every SKILL.md; each becomes a document of the report. A registry that could not be read
 * becomes one too. */
BT_API BT_MUST_USE enum bt_status bt_catalogue_lint(const struct bt_catalogue *catalogue,
                                                    struct bt_report *report);

/* ---- Stage governance ------------------------------------------------------------------------ */

/* A handoff as governance sees it. A text that is "" is not known, and rules that need it do not
 * run. */
struct bt_governed_edge {
    const struct bt_doc *document;
    const bt_value *handoff; /* the member `handoff`, an object */
    bt_str source;
    bt_str target;
    bt_str version;
};

/* Add TARGET_NOT_FOUND, TARGET_REFUSES_SOURCE, TARGET_NOT_PROVIDED, TARGET_REQUIRES_MISSING and
 * TARGET_INCOMPATIBLE. */
BT_API BT_MUST_USE enum bt_status bt_catalogue_govern(const struct bt_catalogue *catalogue,
                                                      const struct bt_governed_edge *edge,
                                                      struct bt_findings *findings);

/* ---- Discovery ------------------------------------------------------------------------------- */

/* Whether work of `source` was once handed to `target` and finished there. */
typedef bool bt_succeeded_fn(void *context, bt_str source, bt_str target);

struct bt_discovery {
    bt_str source;
    bt_str version;  /* of the sender; "" when it is not known */
    bt_str category; /* "" for none */
    struct bt_texts inputs;
    struct bt_texts chain;
    enum bt_tristate autonomy;
    bool authorized;            /* only those whom the source's provides_to names */
    size_t top;                 /* at most so many; from 1 */
    bt_succeeded_fn *succeeded; /* NULL: there is no history */
    void *context;
};

/* The parts of a score. */
struct bt_score {
    int category;
    int schema;
    int input;
    int success;
    int autonomy;
    int loop;
};

struct bt_candidate {
    const struct bt_skill *skill;
    struct bt_score parts;
    int score;
    enum bt_tristate provided; /* unanswered: the source is not in the catalogue */
    bt_str compatible;
};

/* Find who may take the work, best first, in `arena`. */
BT_API BT_MUST_USE enum bt_status
bt_catalogue_discover(const struct bt_catalogue *catalogue, const struct bt_discovery *wanted,
                      struct bt_arena *arena, const struct bt_candidate **out, size_t *out_count);

/* ---- The registry ---------------------------------------------------------------------------- */

/* What the registry would be after taking in the catalogue. */
struct bt_registry_sync {
    bt_str text; /* of the whole file */
    size_t total;
    struct bt_texts added; /* names from the scan that are new, sorted like the others */
    struct bt_texts updated;
    struct bt_texts kept; /* names that only the registry has */
};

/* Make the new text in `arena`; nothing is written. BT_EINVAL: the registry could not be read, and
 * must not be overwritten. BT_ECORRUPT: the text could not be read back as what it was made of. */
BT_API BT_MUST_USE enum bt_status bt_catalogue_sync(const struct bt_catalogue *catalogue,
                                                    bt_instant now, struct bt_arena *arena,
                                                    struct bt_registry_sync *out);

/* Write the text to the registry's file, as a whole or not at all, and read it back.
 * BT_ECORRUPT: something else stands there now. */
BT_API BT_MUST_USE enum bt_status bt_registry_save(const struct bt_catalogue *catalogue,
                                                   const struct bt_registry_sync *sync,
                                                   struct bt_arena *arena, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
