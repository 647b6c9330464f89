/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix_files.h - check --fix: what the flags ask for, and one document fixed.
 */
#ifndef BATON_APP_CLI_FIX_FILES_H
#define BATON_APP_CLI_FIX_FILES_H

#include <baton/contract.h>
#include <baton/plan.h>
#include <baton/universal.h>
#include <baton/xml.h>

#include "cli.h"

extern const struct cli_flag flag_fix;
extern const struct cli_flag flag_unsafe_fixes;

struct cli_fix_run {
    bool wanted; /* something is to be fixed, in the files or only in the eyes of the reader */
    bool unsafe;
    bool diff;           /* show, and write nothing */
    struct bt_buf shown; /* the diffs of a run that shows nothing else */
};

/* What the flags say. False after a complaint. Ended with cli_fixing_end(). */
bool cli_fixing_begin(const struct cli_options *options, struct cli_fix_run *out);
void cli_fixing_end(struct cli_fix_run *fixing);

/* Whether the diffs stand in for the report. */
bool cli_fix_run_has_one_document(const struct cli_options *options,
                                  const struct cli_fix_run *fixing);

/*
 * Fix a universal handoff and set *out to the fixed document as it is judged. Unless it is only
 * shown, the file is replaced when something changed; *out_written is false, after a complaint,
 * when that could not be done.
 */
BT_MUST_USE enum bt_status cli_fix(struct cli_fix_run *fixing,
                                   struct bt_universal_checker *universal, struct bt_arena *arena,
                                   const struct bt_universal_input *input, struct bt_judgement *out,
                                   bool *out_written);
/* The same for the message of an agent. */
BT_MUST_USE enum bt_status cli_fix_contract(struct cli_fix_run *fixing,
                                            struct bt_contract_checker *contract,
                                            struct bt_arena *arena,
                                            const struct bt_contract_document *document,
                                            struct bt_judgement *out, bool *out_written);
/* The same for a plan. */
BT_MUST_USE enum bt_status cli_fix_plan(struct cli_fix_run *fixing, struct bt_plan_checker *plans,
                                        struct bt_arena *arena, const struct bt_plan_input *input,
                                        struct bt_judgement *out, bool *out_written);
/* The same for a message of the pump. */
BT_MUST_USE enum bt_status cli_fix_xml(struct cli_fix_run *fixing, struct bt_env *env,
                                       struct bt_arena *arena,
                                       const struct bt_message_input *document,
                                       struct bt_judgement *out, bool *out_written);

#endif
