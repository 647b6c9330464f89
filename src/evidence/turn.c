/* SPDX-License-Identifier: Apache-2.0 */
/* turn.c - the evidence of one turn, in the transaction of its decision. */
#include "evidence/turn.h"

#include <assert.h>

#include "base/hex.h"
#include "decide/contract_decide.h"
#include "evidence/facts.h"
#include "json/emit.h"
#include "report/findings.h"
#include "report/rules.h"

void bt_evidence_turn_init(struct bt_evidence_turn *turn, const struct bt_contract_state *state,
                           const struct bt_evidence *evidence)
{
    assert(turn);
    assert(state);
    assert(evidence);
    *turn = (struct bt_evidence_turn){.state = state, .evidence = *evidence};
    turn->usage = (struct bt_evidence_usage){.cost = BT_STR(""), .currency = BT_STR("")};
    bt_evidence_follow_init(&turn->follow, evidence->env, &turn->evidence.source);
    turn->evidence.follow = &turn->follow;
}

void bt_evidence_turn_free(struct bt_evidence_turn *turn)
{
    assert(turn);
    bt_evidence_follow_free(&turn->follow);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static enum bt_status read_on(struct bt_evidence_turn *turn)
{
    BT_TRY(bt_evidence_follow_open(&turn->follow, &turn->kept));
    return bt_evidence_follow_read(&turn->follow);
}

enum bt_status bt_evidence_turn_read(struct bt_evidence_turn *turn, struct bt_error *error)
{
    assert(turn);
    const struct bt_contract_state *state = turn->state;
    BT_TRY(bt_evidence_kept_load(state->ledger, state->arena, &turn->key, &turn->kept, error));
    return read_on(turn);
}

enum bt_status bt_evidence_turn_refresh(struct bt_evidence_turn *turn, struct bt_error *error)
{
    assert(turn);
    const struct bt_contract_state *state = turn->state;
    struct bt_evidence_kept now;
    BT_TRY(bt_evidence_kept_load(state->ledger, state->arena, &turn->key, &now, error));
    if (bt_evidence_kept_is_equal(&now, &turn->kept)) {
        return BT_OK;
    }
    turn->kept = now;
    bt_evidence_follow_free(&turn->follow);
    bt_evidence_follow_init(&turn->follow, turn->evidence.env, &turn->evidence.source);
    return read_on(turn);
}

/* ---- The record ------------------------------------------------------------------------------ */

/* Put the codes of evidence that were found, sorted, each once. */
static void put_codes(struct bt_emit *emit, const struct bt_findings *findings)
{
    static const enum bt_code codes[] = {
        BT_CODE_EVIDENCE_EXIT_UNKNOWN,   BT_CODE_EVIDENCE_FAILED,  BT_CODE_EVIDENCE_FILE_UNDECLARED,
        BT_CODE_EVIDENCE_FILE_UNTOUCHED, BT_CODE_EVIDENCE_NOT_RUN, BT_CODE_EVIDENCE_OUTPUT,
        BT_CODE_EVIDENCE_STALE};
    bt_emit_member_array(emit, "codes");
    for (size_t i = 0; i < BT_COUNT_OF(codes); i++) {
        if (bt_findings_count_of_code(findings, codes[i]) > 0) {
            bt_emit_string(emit, bt_code_name(codes[i]));
        }
    }
    bt_emit_end(emit);
}

static void put_transcript(struct bt_emit *emit, const struct bt_evidence_follow *follow)
{
    const struct bt_transcript_state *state = &follow->state;
    const bool is_known = follow->reading >= BT_EVIDENCE_READING_PARTIAL;
    char hex[BT_SHA256_HEX_BYTES] = "";
    bt_hex_put(state->sha256, sizeof(state->sha256), hex);
    bt_emit_member_object(emit, "transcript");
    bt_emit_member_string_or_null(emit, "format",
                                  is_known ? bt_transcript_format_name(state->format) : BT_STR(""));
    bt_emit_member_u64_or_null(emit, "from", is_known, state->from);
    bt_emit_member_string_or_null(emit, "sha256",
                                  is_known ? (bt_str){hex, BT_SHA256_HEX_BYTES - 1} : BT_STR(""));
    bt_emit_member_string(emit, "state", bt_evidence_reading_name(follow->reading));
    bt_emit_member_u64_or_null(emit, "to", is_known, state->to);
    bt_emit_end(emit);
}

/* The members come in the order of RFC 8785, and every value is of plain ASCII. */
static enum bt_status put_record(struct bt_emit *emit, const struct bt_evidence_turn *turn,
                                 bt_str agent, const struct bt_findings *findings)
{
    const struct bt_evidence *evidence = &turn->evidence;
    bt_emit_member_string(emit, "agent", agent);
    if (evidence->is_compared) {
        bt_evidence_put_agreement(&evidence->agreement, emit);
    } else {
        bt_emit_member_null(emit, "agreement");
    }
    bt_emit_member_u64(emit, "baton_evidence", 1);
    put_codes(emit, findings);
    put_transcript(emit, &turn->follow);
    bt_emit_member_object(emit, "usage");
    bt_emit_member_string_or_null(emit, "cost", turn->usage.cost);
    bt_emit_member_string_or_null(emit, "currency", turn->usage.currency);
    bt_emit_member_u64_or_null(emit, "tokens", turn->usage.has_tokens, turn->usage.tokens);
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status bt_evidence_add_entry(const struct bt_contract_state *state,
                                     struct bt_ledger_transaction *transaction,
                                     const struct bt_evidence_entry *made, uint64_t *out_seq,
                                     struct bt_error *error)
{
    struct bt_ledger_record recorded;
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_entry *entry = bt_contract_add_entry(state, "raw");
    BT_TRY(entry ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_sha256_hex(made->document, digest));
    entry->dialect = BT_STR("raw");
    entry->refs.parent = made->parent;
    entry->refs.agent = made->agent;
    entry->refs.reason = bt_str_of(made->reason);
    entry->document.size = made->document.len;
    entry->document.truncated = made->is_truncated ? BT_TRUE : BT_ABSENT;
    BT_TRY(bt_arena_copy(transaction->arena, bt_str_of(digest), &entry->document.sha256));
    BT_TRY(bt_ledger_transaction_add_entry(
        transaction, entry, made->is_truncated ? NULL : &made->document, &recorded, error));
    *out_seq = recorded.entry.seq;
    return BT_OK;
}

/* Add the bytes of the slice. A slice that is gone from the file by now is left out. */
static enum bt_status add_slice(struct bt_evidence_turn *turn,
                                struct bt_ledger_transaction *transaction,
                                struct bt_evidence_entry made, struct bt_error *error)
{
    const struct bt_transcript_state *state = &turn->follow.state;
    struct bt_buf buf;
    uint64_t seq = 0;
    if (!turn->keeps_slice || turn->follow.reading < BT_EVIDENCE_READING_PARTIAL ||
        state->to == state->from) {
        return BT_OK;
    }
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = bt_transcript_copy(turn->follow.reader, state->from, state->to, &buf);
    made.reason = "transcript";
    made.document = bt_buf_str(&buf);
    made.is_truncated = buf.len > turn->slice_bytes_max;
    status = status == BT_OK ? bt_evidence_add_entry(turn->state, transaction, &made, &seq, error)
                             : status;
    bt_buf_free(&buf);
    return status == BT_EIO && !bt_findings_count(turn->state->alarms) ? BT_OK : status;
}

enum bt_status bt_evidence_turn_record(struct bt_evidence_turn *turn,
                                       struct bt_ledger_transaction *transaction, uint64_t parent,
                                       bt_str agent_id, const struct bt_findings *findings,
                                       struct bt_error *error)
{
    assert(turn);
    assert(transaction);
    struct bt_evidence_entry made = {.parent = parent, .reason = "evidence"};
    struct bt_object_text text;
    struct bt_evidence_kept kept;
    bool is_put = false;
    uint64_t seq = 0;
    BT_TRY(bt_contract_agent_ref(transaction->arena, agent_id, &made.agent));
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    BT_TRY(bt_object_text_finish(&text, put_record(emit, turn, made.agent, findings),
                                 transaction->arena, &made.document));
    BT_TRY(bt_evidence_add_entry(turn->state, transaction, &made, &seq, error));
    BT_TRY(add_slice(turn, transaction, made, error));
    const enum bt_status status = bt_evidence_follow_keep(&turn->follow, true, &kept);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    return bt_evidence_kept_put(transaction, &turn->key, &turn->kept, &kept, &is_put, error);
}

enum bt_status bt_evidence_turn_keep(struct bt_evidence_turn *turn, struct bt_error *error)
{
    assert(turn);
    struct bt_evidence_kept kept;
    bool is_put = false;
    const enum bt_status status = bt_evidence_follow_keep(&turn->follow, false, &kept);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    return bt_evidence_kept_save(turn->state, &turn->key, &turn->kept, &kept, &is_put, error);
}
