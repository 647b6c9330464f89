/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_contract.c - contract blocks, judged by src/dialect/contract.
 */
#include <assert.h>

#include "dialect/contract/envelope.h"
#include "engine/dialect.h"

enum bt_status bt_contract_judge(const struct bt_judging *judging, bt_str *out_facts)
{
    assert(judging);
    assert(out_facts);
    static const struct bt_contract_options defaults = {.host_id = {"", 0}};
    struct bt_contract *contract = NULL;
    BT_TRY(bt_checker_contract(judging->checker, &contract));
    const struct bt_check_options *options = judging->options;
    struct bt_turn turn = {.contract = contract,
                           .options = options->contract ? options->contract : &defaults,
                           .findings = judging->findings,
                           .text = judging->content,
                           .fail_level = options->fail_level};
    if (turn.options->direction == BT_CONTRACT_INPUT) {
        return bt_envelope_judge(&turn, out_facts);
    }
    BT_TRY(bt_turn_judge(&turn));
    BT_TRY(bt_turn_shown(&turn, judging->shown));
    return bt_turn_facts(&turn, NULL, out_facts);
}
