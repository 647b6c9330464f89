/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - is this a governed document, from whom and for whom; the order of the steps.
 */
#include <assert.h>

#include "dialect/governed/governed.h"
#include "dialect/governed/governed_check.h"
#include "report/identity.h"

static const bt_str flag_names[BT_GOVERNED_CLAIM__MAX] = {
    [BT_SOURCE_VERIFIED] = BT_STR_INIT("source_agent_verified"),
    [BT_TARGET_VERIFIED] = BT_STR_INIT("target_agent_verified"),
    [BT_COMPOSITION_VALID] = BT_STR_INIT("composition_valid"),
    [BT_BOUNDARIES_RESPECTED] = BT_STR_INIT("boundaries_respected"),
};

bt_str bt_governed_claim_name(enum bt_governed_claim flag)
{
    assert(flag < BT_GOVERNED_CLAIM__MAX);
    return flag_names[flag];
}

const bt_json_value *bt_governed_check_at(const struct bt_governed_check *check, bt_str pointer)
{
    return check->document ? bt_json_resolve(check->document, check->root, pointer) : NULL;
}

bt_str bt_governed_check_text(const struct bt_governed_check *check, bt_str pointer)
{
    const bt_json_value *value = bt_governed_check_at(check, pointer);
    return value ? bt_json_text(value) : BT_STR("");
}

struct bt_location bt_governed_locate(const struct bt_governed_check *check, bt_str pointer)
{
    const bt_json_value *value = bt_governed_check_at(check, pointer);
    struct bt_location at = bt_location_value(check->document, value);
    at.pointer = pointer;
    return at;
}

struct bt_location bt_governed_party_locate(const struct bt_governed_check *check,
                                            const struct bt_governed_party *party,
                                            const char *member)
{
    return bt_location_value(check->document,
                             bt_json_get(check->document, party->value, bt_str_of(member)));
}

bool bt_ascii_is_all_space(bt_str text)
{
    return bt_ascii_all(text, bt_ascii_is_space);
}

enum bt_status bt_governed_root_add_manifest_finding(const struct bt_governed_root *governed_root,
                                                     struct bt_findings *findings)
{
    const struct bt_governed_file_document *file = &governed_root->manifest;
    return bt_add_manifest_unusable(findings, bt_location_whole(), file->path,
                                    bt_governed_file_error_name(file->fault),
                                    file->fault == BT_ROOT_MISSING);
}

enum bt_status bt_governed_root_add_boundaries_finding(const struct bt_governed_root *governed_root,
                                                       struct bt_findings *findings)
{
    const struct bt_governed_file_document *file = &governed_root->boundaries;
    return bt_add_boundaries_unusable(findings, bt_location_whole(), file->path,
                                      bt_governed_file_error_name(file->fault));
}

static enum bt_status read_and_judge_form(struct bt_governed_check *check)
{
    BT_TRY(bt_governed_json(check->governed, check->arena, check->text, check->findings,
                            &check->document));
    if (!check->document) {
        return BT_OK;
    }
    check->root = bt_json_root(check->document);
    return bt_governed_schema(check->governed, check->kind, check->document, check->findings,
                              &check->matches_schema);
}

static void name_parties(struct bt_governed_check *check)
{
    static const struct bt_governed_party handoff[] = {
        {.role = "source", .member = "source_agent"},
        {.role = "target", .member = "target_agent"},
    };
    static const struct bt_governed_party response[] = {{.role = "responder", .member = "agent"}};
    const bool is_handoff = check->kind == BT_GOVERNED_HANDOFF;
    check->party_count = is_handoff ? 2 : 1;
    for (size_t i = 0; i < check->party_count; i++) {
        struct bt_governed_party *party = &check->parties[i];
        *party = is_handoff ? handoff[i] : response[i];
        party->value = bt_json_get(check->document, check->root, bt_str_of(party->member));
        party->id = bt_json_text(bt_json_get(check->document, party->value, BT_STR("agent_id")));
        party->agent = BT_NO_AGENT;
    }
    check->is_governor =
        bt_str_eq(bt_governed_check_text(check, BT_STR("/agent/agent_type")), BT_STR("governor"));
}

enum bt_status bt_governed_check_begin(struct bt_governed_check *check)
{
    assert(check->kind == BT_GOVERNED_HANDOFF || check->kind == BT_GOVERNED_RESPONSE);
    check->arena = bt_findings_arena(check->findings);
    if (check->options->dir) {
        check->governed_root = (struct bt_governed_root){
            .governed = check->governed, .options = check->options, .arena = check->arena};
        BT_TRY(bt_governed_root_read(&check->governed_root));
    }
    BT_TRY(read_and_judge_form(check));
    if (!check->matches_schema) {
        return BT_OK;
    }
    name_parties(check);
    BT_TRY(bt_governed_check_context_step(check));
    if (check->kind == BT_GOVERNED_RESPONSE) {
        BT_TRY(bt_governed_check_response(check));
    }
    if (!check->options->dir || check->governed_root.manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_governed_check_identify(check));
    return bt_governed_check_compare(check);
}

enum bt_status bt_governed_check_finish(struct bt_governed_check *check)
{
    if (!check->matches_schema) {
        return BT_OK;
    }
    if (!check->options->dir) {
        return bt_add_governance_not_checked(check->findings, bt_location_whole());
    }
    if (check->governed_root.manifest.fault != BT_ROOT_FINE) {
        /* A governor has no prompt that could be verified. */
        return check->is_governor
                   ? BT_OK
                   : bt_governed_root_add_manifest_finding(&check->governed_root, check->findings);
    }
    if (check->kind == BT_GOVERNED_RESPONSE) {
        return bt_governed_check_suggest(check);
    }
    BT_TRY(bt_governed_check_compose(check));
    BT_TRY(bt_governed_check_pair_step(check));
    return bt_governed_check_attest(check);
}

enum bt_status bt_governed_check_judge(struct bt_governed_check *check)
{
    BT_TRY(bt_governed_check_begin(check));
    return bt_governed_check_finish(check);
}

static void identify_handoff(const struct bt_json_doc *document, struct bt_identity *out)
{
    out->id_pointer = BT_STR("/handoff_id");
    bt_identity_read_name(document, out->id_pointer, &out->handoff_id);
    bt_identity_read_name(document, BT_STR("/source_agent/agent_id"), &out->source);
    bt_identity_read_name(document, BT_STR("/target_agent/agent_id"), &out->target);
}

void bt_governed_check_identify_document(const struct bt_governed_check *check,
                                         struct bt_identity *out)
{
    assert(check);
    assert(out);
    if (!check->document) {
        return;
    }
    /* The first of the two that there is, whatever the kind: it decides what the caller may see. */
    const bool has_source = bt_governed_check_at(check, BT_STR("/source_agent/agent_id")) != NULL;
    out->speaker = bt_governed_check_text(check, has_source ? BT_STR("/source_agent/agent_id")
                                                            : BT_STR("/agent/agent_id"));
    if (check->kind == BT_GOVERNED_HANDOFF) {
        identify_handoff(check->document, out);
    }
}
