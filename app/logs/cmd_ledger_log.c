/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_log.c - baton ledger log new, list and adopt */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/terminal.h"
#include "json/emit.h"
#include "logs/log_flag.h"

enum { OUTPUT_BYTES_MAX = 64 << 20 };

/* The logs, and what the handles of all of them share. False after an error message. */
static bool find_all(struct cli_run *run, struct bt_logs *logs, struct bt_ledger_options *ledger)
{
    return logs_find(run->options, &run->arena, logs) && cli_run_find_options(run, ledger);
}

/* ---- baton ledger log new -------------------------------------------------------------------- */

static void put_new(struct cli_run *run, struct bt_buf *buf,
                    const struct bt_log_new_options *wanted,
                    const struct bt_ledger_init_result *made)
{
    if (cli_run_is_json(run->options)) {
        struct bt_emit emit;
        cli_json_begin(&emit, buf);
        bt_emit_member_string(&emit, "name", wanted->name);
        cli_json_put_made(&emit, made, wanted->init.origin);
        cli_json_end(&emit);
        return;
    }
    bt_buf_printf(buf, "made the log %.*s in %.*s\nverifier key: %.*s\nprivate key:  %.*s\n",
                  BT_STR_ARG(wanted->name), BT_STR_ARG(made->store), BT_STR_ARG(made->vkey),
                  BT_STR_ARG(made->key_file));
}

int cmd_ledger_log_new(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_log_new_options wanted = {
        .name = bt_str_of(options->operands[0]),
        .init = {.origin = bt_str_of(cli_given(options, &flag_origin)),
                 .has_seed = options->seed_given,
                 .seed = options->seed}};
    struct bt_logs logs;
    struct bt_ledger_init_result made;
    struct bt_buf buf;
    if (!cli_run_new_entries(run, &wanted.init) || !find_all(run, &logs, &wanted.ledger)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_log_new(&logs, &run->env, &run->arena, &wanted, &made, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot make the log");
    }
    cli_note_made_key(&made);
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_new(run, &buf, &wanted, &made);
    return cli_run_print(run, &buf);
}

/* ---- baton ledger log list ------------------------------------------------------------------- */

/* Read the size of a log. False after an error message. */
static bool read_size(struct cli_run *run, struct bt_arena *arena, const struct bt_logs *logs,
                      const struct bt_ledger_options *ledger, bt_str name, uint64_t *out)
{
    run->error.text[0] = '\0';
    return bt_log_read_size(logs, arena, ledger, name, out, &run->error) == BT_OK ||
           cli_refuse("the log %.*s: %s", BT_STR_ARG(name), run->error.text);
}

static void put_row(struct bt_emit *emit, struct bt_buf *buf, const struct bt_log_row *row,
                    const uint64_t *size)
{
    if (!emit) {
        bt_buf_printf(buf, "%.*s  %.*s", BT_STR_ARG(row->name), BT_STR_ARG(row->origin));
        if (size) {
            bt_buf_printf(buf, "  %" PRIu64 " %s", *size, *size == 1 ? "entry" : "entries");
        }
        bt_buf_put_text(buf, size ? "\n" : "  cannot be read\n");
        return;
    }
    bt_log_row_put(emit, row, size);
}

int cmd_ledger_log_list(struct cli_run *run)
{
    const bool is_json = cli_run_is_json(run->options);
    struct bt_logs logs;
    struct bt_log_rows rows;
    struct bt_ledger_options ledger;
    struct bt_arena arena; /* reset for each log */
    struct bt_buf buf;
    struct bt_emit emit;
    bool is_complete = true;
    if (!find_all(run, &logs, &ledger)) {
        return CLI_FAILED;
    }
    if (bt_logs_read(&logs, &run->arena, NULL, &rows, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot list the logs");
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_arena_init(&arena, 16 << 20);
    if (is_json) {
        cli_json_begin(&emit, &buf);
        bt_emit_member_array(&emit, "logs");
    } else if (rows.count == 0) {
        cli_print_empty(run->options, "No logs. baton ledger log new makes one.");
    }
    for (size_t i = 0; i < rows.count; i++) {
        uint64_t size = 0;
        const bool is_read = read_size(run, &arena, &logs, &ledger, rows.items[i].name, &size);
        put_row(is_json ? &emit : NULL, &buf, &rows.items[i], is_read ? &size : NULL);
        is_complete = is_complete && is_read;
        bt_arena_reset(&arena);
    }
    bt_arena_free(&arena);
    if (is_json) {
        bt_emit_end(&emit);
        cli_json_end(&emit);
    }
    const int code = cli_run_print(run, &buf);
    return is_complete ? code : CLI_FAILED;
}

/* ---- baton ledger log adopt ------------------------------------------------------------------ */

static void put_adopted(struct cli_run *run, struct bt_buf *buf,
                        const struct bt_log_adopt_options *adopted)
{
    if (cli_run_is_json(run->options)) {
        struct bt_emit emit;
        cli_json_begin(&emit, buf);
        bt_emit_member_string(&emit, "name", adopted->name);
        bt_emit_member_string(&emit, "origin", adopted->origin);
        bt_emit_member_u64(&emit, "size", adopted->size);
        cli_json_end(&emit);
        return;
    }
    bt_buf_printf(buf, "the log %.*s is %.*s, with %" PRIu64 " %s\n", BT_STR_ARG(adopted->name),
                  BT_STR_ARG(adopted->origin), adopted->size,
                  adopted->size == 1 ? "entry" : "entries");
}

int cmd_ledger_log_adopt(struct cli_run *run)
{
    struct bt_judgement judged;
    struct bt_log_adopt_options adopted = {
        .name = bt_str_of(run->options->operands[0]),
        .folder = bt_str_of(cli_given(run->options, &flag_adopted_folder)),
        .judged = &judged};
    struct bt_logs logs;
    struct cli_progress progress;
    struct bt_buf buf;
    if (!find_all(run, &logs, &adopted.ledger)) {
        return CLI_FAILED;
    }
    cli_progress_begin(&progress, "verifying", "entries");
    adopted.progress = progress.callback;
    const enum bt_status status = bt_log_adopt(&logs, &run->arena, &adopted, &run->error);
    cli_progress_end(&progress);
    if (status != BT_OK) {
        return cli_run_failed(run, adopted.is_adopted ? "adopted, but" : "cannot adopt the ledger");
    }
    if (!adopted.is_adopted) {
        return cli_run_report_one(run, &judged, BT_STR(""));
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_adopted(run, &buf, &adopted);
    return cli_run_print(run, &buf);
}
