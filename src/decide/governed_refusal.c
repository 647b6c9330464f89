/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_refusal.c - a rejected handoff is answered with one response document. It repeats the
 * primary finding, suggests other agents, and confirms only what was verified.
 */
#include "decide/governed_decide.h"
#include "report/add.h"
#include "report/version.h"

enum { SUMMARY_CHARACTERS = 200 };

/* In order of precedence; read and schema codes come before all of them. */
static const bt_str order[] = {
    BT_STR_INIT("AGENT_BINDING_MISMATCH"),
    BT_STR_INIT("MANIFEST_UNUSABLE"),
    BT_STR_INIT("INVALID_AGENT_REFERENCE"),
    BT_STR_INIT("HASH_VERIFICATION_FAILURE"),
    BT_STR_INIT("AGENT_BLOCKED"),
    BT_STR_INIT("BOUNDARIES_UNUSABLE"),
    BT_STR_INIT("COMPOSITION_VIOLATION"),
    BT_STR_INIT("BOUNDARY_VIOLATION"),
    BT_STR_INIT("OUT_OF_SCOPE"),
    BT_STR_INIT("CONTEXT_SYSTEM_MESSAGE"),
    BT_STR_INIT("CONTEXT_HIDDEN_TEXT"),
    BT_STR_INIT("INSUFFICIENT_CONTEXT"),
    BT_STR_INIT("ATTESTATION_FALSE"),
    BT_STR_INIT("STALE_TIMESTAMP"),
    BT_STR_INIT("FUTURE_TIMESTAMP"),
    BT_STR_INIT("REPLAYED_ID"),
};

enum { ORDERED = sizeof(order) / sizeof(order[0]) };

static size_t rank_of(const struct bt_finding *finding)
{
    if (finding->rule->stage == BT_STAGE_READ || finding->rule->stage == BT_STAGE_SCHEMA) {
        return 0;
    }
    size_t rank = 0;
    while (rank < ORDERED && !bt_str_eq(order[rank], finding->rule->code)) {
        rank++;
    }
    return rank + 1;
}

const struct bt_finding *bt_governed_submission_primary(const struct bt_findings *findings)
{
    const struct bt_finding *first = NULL;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD &&
            (!first || rank_of(finding) < rank_of(first))) {
            first = finding;
        }
    }
    return first;
}

struct governed_refusal_state {
    const struct bt_governed_decision_state *deciding;
    struct bt_governed_submission *item;
    const struct bt_finding *primary;
    const struct bt_json_doc *params; /* of the primary finding, or NULL */
    struct bt_emit emit;
};

static const struct governed_refusal_word {
    bt_str code;
    bt_str reason; /* the response's word for it */
    const char *rule;
} words[] = {
    {BT_STR_INIT("OUT_OF_SCOPE"), BT_STR_INIT("OUT_OF_SCOPE"), "boundary-enforcement"},
    {BT_STR_INIT("BOUNDARY_VIOLATION"), BT_STR_INIT("BOUNDARY_VIOLATION"), "boundary-enforcement"},
    {BT_STR_INIT("HASH_VERIFICATION_FAILURE"), BT_STR_INIT("HASH_VERIFICATION_FAILURE"),
     "agent-verification"},
    {BT_STR_INIT("AGENT_BLOCKED"), BT_STR_INIT("HASH_VERIFICATION_FAILURE"), "agent-verification"},
    {BT_STR_INIT("INVALID_AGENT_REFERENCE"), BT_STR_INIT("INVALID_AGENT_REFERENCE"),
     "agent-verification"},
    {BT_STR_INIT("COMPOSITION_VIOLATION"), BT_STR_INIT("COMPOSITION_VIOLATION"),
     "composition-validation"},
    {BT_STR_INIT("INSUFFICIENT_CONTEXT"), BT_STR_INIT("INSUFFICIENT_CONTEXT"), "context-integrity"},
};

static const struct governed_refusal_word *word_of(bt_str code)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (bt_str_eq(words[i].code, code)) {
            return &words[i];
        }
    }
    return NULL;
}

static const bt_json_value *find_param(const struct governed_refusal_state *refusal,
                                       const char *name)
{
    return refusal->params
               ? bt_json_get(refusal->params, bt_json_root(refusal->params), bt_str_of(name))
               : NULL;
}

/* Suggested agents: the items of a list, NULL when there are none. */
static const bt_json_value *find_suggestions(const struct governed_refusal_state *refusal,
                                             size_t *out_count)
{
    const bt_json_value *list = find_param(refusal, "suggested_agents");
    *out_count = list ? bt_json_count(list) : 0;
    return list && *out_count > 0 ? bt_json_items(list) : NULL;
}

static void put_suggestions(struct governed_refusal_state *refusal)
{
    size_t count = 0;
    const bt_json_value *items = find_suggestions(refusal, &count);
    bt_emit_name(&refusal->emit, "suggested_agent");
    if (items) {
        bt_emit_string(&refusal->emit, bt_json_text(&items[0]));
    } else {
        bt_emit_null(&refusal->emit);
    }
    bt_emit_name(&refusal->emit, "suggested_agents");
    bt_emit_begin_array(&refusal->emit);
    for (size_t i = 0; items && i < count; i++) {
        bt_emit_string(&refusal->emit, bt_json_text(&items[i]));
    }
    bt_emit_end(&refusal->emit);
}

static enum bt_status put_composition(struct governed_refusal_state *refusal)
{
    const bt_json_value *composition = find_param(refusal, "archetype_composition");
    bt_emit_name(&refusal->emit, "archetype_composition");
    if (!composition) {
        bt_emit_begin_object(&refusal->emit);
        bt_emit_end(&refusal->emit);
        return BT_OK;
    }
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    const enum bt_status status = bt_json_write(&text, refusal->params, composition,
                                                BT_JSON_FORM_COMPACT, refusal->item->arena, NULL);
    if (status == BT_OK) {
        bt_emit_raw(&refusal->emit, bt_buf_str(&text));
    }
    bt_buf_free(&text);
    return status;
}

/* What is missing, and a question for each. */
static void put_questions(struct governed_refusal_state *refusal, bool as_questions)
{
    const struct bt_findings *findings = refusal->item->check.findings;
    bt_emit_name(&refusal->emit, as_questions ? "clarifying_questions" : "required_information");
    bt_emit_begin_array(&refusal->emit);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (!bt_str_eq(finding->rule->code, BT_STR("INSUFFICIENT_CONTEXT"))) {
            continue;
        }
        const bool is_output = bt_str_ends_with(finding->pointer, BT_STR("expected_output"));
        bt_emit_string(&refusal->emit, !as_questions ? finding->pointer
                                       : is_output   ? BT_STR("What should the result look like?")
                                                     : BT_STR("What is to be done?"));
    }
    bt_emit_end(&refusal->emit);
}

/* The members that the reason requires. */
static enum bt_status put_demanded(struct governed_refusal_state *refusal, bt_str reason)
{
    struct bt_emit *emit = &refusal->emit;
    size_t count = 0;
    if (bt_str_eq(reason, BT_STR("HASH_VERIFICATION_FAILURE"))) {
        bt_emit_name(emit, "security_flag");
        bt_emit_bool(emit, true);
        bt_emit_member_string(emit, "action_required",
                              BT_STR("compare document, lock and prompt file by hand, reconcile "
                                     "them, and have an operator unblock the agent"));
    } else if (bt_str_eq(reason, BT_STR("INVALID_AGENT_REFERENCE"))) {
        bt_emit_name(emit, "available_agents");
        bt_emit_begin_array(emit);
        bt_governed_root_put_ids(&refusal->item->check.governed_root, emit);
        bt_emit_end(emit);
    } else if (bt_str_eq(reason, BT_STR("INSUFFICIENT_CONTEXT"))) {
        put_questions(refusal, false);
        put_questions(refusal, true);
    } else if (bt_str_eq(reason, BT_STR("COMPOSITION_VIOLATION"))) {
        BT_TRY(put_composition(refusal));
        put_suggestions(refusal);
    } else {
        if (bt_str_eq(reason, BT_STR("BOUNDARY_VIOLATION"))) {
            bt_emit_member_string(emit, "suggested_action",
                                  find_suggestions(refusal, &count)
                                      ? BT_STR("hand to a suggested agent, which may hand on")
                                      : BT_STR("ask whoever keeps the catalogue, or an archetype"));
        }
        put_suggestions(refusal);
    }
    return BT_OK;
}

static enum bt_status put_refusal(struct governed_refusal_state *refusal,
                                  const struct governed_refusal_word *word)
{
    bt_emit_begin_object(&refusal->emit);
    bt_emit_member_string(&refusal->emit, "refusal_reason", word->reason);
    bt_emit_member_string(&refusal->emit, "explanation", refusal->primary->message);
    bt_emit_member_string(&refusal->emit, "governance_rule", bt_str_of(word->rule));
    BT_TRY(put_demanded(refusal, word->reason));
    bt_emit_end(&refusal->emit);
    return BT_OK;
}

static void put_error(struct governed_refusal_state *refusal)
{
    const struct bt_findings *findings = refusal->item->check.findings;
    struct bt_emit *emit = &refusal->emit;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "error_code", refusal->primary->rule->code);
    bt_emit_member_string(emit, "error_message", refusal->primary->message);
    bt_emit_name(emit, "error_details");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "code", finding->rule->code);
            bt_emit_member_string(emit, "pointer", finding->pointer);
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
    bt_emit_member_string(emit, "recovery_suggestion", refusal->primary->hint);
    bt_emit_end(emit);
}

static enum bt_status put_head(struct governed_refusal_state *refusal)
{
    char id[BT_UUID_TEXT_BYTES];
    struct bt_emit *emit = &refusal->emit;
    BT_TRY(bt_env_uuid(refusal->deciding->govern->env, id));
    bt_emit_member_string(emit, "response_id", bt_str_of(id));
    bt_emit_member_string(emit, "timestamp", bt_str_of(refusal->deciding->now));
    bt_emit_member_string(emit, "protocol_version", BT_STR("1.0.0"));
    bt_emit_name(emit, "agent");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "agent_type", BT_STR("governor"));
    bt_emit_member_string(emit, "agent_id", BT_STR("baton"));
    bt_emit_member_string(emit, "agent_version", bt_str_of(BATON_VERSION));
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_response(struct governed_refusal_state *refusal)
{
    const struct governed_refusal_word *word = word_of(refusal->primary->rule->code);
    struct bt_emit *emit = &refusal->emit;
    bt_emit_name(emit, "response");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "status", word ? BT_STR("refused") : BT_STR("error"));
    bt_emit_name(emit, "content");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "type", BT_STR("structured"));
    bt_emit_name(emit, "data");
    if (word) {
        BT_TRY(put_refusal(refusal, word));
    } else {
        put_error(refusal);
    }
    bt_emit_member_string(emit, "format", BT_STR("json"));
    bt_emit_end(emit);
    bt_emit_member_string(emit, "confidence", word ? BT_STR("high") : BT_STR("not_applicable"));
    bt_emit_end(emit);
    return BT_OK;
}

static bool is_request_type(bt_str type)
{
    static const bt_str types[] = {BT_STR_INIT("query"), BT_STR_INIT("task"),
                                   BT_STR_INIT("analysis"), BT_STR_INIT("decision")};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (bt_str_eq(types[i], type)) {
            return true;
        }
    }
    return false;
}

static void put_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name(emit, name);
    if (text.len > 0) {
        bt_emit_string(emit, text);
    } else {
        bt_emit_null(emit);
    }
}

static void put_context(struct governed_refusal_state *refusal)
{
    const struct bt_governed_check *check = &refusal->item->check;
    const bt_str type = bt_governed_check_text(check, BT_STR("/context/request/type"));
    const bt_str text = bt_governed_check_text(check, BT_STR("/context/request/description"));
    struct bt_emit *emit = &refusal->emit;
    size_t end = 0;
    for (size_t i = 0; i < SUMMARY_CHARACTERS && end < text.len; i++) {
        uint32_t ignored = 0;
        end += bt_utf8_decode(text, end, &ignored);
    }
    bt_emit_name(emit, "request_context");
    bt_emit_begin_object(emit);
    put_or_null(emit, "request_id", refusal->item->handoff_id);
    put_or_null(emit, "request_type", is_request_type(type) ? type : BT_STR(""));
    bt_emit_member_string(emit, "request_summary", bt_str_slice(text, 0, end));
    bt_emit_end(emit);
}

static void put_flag(struct bt_emit *emit, const char *name, bool truth)
{
    bt_emit_name(emit, name);
    bt_emit_bool(emit, truth);
}

static void put_governance(struct governed_refusal_state *refusal)
{
    const enum bt_governed_fact found = refusal->item->check.verified[BT_BOUNDARIES_RESPECTED];
    bt_emit_name(&refusal->emit, "governance");
    bt_emit_begin_object(&refusal->emit);
    put_flag(&refusal->emit, "within_scope", false);
    put_flag(&refusal->emit, "boundaries_respected", found == BT_GOVERNED_FACT_TRUE);
    put_flag(&refusal->emit, "quality_standards_met", false);
    put_flag(&refusal->emit, "constraints_followed", true);
    bt_emit_end(&refusal->emit);
}

static void put_next(struct governed_refusal_state *refusal)
{
    size_t count = 0;
    const bt_json_value *items = find_suggestions(refusal, &count);
    struct bt_emit *emit = &refusal->emit;
    if (!items) {
        return;
    }
    bt_emit_name(emit, "next_actions");
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "suggested_handoffs");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "target_agent", bt_json_text(&items[i]));
        bt_emit_member_string(emit, "reason", BT_STR("an allowed way leads over this agent"));
        put_flag(emit, "required", true);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static enum bt_status put_document(struct governed_refusal_state *refusal)
{
    bt_emit_begin_object(&refusal->emit);
    BT_TRY(put_head(refusal));
    BT_TRY(put_response(refusal));
    put_context(refusal);
    put_governance(refusal);
    put_next(refusal);
    bt_emit_end(&refusal->emit);
    return BT_OK;
}

enum bt_status bt_governed_submission_refuse(const struct bt_governed_decision_state *deciding,
                                             struct bt_governed_submission *item)
{
    struct governed_refusal_state refusal = {
        .deciding = deciding, .item = item, .primary = item->decision.primary};
    struct bt_buf buf;
    bt_str params = BT_STR("");
    BT_TRY(bt_finding_params(refusal.primary, item->arena, &params));
    if (params.len > 0) {
        BT_TRY(bt_governed_json(item->check.governed, item->arena, params, NULL, &refusal.params));
    }
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&refusal.emit, &buf, false);
    enum bt_status status = put_document(&refusal);
    status = status == BT_OK ? bt_buf_copy(&buf, item->arena, &item->decision.response) : status;
    bt_buf_free(&buf);
    return status;
}
