/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made.h - catalogues made of texts, without a file system.
 */
#ifndef BATON_TESTS_CATALOGUE_MADE_H
#define BATON_TESTS_CATALOGUE_MADE_H

#include "skill/skill_internal.h"
#include "test.h"

enum { MADE_BYTES_MAX = 16 << 20 };

/* The skills beside which the examples of the rules stand; see rules.c. */
static const char planner[] = "---\nname: release-planner\nhandoff:\n  accepts_from: [\"*\"]\n"
                              "  provides_to: [patch-builder]\n  schema_version: \"3.0\"\n---\n";
static const char builder[] =
    "---\nname: patch-builder\nhandoff:\n  accepts_from: [release-planner]\n"
    "  schema_version: \"3.0\"\n  requires: [context.original_prompt]\n---\n";
static const char *const companions[] = {
    planner,
    builder,
    "---\nname: old-hand\nhandoff:\n  accepts_handoff: true\n  protocol_version: \"2.0\"\n---\n",
};

/* A catalogue of the companions and, perhaps, one more SKILL.md and a registry. */
static inline enum bt_status make_catalogue(struct bt_arena *arena, bt_str probe, bt_str registry,
                                            struct bt_skill_catalogue *out)
{
    const size_t count = COUNT_OF(companions) + (probe.len > 0);
    *out = (struct bt_skill_catalogue){.arena = arena, .file_count = count};
    out->files = BT_NEW_ARRAY(arena, struct bt_skill_file, count);
    if (!out->files) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const bool is_probe = i == COUNT_OF(companions);
        struct bt_skill_file *file = &out->files[i];
        *file = (struct bt_skill_file){.text = is_probe ? probe : bt_str_of(companions[i]),
                                       .problem_at = BT_OFFSET_NONE};
        BT_TRY(bt_arena_printf(arena, &file->path, "skills/%zu/SKILL.md", i));
    }
    if (registry.len > 0) {
        out->registry = (struct bt_skill_registry){
            .path = BT_STR("registry.yaml"), .text = registry, .problem_at = BT_OFFSET_NONE};
        BT_TRY(bt_skill_registry_parse(arena, &out->registry));
    }
    return bt_skill_catalogue_build(out);
}

#endif
