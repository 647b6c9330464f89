/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_decide.c - the order of the steps within the transaction.
 */
#include <assert.h>

#include "decide/governed_decide.h"
#include "json/emit.h"
#include "report/rules.h"

/* Finish the findings, and set the verdict. */
static enum bt_status build_decision(struct bt_governed_submission *item)
{
    struct bt_governed_check *check = &item->check;
    const bool is_handoff = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF;
    bt_str facts;
    BT_TRY(bt_governed_check_facts(check, &facts));
    BT_TRY(bt_findings_finish(check->findings, item->document.text));
    item->decision = (struct bt_governed_decision){
        .judged = {.path = item->document.path,
                   .dialect = is_handoff ? BT_DIALECT_GOVERNED : BT_DIALECT_RESPONSE,
                   .source = item->document.text,
                   .verdict = bt_verdict_of(check->findings, BT_SEVERITY_HARD),
                   .findings = check->findings,
                   .facts = facts,
                   .extra_members = BT_STR(""),
                   .identity = item->identity},
        .response = BT_STR(""),
        .handoff_id = item->handoff_id,
        .pattern = check->pattern,
    };
    for (size_t i = 0; i < bt_findings_count(check->findings); i++) {
        item->decision.is_flagged =
            item->decision.is_flagged || bt_findings_at(check->findings, i)->security;
    }
    if (is_handoff && item->decision.judged.verdict == BT_VERDICT_ACCEPTED) {
        const struct bt_governed_agent *target =
            &check->governed_root.agents[check->parties[1].agent];
        item->decision.target = target->id;
        item->decision.target_type = bt_governed_agent_type_name(target->type);
        item->decision.target_version = target->version;
    }
    return BT_OK;
}

/* The submission was opened before the transaction began, and may have waited for it. */
static bool is_current(const struct bt_governed_submission *item)
{
    const size_t agents[2] = {item->check.parties[0].agent, item->check.parties[1].agent};
    return bt_governed_root_is_current(&item->check.governed_root, agents, item->check.party_count);
}

static bt_str source_pointer(const struct bt_governed_submission *item)
{
    return item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF ? BT_STR("/source_agent/agent_id")
                                                                 : BT_STR("/agent/agent_id");
}

/* True when the caller may represent the source. */
static bool can_represent_source(const struct bt_governed_submission *item)
{
    const struct bt_governed_input *document = &item->document;
    const bt_str source = bt_governed_check_text(&item->check, source_pointer(item));
    for (size_t i = 0; i < document->speaker_count; i++) {
        if (bt_str_eq(document->speakers[i], source)) {
            return true;
        }
    }
    return document->speaker_count == 0;
}

/* Replace everything that was found after the stage schema by one finding. */
static enum bt_status refuse_stranger(struct bt_governed_submission *item)
{
    struct bt_governed_check *check = &item->check;
    const struct bt_findings *found = check->findings;
    struct bt_findings *kept = bt_findings_new(item->arena);
    if (!kept) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(found); i++) {
        if (bt_findings_at(found, i)->rule->stage <= BT_STAGE_SCHEMA) {
            BT_TRY(bt_findings_add(kept, bt_findings_at(found, i)));
        }
    }
    check->findings = kept;
    BT_TRY(bt_add_governed_agent_binding_mismatch(
        kept, bt_governed_locate(check, source_pointer(item)),
        bt_str_slice(bt_governed_check_text(check, source_pointer(item)), 0, 200)));
    return build_decision(item);
}

static enum bt_status check_case(const struct bt_governed_decision_state *deciding,
                                 struct bt_governed_submission *item)
{
    struct bt_governed_check *check = &item->check;
    if (item->is_decided || !is_current(item)) {
        BT_TRY(bt_governed_submission_read(item));
    }
    item->is_decided = true;
    item->block_count = 0;
    if (!can_represent_source(item)) {
        return refuse_stranger(item);
    }
    if (check->governed_root.count > 0) {
        BT_TRY(bt_agent_blocks_mark(deciding, &check->governed_root));
    }
    BT_TRY(bt_governed_check_finish(check));
    if (check->matches_schema) {
        BT_TRY(bt_agent_blocks_add_findings(deciding, item));
    }
    BT_TRY(bt_governed_submission_record_rules(deciding, item));
    bt_agent_blocks_collect(item);
    return build_decision(item);
}

static uint32_t attest_of(const struct bt_governed_check *check)
{
    static const uint32_t bits[BT_GOVERNED_CLAIM__MAX] = {
        [BT_SOURCE_VERIFIED] = BT_ATTESTATION_SOURCE_AGENT,
        [BT_TARGET_VERIFIED] = BT_ATTESTATION_TARGET_AGENT,
        [BT_COMPOSITION_VALID] = BT_ATTESTATION_COMPOSITION,
        [BT_BOUNDARIES_RESPECTED] = BT_ATTESTATION_BOUNDARIES,
    };
    uint32_t attest = BT_ATTESTATION_PRESENT;
    for (size_t i = 0; i < BT_GOVERNED_CLAIM__MAX; i++) {
        attest |= check->verified[i] == BT_GOVERNED_FACT_TRUE ? bits[i] : 0;
    }
    return check->kind == BT_GOVERNED_HANDOFF ? attest : 0;
}

/* The digests of the files that judged it, the handoff it answers, and the given refs. */
static enum bt_status put_refs(struct bt_governed_submission *item, size_t *out_count)
{
    const struct bt_governed_root *governed_root = &item->check.governed_root;
    const bool is_handoff = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF;
    struct bt_entry_ref *refs = item->refs;
    size_t count = 0;
    if (is_handoff && governed_root->lock.file.sha256[0]) {
        refs[count++] =
            (struct bt_entry_ref){BT_STR("lock"), bt_str_of(governed_root->lock.file.sha256)};
    }
    if (is_handoff && governed_root->manifest.file.sha256[0]) {
        refs[count++] = (struct bt_entry_ref){BT_STR("manifest"),
                                              bt_str_of(governed_root->manifest.file.sha256)};
    }
    if (item->linked.is_known) {
        refs[count].name = BT_STR("parent");
        BT_TRY(bt_arena_printf(item->arena, &refs[count].value, "%llu",
                               (unsigned long long)item->linked.seq));
        count++;
    }
    for (size_t i = 0; i < item->given_ref_count && count < BT_GOVERNED_REFS_MAX; i++) {
        refs[count++] = item->given_refs[i];
    }
    *out_count = count;
    return BT_OK;
}

static enum bt_status add_entry(struct bt_governed_decision_state *deciding,
                                struct bt_governed_submission *item)
{
    const bool is_handoff = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF;
    struct bt_submission *submission = item->submission;
    struct bt_submission_entry *entry = &submission->entry;
    *submission->judged = item->decision.judged;
    submission->fail_level = 0;
    entry->dialect = BT_DIALECT_GOVERNED;
    entry->handoff_id = item->id;
    entry->id_pointer = BT_STR("");
    entry->trace_id = BT_STR("");
    entry->source = bt_governed_check_text(&item->check, source_pointer(item));
    entry->target = is_handoff
                        ? bt_governed_check_text(&item->check, BT_STR("/target_agent/agent_id"))
                        : BT_STR("");
    entry->attestation = attest_of(&item->check);
    entry->refs = item->refs;
    BT_TRY(put_refs(item, &entry->ref_count));
    BT_TRY(bt_ledger_transaction_add_submission(deciding->recording, submission, deciding->error));
    item->decision.judged = *submission->judged;
    return BT_OK;
}

/* An accepted handoff waits for its response; a final response closes it. */
static enum bt_status put_rows(struct bt_governed_decision_state *deciding,
                               const struct bt_governed_submission *item)
{
    const struct bt_governed_check *check = &item->check;
    const uint64_t seq = item->submission->seq;
    if (item->decision.judged.verdict != BT_VERDICT_ACCEPTED) {
        return BT_OK;
    }
    if (item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF) {
        const struct bt_governed_accepted_row opened = {
            .seq = seq,
            .target = check->parties[1].id,
            .request_type = bt_governed_check_text(check, BT_STR("/context/request/type")),
            .timestamp = bt_governed_check_text(check, BT_STR("/timestamp")),
            .closed_seq = BT_STORE_NONE,
        };
        return bt_governed_accepted_row_put(deciding, item->handoff_id, &opened, seq);
    }
    const bool is_partial =
        bt_str_eq(bt_governed_check_text(check, BT_STR("/response/status")), BT_STR("partial"));
    struct bt_governed_accepted_row answered = item->linked;
    answered.closed_seq = is_partial ? answered.closed_seq : seq;
    return bt_governed_accepted_row_put(deciding, item->handoff_id, &answered, seq);
}

static enum bt_status decide_one(struct bt_governed_decision_state *deciding,
                                 struct bt_governed_submission *item)
{
    BT_TRY(check_case(deciding, item));
    if (item->submission->mode != BT_SUBMIT_DRY_RUN) {
        BT_TRY(add_entry(deciding, item));
        BT_TRY(bt_agent_blocks_emit(deciding, item));
        BT_TRY(put_rows(deciding, item));
    }
    if (item->decision.judged.verdict == BT_VERDICT_ACCEPTED) {
        return BT_OK;
    }
    item->decision.primary = bt_governed_submission_primary(item->check.findings);
    return item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF
               ? bt_governed_submission_refuse(deciding, item)
               : BT_OK;
}

static void put_blocks(const struct bt_governed_submission *item, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < item->block_count; i++) {
        bt_emit_string(&emit, item->check.governed_root.agents[item->blocks[i]].id);
    }
    bt_emit_end(&emit);
}

/* The agents that it blocks, and its response. */
static void put_answers(const struct bt_governed_submission *item, struct bt_buf *buf)
{
    bt_buf_put_text(buf, "\"blocks\":");
    put_blocks(item, buf);
    if (item->decision.response.len > 0) {
        bt_buf_put_text(buf, ",\"response\":");
        bt_buf_put(buf, item->decision.response);
    }
}

static struct bt_governed_decision_state begin_decision(const struct bt_governed_state *govern,
                                                        struct bt_ledger_transaction *recording,
                                                        struct bt_error *error)
{
    struct bt_governed_decision_state deciding = {
        .govern = govern,
        .store = recording->ledger->store,
        .recording = recording,
        .at = bt_env_now(govern->env),
        .error = error,
    };
    bt_instant second = deciding.at;
    second.nanos = 0;
    (void)bt_instant_format(second, deciding.now);
    (void)bt_error_set(error, BT_ENOMEM, "%s",
                       bt_status_text(BT_ENOMEM)); /* until another error is set */
    return deciding;
}

/* Remember what the submission said before the decision first changed it. */
static void take_submission(struct bt_governed_submission *item, struct bt_submission *submission)
{
    if (!item->submission) {
        item->given_refs = submission->entry.refs;
        item->given_ref_count = submission->entry.ref_count;
    }
    item->submission = submission;
}

enum bt_status bt_governed_decide(struct bt_submission *submission,
                                  struct bt_ledger_transaction *recording, struct bt_error *error)
{
    assert(submission);
    assert(recording);
    struct bt_governed_submission *item = submission->decision;
    const struct bt_governed_state govern = {.ledger = recording->ledger,
                                             .env = item->check.governed->env,
                                             .arena = item->arena,
                                             .actor = submission->entry.actor};
    struct bt_governed_decision_state deciding = begin_decision(&govern, recording, error);
    struct bt_buf buf;
    take_submission(item, submission);
    BT_TRY(decide_one(&deciding, item));
    *submission->judged = item->decision.judged;
    bt_buf_init(&buf, SIZE_MAX);
    put_answers(item, &buf);
    return bt_buf_finish(&buf, item->arena, &submission->judged->extra_members);
}
