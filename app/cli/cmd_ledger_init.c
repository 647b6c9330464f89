/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_init.c - baton ledger init, rotate and checkpoint */
#include <sys/stat.h>

#include <baton/json.h>

#include "base/clock.h"
#include "cli.h"
#include "input.h"
#include "json/emit.h"
#include "ledger/admin.h"
#include "net/http_client.h"
#include "operation/ledger_json.h"
#include "output.h"
#include "run.h"

/* ---- baton ledger init ----------------------------------------------------------------------- */

enum { KEY_BYTES_MAX = 1024 };

void cli_json_put_made(struct bt_emit *emit, const struct bt_ledger_init_result *made,
                       bt_str origin)
{
    bt_emit_member_string(emit, "store", made->store);
    bt_emit_member_string(emit, "origin", origin);
    bt_emit_member_string(emit, "vkey", made->vkey);
    bt_emit_member_string(emit, "key_file", made->key_file);
    cli_json_bool(emit, "test_key", made->is_test_key);
    bt_emit_member_u64(emit, "size", 0);
    bt_emit_member_string(emit, "root", made->root);
    bt_emit_member_string(emit, "checkpoint", made->checkpoint);
}

void cli_note_made_key(const struct bt_ledger_init_result *made)
{
    if (made->key_was_readable) {
        cli_print_error("note: others could read %.*s until now; consider the key lost",
                        BT_STR_ARG(made->key_file));
    }
    if (made->is_test_key) {
        cli_print_error("note: this is a test key, which anyone can compute");
    }
}

static void put_init_json(struct bt_buf *buf, const struct bt_ledger_init_result *made,
                          bt_str origin)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    cli_json_put_made(&emit, made, origin);
    cli_json_end(&emit);
}

static void put_init_text(struct bt_buf *buf, const struct bt_ledger_init_result *made)
{
    bt_buf_printf(
        buf,
        "made %.*s\nverifier key: %.*s\n%s %.*s\n\n"
        "Give the verifier key to everyone who must verify receipts. Keep checkpoints "
        "elsewhere, with a\nwitness or with others: a person with this key and this disk "
        "can write another history, and only\nan older checkpoint shows it.\n",
        BT_STR_ARG(made->store), BT_STR_ARG(made->vkey),
        made->is_agent_key ? "key in agent:" : "private key: ", BT_STR_ARG(made->key_file));
}

/* Read the given key. False after an error message. */
static bool read_key(struct cli_run *run, struct bt_ledger_init_options *plan)
{
    const char *path = cli_given(run->options, &flag_key_text);
    struct cli_input input = {.content = BT_STR("")};
    if (path && !cli_input_read_all(&run->arena, path, KEY_BYTES_MAX, &input)) {
        return false;
    }
    if (path && input.content.len == 0) {
        return cli_refuse("the key %s is empty", path);
    }
    struct stat info;
    if (path && !cli_is_stdin(path) && stat(path, &info) == 0 &&
        (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        cli_print_error("note: others may read %s; the copy is for its owner alone", path);
    }
    plan->key_text = input.content;
    return true;
}

/* Read the public key of --agent; *out is "" without it. False after an error message. */
static bool read_agent_key(struct cli_run *run, bt_str *out)
{
    const char *path = cli_given(run->options, &flag_agent_key);
    struct cli_input input = {.content = BT_STR("")};
    if (path && !cli_input_read_all(&run->arena, path, KEY_BYTES_MAX, &input)) {
        return false;
    }
    *out = input.content;
    return !path || input.content.len > 0 || cli_refuse("the public key %s is empty", path);
}

int cmd_ledger_init(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *origin = cli_given(options, &flag_origin);
    struct bt_ledger_options where;
    struct bt_ledger_init_result made;
    struct bt_buf buf;
    struct bt_ledger_init_options plan = {
        .origin = bt_str_of(origin), .has_seed = options->seed_given, .seed = options->seed};
    if (!cli_run_new_entries(run, &plan) || !cli_run_find_store(run, &where) ||
        !read_key(run, &plan) || !read_agent_key(run, &plan.agent_key)) {
        return CLI_FAILED;
    }
    where.key_file = NULL;
    cli_run_watch(run);
    const enum bt_status status =
        bt_ledger_init(&run->env, &run->arena, &where, &plan, &made, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot make the ledger");
    }
    cli_note_made_key(&made);
    bt_buf_init(&buf, 1 << 20);
    if (cli_run_is_json(options)) {
        put_init_json(&buf, &made, plan.origin);
    } else {
        put_init_text(&buf, &made);
    }
    return cli_run_print(run, &buf);
}

/* ---- baton ledger rotate --------------------------------------------------------------------- */

static void put_rotate_json(struct bt_buf *buf, const struct cli_run *run,
                            const struct bt_ledger_rotate_options *rotation)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_member_string(&emit, "origin", bt_ledger_origin(run->ledger));
    bt_emit_member_string(&emit, "old", rotation->old_vkey);
    bt_emit_member_string(&emit, "new", rotation->new_vkey);
    bt_emit_member_string(&emit, "signing", rotation->ends ? BT_STR("new") : BT_STR("both"));
    bt_emit_name(&emit, "record");
    bt_emit_raw(&emit, rotation->record.len > 0 ? rotation->record : BT_STR("null"));
    cli_json_end(&emit);
}

static void put_rotate_text(struct bt_buf *buf, const struct bt_ledger_rotate_options *rotation)
{
    bt_buf_printf(buf, "verifier key: %.*s\n", BT_STR_ARG(rotation->new_vkey));
    bt_buf_put_text(
        buf, rotation->ends ? "It signs alone now. What was signed before is verified by the old "
                              "key, so keep both verifier keys.\n"
                            : "Both keys sign now. Give the new one to all verifiers, and then end "
                              "the rotation with --end.\n");
}

int cmd_ledger_rotate_key(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_ledger_rotate_options rotation = {.ends = cli_given(options, &flag_end) != NULL,
                                                .is_seeded = options->seed_given,
                                                .seed = options->seed};
    struct bt_buf buf;
    if (rotation.ends && rotation.is_seeded) {
        return cli_usage_error(options->command, "--end makes no key, so it takes no --seed");
    }
    if (cli_given(options, &flag_agent_key) && (rotation.ends || rotation.is_seeded)) {
        return cli_usage_error(options->command, "--agent takes neither --end nor --seed");
    }
    if (!read_agent_key(run, &rotation.agent_key) || !cli_run_actor(run, &rotation.actor) ||
        !cli_run_open_ledger(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status = bt_ledger_rotate_key(run->ledger, &run->env, &run->arena,
                                                       &rotation, run->alarms, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, rotation.is_recorded ? "recorded, but" : "cannot rotate");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (cli_run_is_json(options)) {
        put_rotate_json(&buf, run, &rotation);
    } else {
        put_rotate_text(&buf, &rotation);
    }
    return cli_run_print(run, &buf);
}

/* ---- baton ledger checkpoint ----------------------------------------------------------------- */

enum { LINES_BYTES_MAX = 64 * 1024, WITNESS_MS = 10000 };

/* ---- Witness requests ------------------------------------------------------------------------ */

/*
 * Prove to the witness that the log has grown from `old` entries. Returns the status of its
 * response, or 0.
 */
static unsigned show_growth(struct cli_run *run, const struct http_url *where, uint64_t old,
                            uint64_t size, struct bt_buf *answer)
{
    struct bt_consistency_result growth;
    if (bt_ledger_prove_consistency(run->ledger, &run->arena, old, size, &growth, &run->error) !=
        BT_OK) {
        return 0;
    }
    const struct http_client_post post = {.where = where,
                                          .path = "/add-checkpoint",
                                          .fields = BT_STR("Content-Type: text/plain\r\n"),
                                          .body = growth.request,
                                          .until_ms = bt_clock_monotonic_ms() + WITNESS_MS,
                                          .error = &run->error};
    bt_buf_clear(answer);
    run->error.text[0] = '\0';
    const unsigned status = bt_http_client_post(&post, answer);
    if (status == 0 && !run->error.text[0]) {
        (void)bt_error_set(&run->error, BT_EIO, "no answer came from there within %d s",
                           WITNESS_MS / 1000);
    }
    return status;
}

/* The size that the witness last cosigned is unknown here; the witness reports it, once. */
static int request_cosignature(struct cli_run *run, const char *url, uint64_t size,
                               struct bt_buf *answer)
{
    struct http_url where;
    uint64_t old = 0;
    if (bt_http_url_parse(&run->arena, bt_str_of(url), &where) != BT_OK) {
        return cli_usage_error(run->options->command,
                               "--witness-url wants http://... or https://...");
    }
    unsigned status = show_growth(run, &where, 0, size, answer);
    if (status == 409 && bt_str_to_u64(bt_str_trim(bt_buf_str(answer)), &old) == BT_OK) {
        status = show_growth(run, &where, old, size, answer);
    }
    if (status == 0) {
        return cli_run_failed(run, "cannot ask the witness");
    }
    if (status != 200) {
        return cli_failed("the witness refused with status %u", status);
    }
    return CLI_DONE;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Add lines from a file or from a witness. CLI_DONE when they were stored. */
static int add_cosignatures(struct cli_run *run, uint64_t size, struct bt_buf *answer)
{
    const char *path = cli_given(run->options, &flag_add_cosignature);
    const char *url = cli_given(run->options, &flag_url);
    struct cli_input input = {.content = BT_STR("")};
    struct bt_verifier_keys *witnesses = NULL;
    if (!cli_run_keys(run, &flag_witness_key, BT_VERIFIER_KEY_WITNESS, &witnesses) ||
        (path && !cli_input_read_all(&run->arena, path, LINES_BYTES_MAX, &input))) {
        return CLI_FAILED;
    }
    if (!witnesses || (path && url)) {
        return cli_usage_error(run->options->command,
                               !witnesses ? "cosignatures need a --witness-key"
                                          : "give --add-cosignature or --witness-url, not both");
    }
    const int code = url ? request_cosignature(run, url, size, answer) : CLI_DONE;
    if (code != CLI_DONE) {
        return code;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_ledger_add_cosignatures(run->ledger, size, url ? bt_buf_str(answer) : input.content,
                                   witnesses, run->alarms, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot add the cosignature");
    }
    return cli_run_alarmed(run) ? CLI_REJECTED : CLI_DONE;
}

int cmd_ledger_checkpoint(struct cli_run *run)
{
    uint64_t size = 0;
    struct bt_ledger_head head;
    struct bt_ledger_checkpoint found;
    struct bt_buf buf;
    const bool adds =
        cli_given(run->options, &flag_add_cosignature) || cli_given(run->options, &flag_url);
    if (!cli_run_number(run, &flag_size, BT_LEDGER_SEQ_NONE, &size) ||
        !cli_run_open_ledger(run, CLI_READ_ANY)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, LINES_BYTES_MAX);
    const int added = adds ? add_cosignatures(run, size, &buf) : CLI_DONE;
    bt_buf_free(&buf);
    if (added != CLI_DONE) {
        return added;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_get_checkpoint(run->ledger, &run->arena, size, &found, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot give the checkpoint");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    bt_buf_init(&buf, 1 << 20);
    if (cli_run_is_json(run->options)) {
        bt_emit_checkpoint(&buf, &head, &found);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_put(&buf, found.note);
    }
    return cli_run_print_bytes(run, &buf);
}
