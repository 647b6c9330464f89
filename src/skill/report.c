/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - what was left out of the catalogue and why, for users of the catalogue. */
#include <assert.h>

#include "skill/lint.h"

void bt_skill_lint_add_registry(struct bt_finding_builder *remark,
                                const struct bt_skill_registry *registry)
{
    bt_buf_put_quoted(&remark->message, registry->path);
    bt_buf_put_text(&remark->message, " is ignored: ");
    bt_buf_put_printable(&remark->message, registry->problem, 400);
    if (registry->problem_at != BT_OFFSET_NONE) {
        const struct bt_position place = bt_position_at(registry->text, registry->problem_at);
        bt_buf_printf(&remark->message, " (line %u, column %u)", place.line, place.column);
    }
    bt_emit_member_string(&remark->emit, "path", registry->path);
    bt_emit_member_string(&remark->emit, "reason", registry->problem);
    remark->finding.hint = BT_STR("edit the file");
}

static enum bt_status report_file(const struct bt_skill_file *file, struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    if (file->is_misnamed || (file->skill.front && !file->duplicate)) {
        return BT_OK;
    }
    bt_finding_builder_begin(
        &remark,
        bt_skill_catalogue_rule(file->duplicate ? "SKILL_DUPLICATE_NAME" : "SKILL_UNREADABLE"));
    if (file->duplicate) {
        bt_buf_put_text(&remark.pointer, "/name");
        bt_skill_lint_add_duplicate(&remark, file);
    } else {
        bt_skill_lint_add_unreadable(&remark, file);
    }
    return bt_finding_builder_end(&remark, findings);
}

enum bt_status bt_skill_catalogue_add_findings(const struct bt_skill_catalogue *catalogue,
                                               struct bt_findings *findings)
{
    assert(catalogue);
    assert(findings);
    for (size_t i = 0; i < catalogue->file_count; i++) {
        BT_TRY(report_file(&catalogue->files[i], findings));
    }
    if (catalogue->registry.problem.len == 0) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_skill_catalogue_rule("REGISTRY_UNREADABLE"));
    bt_skill_lint_add_registry(&remark, &catalogue->registry);
    return bt_finding_builder_end(&remark, findings);
}
