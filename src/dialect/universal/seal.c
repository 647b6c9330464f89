/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.c - the hash and size of the payload, over the bytes that JavaScript would write for it; and
 * baton seal: hash, size and token count of an accepted document.
 */
#include "dialect/universal/universal_check.h"

#include <assert.h>
#include <string.h>

#include "dialect/universal/result.h"
#include "dialect/universal/revision.h"
#include "report/rules.h"

enum bt_status bt_universal_seal_info_of(const struct bt_json_doc *document,
                                         const bt_json_value *payload, struct bt_arena *arena,
                                         struct bt_universal_seal_info *out)
{
    assert(document);
    assert(payload);
    assert(out);
    struct bt_buf form;
    bt_buf_init(&form, SIZE_MAX);
    static const bt_str prefix = BT_STR_INIT("sha256:");
    bt_str text;
    enum bt_status status = BT_OK;
    if (!bt_json_source_has_form(document, payload, BT_JSON_FORM_STRINGIFY, &text)) {
        status = bt_json_write(&form, document, payload, BT_JSON_FORM_STRINGIFY, arena, NULL);
        text = bt_buf_str(&form);
    }
    if (status == BT_OK) {
        out->bytes = text.len;
        memcpy(out->hash, prefix.ptr, prefix.len);
        status = bt_sha256_hex(text, out->hash + prefix.len);
    }
    bt_buf_free(&form);
    return status;
}

enum bt_status bt_universal_seal_begin(struct bt_universal_revision *revision,
                                       struct bt_universal_checker *universal,
                                       struct bt_arena *arena, bt_str text)
{
    BT_TRY(bt_universal_revision_begin(revision, universal, arena, text));
    enum bt_status status = bt_universal_revision_seal(revision);
    if (status == BT_OK) {
        status = bt_universal_revision_finish(revision, true);
    }
    if (status != BT_OK) {
        bt_universal_revision_end(revision);
    }
    return status;
}

/* Whether nothing blocks but, where that may be repaired, the seal itself. */
static bool may_seal(const struct bt_findings *findings, bool reseal)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        const bool is_seal = finding->code == BT_CODE_PAYLOAD_HASH_MISMATCH;
        if (finding->severity == BT_SEVERITY_HARD && !(reseal && is_seal)) {
            return false;
        }
    }
    return true;
}

static enum bt_status write_escalated_result(const struct bt_universal_check *handoff,
                                             struct bt_universal_result *out)
{
    const struct bt_universal_result_parts parts = {.handoff = handoff};
    out->outcome = BT_UNIVERSAL_ESCALATED;
    return bt_universal_result_finish(&parts, out);
}

static enum bt_status write_sealed_result(const struct bt_universal_final_check *ending,
                                          const struct bt_universal_revision *revision,
                                          struct bt_universal_result *out)
{
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_final_check_judge(ending, revision->text, &handoff, out));
    const struct bt_universal_result_parts parts = {
        .handoff = &handoff, .revision = revision, .document = true};
    out->outcome = BT_UNIVERSAL_SEALED;
    return bt_universal_result_finish(&parts, out);
}

enum bt_status bt_universal_seal(struct bt_universal_checker *universal, struct bt_arena *arena,
                                 const struct bt_universal_input *input, bool reseal,
                                 struct bt_universal_result *out)
{
    assert(universal);
    assert(input);
    assert(out);
    const struct bt_universal_options defaults = bt_universal_options_default();
    const struct bt_universal_final_check ending = {
        universal, arena, input->path, input->options ? input->options : &defaults, NULL};
    struct bt_universal_result given = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    struct bt_universal_check handoff;
    BT_TRY(bt_universal_final_check_judge(&ending, input->text, &handoff, &given));
    if (!handoff.document || !may_seal(given.judged.findings, reseal)) {
        BT_TRY(write_escalated_result(&handoff, &given));
        *out = given;
        return BT_OK;
    }
    struct bt_universal_result result = {.outcome = BT_UNIVERSAL_OUTCOME_NONE};
    struct bt_universal_revision revision;
    BT_TRY(bt_universal_seal_begin(&revision, universal, arena, input->text));
    enum bt_status status = write_sealed_result(&ending, &revision, &result);
    bt_universal_revision_end(&revision);
    if (status == BT_OK && result.judged.verdict != BT_VERDICT_ACCEPTED) {
        result = given;
        status = write_escalated_result(&handoff, &result);
    }
    if (status == BT_OK) {
        *out = result;
    }
    return status;
}
