/* SPDX-License-Identifier: Apache-2.0 */
/* skills.h - the catalogue of skills that --skills and --registry name. */
#ifndef BATON_APP_CLI_SKILLS_H
#define BATON_APP_CLI_SKILLS_H

#include "cli.h"
#include "skill/skill.h"

/*
 * Open the catalogue in `arena`; *out is NULL when no directory was named. False after an error
 * message.
 */
bool cli_skills_open(const struct cli_options *options, struct bt_arena *arena,
                     const struct bt_skill_catalogue **out);

/* Put an array of texts. */
void cli_emit_texts(struct bt_emit *emit, const struct bt_optional_str_list *texts);

/* The finished findings about what was left out of the catalogue. NULL when there is no memory. */
struct bt_findings *cli_skills_findings(const struct bt_skill_catalogue *catalogue,
                                        struct bt_arena *arena);
/* Print the findings for people, one line each, on standard error. */
void cli_skills_complain(const struct bt_findings *findings);

#endif
