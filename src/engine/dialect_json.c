/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_json.c - plain JSON, judged by the read stage alone.
 */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "engine/dialect.h"
#include "report/json_rules.h"

enum bt_status bt_json_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_findings *findings = judging->findings;
    const bt_str content = judging->content;
    struct bt_arena *arena = bt_findings_arena(findings);
    const struct bt_json_options options = bt_json_options_from_env(judging->env);
    struct bt_json_read_result read;
    /* from: caller */
    BT_TRY(bt_json_read(arena, content, &options, &read));
    if (!read.document) {
        BT_TRY(bt_findings_add_json(findings, &read, content));
        return bt_arena_printf(arena, out_facts, "{\"bytes\":%zu}", content.len);
    }
    BT_TRY(bt_findings_add_lone(findings, read.document));
    return bt_arena_printf(arena, out_facts, "{\"bytes\":%zu,\"nodes\":%" PRIu64 "}", content.len,
                           bt_json_node_count(read.document));
}
