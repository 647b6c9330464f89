/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_config.c - baton.yaml as a document to be judged.
 */
#include <assert.h>

#include <baton/config.h>

#include "engine/dialect.h"

enum bt_status bt_config_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    const struct bt_config_source source = {
        .path = BT_STR(""), .text = judging->content, .store = BT_STR("")};
    const struct bt_config *config = NULL;
    *out_facts = BT_STR("{}");
    return bt_config_read(bt_findings_arena(judging->findings), &source, judging->findings,
                          &config);
}
