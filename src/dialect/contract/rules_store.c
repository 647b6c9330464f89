/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_store.c - the rows of the rules that compare a block with what was stored before:
 * states, sections, approvals, attempts. None can be shown with one document.
 */
#include "dialect/contract/contract_check.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("contract"), .severity = (severity_), .stage = (stage_),  \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_contract_store_rules[] = {
    {
        ROW("APPROVAL_CONSUMED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the grant was used already"),
        .explanation = TEXT(
            "A grant covers what was approved once. What is to be done again is requested "
            "again and decided again by a person."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_EXPIRED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the deadline of the request or grant has passed"),
        .explanation = TEXT(
            "A request waits for a day, a grant for as long as the person said. After that the "
            "answer may no longer fit the question. Request it again."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_ID_NOT_PENDING", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "approval_id names no request that is pending"),
        .explanation = TEXT(
            "The request was decided, has expired, belongs to another workspace or never "
            "existed. Drop the id: a new request is made."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "this is not what was granted"),
        .explanation = TEXT(
            "The bytes of the command, the agent or the workspace differ from those of the "
            "request. There is no trimming, no case folding and no shell parsing: run exactly "
            "what was approved."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_NOT_APPROVED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the request has no grant"),
        .explanation = TEXT(
            "Nobody has approved it: it is pending, was rejected or revoked; params.status "
            "says which. Have a person decide."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_NOT_GRANTABLE", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE,
            "the request names nothing exact that could be approved"),
        .explanation = TEXT(
            "A grant is matched byte for byte against exact_content, or against the commands "
            "of command_set, 1 to 50 of at most 4,096 bytes each. Without them no request is "
            "made, because nothing could ever be matched. Give the exact command."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_NOT_PENDING", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the request was decided already"),
        .explanation = TEXT(
            "A request is approved, rejected or revoked once; params.status says what became "
            "of it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_SELF", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "an agent cannot decide about a request"),
        .explanation = TEXT(
            "The actor looks like the id of an agent. Consent is given by a person under a "
            "name of their own."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_TAMPERED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the request is not the one that was made or shown"),
        .security = true,
        .explanation = TEXT(
            "The fingerprint of the payload differs. Either the request was changed after a "
            "person saw it, or the fingerprint was copied from another one. Show it again and "
            "decide again."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("APPROVAL_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "there is no such request or grant"),
        .explanation = TEXT(
            "Ids are given in full, never by prefix. `baton approvals list` shows those that "
            "exist."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("CONTRACT_REJECTION_LIMIT", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "the report was sent back as often as allowed"),
        .explanation = TEXT(
            "An agent that cannot write its block after three attempts will not do so at the "
            "fourth, and each costs money. The report is neither accepted nor sent back; a "
            "person looks. An accepted report, or clearing the state, starts anew."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("ILLEGAL_TRANSITION", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "this status may not follow the last one"),
        .explanation = TEXT(
            "After APPROVAL_REQUEST, COMPLETE, BLOCKED and NEEDS_INPUT only IN_PROGRESS may "
            "come: an agent that goes on says so once before it is done. params.from and "
            "params.to name both."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("IN_PROGRESS_RETRY", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE,
            "this is the second IN_PROGRESS report in a row"),
        .explanation = TEXT(
            "An agent that goes on and on without an outcome may be stuck. The third one in a "
            "row is refused. Finish, or say what blocks."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("IN_PROGRESS_RETRY_CAP", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "this is the third IN_PROGRESS report in a row"),
        .explanation = TEXT(
            "Two are allowed; params.count and params.cap say so. Report another status: "
            "COMPLETE, BLOCKED, NEEDS_INPUT or APPROVAL_REQUEST."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("MERGE_SAME_NAME", BT_SEVERITY_WARN, BT_STAGE_RECORD,
            "a list has two different objects with the same name"),
        .explanation = TEXT(
            "Objects in lists are not merged by their name: the old one stays and the new one "
            "is added. If both mean one thing, restate them as one object under a key."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("MERGE_TYPE_CHANGE", BT_SEVERITY_WARN, BT_STAGE_RECORD,
            "an update changes the kind of a stored value"),
        .explanation = TEXT(
            "An object, a list and a scalar cannot be merged with each other, so the new value "
            "replaces the old one. Check that this was meant."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
};
/* clang-format on */

const size_t bt_contract_store_rules_count =
    sizeof(bt_contract_store_rules) / sizeof(bt_contract_store_rules[0]);
