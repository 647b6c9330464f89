/* SPDX-License-Identifier: Apache-2.0 */
/* append_gate.c - contract submissions with the default options of `contract submit`. */
#include "append_gate.h"

#include "print.h"
#include "workspace.h"

/* Make the names, the checker and the state once. */
static enum bt_status make_ready(struct cli_append_gate *gate, struct cli_ledger_run *run,
                                 bt_str actor)
{
    if (gate->contract) {
        return BT_OK;
    }
    gate->workspace = bt_config_text(run->options->config, "contract.workspace");
    if (gate->workspace.len == 0) {
        const char *root = cli_given(run->options, &flag_store_root);
        BT_TRY(cli_workspace(&run->arena, root, &gate->workspace));
    }
    BT_TRY(bt_contract_checker_create(&run->env, &gate->contract));
    gate->gate = (struct bt_contract_state){.ledger = run->ledger,
                                            .contract = gate->contract,
                                            .arena = &run->arena,
                                            .actor = actor,
                                            .alarms = run->alarms};
    return BT_OK;
}

static enum bt_status prepare_item(struct cli_append_gate *gate, struct cli_ledger_run *run,
                                   const struct cli_input *message, struct bt_submission *item)
{
    struct bt_contract_document *document = BT_NEW(&run->arena, struct bt_contract_document);
    struct bt_gate_append *append = BT_NEW(&run->arena, struct bt_gate_append);
    if (!document || !append) {
        return BT_ENOMEM;
    }
    *document =
        (struct bt_contract_document){message->path, message->content, &gate->flags.options};
    append->gate = &gate->gate;
    append->submission = (struct bt_contract_submission){
        .document = document,
        .workspace = gate->workspace,
        .session = BT_STR("default"),
        .max_rejections = bt_config_u64(run->options->config, "contract.max_rejections"),
        .pending_seconds = bt_config_seconds(run->options->config, "approvals.pending_ttl"),
    };
    bt_contract_state_prepare(append, item);
    return BT_OK;
}

bool append_gate_add(struct cli_append_gate *gate, struct cli_ledger_run *run,
                     const struct cli_input *message, struct bt_submission *item)
{
    enum bt_status status = make_ready(gate, run, item->actor);
    if (status == BT_OK &&
        !cli_contract_options(run->options, &run->env, &run->arena, &gate->flags)) {
        return false;
    }
    status = status == BT_OK ? prepare_item(gate, run, message, item) : status;
    if (status != BT_OK) {
        cli_print_error("cannot judge %.*s: %s", BT_STR_ARG(message->path), bt_status_text(status));
    }
    return status == BT_OK;
}

void append_gate_end(struct cli_append_gate *gate)
{
    bt_contract_checker_destroy(gate->contract);
}
