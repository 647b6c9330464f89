/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the order of the steps.
 */
#include <assert.h>

#include "dialect/governed/ruling.h"

static const bt_str flag_names[BT_FLAG__MAX] = {
    [BT_SOURCE_VERIFIED] = BT_STR_INIT("source_agent_verified"),
    [BT_TARGET_VERIFIED] = BT_STR_INIT("target_agent_verified"),
    [BT_COMPOSITION_VALID] = BT_STR_INIT("composition_valid"),
    [BT_BOUNDARIES_RESPECTED] = BT_STR_INIT("boundaries_respected"),
};

bt_str bt_flag_name(enum bt_flag flag)
{
    assert(flag < BT_FLAG__MAX);
    return flag_names[flag];
}

/* ---- Looking and saying ---------------------------------------------------------------------- */

const bt_value *bt_ruling_at(const struct bt_ruling *ruling, bt_str pointer)
{
    return ruling->document ? bt_json_point(ruling->document, ruling->root, pointer) : NULL;
}

bt_str bt_ruling_text(const struct bt_ruling *ruling, bt_str pointer)
{
    const bt_value *value = bt_ruling_at(ruling, pointer);
    return value ? bt_json_text(value) : BT_STR("");
}

void bt_ruling_remark(const struct bt_ruling *ruling, struct bt_remark *remark, const char *code,
                      bt_str pointer)
{
    const struct bt_spot spot = {ruling->document, bt_ruling_at(ruling, pointer)};
    bt_governed_remark(remark, code, spot);
    bt_buf_put(&remark->pointer, pointer);
}

void bt_party_remark(const struct bt_ruling *ruling, const struct bt_party *party,
                     struct bt_remark *remark, const char *code, const char *member)
{
    const bt_value *at = bt_json_get(ruling->document, party->value, bt_str_of(member));
    bt_governed_remark(remark, code, (struct bt_spot){ruling->document, at});
    bt_pointer_put(&remark->pointer, bt_str_of(party->member));
    bt_pointer_put(&remark->pointer, bt_str_of(member));
    bt_emit_member_string(&remark->emit, "role", bt_str_of(party->role));
    bt_emit_member_string(&remark->emit, "agent_id", party->id);
}

void bt_ruling_put_agents(const struct bt_ruling *ruling, struct bt_emit *emit, const char *name,
                          const size_t *agents, size_t count)
{
    bt_emit_name(emit, name);
    bt_emit_array(emit);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, ruling->roster.agents[agents[i]].id);
    }
    bt_emit_end(emit);
}

bool bt_is_ascii_blank(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != ' ' && (text.ptr[i] < '\t' || text.ptr[i] > '\r')) {
            return false;
        }
    }
    return true;
}

static enum bt_status say_file(const char *code, const struct bt_root_document *file,
                               const char *what, struct bt_findings *findings)
{
    struct bt_remark remark;
    bt_governed_remark(&remark, code, (struct bt_spot){NULL, NULL});
    bt_buf_printf(&remark.message, "%s ", what);
    bt_put_quoted(&remark.message, file->path);
    bt_buf_printf(&remark.message, " cannot be used: %.*s",
                  BT_STR_ARG(bt_root_fault_name(file->fault)));
    bt_emit_member_string(&remark.emit, "file", file->path);
    bt_emit_member_string(&remark.emit, "detail", bt_root_fault_name(file->fault));
    return bt_remark_end(&remark, findings);
}

enum bt_status bt_roster_say_manifest(const struct bt_roster *roster, struct bt_findings *findings)
{
    return say_file("MANIFEST_UNUSABLE", &roster->manifest, "the manifest", findings);
}

enum bt_status bt_roster_say_boundaries(const struct bt_roster *roster,
                                        struct bt_findings *findings)
{
    return say_file("BOUNDARIES_UNUSABLE", &roster->boundaries, "the boundaries file", findings);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static enum bt_status read_and_judge_form(struct bt_ruling *ruling)
{
    BT_TRY(bt_governed_json(ruling->governed, ruling->arena, ruling->text, ruling->findings,
                            &ruling->document));
    if (!ruling->document) {
        return BT_OK;
    }
    ruling->root = bt_json_root(ruling->document);
    return bt_governed_schema(ruling->governed, ruling->kind, ruling->document, ruling->findings,
                              &ruling->is_sound);
}

static void name_parties(struct bt_ruling *ruling)
{
    static const struct bt_party handoff[] = {
        {.role = "source", .member = "source_agent"},
        {.role = "target", .member = "target_agent"},
    };
    static const struct bt_party response[] = {{.role = "responder", .member = "agent"}};
    const bool is_handoff = ruling->kind == BT_GOVERNED_HANDOFF;
    ruling->party_count = is_handoff ? 2 : 1;
    for (size_t i = 0; i < ruling->party_count; i++) {
        struct bt_party *party = &ruling->parties[i];
        *party = is_handoff ? handoff[i] : response[i];
        party->value = bt_json_get(ruling->document, ruling->root, bt_str_of(party->member));
        party->id = bt_json_text(bt_json_get(ruling->document, party->value, BT_STR("agent_id")));
        party->agent = BT_NO_AGENT;
    }
    ruling->is_governor =
        bt_str_eq(bt_ruling_text(ruling, BT_STR("/agent/agent_type")), BT_STR("governor"));
}

enum bt_status bt_ruling_open(struct bt_ruling *ruling)
{
    assert(ruling->kind == BT_GOVERNED_HANDOFF || ruling->kind == BT_GOVERNED_RESPONSE);
    ruling->arena = bt_findings_arena(ruling->findings);
    if (ruling->options->root) {
        ruling->roster = (struct bt_roster){
            .governed = ruling->governed, .options = ruling->options, .arena = ruling->arena};
        BT_TRY(bt_roster_read(&ruling->roster));
    }
    BT_TRY(read_and_judge_form(ruling));
    if (!ruling->is_sound) {
        return BT_OK;
    }
    name_parties(ruling);
    BT_TRY(bt_ruling_context(ruling));
    if (ruling->kind == BT_GOVERNED_RESPONSE) {
        BT_TRY(bt_ruling_response(ruling));
    }
    if (!ruling->options->root || ruling->roster.manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(bt_ruling_identify(ruling));
    return bt_ruling_compare(ruling);
}

static enum bt_status say_not_checked(struct bt_ruling *ruling)
{
    struct bt_remark remark;
    bt_governed_remark(&remark, "GOVERNANCE_NOT_CHECKED", (struct bt_spot){NULL, NULL});
    return bt_remark_end(&remark, ruling->findings);
}

enum bt_status bt_ruling_govern(struct bt_ruling *ruling)
{
    if (!ruling->is_sound) {
        return BT_OK;
    }
    if (!ruling->options->root) {
        return say_not_checked(ruling);
    }
    if (ruling->roster.manifest.fault != BT_ROOT_FINE) {
        /* A governor has no prompt that could be verified. */
        return ruling->is_governor ? BT_OK
                                   : bt_roster_say_manifest(&ruling->roster, ruling->findings);
    }
    if (ruling->kind == BT_GOVERNED_RESPONSE) {
        return bt_ruling_suggest(ruling);
    }
    BT_TRY(bt_ruling_compose(ruling));
    BT_TRY(bt_ruling_pair(ruling));
    return bt_ruling_attest(ruling);
}

enum bt_status bt_ruling_judge(struct bt_ruling *ruling)
{
    BT_TRY(bt_ruling_open(ruling));
    return bt_ruling_govern(ruling);
}
