/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_registry.c - the commands of `baton registry` */
#include "cli.h"
#include "output.h"
#include "run.h"
#include "universal_run.h"

#include "json/emit.h"

enum { RESULT_BYTES_MAX = 64 << 20, NAME_SHOWN = 80 };

/* ---- baton registry lint --------------------------------------------------------------------- */

int cmd_registry_lint(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct bt_skill_catalogue *catalogue = NULL;
    if (!cli_skills_open(options, &run->arena, &catalogue)) {
        return CLI_FAILED;
    }
    struct bt_report *report = bt_report_new(&run->arena);
    const enum bt_status status = report ? bt_skill_catalogue_lint(catalogue, report) : BT_ENOMEM;
    if (status != BT_OK) {
        return cli_failed("cannot judge the skills: %s", bt_status_text(status));
    }
    if (!cli_report_write(options, report)) {
        return CLI_FAILED;
    }
    return bt_report_get_totals(report).rejected > 0 ? CLI_REJECTED : CLI_DONE;
}

/* ---- baton registry sync --------------------------------------------------------------------- */

struct cli_registry_sync_run {
    struct cli_run *run;
    const struct bt_skill_catalogue *catalogue;
    const char *path;
    struct bt_skill_registry_result result;
};

static void put_json(struct bt_buf *buf, const struct cli_registry_sync_run *syncing,
                     const struct bt_findings *findings)
{
    const struct bt_skill_registry_result *result = &syncing->result;
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_name(&emit, "registry");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "path", bt_str_of(syncing->path));
    bt_emit_member_u64(&emit, "total", result->total);
    bt_emit_name(&emit, "added");
    cli_emit_texts(&emit, &result->added);
    bt_emit_name(&emit, "updated");
    cli_emit_texts(&emit, &result->updated);
    bt_emit_name(&emit, "kept");
    cli_emit_texts(&emit, &result->kept);
    bt_emit_end(&emit);
    cli_json_array(&emit, "findings");
    bt_findings_emit(&emit, findings);
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

static void put_names(struct bt_buf *buf, const char *what,
                      const struct bt_optional_str_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        bt_buf_printf(buf, "%-8s ", what);
        bt_buf_put_printable(buf, names->items[i], NAME_SHOWN);
        bt_buf_put_char(buf, '\n');
    }
}

static void put_full(struct bt_buf *buf, const struct cli_registry_sync_run *syncing)
{
    const struct bt_skill_registry_result *result = &syncing->result;
    const bool is_dry = cli_given(syncing->run->options, &flag_dry_run) != NULL;
    put_names(buf, "added", &result->added);
    put_names(buf, "updated", &result->updated);
    put_names(buf, "kept", &result->kept);
    bt_buf_put_printable(buf, bt_str_of(syncing->path), NAME_SHOWN);
    bt_buf_printf(buf, "%s %zu skill%s: %zu added, %zu updated, %zu kept\n",
                  is_dry ? " would have" : " has", result->total, result->total == 1 ? "" : "s",
                  result->added.count, result->updated.count, result->kept.count);
}

static bool write_registry(struct cli_registry_sync_run *syncing)
{
    struct bt_error error;
    return cli_given(syncing->run->options, &flag_dry_run) ||
           bt_skill_registry_save(syncing->catalogue, &syncing->result, &syncing->run->arena,
                                  &error) == BT_OK ||
           cli_refuse("cannot write %s: %s", syncing->path, error.text);
}

static int write_and_print_registry(struct cli_registry_sync_run *syncing)
{
    const struct bt_findings *findings =
        cli_skills_findings(syncing->catalogue, &syncing->run->arena);
    struct bt_buf buf;
    if (!findings) {
        return cli_fail_status(BT_ENOMEM);
    }
    if (!write_registry(syncing)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, RESULT_BYTES_MAX);
    if (cli_wants_json(syncing->run->options)) {
        put_json(&buf, syncing, findings);
    } else {
        cli_skills_complain(findings);
        put_full(&buf, syncing);
    }
    return cli_print_buf(&buf);
}

int cmd_registry_sync(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_registry_sync_run *syncing =
        &(struct cli_registry_sync_run){.run = run, .path = cli_given(options, &flag_registry)};
    if (!cli_skills_open(options, &run->arena, &syncing->catalogue)) {
        return CLI_FAILED;
    }
    if (bt_skill_catalogue_has_unreadable_registry(syncing->catalogue)) {
        return cli_failed("%s cannot be read and is left as it is; baton registry lint says why",
                          syncing->path);
    }
    const enum bt_status status = bt_skill_registry_sync(syncing->catalogue, bt_env_now(&run->env),
                                                         &run->arena, &syncing->result);
    if (status != BT_OK) {
        return cli_failed("cannot make the registry: %s", bt_status_text(status));
    }
    return write_and_print_registry(syncing);
}
