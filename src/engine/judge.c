/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the judge of each row: its options and its part of the checker, handed to the folder of
 * the dialect.
 */
#include "engine/dialect.h"

#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "dialect/contract/contract_check.h"
#include "dialect/governed/verify.h"
#include "dialect/plan/plan_check.h"
#include "dialect/universal/universal_check.h"
#include "dialect/xml/message_check.h"
#include "json/options.h"
#include "report/json_rules.h"

static void skip_check(const struct bt_judge_input *judging, enum bt_skipped skipped,
                       bool is_skipped)
{
    *judging->skipped |= is_skipped ? 1U << skipped : 0;
}

enum bt_status bt_json_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_findings *findings = judging->findings;
    const bt_str content = judging->content;
    struct bt_arena *arena = bt_findings_arena(findings);
    const struct bt_json_options options = bt_json_options_from_env(judging->env);
    struct bt_json_read_result read = {0};
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

enum bt_status bt_plan_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_check plan;
    BT_TRY(bt_checker_plan(judging->checker, &plans));
    bt_plan_begin(&plan, plans, judging->options->plan, judging->findings);
    BT_TRY(bt_plan_judge(&plan, judging->content));
    skip_check(judging, BT_SKIPPED_SCHEMAS, !plan.options.dir && plan.refs.schemas_count > 0);
    return bt_plan_facts(&plan, NULL, 0, out_facts);
}

enum bt_status bt_universal_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_universal_checker *universal = NULL;
    BT_TRY(bt_checker_universal(judging->checker, &universal));
    const struct bt_universal_options *options = judging->options->universal;
    struct bt_universal_options defaults;
    if (!options) {
        defaults = bt_universal_options_default();
        options = &defaults;
    }
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_check_judge(universal, judging->content, options, judging->findings,
                                    &handoff));
    *judging->document = handoff.document;
    bt_universal_check_identify(&handoff, judging->identity);
    *judging->tokens = handoff.tokens.encoding == BT_ENCODING_CHARS4 ? 0 : handoff.tokens.count;
    skip_check(judging, BT_SKIPPED_AFTER_FAIL_FAST, handoff.stages.has_stopped);
    skip_check(judging, BT_SKIPPED_SKILLS, !options->catalogue);
    skip_check(judging, BT_SKIPPED_REFERENCES, options->no_refs);
    skip_check(judging, BT_SKIPPED_ARTIFACTS, handoff.stages.skips_artifacts);
#if !defined(BT_PROFILE_CORE)
    if (options->no_facts) {
        return BT_OK;
    }
#endif
    return bt_universal_check_facts(&handoff, NULL, out_facts);
}

enum bt_status bt_contract_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    static const struct bt_contract_options contract_defaults = {.runtime_agent_id = {"", 0}};
    struct bt_contract_checker *contract = NULL;
    BT_TRY(bt_checker_contract(judging->checker, &contract));
    const struct bt_check_options *options = judging->options;
    struct bt_contract_check turn = {.contract = contract,
                                     .options =
                                         options->contract ? options->contract : &contract_defaults,
                                     .findings = judging->findings,
                                     .text = judging->content,
                                     .fail_level = options->fail_level};
    if (turn.options->direction == BT_CONTRACT_INPUT) {
        return bt_contract_judge_input(&turn, out_facts);
    }
    skip_check(judging, BT_SKIPPED_INPUT, !turn.options->input);
    skip_check(judging, BT_SKIPPED_AGENT_ID, turn.options->runtime_agent_id.len == 0);
    skip_check(judging, BT_SKIPPED_STATE, true);
    BT_TRY(bt_contract_check_judge(&turn));
    judging->identity->source = turn.agent_id;
    BT_TRY(bt_contract_check_excerpt_text(&turn, judging->excerpt_text));
    return bt_contract_check_facts(&turn, NULL, out_facts);
}

static const struct bt_message_options message_defaults = {.client = {"", 0}};

enum bt_status bt_message_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    struct bt_message_check message = {.env = judging->env,
                                       .options = judging->options->xml ? judging->options->xml
                                                                        : &message_defaults,
                                       .findings = judging->findings,
                                       .text = judging->content};
    skip_check(judging, BT_SKIPPED_ORGANISM, !message.options->organism);
    BT_TRY(bt_message_check_judge(&message));
    bt_message_check_identify(&message, judging->identity);
    return bt_message_check_facts(&message, NULL, out_facts);
}

enum bt_status bt_governed_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    const struct bt_governed_options defaults = bt_governed_options_default();
    const struct bt_governed_options *options = judging->options->governed;
    struct bt_governed_check check = {.options = options ? options : &defaults,
                                      .kind = judging->row->governed_kind,
                                      .findings = judging->findings,
                                      .text = judging->content};
    const bool is_response = check.kind == BT_GOVERNED_RESPONSE;
    skip_check(judging, BT_SKIPPED_GOVERNANCE, !check.options->dir);
    skip_check(judging, is_response ? BT_SKIPPED_RESPONSE_RECORD : BT_SKIPPED_RECORD, true);
    BT_TRY(bt_checker_governed(judging->checker, &check.governed));
    BT_TRY(bt_governed_check_judge(&check));
    bt_governed_check_identify_document(&check, judging->identity);
    return bt_governed_check_facts(&check, out_facts);
}

enum bt_status bt_governed_judge_file(const struct bt_judge_input *judging, bt_str *out_facts)
{
    struct bt_governed_checker *governed = NULL;
    skip_check(judging, BT_SKIPPED_ROOT, true);
    BT_TRY(bt_checker_governed(judging->checker, &governed));
    return bt_governed_file_judge(governed, judging->row->governed_kind, judging->content,
                                  judging->findings, out_facts);
}
