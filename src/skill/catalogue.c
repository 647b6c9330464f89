/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue.c - files and registry -> the skills that count, and questions about them.
 *
 * Of two skills with one name in one folder neither is used, and the name stays taken: neither a
 * later folder nor the registry may fill the gap with something else.
 */
#include <assert.h>
#include <stdlib.h>

#include "skill/skill_internal.h"

static int compare_names(const void *a, const void *b)
{
    const struct bt_skill_file *const *left = a;
    const struct bt_skill_file *const *right = b;
    const int order = bt_skill_name_compare((*left)->skill.name, (*right)->skill.name);
    return order != 0 ? order : (*left < *right ? -1 : 1); /* files stand in order of folders */
}

/* The files whose skill can be read, by name, then by folder and path. */
static enum bt_status sort_files(struct bt_skill_catalogue *catalogue, struct bt_skill_file ***out,
                                 size_t *out_count)
{
    struct bt_skill_file **sorted =
        BT_NEW_ARRAY(catalogue->arena, struct bt_skill_file *, catalogue->file_count);
    size_t count = 0;
    BT_TRY(sorted ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < catalogue->file_count; i++) {
        if (catalogue->files[i].skill.front) {
            sorted[count++] = &catalogue->files[i];
        }
    }
    qsort(sorted, count, sizeof(struct bt_skill_file *), compare_names);
    *out = sorted;
    *out_count = count;
    return BT_OK;
}

static bool is_same(const struct bt_skill_file *a, const struct bt_skill_file *b)
{
    return bt_skill_name_equal(a->skill.name, b->skill.name);
}

/* Mark neighbours that have the same name in the same folder. */
static void mark_duplicates(struct bt_skill_file **files, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (files[i - 1]->folder == files[i]->folder && is_same(files[i - 1], files[i])) {
            files[i - 1]->duplicate = files[i - 1]->duplicate ? files[i - 1]->duplicate : files[i];
            files[i]->duplicate = files[i - 1];
        }
    }
}

/* Merge the two sorted lists of names: files, of which the first of a name counts, and entries. */
static enum bt_status take_skills(struct bt_skill_catalogue *catalogue,
                                  struct bt_skill_file **files, size_t count)
{
    const struct bt_skill_registry *registry = &catalogue->registry;
    const struct bt_skill **skills =
        BT_NEW_ARRAY(catalogue->arena, const struct bt_skill *, count + registry->entry_count);
    size_t entry = 0;
    BT_TRY(skills ? BT_OK : BT_ENOMEM);
    catalogue->skills = skills;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && is_same(files[i - 1], files[i])) {
            continue;
        }
        const bt_str name = files[i]->skill.name;
        for (; entry < registry->entry_count &&
               bt_skill_name_compare(registry->entries[entry].name, name) < 0;
             entry++) {
            skills[catalogue->skill_count++] = &registry->entries[entry];
        }
        const bool has_entry = entry < registry->entry_count &&
                               bt_skill_name_equal(registry->entries[entry].name, name);
        if (has_entry) {
            bt_skill_merge(&files[i]->skill, &registry->entries[entry++]);
        }
        if (!files[i]->duplicate) {
            skills[catalogue->skill_count++] = &files[i]->skill;
        }
    }
    while (entry < registry->entry_count) {
        skills[catalogue->skill_count++] = &registry->entries[entry++];
    }
    return BT_OK;
}

static int compare_skills(const void *a, const void *b)
{
    const struct bt_skill *const *left = a;
    const struct bt_skill *const *right = b;
    return bt_str_compare((*left)->name, (*right)->name);
}

static enum bt_status list_discoverable(struct bt_skill_catalogue *catalogue)
{
    catalogue->discoverable =
        BT_NEW_ARRAY(catalogue->arena, const struct bt_skill *, catalogue->skill_count);
    BT_TRY(catalogue->discoverable ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < catalogue->skill_count; i++) {
        if (catalogue->skills[i]->is_discoverable) {
            catalogue->discoverable[catalogue->discoverable_count++] = catalogue->skills[i];
        }
    }
    qsort(catalogue->discoverable, catalogue->discoverable_count, sizeof(struct bt_skill *),
          compare_skills);
    return BT_OK;
}

enum bt_status bt_skill_catalogue_build(struct bt_skill_catalogue *catalogue)
{
    struct bt_skill_file **files = NULL;
    size_t count = 0;
    for (size_t i = 0; i < catalogue->file_count; i++) {
        BT_TRY(bt_skill_file_read(catalogue->arena, &catalogue->files[i]));
    }
    BT_TRY(sort_files(catalogue, &files, &count));
    mark_duplicates(files, count);
    BT_TRY(take_skills(catalogue, files, count));
    return list_discoverable(catalogue);
}

enum bt_status bt_skill_catalogue_open(struct bt_arena *arena,
                                       const struct bt_skill_catalogue_options *options,
                                       const struct bt_skill_catalogue **out,
                                       struct bt_error *error)
{
    assert(arena);
    assert(options);
    assert(out);
    struct bt_skill_catalogue *catalogue = BT_NEW(arena, struct bt_skill_catalogue);
    if (!catalogue) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    catalogue->arena = arena;
    enum bt_status status = bt_skill_scan(arena, options, catalogue, error);
    if (status == BT_OK && options->registry.len > 0) {
        status = bt_skill_registry_open(arena, options->registry, &catalogue->registry, error);
    }
    if (status != BT_OK) {
        return status;
    }
    status = bt_skill_catalogue_build(catalogue);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    *out = catalogue;
    return BT_OK;
}

size_t bt_skill_catalogue_count(const struct bt_skill_catalogue *catalogue)
{
    return catalogue->discoverable_count;
}

const struct bt_skill *bt_skill_catalogue_at(const struct bt_skill_catalogue *catalogue,
                                             size_t index)
{
    assert(index < catalogue->discoverable_count);
    return catalogue->discoverable[index];
}

bool bt_skill_catalogue_has_unreadable_registry(const struct bt_skill_catalogue *catalogue)
{
    return catalogue->registry.problem.len > 0;
}

const struct bt_skill *bt_skill_catalogue_find(const struct bt_skill_catalogue *catalogue,
                                               bt_str name)
{
    size_t low = 0;
    size_t high = catalogue->skill_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = bt_skill_name_compare(catalogue->skills[middle]->name, name);
        if (order == 0) {
            return catalogue->skills[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}
