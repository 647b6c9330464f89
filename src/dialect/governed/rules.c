/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules of the dialect, and what to do about each.
 *
 * The examples of rules about one document are handoffs or responses that differ from a good one in
 * the members shown; rules about a catalogue, a clock or a store have none.
 */
#include <assert.h>

#include "dialect/governed/schema.h"
#include "report/json_rules.h"
#include "schema/rules.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, security_, meaning_)                                         \
    .code = TEXT(code_), .dialect = TEXT("governed"), .severity = (severity_), .stage = (stage_),  \
    .security = (security_), .meaning = TEXT(meaning_), .bad = TEXT(""), .good = TEXT("")

const struct bt_rule bt_governed_rules[] = {
    {
        ROW("AGENT_BINDING_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "the caller speaks for other agents than the document's source"),
        .explanation = TEXT(
            "A token is bound to agents and speaks only for them. The attempt is recorded, and "
            "nothing else is done with the document: nobody is blocked, and no id is used up. "
            "params.claimed names the source: use the sender's own token."),
    },
    {
        ROW("AGENT_BLOCKED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "the agent awaits manual verification"),
        .explanation = TEXT(
            "Bytes about this agent disagreed before, and nobody has cleared that yet. A "
            "block is lifted by reconciliation plus a person, never by either alone: make "
            "lock, file and senders agree, then run baton govern unblock with a reason."),
    },
    {
        ROW("AMBIGUOUS_REQUEST", BT_SEVERITY_NONE, BT_STAGE_NONE, false,
            "a refusal: the request can be read in more than one way"),
        .explanation = TEXT(
            "Only agents say this, in responses of status partial, with clarifying_questions. "
            "It is never a finding."),
    },
    {
        ROW("ATTESTATION_FALSE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "the sender vouches for what Baton found false"),
        .explanation = TEXT(
            "The four flags of governance are statements of the sender: true proves nothing. "
            "Something else made the value false and is reported beside this; a sender that "
            "vouches for what is untrue is worth an operator's attention of its own."),
    },
    {
        ROW("BOUNDARIES_DRIFT", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "the boundaries file and a prompt disagree"),
        .explanation = TEXT(
            "The file decides, but the prompt tells its model something else. Write one from "
            "the other so that people and machine read the same."),
    },
    {
        ROW("BOUNDARIES_UNUSABLE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "the boundaries file is not covered by the lock, changed or broken"),
        .explanation = TEXT(
            "When the file exists it is the only source of boundaries and the lock must cover "
            "it; otherwise an edit could widen permissions without a trace. params.detail "
            "says what is wrong."),
    },
    {
        ROW("BOUNDARY_LINE_INVALID", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "a line names its own agent, an unknown one, or one twice"),
        .explanation = TEXT(
            "An invalid line in a prompt authorises nobody; an invalid entry in the "
            "boundaries file makes the whole file unusable."),
    },
    {
        ROW("BOUNDARY_LINE_ODD", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "a line is not understood, or its label and number disagree"),
        .explanation = TEXT(
            "Inside the section about collaboration only one form of line counts. Others "
            "authorise nobody, which is hardly what their author meant."),
    },
    {
        ROW("BOUNDARY_VIOLATION", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "no pattern or list allows this pair"),
        .explanation = TEXT(
            "params.reason says why, params.path is the shortest way that is allowed, and "
            "params.suggested_agents are its first steps."),
    },
    {
        ROW("COMPOSITION_DRIFT", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "the headings of a prompt and the manifest disagree about a composition"),
        .explanation = TEXT(
            "The manifest decides, but the model of the archetype reads the headings."),
    },
    {
        ROW("COMPOSITION_UNUSUAL", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "the largest share is tied, or outside 40 to 60"),
        .explanation = TEXT(
            "An archetype has one primary domain that carries about half of it. Other "
            "compositions are valid, and rarely meant."),
    },
    {
        ROW("COMPOSITION_VIOLATION", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "a composition is invalid, or the target is no constituent"),
        .explanation = TEXT(
            "An archetype is made of two to four domains of the manifest with whole shares "
            "that make 100, and hands only to those."),
    },
    {
        ROW("CONTEXT_HIDDEN_TEXT", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS, true,
            "control, bidirectional or tag characters in a text"),
        .explanation = TEXT(
            "Characters that people do not see but models read can carry instructions past a "
            "reviewer. The setting hidden_text: reject makes this HARD."),
    },
    {
        ROW("CONTEXT_SYSTEM_MESSAGE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS, true,
            "the history carries a system or developer message"),
        .explanation = TEXT(
            "A message with such a role would overrule the pinned prompt of the receiver. The "
            "setting system_messages makes this a warning or allows it."),
    },
    {
        ROW("FUTURE_TIMESTAMP", BT_SEVERITY_HARD, BT_STAGE_RECORD, true,
            "the time stamp is ahead of the clock"),
        .explanation = TEXT(
            "A handoff may be at most max_future_s seconds ahead. The limit itself is "
            "accepted."),
    },
    {
        ROW("GOVERNANCE_NOT_CHECKED", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "only the structure was checked"),
        .explanation = TEXT(
            "Without a catalogue nothing about agents, prompts and boundaries can be known."),
    },
    {
        ROW("HASH_VERIFICATION_FAILURE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "document, lock and prompt file do not agree"),
        .explanation = TEXT(
            "Baton hashes the prompt file itself and compares it with the lock and with what "
            "the document says. params.reason says which of them differ; no digest is ever "
            "told."),
    },
    {
        ROW("IMMUTABILITY_VIOLATION", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "content changed without a higher version"),
        .explanation = TEXT(
            "A locked prompt is immutable: other bytes are another version. The lock is not "
            "rewritten until the manifest says so, by semantic-version precedence."),
    },
    {
        ROW("INSUFFICIENT_CONTEXT", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS, false,
            "description or expected output is blank"),
        .explanation = TEXT(
            "A blank text is as good as a missing one: the receiver could only guess."),
    },
    {
        ROW("INVALID_AGENT_REFERENCE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "an id or type is not as in the manifest"),
        .explanation = TEXT(
            "Ids are compared byte for byte: no alias, no other spelling. params.closest is a "
            "suggestion and is never applied."),
    },
    {
        ROW("LOCK_COPY_DIFFERS", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "a copy of the lock is absent or differs"),
        .explanation = TEXT(
            "The files of lock_copies must equal the lock byte for byte."),
    },
    {
        ROW("LOCK_ENTRY_ORPHAN", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "a lock entry has no agent"),
        .explanation = TEXT(
            "The manifest does not list the agent that this entry is about."),
    },
    {
        ROW("MANIFEST_INCONSISTENT", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "ids or numbers of the manifest contradict each other"),
        .explanation = TEXT(
            "Each agent is known by one id, and each domain by one number; otherwise a "
            "reference could mean two agents. The manifest is not used until it is mended."),
    },
    {
        ROW("MANIFEST_UNUSABLE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "the manifest is missing, broken or inconsistent"),
        .explanation = TEXT(
            "Without a usable manifest every handoff is refused; nothing falls back to "
            "something weaker. params.detail says what is wrong."),
    },
    {
        ROW("METHOD_NOT_ALLOWED", BT_SEVERITY_NONE, BT_STAGE_NONE, false,
            "an HTTP problem: the method is not POST"),
        .explanation = TEXT(
            "Never a finding: see the answers of POST /v1/dispatch."),
    },
    {
        ROW("MULTIPLE_VALID_APPROACHES", BT_SEVERITY_NONE, BT_STAGE_NONE, false,
            "a refusal: several approaches fit and none was chosen"),
        .explanation = TEXT(
            "Only agents say this, in responses of status partial, with options. It is never "
            "a finding."),
    },
    {
        ROW("OUT_OF_SCOPE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "the target does not accept this type of request"),
        .explanation = TEXT(
            "The manifest says in `accepts` which types of request an agent takes."),
    },
    {
        ROW("PROMPT_FILE_NAME", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "the name of a prompt file is not ID.system.prompt.md"),
        .explanation = TEXT(
            "People and tools find prompts by their names: domains/ID.system.prompt.md."),
    },
    {
        ROW("PROMPT_UNLISTED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "a prompt file is named by no manifest entry"),
        .explanation = TEXT(
            "A prompt beside the catalogue is pinned by nothing and can be changed unseen."),
    },
    {
        ROW("QUALITY_CANNOT_BE_MET", BT_SEVERITY_NONE, BT_STAGE_NONE, false,
            "a refusal: the agent cannot do this well enough"),
        .explanation = TEXT(
            "Only agents say this, in responses of status refused. It is never a finding."),
    },
    {
        ROW("REPLAYED_ID", BT_SEVERITY_HARD, BT_STAGE_RECORD, true,
            "this id was accepted before"),
        .explanation = TEXT(
            "An id is used up by its first acceptance, for ever and in any letter case. "
            "params.first_seq is that entry; with same_document the first attempt counted."),
    },
    {
        ROW("RESPONSE_CONFIDENCE", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS, false,
            "the confidence does not fit the status"),
        .explanation = TEXT(
            "An error has no confidence; every other answer has one."),
    },
    {
        ROW("RESPONSE_CONTEXT_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_RECORD, false,
            "the request type differs from the handoff's"),
        .explanation = TEXT(
            "An answer speaks about the request that was made: copy its type from the handoff."),
    },
    {
        ROW("RESPONSE_TIME_ORDER", BT_SEVERITY_HARD, BT_STAGE_RECORD, false,
            "the response is older than its handoff"),
        .explanation = TEXT(
            "Nobody answers before being asked; look at the clocks of both sides."),
    },
    {
        ROW("RESPONSE_UNEXPLAINED", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS, false,
            "a flag is false, and nothing explains it"),
        .explanation = TEXT(
            "Whoever says that scope, boundaries, quality or constraints were not kept says "
            "why."),
    },
    {
        ROW("RESPONSE_UNLINKED", BT_SEVERITY_HARD, BT_STAGE_RECORD, false,
            "there is no open accepted handoff of that id"),
        .explanation = TEXT(
            "params.reason is unknown_handoff, or closed when the handoff has its final "
            "response already."),
    },
    {
        ROW("RESPONSE_WRONG_AGENT", BT_SEVERITY_HARD, BT_STAGE_RECORD, true,
            "the responder is not the target of the handoff"),
        .explanation = TEXT(
            "A handoff is answered by whom it was given to. Documents of a governor are "
            "Baton's own and are never accepted from outside."),
    },
    {
        ROW("ROOT_COUNT_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "a declared count is wrong"),
        .explanation = TEXT(
            "Counts tell whether something was added or lost by accident."),
    },
    {
        ROW("ROOT_FILE_UNUSABLE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, true,
            "manifest or lock is missing or unsafe"),
        .explanation = TEXT(
            "Trust on first use must be said aloud, so a missing lock is never made on the "
            "way."),
    },
    {
        ROW("ROOT_VERSION_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE, false,
            "lock and manifest are of different versions"),
        .explanation = TEXT(
            "A lock belongs to one version of its manifest."),
    },
    {
        ROW("STALE_TIMESTAMP", BT_SEVERITY_HARD, BT_STAGE_RECORD, true,
            "the document is older than the window"),
        .explanation = TEXT(
            "A document may be at most max_age_s seconds old. The limit itself is accepted."),
    },
    {
        ROW("STORE_UNAVAILABLE", BT_SEVERITY_NONE, BT_STAGE_NONE, false,
            "an HTTP problem: the store could not be written"),
        .explanation = TEXT(
            "Never a finding: nothing was decided and no id is used up."),
    },
    {
        ROW("SUGGESTION_INVALID", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE, false,
            "a suggested handoff would be refused"),
        .explanation = TEXT(
            "A good answer with a poor tip is still an answer, so this only warns."),
    },
    {
        ROW("UNSUPPORTED_MEDIA_TYPE", BT_SEVERITY_NONE, BT_STAGE_NONE, false,
            "an HTTP problem: the body is not application/json"),
        .explanation = TEXT(
            "Never a finding: see the answers of POST /v1/dispatch."),
    },
};

/* In the order of the rows. What the chapter says of a finding is said letter for letter. */
static const bt_str hints[] = {
    TEXT("use the sender's own token"),
    TEXT("govern unblock after reconciling"),
    TEXT("clarify the request"),
    TEXT("attest only what was verified"),
    TEXT("boundaries show --emit"),
    TEXT("restore it or run lock update"),
    TEXT("correct the line"),
    TEXT("use the line form"),
    TEXT("use a suggested agent or an archetype"),
    TEXT("align them"),
    TEXT("reconsider the shares"),
    TEXT("correct the shares; use a suggested agent"),
    TEXT("remove them"),
    TEXT("drop it; pass facts in accumulated_context"),
    TEXT("synchronise clocks"),
    TEXT("give --root"),
    TEXT("verify by hand, reconcile, unblock"),
    TEXT("raise the version in the manifest"),
    TEXT("say what is wanted"),
    TEXT("use the canonical id, see available_agents"),
    TEXT("copy the lock again"),
    TEXT("lock update --prune"),
    TEXT("make key, canonical_id and number unique"),
    TEXT("run govern verify-root"),
    TEXT("use POST"),
    TEXT("choose one of the options"),
    TEXT("use a suggested agent"),
    TEXT("rename"),
    TEXT("list it or remove it"),
    TEXT("supply what required_information names"),
    TEXT("new id; see same_document"),
    TEXT("use not_applicable exactly for errors"),
    TEXT("copy it from the handoff"),
    TEXT("correct the time stamp"),
    TEXT("add data.explanation"),
    TEXT("correct request_id"),
    TEXT("let the target answer"),
    TEXT("correct the count"),
    TEXT("restore the file; lock update --init"),
    TEXT("lock update"),
    TEXT("send again with a new id and time"),
    TEXT("try again later"),
    TEXT("suggest an allowed agent"),
    TEXT("send application/json in UTF-8"),
};
/* clang-format on */

enum { ROWS = sizeof(bt_governed_rules) / sizeof(bt_governed_rules[0]) };

_Static_assert(sizeof(hints) / sizeof(hints[0]) == ROWS, "one hint for each row");

const size_t bt_governed_rules_count = ROWS;

/* The place of a code among the rows, or ROWS. */
static size_t place_of(bt_str code)
{
    size_t i = 0;
    while (i < ROWS && !bt_str_eq(bt_governed_rules[i].code, code)) {
        i++;
    }
    return i;
}

const struct bt_rule *bt_governed_checker_rule(bt_str code)
{
    const size_t place = place_of(code);
    if (place < ROWS) {
        return &bt_governed_rules[place];
    }
    return bt_str_starts_with(code, BT_STR("JSON_")) ? bt_json_rule(code) : bt_schema_rule(code);
}

bt_str bt_governed_checker_hint(bt_str code)
{
    const size_t place = place_of(code);
    return place < ROWS ? hints[place] : BT_STR("correct the document");
}

void bt_governed_checker_remark(struct bt_finding_builder *remark, const char *code,
                                struct bt_governed_location location)
{
    const struct bt_rule *rule = bt_governed_checker_rule(bt_str_of(code));
    assert(rule);
    bt_finding_builder_begin(remark, rule);
    remark->finding.hint = bt_governed_checker_hint(rule->code);
    if (location.value) {
        remark->finding.offset = bt_json_span(location.document, location.value).begin;
    }
}
