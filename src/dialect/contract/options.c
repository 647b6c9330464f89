/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the settings of a check that people choose by words. */
#include "dialect/contract/contract.h"

#include <assert.h>

static bool *get_agent_ids(struct bt_contract_options *options)
{
    return &options->any_agent_ids;
}

static bool *get_transitions(struct bt_contract_options *options)
{
    return &options->strict_transitions;
}

static bool *get_off_list(struct bt_contract_options *options)
{
    return &options->rejects_off_list;
}

static bool *get_approval_ids(struct bt_contract_options *options)
{
    return &options->own_approval_ids;
}

const struct bt_contract_setting bt_contract_settings[BT_CONTRACT_SETTINGS] = {
    {"agent_ids", {"host", "any"}, get_agent_ids},
    {"transitions", {"warn", "strict"}, get_transitions},
    {"off_list", {"drop", "reject"}, get_off_list},
    {"approval_ids", {"any", "own"}, get_approval_ids},
};

bool bt_contract_options_set(struct bt_contract_options *options, bt_str name, bt_str word)
{
    assert(options);
    for (size_t i = 0; i < BT_CONTRACT_SETTINGS; i++) {
        const struct bt_contract_setting *setting = &bt_contract_settings[i];
        const bool is_second = bt_str_eq(word, bt_str_of(setting->words[1]));
        if (!bt_str_eq(name, bt_str_of(setting->name))) {
            continue;
        }
        if (!is_second && !bt_str_eq(word, bt_str_of(setting->words[0]))) {
            return false;
        }
        *setting->member(options) = is_second;
        return true;
    }
    return false;
}
