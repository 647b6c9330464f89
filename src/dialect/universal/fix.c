/* SPDX-License-Identifier: Apache-2.0 */
/* fix.c - check --fix: apply all fixes to a handoff, and judge the result. */
#include <assert.h>

#include "dialect/universal/fix_table.h"
#include "dialect/universal/outcome.h"

/* Mend, judge, report. What cannot be read has nothing that could be mended. */
static enum bt_status fix_document(const struct bt_universal_final_check *ending,
                                   struct bt_universal_revision *revision,
                                   struct bt_findings *notes, enum bt_universal_fix_scope scope,
                                   struct bt_universal_result *out)
{
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_apply_fixes(revision, ending->options, scope, notes));
    BT_TRY(bt_universal_final_check_judge(ending, revision->text, &handoff, out));
    out->outcome = revision->count > 0 ? BT_UNIVERSAL_FIXED : BT_UNIVERSAL_UNCHANGED;
    out->judged.fixed = revision->fixes;
    return bt_universal_check_facts(&handoff, revision, &out->judged.facts);
}

static enum bt_status judge_unreadable(const struct bt_universal_final_check *ending, bt_str text,
                                       struct bt_universal_result *out)
{
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_final_check_judge(ending, text, &handoff, out));
    out->outcome = BT_UNIVERSAL_UNCHANGED;
    return bt_universal_check_facts(&handoff, NULL, &out->judged.facts);
}

enum bt_status bt_universal_fix(struct bt_universal_checker *universal, struct bt_arena *arena,
                                const struct bt_universal_input *input, bool unsafe,
                                struct bt_universal_result *out)
{
    assert(universal);
    assert(input);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    struct bt_findings *notes = bt_findings_new(arena);
    const struct bt_universal_final_check ending = {
        universal, arena, input->path, input->options ? input->options : &defaults, notes};
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_UNCHANGED};
    struct bt_universal_revision revision;
    if (!notes) {
        return BT_ENOMEM;
    }
    enum bt_status status = bt_universal_revision_begin(&revision, universal, arena, input->text);
    if (status == BT_EINVAL) {
        status = judge_unreadable(&ending, input->text, &result);
    } else if (status == BT_OK) {
        status = fix_document(&ending, &revision, notes,
                              unsafe ? BT_UNIVERSAL_FIX_SCOPE_ALL : BT_UNIVERSAL_FIX_SCOPE_SAFE,
                              &result);
        bt_universal_revision_end(&revision);
    }
    if (status == BT_OK) {
        *out = result;
    }
    return status;
}
