/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_refusal.c - a rejected handoff is answered with one response document. It repeats the
 * primary finding, suggests other agents, and confirms only what was verified.
 */
#include "decide/governed_decide.h"
#include "json/emit.h"
#include "report/rules.h"
#include "report/version.h"

enum { SUMMARY_CHARACTERS = 200 };

/* In order of precedence; read and schema codes come before all of them. */
static const enum bt_code order[] = {
    BT_CODE_AGENT_BINDING_MISMATCH,
    BT_CODE_MANIFEST_UNUSABLE,
    BT_CODE_INVALID_AGENT_REFERENCE,
    BT_CODE_HASH_VERIFICATION_FAILURE,
    BT_CODE_AGENT_BLOCKED,
    BT_CODE_BOUNDARIES_UNUSABLE,
    BT_CODE_COMPOSITION_VIOLATION,
    BT_CODE_BOUNDARY_VIOLATION,
    BT_CODE_OUT_OF_SCOPE,
    BT_CODE_CONTEXT_SYSTEM_MESSAGE,
    BT_CODE_CONTEXT_HIDDEN_TEXT,
    BT_CODE_CONTEXT_INJECTION_PHRASE,
    BT_CODE_INSUFFICIENT_CONTEXT,
    BT_CODE_ATTESTATION_FALSE,
    BT_CODE_STALE_TIMESTAMP,
    BT_CODE_FUTURE_TIMESTAMP,
    BT_CODE_REPLAYED_ID,
};

enum { ORDERED = sizeof(order) / sizeof(order[0]) };

static size_t rank_of(const struct bt_finding *finding)
{
    if (finding->rule->stage == BT_STAGE_READ || finding->rule->stage == BT_STAGE_SCHEMA) {
        return 0;
    }
    size_t rank = 0;
    while (rank < ORDERED && order[rank] != finding->code) {
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
    struct bt_emit emit;
};

static const struct governed_refusal_word {
    enum bt_code code;
    enum bt_code reason; /* the response's word for it */
    const char *rule;
} words[] = {
    {BT_CODE_OUT_OF_SCOPE, BT_CODE_OUT_OF_SCOPE, "boundary-enforcement"},
    {BT_CODE_BOUNDARY_VIOLATION, BT_CODE_BOUNDARY_VIOLATION, "boundary-enforcement"},
    {BT_CODE_HASH_VERIFICATION_FAILURE, BT_CODE_HASH_VERIFICATION_FAILURE, "agent-verification"},
    {BT_CODE_AGENT_BLOCKED, BT_CODE_HASH_VERIFICATION_FAILURE, "agent-verification"},
    {BT_CODE_INVALID_AGENT_REFERENCE, BT_CODE_INVALID_AGENT_REFERENCE, "agent-verification"},
    {BT_CODE_COMPOSITION_VIOLATION, BT_CODE_COMPOSITION_VIOLATION, "composition-validation"},
    {BT_CODE_INSUFFICIENT_CONTEXT, BT_CODE_INSUFFICIENT_CONTEXT, "context-integrity"},
};

static const struct governed_refusal_word *word_of(unsigned code)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (words[i].code == code) {
            return &words[i];
        }
    }
    return NULL;
}

/* The agents that the primary finding suggests; none when it has no such parameter. */
static struct bt_str_list find_suggestions(const struct governed_refusal_state *refusal)
{
    const struct bt_finding_arg *arg = bt_finding_arg(refusal->primary, BT_STR("suggested_agents"));
    return arg && !arg->is_absent ? arg->as.texts : (struct bt_str_list){NULL, 0};
}

static void put_suggestions(struct governed_refusal_state *refusal)
{
    const struct bt_str_list agents = find_suggestions(refusal);
    bt_emit_name(&refusal->emit, "suggested_agent");
    if (agents.count > 0) {
        bt_emit_string(&refusal->emit, agents.items[0]);
    } else {
        bt_emit_null(&refusal->emit);
    }
    bt_emit_member_array(&refusal->emit, "suggested_agents");
    for (size_t i = 0; i < agents.count; i++) {
        bt_emit_string(&refusal->emit, agents.items[i]);
    }
    bt_emit_end(&refusal->emit);
}

static void put_composition(struct governed_refusal_state *refusal)
{
    const struct bt_finding_arg *arg =
        bt_finding_arg(refusal->primary, BT_STR("archetype_composition"));
    bt_emit_member_raw(&refusal->emit, "archetype_composition",
                       arg && !arg->is_absent ? arg->as.text : BT_STR("{}"));
}

/* What is missing, and a question for each. */
static void put_questions(struct governed_refusal_state *refusal, bool as_questions)
{
    const struct bt_findings *findings = refusal->item->check.findings;
    bt_emit_name(&refusal->emit, as_questions ? "clarifying_questions" : "required_information");
    bt_emit_begin_array(&refusal->emit);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->code != BT_CODE_INSUFFICIENT_CONTEXT) {
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
static void put_demanded(struct governed_refusal_state *refusal, enum bt_code reason)
{
    struct bt_emit *emit = &refusal->emit;
    if (reason == BT_CODE_HASH_VERIFICATION_FAILURE) {
        bt_emit_member_bool(emit, "security_flag", true);
        bt_emit_member_string(emit, "action_required",
                              BT_STR("compare document, lock and prompt file by hand, reconcile "
                                     "them, and have an operator unblock the agent"));
    } else if (reason == BT_CODE_INVALID_AGENT_REFERENCE) {
        bt_emit_member_array(emit, "available_agents");
        bt_governed_root_put_ids(&refusal->item->check.governed_root, emit);
        bt_emit_end(emit);
    } else if (reason == BT_CODE_INSUFFICIENT_CONTEXT) {
        put_questions(refusal, false);
        put_questions(refusal, true);
    } else if (reason == BT_CODE_COMPOSITION_VIOLATION) {
        put_composition(refusal);
        put_suggestions(refusal);
    } else {
        if (reason == BT_CODE_BOUNDARY_VIOLATION) {
            bt_emit_member_string(emit, "suggested_action",
                                  find_suggestions(refusal).count > 0
                                      ? BT_STR("hand to a suggested agent, which may hand on")
                                      : BT_STR("ask the owner of the catalogue, or an archetype"));
        }
        put_suggestions(refusal);
    }
}

static void put_refusal(struct governed_refusal_state *refusal,
                        const struct governed_refusal_word *word)
{
    bt_emit_begin_object(&refusal->emit);
    bt_emit_member_string(&refusal->emit, "refusal_reason",
                          bt_rule_of_dialect(word->reason, BT_DIALECT_GOVERNED)->code);
    bt_emit_member_string(&refusal->emit, "explanation", refusal->primary->message);
    bt_emit_member_string(&refusal->emit, "governance_rule", bt_str_of(word->rule));
    put_demanded(refusal, word->reason);
    bt_emit_end(&refusal->emit);
}

static void put_error(struct governed_refusal_state *refusal)
{
    const struct bt_findings *findings = refusal->item->check.findings;
    struct bt_emit *emit = &refusal->emit;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "error_code", refusal->primary->rule->code);
    bt_emit_member_string(emit, "error_message", refusal->primary->message);
    bt_emit_member_array(emit, "error_details");
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
    char *id = refusal->item->response_id;
    struct bt_emit *emit = &refusal->emit;
    BT_TRY(bt_env_uuid(refusal->deciding->govern->env, id));
    bt_emit_member_string(emit, "response_id", bt_str_of(id));
    bt_emit_member_string(emit, "timestamp", bt_str_of(refusal->deciding->now));
    bt_emit_member_string(emit, "protocol_version", BT_STR("1.0.0"));
    bt_emit_member_object(emit, "agent");
    bt_emit_member_string(emit, "agent_type", BT_STR("governor"));
    bt_emit_member_string(emit, "agent_id", BT_STR("baton"));
    bt_emit_member_string(emit, "agent_version", bt_str_of(BATON_VERSION));
    bt_emit_end(emit);
    return BT_OK;
}

static void put_response(struct governed_refusal_state *refusal)
{
    const struct governed_refusal_word *word = word_of(refusal->primary->code);
    struct bt_emit *emit = &refusal->emit;
    bt_emit_member_object(emit, "response");
    bt_emit_member_string(emit, "status", word ? BT_STR("refused") : BT_STR("error"));
    bt_emit_member_object(emit, "content");
    bt_emit_member_string(emit, "type", BT_STR("structured"));
    bt_emit_name(emit, "data");
    if (word) {
        put_refusal(refusal, word);
    } else {
        put_error(refusal);
    }
    bt_emit_member_string(emit, "format", BT_STR("json"));
    bt_emit_end(emit);
    bt_emit_member_string(emit, "confidence", word ? BT_STR("high") : BT_STR("not_applicable"));
    bt_emit_end(emit);
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
    bt_emit_member_object(emit, "request_context");
    bt_emit_member_string_or_null(emit, "request_id", refusal->item->handoff_id);
    bt_emit_member_string_or_null(emit, "request_type", is_request_type(type) ? type : BT_STR(""));
    bt_emit_member_string(emit, "request_summary", bt_str_slice(text, 0, end));
    bt_emit_end(emit);
}

static void put_governance(struct governed_refusal_state *refusal)
{
    const enum bt_governed_fact found = refusal->item->check.verified[BT_BOUNDARIES_RESPECTED];
    bt_emit_member_object(&refusal->emit, "governance");
    bt_emit_member_bool(&refusal->emit, "within_scope", false);
    bt_emit_member_bool(&refusal->emit, "boundaries_respected", found == BT_GOVERNED_FACT_TRUE);
    bt_emit_member_bool(&refusal->emit, "quality_standards_met", false);
    bt_emit_member_bool(&refusal->emit, "constraints_followed", true);
    bt_emit_end(&refusal->emit);
}

static void put_next(struct governed_refusal_state *refusal)
{
    const struct bt_str_list agents = find_suggestions(refusal);
    struct bt_emit *emit = &refusal->emit;
    if (agents.count == 0) {
        return;
    }
    bt_emit_member_object(emit, "next_actions");
    bt_emit_member_array(emit, "suggested_handoffs");
    for (size_t i = 0; i < agents.count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "target_agent", agents.items[i]);
        bt_emit_member_string(emit, "reason", BT_STR("an allowed way leads over this agent"));
        bt_emit_member_bool(emit, "required", true);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static enum bt_status put_document(struct governed_refusal_state *refusal)
{
    bt_emit_begin_object(&refusal->emit);
    BT_TRY(put_head(refusal));
    put_response(refusal);
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
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&refusal.emit, &buf, false);
    enum bt_status status = put_document(&refusal);
    status = status == BT_OK ? bt_buf_copy(&buf, item->arena, &item->decision.response) : status;
    bt_buf_free(&buf);
    return status;
}
