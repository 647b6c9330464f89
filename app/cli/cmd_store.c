/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_store.c - the commands of `baton store` */
#include <inttypes.h>

#include <baton/json.h>

#include "cli.h"
#include "json/emit.h"
#include "ledger/admin.h"
#include "output.h"
#include "run.h"

/* ---- baton store retain ---------------------------------------------------------------------- */

static int print_retention(struct cli_run *run, const struct bt_ledger_retain_options *retention)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    if (!cli_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%" PRIu64 " documents deleted, %" PRIu64 " bytes\n",
                      retention->redacted, retention->bytes);
        if (retention->held + retention->below_minimum > 0) {
            bt_buf_printf(&buf, "%" PRIu64 " on hold, %" PRIu64 " kept longer by retain.min\n",
                          retention->held, retention->below_minimum);
        }
        return cli_run_print(run, &buf);
    }
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "store", bt_ledger_url(run->ledger));
    bt_emit_member_u64(&emit, "accepted_days", retention->accepted_days);
    bt_emit_member_u64(&emit, "redacted", retention->redacted);
    bt_emit_member_u64(&emit, "bytes", retention->bytes);
    bt_emit_member_u64(&emit, "held", retention->held);
    bt_emit_member_u64(&emit, "too_young", retention->below_minimum);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

int cmd_store_retain(struct cli_run *run)
{
    struct bt_ledger_retain_options retention = {
        .alarms = run->alarms, .min_s = bt_config_retain_seconds(run->options->config)};
    const char *days = cli_given(run->options, &flag_accepted_days);
    if (bt_str_to_u64(bt_str_of(days), &retention.accepted_days) != BT_OK) {
        return cli_usage_error(run->options->command, "--accepted-days wants a number, not %s",
                               days);
    }
    if (!cli_run_actor(run, &retention.actor) || !cli_run_open_ledger(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_ledger_redact_expired(run->ledger, &run->env, &run->arena, &retention, &run->error);
    if (status != BT_OK && retention.redacted > 0) {
        cli_print_error("note: %" PRIu64 " documents were deleted before that", retention.redacted);
    }
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot continue");
    }
    return cli_run_alarmed(run) ? CLI_REJECTED : print_retention(run, &retention);
}

/* ---- info ------------------------------------------------------------------------------------ */

/* "12.3 MiB" */
static void put_size(struct bt_buf *buf, bt_str digits)
{
    static const char *const units[] = {"KiB", "MiB", "GiB"};
    uint64_t bytes = 0;
    size_t unit = 0;
    if (bt_str_to_u64(digits, &bytes) != BT_OK) {
        bt_buf_put(buf, digits);
        return;
    }
    double size = (double)bytes / 1024;
    while (size >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        size /= 1024;
        unit++;
    }
    bt_buf_printf(buf, "%.1f %s", size, units[unit]);
}

static void put_fact(struct bt_buf *buf, const struct bt_json_doc *document, bt_str group,
                     const struct bt_json_member *member)
{
    const bt_json_value *value = &member->value;
    const enum bt_json_type type = bt_json_type(value);
    if (group.len > 0) {
        bt_buf_put(buf, group);
        bt_buf_put_char(buf, '.');
    }
    bt_buf_put(buf, bt_json_name(member));
    bt_buf_put_text(buf, ": ");
    if (type == BT_JSON_STRING) {
        bt_buf_put_printable(buf, bt_json_text(value), SIZE_MAX);
    } else if (type == BT_JSON_INTEGER && bt_str_eq(bt_json_name(member), BT_STR("bytes"))) {
        put_size(buf, bt_json_number_text(document, value));
    } else if (type == BT_JSON_INTEGER) {
        bt_buf_put(buf, bt_json_number_text(document, value));
    } else {
        bt_buf_put_text(buf, type == BT_JSON_TRUE ? "yes" : type == BT_JSON_FALSE ? "no" : "-");
    }
    bt_buf_put_char(buf, '\n');
}

/* One line for each fact; those of a group have its name before them. */
static void put_facts(struct bt_buf *buf, const struct bt_json_doc *document)
{
    const bt_json_value *info = bt_json_root(document);
    for (size_t i = 1; i < bt_json_count(info); i++) { /* without the version of the object */
        const struct bt_json_member *member = &bt_json_members(info)[i];
        const bool is_group = bt_json_type(&member->value) == BT_JSON_OBJECT;
        if (!is_group) {
            put_fact(buf, document, BT_STR(""), member);
        }
        for (size_t k = 0; is_group && k < bt_json_count(&member->value); k++) {
            put_fact(buf, document, bt_json_name(member), &bt_json_members(&member->value)[k]);
        }
    }
}

/* The JSON object for programs, lines for people. */
static int print_info(struct cli_run *run, struct bt_buf *buf)
{
    struct bt_json_read_result read = {0};
    struct bt_buf lines;
    if (cli_run_is_json(run->options)) {
        return cli_run_print(run, buf);
    }
    /* from: the ledger, which writes what it knows about the store */
    const enum bt_status status = bt_json_read(&run->arena, bt_buf_str(buf), NULL, &read);
    if (status != BT_OK || !read.document) {
        bt_buf_free(buf);
        return cli_fail_status(status == BT_OK ? BT_ECORRUPT : status);
    }
    bt_buf_init(&lines, 1 << 20);
    put_facts(&lines, read.document);
    bt_buf_free(buf);
    return cli_run_print(run, &lines);
}

int cmd_store_info(struct cli_run *run)
{
    struct bt_buf buf;
    if (!cli_run_open_ledger(run, CLI_READ_ANY)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (bt_ledger_put_info(run->ledger, &buf, &run->error) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot read the store");
    }
    return print_info(run, &buf);
}

/* Open a store even if it is unsafe or incomplete. False after an error message. */
static bool open_leniently(struct cli_run *run, bool allow_old_schema)
{
    struct bt_ledger_options where;
    if (!cli_run_find_store(run, &where)) {
        return false;
    }
    where.allow_unsafe = true;
    where.allow_old_schema = allow_old_schema;
    where.accepts_statements = true;
    if (bt_ledger_open(&where, false, &run->ledger, &run->error) != BT_OK) {
        (void)cli_run_failed(run, "cannot open the store");
        return false;
    }
    cli_run_warn_of_test_key(run);
    return true;
}

/* ---- check ----------------------------------------------------------------------------------- */

int cmd_store_check(struct cli_run *run)
{
    struct bt_judgement judged;
    if (!open_leniently(run, false)) {
        return CLI_FAILED;
    }
    if (bt_ledger_check_store(run->ledger, &run->arena, &judged, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot check the store");
    }
    return cli_run_report_one(run, &judged, BT_STR(""));
}

/* ---- migrate --------------------------------------------------------------------------------- */

/* The steps for people, one per line. */
static int print_steps(struct cli_run *run, const struct bt_ledger_migrate_result *done,
                       bool is_dry)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    bt_buf_printf(&buf, "%.*s has schema version %" PRIu64 "; %s\n",
                  BT_STR_ARG(bt_ledger_url(run->ledger)), is_dry ? done->from : done->to,
                  done->count == 0 ? "there is nothing to do"
                  : is_dry         ? "to be done:"
                                   : "done:");
    for (size_t i = 0; i < done->count; i++) {
        bt_buf_printf(&buf, "  %.*s\n", BT_STR_ARG(done->steps[i]));
    }
    return cli_run_print(run, &buf);
}

int cmd_store_migrate(struct cli_run *run)
{
    struct bt_buf buf;
    struct bt_emit emit;
    struct bt_ledger_migrate_result done;
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    struct bt_ledger_migrate_options how = {.is_dry = is_dry};
    if (!cli_run_entries(run, 0, &how.entries) || !open_leniently(run, true)) {
        return CLI_FAILED;
    }
    if (bt_ledger_migrate(run->ledger, &run->arena, &how, &done, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot migrate the store");
    }
    if (!cli_run_is_json(run->options)) {
        return print_steps(run, &done, is_dry);
    }
    bt_buf_init(&buf, 1 << 20);
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, "store", bt_ledger_url(run->ledger));
    bt_emit_member_u64(&emit, "from", done.from);
    bt_emit_member_u64(&emit, "to", done.to);
    cli_json_array(&emit, "steps");
    for (size_t i = 0; i < done.count; i++) {
        bt_emit_string(&emit, done.steps[i]);
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

/* ---- backup, copy ---------------------------------------------------------------------------- */

/* Print what a verified copy holds; `words` are the names of the two stores in the object. */
static int print_copy(struct cli_run *run, const struct bt_ledger_head *head,
                      const char *const words[2], bt_str target)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    if (!cli_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%.*s: %" PRIu64 " entries, verified\nroot %.*s\n", BT_STR_ARG(target),
                      head->size, BT_STR_ARG(head->root));
        return cli_run_print(run, &buf);
    }
    cli_json_begin(&emit, &buf);
    bt_emit_member_string(&emit, words[0], bt_ledger_url(run->ledger));
    bt_emit_member_string(&emit, words[1], target);
    bt_emit_member_u64(&emit, "size", head->size);
    bt_emit_member_string(&emit, "root", head->root);
    cli_json_bool(&emit, "verified", true);
    cli_json_end(&emit);
    return cli_run_print(run, &buf);
}

int cmd_store_backup(struct cli_run *run)
{
    static const char *const words[2] = {"store", "backup"};
    const char *path = run->options->operands[0];
    struct bt_ledger_head head;
    if (!cli_run_open_ledger(run, CLI_READ_ANY)) {
        return CLI_FAILED;
    }
    if (bt_ledger_back_up(run->ledger, &run->arena, path, &head, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot make the backup");
    }
    return print_copy(run, &head, words, bt_str_of(path));
}

int cmd_store_copy(struct cli_run *run)
{
    static const char *const words[2] = {"from", "to"};
    struct bt_ledger_options where;
    struct bt_ledger_head head;
    if (!cli_run_find_store(run, &where)) {
        return CLI_FAILED;
    }
    where.store = run->options->operands[0];
    where.accepts_statements = true;
    if (bt_ledger_open(&where, false, &run->ledger, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot open the store");
    }
    cli_run_warn_of_test_key(run);
    if (bt_ledger_copy_store(run->ledger, &run->arena, run->options->operands[1], &head,
                             &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot copy the store");
    }
    return print_copy(run, &head, words, head.store);
}
