/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_store.c - the commands of `baton store` */
#include <inttypes.h>

#include <baton/json.h>

#include "commands.h"
#include "json/layout.h"
#include "ledger/admin.h"
#include "output.h"
#include "run.h"

/* ---- baton store retain ---------------------------------------------------------------------- */

static cli_work_fn redact_expired;

static const struct cli_flag flag_accepted_days = {
    "accepted-days", 0, "N", CLI_ANY, "keep documents of accepted handoffs for N days", NULL};

const struct cli_command cmd_store_retain = {
    .name = "baton store retain",
    .operands = "",
    .summary = "delete documents of handoffs that were accepted long ago",
    .about = "Each is redacted with the reason retention, and an entry says so; entries, digests "
             "and proofs stay valid. Documents of refusals and raw records stay, and so do bytes "
             "that a younger entry also has. Backups and replicas keep their copies.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_accepted_days, &flag_actor, &flag_config, &flag_no_config, &flag_store,
                       &flag_store_root, &flag_key, &flag_deadline, &flag_now, &flag_format,
                       &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton store retain --accepted-days 90", "delete what was accepted long ago"}),
    .use = BT_CONFIG_DECIDES,
    .work = redact_expired,
};

static int print_retention(struct cli_run *run, const struct bt_ledger_retain_options *retention)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    if (!cli_run_is_json(run->options)) {
        bt_buf_printf(&buf, "%" PRIu64 " documents deleted, %" PRIu64 " bytes\n",
                      retention->redacted, retention->bytes);
        return cli_run_print(run, &buf);
    }
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "store", bt_ledger_url(run->ledger));
    bt_emit_member_u64(&emit, "accepted_days", retention->accepted_days);
    bt_emit_member_u64(&emit, "redacted", retention->redacted);
    bt_emit_member_u64(&emit, "bytes", retention->bytes);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_run_print(run, &buf);
}

static int redact_expired(struct cli_run *run)
{
    struct bt_ledger_retain_options retention = {.alarms = run->alarms};
    const char *days = cli_given(run->options, &flag_accepted_days);
    if (!days || bt_str_to_u64(bt_str_of(days), &retention.accepted_days) != BT_OK) {
        return cli_usage_error(run->options->command, "say how long: --accepted-days N");
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
        return cli_run_failed(run, "cannot go on");
    }
    return cli_run_alarmed(run) ? CLI_REJECTED : print_retention(run, &retention);
}

/* ---- The other commands of baton store ------------------------------------------------------- */

static cli_work_fn show_store_info;
static cli_work_fn check_store;
static cli_work_fn migrate_store;
static cli_work_fn backup_store;
static cli_work_fn copy_store;

static const struct cli_flag flag_dry_run = {
    "dry-run", 0, NULL, CLI_ANY, "only say what would be done", NULL};

static const struct cli_flag *const info_flags[] = {
    &flag_config, &flag_no_config, &flag_store, &flag_store_root, &flag_deadline,
    &flag_now,    &flag_format,    &flag_out,   &flag_help,       NULL,
};
static const struct cli_command cmd_store_info = {
    .name = "baton store info",
    .operands = "",
    .summary = "say what the store holds",
    .about = "",
    .missing = "",
    .flags = info_flags,
    .examples = CLI_EXAMPLES({"baton store info -f json", "what the store holds, for programs"}),
    .work = show_store_info,
};
static const struct cli_command cmd_store_check = {
    .name = "baton store check",
    .operands = "",
    .summary = "check the database and its agreement with the ledger",
    .about = "The back end's own integrity test, the triggers that refuse changes, settings, the "
             "mode of the key file, and that every table says what the entries say.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_config, &flag_no_config, &flag_store, &flag_store_root, &flag_deadline,
                       &flag_now, &flag_format, &flag_report_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton store check", "the database, its guards, and its agreement with the ledger"}),
    .work = check_store,
};
static const struct cli_command cmd_store_migrate = {
    .name = "baton store migrate",
    .operands = "",
    .summary = "bring the schema up to this version",
    .about = "Also puts the triggers back that refuse changes, where somebody removed them. On "
             "PostgreSQL this takes a member of baton_owner.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_dry_run, &flag_config, &flag_no_config, &flag_store, &flag_store_root,
                       &flag_deadline, &flag_now, &flag_format, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton store migrate --dry-run", "whether this version would change anything"}),
    .work = migrate_store,
};
static const struct cli_command cmd_store_backup = {
    .name = "baton store backup",
    .operands = "FILE",
    .summary = "copy the store to a new SQLite file, and verify the copy",
    .about = "The private key is not copied. A backup that is put back although newer entries "
             "were signed takes no more records: the head file beside the store knows.\n",
    .missing = "name the file to write",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = info_flags,
    .examples = CLI_EXAMPLES({"baton store backup copy.db", "a copy, verified"}),
    .work = backup_store,
};

static const struct cli_command cmd_store_copy = {
    .name = "baton store copy",
    .operands = "FROM TO",
    .summary = "copy a whole store to another back end, and verify the copy",
    .about =
        "FROM and TO are paths or URLs of stores; TO must be empty or not exist. The private "
        "key is not copied: put it where nodes of the new store look for it. Recording in both "
        "stores afterwards makes two histories.\n",
    .missing = "name the store to copy and the one to make",
    .operands_min = 2,
    .operands_max = 2,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_config, &flag_no_config, &flag_store_root, &flag_deadline, &flag_now,
                       &flag_format, &flag_out, &flag_help),
    .examples = CLI_EXAMPLES({"baton store copy .baton postgresql://baton@db.example/ledgers",
                              "from one machine to several"}),
    .work = copy_store,
};

const struct cli_command cmd_store = {
    .name = "baton store",
    .operands = "COMMAND",
    .summary = "look after the database beneath the ledger",
    .about = "",
    .missing = "store what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES({"baton store info", "what the store holds"},
                             {"baton store backup copy.db", "a copy, verified"}),
    .parts = CLI_PARTS(&cmd_store_info, &cmd_store_check, &cmd_store_migrate, &cmd_store_backup,
                       &cmd_store_copy, &cmd_store_retain),
};

/* ---- info ------------------------------------------------------------------------------------ */

/* The JSON object for programs, a table for people. */
static int print_info(struct cli_run *run, struct bt_buf *buf)
{
    struct bt_buf pretty;
    if (cli_run_is_json(run->options)) {
        return cli_run_print(run, buf);
    }
    bt_buf_init(&pretty, 1 << 20);
    bt_json_put_layout(&pretty, bt_buf_str(buf));
    bt_buf_free(buf);
    return cli_run_print(run, &pretty);
}

static int show_store_info(struct cli_run *run)
{
    struct bt_buf buf;
    if (!cli_run_open_ledger(run, CLI_READ)) {
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
static bool open_leniently(struct cli_run *run)
{
    struct bt_ledger_options where;
    if (!cli_run_find_store(run, &where)) {
        return false;
    }
    where.allow_unsafe = true;
    if (bt_ledger_open(&where, false, &run->ledger, &run->error) != BT_OK) {
        (void)cli_run_failed(run, "cannot open the store");
        return false;
    }
    cli_run_warn_of_test_key(run);
    return true;
}

/* ---- check ----------------------------------------------------------------------------------- */

static int check_store(struct cli_run *run)
{
    struct bt_judgement judged;
    if (!open_leniently(run)) {
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
                  BT_STR_ARG(bt_ledger_url(run->ledger)), done->to,
                  done->count == 0 ? "there is nothing to do"
                  : is_dry         ? "to be done:"
                                   : "done:");
    for (size_t i = 0; i < done->count; i++) {
        bt_buf_printf(&buf, "  %.*s\n", BT_STR_ARG(done->steps[i]));
    }
    return cli_run_print(run, &buf);
}

static int migrate_store(struct cli_run *run)
{
    struct bt_buf buf;
    struct bt_emit emit;
    struct bt_ledger_migrate_result done;
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    if (!open_leniently(run)) {
        return CLI_FAILED;
    }
    if (bt_ledger_migrate(run->ledger, &run->arena, is_dry, &done, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot migrate the store");
    }
    if (!cli_run_is_json(run->options)) {
        return print_steps(run, &done, is_dry);
    }
    bt_buf_init(&buf, 1 << 20);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "store", bt_ledger_url(run->ledger));
    bt_emit_member_u64(&emit, "from", done.from);
    bt_emit_member_u64(&emit, "to", done.to);
    bt_emit_name(&emit, "steps");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < done.count; i++) {
        bt_emit_string(&emit, done.steps[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
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
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, words[0], bt_ledger_url(run->ledger));
    bt_emit_member_string(&emit, words[1], target);
    bt_emit_member_u64(&emit, "size", head->size);
    bt_emit_member_string(&emit, "root", head->root);
    bt_emit_name(&emit, "verified");
    bt_emit_bool(&emit, true);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_run_print(run, &buf);
}

static int backup_store(struct cli_run *run)
{
    static const char *const words[2] = {"store", "backup"};
    const char *path = run->options->operands[0];
    struct bt_ledger_head head;
    if (!cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    if (bt_ledger_back_up(run->ledger, &run->arena, path, &head, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot make the backup");
    }
    return print_copy(run, &head, words, bt_str_of(path));
}

static int copy_store(struct cli_run *run)
{
    static const char *const words[2] = {"from", "to"};
    struct bt_ledger_options where;
    struct bt_ledger_head head;
    if (!cli_run_find_store(run, &where)) {
        return CLI_FAILED;
    }
    where.store = run->options->operands[0];
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
