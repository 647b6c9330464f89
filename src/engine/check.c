/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - the order of the stages, and nothing else.
 *
 *     bytes -> (which dialect?) -> its reader and checks -> findings in order -> verdict
 */
#include <baton/check.h>

#include <assert.h>

#include "engine/dialect.h"

enum bt_status bt_check(struct bt_env *env, struct bt_arena *arena, bt_str path, bt_str content,
                        const struct bt_check_options *options, struct bt_judged *out)
{
    assert(env);
    assert(arena);
    assert(out);
    static const struct bt_check_options by_default = {.fail_level = BT_HARD};
    const struct bt_check_options *wanted = options ? options : &by_default;
    const struct bt_dialect *dialect =
        wanted->dialect ? wanted->dialect : bt_dialect_of(path, content);
    if (!dialect) {
        return BT_ENOENT;
    }
    struct bt_findings *findings = bt_findings_new(arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    bt_str facts = BT_STR("");
    BT_TRY(dialect->judge(env, content, findings, &facts));
    BT_TRY(bt_findings_finish(findings, content));
    const enum bt_severity fail_level = wanted->fail_level ? wanted->fail_level : BT_HARD;
    *out = (struct bt_judged){
        .path = path,
        .dialect = dialect->name,
        .source = content,
        .verdict = bt_verdict_of(findings, fail_level),
        .findings = findings,
        .facts = facts,
    };
    return BT_OK;
}
