/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_contract.c - contract blocks, judged by src/dialect/contract.
 */
#include <assert.h>

#include "dialect/contract/envelope.h"
#include "engine/dialect.h"

enum bt_status bt_contract_judge_document(const struct bt_judge_input *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    static const struct bt_contract_options defaults = {.runtime_agent_id = {"", 0}};
    struct bt_contract_checker *contract = NULL;
    BT_TRY(bt_checker_contract(judging->checker, &contract));
    const struct bt_check_options *options = judging->options;
    struct bt_contract_check turn = {.contract = contract,
                                     .options = options->contract ? options->contract : &defaults,
                                     .findings = judging->findings,
                                     .text = judging->content,
                                     .fail_level = options->fail_level};
    if (turn.options->direction == BT_CONTRACT_INPUT) {
        return bt_contract_judge_input(&turn, out_facts);
    }
    BT_TRY(bt_contract_check_judge(&turn));
    BT_TRY(bt_contract_check_excerpt_text(&turn, judging->excerpt_text));
    return bt_contract_check_facts(&turn, NULL, out_facts);
}
