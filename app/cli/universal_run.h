/* SPDX-License-Identifier: Apache-2.0 */
/* universal_run.h - the flags and runs of the commands about universal handoffs. */
#ifndef BATON_APP_CLI_UNIVERSAL_RUN_H
#define BATON_APP_CLI_UNIVERSAL_RUN_H

#include "dialect/universal/universal.h"
#include "run.h"
#include "skill/skill.h"

/* The encoding that a flag names, if it was given. False after an error message. */
bool cli_encoding(const struct cli_options *options, const struct cli_flag *flag,
                  enum bt_encoding *out);

/* Set the options from these flags. False after an error message. */
bool cli_universal_options(const struct cli_options *options, struct bt_universal_options *out);

/*
 * Read the handoff that --previous names, if it was given, into the options and the arena. False
 * after an error message.
 */
bool cli_universal_previous(const struct cli_options *options, const struct bt_env *env,
                            struct bt_arena *arena, struct bt_universal_options *out);
/* True when a document is of the same trace as --previous, as far as that can be told. */
bool cli_universal_is_same_trace(const struct bt_universal_options *options,
                                 const struct bt_env *env, struct bt_arena *arena, bt_str text);
#define CLI_OTHER_TRACE "it is of another trace than the handoff of --previous"

/* ---- Skills: skills.c ------------------------------------------------------------------------ */

/*
 * Open the catalogue in `arena`; *out is NULL when no directory was named. False after an error
 * message.
 */
bool cli_skills_open(const struct cli_options *options, struct bt_arena *arena,
                     const struct bt_skill_catalogue **out);

/* Put an array of texts. */
void cli_emit_texts(struct bt_emit *emit, const struct bt_optional_str_list *texts);

/* The finished findings about what was left out of the catalogue. NULL when memory runs out. */
struct bt_findings *cli_skills_findings(const struct bt_skill_catalogue *catalogue,
                                        struct bt_arena *arena);
/* Print the findings for people, one line each, on standard error. */
void cli_skills_complain(const struct bt_findings *findings);

/* ---- Runs ------------------------------------------------------------------------------------ */

extern const struct cli_flag flag_write_root; /* --root DIR, also for written files */

/* What the commands that change or make universal handoffs share, as a part of a run. */
struct cli_universal_run {
    struct bt_universal_options how; /* how to judge */
    struct bt_universal_checker *checker;
    struct bt_universal_write_dirs roots; /* every --root, or the defaults */
};

/* Make run->universal. */
cli_begin_fn universal_run_begin;
void universal_run_free(struct cli_universal_run *universal);

/* Log that the document was created, if it was, and print the result; `members` are more members of
 * a JSON report, or "". Returns the exit code. */
int universal_run_written(struct cli_run *run, bool dry_run, struct bt_universal_result *result,
                          bt_str members);

/* Print the error for a status with its reason. Returns CLI_FAILED. */
int universal_run_fail(bt_str path, enum bt_status status, const struct bt_error *error);

/*
 * The value of a flag that is JSON or @FILE; *out stays as it is when it was not given. False after
 * an error message: malformed JSON is a usage error, not a finding.
 */
bool cli_take_json(struct cli_run *run, const struct cli_flag *flag, bt_str *out);

/*
 * Set the draft from these flags; what was not given stays absent. Texts live as long as the run.
 * False after an error message: malformed JSON, a file that cannot be read, a tag without a value.
 */
bool cli_draft_flags(struct cli_run *run, struct bt_universal_draft *out);

/* The budget and the spending that flags give. False after an error message. */
bool cli_spending_flags(struct cli_run *run, struct bt_universal_spending *out);
/* True when the cost of what was spent is known. False after an error message. */
bool cli_spending_is_priced(const struct bt_universal_spending *spending);

#endif
