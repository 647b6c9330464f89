/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal_flags.c - how to judge universal handoffs: flags -> options.
 */
#include "universal_flags.h"

#include <string.h>

#include "print.h"
#include "suggest.h"

/* clang-format off */
const struct cli_flag flag_tokens = {"tokens", 0, "ENCODING", CLI_ENCODING,
    "universal: count in these tokens (default o200k_base)", NULL};
const struct cli_flag flag_token_dir = {"token-dir", 0, "DIR", CLI_FOLDER,
    "universal: use the table DIR/ENCODING.tiktoken and no other", NULL};
const struct cli_flag flag_token_budget = {"budget", 0, "N", CLI_ANY,
    "universal: tokens that a document may have (default 2000)", NULL};
const struct cli_flag flag_section_limit = {"section-limit", 0, "NAME=N", CLI_SECTION,
    "universal: warn when a section has more tokens (repeatable)", NULL};
const struct cli_flag flag_semantics = {"semantics", 0, "MODE", CLI_SEMANTICS,
    "universal: whether loops and missing approval block (default error)", NULL};
const struct cli_flag flag_chain = {"chain", 0, "MODE", CLI_CHAIN,
    "universal: where the source stands in the chain (default head-or-tail)", NULL};
const struct cli_flag flag_strict_expiry = {"strict-expiry", 0, NULL, CLI_ANY,
    "universal: reject a document whose validity is over", NULL};
const struct cli_flag flag_no_refs = {"no-refs", 0, NULL, CLI_ANY,
    "universal: do not look for referenced files", NULL};
const struct cli_flag flag_verify_artifacts = {"verify-artifacts", 0, NULL, CLI_ANY,
    "universal: compare the files of artifacts beneath the root with their checksums", NULL};
const struct cli_flag flag_fail_fast = {"fail-fast", 0, NULL, CLI_ANY,
    "universal: stop after the first stage that rejects", NULL};
/* clang-format on */

bool cli_encoding(const struct cli_options *options, const struct cli_flag *flag,
                  enum bt_encoding *out)
{
    const char *value = cli_given(options, flag);
    if (!value || bt_encoding_parse(bt_str_of(value), out) == BT_OK) {
        return true;
    }
    struct cli_suggestion guess = cli_guess_for(bt_str_of(value));
    cli_guess_try_kind(&guess, CLI_ENCODING);
    (void)cli_print_unknown(options->command, "encoding", "", &guess);
    return false;
}

static bool take_budget(const struct cli_options *options, uint64_t *out)
{
    const char *value = cli_given(options, &flag_token_budget);
    if (!value || (bt_str_to_u64(bt_str_of(value), out) == BT_OK && *out > 0)) {
        return true;
    }
    (void)cli_usage_error(options->command, "--budget wants a whole number from 1, not %s", value);
    return false;
}

static bool take_section_limit(const struct cli_options *options, const char *value,
                               struct bt_universal_options *out)
{
    const bt_str text = bt_str_of(value);
    const size_t equals = bt_str_find_byte(text, '=', 0);
    enum bt_universal_section section = BT_UNIVERSAL_SECTION_METADATA;
    uint64_t limit = 0;
    if (bt_universal_section_parse(bt_str_slice(text, 0, equals), &section) != BT_OK ||
        bt_str_to_u64(bt_str_slice(text, equals + 1, text.len), &limit) != BT_OK) {
        (void)cli_usage_error(options->command,
                              "--section-limit wants NAME=N, such as working=500, not %s", value);
        return false;
    }
    out->section_limits[section] = limit;
    return true;
}

/*
 * True when the flag has the second of its two words; *out_known is false after an error message.
 */
static bool is_second(const struct cli_options *options, const struct cli_flag *flag,
                      const char *first, const char *second, bool *out_known)
{
    const char *value = cli_given(options, flag);
    if (!value || strcmp(value, first) == 0) {
        return false;
    }
    if (strcmp(value, second) != 0) {
        (void)cli_usage_error(options->command, "--%s wants %s or %s, not %s", flag->name, first,
                              second, value);
        *out_known = false;
    }
    return true;
}

bool cli_universal_options(const struct cli_options *options, struct bt_universal_options *out)
{
    const struct bt_config *config = options->config;
    *out = bt_universal_options_default();
    out->budget = bt_config_u64(config, "check.budget");
    bool known =
        bt_encoding_parse(bt_config_text(config, "check.tokens"), &out->encoding) == BT_OK &&
        cli_encoding(options, &flag_tokens, &out->encoding) && take_budget(options, &out->budget);
    const char *limit = NULL;
    for (size_t i = 0; known && (limit = cli_given_at(options, &flag_section_limit, i)); i++) {
        known = take_section_limit(options, limit, out);
    }
    if (!known) {
        return false;
    }
    out->semantics_warn = is_second(options, &flag_semantics, "error", "warn", &known);
    out->chain_head = is_second(options, &flag_chain, "head-or-tail", "head", &known);
    out->strict_expiry = cli_given(options, &flag_strict_expiry) != NULL;
    out->no_refs = cli_given(options, &flag_no_refs) != NULL;
    out->verify_artifacts = cli_given(options, &flag_verify_artifacts) != NULL;
    out->fail_fast = cli_given(options, &flag_fail_fast) != NULL;
    out->token_dir = bt_str_of(cli_given(options, &flag_token_dir));
    out->root = bt_str_of(options->root);
    return known;
}
