/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts of the report. */
#include "dialect/universal/chain_budget.h"
#include "dialect/universal/revision.h"

#include "json/emit.h"

static void put_stages(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "stages");
    for (unsigned stage = BT_STAGE_READ; stage <= BT_STAGE_GOVERNANCE; stage++) {
        const bool run = (handoff->stages.run >> stage & 1) != 0;
        const bool failed = (handoff->stages.failed >> stage & 1) != 0;
        if (!run && (!handoff->document ||
                     (stage == BT_STAGE_GOVERNANCE && !handoff->options->catalogue))) {
            continue;
        }
        bt_emit_name_str(emit, bt_stage_name((enum bt_stage)stage));
        bt_emit_string(emit, !run     ? BT_STR("skipped")
                             : failed ? BT_STR("failed")
                                      : BT_STR("passed"));
    }
    bt_emit_end(emit);
}

static void put_tokens(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "tokens");
    bt_emit_member_string(emit, "encoding", bt_encoding_name(handoff->tokens.encoding));
    bt_emit_member_u64_or_null(emit, "exact", handoff->tokens.encoding != BT_ENCODING_CHARS4,
                               handoff->tokens.count);
    bt_emit_member_u64(emit, "estimate", handoff->tokens.estimate);
    bt_emit_member_u64(emit, "bytes", handoff->text.len);
    bt_emit_member_u64(emit, "budget", handoff->options->budget);
    const bt_json_value *declared =
        bt_json_get(handoff->document, handoff->parts.meta, BT_STR("token_count"));
    uint64_t number = 0;
    const bool is_known = declared && bt_universal_check_integer(handoff, declared, &number);
    bt_emit_member_u64_or_null(emit, "declared", is_known, number);
    bt_emit_member_object(emit, "sections");
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        bt_emit_name_str(emit, bt_universal_section_name((enum bt_universal_section)i));
        bt_emit_u64(emit, handoff->tokens.sections[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_chain(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    if (handoff->chain.names) {
        bt_emit_member_texts(emit, "chain", handoff->chain.names, handoff->chain.count);
    } else {
        bt_emit_member_null(emit, "chain");
    }
}

static void put_payload(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    static const bt_str states[] = {
        [BT_UNIVERSAL_SEAL_NONE] = BT_STR_INIT("no"),
        [BT_UNIVERSAL_SEAL_TRUE] = BT_STR_INIT("yes"),
        [BT_UNIVERSAL_SEAL_BROKEN] = BT_STR_INIT("broken"),
    };
    if (!handoff->parts.payload) {
        return;
    }
    bt_emit_member_object(emit, "payload");
    bt_emit_member_u64(emit, "bytes", handoff->seal.info.bytes);
    bt_emit_member_string(emit, "sha256", bt_str_of(handoff->seal.info.hash));
    bt_emit_member_string(emit, "sealed", states[handoff->seal.state]);
    bt_emit_end(emit);
}

static void put_files(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    if (!handoff->options->no_refs) {
        bt_emit_member_object(emit, "refs");
        bt_emit_member_u64(emit, "checked", handoff->files.refs_checked);
        bt_emit_member_u64(emit, "missing", handoff->files.refs_missing);
        bt_emit_member_u64(emit, "ephemeral", handoff->files.refs_ephemeral);
        bt_emit_end(emit);
    }
    if (handoff->options->verify_artifacts) {
        bt_emit_member_object(emit, "artifacts");
        bt_emit_member_u64(emit, "checked", handoff->files.artifacts_checked);
        bt_emit_member_u64(emit, "missing", handoff->files.artifacts_missing);
        bt_emit_end(emit);
    }
}

static void put_expiry(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    static const bt_str states[] = {
        [BT_UNIVERSAL_EXPIRY_UNKNOWN] = BT_STR_INIT(""),
        [BT_UNIVERSAL_EXPIRY_NONE] = BT_STR_INIT("none"),
        [BT_UNIVERSAL_EXPIRY_VALID] = BT_STR_INIT("valid"),
        [BT_UNIVERSAL_EXPIRY_EXPIRED] = BT_STR_INIT("expired"),
    };
    bt_emit_member_string_or_null(emit, "expiry", states[handoff->times.expiry]);
}

enum bt_status bt_universal_check_put_facts(const struct bt_universal_check *handoff,
                                            const struct bt_json_doc *changes, struct bt_emit *emit)
{
    put_stages(handoff, emit);
    if ((handoff->stages.run >> BT_STAGE_BUDGET & 1) != 0) {
        put_tokens(handoff, emit);
    }
    if ((handoff->stages.run >> BT_STAGE_SEMANTICS & 1) != 0) {
        put_chain(handoff, emit);
        put_payload(handoff, emit);
        put_files(handoff, emit);
        put_expiry(handoff, emit);
        bt_emit_member_string(emit, "approval",
                              handoff->approved ? BT_STR("asserted") : BT_STR("none"));
    }
    if (changes) {
        bt_emit_name(emit, "changes");
        bt_emit_value(emit);
        BT_TRY(bt_json_write(emit->buf, changes, bt_json_root(changes), BT_JSON_FORM_COMPACT,
                             handoff->arena, NULL));
    }
    bt_universal_put_chain_budget(handoff, emit);
    return BT_OK;
}

enum bt_status bt_universal_check_facts(const struct bt_universal_check *handoff,
                                        const struct bt_json_doc *changes, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    return bt_object_text_finish(&text, bt_universal_check_put_facts(handoff, changes, emit),
                                 handoff->arena, out);
}
