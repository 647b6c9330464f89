/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules of the dialect.
 *
 * An example is a part of a handoff: the members that differ from those of a good one, null for one
 * that is missing. Where a rule is about more than one document, it has none.
 */
#include <assert.h>

#include "dialect/universal/universal_check.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("universal"), .severity = (severity_), .stage = (stage_), \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_universal_rules[] = {
    {
        ROW("ANSWER_INVALID", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "the answer of a model is not one JSON value of the wanted kind"),
        .explanation = TEXT(
            "An answer is one JSON value, alone or inside one Markdown code fence: an array is "
            "an RFC 6902 patch, an object with handoff is the whole document. Prose around it, "
            "two values or another kind of value cannot be applied, and nothing was changed. Ask "
            "again."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("ANSWER_OUT_OF_SCOPE", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "the answer of a model changes a place that nobody asked about"),
        .security = true,
        .explanation = TEXT(
            "A model is asked about findings, and its answer may change only what they opened. "
            "Whether it did is judged by comparing the documents before and after, never by what "
            "the answer says about itself. Routing, approval and seals are never open. A refused "
            "answer changes nothing."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("ANSWER_PATCH_FAILED", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "the patch in the answer of a model cannot be applied"),
        .explanation = TEXT(
            "An operation is malformed, names a place that does not exist, or its test does not "
            "hold; params.index says which. A patch is applied entirely or not at all, so "
            "nothing was changed."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("ARTIFACT_CHECKSUM_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the file of an artifact is not the one that was described"),
        .security = true,
        .explanation = TEXT(
            "With --verify-artifacts the file of each artifact that has a checksum is hashed; "
            "only files beneath the root are opened. The file was changed after the checksum was "
            "taken, or it is another file. Fetch it again, or ask the sender."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("CHAIN_NEEDS_APPROVAL", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "more than five skills have held the work and no person agreed"),
        .explanation = TEXT(
            "Work that wanders from skill to skill is often lost work. Beyond five entries of "
            "meta.handoff_chain a person has to agree, and meta.user_approved says that one did. "
            "A model must not set it. --semantics warn turns this into a warning."),
        .bad = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"release-planner\"]}}"),
        .good = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"a\",\"b\",\"c\",\"d\",\"release-planner\"]}}"),
    },
    {
        ROW("CHAIN_SOURCE_MISPLACED", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the sender stands at neither end of the chain"),
        .explanation = TEXT(
            "Each skill appends itself when it passes the work on, so the sender is the last "
            "entry; where the original rule is followed it is the first. In the middle it means "
            "that the chain was not kept. --chain head accepts the first place alone."),
        .bad = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"a\",\"release-planner\",\"b\"]}}"),
        .good = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"a\",\"b\",\"release-planner\"]}}"),
    },
    {
        ROW("CHAIN_TOO_LONG", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the chain has more than ten entries"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "The chain tells where the work comes from; the first five and the last five entries "
            "are enough for that. The rules about loops saw all of it. The fix drops the entries "
            "between, which is why it is not a safe one."),
        .bad = TEXT(
            "{\"meta\":{\"user_approved\":true,\"handoff_chain\":[\"a\",\"b\",\"c\",\"d\",\"e\","
            "\"f\",\"g\",\"h\",\"i\",\"j\",\n \"release-planner\"]}}"),
        .good = TEXT(
            "{\"meta\":{\"user_approved\":true,\"handoff_chain\":[\"a\",\"b\",\"c\",\"d\",\"e\","
            "\"g\",\"h\",\"i\",\"j\",\n \"release-planner\"]}}"),
    },
    {
        ROW("COMPRESS_LOSSY", BT_SEVERITY_WARN, BT_STAGE_DELIVER,
            "something was dropped that the receiver cannot get back"),
        .explanation = TEXT(
            "To fit the budget, text was shortened, or a session, references, or the end of "
            "validity were dropped without being kept elsewhere. facts.changes has what was "
            "there before. The default order of compression does this last; --literal does it "
            "early."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("COMPRESS_REMOVED", BT_SEVERITY_INFO, BT_STAGE_DELIVER,
            "an optional member was removed to fit the budget"),
        .explanation = TEXT(
            "The member is one that a receiver can do without. facts.changes has its value."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("EVENT_TIMESTAMP_INVALID", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "the time of an event is no instant"),
        .explanation = TEXT(
            "tracing.events are written by many hands, so a bad time among them does not block; "
            "such an event cannot be ordered."),
        .bad = TEXT(
            "{\"tracing\":{\"events\":[{\"timestamp\":\"yesterday\",\"event_type\":\"created\",\""
            "workflow\":\"w\"}]}}"),
        .good = TEXT(
            "{\"tracing\":{\"events\":[{\"timestamp\":\"2026-04-14T08:30:00Z\",\"event_type\":\"c"
            "reated\",\n \"workflow\":\"w\"}]}}"),
    },
    {
        ROW("EXPIRED", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the validity of the document is over"),
        .explanation = TEXT(
            "expires_at lies in the past. The work may still be wanted, so this warns; with "
            "--strict-expiry it blocks. Ask the sender for a new handoff."),
        .bad = TEXT(
            "{\"expires_at\":\"2026-04-14T08:31:00Z\"}"),
        .good = TEXT(
            "{\"expires_at\":\"2026-04-15T08:30:00Z\"}"),
    },
    {
        ROW("EXPIRES_NOT_AFTER", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the document expires before, or when, it was made"),
        .explanation = TEXT(
            "expires_at is not later than timestamp, so the document was never valid. Instants "
            "are compared, not texts, so offsets do not hide it."),
        .bad = TEXT(
            "{\"expires_at\":\"2026-04-14T08:30:00Z\"}"),
        .good = TEXT(
            "{\"expires_at\":\"2026-04-15T08:30:00Z\"}"),
    },
    {
        ROW("LLM_FAILED", BT_SEVERITY_WARN, BT_STAGE_DELIVER,
            "the command that asks a model gave no answer"),
        .explanation = TEXT(
            "The command of --llm ended with a failure, took longer than --llm-timeout or wrote "
            "more than 1 MiB. A try was used up; see what the command wrote to standard error."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("NOT_CARRIED", BT_SEVERITY_WARN, BT_STAGE_DELIVER,
            "the conversion has no place for a member"),
        .explanation = TEXT(
            "Dialects differ, and what has no place in the other one is named instead of being "
            "lost quietly. --keep-rest stores such values in payload.session.state.rest; "
            "--strict makes this block."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("NUMBER_NOT_PORTABLE", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a number changes its value where numbers are doubles"),
        .explanation = TEXT(
            "Many readers keep numbers as doubles, and the seal is taken over what they would "
            "see. This number has more digits than that, or is too large and becomes null. Send "
            "it as a string if every digit matters."),
        .bad = TEXT(
            "{\"payload\":{\"working\":{\"id\":12345678901234567890}}}"),
        .good = TEXT(
            "{\"payload\":{\"working\":{\"id\":\"12345678901234567890\"}}}"),
    },
    {
        ROW("PAYLOAD_HASH_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the payload is not the one that was sealed"),
        .security = true,
        .explanation = TEXT(
            "meta.payload_hash is the SHA-256 of the payload as JavaScript would write it. It "
            "differs, so the payload was changed after it was sealed, or the hash is made up. "
            "Baton never mends a broken seal: sealing is an act of the author (`baton seal "
            "--reseal`)."),
        .bad = TEXT(
            "{\"meta\":{\"payload_hash\":\n "
            "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"}}"),
        .good = TEXT(
            "{\"meta\":{\"payload_hash\":\n "
            "\"sha256:c8aaa40656ddeca507a885b995296c95207d426aac2c3597b1b246db46a291d2\"}}"),
    },
    {
        ROW("PAYLOAD_SIZE_MISMATCH", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the declared size of the payload is wrong"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "meta.payload_size_bytes is the number of bytes that the seal covers. A wrong one "
            "may be evidence of a change, so its fix is not a safe one."),
        .bad = TEXT(
            "{\"meta\":{\"payload_size_bytes\":1}}"),
        .good = TEXT(
            "{\"meta\":{\"payload_size_bytes\":60}}"),
    },
    {
        ROW("REENTRY_ALLOWED", BT_SEVERITY_INFO, BT_STAGE_SEMANTICS,
            "the work returns to a skill, with a reason"),
        .explanation = TEXT(
            "The target has held the work before and meta.handoff_reason says why it gets it "
            "again."),
        .bad = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"patch-builder\",\"release-planner\"],\"handoff_reaso"
            "n\":\n \"tests failed\"}}"),
        .good = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"release-planner\"]}}"),
    },
    {
        ROW("REENTRY_WITHOUT_REASON", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the work returns to a skill, and nobody says why"),
        .explanation = TEXT(
            "The target is in meta.handoff_chain already. Without a reason that is a loop; with "
            "meta.handoff_reason it is allowed. The drawing in the hint shows the way the work "
            "took. --semantics warn turns this into a warning."),
        .bad = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"patch-builder\",\"release-planner\"]}}"),
        .good = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"patch-builder\",\"release-planner\"],\"handoff_reaso"
            "n\":\n \"tests failed\"}}"),
    },
    {
        ROW("REF_EPHEMERAL", BT_SEVERITY_INFO, BT_STAGE_SEMANTICS,
            "a referenced file lies in the temporary folder"),
        .explanation = TEXT(
            "What lies under /tmp is gone after a restart, often sooner. Copy the file to the "
            "session folder."),
        .bad = TEXT(
            "{\"payload\":{\"references\":{\"files\":[{\"path\":\"/tmp/baton/plan.md\"}]}}}"),
        .good = TEXT(
            "{\"payload\":{\"references\":{\"files\":[]}}}"),
    },
    {
        ROW("REF_UNRESOLVED", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a referenced file is not there"),
        .explanation = TEXT(
            "A relative path is looked for in source.session_path, then in the root; an absolute "
            "one as it stands. Only a regular file counts, and nothing is opened. params.reason "
            "says what was found instead. --no-refs skips the question. With --verify-artifacts "
            "an artifact with a checksum is looked up in the same way, and must lie beneath the "
            "root to be compared."),
        .bad = TEXT(
            "{\"payload\":{\"references\":{\"files\":[{\"path\":\"no/such/file\"}]}}}"),
        .good = TEXT(
            "{\"payload\":{\"references\":{\"files\":[]}}}"),
    },
    {
        ROW("SCHEMA_CONST", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "version or schema_type has another value"),
        .explanation = TEXT(
            "The schema allows one value here, params.expected. Where only the case of letters "
            "or blanks differ, or the version is the number 3, --fix corrects it."),
        .bad = TEXT(
            "{\"schema_type\":\"Universal\"}"),
        .good = TEXT(
            "{\"schema_type\":\"universal\"}"),
    },
    {
        ROW("SCHEMA_ENUM", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value is none of those that are allowed"),
        .explanation = TEXT(
            "params.allowed lists the values and params.nearest the one most like it. Where only "
            "the case of letters or blanks differ, --fix corrects it."),
        .bad = TEXT(
            "{\"context\":{\"problem_type\":\"Research\"}}"),
        .good = TEXT(
            "{\"context\":{\"problem_type\":\"research\"}}"),
    },
    {
        ROW("SCHEMA_MAXIMUM", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a number is above its maximum"),
        .explanation = TEXT(
            "meta.token_count may be 2000 at most; --fix counts again. If the document really is "
            "that large, see `baton compress`."),
        .bad = TEXT(
            "{\"meta\":{\"token_count\":2001}}"),
        .good = TEXT(
            "{\"meta\":{\"token_count\":128}}"),
    },
    {
        ROW("SCHEMA_MAX_LENGTH", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the summary has more than 500 code points"),
        .explanation = TEXT(
            "A summary says what is handed over and why; the rest belongs into the payload. The "
            "unsafe fix keeps the first 497 code points."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("SCHEMA_MINIMUM", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a number is below its minimum"),
        .explanation = TEXT(
            "Counts and sizes are never negative. For token_count --fix counts again."),
        .bad = TEXT(
            "{\"meta\":{\"token_count\":-1}}"),
        .good = TEXT(
            "{\"meta\":{\"token_count\":128}}"),
    },
    {
        ROW("SCHEMA_MIN_ITEMS", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the chain is empty"),
        .explanation = TEXT(
            "A chain that is written names at least the sender. Leave it out, which means the "
            "same, or name the source."),
        .bad = TEXT(
            "{\"meta\":{\"handoff_chain\":[]}}"),
        .good = TEXT(
            "{\"meta\":{\"handoff_chain\":[\"release-planner\"]}}"),
    },
    {
        ROW("SCHEMA_MIN_LENGTH", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a text is empty where some is needed"),
        .explanation = TEXT(
            "Skills, the workflow and the summary need a text. Write it."),
        .bad = TEXT(
            "{\"context\":{\"summary\":\"\"}}"),
        .good = TEXT(
            "{\"context\":{\"summary\":\"Build the fix.\"}}"),
    },
    {
        ROW("SCHEMA_PATTERN", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a date, identifier or hash is badly formed"),
        .explanation = TEXT(
            "params.pattern is what the text has to match. Dates in other common forms, "
            "identifiers in upper case or braces and hashes without their prefix are corrected "
            "by --fix where they leave no doubt; dates without a zone only by --unsafe-fixes."),
        .bad = TEXT(
            "{\"timestamp\":\"2026-04-14 08:30\"}"),
        .good = TEXT(
            "{\"timestamp\":\"2026-04-14T08:30:00Z\"}"),
    },
    {
        ROW("SCHEMA_REQUIRED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a required member is missing"),
        .explanation = TEXT(
            "params.property is its name, the pointer names the object that lacks it. Seven "
            "members have a default that --fix fills in: version, schema_type, timestamp, "
            "trace_id, meta, meta.confidence, meta.token_count. Where the object has a misspelled "
            "member that was probably meant, its rename supplies the missing one, which is an "
            "unsafe fix, and no default is filled in. Everything else only the sender knows."),
        .bad = TEXT(
            "{\"trace_id\":null}"),
        .good = TEXT(
            "{\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\"}"),
    },
    {
        ROW("SCHEMA_TYPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value has the wrong type"),
        .explanation = TEXT(
            "params.expected is what is wanted, params.actual what is there. --fix converts "
            "where the meaning stays the same: a number to its text, digits to a number, one "
            "text to a list of one; a null optional member is removed. A text never becomes a "
            "boolean: consent must be written as such."),
        .bad = TEXT(
            "{\"context\":{\"focus_areas\":\"leap years\"}}"),
        .good = TEXT(
            "{\"context\":{\"focus_areas\":[\"leap years\"]}}"),
    },
    {
        ROW("SCHEMA_UNEVALUATED_PROPERTIES", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a member is not allowed at the root or in handoff"),
        .explanation = TEXT(
            "Only the root and handoff are closed, so that a misspelled part is noticed. "
            "params.nearest is the name that was probably meant. The unsafe fix renames it, or "
            "removes what is like nothing."),
        .bad = TEXT(
            "{\"trase_id\":\"x\"}"),
        .good = TEXT(
            "{}"),
    },
    {
        ROW("SELF_LOOP", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a skill hands the work to itself"),
        .explanation = TEXT(
            "Source and target are one skill, whatever the case of the letters, and whatever "
            "reason is given. Choose another target; `baton discover` names some. --semantics "
            "warn turns this into a warning."),
        .bad = TEXT(
            "{\"target\":{\"skill\":\"Release-Planner\"}}"),
        .good = TEXT(
            "{\"target\":{\"skill\":\"patch-builder\"}}"),
    },
    {
        ROW("SESSION_PATH_UNSAFE", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "the session folder lies outside the roots or leads through a link"),
        .security = true,
        .explanation = TEXT(
            "Handoffs are written beneath source.session_path, and that path comes from the "
            "document. It must lie beneath a root (--root; by default the current and the "
            "temporary folder), have no .. and pass no symbolic link on its way."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("SKILL_NAME_STYLE", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the name of a skill cannot be made a file name"),
        .explanation = TEXT(
            "A handoff is kept under the names of its two skills. Small letters, digits and "
            "single hyphens, at most 64 bytes, are safe everywhere; `baton write` refuses "
            "everything else."),
        .bad = TEXT(
            "{\"target\":{\"skill\":\"Patch Builder\"}}"),
        .good = TEXT(
            "{\"target\":{\"skill\":\"patch-builder\"}}"),
    },
    {
        ROW("TIMESTAMP_INVALID", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a time fits the pattern but does not exist"),
        .explanation = TEXT(
            "The month has no such day, the hour is above 23, or the second is 60 where no leap "
            "second can be. Correct it."),
        .bad = TEXT(
            "{\"timestamp\":\"2026-02-30T08:30:00Z\"}"),
        .good = TEXT(
            "{\"timestamp\":\"2026-02-28T08:30:00Z\"}"),
    },
    {
        ROW("TIMESTAMP_NOT_UTC", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a time is not given in UTC with Z"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "Times with other offsets name the same instant, but people and scripts compare them "
            "as text. --fix writes the same instant in UTC."),
        .bad = TEXT(
            "{\"timestamp\":\"2026-04-14T10:30:00+02:00\"}"),
        .good = TEXT(
            "{\"timestamp\":\"2026-04-14T08:30:00Z\"}"),
    },
    {
        ROW("TOKENS_DRIFT", BT_SEVERITY_WARN, BT_STAGE_BUDGET,
            "the declared number of tokens is off by more than 30 percent"),
        .fix = BT_FIX_SAFE,
        .explanation = TEXT(
            "meta.token_count is the size as the sender counted it. It is compared with a "
            "quarter of the bytes, the estimate that senders are told to use, and with the exact "
            "count where that is known: either will do. --fix writes the estimate."),
        .bad = TEXT(
            "{\"meta\":{\"token_count\":5}}"),
        .good = TEXT(
            "{\"meta\":{\"token_count\":128}}"),
    },
    {
        ROW("TOKENS_OVER_BUDGET", BT_SEVERITY_HARD, BT_STAGE_BUDGET,
            "the document has too many tokens"),
        .explanation = TEXT(
            "What is measured is the whole text as given, white space included, in the tokens of "
            "the encoding, not what the document says about itself. params.largest names the "
            "section to look at first. `baton compress` makes it smaller."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("TOKENS_SECTION_OVER", BT_SEVERITY_WARN, BT_STAGE_BUDGET,
            "one section is above its ceiling"),
        .explanation = TEXT(
            "A section that takes too much leaves no room for the others. Move data into files "
            "and refer to them. --section-limit NAME=N sets a ceiling."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("TOKENS_UNAVAILABLE", BT_SEVERITY_WARN, BT_STAGE_BUDGET,
            "the table of the encoding is missing, so tokens were estimated"),
        .explanation = TEXT(
            "With --token-dir the published table is looked for in that folder and must have its "
            "published hash. Without it a quarter of the bytes counts. The tables that are built "
            "in are used when the flag is left out."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("TRACE_ID_GENERATED", BT_SEVERITY_WARN, BT_STAGE_DELIVER,
            "a missing trace_id was made up"),
        .explanation = TEXT(
            "The document can be used now, but nothing that happened before can be found under "
            "the new identifier."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("TRACE_ID_NOT_V4", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "the trace_id is a UUID of another version"),
        .explanation = TEXT(
            "Version 4 is made of chance alone, so it tells nothing about who made it and does "
            "not collide. The identifier is kept: a new one would cut the trace."),
        .bad = TEXT(
            "{\"trace_id\":\"6a0f2c1d-8b3e-1c57-9d21-5e7f90ab13c4\"}"),
        .good = TEXT(
            "{\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\"}"),
    },
    {
        ROW("UNKNOWN_MEMBER", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a nested member is not declared, perhaps misspelled"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Readers pass over members that they do not know, so a misspelled one is lost "
            "quietly. params.nearest is the name that was probably meant. payload.working, "
            "session.state, details and tags are free."),
        .bad = TEXT(
            "{\"context\":{\"focusAreas\":[\"x\"]}}"),
        .good = TEXT(
            "{\"context\":{\"focus_areas\":[\"x\"]}}"),
    },
    {
        ROW("UNSAFE_SKILL_NAME", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "the name of a skill cannot be made a safe path"),
        .security = true,
        .explanation = TEXT(
            "The file of a handoff carries the names of its two skills. Anything but small "
            "letters, digits and single hyphens, at most 64 bytes, could lead elsewhere. Rename "
            "the skill."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("VERSION_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the document is not of version 3.0"),
        .explanation = TEXT(
            "params.route says how to go on: `convert` for 2.0, which `baton convert` reads; "
            "`adapter` for 1.1 and 1.2. A version that is written is never overwritten."),
        .bad = TEXT(
            "{\"version\":\"2.0\"}"),
        .good = TEXT(
            "{\"version\":\"3.0\"}"),
    },
    {
        ROW("WRITE_FALLBACK", BT_SEVERITY_WARN, BT_STAGE_DELIVER,
            "the handoff was written to the temporary folder"),
        .explanation = TEXT(
            "The session folder could not be made or written to. params.wanted and params.used "
            "say where the file should have gone and where it went. Mend the session folder and "
            "move the file."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
};
/* clang-format on */

const size_t bt_universal_rules_count = sizeof(bt_universal_rules) / sizeof(bt_universal_rules[0]);

const struct bt_rule *bt_universal_checker_rule_or_null(bt_str code)
{
    for (size_t i = 0; i < bt_universal_rules_count; i++) {
        if (bt_str_eq(bt_universal_rules[i].code, code)) {
            return &bt_universal_rules[i];
        }
    }
    return NULL;
}

const struct bt_rule *bt_universal_checker_rule(const char *code)
{
    const struct bt_rule *rule = bt_universal_checker_rule_or_null(bt_str_of(code));
    assert(rule);
    return rule;
}
