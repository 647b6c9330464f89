/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts about one comparison. */
#include "evidence/facts.h"

#include <assert.h>

#include "base/hex.h"
#include "json/emit.h"
#include "json/value_pointer.h"

enum bt_evidence_found bt_evidence_output_state(const struct bt_evidence_comparison *comparison,
                                                const struct bt_output_claim *claim)
{
    if (comparison->follow->reading == BT_EVIDENCE_READING_PARTIAL || claim->is_beyond) {
        return BT_EVIDENCE_FOUND_UNDECIDED;
    }
    if (bt_quotation_is_found(&claim->quotation)) {
        return BT_EVIDENCE_FOUND;
    }
    return claim->is_short || comparison->counts.cut > 0 || comparison->counts.opaque > 0 ||
                   comparison->outputs_undecided
               ? BT_EVIDENCE_FOUND_UNDECIDED
               : BT_EVIDENCE_FOUND_NOT;
}

enum bt_evidence_found bt_evidence_file_state(const struct bt_evidence_comparison *comparison,
                                              const struct bt_file_claim *claim)
{
    if (comparison->follow->reading == BT_EVIDENCE_READING_PARTIAL) {
        return BT_EVIDENCE_FOUND_UNDECIDED;
    }
    if (claim->is_touched) {
        return BT_EVIDENCE_FOUND;
    }
    return comparison->counts.writing > 0 || comparison->counts.opaque > 0
               ? BT_EVIDENCE_FOUND_UNDECIDED
               : BT_EVIDENCE_FOUND_NOT;
}

static enum bt_status put_pointer(const struct bt_evidence_comparison *comparison,
                                  struct bt_emit *emit, const bt_json_value *value)
{
    bt_str pointer;
    BT_TRY(bt_json_value_pointer(comparison->view->document, value, comparison->view->arena,
                                 &pointer));
    bt_emit_member_string(emit, "pointer", pointer);
    return BT_OK;
}

static enum bt_status put_commands(const struct bt_evidence_comparison *comparison,
                                   struct bt_emit *emit)
{
    bt_emit_member_array(emit, "claims");
    for (size_t i = 0; i < comparison->claims.commands.count; i++) {
        const struct bt_command_claim *claim = &comparison->claims.commands.items[i];
        const bool is_known = claim->call && claim->call->reason == BT_CALL_EXIT_KNOWN &&
                              claim->state != BT_CLAIM_RAN;
        bt_emit_begin_object(emit);
        BT_TRY(put_pointer(comparison, emit, claim->value));
        bt_emit_member_string(emit, "state", bt_claim_state_name(claim->state));
        bt_emit_member_u64_or_null(emit, "call", claim->call != NULL,
                                   claim->call ? claim->call->number : 0);
        bt_emit_member_u64_or_null(emit, "line", claim->call != NULL,
                                   claim->call ? claim->call->line : 0);
        bt_emit_name(emit, "exit");
        if (is_known) {
            bt_emit_i64(emit, claim->call->exit);
        } else {
            bt_emit_null(emit);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_found(const struct bt_evidence_comparison *comparison,
                                struct bt_emit *emit)
{
    static const bt_str outputs[] = {BT_STR_INIT("undecided"), BT_STR_INIT("found"),
                                     BT_STR_INIT("missing")};
    static const bt_str files[] = {BT_STR_INIT("undecided"), BT_STR_INIT("touched"),
                                   BT_STR_INIT("untouched")};
    bt_emit_member_array(emit, "outputs");
    for (size_t i = 0; i < comparison->claims.outputs.count; i++) {
        const struct bt_output_claim *claim = &comparison->claims.outputs.items[i];
        bt_emit_begin_object(emit);
        BT_TRY(put_pointer(comparison, emit, claim->value));
        bt_emit_member_string(emit, "state", outputs[bt_evidence_output_state(comparison, claim)]);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "files");
    for (size_t i = 0; i < comparison->claims.files.count; i++) {
        const struct bt_file_claim *claim = &comparison->claims.files.items[i];
        bt_emit_begin_object(emit);
        BT_TRY(put_pointer(comparison, emit, claim->value));
        bt_emit_member_string(emit, "state", files[bt_evidence_file_state(comparison, claim)]);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

struct bt_evidence_agreement bt_evidence_count_claims(const struct bt_claims *claims)
{
    size_t counts[BT_CLAIM__MAX] = {0};
    for (size_t i = 0; i < claims->commands.count; i++) {
        counts[claims->commands.items[i].state]++;
    }
    return (struct bt_evidence_agreement){.confirmed = counts[BT_CLAIM_CONFIRMED],
                                          .ran = counts[BT_CLAIM_RAN],
                                          .failed = counts[BT_CLAIM_FAILED],
                                          .not_run = counts[BT_CLAIM_NOT_RUN] +
                                                     counts[BT_CLAIM_OTHER_ARGUMENTS],
                                          .undecided = counts[BT_CLAIM_UNDECIDED]};
}

void bt_evidence_put_agreement(const struct bt_evidence_agreement *agreement, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "agreement");
    bt_emit_member_u64(emit, "confirmed", agreement->confirmed);
    bt_emit_member_u64(emit, "ran", agreement->ran);
    bt_emit_member_u64(emit, "failed", agreement->failed);
    bt_emit_member_u64(emit, "not_run", agreement->not_run);
    bt_emit_member_u64(emit, "undecided", agreement->undecided);
    bt_emit_end(emit);
}

static enum bt_status put_all(const struct bt_evidence_comparison *comparison, struct bt_emit *emit)
{
    const struct bt_evidence_follow *follow = comparison->follow;
    const struct bt_transcript_state *state = &follow->state;
    const bt_str mode = bt_evidence_mode_name(comparison->evidence->mode);
    bt_emit_member_string(emit, "transcript", bt_evidence_reading_name(follow->reading));
    if (follow->reading < BT_EVIDENCE_READING_PARTIAL) {
        bt_emit_member_string(emit, "mode", mode);
        return BT_OK;
    }
    char hex[BT_SHA256_HEX_BYTES] = "";
    bt_hex_put(state->sha256, sizeof(state->sha256), hex);
    bt_emit_member_string(emit, "format", bt_transcript_format_name(state->format));
    bt_emit_member_string(emit, "sha256", (bt_str){hex, BT_SHA256_HEX_BYTES - 1});
    bt_emit_member_u64(emit, "from", state->from);
    bt_emit_member_u64(emit, "to", state->to);
    bt_emit_member_u64(emit, "lines", state->lines);
    bt_emit_member_u64(emit, "calls", follow->index.calls.count);
    bt_emit_member_u64(emit, "commands", comparison->counts.commands);
    bt_emit_member_u64(emit, "edits", comparison->counts.edits);
    bt_emit_member_u64(emit, "opaque", comparison->counts.opaque);
    bt_emit_member_string(emit, "mode", mode);
    BT_TRY(put_commands(comparison, emit));
    BT_TRY(put_found(comparison, emit));
    bt_emit_member_u64_or_null(emit, "last_edit", comparison->last_edit > 0, comparison->last_edit);
    bt_emit_member_u64_or_null(emit, "last_command", comparison->last_command > 0,
                               comparison->last_command);
    const struct bt_evidence_agreement agreement = bt_evidence_count_claims(&comparison->claims);
    bt_evidence_put_agreement(&agreement, emit);
    return BT_OK;
}

enum bt_status bt_evidence_write_facts(const struct bt_evidence_comparison *comparison, bt_str *out)
{
    assert(comparison);
    assert(out);
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    return bt_object_text_finish(&text, put_all(comparison, emit), comparison->view->arena, out);
}
