/* SPDX-License-Identifier: Apache-2.0 */
/* contract_inputs.c - INPUT envelopes stored for the agents they are meant for. */
#include <assert.h>

#include "decide/contract_decide.h"

static enum bt_status key_of(const struct bt_contract_state *gate,
                             const struct bt_contract_input_owner *owner, bool by_agent,
                             struct bt_context_key *out)
{
    *out = (struct bt_context_key){owner->workspace, BT_SPACE_INPUT, owner->session, BT_STR("")};
    return bt_arena_printf(gate->arena, &out->name, "input/%s/%.*s", by_agent ? "agent" : "type",
                           BT_STR_ARG(by_agent ? owner->agent_id : owner->agent_type));
}

/* An input to be stored. */
struct contract_input_store_state {
    const struct bt_contract_state *gate;
    struct bt_context_key key;
    bt_str input;
};

static enum bt_status store_input(struct bt_ledger_transaction *recording, void *context,
                                  struct bt_error *error)
{
    const struct contract_input_store_state *keeping = context;
    const struct bt_contract_state *gate = keeping->gate;
    bt_str before;
    BT_TRY(
        bt_contract_context_load(gate->ledger->store, gate->arena, &keeping->key, &before, error));
    return bt_str_eq(before, keeping->input)
               ? BT_OK /* nothing to record */
               : bt_contract_context_save(gate, recording, &keeping->key, keeping->input,
                                          BT_SEQ_ABSENT, error);
}

enum bt_status bt_contract_input_store(const struct bt_contract_state *gate,
                                       const struct bt_contract_input_owner *owner, bt_str input,
                                       struct bt_error *error)
{
    assert(gate);
    assert((owner->agent_id.len > 0) != (owner->agent_type.len > 0));
    struct bt_ledger_transaction recording = {
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    struct contract_input_store_state keeping = {.gate = gate, .input = input};
    BT_TRY(key_of(gate, owner, owner->agent_id.len > 0, &keeping.key));
    return bt_ledger_transaction_run(&recording, store_input, &keeping, gate->alarms, error);
}

enum bt_status bt_contract_input_load(const struct bt_contract_state *gate,
                                      const struct bt_contract_input_owner *owner, bt_str *out,
                                      struct bt_error *error)
{
    assert(gate);
    assert(out);
    bt_str found = BT_STR("");
    for (size_t i = 0; i < 4 && found.len == 0; i++) {
        const bool by_agent = i % 2 == 0;
        struct bt_contract_input_owner lookup = *owner;
        lookup.session = i < 2 ? owner->session : BT_STR("");
        if ((by_agent ? owner->agent_id : owner->agent_type).len == 0) {
            continue;
        }
        struct bt_context_key key;
        BT_TRY(key_of(gate, &lookup, by_agent, &key));
        BT_TRY(bt_contract_context_load(gate->ledger->store, gate->arena, &key, &found, error));
    }
    *out = found;
    return BT_OK;
}
