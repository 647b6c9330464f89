/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts of the report. */
#include <assert.h>

#include "dialect/universal/chain_budget.h"
#include "dialect/universal/revision.h"

#include "json/emit.h"

/* The facts of every handoff have the same names, so these are put with what stands around them. */
static void put_number(struct bt_buf *buf, bt_str before, uint64_t number)
{
    bt_buf_put(buf, before);
    bt_buf_put_u64(buf, number);
}

static void put_string(struct bt_buf *buf, bt_str before, bt_str text)
{
    bt_buf_put(buf, before);
    bt_json_put_string(buf, text);
}

static void put_stages(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    static const bt_str names[] = {
        [BT_STAGE_READ] = BT_STR_INIT("\"stages\":{\"read\":"),
        [BT_STAGE_SCHEMA] = BT_STR_INIT(",\"schema\":"),
        [BT_STAGE_BUDGET] = BT_STR_INIT(",\"budget\":"),
        [BT_STAGE_SEMANTICS] = BT_STR_INIT(",\"semantics\":"),
        [BT_STAGE_GOVERNANCE] = BT_STR_INIT(",\"governance\":"),
    };
    assert((handoff->stages.run >> BT_STAGE_READ & 1) != 0);
    for (unsigned stage = BT_STAGE_READ; stage <= BT_STAGE_GOVERNANCE; stage++) {
        const bool run = (handoff->stages.run >> stage & 1) != 0;
        const bool failed = (handoff->stages.failed >> stage & 1) != 0;
        if (!run && (!handoff->document ||
                     (stage == BT_STAGE_GOVERNANCE && !handoff->options->catalogue))) {
            continue;
        }
        bt_buf_put(buf, names[stage]);
        bt_buf_put(buf, !run     ? BT_STR("\"skipped\"")
                        : failed ? BT_STR("\"failed\"")
                                 : BT_STR("\"passed\""));
    }
    bt_buf_put_char(buf, '}');
}

static void put_sections(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    static const bt_str names[BT_UNIVERSAL_SECTION__MAX] = {
        [BT_UNIVERSAL_SECTION_METADATA] = BT_STR_INIT(",\"sections\":{\"metadata\":"),
        [BT_UNIVERSAL_SECTION_ENDPOINTS] = BT_STR_INIT(",\"endpoints\":"),
        [BT_UNIVERSAL_SECTION_CONTEXT] = BT_STR_INIT(",\"context\":"),
        [BT_UNIVERSAL_SECTION_WORKING] = BT_STR_INIT(",\"working\":"),
        [BT_UNIVERSAL_SECTION_SESSION] = BT_STR_INIT(",\"session\":"),
        [BT_UNIVERSAL_SECTION_REFERENCES] = BT_STR_INIT(",\"references\":"),
        [BT_UNIVERSAL_SECTION_META] = BT_STR_INIT(",\"meta\":"),
    };
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        put_number(buf, names[i], handoff->tokens.sections[i]);
    }
    bt_buf_put_char(buf, '}');
}

static void put_number_or_null(struct bt_buf *buf, bt_str before, bool is_known, uint64_t number)
{
    bt_buf_put(buf, before);
    if (is_known) {
        bt_buf_put_u64(buf, number);
    } else {
        bt_buf_put(buf, BT_STR("null"));
    }
}

static void put_tokens(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    const bt_json_value *declared =
        bt_json_get(handoff->document, handoff->parts.meta, BT_STR("token_count"));
    uint64_t number = 0;
    const bool is_known = declared && bt_universal_check_integer(handoff, declared, &number);
    put_string(buf, BT_STR(",\"tokens\":{\"encoding\":"),
               bt_encoding_name(handoff->tokens.encoding));
    put_number_or_null(buf, BT_STR(",\"exact\":"), handoff->tokens.encoding != BT_ENCODING_CHARS4,
                       handoff->tokens.count);
    put_number(buf, BT_STR(",\"estimate\":"), handoff->tokens.estimate);
    put_number(buf, BT_STR(",\"bytes\":"), handoff->text.len);
    put_number(buf, BT_STR(",\"budget\":"), handoff->options->budget);
    put_number_or_null(buf, BT_STR(",\"declared\":"), is_known, number);
    put_sections(handoff, buf);
    bt_buf_put_char(buf, '}');
}

static void put_chain(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    if (!handoff->chain.names) {
        bt_buf_put(buf, BT_STR(",\"chain\":null"));
        return;
    }
    bt_buf_put(buf, BT_STR(",\"chain\":["));
    for (size_t i = 0; i < handoff->chain.count; i++) {
        put_string(buf, i > 0 ? BT_STR(",") : BT_STR(""), handoff->chain.names[i]);
    }
    bt_buf_put_char(buf, ']');
}

static void put_payload(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    static const bt_str states[] = {
        [BT_UNIVERSAL_SEAL_NONE] = BT_STR_INIT(",\"sealed\":\"no\"}"),
        [BT_UNIVERSAL_SEAL_TRUE] = BT_STR_INIT(",\"sealed\":\"yes\"}"),
        [BT_UNIVERSAL_SEAL_BROKEN] = BT_STR_INIT(",\"sealed\":\"broken\"}"),
    };
    if (!handoff->parts.payload) {
        return;
    }
    put_number(buf, BT_STR(",\"payload\":{\"bytes\":"), handoff->seal.info.bytes);
    put_string(buf, BT_STR(",\"sha256\":"), bt_str_of(handoff->seal.info.hash));
    bt_buf_put(buf, states[handoff->seal.state]);
}

static void put_files(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    if (!handoff->options->no_refs) {
        put_number(buf, BT_STR(",\"refs\":{\"checked\":"), handoff->files.refs_checked);
        put_number(buf, BT_STR(",\"missing\":"), handoff->files.refs_missing);
        put_number(buf, BT_STR(",\"ephemeral\":"), handoff->files.refs_ephemeral);
        bt_buf_put_char(buf, '}');
    }
    if (handoff->options->verify_artifacts) {
        put_number(buf, BT_STR(",\"artifacts\":{\"checked\":"), handoff->files.artifacts_checked);
        put_number(buf, BT_STR(",\"missing\":"), handoff->files.artifacts_missing);
        bt_buf_put_char(buf, '}');
    }
}

static void put_expiry(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    static const bt_str states[] = {
        [BT_UNIVERSAL_EXPIRY_UNKNOWN] = BT_STR_INIT(",\"expiry\":null"),
        [BT_UNIVERSAL_EXPIRY_NONE] = BT_STR_INIT(",\"expiry\":\"none\""),
        [BT_UNIVERSAL_EXPIRY_VALID] = BT_STR_INIT(",\"expiry\":\"valid\""),
        [BT_UNIVERSAL_EXPIRY_EXPIRED] = BT_STR_INIT(",\"expiry\":\"expired\""),
    };
    bt_buf_put(buf, states[handoff->times.expiry]);
}

static void put_members(const struct bt_universal_check *handoff, struct bt_buf *buf)
{
    put_stages(handoff, buf);
    if ((handoff->stages.run >> BT_STAGE_BUDGET & 1) != 0) {
        put_tokens(handoff, buf);
    }
    if ((handoff->stages.run >> BT_STAGE_SEMANTICS & 1) != 0) {
        put_chain(handoff, buf);
        put_payload(handoff, buf);
        put_files(handoff, buf);
        put_expiry(handoff, buf);
        bt_buf_put(buf, handoff->approved ? BT_STR(",\"approval\":\"asserted\"")
                                          : BT_STR(",\"approval\":\"none\""));
    }
}

enum bt_status bt_universal_check_put_facts(const struct bt_universal_check *handoff,
                                            const struct bt_json_doc *changes, struct bt_emit *emit)
{
    bt_emit_members(emit);
    put_members(handoff, emit->buf);
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
