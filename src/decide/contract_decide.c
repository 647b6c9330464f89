/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_decide.c - the order of the steps.
 */
#include <assert.h>

#include "decide/contract_decide.h"

void bt_contract_transaction_time(const struct bt_contract_state *gate,
                                  char out[BT_INSTANT_TEXT_BYTES])
{
    bt_instant now = bt_env_now(gate->contract->env);
    now.nanos = 0;
    (void)bt_instant_format(now, out);
}

struct bt_entry *bt_contract_add_entry(const struct bt_contract_state *gate, const char *kind)
{
    struct bt_entry *entry = BT_NEW(gate->arena, struct bt_entry);
    if (entry) {
        bt_entry_init(entry);
        entry->actor = gate->actor;
        entry->kind = bt_str_of(kind);
        entry->dialect = BT_STR("baton");
        entry->verdict = BT_STR("recorded");
    }
    return entry;
}

/* The INPUT that counts: the stored one, or that of the options. */
static enum bt_status find_input(struct bt_contract_decision_state *gating)
{
    const struct bt_contract_submission *submission = gating->submission;
    bt_str text;
    gating->options = *submission->document->options;
    if (!submission->input_owner) {
        return BT_OK;
    }
    BT_TRY(bt_contract_input_load(&gating->gate, submission->input_owner, &text, gating->error));
    if (text.len > 0) {
        BT_TRY(bt_contract_input_read(gating->gate.contract, gating->arena, text, &gating->input,
                                      gating->error));
        gating->options.input = &gating->input;
    }
    return BT_OK;
}

static enum bt_status check_block(struct bt_contract_decision_state *gating)
{
    gating->turn = (struct bt_contract_check){.contract = gating->gate.contract,
                                              .options = &gating->options,
                                              .findings = bt_findings_new(gating->arena),
                                              .text = gating->submission->document->text,
                                              .wants_edits = true};
    if (!gating->turn.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_contract_check_judge(&gating->turn));
    const bt_str host_id = gating->options.runtime_agent_id;
    const bt_str claimed = gating->turn.agent_id;
    gating->out.agent_id = host_id.len > 0 ? host_id : claimed.len > 0 ? claimed : BT_AGENT_NOBODY;
    gating->before = (struct bt_contract_agent){.workspace = gating->submission->workspace,
                                                .session = gating->submission->session,
                                                .agent_id = gating->out.agent_id};
    return BT_OK;
}

/* Compare with the stored state, and reach a verdict. */
static enum bt_status apply_stored_state(struct bt_contract_decision_state *gating)
{
    const struct bt_contract_attempt limit = {.limit = gating->submission->max_rejections};
    struct bt_contract_attempt attempt = limit;
    bt_str repair;
    BT_TRY(bt_contract_agent_load(gating->store, gating->arena, &gating->before, gating->error));
    BT_TRY(bt_contract_decide_transition(gating));
    BT_TRY(bt_contract_decide_approval(gating));
    BT_TRY(bt_contract_decide_sections(gating));
    BT_TRY(bt_contract_decide_rejections(gating));
    BT_TRY(bt_contract_check_finish(&gating->turn, gating->submission->document->path, NULL,
                                    gating->item->judged));
    attempt.number = gating->out.attempt;
    return bt_contract_check_write_repair(&gating->turn, attempt, &gating->out.prompt, &repair);
}

static enum bt_status add_handoff(struct bt_contract_decision_state *gating)
{
    const struct bt_contract_check *turn = &gating->turn;
    struct bt_submission *item = gating->item;
    const bt_json_value *id = turn->document ? bt_json_resolve(turn->document, turn->root,
                                                               BT_STR("/agent_status/agent_id"))
                                             : NULL;
    if (id && bt_json_type(id) == BT_JSON_STRING && bt_json_text(id).len > 0) {
        item->entry.source = bt_json_text(id);
    } else if (turn->agent_id.len > 0) {
        item->entry.source = turn->agent_id; /* the host's id, which was filled in */
    }
    item->fail_level = BT_SEVERITY_HARD;
    BT_TRY(bt_ledger_transaction_add_submission(gating->recording, item, gating->error));
    if (gating->out.outcome == BT_CONTRACT_OUTCOME_ACCEPTED &&
        item->judged->verdict != BT_VERDICT_ACCEPTED) {
        gating->out.outcome =
            BT_CONTRACT_OUTCOME_RETRY; /* its id was used before: nothing is applied */
        gating->after = gating->before;
    }
    return BT_OK;
}

/* Write everything that the decision changes besides the log. */
static enum bt_status put_rows(struct bt_contract_decision_state *gating, uint64_t seq)
{
    BT_TRY(bt_contract_agent_save(gating->store, &gating->after, seq, gating->error));
    if (gating->out.outcome != BT_CONTRACT_OUTCOME_ACCEPTED) {
        return BT_OK;
    }
    BT_TRY(bt_contract_decide_save_sections(gating, seq));
    BT_TRY(bt_contract_decide_save_approval(gating, seq));
    if (gating->turn.options->runtime_agent_id.len > 0) {
        return BT_OK;
    }
    struct bt_contract_agent unnamed = gating->after;
    unnamed.agent_id = BT_AGENT_NOBODY;
    return bt_contract_agent_delete(gating->store, &unnamed, gating->error);
}

static enum bt_status decide_block(struct bt_contract_decision_state *gating)
{
    const enum bt_submit_mode mode = gating->item->mode;
    BT_TRY(find_input(gating));
    BT_TRY(check_block(gating));
    if (mode == BT_SUBMIT_RECORD) { /* an observer ends nothing */
        BT_TRY(bt_approval_list_expire(&gating->gate, gating->recording, gating->error));
    }
    BT_TRY(apply_stored_state(gating));
    if (mode != BT_SUBMIT_DRY_RUN) {
        BT_TRY(add_handoff(gating));
    }
    if (mode == BT_SUBMIT_RECORD) {
        BT_TRY(put_rows(gating, gating->item->seq));
    }
    return bt_contract_decide_describe(gating);
}

enum bt_status bt_contract_decide(struct bt_submission *item,
                                  struct bt_ledger_transaction *recording, struct bt_error *error)
{
    assert(item);
    assert(recording);
    struct bt_contract_submission *submission = item->decision;
    assert(submission->document->options);
    assert(submission->max_rejections > 0);
    struct bt_contract_decision_state *gating =
        BT_NEW(item->arena, struct bt_contract_decision_state);
    if (!gating) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    gating->gate = *submission->state;
    gating->gate.ledger = recording->ledger; /* the writer may use another handle */
    gating->gate.arena = item->arena;
    gating->submission = submission;
    gating->store = recording->ledger->store;
    gating->arena = item->arena;
    gating->error = error;
    gating->recording = recording;
    gating->item = item;
    bt_contract_transaction_time(&gating->gate, gating->now);
    BT_TRY(decide_block(gating));
    submission->out = gating->out;
    return BT_OK;
}
