/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semantics.c - stage semantics: names, chain, expiry, seal, references; and stage governance: may
 * this skill hand work to that one?
 *
 * Only names that passed their own part of the schema are looked up in the catalogue.
 */
#include "dialect/universal/universal_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ascii.h"
#include "report/rules.h"
#include "skill/skill.h"

enum { NAME_BYTES_MAX = 64 };

static bool is_name_byte(char c, bool relaxed)
{
    return bt_ascii_is_lower(c) || bt_ascii_is_digit(c) || (relaxed && bt_ascii_is_upper(c));
}

static bool is_name_separator(char c, bool relaxed)
{
    return c == '-' || (relaxed && (c == '.' || c == '_'));
}

bool bt_universal_skill_name_is_safe(bt_str name, bool relaxed)
{
    if (name.len == 0 || name.len > NAME_BYTES_MAX) {
        return false;
    }
    bool after_word = false;
    for (size_t i = 0; i < name.len; i++) {
        const bool word = is_name_byte(name.ptr[i], relaxed);
        if (!word && !(is_name_separator(name.ptr[i], relaxed) && after_word)) {
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
        bt_universal_skill_name_is_safe(name, handoff->options->relaxed_names)) {
        return BT_OK;
    }
    const bt_json_value *value = bt_json_get(handoff->document, object, BT_STR("skill"));
    return bt_add_skill_name_style(handoff->findings, bt_universal_locate(handoff, value), name,
                                   bt_universal_skill_name_is_safe(name, true));
}

static int compare_instants(bt_instant a, bt_instant b)
{
    if (a.seconds != b.seconds) {
        return a.seconds < b.seconds ? -1 : 1;
    }
    return (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

static enum bt_status check_expiry(struct bt_universal_check *handoff)
{
    const bt_json_value *written =
        bt_json_get(handoff->document, handoff->parts.handoff, BT_STR("expires_at"));
    if (!handoff->times.expires_at.known) {
        handoff->times.expiry = written || !handoff->parts.handoff ? BT_UNIVERSAL_EXPIRY_UNKNOWN
                                                                   : BT_UNIVERSAL_EXPIRY_NONE;
        return BT_OK;
    }
    const struct bt_location at = bt_universal_locate(handoff, written);
    const bt_instant now = bt_env_now(handoff->universal->env);
    const bool over = compare_instants(now, handoff->times.expires_at.instant) >= 0;
    handoff->times.expiry = over ? BT_UNIVERSAL_EXPIRY_EXPIRED : BT_UNIVERSAL_EXPIRY_VALID;
    if (handoff->times.timestamp.known && compare_instants(handoff->times.expires_at.instant,
                                                           handoff->times.timestamp.instant) <= 0) {
        const bt_json_value *made =
            bt_json_get(handoff->document, handoff->parts.handoff, BT_STR("timestamp"));
        BT_TRY(bt_add_expires_not_after(handoff->findings, at, bt_json_text(made),
                                        bt_json_text(written)));
    }
    if (!over) {
        return BT_OK;
    }
    char text[BT_INSTANT_TEXT_BYTES];
    const size_t length = bt_instant_format(now, text);
    return bt_add_expired(handoff->findings,
                          handoff->options->strict_expiry ? BT_SEVERITY_HARD : BT_SEVERITY_WARN, at,
                          (bt_str){text, length}, bt_json_text(written));
}

static enum bt_status check_hash(struct bt_universal_check *handoff)
{
    bt_str declared = BT_STR("");
    if (!bt_universal_check_usable_text(handoff, handoff->parts.meta, "payload_hash", &declared)) {
        return BT_OK;
    }
    const bt_str actual = bt_str_of(handoff->seal.info.hash);
    handoff->seal.state =
        bt_str_eq(declared, actual) ? BT_UNIVERSAL_SEAL_TRUE : BT_UNIVERSAL_SEAL_BROKEN;
    if (handoff->seal.state == BT_UNIVERSAL_SEAL_TRUE) {
        return BT_OK;
    }
    const bt_json_value *value =
        bt_json_get(handoff->document, handoff->parts.meta, BT_STR("payload_hash"));
    return bt_add_payload_hash_mismatch(handoff->findings, bt_universal_locate(handoff, value),
                                        declared, actual);
}

static enum bt_status check_size(struct bt_universal_check *handoff)
{
    const bt_json_value *value =
        bt_universal_check_usable(handoff, handoff->parts.meta, "payload_size_bytes");
    if (!value || !bt_json_is_number(value)) {
        return BT_OK;
    }
    const bt_str declared = bt_json_number_text(handoff->document, value);
    char actual[24];
    const int length = snprintf(actual, sizeof(actual), "%" PRIu64, handoff->seal.info.bytes);
    if (bt_json_decimal_compare(declared, (bt_str){actual, (size_t)length}) == 0) {
        handoff->seal.size_is_true = true;
        return BT_OK;
    }
    return bt_add_payload_size_mismatch(handoff->findings, bt_universal_locate(handoff, value),
                                        declared, handoff->seal.info.bytes,
                                        handoff->seal.state == BT_UNIVERSAL_SEAL_BROKEN);
}

/* Whether the hash and size of the payload are compared or reported. */
static bool needs_seal(const struct bt_universal_check *handoff)
{
#if !defined(BT_PROFILE_CORE) /* which always reports them */
    if (handoff->options->no_facts &&
        !bt_json_get(handoff->document, handoff->parts.meta, BT_STR("payload_hash")) &&
        !bt_json_get(handoff->document, handoff->parts.meta, BT_STR("payload_size_bytes"))) {
        return false;
    }
#endif
    return handoff->parts.payload != NULL;
}

static enum bt_status check_seal(struct bt_universal_check *handoff)
{
    if (!needs_seal(handoff)) {
        return BT_OK;
    }
    BT_TRY(bt_universal_seal_info_of(handoff->document, handoff->parts.payload, handoff->arena,
                                     &handoff->seal.info));
    BT_TRY(check_hash(handoff));
    return check_size(handoff);
}

enum bt_status bt_universal_stage_semantics(struct bt_universal_check *handoff)
{
    BT_TRY(bt_universal_check_chain(handoff));
    BT_TRY(check_name(handoff, handoff->parts.source));
    BT_TRY(check_name(handoff, handoff->parts.target));
    if (!handoff->options->no_refs) {
        BT_TRY(bt_universal_check_refs(handoff));
    }
    BT_TRY(check_expiry(handoff));
    BT_TRY(check_seal(handoff));
    return handoff->options->verify_artifacts ? bt_universal_check_artifacts(handoff) : BT_OK;
}

/* The member's text; "" when it cannot be used. */
static bt_str find_usable_text(const struct bt_universal_check *handoff,
                               const bt_json_value *object, const char *name)
{
    bt_str text = BT_STR("");
    return bt_universal_check_usable_text(handoff, object, name, &text) ? text : BT_STR("");
}

enum bt_status bt_universal_stage_governance(struct bt_universal_check *handoff)
{
    if (!handoff->parts.handoff) {
        return BT_OK;
    }
    /* The schema knows one version alone; whom it suits is a question for every version. */
    const bt_json_value *version =
        bt_json_get(handoff->document, handoff->parts.handoff, BT_STR("version"));
    const struct bt_skill_edge edge = {
        .document = handoff->document,
        .handoff = handoff->parts.handoff,
        .source = find_usable_text(handoff, handoff->parts.source, "skill"),
        .target = find_usable_text(handoff, handoff->parts.target, "skill"),
        .version = version ? bt_json_text(version) : BT_STR(""),
    };
    return bt_skill_check_edge(handoff->options->catalogue, &edge, handoff->findings);
}
