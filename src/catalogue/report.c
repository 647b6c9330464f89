/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - what was left out of the catalogue and why, for whoever only wants to use it.
 */
#include <assert.h>

#include "catalogue/lint.h"

void bt_lint_put_registry(struct bt_remark *remark, const struct bt_registry *registry)
{
    bt_put_quoted(&remark->message, registry->path);
    bt_buf_put_text(&remark->message, " is ignored: ");
    bt_buf_put_visible(&remark->message, registry->problem, 400);
    if (registry->problem_at != BT_NO_OFFSET) {
        const struct bt_place place = bt_place_of(registry->text, registry->problem_at);
        bt_buf_printf(&remark->message, " (line %u, column %u)", place.line, place.column);
    }
    bt_emit_member_string(&remark->emit, "path", registry->path);
    bt_emit_member_string(&remark->emit, "reason", registry->problem);
    remark->finding.hint = BT_STR("edit the file");
}

static enum bt_status report_file(const struct bt_skill_file *file, struct bt_findings *findings)
{
    struct bt_remark remark;
    if (file->is_misnamed || (file->skill.front && !file->twin)) {
        return BT_OK;
    }
    bt_remark_begin(&remark,
                    bt_catalogue_rule(file->twin ? "SKILL_DUPLICATE_NAME" : "SKILL_UNREADABLE"));
    if (file->twin) {
        bt_buf_put_text(&remark.pointer, "/name");
        bt_lint_put_twin(&remark, file);
    } else {
        bt_lint_put_unreadable(&remark, file);
    }
    return bt_remark_end(&remark, findings);
}

enum bt_status bt_catalogue_report(const struct bt_catalogue *catalogue,
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
    struct bt_remark remark;
    bt_remark_begin(&remark, bt_catalogue_rule("REGISTRY_UNREADABLE"));
    bt_lint_put_registry(&remark, &catalogue->registry);
    return bt_remark_end(&remark, findings);
}
