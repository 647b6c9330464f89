/* SPDX-License-Identifier: Apache-2.0 */
/* universal_run.h - the flags and runs of the commands about universal handoffs. */
#ifndef BATON_APP_CLI_UNIVERSAL_RUN_H
#define BATON_APP_CLI_UNIVERSAL_RUN_H

#include "dialect/universal/universal.h"
#include "run.h"
#include "skills.h"

extern const struct cli_flag flag_tokens;
extern const struct cli_flag flag_token_dir;
extern const struct cli_flag flag_token_budget;
extern const struct cli_flag flag_section_limit;
extern const struct cli_flag flag_semantics;
extern const struct cli_flag flag_chain;
extern const struct cli_flag flag_strict_expiry;
extern const struct cli_flag flag_no_refs;
extern const struct cli_flag flag_verify_artifacts;
extern const struct cli_flag flag_fail_fast;

/* All of them, for a table of flags. */
#define CLI_UNIVERSAL_FLAGS                                                                        \
    &flag_tokens, &flag_token_dir, &flag_token_budget, &flag_section_limit, &flag_semantics,       \
        &flag_chain, &flag_strict_expiry, &flag_no_refs, &flag_verify_artifacts, &flag_fail_fast,  \
        &flag_skills, &flag_registry

/* The encoding that a flag names, if it was given. False after an error message. */
bool cli_encoding(const struct cli_options *options, const struct cli_flag *flag,
                  enum bt_encoding *out);

/* Set the options from these flags. False after an error message. */
bool cli_universal_options(const struct cli_options *options, struct bt_universal_options *out);

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

/* Log that the document was created, if it was, and print the result. Returns the exit code. */
int universal_run_written(struct cli_run *run, bool dry_run, struct bt_universal_result *result);

/* Print the error for a status with its reason. Returns CLI_FAILED. */
int universal_run_fail(bt_str path, enum bt_status status, const struct bt_error *error);

extern const struct cli_flag flag_source;
extern const struct cli_flag flag_target;
extern const struct cli_flag flag_session_path;
extern const struct cli_flag flag_workflow_id;
extern const struct cli_flag flag_phase;
extern const struct cli_flag flag_summary;
extern const struct cli_flag flag_problem_type;
extern const struct cli_flag flag_working;
extern const struct cli_flag flag_session;
extern const struct cli_flag flag_references;
extern const struct cli_flag flag_original_prompt;
extern const struct cli_flag flag_focus;
extern const struct cli_flag flag_gap;
extern const struct cli_flag flag_criterion;
extern const struct cli_flag flag_category;
extern const struct cli_flag flag_invocation;
extern const struct cli_flag flag_expected_phase;
extern const struct cli_flag flag_confidence;
extern const struct cli_flag flag_reason;
extern const struct cli_flag flag_approved;
extern const struct cli_flag flag_expires_at;
extern const struct cli_flag flag_trace_id;
extern const struct cli_flag flag_continue;
extern const struct cli_flag flag_parent_span;
extern const struct cli_flag flag_tag;
extern const struct cli_flag flag_no_seal;
extern const struct cli_flag flag_style;

/* All of them, for a table of flags. */
#define CLI_DRAFT_FLAGS                                                                            \
    &flag_source, &flag_target, &flag_session_path, &flag_workflow_id, &flag_phase, &flag_summary, \
        &flag_problem_type, &flag_working, &flag_session, &flag_references, &flag_original_prompt, \
        &flag_focus, &flag_gap, &flag_criterion, &flag_category, &flag_invocation,                 \
        &flag_expected_phase, &flag_confidence, &flag_reason, &flag_approved, &flag_expires_at,    \
        &flag_trace_id, &flag_continue, &flag_parent_span, &flag_tag, &flag_no_seal, &flag_style

/*
 * Set the draft from these flags; what was not given stays absent. Texts live as long as the run.
 * False after an error message: malformed JSON, a file that cannot be read, a tag without a value.
 */
bool cli_draft_flags(struct cli_run *run, struct bt_universal_draft *out);

#endif
