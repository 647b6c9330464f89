/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - baton.yaml, found and read before a command runs.
 *
 * Flags beat the file, and the environment beats its key `store`.
 */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "settings.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <baton/file.h>

#include "say.h"

enum { FILE_BYTES_MAX = 1 << 20 };

static const char usual_path[] = "baton.yaml";

static bool reads_config(const struct cli_options *options)
{
    bool takes = false;
    for (const struct cli_flag *const *flag = options->command->flags; *flag; flag++) {
        takes = takes || *flag == &flag_config;
    }
    return takes && !options->without_config;
}

/* Whether we stand in the folder or below it: what is under judgement must not configure its
 * judge. */
static bool stands_in(const char *folder)
{
    char here[PATH_MAX];
    char there[PATH_MAX];
    if (!folder || !realpath(".", here) || !realpath(folder, there)) {
        return false;
    }
    const size_t length = strlen(there);
    return strncmp(here, there, length) == 0 &&
           (here[length] == '\0' || here[length] == '/' || length == 1);
}

static void complain(const char *path, const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_HARD) {
            cli_complain("%s:%u: %.*s %.*s", path, finding->place.line,
                         BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
        }
    }
}

static enum bt_status read_text(struct bt_arena *arena, const char *path, bt_str text,
                                const struct bt_config **out)
{
    struct bt_findings *findings = bt_findings_new(arena);
    const char *store = getenv("BATON_STORE");
    const struct bt_config_source source = {bt_str_of(path), text, bt_str_of(store)};
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_config_read(arena, &source, findings, out));
    BT_TRY(bt_findings_finish(findings, text));
    if (!*out) {
        complain(path, findings);
        return BT_EINVAL;
    }
    return BT_OK;
}

enum bt_status cli_config_load(struct bt_arena *arena, const char *path, bool asked,
                               const struct bt_config **out)
{
    assert(path);
    struct bt_error error;
    bt_str text = BT_STR("");
    const enum bt_status status =
        bt_file_read(arena, bt_str_of(path), FILE_BYTES_MAX, &text, &error);
    const bool is_needless = status == BT_ENOENT && !asked;
    if (status != BT_OK && !is_needless) {
        cli_complain("cannot read the configuration %s: %s", path, error.text);
        return BT_EINVAL;
    }
    const struct bt_config *config = NULL;
    BT_TRY(read_text(arena, path, text, &config));
    *out = config;
    return BT_OK;
}

static bool lower_limits(struct cli_options *options)
{
    const char *given = cli_given_at(options, &flag_limit, 0);
    for (size_t i = 1; given; i++) {
        struct bt_error error;
        if (bt_limits_lower(&options->limits, bt_str_of(given), &error) != BT_OK) {
            (void)cli_misused(options->command, "%s", error.text);
            return false;
        }
        given = cli_given_at(options, &flag_limit, i);
    }
    return true;
}

static bool load(struct cli_options *options, struct bt_arena *arena)
{
    const char *path = cli_given(options, &flag_config);
    if (!reads_config(options) || (!path && stands_in(options->root))) {
        return true;
    }
    const enum bt_status status =
        cli_config_load(arena, path ? path : usual_path, path != NULL, &options->config);
    if (status == BT_ENOMEM) {
        cli_complain("%s", bt_status_text(status));
    }
    return status == BT_OK;
}

bool cli_settle(struct cli_options *options, struct bt_arena *arena)
{
    assert(options->config);
    if (!load(options, arena)) {
        return false;
    }
    options->limits = bt_config_limits(options->config);
    if (!options->fail_level &&
        bt_severity_parse(bt_config_text(options->config, "check.fail_level"),
                          &options->fail_level) != BT_OK) {
        options->fail_level = BT_HARD;
    }
    return lower_limits(options);
}
