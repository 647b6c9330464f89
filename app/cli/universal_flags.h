/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal_flags.h - how to judge universal handoffs: the flags of check, repair, write and other
 * commands.
 */
#ifndef BATON_APP_CLI_UNIVERSAL_FLAGS_H
#define BATON_APP_CLI_UNIVERSAL_FLAGS_H

#include <baton/universal.h>

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

#endif
