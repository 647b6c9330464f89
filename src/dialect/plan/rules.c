/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules of the dialect.
 *
 * An example is a whole plan. Rules about payload schemas, runs and single commands have none:
 * tests of their own break them.
 */
#include <assert.h>

#include "dialect/plan/plan_check.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("plan"), .severity = (severity_), .stage = (stage_),      \
    .meaning = TEXT(meaning_)

#define HEAD "step,agent,action,inputs,outputs,status,notes\n"
#define NEEDS "step,agent,action,inputs,outputs,status,notes,depends_on\n"
#define TYPED "step,agent,action,inputs,outputs,status,notes,payload_schema_in,payload_schema_out\n"

const struct bt_rule bt_plan_rules[] = {
    {
        ROW("BEHAVIOR_BROKEN_CHAIN", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "an edge of a run starts where no one was"),
        .explanation = TEXT(
            "Each edge of a recorded run starts where the one before it ended, the first at "
            "root_agent. A gap means that a handoff was not recorded, or that somebody worked "
            "who was never handed anything. Record the missing edge."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("BEHAVIOR_CHAIN_DIVERGENCE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a run took none of the expected chains"),
        .explanation = TEXT(
            "The agents that the run passed through are compared with each --chain and with the "
            "agents of --plan in row order. One extra last agent is allowed when it is the one "
            "of --returns-to. Correct the run, or the plan."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("BEHAVIOR_MISSING_RETURN", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a run never came back"),
        .explanation = TEXT(
            "With --returns-to the last edge must lead to that agent, or some edge must have "
            "been mediated by it. Otherwise nobody who asked for the work has seen it. Return to "
            "the named agent."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("BEHAVIOR_NO_TRAJECTORY", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a chain was expected and no edge was recorded"),
        .explanation = TEXT(
            "A chain of two or more agents has handoffs, and a run without any edge recorded "
            "none of them. A run that was not recorded must not look like one that went well."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("BEHAVIOR_SEQUENCE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a sequence number of a run occurs twice, or numbers are skipped"),
        .explanation = TEXT(
            "Edges are taken in the order of their numbers. A number twice is HARD, because the "
            "order is then a guess; skipped numbers are a warning. Record each edge once."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("COMPAT_BREAKING", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a payload of one version is refused by the other"),
        .explanation = TEXT(
            "params.counterexample is a payload that was validated against both versions: the "
            "one accepts it, the other does not. Give the new schema another slug, or relax the "
            "change."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("COMPAT_ID", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the new version has another slug, or its number does not rise"),
        .explanation = TEXT(
            "Two versions of one schema share their slug, and the newer has the greater number. "
            "Otherwise plans cannot tell which is which. Correct the $id."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("COMPAT_UNDECIDED", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "compatibility could be neither proven nor refuted"),
        .explanation = TEXT(
            "Every assertion of the one side must be implied by the other, by rules that are "
            "certain. Where they say nothing and no counterexample was found, the answer counts "
            "as incompatible. Keep the keyword as it was, or let a person decide."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("CSV_BARE_CR", BT_SEVERITY_HARD, BT_STAGE_READ,
            "a carriage return stands alone outside quotes"),
        .explanation = TEXT(
            "Some readers take a CR for the end of a record and some do not, so they would see "
            "different rows. End records with LF or CRLF."),
        .bad = TEXT(HEAD "1,@a,do,,,,\r2,@b,do,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("CSV_BLANK_LINE", BT_SEVERITY_INFO, BT_STAGE_READ, "blank lines were passed over"),
        .explanation = TEXT(
            "A line without anything is no record and has no row number. It may stand anywhere; "
            "nothing needs to be done."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("CSV_DUPLICATE_COLUMN", BT_SEVERITY_HARD, BT_STAGE_READ, "two columns have one name"),
        .explanation = TEXT(
            "Two readers would choose different columns, and so read two different plans. Rename "
            "or remove one of them."),
        .bad = TEXT("step,agent,action,inputs,outputs,status,notes,notes\n1,@a,do,,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("CSV_EMPTY", BT_SEVERITY_HARD, BT_STAGE_READ,
            "there is no header and nothing to audit"),
        .explanation = TEXT(
            "A plan that was not read must not pass: an empty file, a lone byte order mark and a "
            "file of blank lines are refused. Write the plan."),
        .bad = TEXT("\xef\xbb\xbf"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("CSV_MIXED_EOL", BT_SEVERITY_INFO, BT_STAGE_READ,
            "some records end in LF and some in CRLF"),
        .explanation = TEXT(
            "Both are read alike, and every byte stays as it is when a status is set. Nothing "
            "needs to be done."),
        .bad = TEXT(HEAD "1,@a,do,,,,\r\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("CSV_NUL", BT_SEVERITY_HARD, BT_STAGE_READ, "a NUL byte stands in the plan"),
        .security = true,
        .explanation = TEXT(
            "Text has no NUL bytes. Programs written in C stop reading at one, so it can hide "
            "what follows. Remove it, and find out who wrote it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("CSV_QUOTE_BARE", BT_SEVERITY_HARD, BT_STAGE_READ,
            "a quote stands inside a cell that does not begin with one"),
        .explanation = TEXT(
            "A quoted cell has its quote as the very first byte; a blank before it makes the "
            "quote a part of the text for some readers and not for others. Quote the whole cell, "
            "and double the quotes in it."),
        .bad = TEXT(HEAD "1,@a, \"do\",,,,\n"),
        .good = TEXT(HEAD "1,@a,\"do\",,,,\n"),
    },
    {
        ROW("CSV_QUOTE_TRAILING", BT_SEVERITY_HARD, BT_STAGE_READ,
            "something stands behind a closing quote"),
        .explanation = TEXT(
            "After the closing quote only a comma, the end of the record or of the file may "
            "follow. Usually an inner quote was not doubled."),
        .bad = TEXT(HEAD "1,@a,\"do\"it,,,,\n"),
        .good = TEXT(HEAD "1,@a,\"do \"\"it\"\"\",,,,\n"),
    },
    {
        ROW("CSV_QUOTE_UNTERMINATED", BT_SEVERITY_HARD, BT_STAGE_READ, "a quoted cell never ends"),
        .explanation = TEXT(
            "Everything behind the opening quote would be one cell, and the rows in it would be "
            "lost. Close the quote."),
        .bad = TEXT(HEAD "1,@a,\"do,,,,\n2,@b,do,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("CSV_RAGGED_ROW", BT_SEVERITY_HARD, BT_STAGE_READ,
            "a row has more or fewer cells than the header"),
        .explanation = TEXT(
            "Usually a comma in a text was not quoted. The row is not read and the chain is not "
            "audited. No repair moves a cell into another column: --fix drops empty cells at the "
            "end. --unsafe-fixes quotes cells with their comma when exactly one reading puts "
            "identifier, status, payload references and dependencies into their own columns; "
            "params.readings counts the readings when there is none or more than one (-1: too "
            "many to try), and then only the author knows which cell to quote. Short rows are "
            "filled up with empty cells unless a status or a reference would then stand in "
            "another column. In `plan status set` only the row that is changed matters, others "
            "are warnings."),
        .bad = TEXT(HEAD "1,@a,do,,,,one, two\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\"one, two\"\n"),
    },
    {
        ROW("CSV_TOO_LARGE", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the plan, a row, a cell or the number of cells is over its limit"),
        .explanation = TEXT(
            "By default a plan has at most 8 MiB, a record 1 MiB, a cell 128 KiB, and all "
            "records together 1,000,000 cells. Split the plan; move long text into files. "
            "--limit document_bytes=N, row_bytes=N, cell_bytes=N and nodes=N lower the bounds."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("CSV_UNNAMED_COLUMN", BT_SEVERITY_WARN, BT_STAGE_READ, "a column has no name"),
        .explanation = TEXT(
            "Nothing can refer to it. Often a comma stands at the end of the header. Name it, or "
            "remove it."),
        .bad = TEXT("step,agent,action,inputs,outputs,status,notes,\n1,@a,do,,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("CSV_UTF8", BT_SEVERITY_HARD, BT_STAGE_READ, "the bytes are not UTF-8"),
        .explanation = TEXT(
            "Overlong forms, surrogates and other encodings are refused, because they read "
            "differently elsewhere. Save the file as UTF-8."),
        .bad = TEXT(HEAD "1,caf\xe9,do,,,,\n"),
        .good = TEXT(HEAD "1,caf\xc3\xa9,do,,,,\n"),
    },
    {
        ROW("PAYLOAD_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "two sides of a handoff name different schemas"),
        .explanation = TEXT(
            "What is given is not what is taken: another schema, or another version of it. "
            "Identities are compared byte by byte; a path and the id that belongs to it are one. "
            "Agree on one version."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v2.schema.json,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
    {
        ROW("PAYLOAD_SCHEMA_CYCLE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "references of a payload schema lead in a circle"),
        .security = true,
        .explanation = TEXT(
            "A circle of references never ends, and a recursive type gives payloads no bound of "
            "depth. Unroll the type to a fixed depth. Several references to one definition are "
            "no circle."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_DEPTH", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value of a payload schema stands deeper than 32"),
        .security = true,
        .explanation = TEXT(
            "The root has depth 0, each member or item is one deeper than what holds it; data "
            "counts as well. Flatten the schema, or use $defs."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_DIALECT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a payload schema is written in an unknown draft"),
        .security = true,
        .explanation = TEXT(
            "Keywords mean different things in different drafts. Payload schemas are written in "
            "2020-12 (also without $schema) or draft-07."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_KEYWORD", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a payload schema has a forbidden keyword"),
        .security = true,
        .explanation = TEXT(
            "Anchors, dynamic references, and $id or $schema below the root change what a "
            "reference means; beside a draft-07 $ref a keyword is ignored and only looks "
            "effective. Use #/$defs/...; wrap the $ref in allOf."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_META", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a payload schema breaks the payload meta-schema or that of its draft"),
        .security = true,
        .explanation = TEXT(
            "A payload schema has an $id, type object, at least one named property, at least one "
            "required one, and is closed. See params.schema_pointer and params.keyword."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_OPEN_NESTED", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a nested object accepts members that nobody declared"),
        .explanation = TEXT(
            "The root of a payload is closed, but an object below it is not, so anything can "
            "travel in it. Close it with additionalProperties false."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_PATTERN", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a regular expression is invalid, unsupported or too big"),
        .security = true,
        .explanation = TEXT(
            "Patterns are ECMA-262 (Unicode), matched in linear time: without look-around, "
            "back-references, \\p{...}, counts above 1000, and with at most 20,000 states. "
            "Rewrite it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_REF", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a $ref of a payload schema is not local or hits no schema"),
        .security = true,
        .explanation = TEXT(
            "Only # and #/... are followed, and only to a place where a schema stands; nothing "
            "is fetched. Point it at #/$defs/...."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_REOPENED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a member of the root re-opens the closed root"),
        .security = true,
        .explanation = TEXT(
            "patternProperties exempts names from additionalProperties, unevaluatedProperties "
            "states another intention, and a draft-07 $ref switches off what stands beside it. "
            "Remove it; declare properties by name."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_REQUIRED_UNDECLARED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a required name is not declared, so no payload can pass"),
        .security = true,
        .explanation = TEXT(
            "The root is closed, so a member that properties does not name is refused, and one "
            "that required names must be there. Declare it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_TEXT", BT_SEVERITY_INFO, BT_STAGE_SCHEMA,
            "free text is left in a schema after strip"),
        .explanation = TEXT(
            "Strip removes descriptions, titles, comments and examples. Text can survive in "
            "names, enums, defaults and patterns, where a model may take it for instructions. "
            "Shorten it, or move it to an annotation."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_UNKNOWN_KEYWORD", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a keyword of a payload schema has no effect"),
        .explanation = TEXT(
            "The draft does not define it; usually it is misspelt, and what it was meant to "
            "forbid is allowed. Correct the spelling, or let it begin with x-."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_SCHEMA_UNTYPED_PROPERTY", BT_SEVERITY_WARN, BT_STAGE_SCHEMA,
            "a property of a payload schema accepts anything"),
        .explanation = TEXT(
            "Nothing but annotations stands there. Give it a type."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PAYLOAD_UNTYPED", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a side of a handoff names no payload schema"),
        .explanation = TEXT(
            "A warning until 2026-06-30, HARD from 2026-07-01 on, by the UTC date; --today names "
            "another day. Leaving the columns out does not help: absent cells are blank. Fill "
            "both cells."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
    {
        ROW("PLAN_COLUMN_MISSING", BT_SEVERITY_WARN, BT_STAGE_READ, "expected columns are absent"),
        .explanation = TEXT(
            "A cell of an absent column is blank in every row. Add the columns; their cells may "
            "stay empty."),
        .bad = TEXT("step,agent\n1,@a\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_COLUMN_NEAR_MISS", BT_SEVERITY_WARN, BT_STAGE_READ,
            "the name of a column is almost a known one"),
        .explanation = TEXT(
            "Names are compared exactly. A column called Agent is kept, and never read as agent. "
            "Write the name exactly."),
        .bad = TEXT("step,Agent,action,inputs,outputs,status,notes\n1,@a,do,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_DEP_CYCLE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "steps depend on each other in a circle"),
        .explanation = TEXT(
            "None of them can ever start. params.steps names them in row order. Break the circle."),
        .bad = TEXT(NEEDS "1,@a,do,,,,,2\n2,@b,do,,,,,1\n"),
        .good = TEXT(NEEDS "1,@a,do,,,,,\n2,@b,do,,,,,1\n"),
    },
    {
        ROW("PLAN_DEP_FORWARD", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a dependency stands below the step that needs it"),
        .explanation = TEXT(
            "Row order is chain order, and whoever works down the rows comes to the step too "
            "early. Reorder the rows."),
        .bad = TEXT(NEEDS "1,@a,do,,,,,2\n2,@b,do,,,,,\n"),
        .good = TEXT(NEEDS "1,@a,do,,,,,\n2,@b,do,,,,,1\n"),
    },
    {
        ROW("PLAN_DEP_SELF", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS, "a step depends on itself"),
        .explanation = TEXT(
            "Such a step can never start. Remove the dependency."),
        .bad = TEXT(NEEDS "1,@a,do,,,,,1\n"),
        .good = TEXT(NEEDS "1,@a,do,,,,,none\n"),
    },
    {
        ROW("PLAN_DEP_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a dependency is no step of the plan"),
        .explanation = TEXT(
            "Ids are compared byte by byte. Correct the id. `none`, `n/a` and `-` mean that "
            "there is no dependency."),
        .bad = TEXT(NEEDS "1,@a,do,,,,,9\n"),
        .good = TEXT(NEEDS "1,@a,do,,,,,none\n"),
    },
    {
        ROW("PLAN_DUPLICATE_STEP", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS, "two rows have one id"),
        .explanation = TEXT(
            "Whatever refers to the id means one of them, and nobody can say which. Rename one."),
        .bad = TEXT(HEAD "1,@a,do,,,,\n1,@b,do,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n2,@b,do,,,,\n"),
    },
    {
        ROW("PLAN_NOT_LINEAR", BT_SEVERITY_INFO, BT_STAGE_SEMANTICS,
            "dependencies do not follow the rows"),
        .explanation = TEXT(
            "Some step has dependencies, and none is the step before it. The chain is compared "
            "row by row; --edges deps compares producer with consumer instead."),
        .bad = TEXT(NEEDS "1,@a,do,,,,,\n2,@b,do,,,,,\n3,@c,do,,,,,1\n"),
        .good = TEXT(NEEDS "1,@a,do,,,,,\n2,@b,do,,,,,1\n"),
    },
    {
        ROW("PLAN_NO_STATUS_COLUMN", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "there is no status column to write to"),
        .explanation = TEXT(
            "`plan status set` changes one cell and adds none. Add the column."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PLAN_NO_STEPS", BT_SEVERITY_WARN, BT_STAGE_READ, "the plan has no steps"),
        .explanation = TEXT(
            "A header alone is accepted with a warning. Add a row for each step."),
        .bad = TEXT(HEAD),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_NO_STEP_COLUMN", BT_SEVERITY_HARD, BT_STAGE_READ,
            "no column is called step or step_id"),
        .explanation = TEXT(
            "Without an identifier nothing can be audited. Name the column. A header of one wide "
            "cell means that the file is separated by semicolons or tabs."),
        .bad = TEXT("id,agent\n1,@a\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_ROW_BLANK", BT_SEVERITY_INFO, BT_STAGE_READ, "a row of blank cells was ignored"),
        .explanation = TEXT(
            "It keeps its number and is no step. Delete it."),
        .bad = TEXT(HEAD "1,@a,do,,,,\n,,, ,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_STATUS_CONFLICT", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the status is not the one that was expected"),
        .explanation = TEXT(
            "With --from a status is changed only when it is still the one that was seen; "
            "somebody else was faster. Read again, and decide again."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PLAN_STATUS_UNKNOWN", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a status is not one of the five words"),
        .explanation = TEXT(
            "Use pending, in_progress, completed, done or blocked, in lower case. A blank cell "
            "means pending."),
        .bad = TEXT(HEAD "1,@a,do,,,wip,\n"),
        .good = TEXT(HEAD "1,@a,do,,,done,\n"),
    },
    {
        ROW("PLAN_STEP_BLANK", BT_SEVERITY_HARD, BT_STAGE_READ, "a filled row has no identifier"),
        .explanation = TEXT(
            "To skip it would hide a handoff. Give the step an id, or empty the row."),
        .bad = TEXT(HEAD " ,@a,do,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_STEP_COLUMNS_BOTH", BT_SEVERITY_WARN, BT_STAGE_READ,
            "the header has both identifier columns"),
        .explanation = TEXT(
            "step is used, and step_id is kept and never judged. Remove one."),
        .bad = TEXT("step,step_id,agent,action,inputs,outputs,status,notes\n1,9,@a,do,,,,\n"),
        .good = TEXT(HEAD "1,@a,do,,,,\n"),
    },
    {
        ROW("PLAN_STEP_NOT_FOUND", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the plan has no step with that id"),
        .explanation = TEXT(
            "Ids are compared byte by byte, without blanks at their ends. Check the id."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_ABSOLUTE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a reference is an absolute path or names a drive"),
        .security = true,
        .explanation = TEXT(
            "Schemas are looked up below the root and nowhere else. Use a path below the root."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,/draft.v1.schema.json\n2,@b,do,,,,,,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
    {
        ROW("REF_DOTDOT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a reference has a segment .."),
        .security = true,
        .explanation = TEXT(
            "It would leave the folder that it names; backslashes separate segments too. Use a "
            "path below the root."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,../draft/v1.schema.json\n2,@b,do,,,,,,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
    {
        ROW("REF_EMPTY", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a reference is empty"),
        .security = true,
        .explanation = TEXT(
            "Name a schema. A blank cell of a plan is untyped instead."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_ESCAPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a link leads out of the root"),
        .security = true,
        .explanation = TEXT(
            "Links are followed only as long as they stay below the root; an absolute link is "
            "refused even when it points back inside. Replace the link by a file."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_ID_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the $id of a payload schema is not the one of its file name"),
        .security = true,
        .explanation = TEXT(
            "Two names for one schema let two sides of a handoff believe that they agree. "
            "Correct the $id, or rename the file."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_MISSING", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "there is no such schema file below the root"),
        .security = true,
        .explanation = TEXT(
            "Nothing is fetched from elsewhere. Add the file, or correct the reference."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_NEWLINE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a line ends in a reference"),
        .security = true,
        .explanation = TEXT(
            "Some readers compare only the first line. Remove the line end, also one at the very "
            "end."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,\"draft/v1.schema.json\n\"\n2,@b,do,,,,,,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
    {
        ROW("REF_NOT_FILE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a directory or special file stands where a schema should"),
        .security = true,
        .explanation = TEXT(
            "Only regular files are read, so a pipe or a device cannot hang anybody. Put a "
            "regular file there."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_NUL", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a NUL byte stands in a reference"),
        .security = true,
        .explanation = TEXT(
            "The system would look for a shorter name than the one that was checked. Remove it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_PATTERN", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a reference has neither of the two spellings"),
        .security = true,
        .explanation = TEXT(
            "Write schemas/handoff-payloads/<slug>.v<n>.schema.json or <slug>/v<n>.schema.json; "
            "the slug has a-z, 0-9 and -, and <n> is digits."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,draft\n2,@b,do,,,,,,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
    {
        ROW("REF_SYMLINK_LOOP", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "links lead in a circle, or there are more than 40"),
        .security = true,
        .explanation = TEXT(
            "Such a chain of links leads nowhere, and following it takes work for nothing. "
            "Replace the link by a file."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("REF_URL", BT_SEVERITY_HARD, BT_STAGE_SCHEMA, "a reference is a URL"),
        .security = true,
        .explanation = TEXT(
            "Nothing is ever fetched. Copy the schema into the repository."),
        .bad = TEXT(TYPED "1,@a,do,,,,,,https://example.org/draft.v1.schema.json\n2,@b,do,,,,,,\n"),
        .good = TEXT(
            TYPED "1,@a,do,,,,,,draft/v1.schema.json\n2,@b,do,,,,,draft/v1.schema.json,\n"),
    },
};
/* clang-format on */

const size_t bt_plan_rules_count = sizeof(bt_plan_rules) / sizeof(bt_plan_rules[0]);

const struct bt_rule *bt_plan_check_rule(bt_str code)
{
    size_t from = 0;
    size_t to = bt_plan_rules_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (bt_str_compare(bt_plan_rules[middle].code, code) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    assert(from < bt_plan_rules_count);
    assert(bt_str_eq(bt_plan_rules[from].code, code));
    return &bt_plan_rules[from];
}
