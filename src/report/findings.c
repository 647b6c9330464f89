/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - the list of findings about one document, growing in an arena.
 */
#include "report/findings.h"

#include <assert.h>
#include <string.h>

#include "base/vec.h"
#include "report/add.h"

struct bt_findings *bt_findings_new(struct bt_arena *arena)
{
    assert(arena);
    struct bt_findings *findings = BT_NEW(arena, struct bt_findings);
    if (findings) {
        findings->arena = arena;
    }
    return findings;
}

struct bt_arena *bt_findings_arena(struct bt_findings *findings)
{
    assert(findings);
    return findings->arena;
}

struct bt_finding bt_finding_from_rule(const struct bt_rule *rule)
{
    assert(rule);
    return (struct bt_finding){
        .rule = rule,
        .code = rule->id,
        .severity = rule->severity,
        .fix = rule->fix,
        .security = rule->security,
        .pointer = BT_STR(""),
        .offset = BT_OFFSET_NONE,
        .message = rule->meaning,
        .hint = BT_STR(""),
    };
}

/* Thousands of findings of one rule say the same hint: the copy before is used again. */
static enum bt_status copy_or_share(struct bt_findings *findings, bt_str text, bt_str before,
                                    bt_str *out)
{
    if (text.len == 0) {
        *out = BT_STR("");
        return BT_OK;
    }
    if (bt_str_eq(text, before)) {
        *out = before;
        return BT_OK;
    }
    return bt_arena_copy(findings->arena, text, out);
}

enum bt_status bt_findings_add(struct bt_findings *findings, const struct bt_finding *finding)
{
    assert(findings);
    assert(!findings->finished);
    assert(finding);
    assert(finding->rule);
    assert(finding->severity != BT_SEVERITY_NONE);
    bool is_kept = true;
    if (findings->code_max > 0) {
        BT_TRY(bt_findings_take_code(findings, finding->rule->id, &is_kept));
    }
    if (!is_kept) {
        return BT_OK;
    }
    BT_TRY(bt_vec_reserve(findings->arena, findings, 1));
    struct bt_finding *copy = BT_NEW(findings->arena, struct bt_finding);
    if (!copy) {
        return BT_ENOMEM;
    }
    *copy = *finding;
    copy->position = (struct bt_position){0};
    const struct bt_finding none = {0};
    const struct bt_finding *before =
        findings->count > 0 ? findings->items[findings->count - 1] : &none;
    BT_TRY(copy_or_share(findings, finding->pointer, before->pointer, &copy->pointer));
    BT_TRY(copy_or_share(findings, finding->message, before->message, &copy->message));
    BT_TRY(copy_or_share(findings, finding->hint, before->hint, &copy->hint));
    BT_TRY(finding->arg_count > 0 ? bt_finding_copy_args(copy, findings->arena) : BT_OK);
    findings->items[findings->count++] = copy;
    return BT_OK;
}

enum bt_status bt_findings_copy(const struct bt_findings *findings, struct bt_arena *arena,
                                struct bt_findings **out)
{
    assert(findings);
    assert(findings->finished);
    assert(out);
    struct bt_findings *copy = bt_findings_new(arena);
    BT_TRY(copy ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < findings->count; i++) {
        BT_TRY(bt_findings_add(copy, findings->items[i]));
        copy->items[i]->position = findings->items[i]->position;
    }
    copy->finished = true;
    *out = copy;
    return BT_OK;
}

size_t bt_findings_count(const struct bt_findings *findings)
{
    assert(findings);
    return findings->count;
}

const struct bt_finding *bt_findings_at(const struct bt_findings *findings, size_t index)
{
    assert(findings);
    assert(index < findings->count);
    return findings->items[index];
}

bool bt_findings_have_hard(const struct bt_findings *findings, size_t from)
{
    assert(findings);
    for (size_t i = from; i < findings->count; i++) {
        if (findings->items[i]->severity == BT_SEVERITY_HARD) {
            return true;
        }
    }
    return false;
}
