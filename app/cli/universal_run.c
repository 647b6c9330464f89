/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal_run.c - shared by the commands that change or make universal handoffs: begin, read,
 * print, end.
 */
#include "universal_run.h"

#include <assert.h>
#include <stdlib.h>

#include <baton/file.h>

#include "print.h"
#include "tracing.h"
#include "universal_flags.h"
#include "write_document.h"

enum { RUN_BYTES_MAX = 1 << 30 };

/* clang-format off */
const struct cli_flag flag_write_root = {"root", 0, "DIR", CLI_FOLDER,
    "folder beneath which files are written and looked up (default the current folder and the "
    "temporary one)", NULL};
/* clang-format on */

/* Each root is opened once before any work, so that a wrong one is reported at once. */
static bool take_root(const char *path, bt_str *out)
{
    struct bt_dir *root = NULL;
    struct bt_error error;
    if (bt_dir_open(bt_str_of(path), &root, &error) != BT_OK) {
        cli_print_error("cannot use the root %s: %s", path, error.text);
        return false;
    }
    bt_dir_close(root);
    *out = bt_str_of(path);
    return true;
}

static bool take_roots(struct cli_universal_run *run)
{
    const struct cli_options *options = run->options;
    run->roots.temporary = bt_str_of(getenv("TMPDIR"));
    bt_str *paths = BT_NEW_ARRAY(&run->arena, bt_str, options->given_count + 1);
    if (!paths) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return false;
    }
    const char *path = NULL;
    for (; (path = cli_given_at(options, &flag_write_root, run->roots.count)); run->roots.count++) {
        if (!take_root(path, &paths[run->roots.count])) {
            return false;
        }
    }
    run->roots.paths = paths;
    /* References are resolved below the first. */
    run->how.root = run->roots.count > 0 ? paths[0] : BT_STR("");
    return true;
}

bool universal_run_begin(struct cli_universal_run *run, const struct cli_options *options)
{
    assert(run);
    *run = (struct cli_universal_run){.options = options};
    if (!cli_universal_options(options, &run->how) || !cli_env_init(options, &run->env)) {
        return false;
    }
    bt_arena_init(&run->arena, RUN_BYTES_MAX);
    const enum bt_status status = bt_universal_checker_create(&run->env, &run->universal);
    if (status != BT_OK) {
        cli_print_error("%s", bt_status_text(status));
    }
    if (status != BT_OK || !take_roots(run) ||
        !cli_skills_open(options, &run->arena, &run->how.catalogue)) {
        universal_run_end(run);
        return false;
    }
    return true;
}

void universal_run_end(struct cli_universal_run *run)
{
    bt_universal_checker_destroy(run->universal);
    bt_arena_free(&run->arena);
}

bool universal_run_read(struct cli_universal_run *run, const char *operand, struct cli_input *out)
{
    return cli_input_read(&run->arena, operand, run->env.limits.document_bytes, out);
}

int universal_run_fail(bt_str path, enum bt_status status, const struct bt_error *error)
{
    assert(status != BT_OK);
    cli_print_error("cannot finish %.*s: %s", BT_STR_ARG(path),
                    error ? error->text : bt_status_text(status));
    return CLI_FAILED;
}

int universal_run_written(struct cli_universal_run *run, bool dry_run,
                          struct bt_universal_result *result)
{
    if (!dry_run && result->judged.verdict == BT_VERDICT_ACCEPTED) {
        const enum bt_status status = cli_trace_judgement(
            run->options, &run->env, &run->arena, BT_TRACE_EVENT_HANDOFF_CREATED, &result->judged);
        if (status != BT_OK) {
            return universal_run_fail(result->judged.path, status, NULL);
        }
    }
    return cli_document_written(run->options, &run->arena, result);
}
