/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_governed.c - governed handoffs and responses, judged by src/dialect/governed.
 */
#include <assert.h>

#include "dialect/governed/verify.h"
#include "engine/dialect.h"

static enum bt_status judge_governed(const struct bt_judge_input *judging,
                                     enum bt_governed_kind kind, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    const struct bt_governed_options defaults = bt_governed_checker_options_default();
    const struct bt_governed_options *options = judging->options->governed;
    struct bt_governed_check check = {.options = options ? options : &defaults,
                                      .kind = kind,
                                      .findings = judging->findings,
                                      .text = judging->content};
    BT_TRY(bt_checker_governed(judging->checker, &check.governed));
    BT_TRY(bt_governed_check_judge(&check));
    return bt_governed_check_facts(&check, out_facts);
}

enum bt_status bt_governed_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    return judge_governed(judging, BT_GOVERNED_HANDOFF, out_facts);
}

enum bt_status bt_governed_judge_response(const struct bt_judge_input *judging, bt_str *out_facts)
{
    return judge_governed(judging, BT_GOVERNED_RESPONSE, out_facts);
}

static enum bt_status judge_file(const struct bt_judge_input *judging, enum bt_governed_kind kind,
                                 bt_str *out_facts)
{
    struct bt_governed_checker *governed = NULL;
    BT_TRY(bt_checker_governed(judging->checker, &governed));
    return bt_governed_file_judge(governed, kind, judging->content, judging->findings, out_facts);
}

enum bt_status bt_governed_judge_manifest(const struct bt_judge_input *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_MANIFEST, out_facts);
}

enum bt_status bt_governed_judge_lock(const struct bt_judge_input *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_LOCK, out_facts);
}

enum bt_status bt_governed_judge_boundaries(const struct bt_judge_input *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_BOUNDARIES, out_facts);
}

enum bt_status bt_governed_judge_prompt(const struct bt_judge_input *judging, bt_str *out_facts)
{
    return judge_file(judging, BT_GOVERNED_KIND__MAX, out_facts);
}
