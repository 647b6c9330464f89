/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - what was left out of the catalogue and why, for users of the catalogue. */
#include <assert.h>

#include "report/rules.h"
#include "skill/lint.h"

/* Line and column for a message. */
struct skill_report_place {
    uint64_t line;
    uint64_t column;
};

static struct skill_report_place place_of(bt_str text, size_t offset)
{
    const struct bt_position position = bt_position_at(text, offset);
    return (struct skill_report_place){position.line, position.column};
}

enum bt_status bt_skill_add_duplicate(struct bt_findings *findings,
                                      const struct bt_skill_file *file, size_t offset)
{
    return bt_add_skill_duplicate_name(findings, bt_location_pointer(BT_STR("/name"), offset),
                                       file->skill.name, file->path, file->duplicate->path);
}

enum bt_status bt_skill_add_unreadable(struct bt_findings *findings,
                                       const struct bt_skill_file *file, size_t offset)
{
    const bool is_placed = file->problem_at != BT_OFFSET_NONE && file->text.len > 0;
    const struct skill_report_place place = place_of(file->text, is_placed ? file->problem_at : 0);
    return bt_add_skill_unreadable(findings, bt_location_pointer(BT_STR(""), offset), file->path,
                                   file->problem, is_placed ? &place.line : NULL,
                                   is_placed ? &place.column : NULL);
}

enum bt_status bt_skill_add_registry(struct bt_findings *findings,
                                     const struct bt_skill_registry *registry, size_t offset)
{
    const bool is_placed = registry->problem_at != BT_OFFSET_NONE;
    const struct skill_report_place place =
        place_of(registry->text, is_placed ? registry->problem_at : 0);
    return bt_add_registry_unreadable(
        findings, bt_location_pointer(BT_STR(""), offset), registry->path, registry->problem,
        is_placed ? &place.line : NULL, is_placed ? &place.column : NULL);
}

enum bt_status bt_skill_catalogue_add_findings(const struct bt_skill_catalogue *catalogue,
                                               struct bt_findings *findings)
{
    assert(catalogue);
    assert(findings);
    for (size_t i = 0; i < catalogue->file_count; i++) {
        const struct bt_skill_file *file = &catalogue->files[i];
        if (file->duplicate) {
            BT_TRY(bt_skill_add_duplicate(findings, file, BT_OFFSET_NONE));
        } else if (!file->is_misnamed && !file->skill.front) {
            BT_TRY(bt_skill_add_unreadable(findings, file, BT_OFFSET_NONE));
        }
    }
    return catalogue->registry.problem.len == 0
               ? BT_OK
               : bt_skill_add_registry(findings, &catalogue->registry, BT_OFFSET_NONE);
}
