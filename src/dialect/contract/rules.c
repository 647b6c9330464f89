/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules of the dialect.
 *
 * An example that is an object is a part of an envelope: the members that differ from those of a
 * good one, null for one that is missing. Every other example is a whole message. Where a rule is
 * about more than one document, it has none.
 */
#include <assert.h>

#include "dialect/contract/contract_check.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("contract"), .severity = (severity_), .stage = (stage_),  \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_contract_rules[] = {
    {
        ROW("ADVISORY_IGNORED", BT_SEVERITY_INFO, BT_STAGE_SCHEMA,
            "an advisory member is of a wrong type and is passed over"),
        .explanation = TEXT(
            "user_facing_summary is text, memory_suggestions a list, context_consumption an "
            "object. They never decide about the block, so a wrong one is left out of the "
            "facts and nothing else happens."),
        .bad = TEXT("{\"user_facing_summary\":5}"),
        .good = TEXT("{\"user_facing_summary\":\"All tests pass.\"}"),
    },
    {
        ROW("AGENT_ID", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the block does not say which agent wrote it"),
        .explanation = TEXT(
            "agent_status.agent_id routes repairs back to the agent and keys its state. Give "
            "the id under which the host knows you; params.expected has it where it is known."),
        .bad = TEXT("{\"agent_status\":{\"agent_id\":null}}"),
        .good = TEXT("{\"agent_status\":{\"agent_id\":\"a80177b959c721da1\"}}"),
    },
    {
        ROW("AGENT_ID_FORMAT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the agent id is not `a` and 5 to 127 lower-case hexadecimal digits"),
        .explanation = TEXT(
            "An id in another form cannot be the one that the host reports, so repairs would "
            "go nowhere and state would be kept for nobody. Copy the id; do not make one up."),
        .bad = TEXT("{\"agent_status\":{\"agent_id\":\"zzz\"}}"),
        .good = TEXT("{\"agent_status\":{\"agent_id\":\"a80177b959c721da1\"}}"),
    },
    {
        ROW("AGENT_ID_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the agent id is not the one that the host reports"),
        .security = true,
        .explanation = TEXT(
            "The equality of both ids is what makes agent_id provenance instead of a pattern: "
            "a block that was quoted from a file or from another agent carries another id. "
            "params.expected has the right one."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("AGENT_ID_SHORT", BT_SEVERITY_INFO, BT_STAGE_SCHEMA,
            "the agent id has fewer than 16 hexadecimal digits"),
        .explanation = TEXT(
            "Short ids collide in practice: two agents of one session would share their state. "
            "Use ids with at least 16 digits."),
        .bad = TEXT("{\"agent_status\":{\"agent_id\":\"a12ff0\"}}"),
        .good = TEXT("{\"agent_status\":{\"agent_id\":\"a80177b959c721da1\"}}"),
    },
    {
        ROW("AGENT_STATUS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the block has no agent_status"),
        .explanation = TEXT(
            "agent_status is an object with plan_status, agent_id, pending_steps and "
            "next_action. Without it nobody knows how the turn ended, and facts.missing lists "
            "all five."),
        .bad = TEXT("{\"agent_status\":[1]}"),
        .good = TEXT("{\"agent_status\":{\"next_action\":\"run the tests\"}}"),
    },
    {
        ROW("APPROVAL_CONTENT_DIFFERS", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "exact_content is not what command_set would grant"),
        .security = true,
        .explanation = TEXT(
            "Where there is a command_set, its items are granted and exact_content is not. "
            "exact_content must then be one of the items, or all of them joined by a line "
            "feed, `; ` or ` && `: a harmless text beside other commands misleads the person "
            "who decides. Make the two agree, or leave command_set out."),
        .bad = TEXT("{\"approval_request\":{\"exact_content\":\"git status\",\"command_set\":"
                    "[\"git push --force\"]}}"),
        .good = TEXT("{\"approval_request\":{\"exact_content\":\"make a && make b\","
                     "\"command_set\":[\"make a\",\"make b\"]}}"),
    },
    {
        ROW("APPROVAL_ID_FORMAT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "approval_id is not `P-` and 32 lower-case hexadecimal digits"),
        .explanation = TEXT(
            "The id names a request that was made before. Copy the one that was issued, in "
            "full, or leave it out: a new request is made then."),
        .bad = TEXT("{\"approval_request\":{\"approval_id\":\"P-12\"}}"),
        .good = TEXT("{\"approval_request\":{\"x_note\":\"no id yet\"}}"),
    },
    {
        ROW("APPROVAL_NOT_CANONICAL", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the request has no canonical form, so it cannot be sealed"),
        .explanation = TEXT(
            "The fingerprint that binds a consent to its words is taken over the canonical "
            "form of RFC 8785. An integer beyond 2^53-1, a number beyond the doubles and half "
            "of a surrogate pair have none. Write large numbers as text."),
        .bad = TEXT("{\"approval_request\":{\"x_cost\":9007199254740993}}"),
        .good = TEXT("{\"approval_request\":{\"x_cost\":\"9007199254740993\"}}"),
    },
    {
        ROW("APPROVAL_REQUEST", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the approval request is missing or no object"),
        .explanation = TEXT(
            "An agent that reports APPROVAL_REQUEST fills approval_request: what is to be "
            "done, exactly, in what scope, at what risk, how to undo it and how success is "
            "seen. On every other status the member is an object or null."),
        .bad = TEXT("{\"approval_request\":\"do it\"}"),
        .good = TEXT("{\"approval_request\":{\"operation\":\"do it\"}}"),
    },
    {
        ROW("APPROVAL_REQUEST_FIELD_MISSING", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the request lacks operation, exact_content, scope or risk_level"),
        .explanation = TEXT(
            "The person who decides should know what is to be done, to what, and how dangerous "
            "it is. Without exact_content nothing can be granted at all."),
        .bad = TEXT("{\"approval_request\":{\"scope\":null}}"),
        .good = TEXT("{\"approval_request\":{\"scope\":\"staging\"}}"),
    },
    {
        ROW("APPROVAL_REQUEST_INVALID_RISK_LEVEL", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "risk_level is none of LOW, MEDIUM, HIGH, CRITICAL"),
        .explanation = TEXT(
            "People and programs sort requests by these four words. Use the one that comes "
            "nearest."),
        .bad = TEXT("{\"approval_request\":{\"risk_level\":\"extreme\"}}"),
        .good = TEXT("{\"approval_request\":{\"risk_level\":\"CRITICAL\"}}"),
    },
    {
        ROW("APPROVAL_REQUEST_ROLLBACK", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the request does not say how to undo what it asks for"),
        .explanation = TEXT(
            "Nobody should consent to what cannot be taken back without knowing it. Say how to "
            "undo it, in words that are more than blanks; if it cannot be undone, say so."),
        .bad = TEXT("{\"approval_request\":{\"rollback\":\"\"}}"),
        .good = TEXT("{\"approval_request\":{\"rollback\":\"terraform apply previous.out\"}}"),
    },
    {
        ROW("APPROVAL_REQUEST_VERIFICATION", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the request does not say how success is seen"),
        .explanation = TEXT(
            "Say what will be looked at afterwards to know that it worked."),
        .bad = TEXT("{\"approval_request\":{\"verification\":[]}}"),
        .good = TEXT("{\"approval_request\":{\"verification\":\"the plan shows no changes\"}}"),
    },
    {
        ROW("BLOCKED_WITHOUT_GAP", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the agent is blocked but names nothing that blocks it"),
        .explanation = TEXT(
            "Whoever reviews the gaps of a blocked agent finds none. Name in "
            "evidence_report.open_gaps what stands in the way."),
        .bad = TEXT("{\"agent_status\":{\"plan_status\":\"BLOCKED\"}}"),
        .good = TEXT(
            "{\"agent_status\":{\"plan_status\":\"BLOCKED\"},"
            "\"evidence_report\":{\"open_gaps\":[\"access\"]}}"),
    },
    {
        ROW("COMMANDS_RUN", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "evidence_report has no commands_run"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Each of the seven keys is an answer, and an absent key is none. Add it, with [] "
            "when no command was run."),
        .bad = TEXT("{\"evidence_report\":{\"commands_run\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"commands_run\":[\"make test\"]}}"),
    },
    {
        ROW("COMMAND_ENTRY", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "an entry of commands_run is neither text nor an object with a command"),
        .explanation = TEXT(
            "Readers look for text, or for an object with command (or cmd) and perhaps result. "
            "Anything else is passed over."),
        .bad = TEXT("{\"evidence_report\":{\"commands_run\":[7]}}"),
        .good = TEXT(
            "{\"evidence_report\":{\"commands_run\":[{\"command\":\"make test\","
            "\"result\":\"ok\"}]}}"),
    },
    {
        ROW("COMPLETE_WITH_PENDING", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the agent is done, yet steps are pending"),
        .explanation = TEXT(
            "COMPLETE and a list of pending steps contradict each other. Empty the list, or do "
            "the steps and report IN_PROGRESS."),
        .bad = TEXT(
            "{\"agent_status\":{\"plan_status\":\"COMPLETE\",\"pending_steps\":[\"deploy\"]}}"),
        .good = TEXT("{\"agent_status\":{\"plan_status\":\"COMPLETE\",\"pending_steps\":[]}}"),
    },
    {
        ROW("CONFIRMED_FINDINGS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "consolidation_report has no confirmed_findings"),
        .explanation = TEXT(
            "A report that is offered or demanded has all six keys. Add it, with [] when "
            "nothing was confirmed."),
        .bad = TEXT("{\"consolidation_report\":{\"confirmed_findings\":null}}"),
        .good = TEXT("{\"consolidation_report\":{\"confirmed_findings\":[]}}"),
    },
    {
        ROW("CONFLICTS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "consolidation_report has no conflicts"),
        .explanation = TEXT(
            "No conflicts is an answer, an absent key is none. Add it, with [] when there are "
            "no conflicts."),
        .bad = TEXT("{\"consolidation_report\":{\"conflicts\":null}}"),
        .good = TEXT("{\"consolidation_report\":{\"conflicts\":[]}}"),
    },
    {
        ROW("CONSOLIDATION_REPORT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the consolidation report is demanded but missing, or it is unusable"),
        .explanation = TEXT(
            "An INPUT with multi_surface, consolidation_required or cross_check_required "
            "demands it, and a report that is offered is relied on. It is an object with six "
            "keys."),
        .bad = TEXT("{\"consolidation_report\":[]}"),
        .good = TEXT("{\"consolidation_report\":{\"conflicts\":[\"a and b\"]}}"),
    },
    {
        ROW("CONTRACT_BLOCK_DUPLICATE", BT_SEVERITY_WARN, BT_STAGE_READ,
            "the message has several blocks; the last one counts"),
        .explanation = TEXT(
            "Earlier blocks may be drafts or quotations. Only the last one is judged, whatever "
            "the others say. Send one block."),
        .bad = TEXT("```agent_contract_handoff\n{}\n```\n```agent_contract_handoff\n{}\n```\n"),
        .good = TEXT("```agent_contract_handoff\n{}\n```\n"),
    },
    {
        ROW("CONTRACT_BLOCK_MISSING", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the message has no agent_contract_handoff block"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "A turn ends with one block: a line of three backticks and directly "
            "agent_contract_handoff, one JSON object, and a line of three backticks. `baton "
            "contract template` prints a blank one. Where the object stands there without that "
            "fence, --fix puts it into one."),
        .bad = TEXT("All done.\n"),
        .good = TEXT("```agent_contract_handoff\n{}\n```\n"),
    },
    {
        ROW("CONTRACT_BLOCK_NOT_LAST", BT_SEVERITY_INFO, BT_STAGE_READ,
            "text follows the block"),
        .explanation = TEXT(
            "The block closes the turn. Text behind it is easily overlooked, and is a sign "
            "that the block was quoted. Put the block last."),
        .bad = TEXT("```agent_contract_handoff\n{}\n```\nBye.\n"),
        .good = TEXT("```agent_contract_handoff\n{}\n```\n"),
    },
    {
        ROW("CONTRACT_BLOCK_UNCLOSED", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the last block has no closing fence"),
        .explanation = TEXT(
            "The fence is closed by a line of its own with at least as many backticks as the "
            "opening line. Without it the message may have been cut, so nothing of it is used."),
        .bad = TEXT("```agent_contract_handoff\n{}\n"),
        .good = TEXT("```agent_contract_handoff\n{}\n```\n"),
    },
    {
        ROW("CONTRACT_NOT_OBJECT", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the body of the block is JSON, but no object"),
        .explanation = TEXT(
            "The envelope is one object. A list, a text or a number says nothing that could be "
            "looked up by name."),
        .bad = TEXT("```agent_contract_handoff\n[1]\n```\n"),
        .good = TEXT("```agent_contract_handoff\n{}\n```\n"),
    },
    {
        ROW("CONTRACT_SPELLING", BT_SEVERITY_INFO, BT_STAGE_SCHEMA,
            "a word is understood, but not written in its canonical form"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "plan_status, verification.result and risk_level are understood in another case "
            "and with blanks around them, plan_status also with a full stop behind it, and the "
            "keys of both reports in capitals. --fix writes the canonical form; nothing else "
            "is forgiven."),
        .bad = TEXT("{\"agent_status\":{\"plan_status\":\" in_progress.\"}}"),
        .good = TEXT("{\"agent_status\":{\"plan_status\":\"IN_PROGRESS\"}}"),
    },
    {
        ROW("CREDENTIAL_IN_PAYLOAD", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "an address in a payload carries a user or password"),
        .security = true,
        .explanation = TEXT(
            "A payload goes into the context of other agents, into prompts and records. Remove "
            "the secret from the address, and change it, because it has been seen. Its value "
            "is never repeated here."),
        .bad = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\","
            "\"payload\":{\"mirror\":\"https://bot:pw@git.org/a\"}}]}"),
        .good = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\","
            "\"payload\":{\"mirror\":\"https://git.org/a\"}}]}"),
    },
    {
        ROW("CROSS_LAYER_IMPACTS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "evidence_report has no cross_layer_impacts"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Each of the seven keys is an answer, and an absent key is none. Add it, with [] "
            "when no other layer is touched."),
        .bad = TEXT("{\"evidence_report\":{\"cross_layer_impacts\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"cross_layer_impacts\":[]}}"),
    },
    {
        ROW("CROSS_REPO_REF", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a reference to another repository is not in canonical form"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "One repository has many addresses. References are written "
            "host/owner/repo:table/name in lower case, without scheme, user, default port and "
            ".git, so that equal ones are equal. They are stored in that form; --fix writes "
            "it."),
        .bad = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\","
            "\"payload\":{\"net\":\"git@git.org:Org/Iac.git:tf/net\"}}]}"),
        .good = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\","
            "\"payload\":{\"net\":\"git.org/org/iac:tf/net\"}}]}"),
    },
    {
        ROW("EVIDENCE_REPORT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the block has no evidence_report"),
        .explanation = TEXT(
            "evidence_report says what was looked at, run and seen, in seven keys. Without it "
            "the status is a claim. For COMPLETE it also holds the verification."),
        .bad = TEXT("{\"evidence_report\":[1]}"),
        .good = TEXT("{\"evidence_report\":{\"key_outputs\":[\"42 tests passed\"]}}"),
    },
    {
        ROW("FILES_CHECKED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "evidence_report has no files_checked"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Each of the seven keys is an answer, and an absent key is none. Add it, with [] "
            "when no file was looked at."),
        .bad = TEXT("{\"evidence_report\":{\"files_checked\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"files_checked\":[\"main.tf\"]}}"),
    },
    {
        ROW("INPUT_SECTION_MISSING", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "the INPUT envelope lacks one of its five sections"),
        .explanation = TEXT(
            "project_knowledge, surface_routing, agent_contract_handoff (or its older name "
            "investigation_brief), write_permissions and metadata. An absent section counts as "
            "empty: nothing is demanded, nothing is writable."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("JSON_SYNTAX", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the body of the block is not strict JSON"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "params.rule says what stands there: yaml, comment, trailing_comma, unquoted_key, "
            "single_quotes, nan, control_character, truncated, trailing_bytes or other. The "
            "position is the byte where reading could not go on. --fix takes out comments and "
            "trailing commas, and nothing else."),
        .bad = TEXT("```agent_contract_handoff\n{\"agent_status\": {},}\n```\n"),
        .good = TEXT("```agent_contract_handoff\n{\"agent_status\": {}}\n```\n"),
    },
    {
        ROW("KEY_OUTPUTS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "evidence_report has no key_outputs"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Each of the seven keys is an answer, and an absent key is none. Add it, with [] "
            "when there was no output."),
        .bad = TEXT("{\"evidence_report\":{\"key_outputs\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"key_outputs\":[\"42 tests passed\"]}}"),
    },
    {
        ROW("LIST_EXPECTED", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a key that should hold a list holds something else"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "Readers go through the lists of both reports item by item. --fix writes [] for "
            "null and puts any other value into a list of its own."),
        .bad = TEXT("{\"evidence_report\":{\"open_gaps\":\"none\"}}"),
        .good = TEXT("{\"evidence_report\":{\"open_gaps\":[\"none\"]}}"),
    },
    {
        ROW("LIVE_STATE", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a payload says how a running system is today"),
        .explanation = TEXT(
            "Stored context indexes what statically exists. Addresses, counts of pods, states "
            "of instances and identifiers that a cloud made up are wrong tomorrow. Leave them "
            "out and look them up when they are needed. This goes by names and forms of "
            "values, so it can err."),
        .bad = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\","
            "\"payload\":{\"endpoint\":\"203.0.113.7\"}}]}"),
        .good = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\","
            "\"payload\":{\"network\":\"203.0.113.0/24\"}}]}"),
    },
    {
        ROW("LOOP_STATE_INCOMPLETE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the loop is neither spent nor good enough, yet the agent is done"),
        .explanation = TEXT(
            "With iterations left and the metric short of the threshold (or beyond it where "
            "direction is lower) there is work to do. Go on, and report IN_PROGRESS."),
        .bad = TEXT(
            "{\"agent_status\":{\"plan_status\":\"COMPLETE\"},"
            "\"loop_state\":{\"iteration\":2}}"),
        .good = TEXT(
            "{\"agent_status\":{\"plan_status\":\"COMPLETE\"},"
            "\"loop_state\":{\"iteration\":5}}"),
    },
    {
        ROW("LOOP_STATE_SHAPE", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "loop_state cannot be judged"),
        .explanation = TEXT(
            "It is an object with iteration, max_iterations, metric and threshold, each a "
            "number or text that is wholly a number, and perhaps direction, which is higher or "
            "lower."),
        .bad = TEXT("{\"loop_state\":{\"metric\":\"good\"}}"),
        .good = TEXT("{\"loop_state\":{\"metric\":0.95}}"),
    },
    {
        ROW("MEMORIALIZE_ENTRY", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "an entry to be remembered is unusable and is skipped"),
        .explanation = TEXT(
            "memorialize_suggestions is a list of objects with description and body, both text "
            "that says something."),
        .bad = TEXT("{\"memorialize_suggestions\":[{\"description\":\"d\"}]}"),
        .good = TEXT("{\"memorialize_suggestions\":[{\"description\":\"d\",\"body\":\"b\"}]}"),
    },
    {
        ROW("MEMORIALIZE_ENUM", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "type or class of an entry to be remembered is unknown"),
        .explanation = TEXT(
            "type is atom, decision or negative, class is anchor, thread or log. The entry is "
            "kept as it is; params.allowed has the words."),
        .bad = TEXT(
            "{\"memorialize_suggestions\":[{\"description\":\"d\",\"body\":\"b\","
            "\"class\":\"x\"}]}"),
        .good = TEXT(
            "{\"memorialize_suggestions\":[{\"description\":\"d\",\"body\":\"b\","
            "\"class\":\"log\"}]}"),
    },
    {
        ROW("NEXT_ACTION", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "next_action is missing or says nothing"),
        .explanation = TEXT(
            "Whoever goes on needs to know with what: text, a list or an object that says "
            "something."),
        .bad = TEXT("{\"agent_status\":{\"next_action\":\"\"}}"),
        .good = TEXT("{\"agent_status\":{\"next_action\":\"run the tests\"}}"),
    },
    {
        ROW("NEXT_BEST_AGENT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "consolidation_report names no next agent"),
        .explanation = TEXT(
            "Say who should look next, in text that is more than blanks."),
        .bad = TEXT("{\"consolidation_report\":{\"next_best_agent\":\"\"}}"),
        .good = TEXT("{\"consolidation_report\":{\"next_best_agent\":\"platform-agent\"}}"),
    },
    {
        ROW("OPEN_GAPS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a report has no open_gaps"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Both reports have this key. No gaps is an answer, an absent key is none: add it, "
            "with [] when nothing is open."),
        .bad = TEXT("{\"evidence_report\":{\"open_gaps\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"open_gaps\":[]}}"),
    },
    {
        ROW("OWNERSHIP_ASSESSMENT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "ownership_assessment is missing or an unknown word"),
        .explanation = TEXT(
            "It is exactly one of owned_here, cross_surface_dependency and not_my_surface."),
        .bad = TEXT("{\"consolidation_report\":{\"ownership_assessment\":\"mine\"}}"),
        .good = TEXT("{\"consolidation_report\":{\"ownership_assessment\":\"owned_here\"}}"),
    },
    {
        ROW("PATTERNS_CHECKED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "evidence_report has no patterns_checked"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Each of the seven keys is an answer, and an absent key is none. Add it, with [] "
            "when no pattern was looked for."),
        .bad = TEXT("{\"evidence_report\":{\"patterns_checked\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"patterns_checked\":[]}}"),
    },
    {
        ROW("PENDING_STEPS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "pending_steps is neither a list nor text"),
        .explanation = TEXT(
            "It lists what remains to be done. [] is fine, an absent member is not."),
        .bad = TEXT("{\"agent_status\":{\"pending_steps\":null}}"),
        .good = TEXT("{\"agent_status\":{\"pending_steps\":[]}}"),
    },
    {
        ROW("PLAN_STATUS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "plan_status is missing or none of the five words"),
        .explanation = TEXT(
            "IN_PROGRESS, APPROVAL_REQUEST, COMPLETE, BLOCKED or NEEDS_INPUT: the orchestrator "
            "decides by this word what happens next."),
        .bad = TEXT("{\"agent_status\":{\"plan_status\":\"DONE\"}}"),
        .good = TEXT("{\"agent_status\":{\"plan_status\":\"NEEDS_INPUT\"}}"),
    },
    {
        ROW("SCHEMA_TYPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a member of an INPUT envelope is of a wrong type"),
        .explanation = TEXT(
            "`baton schema print contract-input` shows what each member is. An INPUT with such "
            "a member cannot be used with --input, because what it demands or permits would be "
            "a guess."),
        .bad = TEXT("{\"write_permissions\":{\"writable_sections\":\"all\"}}"),
        .good = TEXT("{\"write_permissions\":{\"writable_sections\":[\"services\"]}}"),
    },
    {
        ROW("SUSPECTED_FINDINGS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "consolidation_report has no suspected_findings"),
        .explanation = TEXT(
            "A report that is offered or demanded has all six keys. Add it, with [] when "
            "nothing is suspected."),
        .bad = TEXT("{\"consolidation_report\":{\"suspected_findings\":null}}"),
        .good = TEXT("{\"consolidation_report\":{\"suspected_findings\":[]}}"),
    },
    {
        ROW("UNKNOWN_FIELD", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a member is unknown here"),
        .explanation = TEXT(
            "It is misspelled, stands in the wrong object or belongs to nobody; "
            "params.suggestion has the place or the name that was probably meant. Names that "
            "begin with x_ or x- are yours."),
        .bad = TEXT("{\"agent_state\":\"COMPLETE\"}"),
        .good = TEXT("{\"x_agent_state\":\"COMPLETE\"}"),
    },
    {
        ROW("UPDATE_CONTRACTS_DUPLICATE", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "two updates name the same contract"),
        .explanation = TEXT(
            "They are merged in order, so the later one wins where both speak. Combine them "
            "into one."),
        .bad = TEXT(
            "{\"update_contracts\":[{\"contract\":\"s\",\"payload\":{}},{\"contract\":\"s\","
            "\"payload\":{}}]}"),
        .good = TEXT("{\"update_contracts\":[{\"contract\":\"s\",\"payload\":{}}]}"),
    },
    {
        ROW("UPDATE_CONTRACTS_NOT_WRITABLE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the section may not be written by this agent"),
        .security = true,
        .explanation = TEXT(
            "The INPUT lists the sections in write_permissions.writable_sections; names are "
            "compared byte for byte, and there are no wildcards. Without an INPUT nothing is "
            "writable. Drop the update, or ask for permission."),
        .bad = TEXT("{\"update_contracts\":[{\"contract\":\"services\",\"payload\":{}}]}"),
        .good = TEXT("{\"update_contracts\":[]}"),
    },
    {
        ROW("UPDATE_CONTRACTS_SHAPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "an update is not of the form {contract, payload}"),
        .explanation = TEXT(
            "update_contracts is a list of objects with contract, text of at most 128 bytes "
            "without control characters, and payload, an object. A malformed update is never "
            "skipped, because something would be lost in silence."),
        .bad = TEXT("{\"update_contracts\":[{\"contract\":\"s\"}]}"),
        .good = TEXT("{\"update_contracts\":[{\"contract\":\"s\",\"payload\":{}}]}"),
    },
    {
        ROW("VERBATIM_OUTPUTS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "evidence_report has no verbatim_outputs"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Each of the seven keys is an answer, and an absent key is none. Add it, with [] "
            "when nothing is quoted."),
        .bad = TEXT("{\"evidence_report\":{\"verbatim_outputs\":null}}"),
        .good = TEXT("{\"evidence_report\":{\"verbatim_outputs\":[]}}"),
    },
    {
        ROW("VERIFICATION_RESULT_MUST_BE_PASS", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the agent is done, but its verification did not pass"),
        .explanation = TEXT(
            "COMPLETE means that the work was verified, with the result \"pass\" and no other "
            "word. Report IN_PROGRESS or BLOCKED instead."),
        .bad = TEXT(
            "{\"agent_status\":{\"plan_status\":\"COMPLETE\"},"
            "\"evidence_report\":{\"verification\":{\"result\":\"no\"}}}"),
        .good = TEXT("{\"agent_status\":{\"plan_status\":\"COMPLETE\"}}"),
    },
    {
        ROW("VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the agent is done without having verified anything"),
        .explanation = TEXT(
            "COMPLETE needs the object evidence_report.verification with the result \"pass\". "
            "One at the root of the envelope does not count. Verify, or report IN_PROGRESS."),
        .bad = TEXT(
            "{\"agent_status\":{\"plan_status\":\"COMPLETE\"},"
            "\"evidence_report\":{\"verification\":\"pass\"}}"),
        .good = TEXT("{\"agent_status\":{\"plan_status\":\"COMPLETE\"}}"),
    },
};
/* clang-format on */

const size_t bt_contract_rules_count = sizeof(bt_contract_rules) / sizeof(bt_contract_rules[0]);

static const struct bt_rule *find_rule(const struct bt_rule *rows, size_t count, bt_str code)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(rows[i].code, code)) {
            return &rows[i];
        }
    }
    return NULL;
}

const struct bt_rule *bt_contract_checker_rule_or_null(bt_str code)
{
    const struct bt_rule *rule = find_rule(bt_contract_rules, bt_contract_rules_count, code);
    return rule ? rule : find_rule(bt_contract_store_rules, bt_contract_store_rules_count, code);
}

const struct bt_rule *bt_contract_checker_rule(const char *code)
{
    const struct bt_rule *rule = bt_contract_checker_rule_or_null(bt_str_of(code));
    assert(rule);
    return rule;
}

size_t bt_contract_checker_rule_place(bt_str code)
{
    const struct bt_rule *rule = find_rule(bt_contract_rules, bt_contract_rules_count, code);
    if (rule) {
        return (size_t)(rule - bt_contract_rules);
    }
    rule = find_rule(bt_contract_store_rules, bt_contract_store_rules_count, code);
    const size_t place =
        rule ? (size_t)(rule - bt_contract_store_rules) : bt_contract_store_rules_count;
    assert(bt_contract_rules_count + place < BT_CONTRACT_RULES_MAX);
    return bt_contract_rules_count + place;
}
