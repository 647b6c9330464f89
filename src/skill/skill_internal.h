/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill_internal.h - what a catalogue is made of, for the files of this folder.
 *
 *     folders -> files -> front matter -> skills -> (with the registry) the catalogue
 */
#ifndef BATON_SRC_SKILL_SKILL_INTERNAL_H
#define BATON_SRC_SKILL_SKILL_INTERNAL_H

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

#endif
