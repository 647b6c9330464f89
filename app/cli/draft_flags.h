/* SPDX-License-Identifier: Apache-2.0 */
/* draft_flags.h - the parts of a universal handoff as flags, for the commands that make one. */
#ifndef BATON_APP_CLI_DRAFT_FLAGS_H
#define BATON_APP_CLI_DRAFT_FLAGS_H

#include "universal_run.h"

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
bool cli_draft_flags(struct cli_universal_run *run, struct bt_universal_draft *out);

#endif
