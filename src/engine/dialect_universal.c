/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_universal.c - universal handoffs, judged by src/dialect/universal.
 */
#include <assert.h>

#include "dialect/universal/universal_check.h"
#include "engine/dialect.h"

enum bt_status bt_universal_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_universal_checker *universal = NULL;
    BT_TRY(bt_checker_universal(judging->checker, &universal));
    const struct bt_universal_options defaults = bt_universal_checker_options_default();
    const struct bt_universal_options *options =
        judging->options->universal ? judging->options->universal : &defaults;
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_check_judge(universal, judging->content, options, judging->findings,
                                    &handoff));
    *judging->document = handoff.document;
    return bt_universal_check_facts(&handoff, NULL, out_facts);
}
