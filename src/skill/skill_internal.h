/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill_internal.h - what a catalogue is made of, for the files of this folder.
 *
 *     folders -> files -> front matter -> skills -> (with the registry) the catalogue
 */
#ifndef BATON_SRC_SKILL_SKILL_INTERNAL_H
#define BATON_SRC_SKILL_SKILL_INTERNAL_H

#include "report/add.h"
#include "skill/skill.h"
#include "yaml/yaml.h"

enum {
    BT_SKILL_BYTES_MAX = 1 << 20,
    BT_REGISTRY_BYTES_MAX = 4 << 20,
};

/* One SKILL.md, and what came of it. */
struct bt_skill_file {
    size_t folder; /* index among the folders */
    bt_str path;   /* FOLDER/name/SKILL.md */
    bt_str text;
    bool is_misnamed;      /* skill.md in other letters: it is told of, never read */
    bt_str problem;        /* why it cannot be used, or "" */
    size_t problem_at;     /* offset in the text, or BT_OFFSET_NONE */
    size_t front_at;       /* offset of the front matter in the text */
    struct bt_skill skill; /* when there is no problem */
    const struct bt_skill_file *duplicate; /* another one of the same name in the same folder */
};

/* The registry file. */
struct bt_skill_registry {
    bt_str path; /* "": there is none */
    bt_str text;
    bool exists;
    bt_str problem; /* why it is ignored, or "" */
    size_t problem_at;
    const struct bt_yaml_node *root; /* a mapping, or NULL */
    const struct bt_skill *entries;  /* sorted by name, as bt_skill_name_compare() does */
    size_t entry_count;
};

struct bt_skill_catalogue {
    struct bt_arena *arena;
    struct bt_skill_file *files; /* by folder, then by path */
    size_t file_count;
    struct bt_skill_registry registry;
    const struct bt_skill **skills; /* usable ones; sorted as bt_skill_name_compare() does */
    size_t skill_count;
    const struct bt_skill **discoverable; /* sorted by name */
    size_t discoverable_count;
};

/* Normalised names in byte order: zero when two names mean one skill. */
int bt_skill_name_compare(bt_str a, bt_str b);
/* White space is U+0009 to U+000D and U+0020. */
bt_str bt_skill_name_trim(bt_str name);

/* Find the files of every folder. */
BT_MUST_USE enum bt_status bt_skill_scan(struct bt_arena *arena,
                                         const struct bt_skill_catalogue_options *options,
                                         struct bt_skill_catalogue *catalogue,
                                         struct bt_error *error);

/* Read the front matter of a file that has a text: its skill, or the problem. */
BT_MUST_USE enum bt_status bt_skill_file_read(struct bt_arena *arena, struct bt_skill_file *file);

/* What a mapping, front matter or an entry of the registry, says of a skill. */
BT_MUST_USE enum bt_status bt_skill_read(struct bt_arena *arena, const struct bt_yaml_node *mapping,
                                         struct bt_skill *out);
/* Fill in from the registry what the front matter does not say. */
void bt_skill_merge(struct bt_skill *skill, const struct bt_skill *entry);

/* The text of a scalar that says something, else "". */
bt_str bt_skill_text(const struct bt_yaml_node *mapping, bt_str key);

/* Read the text of a registry into its entries, or set its problem. */
BT_MUST_USE enum bt_status bt_skill_registry_parse(struct bt_arena *arena,
                                                   struct bt_skill_registry *registry);
/* Read the file, which need not exist. */
BT_MUST_USE enum bt_status bt_skill_registry_open(struct bt_arena *arena, bt_str path,
                                                  struct bt_skill_registry *registry,
                                                  struct bt_error *error);

/* Make skills of files and registry: mark duplicates, apply precedence, merge, sort. */
BT_MUST_USE enum bt_status bt_skill_catalogue_build(struct bt_skill_catalogue *catalogue);

/* ---- Lint ------------------------------------------------------------------------------------ */

struct bt_skill_lint {
    const struct bt_skill_catalogue *catalogue;
    const struct bt_skill_file *file;
    struct bt_findings *findings;
    const struct bt_yaml_node *front;
    const struct bt_yaml_node *handoff; /* may be NULL */
};

/* The node at a pointer of one or two tokens, or NULL. */
const struct bt_yaml_node *bt_skill_lint_node(const struct bt_skill_lint *lint, bt_str pointer);
/* The location of a node of the front matter. */
struct bt_location bt_skill_lint_location(const struct bt_skill_lint *lint, bt_str pointer,
                                          const struct bt_yaml_node *node);
/* The name of the field at a pointer: its last token. */
bt_str bt_skill_lint_field(bt_str pointer);

/* Findings that are also made without lint, which has no offset for them. */
BT_MUST_USE enum bt_status bt_skill_add_duplicate(struct bt_findings *findings,
                                                  const struct bt_skill_file *file, size_t offset);
BT_MUST_USE enum bt_status bt_skill_add_unreadable(struct bt_findings *findings,
                                                   const struct bt_skill_file *file, size_t offset);
BT_MUST_USE enum bt_status bt_skill_add_registry(struct bt_findings *findings,
                                                 const struct bt_skill_registry *registry,
                                                 size_t offset);

/* Judge the items of lists: edges, requirements, categories. */
BT_MUST_USE enum bt_status bt_skill_lint_lists(const struct bt_skill_lint *lint);

/* ---- Writing the registry -------------------------------------------------------------------- */

/* How a field is written. */
enum bt_skill_registry_field_kind {
    BT_AS_IT_IS,
    BT_AS_TEXT,    /* in quotes, whatever it looks like */
    BT_AS_LIST,    /* of texts; one text is a list of one */
    BT_AS_PATH,    /* where the SKILL.md lies */
    BT_AS_HANDOFF, /* the fields below handoff */
};

/* Lists of fields end with an empty key. */
struct bt_skill_registry_field {
    bt_str key;
    enum bt_skill_registry_field_kind shape;
};

/* Put a node on one line, as JSON would write it; scalars that are not strings stay plain. */
void bt_skill_registry_put_node(struct bt_buf *buf, const struct bt_yaml_node *node);

/* Put an entry of `workflows`: what `front` says, what `entry` adds; either may be NULL. `path` is
 * where the SKILL.md lies, or "". */
void bt_skill_registry_put_entry(struct bt_buf *buf, const struct bt_yaml_node *front,
                                 const struct bt_yaml_node *entry, bt_str path);

/* Put the entries of `mapping` (may be NULL) that are not among `known`, one a line. */
void bt_skill_registry_put_others(struct bt_buf *buf, const struct bt_yaml_node *mapping,
                                  const struct bt_skill_registry_field *known, size_t indent);

#endif
