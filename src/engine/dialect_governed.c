/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_governed.c - governed handoffs and responses, judged by src/dialect/governed.
 */
#include <assert.h>

#include "dialect/governed/verify.h"
#include "engine/dialect.h"

static enum bt_status judge(const struct bt_judging *judging, enum bt_governed_kind kind,
                            bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    const struct bt_governed_options defaults = bt_governed_options_default();
    const struct bt_governed_options *options = judging->options->governed;
    struct bt_ruling ruling = {.options = options ? options : &defaults,
                               .kind = kind,
                               .findings = judging->findings,
                               .text = judging->content};
    BT_TRY(bt_checker_governed(judging->checker, &ruling.governed));
    BT_TRY(bt_ruling_judge(&ruling));
    return bt_ruling_facts(&ruling, out_facts);
}

enum bt_status bt_governed_judge(const struct bt_judging *judging, bt_str *out_facts)
{
    return judge(judging, BT_GOVERNED_HANDOFF, out_facts);
}

enum bt_status bt_response_judge(const struct bt_judging *judging, bt_str *out_facts)
{
    return judge(judging, BT_GOVERNED_RESPONSE, out_facts);
}

static enum bt_status judge_file(const struct bt_judging *judging, enum bt_governed_kind kind,
                                 bt_str *out_facts)
{
    struct bt_governed *governed = NULL;
    BT_TRY(bt_checker_governed(judging->checker, &governed));
    return bt_rootfile_judge(governed, kind, judging->content, judging->findings, out_facts);
}

enum bt_status bt_manifest_check(const struct bt_judging *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_MANIFEST, out_facts);
}

enum bt_status bt_lock_check(const struct bt_judging *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_LOCK, out_facts);
}

enum bt_status bt_boundaries_check(const struct bt_judging *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_BOUNDARIES, out_facts);
}

enum bt_status bt_prompt_check(const struct bt_judging *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_KIND__MAX, out_facts);
}
