/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules about skills, and of stage governance.
 *
 * An example of a rule about skills is one more SKILL.md beside those of a release-planner that
 * accepts everybody and a patch-builder that accepts only the release-planner. An example of a rule
 * of governance is a part of a handoff between these two, or to an old-hand of the older protocol.
 */
#include <assert.h>

#include "skill/skill_internal.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, dialect_, severity_, meaning_)                                                  \
    .code = TEXT(code_), .dialect = TEXT(dialect_), .severity = (severity_),                       \
    .stage = BT_STAGE_GOVERNANCE, .meaning = TEXT(meaning_)

const struct bt_rule bt_catalogue_rules[] = {
    {
        ROW("REGISTRY_UNREADABLE", "skill", BT_SEVERITY_WARN,
            "the registry cannot be read and is ignored"),
        .explanation = TEXT(
            "A registry is a mapping in the same part of YAML as front matter, whose workflows "
            "are a list of entries with a name each, no name twice. It is taken whole or not "
            "at all, and one that cannot be read is never overwritten. Edit the file."),
        .bad = TEXT(
            "workflows: [unclosed\n"),
        .good = TEXT(
            "workflows: []\n"),
    },
    {
        ROW("SKILL_CATEGORY_UNKNOWN", "skill", BT_SEVERITY_INFO,
            "a category is not one of the usual ones"),
        .explanation = TEXT(
            "A category of one's own is found only by those who ask for exactly this word, or "
            "one that shares a part of it. The usual ones are implementation, architecture, "
            "research, analysis, creative, verification, coordination, skill-development, "
            "project-management, organization, decision-support, workflow-creation, "
            "integration and workflow-management."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "categories: [cooking]\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "categories: [research]\n"
            "---\n"),
    },
    {
        ROW("SKILL_DANGLING_EDGE", "skill", BT_SEVERITY_WARN,
            "provides_to or accepts_from names no discoverable skill"),
        .explanation = TEXT(
            "Usually the name is misspelled, or the skill was renamed or removed. Nobody can "
            "follow this edge: correct the name, or add the skill."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [ghost]\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [release-planner]\n"
            "---\n"),
    },
    {
        ROW("SKILL_DUPLICATE_NAME", "skill", BT_SEVERITY_HARD,
            "two skills of one folder have the same name"),
        .explanation = TEXT(
            "Which of them is meant cannot be told, so neither is used, and the name stays "
            "taken: no later folder and no registry fills the gap. Names are compared without "
            "regard to case and white space around them. Rename one."),
        .bad = TEXT(
            "---\n"
            "name: patch-builder\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: patch-tester\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "---\n"),
    },
    {
        ROW("SKILL_FIELD_TYPE", "skill", BT_SEVERITY_WARN,
            "a field of the front matter is written in another way than it is read"),
        .explanation = TEXT(
            "Lists of names are written as lists, even for one name, and versions in quotes: "
            "unquoted, 3.10 is a number to many readers and becomes 3.1. One text counts as a "
            "list of one, and an unquoted version by its text; anything else that is no list "
            "of texts does not count."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: \"*\"\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "---\n"),
    },
    {
        ROW("SKILL_FILE_NAME", "skill", BT_SEVERITY_WARN,
            "a SKILL.md is written in other letters, so the scan does not see it"),
        .explanation = TEXT(
            "The scan looks for the exact name SKILL.md, also where the file system does not "
            "mind case, so that a catalogue is the same on every machine. Rename the file."),
        .bad = TEXT(
            "probe/skill.md"),
        .good = TEXT(
            "probe/SKILL.md"),
    },
    {
        ROW("SKILL_LEGACY", "skill", BT_SEVERITY_INFO,
            "a skill has only fields of the older protocol"),
        .explanation = TEXT(
            "accepts_handoff, handoff_categories and protocol_version are read as accepts_from "
            "[\"*\"], categories and schema_version. Such a skill has no schema_type and "
            "scores lower. Write the newer fields."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_handoff: true\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "---\n"),
    },
    {
        ROW("SKILL_NO_HANDOFF", "skill", BT_SEVERITY_INFO,
            "a skill takes no work from others"),
        .explanation = TEXT(
            "It has no accepts_from, so it is not discoverable: nobody may hand work to it. "
            "That may be meant."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "---\n"),
    },
    {
        ROW("SKILL_ONE_WAY_EDGE", "skill", BT_SEVERITY_WARN,
            "a skill provides to another one that does not accept it"),
        .explanation = TEXT(
            "The other skill's accepts_from has neither this skill nor *, so a handoff along "
            "this edge would be refused. Add this skill there, or remove the edge here."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "  provides_to: [patch-builder]\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "  provides_to: [release-planner]\n"
            "---\n"),
    },
    {
        ROW("SKILL_REQUIRES_IMPOSSIBLE", "skill", BT_SEVERITY_WARN,
            "a skill requires something that no handoff can have"),
        .explanation = TEXT(
            "Paths in requires begin below handoff, with one of its members: "
            "context.original_prompt, not handoff.context or insights. As it stands every "
            "handoff to this skill will lack it. Correct the path."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "  requires: [insights.convergent]\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "  requires: [payload.working.insights]\n"
            "---\n"),
    },
    {
        ROW("SKILL_TYPE_UNKNOWN", "skill", BT_SEVERITY_WARN,
            "schema_type is neither universal nor internal"),
        .explanation = TEXT(
            "A skill that speaks the universal envelope says universal (which is also what a "
            "schema_version alone means); one with a format of its own says internal."),
        .bad = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "  schema_type: odd\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "  schema_type: internal\n"
            "---\n"),
    },
    {
        ROW("SKILL_UNREADABLE", "skill", BT_SEVERITY_WARN,
            "the front matter of a skill cannot be read or has no name"),
        .explanation = TEXT(
            "Front matter lies between a first line --- and the next line ---, is at most 1 "
            "MiB and a plain part of YAML: no anchors, aliases, tags, merge keys or repeated "
            "keys, and no tabs as indentation. The skill is skipped. Edit the file."),
        .bad = TEXT(
            "---\n"
            "name: [unclosed\n"
            "---\n"),
        .good = TEXT(
            "---\n"
            "name: probe\n"
            "handoff:\n"
            "  accepts_from: [\"*\"]\n"
            "---\n"),
    },
    {
        ROW("TARGET_INCOMPATIBLE", "universal", BT_SEVERITY_WARN,
            "the target speaks another version of the envelope"),
        .explanation = TEXT(
            "A receiver of version 2.0 understands a part of a 3.0 handoff, one of version 1.2 "
            "nothing, and one that names no version cannot be judged. Convert the handoff, or "
            "have the skill updated."),
        .bad = TEXT(
            "{\"target\":{\"skill\":\"old-hand\"}}"),
        .good = TEXT(
            "{\"target\":{\"skill\":\"patch-builder\"}}"),
    },
    {
        ROW("TARGET_NOT_FOUND", "universal", BT_SEVERITY_HARD,
            "no discoverable skill has the name of the target"),
        .explanation = TEXT(
            "The catalogue given with --skills has no skill of that name that takes work. "
            "Names are compared without regard to case and white space around them. "
            "params.available lists who is there; baton discover says who fits."),
        .bad = TEXT(
            "{\"target\":{\"skill\":\"nobody\"}}"),
        .good = TEXT(
            "{\"target\":{\"skill\":\"patch-builder\"}}"),
    },
    {
        ROW("TARGET_NOT_PROVIDED", "universal", BT_SEVERITY_WARN,
            "the source does not declare that it hands work to the target"),
        .explanation = TEXT(
            "provides_to of the source's front matter has neither the target nor *. Add it "
            "there, or choose one that is named."),
        .bad = TEXT(
            "{\"target\":{\"skill\":\"old-hand\"}}"),
        .good = TEXT(
            "{\"target\":{\"skill\":\"patch-builder\"}}"),
    },
    {
        ROW("TARGET_REFUSES_SOURCE", "universal", BT_SEVERITY_HARD,
            "the target does not accept work from the source"),
        .explanation = TEXT(
            "accepts_from of the target's front matter has neither the source nor *. baton "
            "discover lists those who accept it."),
        .bad = TEXT(
            "{\"source\":{\"skill\":\"stranger\"}}"),
        .good = TEXT(
            "{\"source\":{\"skill\":\"release-planner\"}}"),
    },
    {
        ROW("TARGET_REQUIRES_MISSING", "universal", BT_SEVERITY_WARN,
            "the handoff lacks a member that the target needs"),
        .explanation = TEXT(
            "requires of the target's front matter names a path below handoff, such as "
            "context.original_prompt, at which there is nothing. params.path is it. Add the "
            "member."),
        .bad = TEXT(
            "{\"context\":{\"original_prompt\":null}}"),
        .good = TEXT(
            "{\"context\":{\"original_prompt\":\"Mend the parser.\"}}"),
    },
};
/* clang-format on */

const size_t bt_catalogue_rules_count = sizeof(bt_catalogue_rules) / sizeof(bt_catalogue_rules[0]);

const struct bt_rule *bt_skill_catalogue_rule(const char *code)
{
    size_t i = 0;
    while (i < bt_catalogue_rules_count &&
           !bt_str_eq(bt_catalogue_rules[i].code, bt_str_of(code))) {
        i++;
    }
    assert(i < bt_catalogue_rules_count);
    return &bt_catalogue_rules[i];
}
