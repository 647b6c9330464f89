/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skills.h - the catalogue of skills that --skills and --registry name.
 */
#ifndef BATON_APP_CLI_SKILLS_H
#define BATON_APP_CLI_SKILLS_H

#include <baton/catalogue.h>

#include "cli.h"

extern const struct cli_flag flag_skills;
extern const struct cli_flag flag_registry;

/* The catalogue in `arena`, or NULL in *out when no folder was named. False after a complaint. */
bool cli_skills_open(const struct cli_options *options, struct bt_arena *arena,
                     const struct bt_skill_catalogue **out);

/* Put an array of texts. */
void cli_emit_texts(struct bt_emit *emit, const struct bt_optional_str_list *texts);

/* What was left out of the catalogue, finished. NULL when there is no memory. */
struct bt_findings *cli_skills_findings(const struct bt_skill_catalogue *catalogue,
                                        struct bt_arena *arena);
/* The same for people: a line for each on standard error. */
void cli_skills_complain(const struct bt_findings *findings);

#endif
