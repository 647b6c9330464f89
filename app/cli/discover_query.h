/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discover_query.h - the query of `baton discover`: from its flags and, where these are absent,
 * from a handoff.
 */
#ifndef BATON_APP_CLI_DISCOVER_QUERY_H
#define BATON_APP_CLI_DISCOVER_QUERY_H

#include "cli.h"
#include "skill/skill.h"

/* The query, or the reason why the handoff gives none. */
struct cli_discover_query {
    struct bt_skill_query wanted;
    bool is_unusable; /* the handoff cannot be read or names no source: `judged` says why */
    struct bt_judgement judged;
};

/* Read the query; everything lives in `arena`. False after an error message. */
bool discover_query_read(const struct cli_options *options, struct bt_env *env,
                         struct bt_arena *arena, struct cli_discover_query *out);

#endif
