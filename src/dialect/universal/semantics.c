/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semantics.c - stage semantics: names, chain, expiry, seal, references.
 */
#include "dialect/universal/stages.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_BYTES_MAX = 64 };

bool bt_universal_skill_name_is_safe(bt_str name)
{
    if (name.len == 0 || name.len > NAME_BYTES_MAX) {
        return false;
    }
    bool after_word = false;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!word && !(c == '-' && after_word)) {
            return false;
        }
        after_word = word;
    }
    return after_word;
}

static enum bt_status check_name(struct bt_universal_check *handoff, const bt_json_value *object)
{
    bt_str name = BT_STR("");
    if (!bt_universal_check_usable_text(handoff, object, "skill", &name) ||
        bt_universal_skill_name_is_safe(name)) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, "SKILL_NAME_STYLE",
                              bt_json_get(handoff->document, object, BT_STR("skill")));
    bt_buf_put_quoted(&remark.message, name);
    bt_buf_put_text(&remark.message, " cannot be made a file name; `baton write` would refuse it");
    bt_emit_member_string(&remark.emit, "name", name);
    remark.finding.hint = BT_STR("use small letters, digits and single hyphens, at most 64 bytes");
    return bt_finding_builder_end(&remark, handoff->findings);
}

static int compare_instants(bt_instant a, bt_instant b)
{
    if (a.seconds != b.seconds) {
        return a.seconds < b.seconds ? -1 : 1;
    }
    return (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

static enum bt_status add_expiry_finding(struct bt_universal_check *handoff, const char *code,
                                         const char *name, bt_str other)
{
    const bt_json_value *value =
        bt_json_get(handoff->document, handoff->handoff, BT_STR("expires_at"));
    const bool expired = handoff->expiry == BT_UNIVERSAL_EXPIRY_EXPIRED && name[0] == 'n';
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, code, value);
    bt_buf_put_text(&remark.message, expired ? "the document was valid until "
                                             : "the document would end before it was made, at ");
    bt_buf_put_quoted(&remark.message, bt_json_text(value));
    bt_emit_member_string(&remark.emit, name, other);
    bt_emit_member_string(&remark.emit, "expires_at", bt_json_text(value));
    if (expired && handoff->options->strict_expiry) {
        remark.finding.severity = BT_SEVERITY_HARD;
    }
    remark.finding.hint = expired ? BT_STR("ask the sender for a new handoff")
                                  : BT_STR("correct expires_at, or leave it out");
    return bt_finding_builder_end(&remark, handoff->findings);
}

static enum bt_status check_expiry(struct bt_universal_check *handoff)
{
    const bt_json_value *written =
        bt_json_get(handoff->document, handoff->handoff, BT_STR("expires_at"));
    if (!handoff->expires_at.known) {
        handoff->expiry =
            written || !handoff->handoff ? BT_UNIVERSAL_EXPIRY_UNKNOWN : BT_UNIVERSAL_EXPIRY_NONE;
        return BT_OK;
    }
    const bt_instant now = bt_env_now(handoff->universal->env);
    const bool over = compare_instants(now, handoff->expires_at.instant) >= 0;
    handoff->expiry = over ? BT_UNIVERSAL_EXPIRY_EXPIRED : BT_UNIVERSAL_EXPIRY_VALID;
    if (handoff->timestamp.known &&
        compare_instants(handoff->expires_at.instant, handoff->timestamp.instant) <= 0) {
        const bt_json_value *made =
            bt_json_get(handoff->document, handoff->handoff, BT_STR("timestamp"));
        BT_TRY(add_expiry_finding(handoff, "EXPIRES_NOT_AFTER", "timestamp", bt_json_text(made)));
    }
    if (!over) {
        return BT_OK;
    }
    char text[BT_INSTANT_TEXT_BYTES];
    const size_t length = bt_instant_format(now, text);
    return add_expiry_finding(handoff, "EXPIRED", "now", (bt_str){text, length});
}

/* A seal may be made up by an author who does not know how it is computed. */
#define RESEAL_HINT                                                                                \
    "ask the sender; if you are the author and this payload is right, `baton seal --reseal FILE` " \
    "seals it anew"

static enum bt_status check_hash(struct bt_universal_check *handoff)
{
    bt_str declared = BT_STR("");
    if (!bt_universal_check_usable_text(handoff, handoff->meta, "payload_hash", &declared)) {
        return BT_OK;
    }
    const bt_str actual = bt_str_of(handoff->seal.hash);
    handoff->sealed =
        bt_str_eq(declared, actual) ? BT_UNIVERSAL_SEAL_TRUE : BT_UNIVERSAL_SEAL_BROKEN;
    if (handoff->sealed == BT_UNIVERSAL_SEAL_TRUE) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_universal_check_remark(
        handoff, &remark, "PAYLOAD_HASH_MISMATCH",
        bt_json_get(handoff->document, handoff->meta, BT_STR("payload_hash")));
    bt_buf_put_text(&remark.message, "the payload is not the one that was sealed with ");
    bt_buf_put_quoted(&remark.message, declared);
    bt_emit_member_string(&remark.emit, "declared", declared);
    bt_emit_member_string(&remark.emit, "actual", actual);
    remark.finding.hint = BT_STR(RESEAL_HINT);
    return bt_finding_builder_end(&remark, handoff->findings);
}

static enum bt_status check_size(struct bt_universal_check *handoff)
{
    const bt_json_value *value =
        bt_universal_check_usable(handoff, handoff->meta, "payload_size_bytes");
    if (!value || !bt_json_is_number(value)) {
        return BT_OK;
    }
    const bt_str declared = bt_json_number_text(handoff->document, value);
    char actual[24];
    const int length = snprintf(actual, sizeof(actual), "%" PRIu64, handoff->seal.bytes);
    if (bt_json_decimal_compare(declared, (bt_str){actual, (size_t)length}) == 0) {
        handoff->size_true = true;
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, "PAYLOAD_SIZE_MISMATCH", value);
    bt_buf_put_text(&remark.message, "the payload has ");
    bt_buf_put_text(&remark.message, actual);
    bt_buf_put_text(&remark.message, " bytes, not ");
    bt_buf_put_printable(&remark.message, declared, 80);
    bt_emit_name(&remark.emit, "declared");
    bt_emit_raw(&remark.emit, declared);
    bt_emit_member_u64(&remark.emit, "actual", handoff->seal.bytes);
    remark.finding.hint = handoff->sealed == BT_UNIVERSAL_SEAL_BROKEN
                              ? BT_STR(RESEAL_HINT)
                              : BT_STR("it may be a sign of tampering; compare with the sender");
    return bt_finding_builder_end(&remark, handoff->findings);
}

static enum bt_status check_seal(struct bt_universal_check *handoff)
{
    if (!handoff->payload) {
        return BT_OK;
    }
    BT_TRY(bt_universal_seal_info_of(handoff->document, handoff->payload, handoff->arena,
                                     &handoff->seal));
    BT_TRY(check_hash(handoff));
    return check_size(handoff);
}

enum bt_status bt_universal_stage_semantics(struct bt_universal_check *handoff)
{
    BT_TRY(bt_universal_check_chain(handoff));
    BT_TRY(check_name(handoff, handoff->source));
    BT_TRY(check_name(handoff, handoff->target));
    if (!handoff->options->no_refs) {
        BT_TRY(bt_universal_check_refs(handoff));
    }
    BT_TRY(check_expiry(handoff));
    BT_TRY(check_seal(handoff));
    return handoff->options->verify_artifacts ? bt_universal_check_artifacts(handoff) : BT_OK;
}
