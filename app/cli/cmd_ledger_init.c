/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_init.c - baton ledger init
 */
#include <sys/stat.h>

#include <baton/file.h>
#include <baton/json.h>

#include "commands.h"
#include "input.h"
#include "ledger_run.h"
#include "print.h"

static cli_run_fn run_init;

enum { KEY_BYTES_MAX = 1024 };

static const struct cli_flag flag_origin = {
    "origin", 0, "NAME", CLI_ANY, "name of the ledger, best a URL without scheme", NULL};
static const struct cli_flag flag_key_text = {
    "key", 0, "FILE|-", CLI_FILE, "use the private key in FILE instead of making one", NULL};

const struct cli_command cmd_ledger_init = {
    .name = "baton ledger init",
    .operands = "",
    .summary = "make a store, a key and an empty ledger",
    .about = "Prints the verifier key, which others need to check receipts: give it to them by a "
             "way of its own. With --seed anyone can compute the key; that is for tests.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_origin, &flag_key_text, &flag_seed, &flag_config, &flag_no_config,
                       &flag_store, &flag_store_root, &flag_now, &flag_deadline, &flag_format,
                       &flag_out, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton ledger init --origin ledger.example/team", "make .baton/store.db and its key"}),
    .run = run_init,
};

static void put_json(struct bt_buf *buf, const struct bt_ledger_init_result *made, bt_str origin)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "store", made->store);
    bt_emit_member_string(&emit, "origin", origin);
    bt_emit_member_string(&emit, "vkey", made->vkey);
    bt_emit_member_string(&emit, "key_file", made->key_file);
    bt_emit_name(&emit, "test_key");
    bt_emit_bool(&emit, made->is_test_key);
    bt_emit_member_u64(&emit, "size", 0);
    bt_emit_member_string(&emit, "root", made->root);
    bt_emit_member_string(&emit, "checkpoint", made->checkpoint);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_text(struct bt_buf *buf, const struct bt_ledger_init_result *made)
{
    bt_buf_printf(buf,
                  "made %.*s\nverifier key: %.*s\nprivate key:  %.*s\n\n"
                  "Give the verifier key to everybody who must verify receipts. Keep checkpoints "
                  "elsewhere, with a\nwitness or with others: a person with this key and this disk "
                  "can write another history, and only\nan older checkpoint shows it.\n",
                  BT_STR_ARG(made->store), BT_STR_ARG(made->vkey), BT_STR_ARG(made->key_file));
}

/* Read the given key. False after an error message. */
static bool read_key(struct cli_ledger_run *run, struct bt_ledger_init_options *plan)
{
    const char *path = cli_given(run->options, &flag_key_text);
    struct cli_input input = {.content = BT_STR("")};
    if (path && !cli_input_read_all(&run->arena, path, KEY_BYTES_MAX, &input)) {
        return false;
    }
    if (path && input.content.len == 0) {
        cli_print_error("the key %s is empty", path);
        return false;
    }
    struct stat info;
    if (path && !cli_is_stdin(path) && stat(path, &info) == 0 &&
        (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        cli_print_error("note: others may read %s; the copy is for its owner alone", path);
    }
    plan->key_text = input.content;
    return true;
}

static int init_ledger(struct cli_ledger_run *run)
{
    const struct cli_options *options = run->options;
    const char *origin = cli_given(options, &flag_origin);
    struct bt_ledger_options where;
    struct bt_ledger_init_result made;
    struct bt_buf buf;
    struct bt_ledger_init_options plan = {
        .origin = bt_str_of(origin), .has_seed = options->seed_given, .seed = options->seed};
    if (!origin) {
        return cli_usage_error(options->command, "name the ledger: --origin NAME");
    }
    if (!ledger_run_where(run, &where) || !read_key(run, &plan)) {
        return CLI_FAILED;
    }
    where.key_file = NULL;
    ledger_run_watch(run);
    const enum bt_status status =
        bt_ledger_init(&run->env, &run->arena, &where, &plan, &made, &run->error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return ledger_run_failed(run, "cannot make the ledger");
    }
    if (made.key_was_readable) {
        cli_print_error("note: others could read %.*s until now; consider the key lost",
                        BT_STR_ARG(made.key_file));
    }
    if (made.is_test_key) {
        cli_print_error("note: this is a test key, which anyone can compute");
    }
    bt_buf_init(&buf, 1 << 20);
    if (ledger_run_is_json(options)) {
        put_json(&buf, &made, plan.origin);
    } else {
        put_text(&buf, &made);
    }
    return ledger_run_print(run, &buf);
}

static int run_init(const struct cli_options *options)
{
    struct cli_ledger_run run;
    return ledger_run_begin(&run, options) ? ledger_run_end(&run, init_ledger(&run)) : CLI_FAILED;
}
